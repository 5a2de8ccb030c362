//! The names that are read with each let, as lists that share their beginnings: a let's list begins with the whole
//! list of the first name that it reads.

use super::Ingredient;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The lets of a build and the facts that they read. Reading a let reads its dependencies too, each name after its
/// own dependencies, and the let last.
#[derive(Debug, Default)]
pub struct LetDependencies {
    rows: Vec<Row>,
    at: BTreeMap<Arc<str>, usize>,
}

/// A fact or let, and its list.
#[derive(Debug)]
struct Row {
    name: Arc<str>,
    ingredient: Ingredient,
    /// The rows that it reads.
    reads: Vec<usize>,
    /// The part of its list after that of the first name; itself last.
    own: Vec<usize>,
    len: usize,
    /// Its turn in a walk in which each row comes after the first one that it reads.
    turn: usize,
    /// The lists that contain it: those of the rows with a turn in this range, and its index in them.
    listings: Vec<Listing>,
}

#[derive(Debug)]
struct Listing {
    from: usize,
    to: usize,
    index: usize,
}

impl LetDependencies {
    /// The rows of these lets and facts, each with the names that it reads.
    pub fn new<'n>(values: impl Iterator<Item = (Arc<str>, Ingredient, &'n [Arc<str>])>) -> Self {
        let mut out = Self::default();
        let mut named = Vec::new();
        for (name, ingredient, reads) in values {
            out.at.insert(name.clone(), out.rows.len());
            named.push(reads);
            out.rows.push(Row {
                name,
                ingredient,
                reads: Vec::new(),
                own: Vec::new(),
                len: 0,
                turn: 0,
                listings: Vec::new(),
            });
        }
        for (row, names) in out.rows.iter_mut().zip(named) {
            let known = names.iter().filter_map(|name| out.at.get(name));
            row.reads = known.copied().collect();
        }
        out.walk();
        out
    }

    /// Finds the lists: from each row to those that read it first.
    fn walk(&mut self) {
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.rows.len()];
        let mut open: Vec<(usize, bool)> = Vec::new();
        for (at, row) in self.rows.iter().enumerate().rev() {
            match row.reads.first() {
                Some(first) => after[*first].push(at),
                None => open.push((at, false)),
            }
        }
        // Whether a row is in the list of the walk's current row.
        let mut listed = vec![false; self.rows.len()];
        let mut turn = 0;
        while let Some((at, left)) = open.pop() {
            if left {
                for own in self.rows[at].own.clone() {
                    listed[own] = false;
                    if let Some(listing) = self.rows[own].listings.last_mut() {
                        listing.to = turn;
                    }
                }
                continue;
            }
            let own = self.unlisted(at, |row| listed[row]);
            let mut len = self.rows[at].reads.first().map_or(0, |r| self.rows[*r].len);
            for row in &own {
                listed[*row] = true;
                self.rows[*row].listings.push(Listing {
                    from: turn,
                    to: usize::MAX,
                    index: len,
                });
                len += 1;
            }
            (self.rows[at].own, self.rows[at].len, self.rows[at].turn) = (own, len, turn);
            turn += 1;
            open.push((at, true));
            open.extend(after[at].iter().map(|next| (*next, false)));
        }
    }

    /// The names that are read with a row and not `listed`, in order. Together with the listed ones they are
    /// all that is read with it.
    fn unlisted(&self, row: usize, mut listed: impl FnMut(usize) -> bool) -> Vec<usize> {
        let mut out = Vec::new();
        let mut met = std::collections::BTreeSet::new();
        let mut open = vec![(row, false)];
        while let Some((row, read)) = open.pop() {
            if read {
                out.push(row);
            } else if !listed(row) && met.insert(row) {
                open.push((row, true));
                let reads = self.rows[row].reads.iter().rev();
                open.extend(reads.map(|read| (*read, false)));
            }
        }
        out
    }

    /// The fact or let called `name`, if a let has to do with it.
    pub(super) fn row(&self, name: &str) -> Option<usize> {
        self.at.get(name).copied()
    }

    /// The number of names that are read with a row.
    pub(super) fn len(&self, row: usize) -> usize {
        self.rows[row].len
    }

    /// The index of `name` in the list of a row.
    pub(super) fn index(&self, row: usize, name: &str) -> Option<usize> {
        let turn = self.rows[row].turn;
        let listings = &self.rows[self.row(name)?].listings;
        let before = listings.partition_point(|listing| listing.from <= turn);
        let listing = listings.get(before.checked_sub(1)?)?;
        (turn < listing.to).then_some(listing.index)
    }

    /// The list of a row.
    pub(super) fn list(&self, row: usize) -> Vec<&Ingredient> {
        let mut out = Vec::with_capacity(self.len(row));
        let mut next = Some(row);
        while let Some(row) = next.map(|at| &self.rows[at]) {
            out.extend(row.own.iter().rev().map(|own| &self.rows[*own].ingredient));
            next = row.reads.first().copied();
        }
        out.reverse();
        out
    }

    /// The rows that are read with a row and not `listed`, in order, with the names.
    pub(super) fn more(
        &self,
        row: usize,
        listed: impl Fn(&str) -> bool,
    ) -> Vec<(&str, &Ingredient)> {
        let more = self.unlisted(row, |row| listed(&self.rows[row].name));
        let rows = more.into_iter().map(|at| &self.rows[at]);
        rows.map(|row| (&*row.name, &row.ingredient)).collect()
    }

    /// Whether `name` is read with the let called `by`.
    #[must_use]
    pub fn is_behind(&self, by: &str, name: &str) -> bool {
        self.row(by)
            .is_some_and(|row| self.index(row, name).is_some())
    }
}
