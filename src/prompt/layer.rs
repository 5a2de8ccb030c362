//! Tiers and layers of a channel, and who owns their bytes.

use super::{Changes, Definition, Ingredients, Unused};
use crate::text::SpanKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The position of a tier in its channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// Its name.
    #[serde(rename = "tier")]
    pub name: String,
    /// The declared volatility; else that of its layers and the tiers before it.
    pub changes: Changes,
    /// First byte, including the join before it.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Hash of the channel's text from its beginning to `end`.
    pub fingerprint: String,
    /// The definition of the tier in the manifest, without its layers.
    #[serde(default)]
    pub definition: Definition,
}

/// The position of a layer and its inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Its name.
    #[serde(rename = "layer")]
    pub name: String,
    /// Its tier.
    pub tier: String,
    /// First byte in the channel, including the join before it.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Unicode scalar values from start to end.
    pub chars: usize,
    /// Tokens whose first byte is in the layer, if counted.
    pub tokens: Option<usize>,
    /// The highest volatility among what it is made from.
    pub changes: Changes,
    /// Hash of the bytes from start to end.
    pub sha256: String,
    /// Its inputs, in the order of first use.
    pub ingredients: Ingredients,
    /// The owners of its bytes; the spans tile start..end.
    pub spans: Vec<Span>,
    /// Documents that were looked for and did not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<Unused>,
    /// The definition of the layer in the manifest.
    #[serde(default)]
    pub definition: Definition,
}

impl Layer {
    /// Whether the spans cover the layer without gap or overlap and lead to ingredients.
    pub(super) fn spans_tile(&self, text: &str) -> bool {
        let mut at = self.start;
        for span in &self.spans {
            // No text is near this long; sums with it stay sums.
            let small = |n: Option<usize>| n.is_none_or(|n| n < 1 << 31);
            let known = span
                .ingredient
                .is_none_or(|i| (i as usize) < self.ingredients.len());
            if !known
                || !small(span.offset)
                || !small(span.line)
                || span.start != at
                || span.end < at
                || text.get(at..span.end).is_none()
            {
                return false;
            }
            at = span.end;
        }
        at == self.end
    }
}

/// A run of bytes with its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// First byte, in the channel.
    pub start: usize,
    /// One past the last byte, in the channel.
    pub end: usize,
    /// Its kind.
    pub kind: SpanKind,
    /// Index into the layer's ingredients; null for joins.
    pub ingredient: Option<u32>,
    /// Bytes into the ingredient's text (after newline and BOM steps); null for joins and derived text.
    pub offset: Option<usize>,
    /// The line of `offset`, from 1: in the document, in the template's file, in the manifest. Null where no line is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Of text that a fact or a template printed: the document that it surrounds, or whose cut it marks, by its
    /// index among the ingredients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
}
