//! Drift: how a layer of a frozen prompt differs from what a build now would give.

use schemars::JsonSchema;
use serde::Serialize;

/// The change of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Happened")]
pub enum ChangeKind {
    /// Its text is another one.
    Changed,
    /// It is new.
    Added,
    /// It is no longer there.
    Removed,
    /// Its text is the same, at another place; or its tier is now rebuilt for each call.
    Moved,
    /// Its text is the same, after another join.
    Joined,
    /// Its text is the same, in a layer of another name.
    Renamed,
}

impl ChangeKind {
    /// Whether a conversation gets a reminder of it: an unchanged text is no news.
    #[must_use]
    pub fn is_news(self) -> bool {
        matches!(self, Self::Changed | Self::Added | Self::Removed)
    }

    /// The word in templates.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Moved => "moved",
            Self::Joined => "joined",
            Self::Renamed => "renamed",
        }
    }
}

/// A layer that a build now would give otherwise, as the template of a reminder sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The layer.
    pub layer: String,
    /// Its tier; of a removed layer, its former tier.
    pub tier: String,
    /// The outcome.
    pub kind: ChangeKind,
    /// Its new text, without the join before it; empty if it was removed.
    pub text: String,
    /// Why, in words.
    pub causes: Vec<String>,
}

impl Change {
    /// The attributes that templates may use.
    pub const ATTRIBUTES: &'static [&'static str] = &["layer", "tier", "change", "text", "causes"];

    /// The list of changes that the template of a reminder sees.
    pub const LIST: &'static str = "changes";
}
