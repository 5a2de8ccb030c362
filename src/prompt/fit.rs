//! How tiers were fitted to their budgets.

use super::Deliver;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a tier was fitted to its own budget and to that of the prompt. Sizes count in `unit`.
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
    /// What the tier sets aside for itself while those in front of it are fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<usize>,
    /// What the prompt's budget leaves it; null if that does not bound it.
    #[serde(rename = "prompt_budget")]
    pub prompt: Option<FitPrompt>,
    /// Its text before layers gave way, the join in front included.
    pub before: usize,
    /// Its text as it stands in the prompt, the join in front included.
    pub after: usize,
    /// Its layers that had text, in order.
    pub layers: Vec<FitLayer>,
}

/// What the prompt's budget leaves a tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitPrompt {
    /// The maximum of the system text.
    pub max: usize,
    /// The system text in front of the tier.
    pub front: usize,
    /// What the tiers behind it set aside together.
    pub reserved: usize,
    /// The system text up to the end of the tier.
    pub total: usize,
}

/// A layer that could give way, and whether it did. Sizes are of its own text, without the join in front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitLayer {
    /// The layer.
    pub layer: String,
    /// The lowest gives way first, of equals the later one.
    pub priority: usize,
    /// Whether it is `required`, so that it may be cut and not dropped.
    pub required: bool,
    /// What it may be cut to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<usize>,
    /// Its size as rendered.
    pub before: usize,
    /// Its size in the prompt; 0 if it was dropped.
    pub after: usize,
}
