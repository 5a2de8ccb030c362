//! Budgets that leave out whole entries: of those that a text is made of, the first ones stay.

use super::budget::{AppliedLimit, BudgetTracker, Sums, all as called_all, shown};
use crate::diagnostic::ErrorReported;
use crate::diagnostic::span::Span;
use crate::manifest::{Budget, Limit, Unit};
use crate::prompt::UnusedReason;
use crate::text::document::Document;
use crate::text::{Text, measure};

/// So many numbers of entries are tried one by one; of more the largest that fits is looked for by halves, since a template
/// that runs over thousands takes its time.
pub(super) const FEW: usize = 256;

/// The number of leading entries that may stay.
#[derive(Debug, Clone)]
pub(super) struct Leading {
    /// The unit of the maximum; none if it counts the entries themselves.
    pub(super) unit: Option<Unit>,
    pub(super) max: usize,
    /// If some go, a multiple of this stays.
    pub(super) step: usize,
    pub(super) span: Span,
}

impl Leading {
    /// Whether `kept` of `all` entries are worth a look.
    pub(super) fn may_keep(&self, kept: usize, all: usize) -> bool {
        (kept == all || self.step < 2 || kept.is_multiple_of(self.step))
            && (self.unit.is_some() || kept <= self.max)
    }

    /// Whether the text of some entries fits.
    pub(super) fn allows(&self, text: &str) -> bool {
        self.unit
            .is_none_or(|unit| measure::size(text, unit) <= self.max)
    }

    /// The text that later cuts must keep.
    pub(super) fn held(&self) -> Option<AppliedLimit> {
        Some(AppliedLimit::text(self.unit?, self.max))
    }

    /// The sizes before and after: of a number of entries, and of their text.
    fn sizes(&self, entries: [usize; 2], texts: [&str; 2]) -> [usize; 2] {
        match self.unit {
            None => entries,
            Some(unit) => texts.map(|text| measure::size(text, unit)),
        }
    }

    fn unit_name(&self) -> &'static str {
        self.unit.map_or("entries", Unit::name)
    }
}

impl BudgetTracker<'_> {
    /// The number of entries that a budget lets stay; none if it is of another kind, or its number is a missing fact.
    pub(super) fn leading(&mut self, budget: &Budget) -> Result<Option<Leading>, ErrorReported> {
        let (max, unit) = match &budget.limit {
            Limit::Leading(max) => (max, Some(budget.unit)),
            Limit::Entries(max) => (max, None),
            Limit::One(_) | Limit::Documents { .. } => return Ok(None),
        };
        let Some(max) = self.size(max)? else {
            return Ok(None);
        };
        let step = match &budget.step {
            Some(step) => self.size(step)?.unwrap_or(0),
            None => 0,
        };
        Ok(Some(Leading {
            unit,
            max,
            step,
            span: budget.span,
        }))
    }

    /// Writes down that of `all` entries so many were `kept`, with the texts that these and all make.
    pub(super) fn kept_entries(
        &mut self,
        leading: &Leading,
        label: &str,
        [all, kept]: [usize; 2],
        texts: [&str; 2],
    ) {
        let [before, after] = leading.sizes([all, kept], texts);
        let gone = all - kept;
        if gone > 0 && before > after {
            let code = if kept == 0 { "dropped" } else { "cut" };
            let what = match kept {
                0 => called_all(all, "entries"),
                _ => format!("{} of {} entries", shown(gone), shown(all)),
            };
            let why = self.why(leading.max, leading.unit_name());
            let message = format!("`{label}`: {what} left out ({why})");
            self.record.notice(code, message);
        }
        let sums = Sums::of_entries(leading.unit.map(|_| [kept, gone]));
        let sizes = [leading.max, before, after];
        self.write(leading.unit_name(), sizes, label.to_owned(), None, sums);
    }

    /// Writes down that no entries fit; `fewest` is the smallest number of them that was tried, and what they make.
    pub(super) fn no_entry(&mut self, leading: &Leading, label: &str, fewest: (usize, &str)) {
        let max = shown(leading.max);
        let why = match leading.unit {
            None => format!(
                "`{label}` may keep {max} entries, and its step is {}",
                leading.step
            ),
            Some(unit) => {
                let (size, unit) = (shown(measure::size(fewest.1, unit)), unit.name());
                let with = match fewest.0 {
                    1 => "its first entry alone".to_owned(),
                    n => format!(
                        "its first {} entries, the fewest that its step allows",
                        shown(n)
                    ),
                };
                format!("`{label}` has {size} {unit} with {with}, and the budget is {max}")
            }
        };
        self.record.refused(leading.span, why);
    }

    /// Writes down that a document is gone.
    pub(super) fn left_out(&mut self, document: &Document) {
        self.record.unused_document(document, UnusedReason::Budget);
    }

    /// Leaves out the last of `documents` until their joined text fits; gives how many went. `ends` says where each ends
    /// in `text`.
    pub(super) fn first_documents(
        &mut self,
        documents: Vec<&mut Document>,
        leading: &Leading,
        label: &str,
        (text, ends): (&Text, &[usize]),
    ) -> usize {
        let all = ends.len();
        let whole = text.as_str();
        let front = |kept: usize| &whole[..kept.checked_sub(1).map_or(0, |last| ends[last])];
        let fits = |kept: &usize| leading.allows(front(*kept));
        let numbers: Vec<usize> = (1..=all)
            .filter(|kept| leading.may_keep(*kept, all))
            .collect();
        let kept = if numbers.len() <= FEW {
            numbers.iter().rev().find(|kept| fits(kept))
        } else {
            numbers[..numbers.partition_point(fits)].last()
        };
        let kept = kept.copied().unwrap_or(0);
        if kept == 0 && all > 0 {
            let fewest = numbers.first().copied().unwrap_or(0);
            self.no_entry(leading, label, (fewest, front(fewest)));
        }
        self.kept_entries(leading, label, [all, kept], [whole, front(kept)]);
        let there = |d: &&mut Document| !d.text.as_str().is_empty();
        for document in documents.into_iter().filter(there).skip(kept) {
            self.record.lost(&document.text, &[]);
            self.left_out(document);
            document.text = Text::default();
            document.truncated = true;
        }
        all - kept
    }
}
