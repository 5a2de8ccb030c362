//! What the manifest says about a layer or tier.

use super::sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A stretch of the manifest as it was read: enough to say what was edited, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The manifest.
    pub file: Arc<str>,
    /// Its nodes, from the top; comments, layout and waivers are left out.
    pub nodes: Arc<[DefinitionNode]>,
}

impl Definition {
    /// The file that one of its nodes stands in.
    #[must_use]
    pub fn file_of<'a>(&'a self, node: &'a DefinitionNode) -> &'a Arc<str> {
        node.file.as_ref().unwrap_or(&self.file)
    }
}

/// One node of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefinitionNode {
    /// The file that it stands in, if that is another than the definition's: a base, an overlay or an included file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// The line of its name, from 1.
    pub line: usize,
    /// How deep it stands; the layer or tier itself is 0.
    pub depth: u32,
    /// Its name, arguments and properties; of a long string the beginning and a hash.
    pub text: String,
}

impl DefinitionNode {
    /// How many characters of a string its text shows; of a longer one a hash stands for the rest.
    const SHOWN: usize = 60;

    /// A string as it stands in the text of a node.
    #[must_use]
    pub fn written(string: &str) -> String {
        match string.char_indices().nth(Self::SHOWN) {
            None => serde_json::Value::from(string).to_string(),
            Some((cut, _)) => {
                let hash = sha256(string);
                let digest = hash.trim_start_matches("sha256:");
                let shown = serde_json::Value::from(&string[..cut]);
                format!("{shown}… [{}]", &digest[..12])
            }
        }
    }

    /// Whether the property `name` says `string`.
    #[must_use]
    pub fn says(&self, name: &str, string: &str) -> bool {
        let property = format!(" {name}={}", Self::written(string));
        let mut found = self.text.match_indices(&property);
        found.any(|(at, _)| {
            matches!(
                self.text.as_bytes().get(at + property.len()),
                None | Some(b' ')
            )
        })
    }
}
