//! The findings of `init` in a folder, for people and programs.

use crate::adopt::LayerReport;
use schemars::JsonSchema;
use serde::Serialize;

/// The findings of `init` in a folder.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct LookReport {
    /// The preset that is written, where nothing was found to take.
    pub preset: Option<&'static str>,
    /// The paths that are written.
    pub files: Vec<String>,
    /// The layers, in order.
    pub layers: Vec<LayerReport>,
    /// Files in folders further down, which `promptc agent rules` gives to a session.
    pub directory_rules: Vec<String>,
    /// A file that was seen and not used.
    pub left_out: Vec<LeftOut>,
    /// The number of names that were looked at.
    pub names: usize,
    /// Whether these are all: a folder may hold too many, or be too deep.
    pub whole: bool,
}

/// The files that were seen and not used.
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
