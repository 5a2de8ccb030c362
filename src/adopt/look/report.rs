//! What was found in a folder, for people and programs.

use crate::adopt::LayerReport;
use schemars::JsonSchema;
use serde::Serialize;

/// What was found in a folder.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct LookReport {
    /// The preset that is written, where nothing was found to take.
    pub preset: Option<&'static str>,
    /// The paths that are written.
    pub files: Vec<String>,
    /// The layers, in order.
    pub layers: Vec<LayerReport>,
    /// Files of folders further down, of which `promptc hint` tells a session.
    pub hints: Vec<String>,
    /// What was seen and not taken.
    pub left_out: Vec<LeftOut>,
    /// How many names were looked at.
    pub names: usize,
    /// Whether that were all: a folder may hold too many, or be too deep.
    pub whole: bool,
}

/// What was seen and not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Its path in the folder.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl LeftOut {
    pub(super) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            reason: reason.into(),
        }
    }
}
