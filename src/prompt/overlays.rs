//! The changes of overlays to the layers of their base.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The layers that overlays moved and removed, and where they say so. A prompt that was built knows it; its JSON form does not
/// keep it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlays {
    /// The layers that were moved, each by its name: where to, and by which line.
    pub moved: BTreeMap<String, (MovedTo, Line)>,
    /// The layers that were removed, each by its name.
    pub removed: BTreeMap<String, Line>,
}

/// A line of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The file, as the map names it.
    pub path: Arc<str>,
    /// From 1.
    pub line: usize,
    /// Its text: `remove layer=NAME`.
    pub says: String,
}

/// Where a layer was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
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
