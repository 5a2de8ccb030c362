//! A mutator's description of its change, before anything is built.

use super::print::Owner;
use super::world::World;
use promptc::compare::{Cause, CauseKind};
use std::fmt;

/// One change of a world.
pub(super) struct Mutation {
    /// The line in the list of mutators.
    pub(super) kind: &'static str,
    /// For those who look at a failure.
    pub(super) says: String,
    /// The target; two mutations of one target are not combined.
    pub(super) touches: Vec<String>,
    pub(super) changes: Vec<Change>,
    pub(super) effect: Effect,
    pub(super) apply: Box<dyn Fn(&mut World)>,
}

/// The effect of a mutation on layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Whatever follows from its changes; nothing is moved, only bytes inside one ingredient.
    Edit,
    /// Whatever follows from its changes.
    Structure,
    /// As `Structure`, and what follows begins like it on purpose.
    Slide,
    /// None, on no text at all.
    Nothing,
    /// None, and nothing can be said about it together with others.
    NothingAlone,
    Added(String),
    /// The same, and it deliberately begins like the next one.
    AddedAlike(String),
    Removed(String),
    Moved(String),
    /// Another join between the layers of this tier; checked alone.
    Joined(String),
}

/// One changed ingredient.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) expected: Expected,
    pub(super) owner: Owner,
    /// For a document: the position of the edit, and the number of bytes before and after. For a document whose text
    /// was edited: the position.
    pub(super) edit: Option<Edit>,
}

/// An edited stretch of a document's text, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edit {
    pub(super) at: usize,
    /// The number of bytes before, and after.
    pub(super) sizes: (usize, usize),
    /// The length of the text before and after.
    pub(super) whole: (usize, usize),
}

impl Edit {
    /// The part between the common beginning and the common end of two texts.
    pub(super) fn between(old: &str, new: &str) -> Self {
        let (old, new) = (old.trim(), new.trim());
        let same =
            |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
                a.zip(b)
                    .take_while(|(a, b)| a == b)
                    .map(|(c, _)| c.len_utf8())
                    .sum()
            };
        let at = same(&mut old.chars(), &mut new.chars());
        let (rest_old, rest_new) = (&old[at..], &new[at..]);
        let end = same(&mut rest_old.chars().rev(), &mut rest_new.chars().rev());
        Self {
            at,
            sizes: (rest_old.len() - end, rest_new.len() - end),
            whole: (old.len(), new.len()),
        }
    }
}

impl Change {
    pub(super) fn new(expected: Expected, owner: Owner) -> Self {
        Self {
            expected,
            owner,
            edit: None,
        }
    }
}

/// A cause that a diff has to name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expected {
    /// The kind; of several any.
    pub(super) kinds: Vec<CauseKind>,
    /// Not compared if it is not known.
    pub(super) path: Option<String>,
    pub(super) fact: Option<String>,
    pub(super) item: Option<String>,
    /// One of these is named by `because`.
    pub(super) because: Vec<Expected>,
}

impl Expected {
    pub(super) fn new(kind: CauseKind) -> Self {
        Self {
            kinds: vec![kind],
            path: None,
            fact: None,
            item: None,
            because: Vec::new(),
        }
    }

    pub(super) fn at(kind: CauseKind, path: &str) -> Self {
        Self {
            path: Some(path.to_owned()),
            ..Self::new(kind)
        }
    }

    pub(super) fn fact(name: &str, item: Option<String>) -> Self {
        Self {
            fact: Some(name.to_owned()),
            item,
            ..Self::new(CauseKind::FactChanged)
        }
    }

    /// The same as a consequence's reason or next to a break, where white space is not checked.
    pub(super) fn loose(&self) -> Self {
        let mut loose = self.clone();
        loose.item = None;
        if loose.kinds.contains(&CauseKind::WhitespaceOnly) {
            loose.kinds.extend([
                CauseKind::DocumentChanged,
                CauseKind::TemplateChanged,
                CauseKind::LayerEdited,
            ]);
        }
        loose
    }

    pub(super) fn matches(&self, cause: &Cause) -> bool {
        let same =
            |wanted: &Option<String>, got: &Option<String>| wanted.is_none() || wanted == got;
        let because = self.because.is_empty()
            || leaves(cause)
                .iter()
                .any(|leaf| self.because.iter().any(|b| b.matches(leaf)));
        // A file that goes and one that comes with its text are one change.
        let moved = [CauseKind::DocumentAppeared, CauseKind::DocumentVanished];
        if cause.kind == CauseKind::DocumentRenamed {
            let is_it = self.path == cause.path || self.path == cause.old;
            return is_it && self.kinds.iter().any(|kind| moved.contains(kind));
        }
        self.kinds.contains(&cause.kind)
            && same(&self.path, &cause.path)
            && same(&self.fact, &cause.fact)
            && same(&self.item, &cause.item)
            && because
    }
}

/// The causes below a cause, at any depth.
fn leaves(cause: &Cause) -> Vec<&Cause> {
    let mut out: Vec<&Cause> = cause.because.iter().collect();
    out.extend(cause.because.iter().flat_map(leaves));
    out
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<&str> = self.kinds.iter().map(|k| k.name()).collect();
        write!(f, "{}", kinds.join("|"))?;
        let fields = [
            ("", &self.path),
            ("fact ", &self.fact),
            ("item ", &self.item),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                write!(f, " {name}{value}")?;
            }
        }
        if !self.because.is_empty() {
            let because: Vec<String> = self.because.iter().map(ToString::to_string).collect();
            write!(f, " (because {})", because.join(" or "))?;
        }
        Ok(())
    }
}

/// A cause in the same words.
pub(super) fn shown(cause: &Cause) -> String {
    let mut out = cause.kind.name().to_owned();
    let fields = [
        ("", &cause.path),
        ("fact ", &cause.fact),
        ("item ", &cause.item),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            out.push_str(&format!(" {name}{value}"));
        }
    }
    if !cause.because.is_empty() {
        let because: Vec<String> = cause.because.iter().map(shown).collect();
        out.push_str(&format!(" (because {})", because.join(", ")));
    }
    out
}
