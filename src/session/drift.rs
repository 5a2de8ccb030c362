//! The changes that a rebuild would make to the text that a conversation knows.

use crate::compare::{self, Break, Cause, CauseKind};
use crate::compile::Freezing;
use crate::prompt::drift::{Change, ChangeKind};
use crate::prompt::{Definition, Deliver, Prompt};
use schemars::JsonSchema;
use serde::Serialize;

/// The difference between the frozen part of a prompt and a new build.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// Whether it would have the same bytes.
    pub same: bool,
    /// The layers that differ, in the order of a [`diff`](compare::diff).
    pub layers: Vec<Drifted>,
}

/// A layer that a rebuild would give otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Drifted {
    /// Its name.
    pub layer: String,
    /// Its tier; of a removed layer, its former tier.
    pub tier: String,
    /// The channel, likewise.
    pub channel: Deliver,
    /// Its change.
    pub change: ChangeKind,
    /// Its text now, without the join before it; empty if it was removed.
    pub text: String,
    /// The changed ingredients that own a byte or the decision.
    pub causes: Vec<Cause>,
    /// Other changed ingredients of it.
    pub also: Vec<Cause>,
}

/// Compares the frozen part that a conversation knows with what a rebuild would freeze.
#[must_use]
pub fn drift(known: &Prompt, now: &Freezing) -> Drift {
    let diff = compare::diff(known, &now.frozen.prompt);
    let mut layers: Vec<Drifted> = Vec::new();
    for found in diff.first.iter().chain(&diff.hidden) {
        let Some(name) = &found.layer else {
            continue;
        };
        let causes = |causes: &[Cause]| -> Vec<Cause> {
            causes
                .iter()
                .map(|c| settled(c, name, known, now))
                .collect()
        };
        // One that went from one channel to another is a break of both.
        match layers.iter_mut().find(|layer| layer.layer == *name) {
            Some(layer) => {
                add(&mut layer.causes, causes(found.reasons()));
                add(&mut layer.also, causes(&found.also));
            }
            None => layers.push(Drifted {
                causes: causes(found.reasons()),
                also: causes(&found.also),
                ..drifted(found, name, known, now)
            }),
        }
    }
    find_renamed(&mut layers, known);
    Drift {
        same: diff.same,
        layers,
    }
}

fn drifted(found: &Break, name: &str, known: &Prompt, now: &Freezing) -> Drifted {
    let fresh = &now.frozen.prompt;
    let (was, is) = (own_text(known, name), own_text(fresh, name));
    let change = match (was, is) {
        (None, Some(_)) => ChangeKind::Added,
        (Some(_), None) if !is_live(name, now) => ChangeKind::Removed,
        (Some(was), Some(is)) if was != is => ChangeKind::Changed,
        (Some(_), Some(_)) if !found.reasons().iter().any(is_of_place) => ChangeKind::Joined,
        _ => ChangeKind::Moved,
    };
    let there = now.prompt.layer(name).or_else(|| known.layer(name));
    Drifted {
        layer: name.to_owned(),
        tier: there.map_or_else(String::new, |(_, layer)| layer.tier.clone()),
        channel: there.map_or(found.channel, |(channel, _)| channel.deliver),
        change,
        text: is.unwrap_or_default().to_owned(),
        causes: Vec::new(),
        also: Vec::new(),
    }
}

/// The text of a layer without the join before it, if it has one.
fn own_text<'p>(prompt: &'p Prompt, name: &str) -> Option<&'p str> {
    let (channel, _) = prompt.layer(name)?;
    Some(compare::own_text(prompt, channel.deliver, name))
}

/// Whether a layer is in a tier that is rebuilt for each call, now that it is not among the frozen ones.
fn is_live(name: &str, now: &Freezing) -> bool {
    let absent = |prompt: &Prompt| prompt.absent.iter().any(|absent| absent.layer == name);
    now.prompt.layer(name).is_some() || (absent(&now.prompt) && !absent(&now.frozen.prompt))
}

/// Whether a cause says that the layer itself is new, gone or somewhere else.
fn is_of_place(cause: &Cause) -> bool {
    let kinds = [
        CauseKind::LayerAdded,
        CauseKind::LayerRemoved,
        CauseKind::LayerMoved,
    ];
    // With an item it is about another layer, which this one asks for.
    kinds.contains(&cause.kind) && cause.item.is_none()
}

/// A diff looks at one channel and at frozen tiers only: what comes or goes there, and is in the manifest before and after,
/// has moved.
fn settled(cause: &Cause, name: &str, known: &Prompt, now: &Freezing) -> Cause {
    match definition(&now.prompt, name) {
        Some(there) if is_of_place(cause) && known.layer(name).is_some() => moved(there),
        _ => cause.clone(),
    }
}

/// The definition of a layer in the manifest, present or absent.
fn definition<'p>(prompt: &'p Prompt, name: &str) -> Option<&'p Definition> {
    let absent = || prompt.absent.iter().find(|absent| absent.layer == name);
    match prompt.layer(name) {
        Some((_, layer)) => Some(&layer.definition),
        None => absent().map(|absent| &absent.definition),
    }
}

fn moved(definition: &Definition) -> Cause {
    let first = definition.nodes.first();
    Cause {
        path: first.map(|node| definition.file_of(node).to_string()),
        line: first.map(|node| node.line),
        ..Cause::new(CauseKind::LayerMoved)
    }
}

fn add(causes: &mut Vec<Cause>, more: Vec<Cause>) {
    for cause in more {
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
}

/// A text that goes in one layer and comes in another is no news but the name.
fn find_renamed(layers: &mut [Drifted], known: &Prompt) {
    for gone in 0..layers.len() {
        if layers[gone].change != ChangeKind::Removed {
            continue;
        }
        let was = own_text(known, &layers[gone].layer).unwrap_or_default();
        let same = |layer: &Drifted| layer.change == ChangeKind::Added && layer.text == was;
        if let Some(come) = layers.iter().position(same) {
            layers[gone].change = ChangeKind::Renamed;
            layers[come].change = ChangeKind::Renamed;
        }
    }
}

impl Drift {
    /// The text of a reminder for a conversation: the layers with another text, with their causes in `words`.
    #[must_use]
    pub fn changes(&self, words: impl Fn(&Cause) -> String) -> Vec<Change> {
        let told = self.layers.iter().filter_map(|layer| {
            Some(Change {
                layer: layer.layer.clone(),
                tier: layer.tier.clone(),
                kind: layer.change.is_news().then_some(layer.change)?,
                text: layer.text.clone(),
                causes: layer.causes.iter().map(&words).collect(),
            })
        });
        told.collect()
    }
}
