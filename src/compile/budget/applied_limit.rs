//! The limits of earlier budgets of a node.

use crate::manifest::{Budget, Unit};
use crate::text::document::Document;
use crate::text::measure;

/// An earlier budget of the same node, which later cuts must respect: their markers could break it again.
#[derive(Debug, Clone)]
pub(in crate::compile) struct AppliedLimit {
    /// Its unit.
    pub(in crate::compile) unit: Unit,
    /// The limit of each document.
    pub(in crate::compile) each: Option<usize>,
    /// The limit of all documents together.
    pub(in crate::compile) all: Option<usize>,
    /// The size of all documents.
    pub(in crate::compile) size: usize,
    /// Whether it bounds the one text, joins and all.
    pub(in crate::compile) whole: bool,
}

impl AppliedLimit {
    /// `budget N`, once it was applied; none if it bounds less than the finished text.
    pub(in crate::compile) fn one(budget: &Budget, max: usize) -> Option<Self> {
        (!budget.marker_outside).then(|| Self::text(budget.unit, max))
    }

    /// A maximum of the one text.
    pub(in crate::compile) fn text(unit: Unit, max: usize) -> Self {
        Self {
            unit,
            each: None,
            all: Some(max),
            size: 0,
            whole: true,
        }
    }

    /// `budget each=M total=N`, once it was applied.
    pub(in crate::compile) fn documents(
        budget: &Budget,
        [each, total, _]: [Option<usize>; 3],
    ) -> Option<Self> {
        (!budget.marker_outside).then_some(Self {
            unit: budget.unit,
            each,
            all: total,
            size: 0,
            whole: false,
        })
    }

    /// Takes it that `document` is all of their text.
    pub(in crate::compile) fn measure(all: &mut [Self], document: &Document) {
        for held in all {
            held.size = measure::size(document.text.as_str(), held.unit);
        }
    }

    /// The most that this document may be after a cut.
    pub(super) fn room(&self, document: &Document) -> usize {
        let before = measure::size(document.text.as_str(), self.unit);
        let all = self.all.map(|max| (before + max).saturating_sub(self.size));
        self.each
            .unwrap_or(usize::MAX)
            .min(all.unwrap_or(usize::MAX))
    }
}
