//! The layers that are not in the prompt, and why.

use super::{Definition, Ingredients};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A layer that is not in the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// The layer.
    pub layer: String,
    /// Its tier.
    pub tier: String,
    /// Why.
    pub reason: Reason,
    /// The reason in words.
    pub detail: String,
    /// The inputs that decided it.
    #[serde(default, skip_serializing_if = "Ingredients::is_empty")]
    pub ingredients: Ingredients,
    /// Documents that were looked for and did not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<Unused>,
    /// The definition in the manifest.
    #[serde(default)]
    pub definition: Definition,
}

/// Why a layer is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Its `when` is false, or all that it looks for is ruled out by conditions or missing facts.
    Condition,
    /// Documents were looked for and none was found.
    Missing,
    /// Something was found and nothing of it counts as text, or the template printed nothing.
    Empty,
    /// Everything was dropped by a scan.
    Replaced,
    /// A budget left nothing of it.
    Dropped,
    /// The caller left it out.
    LeftOut,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A document that was looked for and did not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unused {
    /// The root's name.
    pub root: String,
    /// Its path inside the root; the pattern of a glob that found nothing.
    pub path: String,
    /// The name or number of the entry among those of its source, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// Why.
    pub reason: UnusedReason,
}

/// Why a document did not count.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum UnusedReason {
    /// Not there.
    Missing,
    /// Only white space.
    Blank,
    /// A `when` or `where` is false.
    Condition,
    /// An earlier one yielded text.
    NotFirst,
    /// A scan dropped it.
    Replaced,
    /// A budget left nothing of it.
    Budget,
    /// Its `hide` template gave a reason.
    Hidden,
    /// An entry whose text is that of an earlier one of its file.
    Duplicate,
    /// Not UTF-8, and `invalid=missing`.
    Invalid,
    /// Imported by itself, directly or through others.
    Cycle,
    /// Imported more steps away than imports go.
    Depth,
}

impl fmt::Display for UnusedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
