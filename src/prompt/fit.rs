//! The fitting of tiers to their budgets.

use super::Deliver;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fitting of a tier to its own budget and to that of the prompt. Sizes count in `unit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// The tier.
    pub tier: String,
    /// Its channel.
    #[serde(rename = "channel")]
    pub deliver: Deliver,
    /// `chars`, `bytes` or `lines`.
    pub unit: String,
    /// The maximum of the tier; null if only the prompt's budget bounds it.
    pub max: Option<usize>,
    /// The size that is reserved for the tier while earlier tiers are fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<usize>,
    /// The size that the prompt's budget leaves for it; null if that does not bound it.
    #[serde(rename = "prompt_budget")]
    pub prompt: Option<FitPrompt>,
    /// Its text before layers shrank, including the join before it.
    pub before: usize,
    /// The size of its text in the prompt, including the join before it.
    pub after: usize,
    /// Its layers that had text, in order.
    pub layers: Vec<FitLayer>,
}

/// The size that the prompt's budget leaves for a tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitPrompt {
    /// The maximum of the system prompt.
    pub max: usize,
    /// The system prompt before the tier.
    pub front: usize,
    /// The total reserve of the later tiers.
    pub reserved: usize,
    /// The system prompt up to the end of the tier.
    pub total: usize,
}

/// A layer that could shrink, and whether it did. Sizes are of its own text, without the join before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitLayer {
    /// The layer.
    pub layer: String,
    /// The lowest shrinks first; of equal ones the later one.
    pub priority: usize,
    /// Whether it is `required`, so that it may be cut and not dropped.
    pub required: bool,
    /// The size that it may be cut to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<usize>,
    /// Its size as rendered.
    pub before: usize,
    /// Its size in the prompt; 0 if it was dropped.
    pub after: usize,
}
