//! The conditions that the texts of templates depend on: the tests around them.

use super::side::Side;
use crate::prompt::{Ingredient, TemplateBranch};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The innermost part of a template around a text, identified in a way that edits before it do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Guard<'p> {
    /// The names that the part depends on.
    names: &'p [String],
    /// Its index among those that depend on the same.
    nth: usize,
}

impl Guard<'_> {
    /// Whether another part is the next branch of the same test, or the one before.
    pub(super) fn is_alternative(self, other: Self) -> bool {
        self.names == other.names && self.nth.abs_diff(other.nth) == 1
    }
}

/// The parts of each template that was met, by its ingredient.
#[derive(Default)]
pub(super) struct Guards<'p>(BTreeMap<u32, Vec<(usize, Option<Guard<'p>>)>>);

impl<'p> Guards<'p> {
    /// The conditions that a byte of a template depends on.
    pub(super) fn at(
        &mut self,
        side: &Side<'p>,
        template: Option<u32>,
        offset: usize,
    ) -> Option<Guard<'p>> {
        let Ingredient::Template { asks, .. } = side.ingredient(template)? else {
            return None;
        };
        let parts = self.0.entry(template?).or_insert_with(|| edges(asks));
        let at = parts.partition_point(|(from, _)| *from <= offset);
        parts[at.checked_sub(1)?].1
    }
}

/// Where parts begin and end, each with the innermost one from there on. What hangs on something as a whole is no part.
fn edges<'p>(asks: &'p [TemplateBranch]) -> Vec<(usize, Option<Guard<'p>>)> {
    let end = asks.iter().map(|part| part.end).max().unwrap_or(0);
    let inner = asks.iter().filter(|p| (p.start, p.end) != (0, end));
    let mut parts: Vec<&TemplateBranch> = inner.collect();
    parts.sort_by_key(|part| (part.start, Reverse(part.end)));
    let mut met: BTreeMap<&[String], usize> = BTreeMap::new();
    let mut open: Vec<(usize, Guard<'p>)> = Vec::new();
    let mut out = Vec::new();
    let close = |open: &mut Vec<(usize, Guard<'p>)>, upto: usize, out: &mut Vec<_>| {
        while let Some((end, _)) = open.pop_if(|(end, _)| *end <= upto) {
            out.push((end, open.last().map(|(_, guard)| *guard)));
        }
    };
    for part in parts {
        close(&mut open, part.start, &mut out);
        let nth = met.entry(&part.names).or_default();
        let guard = Guard {
            names: &part.names,
            nth: *nth,
        };
        *nth += 1;
        open.push((part.end, guard));
        out.push((part.start, Some(guard)));
    }
    close(&mut open, usize::MAX, &mut out);
    // They are in order already, unless parts overlap, as in artifacts that were made by hand.
    out.sort_by_key(|(at, _)| *at);
    out
}
