//! What is aligned, and the result.

use std::ops::Range;

/// The bodies of each dump at one place of the prompt; none for a dump without it. All units of a dump, in order, are
/// all its bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::adopt) struct Unit {
    /// By dump.
    pub(in crate::adopt) at: Vec<Range<usize>>,
    /// Whether it is the lines of a list, which are one value.
    pub(in crate::adopt) is_list: bool,
}

impl Unit {
    /// The dumps that have something there.
    pub(in crate::adopt) fn present(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.at.len()).filter(|dump| !self.at[*dump].is_empty())
    }

    /// Whether all dumps have something there.
    pub(in crate::adopt) fn is_everywhere(&self) -> bool {
        self.present().count() == self.at.len()
    }
}

/// An item of the alignment: a body or a line.
#[derive(Debug, Clone, Default)]
pub(in crate::adopt) struct Item<'t> {
    /// Its text, as far as it is compared.
    pub(in crate::adopt) text: &'t str,
    /// Its name: its heading, tag or label.
    pub(in crate::adopt) label: Option<&'t str>,
    /// Whether it is a line of a list without a mark or a name, so that only the whole list says what it is.
    pub(in crate::adopt) is_loose: bool,
    /// Whether that is a heading, which may be nothing but another value.
    pub(in crate::adopt) is_heading: bool,
}
