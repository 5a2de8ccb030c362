//! The sums of a cut, as the map writes them down.

use super::BudgetTracker;
use crate::prompt::Ingredient;
use crate::text::cut::Sizes;

/// The limit of a document under a budget over documents.
#[derive(Debug, Clone, Copy)]
pub(in crate::compile) struct Share {
    /// `each` or `total`.
    pub(super) spread: &'static str,
    /// The remainder of the total.
    pub(super) left: Option<usize>,
    /// The floor, if too little is left.
    pub(super) floor: Option<usize>,
}

/// The pieces of a cut text.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::compile) struct Sums {
    head: Option<usize>,
    pub(super) marker: Option<usize>,
    tail: Option<usize>,
    /// The numbers of entries that stayed and went, where they do so as a whole.
    entries: Option<[usize; 2]>,
}

impl Sums {
    /// The sums of whole entries: the numbers that stayed and went.
    pub(in crate::compile) fn of_entries(entries: Option<[usize; 2]>) -> Self {
        Self {
            entries,
            ..Self::default()
        }
    }

    /// The parts of a cut that came to `counted`. Without a marker outside they always add up to it: lines that meet
    /// count once, and that is taken off the marker.
    pub(super) fn of(sizes: &Sizes, counted: usize, marker: usize, outside: bool) -> Self {
        let head = sizes.kept_head.min(counted);
        let tail = sizes.kept_tail.min(counted - head);
        Self {
            head: Some(head),
            marker: Some(if outside {
                marker
            } else {
                counted - head - tail
            }),
            tail: Some(tail),
            entries: None,
        }
    }
}

impl BudgetTracker<'_> {
    pub(in crate::compile) fn write(
        &mut self,
        unit: &str,
        [max, before, after]: [usize; 3],
        of: String,
        share: Option<Share>,
        Sums {
            head,
            marker,
            tail,
            entries,
        }: Sums,
    ) {
        self.record.ingredients.add(Ingredient::Budget {
            unit: unit.to_owned(),
            max,
            before,
            after,
            of,
            spread: share.map(|share| share.spread.to_owned()),
            head,
            marker,
            tail,
            left: share.and_then(|share| share.left),
            floor: share.and_then(|share| share.floor),
            entries: entries.map(|[kept, _]| kept),
            dropped: entries.map(|[_, dropped]| dropped),
            by: self.by.map(|by| by.name().to_owned()),
        });
    }
}
