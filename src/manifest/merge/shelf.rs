//! Named items in rows, in constant time for each operation: found by name, placed next to another one, moved and
//! removed. An overlay may do so with every layer of its base.

use std::collections::BTreeMap;

/// Rows of named items. A place is valid until its item is removed.
pub(super) struct Shelf<T> {
    slots: Vec<Slot<T>>,
    /// The places of each name, the first one first. A duplicate name is reported at the end.
    named: BTreeMap<String, Vec<usize>>,
}

/// One item between its neighbours, or the end of a row, which precedes the first item again.
struct Slot<T> {
    thing: Option<T>,
    before: usize,
    after: usize,
    /// The end of its row.
    row: usize,
}

/// The only row of a shelf that was made with one.
pub(super) const ROW: usize = 0;

impl<T> Shelf<T> {
    /// A shelf without a row.
    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            named: BTreeMap::new(),
        }
    }

    /// A shelf with one row, [`ROW`].
    pub(super) fn with_row() -> Self {
        let mut out = Self::new();
        out.row();
        out
    }

    /// A new row, as its end: an item placed before the end comes last.
    pub(super) fn row(&mut self) -> usize {
        let end = self.slots.len();
        self.slots.push(Slot {
            thing: None,
            before: end,
            after: end,
            row: end,
        });
        end
    }

    /// The place of the item of a name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.named.get(name)?.first().copied()
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.slots[at].thing.as_ref()
    }

    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.slots[at].thing.as_mut()
    }

    /// The place after `at`, which may be the end of the row.
    pub(super) fn after(&self, at: usize) -> usize {
        self.slots[at].after
    }

    /// The end of the row that `at` is in.
    pub(super) fn row_of(&self, at: usize) -> usize {
        self.slots[at].row
    }

    /// Puts an item before `goal`.
    pub(super) fn put(&mut self, name: &str, thing: T, goal: usize) {
        let at = self.row();
        self.slots[at].thing = Some(thing);
        self.link(at, goal);
        self.named.entry(name.to_owned()).or_default().push(at);
    }

    /// Moves the item at `at` before `goal`.
    pub(super) fn shift(&mut self, at: usize, goal: usize) {
        if at != goal {
            self.unlink(at);
            self.link(at, goal);
        }
    }

    /// Takes away all things of a name.
    pub(super) fn take(&mut self, name: &str) -> Vec<T> {
        let all = self.named.remove(name).unwrap_or_default();
        all.into_iter().filter_map(|at| self.lift(at)).collect()
    }

    /// Takes away all of a row, in order, which `name` gives the names of.
    pub(super) fn take_row(&mut self, end: usize, name: impl Fn(&T) -> &str) -> Vec<T> {
        let mut out = Vec::new();
        while let Some(thing) = self.lift(self.after(end)) {
            let slots = &self.slots;
            let places = self.named.get_mut(name(&thing));
            if let Some(places) = places {
                places.retain(|at| slots[*at].thing.is_some());
                if places.is_empty() {
                    self.named.remove(name(&thing));
                }
            }
            out.push(thing);
        }
        out
    }

    /// The things of a row, in order.
    pub(super) fn iter(&self, end: usize) -> impl Iterator<Item = &T> {
        let mut at = end;
        std::iter::from_fn(move || {
            at = self.after(at);
            self.get(at)
        })
    }

    fn lift(&mut self, at: usize) -> Option<T> {
        let thing = self.slots[at].thing.take()?;
        self.unlink(at);
        Some(thing)
    }

    fn link(&mut self, at: usize, goal: usize) {
        let before = self.slots[goal].before;
        self.slots[at].row = self.slots[goal].row;
        (self.slots[at].before, self.slots[at].after) = (before, goal);
        self.slots[before].after = at;
        self.slots[goal].before = at;
    }

    fn unlink(&mut self, at: usize) {
        let Slot { before, after, .. } = self.slots[at];
        self.slots[before].after = after;
        self.slots[after].before = before;
    }
}
