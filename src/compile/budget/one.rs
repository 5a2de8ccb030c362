//! A document is cut, or dropped.

use super::applied_limit::AppliedLimit;
use super::sums::{Share, Sums};
use super::{BudgetTracker, all, called, shown};
use crate::compile::merge;
use crate::compile::plan::default_marker;
use crate::diagnostic::ErrorReported;
use crate::manifest::{Budget, Limit, Unit};
use crate::prompt::UnusedReason;
use crate::text::cut::{self, Cut, Sizes};
use crate::text::document::Document;
use crate::text::{Text, measure};
use std::cell::OnceCell;
use std::sync::Arc;

impl BudgetTracker<'_> {
    /// Applies the budgets of one text, in order. Without `cuts` they only give the limits of later cuts.
    pub(in crate::compile) fn text(
        &mut self,
        text: &mut Document,
        budgets: &[Budget],
        held: &mut Vec<AppliedLimit>,
        cuts: bool,
    ) -> Result<(), ErrorReported> {
        for budget in budgets {
            // The plan has refused budgets over documents here, and whole entries went before.
            if let Limit::One(max) = &budget.limit
                && let Some(max) = self.size(max)?
            {
                AppliedLimit::measure(held, text);
                if cuts {
                    self.document(text, budget, max, held, None)?;
                }
                held.extend(AppliedLimit::one(budget, max));
            }
        }
        Ok(())
    }

    /// Cuts a document to `max` and writes down what that did. Gives the size that counts: a marker outside does not.
    pub(in crate::compile) fn document(
        &mut self,
        document: &mut Document,
        budget: &Budget,
        max: usize,
        held: &[AppliedLimit],
        spread: Option<Share>,
    ) -> Result<usize, ErrorReported> {
        let before = measure::size(document.text.as_str(), budget.unit);
        let rule = self.rule(budget, max)?;
        let key = budget
            .marker
            .as_ref()
            .map_or_else(|| default_marker(budget.unit), merge::key);
        // Most documents fit, and then no marker needs the count.
        let (asked, values, whole) = (self.asked, &self.bound.values, &*document);
        let scope = OnceCell::new();
        let scope = || {
            let shared = || asked.scope(values).with_document(Arc::new(whole.clone()));
            scope.get_or_init(shared).clone()
        };
        let of = self.record.document(whole);
        let engine = &self.plan.engine;
        let ingredients = &mut self.record.ingredients;
        let mut last_marker = 0;
        let mut marker = |sizes: Sizes| {
            let scope = scope()
                .with_number("kept_head", sizes.kept_head)
                .with_number("kept_tail", sizes.kept_tail)
                .with_number("total", sizes.total)
                .with_number("omitted", sizes.omitted);
            let rendered = engine.render(&key, &scope, ingredients)?;
            last_marker = measure::size(rendered.text.as_str(), budget.unit);
            Ok(rendered.text.printed(of))
        };
        let also: Vec<_> = held.iter().map(|h| (h.unit, h.room(document))).collect();
        let outcome = match cut::cut(&document.text, &rule, &also, &mut marker) {
            Ok(outcome) => outcome,
            Err(failure) => return Err(self.diags.push(self.plan.diagnostic(&key, &failure))),
        };
        let label = called(document);
        let mut sums = Sums::default();
        let counted = match outcome {
            Cut::Whole => before,
            Cut::Cut { text, sizes, kept } => {
                self.record.lost(&document.text, &kept);
                document.text = text;
                document.truncated = true;
                self.report_cut(&label, sizes, budget.unit, max);
                let counted = if budget.marker_outside {
                    sizes.kept_head + sizes.kept_tail
                } else {
                    measure::size(document.text.as_str(), budget.unit)
                };
                sums = Sums::of(&sizes, counted, last_marker, budget.marker_outside);
                counted
            }
            Cut::Nothing => {
                let marker = (!budget.marker_outside).then_some(last_marker);
                self.drop_document(document, budget, [before, max], marker);
                sums.marker = Some(last_marker);
                self.record.refused(
                    budget.span,
                    no_cut(budget, &label, before, max, last_marker),
                );
                0
            }
        };
        self.write(
            budget.unit.name(),
            [max, before, counted],
            label,
            spread,
            sums,
        );
        Ok(counted)
    }

    fn report_cut(&mut self, label: &str, sizes: Sizes, unit: Unit, max: usize) {
        let (omitted, total, unit) = (shown(sizes.omitted), shown(sizes.total), unit.name());
        let message = format!(
            "`{label}`: {omitted} of {total} {unit} left out ({})",
            self.why(max, "")
        );
        self.record.notice("cut", message);
    }

    /// Leaves out a document for which `left` is too little, and `marker` alone, if that is known, is more.
    pub(super) fn drop_document(
        &mut self,
        document: &mut Document,
        budget: &Budget,
        [before, left]: [usize; 2],
        marker: Option<usize>,
    ) {
        self.record.lost(&document.text, &[]);
        if !document.root.is_empty() {
            self.record
                .unused(&document.root, &document.path, UnusedReason::Budget);
        }
        let why = match marker.filter(|marker| *marker > left) {
            Some(marker) => format!(", and its marker alone takes {}", shown(marker)),
            None => String::new(),
        };
        let message = format!(
            "`{}`: {} left out (budget {}{why})",
            called(document),
            all(before, budget.unit.name()),
            shown(left)
        );
        self.record.notice("dropped", message);
        document.text = Text::default();
        document.truncated = true;
    }
}

/// Why a cut left nothing.
fn no_cut(budget: &Budget, label: &str, size: usize, max: usize, marker: usize) -> String {
    let (unit, size, bound) = (budget.unit.name(), shown(size), shown(max));
    if marker > max && !budget.marker_outside {
        let marker = shown(marker);
        format!(
            "`{label}` has {size} {unit}, its marker alone takes {marker}, and the budget is {bound}"
        )
    } else {
        format!("`{label}` has {size} {unit}, and no cut of it fits a budget of {bound}")
    }
}
