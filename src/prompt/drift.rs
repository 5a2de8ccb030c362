//! Drift: how a layer of a frozen prompt differs from what a build now would give.

/// What became of a layer since a prompt was frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Its text is another one.
    Changed,
    /// It was not there.
    Added,
    /// It is no longer there.
    Removed,
}

impl ChangeKind {
    /// The word in templates.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// A layer that a build now would give otherwise, as the template of a reminder sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The layer.
    pub layer: String,
    /// The tier that it stands in; of a layer that is gone, stood in.
    pub tier: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// Its new text, without the join in front of it; empty if it is gone.
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
