//! Layers in tiers: stretches of the prompt that change equally often. The order of the text stays.

use super::layer::Layer;
use super::names::Names;
use crate::prompt::Changes;

/// A stable group after one that changes becomes a tier of its own if it has so many bytes.
const WORTH_A_TIER: usize = 1_000;
/// The most tiers.
const MOST: usize = 9;

/// A stretch of layers.
#[derive(Debug)]
pub(super) struct Tier {
    /// Its name.
    pub(super) name: String,
    /// How often its text changes, as far as the dumps show.
    pub(super) changes: Changes,
    /// Its layers.
    pub(super) layers: Vec<Layer>,
}

/// Puts layers into tiers.
pub(super) fn tiers(layers: Vec<Layer>) -> Vec<Tier> {
    let mut stretches: Vec<(Changes, Vec<Layer>)> = Vec::new();
    for layer in layers {
        match stretches.last_mut() {
            Some((changes, layers)) if *changes == layer.changes => layers.push(layer),
            _ => stretches.push((layer.changes, vec![layer])),
        }
    }
    let mut worth = WORTH_A_TIER;
    stretches = without_small(stretches, worth);
    while stretches.len() > MOST {
        worth *= 2;
        stretches = without_small(stretches, worth);
    }
    let mut names = Names::default();
    let named = stretches.into_iter().map(|(changes, layers)| {
        let name = match changes {
            Changes::Session => "session",
            Changes::Day => "daily",
            Changes::Turn => "turn",
            Changes::Never | Changes::Deploy => "stable",
        };
        let name = names.take(name, '-');
        Tier {
            name,
            changes,
            layers,
        }
    });
    named.collect()
}

/// Small groups after one that changes more often go with it.
fn without_small(all: Vec<(Changes, Vec<Layer>)>, worth: usize) -> Vec<(Changes, Vec<Layer>)> {
    let mut out: Vec<(Changes, Vec<Layer>)> = Vec::new();
    for (changes, layers) in all {
        let bytes: usize = layers.iter().map(bytes).sum();
        match out.last_mut() {
            Some((before, with)) if *before == changes || *before > changes && bytes < worth => {
                with.extend(layers);
            }
            _ => out.push((changes, layers)),
        }
    }
    out
}

/// The bytes of a layer in the first dump that has it.
fn bytes(layer: &Layer) -> usize {
    layer
        .at
        .iter()
        .flatten()
        .next()
        .map_or(0, std::ops::Range::len)
}
