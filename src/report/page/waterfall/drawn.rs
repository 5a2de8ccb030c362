//! What all rows are drawn with.

use super::fixes::Fixes;
use super::talk::Talk;
use std::collections::BTreeSet;

/// The rows to draw, and the settings that they share.
pub(super) struct Drawn<'a> {
    pub(super) fixes: &'a Fixes<'a>,
    /// The bytes of the largest request.
    pub(super) widest: usize,
    pub(super) talks: Vec<Talk<'a>>,
    /// The numbers of the requests that have a row.
    pub(super) rows: BTreeSet<usize>,
}

impl Drawn<'_> {
    pub(super) fn has(&self, number: usize) -> bool {
        self.rows.contains(&number)
    }
}
