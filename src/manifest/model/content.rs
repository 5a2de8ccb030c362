//! Content: sources, the groups around them, and their settings.

use super::{Budget, FileName, Lit, TemplateRef, Transforms, Waive};
use crate::prompt::Changes;
use crate::span::{Literal, Span, Spanned};

/// A content node: a source or a group.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
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

/// What a content node is.
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
    /// `base`: the content that an overlay refines. None is left once the overlay is merged.
    Base {
        /// Whether nothing else is written on it.
        bare: bool,
    },
}

impl NodeKind {
    /// The word in manifests.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Source(source) => source.word(),
            Self::First(_) => "first",
            Self::All { .. } => "all",
            Self::Base { .. } => "base",
        }
    }
}

/// Where documents come from. One variant, one parser line and one file in `source/` for each kind.
#[derive(Debug, Clone)]
pub enum Source {
    /// `text "…"`.
    Text(Literal),
    /// `fact NAME`.
    Fact(Spanned<String>),
    /// `json FILE`.
    Json(FileName),
    /// `file A B …`.
    File(Vec<FileName>),
    /// `glob PATTERN …`.
    Glob {
        /// Patterns, in order.
        patterns: Vec<Lit<String>>,
        /// Folders that are not entered.
        exclude: Vec<Exclude>,
        /// `hide "TEMPLATE"`: blank = listed.
        hide: Option<TemplateRef>,
    },
    /// `memory FILE …`.
    Memory(Memory),
    /// `skills DIR`.
    Skills(Box<Skills>),
    /// `template` as a member of a group or part.
    Template(TemplateRef),
}

/// `memory FILE delimiter="…" capacity=N`: a file of entries.
#[derive(Debug, Clone)]
pub struct Memory {
    /// The file.
    pub file: FileName,
    /// `delimiter=`: between two entries; never empty.
    pub delimiter: Literal,
    /// `capacity=`: how much may be written to it, in Unicode scalar values. It cuts nothing.
    pub capacity: Option<Lit<u64>>,
}

/// `exclude NAME … beside="FILE"`: folders that are not entered.
#[derive(Debug, Clone)]
pub struct Exclude {
    /// Their names (globs on one component).
    pub names: Vec<Lit<String>>,
    /// `beside=`: only those beside a regular file of that name.
    pub beside: Option<Literal>,
}

/// `skills DIR`: the skills below a folder, as entries.
#[derive(Debug, Clone)]
pub struct Skills {
    /// The folder, inside the root.
    pub folder: FileName,
    /// `join=`: between the entries.
    pub join: Option<Literal>,
    /// Folders that are not entered.
    pub exclude: Vec<Exclude>,
    /// `allow NAME …`: only entries of these names (globs) are listed; empty if all are.
    pub allow: Vec<Lit<String>>,
    /// `deny NAME …`: entries of these names (globs) are not listed.
    pub deny: Vec<Lit<String>>,
    /// `hide "TEMPLATE"`: blank = listed.
    pub hide: Option<TemplateRef>,
    /// `shadow`: of one name, those in the first folder of the root that lists it.
    pub shadow: bool,
}

impl Skills {
    /// The strings that may stand as facts, without the folder.
    pub fn lits(&self) -> impl Iterator<Item = &Lit<String>> {
        let excluded = self.exclude.iter().flat_map(|e| &e.names);
        excluded.chain(&self.allow).chain(&self.deny)
    }
}

impl Source {
    /// The `hide` template of a source of many documents.
    #[must_use]
    pub fn hide(&self) -> Option<&TemplateRef> {
        match self {
            Self::Glob { hide, .. } => hide.as_ref(),
            Self::Skills(skills) => skills.hide.as_ref(),
            _ => None,
        }
    }

    /// Whether it reads documents inside a root.
    #[must_use]
    pub fn reads_root(&self) -> bool {
        match self {
            Self::Json(_)
            | Self::File(_)
            | Self::Glob { .. }
            | Self::Skills(_)
            | Self::Memory(_) => true,
            Self::Text(_) | Self::Fact(_) | Self::Template(_) => false,
        }
    }

    /// The word in manifests.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Fact(_) => "fact",
            Self::Json(_) => "json",
            Self::File(_) => "file",
            Self::Glob { .. } => "glob",
            Self::Memory(_) => "memory",
            Self::Skills(_) => "skills",
            Self::Template(_) => "template",
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

/// How a source or group searches the folders above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// The nearest folder that has something wins.
    Up,
    /// All folders count.
    EveryLevel,
}

/// In which order the folders of a search at every level stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The source's own root first.
    OuterFirst,
    /// The folder where the search starts first.
    InnerFirst,
}

/// What a source does about a file that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It yields nothing.
    Skip,
    /// The build fails.
    Error,
}

/// What a source does about a file that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// The build fails.
    Error,
    /// As if it were missing.
    Missing,
}
