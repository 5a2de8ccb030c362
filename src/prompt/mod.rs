//! The artifact: the prompt's bytes and the map that says where every byte came from.
//!
//! It is enough by itself to explain, compare and report later, elsewhere; its JSON form has a schema in
//! `schema/prompt.schema.json`. Offsets are bytes, hashes are `sha256:` and lower-case hex.

mod changes;
mod definition;
mod ingredient;
mod dependencies;
mod ingredients;
mod absent;
mod layer;
mod index;
mod fit;
mod notice;
mod inputs;
mod session;
mod overlays;
mod front;
mod write;
#[cfg_attr(
    not(feature = "cli"),
    allow(dead_code, reason = "the command line writes more documents")
)]
pub(crate) mod document;
pub mod drift;
pub mod blame;

pub use absent::{Absent, Reason, Unused, UnusedReason};
pub use changes::{Changes, Deliver};
pub use definition::{Definition, DefinitionNode, Value};
pub use dependencies::LetDependencies;
pub use fit::{Fit, FitLayer, FitPrompt};
pub use index::Index;
pub use ingredient::{Finding, Ingredient};
pub use ingredients::Ingredients;
pub use inputs::{FactOrigin, Hidden, RecordedFact, RecordedInputs};
pub use layer::{Layer, Span, Tier};
pub use notice::Notice;
pub use overlays::{Line, Moved, MovedTo, Overlays};
pub use session::{Session, State};

pub use crate::world::{PrefixHash, sha256};

use crate::text::Json;
use crate::text::tokens::Tokenizer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The version of the shapes of all JSON that promptc writes, the artifact's among them.
pub const SCHEMA: u32 = 2;

/// The language that this release reads.
pub const LANGUAGE: u32 = 1;

/// The name of the markers of budgets that write none, in the map: this, and the unit.
pub const DEFAULT_MARKER: &str = "default-marker:";

/// A compiled prompt with its map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// The shape of this artifact: 2.
    pub schema: u32,
    /// The release that made it.
    pub promptc: String,
    /// The language of the manifest.
    pub language: u32,
    /// The manifest's `name`.
    #[serde(rename = "prompt")]
    pub name: Option<String>,
    /// Hash of the system prompt.
    pub fingerprint: String,
    /// Hash of the manifest's bytes.
    pub manifest_sha256: String,
    /// Tools, system, user; those without text are left out.
    pub channels: Vec<Channel>,
    /// Layers that are not in the prompt.
    pub absent: Vec<Absent>,
    /// Cuts, drops, replacements and other notices.
    pub notices: Vec<Notice>,
    /// The layers that `--without` left out of this variant of the prompt, in the order of the manifest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// The arithmetic of the budgets of tiers and prompt, one entry for each tier that they bound, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<Fit>,
    /// The session that it belongs to, if it is one of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// The layers that overlays moved and removed.
    #[serde(default, skip_serializing_if = "no_overlays")]
    pub overlays: Arc<Overlays>,
    /// All that it was built from, if the artifact carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Arc<RecordedInputs>>,
}

/// Whether overlays moved and removed no layer.
fn no_overlays(overlays: &Arc<Overlays>) -> bool {
    overlays.is_empty()
}

impl Prompt {
    /// The text of a channel; empty if the channel has none.
    #[must_use]
    pub fn text(&self, deliver: Deliver) -> &str {
        self.channel(deliver).map_or("", |c| c.text.as_str())
    }

    /// A channel, if it has text.
    #[must_use]
    pub fn channel(&self, deliver: Deliver) -> Option<&Channel> {
        self.channels.iter().find(|c| c.deliver == deliver)
    }

    /// The problem of the map, if it was changed by hand: spans that do not tile their layer, layers that do
    /// not tile their channel, hashes of other bytes, an index out of range.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.channels.iter().find_map(|channel| {
            let mut at = 0;
            for layer in &channel.layers {
                let name = &layer.name;
                let Some(text) = channel
                    .text
                    .get(at..layer.end)
                    .filter(|_| layer.start == at)
                else {
                    return Some(format!(
                        "the layer `{name}` does not begin where the one before it ends"
                    ));
                };
                if sha256(text) != layer.sha256 {
                    return Some(format!(
                        "the text of the layer `{name}` is not the one that was hashed"
                    ));
                }
                if !layer.spans_tile(&channel.text) {
                    return Some(format!("the spans of the layer `{name}` do not cover it"));
                }
                at = layer.end;
            }
            let fits = |tier: &Tier| tier.start <= tier.end && tier.end <= channel.text.len();
            if !channel.tiers.iter().all(fits) {
                return Some(format!(
                    "a tier of the {} text is outside of it",
                    channel.deliver
                ));
            }
            let ends = channel.layers.is_empty() || at == channel.text.len();
            (!ends).then(|| {
                format!(
                    "the layers do not cover the {}",
                    channel.deliver.text_name()
                )
            })
        })
    }

    /// The facts that a byte or a condition depends on, with the values that they had, if they had one; private ones are not
    /// among them.
    #[must_use]
    pub fn made_from(&self) -> BTreeMap<&str, Option<&Json>> {
        let layers = self.channels.iter().flat_map(|channel| &channel.layers);
        let present = layers.flat_map(|layer| &layer.ingredients);
        let absent = self.absent.iter().flat_map(|absent| &absent.ingredients);
        let facts = present
            .chain(absent)
            .filter_map(|ingredient| match ingredient {
                Ingredient::Fact {
                    name,
                    value,
                    private: false,
                } => Some((name.as_str(), value.as_ref())),
                _ => None,
            });
        facts.collect()
    }

    /// The layer called `name`, with its channel.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<(&Channel, &Layer)> {
        self.channels
            .iter()
            .find_map(|c| Some((c, c.layers.iter().find(|l| l.name == name)?)))
    }
}

/// One text of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Channel {
    /// Its name.
    #[serde(rename = "channel")]
    pub deliver: Deliver,
    /// The bytes.
    pub text: String,
    /// Length in bytes.
    pub bytes: usize,
    /// Length in Unicode scalar values.
    pub chars: usize,
    /// Length in tokens; null if not counted.
    pub tokens: Option<usize>,
    /// The tokenizer that counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// Whether the count is an estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimate: bool,
    /// Its tiers, in order, those without text too.
    pub tiers: Vec<Tier>,
    /// Its layers, in order; from start to end they tile the text.
    pub layers: Vec<Layer>,
}

/// A token count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The number of tokens.
    pub count: usize,
    /// The tokenizer that counted them.
    pub tokenizer: String,
    /// Whether it is an estimate.
    pub estimate: bool,
}

impl Tokens {
    /// So many, as `tokenizer` counts them.
    #[must_use]
    pub fn new(count: usize, tokenizer: Tokenizer) -> Self {
        Self {
            count,
            tokenizer: tokenizer.name.to_owned(),
            estimate: !tokenizer.is_exact(),
        }
    }

    /// A count in JSON, if it is one.
    pub(crate) fn read(
        count: Option<usize>,
        tokenizer: Option<&str>,
        estimate: bool,
    ) -> Option<Self> {
        Some(Self {
            count: count?,
            tokenizer: tokenizer?.to_owned(),
            estimate,
        })
    }
}

impl Channel {
    /// Its length in tokens, if counted.
    #[must_use]
    pub fn counted(&self) -> Option<Tokens> {
        Tokens::read(self.tokens, self.tokenizer.as_deref(), self.estimate)
    }
}

impl Prompt {
    /// Counts the tokens of each channel, and of each layer those whose first byte is in it.
    pub fn count_tokens(&mut self, tokenizer: Tokenizer) {
        for channel in &mut self.channels {
            let ends: Vec<usize> = channel.layers.iter().map(|l| l.end).collect();
            let counts = tokenizer.count_parts(&channel.text, &ends);
            channel.tokens = Some(counts.iter().sum());
            channel.tokenizer = Some(tokenizer.name.to_owned());
            channel.estimate = !tokenizer.is_exact();
            for (layer, count) in channel.layers.iter_mut().zip(counts) {
                layer.tokens = Some(count);
            }
        }
    }

    /// Counts its tokens as OpenAI's models do and calls that an estimate, unless they were counted: which model reads the prompt
    /// is not known here.
    pub fn estimate_tokens(&mut self) {
        if self.channels.iter().all(|channel| channel.tokens.is_none()) {
            self.count_tokens(Tokenizer::O200K);
            self.channels
                .iter_mut()
                .for_each(|channel| channel.estimate = true);
        }
    }

    /// The tokenizer that its tokens were counted with; `None` if they were not, or with one that is not known here.
    #[must_use]
    pub fn tokenizer(&self) -> Option<Tokenizer> {
        let counted = self.channels.iter().find_map(|c| c.tokenizer.as_ref());
        Tokenizer::parse(counted?)
    }
}
