//! What is read with each let, as lists that share what they have in common: a let's begins with the whole list of the first
//! name that it reads.

use super::Ingredient;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The lets of a build and the facts that they read. With a let all that is behind it is read, each name behind what it reads
/// itself, and the let last.
#[derive(Debug, Default)]
pub struct Behind {
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
    /// What its list has behind that of the first of them; itself last.
    own: Vec<usize>,
    len: usize,
    /// When a walk in which each row comes behind the first one that it reads comes to this row.
    turn: usize,
    /// The lists that it stands in: those of the rows whose turn is from here to there, and its index in them.
    stands: Vec<Stand>,
}

#[derive(Debug)]
struct Stand {
    from: usize,
    to: usize,
    index: usize,
}

impl Behind {
    /// That of these lets and facts, each with the names that it reads.
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
                stands: Vec::new(),
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
        // Whether a row stands in the list of the one that the walk is at.
        let mut listed = vec![false; self.rows.len()];
        let mut turn = 0;
        while let Some((at, left)) = open.pop() {
            if left {
                for own in self.rows[at].own.clone() {
                    listed[own] = false;
                    if let Some(stand) = self.rows[own].stands.last_mut() {
                        stand.to = turn;
                    }
                }
                continue;
            }
            let own = self.unlisted(at, |row| listed[row]);
            let mut len = self.rows[at].reads.first().map_or(0, |r| self.rows[*r].len);
            for row in &own {
                listed[*row] = true;
                self.rows[*row].stands.push(Stand {
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

    /// What is read with a row and not `listed`, in order. With what is listed, all that is read with it is.
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

    /// How many names are read with a row.
    pub(super) fn len(&self, row: usize) -> usize {
        self.rows[row].len
    }

    /// Where `name` stands in the list of a row.
    pub(super) fn index(&self, row: usize, name: &str) -> Option<usize> {
        let turn = self.rows[row].turn;
        let stands = &self.rows[self.row(name)?].stands;
        let before = stands.partition_point(|stand| stand.from <= turn);
        let stand = stands.get(before.checked_sub(1)?)?;
        (turn < stand.to).then_some(stand.index)
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

    /// What is read with a row and not `listed`, in order, with the names.
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
