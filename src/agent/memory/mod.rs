//! Notes that an agent keeps: what may be added, replaced and removed, what is refused, and the answers to both.
//! Nothing is read or written here.
//!
//! A call is parsed with [`Call::parse`], the text of the file with [`Notes::read`]. [`apply`] computes the new
//! entries, and [`Answer`] is the answer to the caller, mostly a model.

mod usage;
mod code;
mod refusal;
mod call;
mod apply;
mod answer;
mod tool;

pub use answer::{Answer, MOST_FAILED};
pub use apply::{Change, Done, Unnamed, apply};
pub use call::{Action, Call, Step};
pub use code::Code;
pub use refusal::{Reason, Refusal};
pub use tool::{Provider, definition};
pub use usage::Usage;

use crate::compile::MemoryTerms;
use crate::text::entries::{EntryStatus, MOST};
use crate::text::{measure, normalise};

/// The entries of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notes {
    /// In order, each once and none blank: those that a prompt is made from.
    entries: Vec<String>,
    /// See [`Notes::is_drifted`].
    drifted: bool,
    /// See [`Notes::is_undivided`].
    undivided: bool,
}

impl Notes {
    /// Reads the text of a memory's file; none if it has more entries than a memory may have.
    #[must_use]
    pub fn read(text: &str, terms: &MemoryTerms) -> Option<Self> {
        let text = terms.cleaning.clean(text.to_owned());
        let split = (terms.split)(&text, &terms.delimiter, terms.trim, MOST)?;
        let filled = split
            .iter()
            .filter(|entry| entry.fate != EntryStatus::Blank);
        let filled: Vec<&str> = filled.map(|entry| &text[entry.range.clone()]).collect();
        let whole = if terms.trim {
            &text[normalise::trim_range(&text)]
        } else {
            &text
        };
        let too_long = |entry: &&str| terms.capacity.is_some_and(|most| chars(entry) > most);
        let drifted = !normalise::is_blank(&text)
            && (filled.join(&terms.delimiter) != whole || filled.iter().any(too_long));
        let undivided = matches!((&split[..], &filled[..]), ([_], [only]) if has_lines(only));
        let counts = split
            .iter()
            .filter(|entry| entry.fate == EntryStatus::Counts);
        Some(Self {
            entries: counts.map(|e| text[e.range.clone()].to_owned()).collect(),
            drifted,
            undivided,
        })
    }

    /// Whether something else than a memory tool has written the file: joining its entries does not give it again, or one
    /// of them is longer than the whole may be.
    #[must_use]
    pub fn is_drifted(&self) -> bool {
        self.drifted
    }

    /// Whether the file has several lines and no delimiter. They are one entry, but each of them may be meant as
    /// one.
    #[must_use]
    pub fn is_undivided(&self) -> bool {
        self.undivided
    }

    /// The entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// The fill level of the memory.
    #[must_use]
    pub fn usage(&self, terms: &MemoryTerms) -> Usage {
        Usage::of(&self.entries, terms)
    }
}

/// The entries that a text is divided into: no blank ones, but equal ones; none if there are too many.
fn pieces(text: &str, terms: &MemoryTerms) -> Option<Vec<String>> {
    let split = (terms.split)(text, &terms.delimiter, terms.trim, MOST)?;
    let filled = split
        .iter()
        .filter(|entry| entry.fate != EntryStatus::Blank);
    Some(filled.map(|e| text[e.range.clone()].to_owned()).collect())
}

/// Whether a text has more than one line that is not blank.
fn has_lines(text: &str) -> bool {
    text.lines()
        .filter(|l| !normalise::is_blank(l))
        .nth(1)
        .is_some()
}

fn chars(text: &str) -> usize {
    measure::size(text, measure::Unit::Chars)
}
