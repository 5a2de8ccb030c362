//! The expected causes of a diff.

use super::row::Owner;
use super::world::Doc;
use serde_json::Value;

/// One cause that would be right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Want {
    /// The document has other bytes.
    Changed(Doc),
    Appeared(Doc),
    Vanished(Doc),
    Fact(String),
    Flipped(Option<String>),
    File(String),
    /// The manifest was edited in one of these lines.
    Edited(Vec<(usize, usize)>),
    Cut,
    LayerAdded,
    LayerRemoved,
    LayerMoved,
}

/// Causes of which one must be named.
pub(crate) type Slot = Vec<Want>;

/// The expected causes of one layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// One cause of each of these.
    pub(crate) must: Vec<Slot>,
    /// Besides, these may be named.
    pub(crate) may: Vec<Want>,
    /// These are allowed too, even if no byte depends on them: whether they moved is invisible.
    pub(crate) moved: Vec<Want>,
    /// One cause of each of these must be named, as a cause or further down.
    pub(crate) also: Vec<Slot>,
    /// The cause of a change around documents at the break: it may be named, together with a cut that is there too.
    pub(crate) around: Slot,
    /// Whether nothing is said about other causes.
    pub(crate) open: bool,
    /// The first place in A that differs.
    pub(crate) first: Option<usize>,
    /// For each changed document the lines that may be named, if they are certain.
    pub(crate) lines: Vec<(Doc, Vec<usize>)>,
}

impl Want {
    /// Whether a cause is this one.
    pub(crate) fn is(&self, cause: &Value) -> bool {
        let kind = cause["kind"].as_str().unwrap_or_default();
        let path = cause["path"].as_str();
        let doc = |d: &Doc| cause["root"].as_str() == Some(&d.root) && path == Some(&d.path);
        match self {
            Want::Changed(d) => matches!(kind, "document-changed" | "whitespace-only") && doc(d),
            Want::Appeared(d) => kind == "document-appeared" && doc(d),
            Want::Vanished(d) => kind == "document-vanished" && doc(d),
            Want::Fact(f) => kind == "fact-changed" && cause["fact"].as_str() == Some(f),
            Want::Flipped(f) => {
                let named = cause["fact"].as_str();
                kind == "condition-flipped" && f.as_ref().is_none_or(|f| named == Some(f))
            }
            Want::File(t) => {
                matches!(kind, "template-changed" | "whitespace-only")
                    && path.is_some_and(|p| p.ends_with(t.as_str()))
            }
            Want::Edited(ranges) => {
                let line = cause["line"].as_u64().and_then(|l| usize::try_from(l).ok());
                let inside = |l: usize| ranges.iter().any(|r| (r.0..=r.1).contains(&l));
                let manifest = path.is_some_and(|p| p.ends_with("promptc.kdl"));
                matches!(kind, "layer-edited" | "whitespace-only")
                    && manifest
                    && line.is_none_or(inside)
            }
            Want::Cut => kind == "cut-moved",
            Want::LayerAdded => kind == "layer-added",
            Want::LayerRemoved => kind == "layer-removed",
            Want::LayerMoved => kind == "layer-moved",
        }
    }
}

/// The document of an owner.
pub(crate) fn document(owner: &Owner) -> Option<&Doc> {
    match owner {
        Owner::Doc(d) | Owner::Wrap(d) => Some(d),
        _ => None,
    }
}
