//! The alignment by the items that all dumps share, by their names and by their beginnings.

use super::numbers::{anchors, key, numbered};
use super::unit::{Item, Unit};
use crate::adopt::label;
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) struct Aligner<'i, 't> {
    pub(super) items: &'i [Vec<Item<'t>>],
    /// Whether the items are lines, among which lists are.
    has_lists: bool,
    /// A number for each item of each dump; equal items share it.
    same: Vec<Vec<u32>>,
    /// A number for each item of each dump; items with one name share it.
    called: Vec<Vec<u32>>,
    /// A number for each item of each dump; items with one beginning share it.
    alike: Vec<Vec<u32>>,
    at: Vec<usize>,
    out: Vec<Unit>,
}

/// The decision about a group of bodies.
type Step<'i, 't> = fn(&mut Aligner<'i, 't>, &[usize], &[Range<usize>]);

impl<'i, 't> Aligner<'i, 't> {
    pub(super) fn new(items: &'i [Vec<Item<'t>>], has_lists: bool) -> Self {
        let mut none = 0;
        let label = |item: &Item<'t>| {
            none += 1;
            item.label.ok_or(none)
        };
        let mut loose = 0;
        let same = |item: &Item<'t>| {
            loose += 1;
            if item.is_loose {
                Err(loose)
            } else {
                Ok(item.text)
            }
        };
        Self {
            same: numbered(items, same),
            called: numbered(items, label),
            alike: numbered(items, |item| key(item.text)),
            at: vec![0; items.len()],
            out: Vec::new(),
            items,
            has_lists,
        }
    }

    pub(super) fn run(mut self) -> Vec<Unit> {
        let who: Vec<usize> = (0..self.items.len()).collect();
        let whole: Vec<Range<usize>> = self.items.iter().map(|i| 0..i.len()).collect();
        self.all(&who, &whole);
        self.out
    }

    /// Adds a unit of the dumps in `who`.
    pub(super) fn add(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        for (dump, at) in self.at.iter_mut().enumerate() {
            if who.contains(&dump) {
                *at = ranges[dump].end;
            }
        }
        let at = ranges.iter().enumerate().map(|(dump, range)| {
            if who.contains(&dump) {
                range.clone()
            } else {
                self.at[dump]..self.at[dump]
            }
        });
        let at = at.collect();
        let is_list = self.has_lists && self.is_list(who, ranges);
        self.out.push(Unit { at, is_list });
    }

    /// Items that all share that have any here, and between them what changed.
    pub(super) fn all(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        let there = |dump: &usize| !ranges[*dump].is_empty();
        let who: Vec<usize> = who.iter().copied().filter(there).collect();
        if !who.is_empty() {
            let anchors = anchors(&self.same, &who, ranges);
            self.between(&who, ranges, &anchors, Self::changed);
        }
    }

    /// The bodies between and at anchors.
    fn between(
        &mut self,
        who: &[usize],
        ranges: &[Range<usize>],
        anchors: &[Vec<usize>],
        gap: Step<'i, 't>,
    ) {
        let mut rest = ranges.to_vec();
        let fill = |aligner: &mut Self, ranges: &[Range<usize>]| {
            let there = |dump: &usize| !ranges[*dump].is_empty();
            let there: Vec<usize> = who.iter().copied().filter(there).collect();
            let are_records = there.iter().all(|d| aligner.is_record(*d, &ranges[*d]));
            if aligner.is_list(who, ranges) && !are_records {
                aligner.add(&there, ranges);
            } else if there.len() < who.len() {
                aligner.all(&there, ranges);
            } else {
                gap(aligner, who, ranges);
            }
        };
        for anchor in anchors {
            let (mut front, mut own) = (rest.clone(), rest.clone());
            for (dump, at) in who.iter().zip(anchor) {
                front[*dump].end = *at;
                own[*dump] = *at..at + 1;
                rest[*dump].start = at + 1;
            }
            fill(self, &front);
            self.add(who, &own);
        }
        fill(self, &rest);
    }

    /// A stretch without an item that all share: those that are called alike are the same one, changed.
    fn changed(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        let anchors = anchors(&self.called, who, ranges);
        self.between(who, ranges, &anchors, Self::nameless);
    }

    /// A stretch without names in common: a whole list is one value; else those that begin alike are the same one.
    fn nameless(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        if self.is_list(who, ranges) {
            return self.add(who, ranges);
        }
        let anchors = anchors(&self.alike, who, ranges);
        self.between(who, ranges, &anchors, Self::different);
    }

    /// Whether there are only lines between one that opens a list and one that closes it.
    fn is_list(&self, who: &[usize], ranges: &[Range<usize>]) -> bool {
        let is_list = |dump: &usize| {
            let (lines, range) = (&self.items[*dump], &ranges[*dump]);
            let before = range.start.checked_sub(1).map(|at| lines[at].text);
            let after = lines.get(range.end).map_or("", |line| line.text);
            before.is_some_and(label::opens) && label::closes(after)
        };
        let has_some = who.iter().any(|dump| !ranges[*dump].is_empty());
        self.has_lists && has_some && who.iter().all(is_list)
    }

    /// Whether each line has a name of its own.
    fn is_record(&self, dump: usize, range: &Range<usize>) -> bool {
        let lines = &self.items[dump][range.clone()];
        let names: BTreeSet<&str> = lines.iter().filter_map(|line| line.label).collect();
        names.len() == lines.len()
    }
}
