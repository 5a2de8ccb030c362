//! A layer before it is written: where its text comes from, and where it stands in the dumps.

use crate::prompt::Changes;
use std::ops::Range;

/// A layer.
#[derive(Debug)]
pub(super) struct Layer {
    /// Its name.
    pub(super) name: String,
    /// The name of its files, without an ending.
    pub(super) stem: String,
    /// How the text calls it, where that can be no name.
    pub(super) title: Option<String>,
    /// Where its text comes from.
    pub(super) content: Content,
    /// The fact that says whether it is there.
    pub(super) when: Option<usize>,
    /// Its text in each dump.
    pub(super) at: Vec<Option<Range<usize>>>,
    /// How often it changes.
    pub(super) changes: Changes,
    /// Whether its outer white space counts.
    pub(super) is_exact: bool,
    /// Whether CRLF or CR stand in it.
    pub(super) has_returns: bool,
    /// Whether a byte order mark stands in front.
    pub(super) has_bom: bool,
}

/// Where the text of a layer comes from.
#[derive(Debug)]
pub(super) enum Content {
    /// A file.
    File,
    /// A template.
    Template(Vec<Part>),
    /// The value of a fact.
    Value(usize),
    /// A file that a fact names.
    Variants(usize),
}

/// A piece of a template.
#[derive(Debug)]
pub(super) enum Part {
    /// Text: its bytes in the first dump.
    Text(Range<usize>),
    /// The value of a fact.
    Fact(usize),
    /// Lines that only some dumps have.
    Lines(Lines),
}

impl Part {
    /// The fact that it depends on.
    pub(super) fn fact(&self) -> Option<usize> {
        match self {
            Self::Text(_) => None,
            Self::Fact(fact) | Self::Lines(Lines { fact, .. }) => Some(*fact),
        }
    }
}

/// Lines that only some dumps have.
#[derive(Debug)]
pub(super) struct Lines {
    /// The fact that says whether they are there.
    pub(super) fact: usize,
    /// Where it does not hold them: a dump that has them, and their bytes there.
    pub(super) text: Option<(usize, Range<usize>)>,
    /// What ends the last of them.
    pub(super) end: &'static str,
}
