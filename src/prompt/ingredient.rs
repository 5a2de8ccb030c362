//! The inputs of layers.

use crate::text::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that a layer was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ingredient {
    /// A file that was read.
    Document {
        /// The root's name.
        root: String,
        /// Of a file of the root `manifest`: the number of the base next to which it is, 1 for the base of the manifest, 2
        /// for the base of that one. Left out next to the manifest itself.
        #[serde(default, skip_serializing_if = "is_zero")]
        base: usize,
        /// Its path inside the root.
        path: String,
        /// Hash of the file's bytes as they were read.
        sha256: String,
        /// Length of the file in bytes.
        bytes: usize,
        /// Length of its text in Unicode scalar values, after decoding and the newline and BOM steps.
        chars: usize,
        /// Unicode scalar values of the text that are in the text for the layer.
        kept: usize,
        /// Unicode scalar values that budgets took away.
        dropped: usize,
        /// The path of the document that imports it, inside the same root; null where a source read it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        imported_by: Option<String>,
        /// Of an entry: which it is among those of its source, the name of a skill or the number of an entry in its file,
        /// from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<String>,
        /// The findings of a scan in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        findings: Vec<Finding>,
    },
    /// A fact that decided a byte or a condition.
    Fact {
        /// Its name.
        #[serde(rename = "fact")]
        name: String,
        /// Its value; null if private or missing.
        value: Option<Json>,
        /// Whether the value is withheld.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
    },
    /// A let that was read; its facts are ingredients of their own.
    Let {
        /// Its name.
        #[serde(rename = "let")]
        name: String,
        /// Its expression, as written.
        expression: String,
    },
    /// A template that was run.
    Template {
        /// Its file, or the manifest's if it is inline.
        #[serde(rename = "path")]
        file: String,
        /// The line at which an inline template's text begins, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// Hash of its source.
        sha256: String,
    },
    /// Text written in the manifest.
    Literal {
        /// The manifest.
        #[serde(rename = "path")]
        file: String,
        /// The line at which the text begins, from 1.
        line: usize,
        /// Hash of the text.
        sha256: String,
    },
    /// A root whose paths are written in another way in prompts.
    Root {
        /// Its name.
        #[serde(rename = "root")]
        name: String,
        /// `as=`, as written in the manifest.
        shown: String,
    },
    /// A condition that was asked.
    Condition {
        /// As written.
        expression: String,
        /// Its answer.
        value: bool,
        /// The ingredients that it asked for: facts, lets, `exists()` and `loaded()`, by their index in this list.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        inputs: Vec<u32>,
        /// The node of the layer's definition that it belongs to, from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<u32>,
    },
    /// `exists()` was asked.
    Exists {
        /// The root's name.
        root: String,
        /// The file inside it.
        path: String,
        /// Whether it exists.
        value: bool,
    },
    /// `loaded()` was asked.
    Loaded {
        /// The layer.
        layer: String,
        /// Whether it counts as loaded.
        value: bool,
    },
    /// A budget that was applied.
    Budget {
        /// `chars`, `bytes` or `lines`.
        unit: String,
        /// The maximum.
        max: usize,
        /// The size before.
        before: usize,
        /// The size after.
        after: usize,
        /// The text that it bounds: the layer, or the document or group by its label.
        of: String,
        /// Whether it bounds the documents together (`total`) or each alone (`each`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spread: Option<String>,
        /// The size of the kept start, of a cut text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        head: Option<usize>,
        /// The size of the marker; of a dropped text, the size that it alone would have needed. It counts
        /// only where head, marker and tail together are `after`: a marker outside is next to them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        marker: Option<usize>,
        /// The size of the kept end, of a cut text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tail: Option<usize>,
        /// The rest of the `total` before this document.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<usize>,
        /// The `floor`, if the document was dropped because less was left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        floor: Option<usize>,
        /// Where whole entries stay or go: how many stayed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entries: Option<usize>,
        /// Where whole entries stay or go: how many went.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dropped: Option<usize>,
        /// If the layer gave way to a budget of its `tier` or of the `prompt`: which. It was then cut to its `min`, or
        /// went as a whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

/// Something that a scan found in a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The rule's id; of an invisible character a name with its number.
    pub id: String,
    /// The rule: its id, or `invisible-unicode`.
    pub rule: String,
    /// The line in the file (after newline and BOM steps), from 1; in a name or a value of the metadata that is
    /// nowhere in the file literally, the line in it.
    pub line: usize,
    /// The column in it, from 1, in Unicode scalar values.
    pub column: usize,
    /// The location, if not in the text: `name`, `label`, `about`, `meta KEY`, or `meta` if it is in a key
    /// itself.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

impl Finding {
    /// The location in words: `line 3, column 1`, or `in its name`.
    #[must_use]
    pub fn place(&self) -> String {
        let Some(within) = &self.within else {
            return format!("line {}, column {}", self.line, self.column);
        };
        match within.strip_prefix("meta ") {
            Some(key) => format!("in its front matter, at `{key}`"),
            None if within == "meta" => "in a key of its front matter".to_owned(),
            None => format!("in its {within}"),
        }
    }
}

/// Whether a number is left out of a map.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Ingredient {
    /// The findings of a scan in it.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Document { findings, .. } => findings,
            _ => &[],
        }
    }

    /// The findings, of an ingredient that can have some.
    pub fn findings_mut(&mut self) -> Option<&mut Vec<Finding>> {
        match self {
            Self::Document { findings, .. } => Some(findings),
            _ => None,
        }
    }
}
