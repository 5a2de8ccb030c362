//! Differences between the two sides in the inputs of a layer.

use super::deciding::deciding;
use super::documents::{Both, Documents, Key};
use super::entries::is_entry;
use super::model::{Cause, CauseKind};
use super::nodes::Nodes;
use super::reads::Reads;
use super::side::Side;
use super::values::Values;
use super::{Ground, excerpt, mention};
use crate::prompt::{Finding, Ingredient, Prompt, UnusedReason};
use std::collections::{BTreeMap, BTreeSet};

/// A change of something that the layer reads or says.
#[derive(Debug, Clone)]
pub(super) struct Change<'p> {
    pub(super) what: What<'p>,
    pub(super) cause: Cause,
}

/// The changed thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What<'p> {
    Document(&'p str, &'p str),
    Fact(&'p str),
    Template(&'p str),
    Let(&'p str),
    Root,
    /// Nodes of the definitions, by index.
    Edit(Option<usize>, Option<usize>),
    /// The tier around it.
    Tier,
}

/// A condition that may have another answer, with what it reads that changed.
#[derive(Debug, Clone)]
pub(super) struct Flip<'p> {
    pub(super) expression: &'p str,
    /// Whether it is asked of each document.
    pub(super) of_documents: bool,
    pub(super) cause: Cause,
}

/// All changes of one layer.
#[derive(Debug, Default)]
pub(super) struct Changes<'p> {
    pub(super) direct: Vec<Change<'p>>,
    /// The location of each; of several the first.
    places: BTreeMap<What<'p>, usize>,
    pub(super) flips: Vec<Flip<'p>>,
    /// The names that the conditions of the manifest ask for, whatever their answers.
    pub(super) asked: BTreeSet<String>,
    /// The changed facts that conditions ask for and that flip none of them.
    pub(super) idle: BTreeSet<String>,
}

impl<'p> Changes<'p> {
    /// Compares what the two sides of a layer were made from.
    pub(super) fn of(
        a: &Side<'p>,
        b: &Side<'p>,
        ground: Ground<'_, 'p>,
        (nodes, both): (&Nodes, &Both<'p>),
    ) -> Self {
        let mut out = Self::default();
        out.documents([a, b], ground.values, (nodes, both));
        out.facts(a, b, ground.values);
        out.templates(a, b);
        out.lets_and_roots(a, b);
        out.edits(nodes);
        out.tier(a, b, ground.prompts);
        out.flips(a, b, ground);
        out
    }

    /// The change of `what`, if it changed.
    pub(super) fn get(&self, what: What<'_>) -> Option<&Cause> {
        let at = find(&self.places, what)?;
        Some(&self.direct[at].cause)
    }

    fn push(&mut self, what: What<'p>, cause: Cause) {
        self.places.entry(what).or_insert(self.direct.len());
        self.direct.push(Change { what, cause });
    }

    fn documents(
        &mut self,
        [a, b]: [&Side<'p>; 2],
        values: &Values<'p>,
        (nodes, both): (&Nodes, &Both<'p>),
    ) {
        for (root, path) in both.keys() {
            let differs = both.differs((root, path));
            let kind = document([a, b], both, values, ((root, path), differs));
            let folders = || both.folders_differ((root, path), nodes);
            if let Some(kind) = kind.or_else(|| folders().then_some(CauseKind::DocumentChanged)) {
                let found = match kind {
                    CauseKind::DocumentReplaced => rules(both, (root, path)),
                    _ => both.excerpt((root, path)),
                };
                let (item, kind) = both.named((root, path), kind);
                let cause = Cause {
                    root: Some(root.to_owned()),
                    path: Some(path.to_owned()),
                    line: found.line,
                    item,
                    old: found.old,
                    new: found.new,
                    ..Cause::new(kind)
                };
                self.push(What::Document(root, path), cause);
            }
        }
    }

    fn facts(&mut self, a: &Side<'p>, b: &Side<'p>, values: &Values<'p>) {
        let mut seen = BTreeSet::new();
        for ingredient in b.ingredients().iter().chain(a.ingredients()) {
            if let Ingredient::Fact { name, .. } = ingredient
                && seen.insert(name)
                && let Some(cause) = values.changed(name)
            {
                self.push(What::Fact(name), cause);
            }
        }
    }

    /// Template files; what is inline is part of the definition.
    fn templates(&mut self, a: &Side<'p>, b: &Side<'p>) {
        let (before, after) = (templates(a), templates(b));
        for (file, hash) in &after {
            if before.get(file).is_some_and(|old| old != hash) {
                let of_it = |i: &Ingredient| matches!(i, Ingredient::Template { file: f, line: None, .. } if f == file);
                let found = excerpt::first(a, b, of_it);
                let cause = Cause {
                    path: Some((*file).to_owned()),
                    line: found.line,
                    old: found.old,
                    new: found.new,
                    ..Cause::new(CauseKind::TemplateChanged)
                };
                self.push(What::Template(file), cause);
            }
        }
    }

    fn lets_and_roots(&mut self, a: &Side<'p>, b: &Side<'p>) {
        let file = b
            .definition()
            .or(a.definition())
            .map(|d| d.file.to_string());
        for ingredient in b.ingredients() {
            let other = a.ingredients().iter();
            let (what, old, new) = match ingredient {
                Ingredient::Let { name, expression } => {
                    let mut before = other.filter_map(|i| match i {
                        Ingredient::Let {
                            name: n,
                            expression,
                        } if n == name => Some(expression),
                        _ => None,
                    });
                    (What::Let(name), before.next(), expression)
                }
                Ingredient::Root { name, shown } => {
                    let mut before = other.filter_map(|i| match i {
                        Ingredient::Root { name: n, shown } if n == name => Some(shown),
                        _ => None,
                    });
                    (What::Root, before.next(), shown)
                }
                _ => continue,
            };
            if let Some(old) = old.filter(|old| *old != new) {
                let [old, new] = excerpt::both([Some(old), Some(new)]);
                let cause = Cause {
                    path: file.clone(),
                    item: match ingredient {
                        Ingredient::Let { name, .. } | Ingredient::Root { name, .. } => {
                            Some(name.clone())
                        }
                        _ => None,
                    },
                    old,
                    new,
                    ..Cause::new(CauseKind::LayerEdited)
                };
                self.push(what, cause);
            }
        }
    }

    fn edits(&mut self, nodes: &Nodes) {
        for edit in &nodes.edits {
            self.push(What::Edit(edit.a, edit.b), edit.cause.clone());
        }
    }

    fn tier(&mut self, a: &Side<'p>, b: &Side<'p>, prompts: [&'p Prompt; 2]) {
        let definition = |prompt: &'p Prompt, side: &Side<'p>| {
            let name = side.tier()?;
            let mut tiers = prompt.channels.iter().flat_map(|c| &c.tiers);
            tiers.find(|t| t.name == name).map(|t| &t.definition)
        };
        let (Some(before), Some(after)) = (definition(prompts[0], a), definition(prompts[1], b))
        else {
            return;
        };
        for edit in Nodes::of(before, after).edits {
            self.push(What::Tier, edit.cause);
        }
    }

    fn flips(&mut self, a: &Side<'p>, b: &Side<'p>, ground: Ground<'_, 'p>) {
        let (before, after) = (answers(a), answers(b));
        for expression in before.keys().chain(after.keys()) {
            self.asked.extend(Reads::of(expression, [a, b]).names);
        }
        for (expression, new) in &after {
            let Some(old) = before.get(expression) else {
                continue;
            };
            let reads = Reads::of(expression, [a, b]);
            // A condition on each document has many answers, and their order is unknown.
            if old == new && !reads.of_documents {
                continue;
            }
            let mut because = reads.changed(ground, [a, b], self);
            if because.is_empty() {
                continue;
            }
            if let (1, Some(old)) = (old.len(), old.first())
                && let Some(facts) = facts_of(&because).filter(|facts| facts.len() > 1)
                && let Some(own) = deciding(expression, &reads, &facts, *old, ground.values, [a, b])
            {
                let own: BTreeSet<String> = own.into_iter().map(str::to_owned).collect();
                let idle = because.extract_if(.., |cause| {
                    cause.fact.as_ref().is_none_or(|fact| !own.contains(fact))
                });
                self.idle.extend(idle.filter_map(|cause| cause.fact));
            }
            let cause = Cause {
                fact: because.iter().find_map(first_fact),
                old: Some(shown(old)),
                new: Some(shown(new)),
                item: Some((*expression).to_owned()),
                because,
                ..Cause::new(CauseKind::ConditionFlipped)
            };
            self.flips.push(Flip {
                expression,
                of_documents: reads.of_documents,
                cause,
            });
        }
    }
}

fn find<'w>(places: &BTreeMap<What<'w>, usize>, what: What<'w>) -> Option<usize> {
    places.get(&what).copied()
}

/// The facts that changed, if nothing else did.
fn facts_of(causes: &[Cause]) -> Option<Vec<&str>> {
    let fact = |cause: &'_ Cause| (cause.kind == CauseKind::FactChanged).then_some(());
    causes
        .iter()
        .map(|cause| fact(cause).and(cause.fact.as_deref()))
        .collect()
}

fn shown(answers: &BTreeSet<bool>) -> String {
    let words: Vec<&str> = answers
        .iter()
        .map(|a| if *a { "true" } else { "false" })
        .collect();
    words.join(" and ")
}

fn answers<'p>(side: &Side<'p>) -> BTreeMap<&'p str, BTreeSet<bool>> {
    let mut out: BTreeMap<&str, BTreeSet<bool>> = BTreeMap::new();
    for ingredient in side.ingredients() {
        if let Ingredient::Condition {
            expression, value, ..
        } = ingredient
        {
            out.entry(expression).or_default().insert(*value);
        }
    }
    out
}

fn templates<'p>(side: &Side<'p>) -> BTreeMap<&'p str, &'p str> {
    side.ingredients()
        .iter()
        .filter_map(|i| match i {
            Ingredient::Template {
                file,
                line: None,
                sha256,
                ..
            } => Some((file.as_str(), sha256.as_str())),
            _ => None,
        })
        .collect()
}

/// The change of a document that differs; none if another input decided that it is read on one side only.
fn document(
    [a, b]: [&Side<'_>; 2],
    both: &Both<'_>,
    values: &Values<'_>,
    (key, differs): (Key<'_>, bool),
) -> Option<CauseKind> {
    let path = key.1;
    let gone = |side: &Documents<'_>| match side.why_unused(key) {
        None | Some(UnusedReason::Missing) => Some(true),
        // It was read and its bytes are not known, so its ingredient is not listed.
        Some(UnusedReason::Invalid) => Some(false),
        Some(_) => None,
    };
    match [&both.a, &both.b].map(|side| side.hash(key)) {
        [Some(old), Some(new)] => {
            let [before, after] = [&both.a, &both.b].map(|side| side.replaced(key));
            let ids =
                |found: &[&Finding]| found.iter().map(|f| f.id.clone()).collect::<BTreeSet<_>>();
            if ids(&before) != ids(&after)
                || (!differs && old == new && shape(path, &before) != shape(path, &after))
            {
                Some(CauseKind::DocumentReplaced)
            } else {
                differs.then_some(CauseKind::DocumentChanged)
            }
        }
        [Some(_), None] => Some(if gone(&both.b)? {
            CauseKind::DocumentVanished
        } else {
            CauseKind::DocumentChanged
        }),
        [None, Some(_)] => Some(if gone(&both.a)? {
            CauseKind::DocumentAppeared
        } else {
            CauseKind::DocumentChanged
        }),
        [None, None] => None,
    }
    .filter(|kind| {
        // A member of the manifest that only one side has takes its documents with it, and so does a fact in a name.
        let named = |in_b: bool| {
            let nodes = [a, b][usize::from(in_b)].definition().map(|d| &d.nodes);
            nodes.map(|nodes| nodes.iter().any(|n| values.named(n, path, in_b)))
        };
        let dropped = |with: Option<bool>, without: Option<bool>| {
            with == Some(true) && without == Some(false)
        };
        match kind {
            CauseKind::DocumentVanished => {
                !dropped(named(false), named(true)) && !both.a.unimported(&both.b, key)
            }
            CauseKind::DocumentAppeared => {
                !dropped(named(true), named(false)) && !both.b.unimported(&both.a, key)
            }
            _ => true,
        }
    })
}

/// The findings of a scan in a document, before and now: the first line, and the rules.
fn rules(both: &Both<'_>, key: Key<'_>) -> excerpt::FirstDifference {
    let [before, after] = [&both.a, &both.b].map(|side| side.replaced(key));
    let line = |found: &[&Finding]| {
        found
            .iter()
            .filter(|f| f.within.is_none())
            .map(|f| f.line)
            .min()
    };
    let ids = |found: &[&Finding]| {
        let ids: BTreeSet<&str> = found.iter().map(|f| f.id.as_str()).collect();
        (!ids.is_empty()).then(|| ids.into_iter().collect::<Vec<_>>().join(", "))
    };
    let line = if after.is_empty() {
        line(&before)
    } else {
        line(&after)
    };
    let (old, new) = (ids(&before), ids(&after));
    excerpt::FirstDifference {
        line,
        // The same rules, at other places.
        old: old.filter(|old| new.as_ref() != Some(old)),
        new,
    }
}

/// The findings of a scan with their locations. The line of an entry counts in its file, where it may have moved.
fn shape(path: &str, found: &[&Finding]) -> Vec<Finding> {
    let placed = |f: &&Finding| Finding {
        line: if is_entry(path) { 0 } else { f.line },
        ..(*f).clone()
    };
    found.iter().map(placed).collect()
}

/// The changed facts by which a node names `path` on one side and not on `without`, which is B if `in_b`; of one node of it alone
/// if that is given.
pub(super) fn naming_facts(
    sides: [&Side<'_>; 2],
    without: &Side<'_>,
    (in_b, own): (bool, Option<usize>),
    path: &str,
    values: &Values<'_>,
) -> Vec<String> {
    let mut out = Vec::new();
    let nodes = without.definition().map_or(&[][..], |d| &d.nodes);
    let nodes = match own {
        Some(own) => nodes.get(own..=own).unwrap_or_default(),
        None => nodes,
    };
    for node in nodes.iter().filter(|n| mention::reads_files(n)) {
        for name in mention::facts(node) {
            if values.knows(&name) {
                let names = |in_b| values.names(node, &name, path, in_b);
                if values.changed(&name).is_some() && names(!in_b) && !names(in_b) {
                    out.push(name);
                }
                continue;
            }
            // The value of a let is not recorded; it may have named the file if its inputs changed.
            let written = mention::names_of(node);
            let can = |written: &String| mention::means(node, written, path, &|_| None);
            if written.is_empty() || written.iter().any(can) {
                let behind = Reads::of(&name, sides).names;
                out.extend(behind.into_iter().filter(|f| values.changed(f).is_some()));
            }
        }
    }
    out
}

/// The fact that a cause names, or the fact that it results from.
fn first_fact(cause: &Cause) -> Option<String> {
    let own = cause.fact.clone();
    own.or_else(|| cause.because.iter().find_map(first_fact))
}
