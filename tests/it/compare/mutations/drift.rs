//! The report about drift, compared with the texts of a world.

use super::mutation::{Effect, Mutation};
use super::print::print;
use super::world::World;
use promptc::compile::{Freezing, Frozen};
use promptc::prompt::drift::{Change, ChangeKind};
use promptc::prompt::{Deliver, Prompt};
use promptc::session::drift;
use std::collections::{BTreeMap, BTreeSet};

/// The errors in the changes between two worlds; empty if all is right.
pub(super) fn verify(
    (before, a): (&World, &Prompt),
    (after, b): (&World, &Prompt),
    mutations: &[Mutation],
) -> Vec<String> {
    let same = Deliver::ALL.iter().all(|d| a.text(*d) == b.text(*d));
    let found = drift(a, &frozen(b));
    let told = found.changes(|cause| cause.kind.name().to_owned());
    let mut wrong = Vec::new();
    if found.same != same || (same && !found.layers.is_empty()) {
        wrong.push(format!(
            "drift is told of the same bytes, or none of others: {found:?}"
        ));
    }
    let expected = if same {
        Told::default()
    } else {
        expected(before, after)
    };
    let got = Told::of(&told);
    if got != expected {
        wrong.push(format!("told: {got:?}, expected {expected:?}"));
    }
    if told.iter().any(|change| change.causes.is_empty()) {
        wrong.push("a change is told without a cause".to_owned());
    }
    wrong.extend(out_of_order(&told, after, mutations));
    wrong
}

/// A prompt of which all is kept.
fn frozen(prompt: &Prompt) -> Freezing {
    Freezing {
        prompt: prompt.clone(),
        frozen: Frozen {
            prompt: prompt.clone(),
            loaded: BTreeSet::new(),
        },
        remembered: BTreeMap::new(),
        private: Vec::new(),
        watched: BTreeMap::new(),
    }
}

/// The reported items, in any order. Of several layers with one text it does not matter which has a new name.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    changed: Vec<(String, String)>,
    added: Vec<String>,
    removed: usize,
}

impl Told {
    fn of(changes: &[Change]) -> Self {
        let mut out = Self::default();
        for change in changes {
            match change.kind {
                ChangeKind::Changed => out
                    .changed
                    .push((change.layer.clone(), change.text.clone())),
                ChangeKind::Added => out.added.push(change.text.clone()),
                ChangeKind::Removed => out.removed += 1,
                other => panic!("{other:?} is no news"),
            }
        }
        out.sorted()
    }

    fn sorted(mut self) -> Self {
        self.changed.sort();
        self.added.sort();
        self
    }
}

/// The layers with another text. A text that moved from one layer to another is not reported.
fn expected(before: &World, after: &World) -> Told {
    let texts = |world: &World| -> BTreeMap<String, String> {
        let printed = print(world).into_iter();
        printed
            .filter_map(|l| Some((l.name.clone(), l.text()?)))
            .collect()
    };
    let (old, new) = (texts(before), texts(after));
    let mut gone: Vec<&String> = old
        .iter()
        .filter(|(n, _)| !new.contains_key(*n))
        .map(|(_, t)| t)
        .collect();
    let mut out = Told::default();
    for (name, text) in &new {
        match old.get(name) {
            Some(was) if was == text => {}
            Some(_) => out.changed.push((name.clone(), text.clone())),
            None => match gone.iter().position(|was| *was == text) {
                Some(at) => _ = gone.remove(at),
                None => out.added.push(text.clone()),
            },
        }
    }
    out.removed = gone.len();
    out.sorted()
}

/// New text is reported in the order of the prompt, apart from a layer that moved.
fn out_of_order(told: &[Change], after: &World, mutations: &[Mutation]) -> Option<String> {
    let moved = |name: &String| {
        mutations
            .iter()
            .any(|m| m.effect == Effect::Moved(name.clone()))
    };
    let order: Vec<String> = print(after).into_iter().map(|l| l.name).collect();
    let here = told
        .iter()
        .filter(|c| c.kind != ChangeKind::Removed && !moved(&c.layer));
    let places: Vec<Option<usize>> = here
        .map(|c| order.iter().position(|n| *n == c.layer))
        .collect();
    (!places.is_sorted()).then(|| format!("told in another order than the prompt's: {told:?}"))
}
