//! Content: sources, the groups around them, and their settings.

use super::{Budget, FileName, Lit, TemplateRef, Transforms, Waive};
use crate::diagnostic::span::{Literal, Span, Spanned};
use crate::prompt::Changes;
use crate::source::SourceKind;
use std::sync::Arc;

/// A content node: a source or a group.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its kind.
    pub kind: NodeKind,
    /// The properties that every content node takes.
    pub settings: Settings,
    /// Transforms for it and everything below.
    pub transforms: Transforms,
    /// `budget …`, in order; all hold.
    pub budgets: Vec<Budget>,
    /// `waive` on it.
    pub waivers: Vec<Waive>,
    /// The node's name.
    pub span: Span,
}

/// The kind of a content node.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// Reads documents.
    Source(Source),
    /// The first member that yields text.
    First(Vec<Node>),
    /// Every member that yields text.
    All {
        /// `join=`.
        join: Option<Literal>,
        /// The members, in order.
        members: Vec<Node>,
    },
}

impl Node {
    /// The node and all below it, groups before their members.
    pub(crate) fn descendants(&self) -> impl Iterator<Item = &Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(next.kind.members().iter().rev());
            Some(next)
        })
    }

    /// The templates on it, without those of members.
    pub(super) fn templates(&self) -> impl Iterator<Item = &TemplateRef> {
        let own = match &self.kind {
            NodeKind::Source(Source::Template(template)) => Some(template),
            kind => kind.reading().and_then(|r| r.choice.hide.as_ref()),
        };
        let markers = self.budgets.iter().filter_map(|b| b.marker.as_ref());
        self.transforms.templates().chain(markers).chain(own)
    }
}

impl NodeKind {
    /// The members of a group.
    pub(crate) fn members(&self) -> &[Node] {
        match self {
            Self::First(members) | Self::All { members, .. } => members,
            Self::Source(_) => &[],
        }
    }

    /// The word in manifests.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Source(source) => source.word(),
            Self::First(_) => "first",
            Self::All { .. } => "all",
        }
    }

    /// The source, if it is one that reads files inside a root.
    #[must_use]
    pub fn reading(&self) -> Option<&Reading> {
        match self {
            Self::Source(source) => source.reading(),
            Self::First(_) | Self::All { .. } => None,
        }
    }
}

/// Where documents come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// `text "…"`.
    Text(Literal),
    /// `fact NAME`.
    Fact(Spanned<String>),
    /// `template` as a member of a group or part.
    Template(TemplateRef),
    /// A kind that reads files inside a root.
    Reading(Box<Reading>),
}

/// A source that reads files inside a root: its kind, and the settings of its line and its braces. Settings that a kind
/// does not have are empty.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The kind.
    pub kind: &'static SourceKind,
    /// The text after its word: names of files, patterns of them, or a folder.
    pub names: Vec<FileName>,
    /// The text between its documents, if it has its own.
    pub between: Option<Literal>,
    /// `capacity=`: how much may be written to its file, in Unicode scalar values. It cuts nothing.
    pub capacity: Option<Lit<u64>>,
    /// The settings in its braces about the documents that it uses.
    pub choice: Choice,
}

/// The documents that count.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Folders that are not entered.
    pub exclude: Vec<Exclude>,
    /// `allow NAME …`: only documents of these names (globs) are listed; empty if all are.
    pub allow: Vec<Lit<String>>,
    /// `deny NAME …`: documents of these names (globs) are not listed.
    pub deny: Vec<Lit<String>>,
    /// `hide "TEMPLATE"`: blank = listed.
    pub hide: Option<TemplateRef>,
    /// `shadow`: of one name, those in the first folder of the root that lists it.
    pub shadow: bool,
}

/// `exclude NAME … beside="FILE"`: folders that are not entered.
#[derive(Debug, Clone)]
pub struct Exclude {
    /// Their names (globs on one component).
    pub names: Vec<Lit<String>>,
    /// `beside=`: only those next to a regular file of that name.
    pub beside: Option<Literal>,
}

impl Reading {
    /// The text between two entries of its file. A kind with entries always sets it, so that it is never empty for one.
    #[must_use]
    pub fn delimiter(&self) -> Arc<str> {
        let between = self.between.as_ref();
        between.map_or_else(Arc::default, |between| between.text.clone())
    }
}

impl Choice {
    /// The strings that may be facts.
    pub fn lits(&self) -> impl Iterator<Item = &Lit<String>> {
        // Named, so that a new one is not forgotten.
        let Self {
            exclude,
            allow,
            deny,
            hide: _,
            shadow: _,
        } = self;
        let excluded = exclude.iter().flat_map(|e| &e.names);
        excluded.chain(allow).chain(deny)
    }
}

impl Source {
    /// The source, if it reads files inside a root.
    #[must_use]
    pub fn reading(&self) -> Option<&Reading> {
        match self {
            Self::Reading(reading) => Some(reading),
            Self::Text(_) | Self::Fact(_) | Self::Template(_) => None,
        }
    }

    /// The word in manifests.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Fact(_) => "fact",
            Self::Template(_) => "template",
            Self::Reading(reading) => reading.kind.word,
        }
    }
}

/// The properties that every content node takes; on a group, defaults for what is below or rules for the group itself.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `when="EXPR"`.
    pub when: Option<Literal>,
    /// `where="EXPR"` over each document.
    pub filter: Option<Literal>,
    /// `missing=`.
    pub missing: Option<Spanned<Missing>>,
    /// `invalid=`.
    pub invalid: Option<Spanned<Invalid>>,
    /// `label=`.
    pub label: Option<Lit<String>>,
    /// `about=`.
    pub about: Option<Lit<String>>,
    /// `root=`.
    pub root: Option<Spanned<String>>,
    /// `search=`.
    pub search: Option<Spanned<Search>>,
    /// `from=ROOT`.
    pub from: Option<Spanned<String>>,
    /// `order=`, of a search at every level.
    pub order: Option<Spanned<Order>>,
    /// `changes=`.
    pub changes: Option<Spanned<Changes>>,
}

/// The search of a source or group in the folders above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// The nearest folder that has something wins.
    Up,
    /// All folders count.
    EveryLevel,
}

/// The order of the folders of a search at every level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The source's own root first.
    OuterFirst,
    /// The folder where the search starts first.
    InnerFirst,
}

/// The handling of a missing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It yields nothing.
    Skip,
    /// The build fails.
    Error,
}

/// The handling of a file that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// The build fails.
    Error,
    /// As if it were missing.
    Missing,
}
