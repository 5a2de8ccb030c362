//! The layers of a prompt by their names, for many lookups.

use super::{Absent, Channel, Layer, Prompt, Tier};
use std::collections::BTreeMap;

/// The parts of a prompt by name; of several with one name the first.
#[derive(Debug)]
pub struct Index<'p> {
    layers: BTreeMap<&'p str, (&'p Channel, &'p Layer)>,
    absent: BTreeMap<&'p str, &'p Absent>,
    tiers: BTreeMap<&'p str, (&'p Channel, &'p Tier)>,
}

impl<'p> Index<'p> {
    /// The index of `prompt`.
    #[must_use]
    pub fn of(prompt: &'p Prompt) -> Self {
        // Of several with one name a map keeps the last inserted one.
        let channels = || prompt.channels.iter().rev();
        let layers = channels().flat_map(|c| c.layers.iter().rev().map(move |l| (c, l)));
        let tiers = channels().flat_map(|c| c.tiers.iter().rev().map(move |t| (c, t)));
        let absent = prompt.absent.iter().rev();
        Self {
            layers: layers.map(|(c, l)| (l.name.as_str(), (c, l))).collect(),
            absent: absent.map(|a| (a.layer.as_str(), a)).collect(),
            tiers: tiers.map(|(c, t)| (t.name.as_str(), (c, t))).collect(),
        }
    }

    /// The layer called `name`, with its channel.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<(&'p Channel, &'p Layer)> {
        self.layers.get(name).copied()
    }

    /// The layer called `name`, if it is absent.
    #[must_use]
    pub fn absent(&self, name: &str) -> Option<&'p Absent> {
        self.absent.get(name).copied()
    }

    /// The tier called `name`, with its channel.
    #[must_use]
    pub fn tier(&self, name: &str) -> Option<(&'p Channel, &'p Tier)> {
        self.tiers.get(name).copied()
    }
}
