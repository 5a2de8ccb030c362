//! A notice for the reader of a build.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that the reader of a build should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// `cut`, `dropped`, `replaced` or another kebab-case word.
    pub code: String,
    /// The layer, if it is about one.
    pub layer: Option<String>,
    /// In words.
    pub message: String,
}

impl Notice {
    /// The message, with the layer before it, if it is about one.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.layer {
            Some(layer) => format!("layer `{layer}`: {}", self.message),
            None => self.message.clone(),
        }
    }

    /// Whether someone should look at it: text was lost, or stays although a scan found something, or a path is wrong. Commands
    /// say these on stderr.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.is_loss() || matches!(self.code.as_str(), "scan-finding" | "missing-folder")
    }

    /// Whether text was lost.
    #[must_use]
    pub fn is_loss(&self) -> bool {
        matches!(self.code.as_str(), "cut" | "dropped" | "replaced")
    }
}
