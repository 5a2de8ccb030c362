//! Figures and remedies.

use crate::report::code::Code;
use crate::report::text::Text;
use crate::report::words::share;

/// The verdict.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The figures, the most important first.
    pub(crate) figures: Vec<Figure>,
    /// The first thing to fix.
    pub(crate) fix: Remedy,
    /// Where prices are from.
    pub(crate) source: Option<String>,
}

/// A number with what it is.
#[derive(Debug)]
pub(crate) struct Figure {
    /// Its name.
    pub(crate) label: &'static str,
    /// The number; none if it is not known.
    pub(crate) value: Option<String>,
    /// The number as a part of a whole, if it is a share.
    pub(crate) part: Option<[usize; 2]>,
    /// Its basis.
    pub(crate) note: String,
}

/// Something to do.
#[derive(Debug, Default)]
pub(crate) struct Remedy {
    /// The action, in words.
    pub(crate) text: Text,
    /// Why, and who says so.
    pub(crate) why: Option<Text>,
    /// The edit.
    pub(crate) patch: Option<Code>,
    /// The command that makes the edit or shows more.
    pub(crate) command: Option<String>,
}

impl Remedy {
    pub(super) fn new(text: impl Into<Text>) -> Self {
        Self {
            text: text.into().capital(),
            ..Self::default()
        }
    }
}

pub(super) const REUSABLE: &str = "reusable from the cache";

pub(super) fn figure(
    label: &'static str,
    value: impl Into<String>,
    note: impl Into<String>,
) -> Figure {
    Figure {
        label,
        value: Some(value.into()),
        part: None,
        note: note.into(),
    }
}

/// An unknown cost; `note` says why.
pub(super) fn no_price(note: impl Into<String>) -> Figure {
    Figure {
        value: None,
        ..figure("cost", "", note)
    }
}

/// A share; `note` names the whole.
pub(super) fn part(label: &'static str, part: usize, whole: usize, note: String) -> Figure {
    Figure {
        part: Some([part, whole]),
        ..figure(label, share(part, whole), note)
    }
}

pub(super) fn unpriced() -> Figure {
    let note = "no model is named: `--model NAME` says what a call costs";
    no_price(note)
}

pub(super) fn most(at_most: bool) -> &'static str {
    if at_most { "at most " } else { "" }
}

pub(super) fn mark(estimate: bool) -> &'static str {
    if estimate { "~" } else { "" }
}
