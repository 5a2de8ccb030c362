//! Budgets of a layer, as one side calculated them.

use super::super::side::Side;
use crate::prompt::Ingredient;

/// A budget of the layer or of a node in it, as one side calculated it.
#[derive(Clone, Copy)]
pub(super) struct Sum<'p> {
    /// The node that says it.
    pub(super) node: usize,
    pub(super) of: &'p str,
    pub(super) unit: &'p str,
    pub(super) spread: Option<&'p str>,
    pub(super) max: usize,
    pub(super) before: usize,
    pub(super) left: Option<usize>,
    pub(super) after: usize,
    /// The number of entries that stayed, where they stay or go as a whole.
    pub(super) entries: Option<usize>,
}

impl Sum<'_> {
    /// Whether another maximum would keep other text; none if that is unknown.
    fn would_differ(&self, max: usize, side: &Side<'_>) -> Option<bool> {
        let least = max.min(self.max);
        if self.before <= least || self.left.is_some_and(|left| left <= least) {
            return Some(false);
        }
        let Some(kept) = self.entries else {
            // Whole lines may stay the same.
            return (self.before <= max.max(self.max)).then_some(true);
        };
        if max < self.max {
            return Some(self.after > max);
        }
        let entries = side.ingredients().iter().filter_map(|i| match i {
            Ingredient::Document {
                item: Some(_),
                kept,
                dropped,
                ..
            } => Some(kept.saturating_add(*dropped)),
            _ => None,
        });
        let sizes: Vec<usize> = entries.collect();
        // The text between two entries, if they are counted in characters as these sizes are.
        let stay = sizes.get(..kept)?;
        let stay = stay.iter().fold(0, |sum: usize, n| sum.saturating_add(*n));
        let between = match (self.unit, kept) {
            ("chars", 2..) => self.after.saturating_sub(stay) / (kept - 1),
            _ => 0,
        };
        let next = sizes.get(kept);
        let with = |next: &usize| self.after.saturating_add(between).saturating_add(*next);
        Some(next.is_some_and(|next| with(next) <= max))
    }
}

/// Whether the edit of a budget can have moved a cut: its calculation on both sides.
pub(super) fn matters<'p>(sums_of: [(&Side<'p>, Sum<'p>); 2]) -> bool {
    let total = |(side, sum): &(&Side<'p>, Sum<'p>)| {
        let mut totals = sums(side).filter(|s| s.node == sum.node && s.spread == Some("total"));
        totals.next().map(|s| s.max)
    };
    let [(here, sum), (there, other)] = &sums_of;
    // With another total, what it left for the document is no bound of its own.
    let same_total = total(&sums_of[0]) == total(&sums_of[1]);
    let bounds = |sum: &Sum<'p>| Sum {
        left: sum.left.filter(|_| same_total),
        ..*sum
    };
    let known = [
        bounds(sum).would_differ(other.max, here),
        bounds(other).would_differ(sum.max, there),
    ];
    known.contains(&Some(true)) || known == [None, None]
}

/// The budgets of a layer, without those that it shrank for.
pub(super) fn sums<'p>(side: &Side<'p>) -> impl Iterator<Item = Sum<'p>> {
    side.ingredients().iter().filter_map(|i| match i {
        Ingredient::Budget {
            node: Some(node),
            of,
            unit,
            spread,
            max,
            before,
            left,
            after,
            entries,
            by: None,
            ..
        } => Some(Sum {
            node: *node as usize,
            of,
            unit,
            spread: spread.as_deref(),
            max: *max,
            before: *before,
            left: *left,
            after: *after,
            entries: *entries,
        }),
        _ => None,
    })
}
