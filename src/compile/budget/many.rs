//! `each`, `total` and `floor` over documents.

use super::applied_limit::AppliedLimit;
use super::sums::{Share, Sums};
use super::{BudgetTracker, called, shown};
use crate::diagnostic::ErrorReported;
use crate::manifest::Budget;
use crate::text::cut::{Allowance, Spread};
use crate::text::document::Document;
use crate::text::measure;

impl BudgetTracker<'_> {
    /// Drops a document that has no room.
    fn no_room(
        &mut self,
        document: &mut Document,
        budget: &Budget,
        [before, room]: [usize; 2],
        share: Share,
    ) {
        let label = called(document);
        let why = no_room(budget, &label, before, room, share.floor);
        self.record.refused(budget.span, why);
        self.drop_document(document, budget, [before, room], None);
        let sizes = [room, before, 0];
        self.write(
            budget.unit.name(),
            sizes,
            label,
            Some(share),
            Sums::default(),
        );
    }

    /// `each`, `total` and `floor` over documents, in order; if they are `whole`, none is cut.
    pub(in crate::compile) fn documents(
        &mut self,
        documents: Vec<&mut Document>,
        budget: &Budget,
        [each, total, floor]: [Option<usize>; 3],
        held: &mut [AppliedLimit],
        (label, whole): (&str, bool),
    ) -> Result<(), ErrorReported> {
        let mut spread = Spread::new(each, total, floor);
        let (mut all_before, mut all_after) = (0, 0);
        for document in documents {
            let before = measure::size(document.text.as_str(), budget.unit);
            all_before += before;
            let befores: Vec<usize> = held
                .iter()
                .map(|h| measure::size(document.text.as_str(), h.unit))
                .collect();
            let left = spread.left();
            let allowance = match spread.next(before) {
                Allowance::CutTo(_) if whole => Allowance::Drop { floor: None },
                allowance => allowance,
            };
            let mut share = Share {
                spread: "each",
                left,
                floor: None,
            };
            let counted = match allowance {
                Allowance::Whole => {
                    if let Some(max) = each.or(left) {
                        let sizes = [max, before, before];
                        self.write(
                            budget.unit.name(),
                            sizes,
                            called(document),
                            Some(share),
                            Sums::default(),
                        );
                    }
                    before
                }
                Allowance::CutTo(max) => self.document(document, budget, max, held, Some(share))?,
                Allowance::Drop { floor } => {
                    share.floor = floor;
                    let room = match (whole, each) {
                        (true, Some(each)) => each.min(left.unwrap_or(usize::MAX)),
                        _ => left.unwrap_or_default(),
                    };
                    self.no_room(document, budget, [before, room], share);
                    0
                }
            };
            for (held, before) in held.iter_mut().zip(befores) {
                let after = measure::size(document.text.as_str(), held.unit);
                held.size = (held.size + after).saturating_sub(before);
            }
            spread.spent(counted);
            all_after += counted;
        }
        if let Some(total) = total {
            let share = Share {
                spread: "total",
                left: None,
                floor: None,
            };
            let sizes = [total, all_before, all_after];
            self.write(
                budget.unit.name(),
                sizes,
                label.to_owned(),
                Some(share),
                Sums::default(),
            );
        }
        Ok(())
    }
}

/// Why a document got nothing of a total.
fn no_room(budget: &Budget, label: &str, size: usize, left: usize, floor: Option<usize>) -> String {
    let (unit, size, left) = (budget.unit.name(), shown(size), shown(left));
    match floor {
        Some(floor) => {
            let floor = shown(floor);
            format!(
                "`{label}` has {size} {unit}, {left} are left of the total, and the floor is {floor}"
            )
        }
        None => format!("`{label}` has {size} {unit}, and {left} are left of the budget"),
    }
}
