//! How a change worked in a layer: a condition that flipped, an entry that is hidden, a cut that moved.

use super::leaves::{Edit, Leaf, Written};
use super::seen::{Seen, is_of};
use crate::compare::model::{Cause, CauseKind};
use crate::compare::side::Side;
use crate::prompt::{Ingredient, UnusedReason};
use std::collections::{BTreeMap, BTreeSet};

/// Whether the changed text itself is at the break. Where a cut is another one it has to be there on both sides.
pub(super) fn is_direct(cause: &Cause, leaf: &Leaf, seen: &Seen<'_>, is_cut: bool) -> bool {
    let owners = seen.owners();
    let is_in = |run: &Option<Written>, line: Option<usize>| {
        run.as_ref().zip(line).is_none_or(|(run, line)| {
            let lines = run.text.matches('\n').count();
            (run.line..=run.line + lines).contains(&line)
        })
    };
    let mut all = owners.iter().map(|(side, span, line)| {
        let of = span.of.and_then(|of| side.ingredients().get(of as usize));
        let is_whole = !matches!(leaf.edit, Edit::Lines);
        let own = side.ingredient(span.ingredient);
        let of_it = of.filter(|_| is_whole).or(own);
        of_it.is_some_and(|ingredient| match (ingredient, &cause.fact) {
            (Ingredient::Fact { name, .. }, Some(fact)) => name == fact,
            (Ingredient::Document { .. } | Ingredient::Template { .. }, None) => {
                let path = cause.path.as_deref().unwrap_or_default();
                is_of(ingredient, cause.root.as_deref(), path)
                    && (is_in(&leaf.a, *line) || is_in(&leaf.b, *line))
            }
            (Ingredient::Literal { line, .. }, None) => {
                let mut lines = [&leaf.a, &leaf.b].into_iter().flatten();
                lines.any(|side| side.line == *line)
            }
            _ => false,
        })
    });
    if is_cut {
        let inside = owners.iter().filter(|(side, span, _)| {
            let at = if std::ptr::eq(*side, &seen.b) {
                seen.at[1]
            } else {
                seen.at[0]
            };
            at < span.end
        });
        let inside = inside.count();
        inside > 0 && all.take(inside).all(|is_it| is_it)
    } else {
        all.any(|is_it| is_it)
    }
}

/// The first condition of the layer that has another answer and may ask for what was changed.
pub(super) fn flip(cause: &Cause, seen: &Seen<'_>) -> Option<Cause> {
    let asks = |ingredient: &Ingredient| match ingredient {
        Ingredient::Fact { name, .. } => cause.fact.as_ref() == Some(name),
        Ingredient::Exists { path, .. } => cause.path.as_ref() == Some(path),
        _ => true,
    };
    // What comes after an answer that settles a condition is not asked.
    let conditions = |side: &Side<'_>| -> Vec<(String, Option<u32>, bool, bool)> {
        let all = side.ingredients().iter().filter_map(|ingredient| {
            let Ingredient::Condition {
                expression,
                value,
                node,
                inputs,
            } = ingredient
            else {
                return None;
            };
            let mut asked = inputs.iter().map(|at| side.ingredient(Some(*at)));
            let is_it = inputs.is_empty() || asked.any(|input| input.is_none_or(asks));
            Some((expression.clone(), *node, *value, is_it))
        });
        all.collect()
    };
    let [a, b] = [&seen.a, &seen.b].map(conditions);
    let (expression, _, value, _) = a.into_iter().find(|(expression, node, value, asked)| {
        let mut same = b
            .iter()
            .filter(|(other, at, ..)| other == expression && at == node);
        same.any(|(_, _, other, also)| other != value && (*asked || *also))
    })?;
    Some(Cause {
        item: Some(expression),
        old: Some(value.to_string()),
        new: Some((!value).to_string()),
        ..Cause::new(CauseKind::ConditionFlipped)
    })
}

/// An entry that a template hides, or no longer.
pub(super) fn hidden(cause: &Cause, seen: &Seen<'_>) -> Option<Cause> {
    let hidden = |side: &Side<'_>| -> BTreeSet<(String, String, Option<String>)> {
        let all = side.unused().iter();
        let all = all.filter(|unused| unused.reason == UnusedReason::Hidden);
        all.map(|u| (u.root.clone(), u.path.clone(), u.item.clone()))
            .collect()
    };
    let [a, b] = [&seen.a, &seen.b].map(hidden);
    let (root, path, item) = a.symmetric_difference(&b).next()?.clone();
    let is_b = b.contains(&(root.clone(), path.clone(), item.clone()));
    // One with another name is another entry.
    let other = if is_b { &seen.a } else { &seen.b };
    let mut listed = other.ingredients().iter();
    let is_same = |ingredient: &Ingredient| match ingredient {
        Ingredient::Document { item: own, .. } => {
            *own == item && is_of(ingredient, Some(&root), &path)
        }
        _ => false,
    };
    if !listed.any(is_same) {
        return None;
    }
    let words = ["listed", "hidden"];
    let [old, new] = if is_b { words } else { [words[1], words[0]] };
    Some(Cause {
        root: Some(root),
        path: Some(path),
        fact: cause.fact.clone(),
        item,
        old: Some(old.to_owned()),
        new: Some(new.to_owned()),
        ..Cause::new(CauseKind::ConditionFlipped)
    })
}

/// A document of which a scan keeps the text out, or no longer, or for another reason: the rules that found something.
pub(super) fn replaced(seen: &Seen<'_>) -> Option<Cause> {
    type Replaced<'p> = BTreeMap<(&'p str, &'p str), (BTreeSet<&'p str>, usize)>;
    fn all<'p>(side: &Side<'p>) -> Replaced<'p> {
        let documents = side.ingredients().iter();
        let replaced = documents.filter_map(|ingredient| match ingredient {
            Ingredient::Document {
                root,
                path,
                kept: 0,
                findings,
                ..
            } => {
                let first = findings.first()?.line;
                let rules = findings.iter().map(|found| found.rule.as_str()).collect();
                Some(((root.as_str(), path.as_str()), (rules, first)))
            }
            _ => None,
        });
        replaced.collect()
    }
    let (a, b) = (all(&seen.a), all(&seen.b));
    let rules = |side: &Replaced<'_>, at: &(&str, &str)| {
        let (rules, _) = side.get(at)?;
        Some(rules.iter().copied().collect::<Vec<_>>().join(", "))
    };
    let mut both = b.keys().chain(a.keys());
    let at = both.find(|at| rules(&a, at) != rules(&b, at))?;
    Some(Cause {
        root: Some(at.0.to_owned()),
        path: Some(at.1.to_owned()),
        line: b.get(at).map(|(_, line)| *line),
        old: rules(&a, at),
        new: rules(&b, at),
        ..Cause::new(CauseKind::DocumentReplaced)
    })
}

/// A cut that moved, or something that a budget took.
pub(super) fn cut(seen: &Seen<'_>) -> Option<Cause> {
    type Cut = (
        String,
        Option<String>,
        [usize; 2],
        Option<usize>,
        Option<usize>,
    );
    let cuts = |side: &Side<'_>| -> Vec<Cut> {
        let all = side
            .ingredients()
            .iter()
            .filter_map(|ingredient| match ingredient {
                Ingredient::Budget {
                    of,
                    by,
                    before,
                    after,
                    head,
                    tail,
                    ..
                } if after < before => {
                    Some((of.clone(), by.clone(), [*before, *after], *head, *tail))
                }
                _ => None,
            });
        all.collect()
    };
    let [a, b] = [&seen.a, &seen.b].map(cuts);
    let is_gone = |side: &Side<'_>| {
        let mut unused = side.unused().iter();
        unused.any(|unused| unused.reason == UnusedReason::Budget)
    };
    let maximum = |side: &Side<'_>| -> BTreeSet<(String, Option<String>, usize)> {
        let all = side
            .ingredients()
            .iter()
            .filter_map(|ingredient| match ingredient {
                Ingredient::Budget { of, by, max, .. } => Some((of.clone(), by.clone(), *max)),
                _ => None,
            });
        all.collect()
    };
    let [x, y] = [&seen.a, &seen.b].map(maximum);
    let is_other = |(of, by, max): &(String, Option<String>, usize)| {
        y.iter().any(|(o, b, m)| (o, b) == (of, by) && m != max)
    };
    if (a == b && is_gone(&seen.a) == is_gone(&seen.b)) || x.iter().any(is_other) {
        return None;
    }
    let by = |cuts: &[Cut]| cuts.iter().any(|(_, by, ..)| by.is_some());
    if by(&a) != by(&b) {
        return Some(Cause::new(CauseKind::CutMoved));
    }
    let owners = seen.owners();
    let mut documents = owners.iter().filter_map(|(side, span, line)| {
        let of = span.of.and_then(|of| side.ingredients().get(of as usize));
        let line = line.filter(|_| of.is_none());
        match of.or_else(|| side.ingredient(span.ingredient))? {
            Ingredient::Document { root, path, .. } => Some((root, path, line)),
            _ => None,
        }
    });
    let (root, path, line) = documents.next()?;
    Some(Cause {
        root: Some(root.clone()),
        path: Some(path.clone()),
        line,
        ..Cause::new(CauseKind::CutMoved)
    })
}
