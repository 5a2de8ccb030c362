//! Rounds as breaks: what was changed, in words, and how it worked.

use super::leaves::{Edit, Leaf, Leaves, Unit, Written};
use super::search::{Found, Kept, Named, Role, Round, changed};
use crate::compare::entries::{Numbered, Pair, pairs};
use crate::compare::excerpt::{self, FirstDifference, blankless};
use crate::compare::model::{Break, Cause, CauseKind, Together};
use crate::compare::side::{Side, Sides};
use crate::prompt::{Deliver, Ingredient, Prompt, RecordedInputs, Span, UnusedReason};
use crate::text::prefix;
use std::collections::BTreeSet;

/// What the words of a search need to know.
pub(super) struct Words<'w> {
    pub(super) leaves: &'w Leaves,
    /// The folder of the manifest.
    pub(super) home: &'w str,
    pub(super) a: &'w Prompt,
    pub(super) inputs: [&'w RecordedInputs; 2],
    /// The private facts whose value in A is not known.
    pub(super) unknown: &'w [String],
}

/// The bytes of A's system prompt that stay cached.
fn system(a: &Prompt, kept: Kept) -> usize {
    match kept {
        Kept::UpTo(Deliver::System, bytes) => bytes,
        Kept::UpTo(Deliver::Tools, _) => 0,
        Kept::UpTo(Deliver::User, _) | Kept::All => a.text(Deliver::System).len(),
    }
}

/// One layer on both sides of a round: without its causes, and with them.
struct Seen<'p> {
    a: Side<'p>,
    b: Side<'p>,
    /// The first differing byte of each channel, without and with the causes.
    at: [usize; 2],
}

impl<'p> Seen<'p> {
    fn of([a, b]: [&'p Prompt; 2], name: &'p str, at: Option<Kept>) -> Self {
        let side = |prompt| {
            let sides = Sides::of(prompt);
            let mut all = Deliver::ALL
                .into_iter()
                .map(|channel| sides.get(name, channel));
            let absent = sides.get(name, Deliver::System);
            all.find(|side| side.present.is_some()).unwrap_or(absent)
        };
        let [a, b] = [a, b].map(side);
        let own = prefix::common(a.text(), b.text());
        let at = match at {
            Some(Kept::UpTo(_, at)) => [at, at],
            _ => [a.start() + own, b.start() + own],
        };
        Self { a, b, at }
    }

    fn sides(&self) -> [(&Side<'p>, usize); 2] {
        [(&self.b, self.at[1]), (&self.a, self.at[0])]
    }

    /// The spans at the break, each with the line of its ingredient there: of the byte there, and of what ends there; those with the
    /// causes first.
    fn owners(&self) -> Vec<(&Side<'p>, &'p Span, Option<usize>)> {
        let mut out = Vec::new();
        for is_inside in [true, false] {
            for (side, at) in self.sides() {
                let spans = side.spans().iter().filter(|span| {
                    span.start <= at
                        && if is_inside {
                            at < span.end
                        } else {
                            at == span.end
                        }
                });
                out.extend(spans.map(|span| {
                    let text = side.bytes(span).get(..at - span.start).unwrap_or_default();
                    let line = span.line.map(|line| line + text.matches('\n').count());
                    (side, span, line)
                }));
            }
        }
        out
    }
}

impl Words<'_> {
    /// The breaks of all rounds.
    pub(super) fn breaks(
        &self,
        found: &Found,
        place: &dyn Fn([&Prompt; 2]) -> Option<Break>,
    ) -> Vec<Break> {
        let mut out: Vec<Break> = Vec::new();
        let mut a = self.a;
        for round in &found.rounds {
            let [without, with] = &round.prompts;
            let Some(first) = place([a, with]) else {
                continue;
            };
            let mut layers = changed(without, with, false);
            if layers.is_empty() {
                layers = changed(without, with, true);
            }
            let name = first.layer.clone().or_else(|| layers.first().cloned());
            let name = name.unwrap_or_default();
            let seen = Seen::of([without, with], &name, None);
            let mut causes: Vec<Cause> = Vec::new();
            for named in &round.causes {
                for cause in self.causes(named, &seen) {
                    if !causes.contains(&cause) {
                        causes.push(cause);
                    }
                }
            }
            if round.causes.is_empty() {
                causes = self.unrecorded(&seen);
                a = self.a;
            }
            let role = match round.causes.as_slice() {
                [one] => one.role,
                _ => round.role,
            };
            let role = match role {
                _ if causes.len() < 2 => None,
                Role::Alone => None,
                Role::Each => Some(Together::Each),
                Role::Together => Some(Together::Only),
            };
            out.push(Break {
                causes,
                together: role,
                layers,
                undone: Some(system(self.a, round.kept)),
                ..first
            });
        }
        out
    }

    /// What was not recorded and may be the cause: private facts that the layer asks for, else the release.
    fn unrecorded(&self, seen: &Seen<'_>) -> Vec<Cause> {
        let asked = seen.b.ingredients().iter().chain(seen.a.ingredients());
        let private: BTreeSet<&String> = asked
            .filter_map(|ingredient| match ingredient {
                Ingredient::Fact { name, .. } if self.unknown.contains(name) => Some(name),
                _ => None,
            })
            .collect();
        let facts = private.into_iter().map(|name| Cause {
            fact: Some(name.clone()),
            ..Cause::new(CauseKind::FactChanged)
        });
        let mut out: Vec<Cause> = facts.collect();
        if out.is_empty() {
            let [old, new] = self.inputs.map(|inputs| Some(inputs.promptc.clone()));
            out.push(Cause {
                old,
                new,
                ..Cause::new(CauseKind::ReleaseChanged)
            });
        }
        out
    }

    /// The units that act only through what was named.
    pub(super) fn also(&self, found: &Found, round: &Round) -> Vec<Cause> {
        let [without, with] = &round.prompts;
        let seen = Seen::of([without, with], "", None);
        let also = found.also.iter().chain(&round.stand_ins);
        let units: BTreeSet<&Unit> = also.collect();
        let causes = units.into_iter().filter_map(|unit| {
            let leaf = *self.leaves.units.get(unit)?.iter().next()?;
            Some(self.changed(unit, leaf, &seen))
        });
        causes.collect()
    }

    fn causes(&self, named: &Named, seen: &Seen<'_>) -> Vec<Cause> {
        let is_one = matches!(named.unit, Unit::Listing { .. } | Unit::Renamed { .. });
        let most = if is_one { 1 } else { usize::MAX };
        let leaves = named.leaves.iter().take(most);
        let causes = leaves.map(|leaf| {
            let cause = self.changed(&named.unit, *leaf, seen);
            self.acted(cause, &self.leaves.all[*leaf], seen)
        });
        causes.collect()
    }

    /// What was changed.
    fn changed(&self, unit: &Unit, leaf: usize, seen: &Seen<'_>) -> Cause {
        let leaf = &self.leaves.all[leaf];
        match unit {
            Unit::Renamed { from, to } => Cause {
                old: Some(self.document(from, seen).1),
                ..self.file(CauseKind::DocumentRenamed, to, seen)
            },
            Unit::Listing { .. } => Cause {
                more: self.leaves.units[unit].len().saturating_sub(1),
                ..self.of_leaf(leaf, seen)
            },
            Unit::LeftOut(name) => {
                let option = || Some(format!("--without {name}"));
                let is_b = leaf.edit == Edit::Added;
                Cause {
                    item: Some(name.clone()),
                    old: if is_b { None } else { option() },
                    new: if is_b { option() } else { None },
                    ..Cause::new(CauseKind::LayerLeftOut)
                }
            }
            Unit::Tokenizer => Cause::new(CauseKind::TokenizerChanged),
            Unit::Fact(name) => {
                let [old, new] = texts(leaf);
                let item = match &leaf.edit {
                    Edit::Item(item) => Some(item.clone()),
                    _ => None,
                };
                let path = leaf.path.as_deref().map(|path| self.shown(path));
                Cause {
                    fact: Some(name.clone()),
                    line: path.is_some().then(|| line(leaf)).flatten(),
                    path,
                    item,
                    old,
                    new,
                    ..Cause::new(CauseKind::FactChanged)
                }
            }
            _ => self.of_leaf(leaf, seen),
        }
    }

    fn of_leaf(&self, leaf: &Leaf, seen: &Seen<'_>) -> Cause {
        let path = leaf.path.as_deref().unwrap_or_default();
        match leaf.edit {
            Edit::Appeared => self.file(CauseKind::DocumentAppeared, path, seen),
            Edit::Vanished => self.file(CauseKind::DocumentVanished, path, seen),
            Edit::Kind => self.file(CauseKind::DocumentChanged, path, seen),
            Edit::Lines => {
                let cause = self.file(CauseKind::DocumentChanged, path, seen);
                let [a, b] = [&leaf.a, &leaf.b].map(|side| side.as_ref());
                let is_program = cause.kind == CauseKind::TemplateChanged;
                // What a scan, a cut or a template keeps out of the prompt is not for the log of a build either.
                let is_shown = |side: usize, line: &str| {
                    is_program || [&seen.a, &seen.b][side].text().contains(line.trim())
                };
                let FirstDifference { line, old, new } = excerpt::of_runs(
                    a.map(|side| (side.text.as_str(), side.line)),
                    b.map(|side| (side.text.as_str(), side.line)),
                    &is_shown,
                );
                Cause {
                    line,
                    old,
                    new,
                    ..cause
                }
            }
            _ => self.of_node(leaf, path),
        }
    }

    /// An edit of a manifest.
    fn of_node(&self, leaf: &Leaf, path: &str) -> Cause {
        let written = leaf.b.as_ref().or(leaf.a.as_ref());
        let head = written.map_or("", |side| side.text.as_str());
        let word = head.split(' ').next().unwrap_or_default();
        let is_b = leaf.b.is_some();
        let one_sided = matches!(leaf.edit, Edit::Added | Edit::Removed);
        let kind = match (word, &leaf.edit) {
            ("layer" | "tier", Edit::Moved) => CauseKind::LayerMoved,
            ("layer", Edit::Added) => CauseKind::LayerAdded,
            ("layer", Edit::Removed) => CauseKind::LayerRemoved,
            ("move", _) if one_sided => CauseKind::LayerMoved,
            ("remove", _) if one_sided && is_b => CauseKind::LayerRemoved,
            ("remove", _) if one_sided => CauseKind::LayerAdded,
            _ => CauseKind::LayerEdited,
        };
        let is_whole = matches!(word, "layer" | "tier") && kind != CauseKind::LayerEdited;
        let [old, new] = match &leaf.edit {
            _ if is_whole => [None, None],
            Edit::Moved => excerpt::both([None, Some(head)]),
            _ => texts(leaf),
        };
        Cause {
            path: Some(self.shown(path)),
            line: line(leaf),
            old,
            new,
            ..Cause::new(kind)
        }
    }

    /// A change of a file, with what shows of it in the layer.
    fn file(&self, kind: CauseKind, path: &str, seen: &Seen<'_>) -> Cause {
        let (root, path, is_template) = self.document(path, seen);
        let of_it = |ingredient: &Ingredient| is_of(ingredient, root.as_deref(), &path);
        let FirstDifference { line, old, new } = excerpt::first(&seen.a, &seen.b, of_it);
        let is_one_sided = matches!(kind, CauseKind::DocumentVanished);
        Cause {
            line: if is_one_sided { None } else { line },
            old: if is_one_sided { None } else { old },
            new: if is_one_sided { None } else { new },
            kind: if is_template {
                CauseKind::TemplateChanged
            } else {
                kind
            },
            root,
            path: Some(path),
            ..Cause::new(kind)
        }
    }

    /// The name of a manifest in messages.
    fn shown(&self, path: &str) -> String {
        let below = path
            .strip_prefix(self.home)
            .and_then(|path| path.strip_prefix('/'));
        let inner = || path.splitn(3, '/').nth(2);
        below.or_else(inner).unwrap_or(path).to_owned()
    }

    /// Root and path of a document as the map has them, and whether it is a template.
    fn document(&self, path: &str, seen: &Seen<'_>) -> (Option<String>, String, bool) {
        let is_it = |known: &str| {
            path.strip_suffix(known)
                .is_some_and(|rest| rest.ends_with('/'))
        };
        let mut found: Option<(Option<String>, String, bool)> = None;
        let prompts = [self.a];
        let layers = prompts.iter().flat_map(|prompt| {
            let present = prompt.channels.iter().flat_map(|channel| &channel.layers);
            let present = present.map(|layer| (&layer.ingredients, &layer.unused));
            let absent = prompt
                .absent
                .iter()
                .map(|absent| (&absent.ingredients, &absent.unused));
            present.chain(absent)
        });
        let own = [&seen.b, &seen.a].map(|side| (side.ingredients(), side.unused()));
        let all = own
            .into_iter()
            .chain(layers.map(|(a, b)| (&**a, b.as_slice())));
        for (ingredients, unused) in all {
            let documents = ingredients
                .iter()
                .filter_map(|ingredient| match ingredient {
                    Ingredient::Document { root, path, .. } => Some((Some(root), path, false)),
                    Ingredient::Template {
                        file, line: None, ..
                    } => Some((None, file, true)),
                    _ => None,
                });
            let unused = unused
                .iter()
                .map(|unused| (Some(&unused.root), &unused.path, false));
            for (root, known, is_template) in
                documents.chain(unused).filter(|(_, path, _)| is_it(path))
            {
                let is_longer = found
                    .as_ref()
                    .is_none_or(|(_, path, _)| path.len() < known.len());
                if is_longer {
                    found = Some((root.cloned(), known.clone(), is_template));
                }
            }
            if found.is_some() {
                break;
            }
        }
        found.unwrap_or_else(|| (None, self.shown(path), false))
    }

    /// The change with what it did in the layer.
    fn acted(&self, cause: Cause, leaf: &Leaf, seen: &Seen<'_>) -> Cause {
        let hidden = hidden(&cause, seen);
        if hidden.is_none()
            && let Some(entry) = entry(&cause, seen)
        {
            return entry;
        }
        let cut = cut(seen).filter(|cut| {
            let is_own = (&cut.root, &cut.path) == (&cause.root, &cause.path);
            let is_edit = cause.kind == CauseKind::LayerEdited;
            let is_whole = !matches!(leaf.edit, Edit::Lines);
            !is_edit && !(is_own && is_whole)
        });
        let direct = is_direct(&cause, leaf, seen, cut.is_some());
        let is_edit = matches!(
            cause.kind,
            CauseKind::DocumentChanged | CauseKind::TemplateChanged | CauseKind::LayerEdited
        );
        let texts = [&seen.a, &seen.b].map(|side| side.present.map(|_| side.text()));
        if let ([Some(a), Some(b)], true) = (texts, is_edit)
            && a != b
            && blankless(a).eq(blankless(b))
        {
            return Cause {
                kind: CauseKind::WhitespaceOnly,
                ..cause
            };
        }
        if direct {
            return cause;
        }
        let effect = flip(&cause, seen).or(hidden).or(cut);
        match effect {
            Some(effect) => Cause {
                because: vec![cause],
                ..effect
            },
            None => cause,
        }
    }
}

/// Whether the changed text itself is at the break. Where a cut is another one it has to be there on both sides.
fn is_direct(cause: &Cause, leaf: &Leaf, seen: &Seen<'_>, is_cut: bool) -> bool {
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

/// A change of a document as one of an entry of it, where entries of the file come and go.
fn entry(cause: &Cause, seen: &Seen<'_>) -> Option<Cause> {
    let (root, path) = (cause.root.as_deref()?, cause.path.as_deref()?);
    let entries = |side: &Side<'_>| -> Vec<Numbered> {
        let all = side
            .ingredients()
            .iter()
            .filter_map(|ingredient| match ingredient {
                Ingredient::Document {
                    item: Some(item),
                    sha256,
                    kept,
                    ..
                } if is_of(ingredient, Some(root), path) && *kept > 0 => {
                    Some((item.clone(), sha256.clone()))
                }
                _ => None,
            });
        let mut out: Vec<Numbered> = all.collect();
        out.dedup();
        out
    };
    let [a, b] = [&seen.a, &seen.b].map(entries);
    let same = |pair: &Pair| {
        pair.a
            .zip(pair.b)
            .is_some_and(|(i, j)| a[i].1 == b[j].1 && !pair.moved)
    };
    let mut changed = pairs(&a, &b);
    changed.retain(|pair| !same(pair));
    let of = |pair: &Pair| {
        [
            pair.a.map(|i| a[i].0.clone()),
            pair.b.map(|j| b[j].0.clone()),
        ]
    };
    let owners = seen.owners();
    let at_break: Vec<&String> = (owners.iter())
        .filter_map(|(side, span, _)| match side.ingredient(span.ingredient)? {
            Ingredient::Document {
                item: Some(item), ..
            } => Some(item),
            _ => None,
        })
        .collect();
    let rank = |pair: &Pair| {
        let items = of(pair);
        let place = at_break
            .iter()
            .position(|item| items.iter().flatten().any(|own| own == *item));
        (place.unwrap_or(usize::MAX), pair.a.min(pair.b))
    };
    let pair = changed.iter().min_by_key(|pair| rank(pair))?;
    let [x, y] = of(pair);
    let kind = match (&x, &y) {
        (None, _) => CauseKind::ItemAdded,
        (_, None) => CauseKind::ItemRemoved,
        _ if pair.moved => CauseKind::ItemReordered,
        _ => CauseKind::ItemChanged,
    };
    let item = y.clone().or_else(|| x.clone())?;
    let is_numbered = item.parse::<usize>().is_ok();
    let is_whole = matches!(
        cause.kind,
        CauseKind::DocumentAppeared | CauseKind::DocumentVanished
    );
    if is_numbered && is_whole {
        return None;
    }
    let picks = [x, y].map(|own| {
        move |ingredient: &Ingredient| {
            let is_own = matches!(ingredient, Ingredient::Document { item, .. } if *item == own && own.is_some());
            is_own && is_of(ingredient, Some(root), path)
        }
    });
    let FirstDifference { line, old, new } = excerpt::entry(
        [&seen.a, &seen.b],
        [&picks[0], &picks[1]],
        &item,
        pair.moved,
    );
    Some(Cause {
        kind,
        item: Some(item),
        line,
        old,
        new,
        ..cause.clone()
    })
}

/// Whether an ingredient is a document, or a template.
fn is_of(ingredient: &Ingredient, root: Option<&str>, name: &str) -> bool {
    match ingredient {
        Ingredient::Document { root: of, path, .. } => root == Some(of.as_str()) && path == name,
        Ingredient::Template {
            file, line: None, ..
        } => root.is_none() && file == name,
        _ => false,
    }
}

fn line(leaf: &Leaf) -> Option<usize> {
    leaf.b.as_ref().or(leaf.a.as_ref()).map(|side| side.line)
}

fn texts(leaf: &Leaf) -> [Option<String>; 2] {
    let [a, b] = [&leaf.a, &leaf.b].map(|side| side.as_ref().map(|side| side.text.as_str()));
    excerpt::both([a, b])
}

/// The first condition of the layer that has another answer and may ask for what was changed.
fn flip(cause: &Cause, seen: &Seen<'_>) -> Option<Cause> {
    let asks = |ingredient: &Ingredient| match ingredient {
        Ingredient::Fact { name, .. } => cause.fact.as_ref() == Some(name),
        Ingredient::Exists { path, .. } => cause.path.as_ref() == Some(path),
        _ => true,
    };
    // What stands behind an answer that settles a condition is not asked.
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
fn hidden(cause: &Cause, seen: &Seen<'_>) -> Option<Cause> {
    let hidden = |side: &Side<'_>| -> BTreeSet<(String, String, Option<String>)> {
        let all = side.unused().iter();
        let all = all.filter(|unused| unused.reason == UnusedReason::Hidden);
        all.map(|u| (u.root.clone(), u.path.clone(), u.item.clone()))
            .collect()
    };
    let [a, b] = [&seen.a, &seen.b].map(hidden);
    let (root, path, item) = a.symmetric_difference(&b).next()?.clone();
    let is_b = b.contains(&(root.clone(), path.clone(), item.clone()));
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

/// A cut that moved, or something that a budget took.
fn cut(seen: &Seen<'_>) -> Option<Cause> {
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
