//! The changes of overlays to the layers of their base.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The layers that overlays moved and removed, and where they say so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Overlays {
    /// The layers that were moved, each by its name.
    pub moved: BTreeMap<String, Moved>,
    /// The layers that were removed, each by its name.
    pub removed: BTreeMap<String, Line>,
}

impl Overlays {
    /// Whether no layer was moved or removed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.removed.is_empty()
    }
}

/// A layer's move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The new place.
    pub to: MovedTo,
    /// The line that moves it.
    pub by: Line,
}

/// A line of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The file, as the map names it.
    pub path: Arc<str>,
    /// From 1.
    pub line: usize,
    /// Its text: `remove layer=NAME`.
    pub says: String,
}

/// Where a layer was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MovedTo {
    /// Directly after this layer.
    After(String),
    /// Directly before this layer.
    Before(String),
    /// To the end of this tier.
    Tier(String),
}

impl fmt::Display for MovedTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(layer) => write!(f, "after={layer}"),
            Self::Before(layer) => write!(f, "before={layer}"),
            Self::Tier(tier) => write!(f, "tier={tier}"),
        }
    }
}
