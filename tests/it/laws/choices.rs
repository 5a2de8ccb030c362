//! A row of numbers that a generator spends, one for each decision. Shorter rows and smaller numbers make plainer samples,
//! so that proptest shrinks a sample by shrinking the row. A row that has run out gives zeros: the plainest choice.

use std::cell::Cell;

pub(super) struct Choices<'a> {
    row: &'a [u16],
    at: Cell<usize>,
}

impl<'a> Choices<'a> {
    pub(super) fn new(row: &'a [u16]) -> Self {
        Self {
            row,
            at: Cell::new(0),
        }
    }

    /// A number below `n`, which is not 0.
    pub(super) fn below(&self, n: usize) -> usize {
        let next = self.row.get(self.at.get()).copied().unwrap_or(0);
        self.at.set(self.at.get() + 1);
        usize::from(next) % n
    }

    /// True in `n` of 16 cases.
    pub(super) fn odds(&self, n: usize) -> bool {
        self.below(16) >= 16 - n
    }

    pub(super) fn of<T: Copy>(&self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Between `least` and `most` of what `make` makes.
    pub(super) fn several<T>(
        &self,
        least: usize,
        most: usize,
        make: impl FnMut(usize) -> T,
    ) -> Vec<T> {
        let n = least + self.below(most - least + 1);
        (0..n).map(make).collect()
    }
}
