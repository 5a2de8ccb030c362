//! A program as the engine reads it: with a check around each operation whose cost the engine does not count.
//!
//! The engine's fuel counts steps and bytes, but it takes a value to be as large as its own items. Lists that hold the
//! same list twice, sixty levels deep, are small in memory and endless to walk. So each list, map and tuple that a
//! program makes is weighed as if copied when it is made, and each operand that is walked is weighed first.

mod shape;
mod walk;

use super::syntax::Form;
use minijinja::machinery::ast::{Expr, Stmt};
use std::ops::Range;
use walk::Walk;

/// The filters of the checks. No program can name them: each filter that it names must be known.
pub(super) const WEIGHED: &str = "__weighed";
/// The filter for a list, map or tuple that was just made.
pub(super) const MADE: &str = "__made";
/// The filter for a value that a namespace is to hold.
pub(super) const KEPT: &str = "__kept";
/// The filter for a value that is indexed or sliced: to find a character, a text is walked.
pub(super) const INDEXED: &str = "__indexed";

/// A source with checks in it, and their positions.
#[derive(Debug, Clone, Default)]
pub(super) struct Guarded {
    pub(super) text: String,
    marks: Vec<Mark>,
}

/// A text that was inserted.
#[derive(Debug, Clone)]
struct Mark {
    /// Its new position.
    at: usize,
    len: usize,
    /// Bytes that were inserted before it.
    before: usize,
    /// Its subject, in the source.
    wraps: Range<usize>,
}

impl Guarded {
    /// The expression with its checks.
    pub(super) fn expression(source: &str, tree: &Expr<'_>) -> Self {
        let mut walk = Walk::new(source, Form::Expression);
        walk.expression(tree);
        walk.finish()
    }

    /// The template with its checks.
    pub(super) fn template(source: &str, tree: &Stmt<'_>) -> Self {
        let mut walk = Walk::new(source, Form::Template);
        walk.statement(tree);
        walk.finish()
    }

    /// Bytes of the source, of bytes of the text. Those of a check are those of what it checks.
    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        let within = |m: &&Mark| m.at <= range.start && range.end <= m.at + m.len;
        match self.marks.iter().find(within) {
            Some(mark) => mark.wraps.clone(),
            None => self.offset(range.start)..self.offset(range.end),
        }
    }

    /// The byte of the source, of one of the text.
    pub(super) fn offset(&self, at: usize) -> usize {
        let after = self.marks.partition_point(|m| m.at < at);
        match after.checked_sub(1).and_then(|i| self.marks.get(i)) {
            Some(mark) => at - mark.before - (at - mark.at).min(mark.len),
            None => at,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod fuzz;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
