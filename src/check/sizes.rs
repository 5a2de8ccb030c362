//! The size of each layer, if it is known: from prompts that were built or from snapshots.

use super::Build;
use crate::compile::TierPlan;
use crate::prompt::{Channel, Prompt};
use crate::request::cost::{self, CostQuery};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Where sizes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Measured {
    /// From prompts that were built for the check.
    Built,
    /// From the snapshots next to the manifest.
    RestoredSnapshot,
}

/// The text of a layer, including the join before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// In bytes.
    pub bytes: usize,
    /// In tokens; a quarter of the bytes if they were not counted.
    pub tokens: usize,
    /// Whether the tokens are an estimate.
    pub estimate: bool,
}

impl Size {
    /// The size of bytes whose tokens were not counted.
    #[must_use]
    pub fn of_bytes(bytes: usize) -> Self {
        Self {
            bytes,
            tokens: bytes.div_ceil(4),
            estimate: true,
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            tokens: self.tokens + other.tokens,
            estimate: self.estimate || other.estimate,
        }
    }
}

/// The sizes of the layers in one prompt or more. A layer that a prompt does not have is not in its map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// Where they come from.
    pub measured: Measured,
    /// For each prompt, by layer.
    pub prompts: Vec<BTreeMap<String, Size>>,
}

impl Sizes {
    /// The sizes in builds, counted as for the model, if one is named; none without builds.
    #[must_use]
    pub fn of(builds: &[Build], asked: Option<&CostQuery>) -> Option<Self> {
        (!builds.is_empty()).then(|| Self {
            measured: Measured::Built,
            prompts: builds.iter().map(|b| layers(&b.prompt, asked)).collect(),
        })
    }

    /// The text of a tier in each prompt.
    pub fn tier<'a>(&'a self, tier: &'a TierPlan<'_>) -> impl Iterator<Item = Size> + 'a {
        self.prompts.iter().map(|prompt| {
            let layers = tier.layers.iter();
            let sizes = layers.filter_map(|l| prompt.get(&l.written.name.value));
            sizes.fold(Size::default(), |sum, size| sum.and(*size))
        })
    }

    /// The bytes of a layer in all prompts together.
    #[must_use]
    pub fn layer(&self, name: &str) -> usize {
        let sizes = self.prompts.iter().filter_map(|p| p.get(name));
        sizes.map(|size| size.bytes).sum()
    }
}

/// A share in whole percent, rounded down: 100 % is all.
pub(super) fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "100 %".to_owned(),
        whole => format!("{} %", part * 100 / whole),
    }
}

fn layers(prompt: &Prompt, asked: Option<&CostQuery>) -> BTreeMap<String, Size> {
    let mut out = BTreeMap::new();
    for channel in &prompt.channels {
        let estimate = channel.tokens.is_none() || channel.estimate;
        let counted = asked.map(|asked| counted(channel, prompt, asked));
        for (at, layer) in channel.layers.iter().enumerate() {
            let bytes = layer.end.saturating_sub(layer.start);
            let size = match (&counted, layer.tokens) {
                (Some((counts, estimate)), _) => Size {
                    bytes,
                    tokens: counts.get(at).copied().unwrap_or(0),
                    estimate: *estimate,
                },
                (None, Some(tokens)) => Size {
                    bytes,
                    tokens,
                    estimate,
                },
                (None, None) => Size::of_bytes(bytes),
            };
            out.insert(layer.name.clone(), size);
        }
    }
    out
}

/// The tokens of each layer, and whether they are an estimate.
fn counted(channel: &Channel, prompt: &Prompt, asked: &CostQuery) -> (Vec<usize>, bool) {
    let tokenizer = cost::tokenizer(asked.tokenizer, prompt.tokenizer(), Some(&asked.found));
    // Layers tile their channel.
    let ends: Vec<usize> = channel.layers.iter().map(|l| l.end).collect();
    let counts = tokenizer.count_parts(&channel.text, &ends);
    (counts, !asked.is_exact(tokenizer))
}
