//! The lines of a lock.

use crate::prompt::{Changes, Definition, Deliver, Ingredient, Reason, RecordedFact, Span, Unused};
use crate::world::Answers;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The first line of a lock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The version of the format.
    #[serde(rename = "promptc-lock")]
    pub(super) format: u32,
    /// The manifest as [`SnapshotPaths`](super::SnapshotPaths) names it.
    pub(super) manifest: String,
}

/// Any other line.
///
/// Each names its scenario, so that no two lines of a lock are equal: a merge that finds equal lines may put a change
/// at the wrong one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub(super) enum Line {
    Snapshot(Head),
    Tier(TierLine),
    Layer(LayerLine),
    Absent(AbsentLine),
    Inputs(InputsLine),
    Input(InputLine),
}

impl Line {
    pub(super) fn scenario(&self) -> &str {
        match self {
            Self::Snapshot(head) => &head.scenario,
            Self::Tier(tier) => &tier.scenario,
            Self::Layer(layer) => &layer.scenario,
            Self::Absent(absent) => &absent.scenario,
            Self::Inputs(inputs) => &inputs.scenario,
            Self::Input(input) => &input.scenario,
        }
    }

    /// The JSON of the line, without a line end.
    pub(super) fn write(&self) -> String {
        // Strings, numbers and lists always have a JSON form, and JSON escapes line ends.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Opens a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) scenario: String,
    pub(super) language: u32,
    /// The manifest's `name`.
    #[serde(rename = "prompt")]
    pub(super) name: Option<String>,
    /// Whether the texts are accepted.
    pub(super) texts: bool,
    /// The notices that are about no layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notices: Vec<Note>,
}

/// A tier of a channel that has text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TierLine {
    pub(super) scenario: String,
    pub(super) tier: String,
    #[serde(rename = "channel")]
    pub(super) deliver: Deliver,
    pub(super) changes: Changes,
    /// The separator before its first layer if there is text before it.
    pub(super) lead: String,
    /// The separator between its layers.
    pub(super) join: String,
    pub(super) definition: Definition,
}

/// A layer that is in the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LayerLine {
    pub(super) scenario: String,
    pub(super) tier: String,
    pub(super) layer: String,
    pub(super) changes: Changes,
    /// The size of its own text, without the join before it; so are the next three.
    pub(super) bytes: usize,
    pub(super) chars: usize,
    pub(super) sha256: String,
    pub(super) spans: Vec<Span>,
    pub(super) ingredients: Vec<Ingredient>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unused: Vec<Unused>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notices: Vec<Note>,
    pub(super) definition: Definition,
}

/// A layer that is not in the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AbsentLine {
    pub(super) scenario: String,
    pub(super) tier: String,
    pub(super) layer: String,
    pub(super) reason: Reason,
    pub(super) detail: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) ingredients: Vec<Ingredient>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unused: Vec<Unused>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notices: Vec<Note>,
    pub(super) definition: Definition,
}

/// The inputs of the build, without what was read: the fields of [`RecordedInputs`](crate::prompt::RecordedInputs).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputsLine {
    pub(super) scenario: String,
    pub(super) promptc: String,
    pub(super) language: u32,
    pub(super) manifests: Vec<String>,
    pub(super) facts: BTreeMap<String, RecordedFact>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) roots: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tokenizer: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) without: Vec<String>,
}

/// A path that the build asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputLine {
    pub(super) scenario: String,
    pub(super) path: String,
    pub(super) answers: Answers,
    /// The name of its content's object in git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) blob: Option<String>,
}

/// A notice of the layer or tier of its line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    pub(super) code: String,
    pub(super) message: String,
}
