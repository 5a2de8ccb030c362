//! The change between a billed request and the one that its bill compares it with.

use super::comparison::{Lives, RequestComparison, RequestQuery, WITH_TEXTS, compared};
use super::owners::Owners;
use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::request::usage::Counted;
use crate::request::whole::texts;
use crate::text::passage::{Passage, passages};

/// The most bytes of a text.
const MOST_OF_TEXT: usize = 3_000;

/// Compares requests of one or more inputs.
pub(crate) struct Breaks<'q> {
    query: RequestQuery<'q>,
    owners: Owners<'q>,
    lives: Lives,
}

/// The changes.
#[derive(Debug)]
pub(crate) struct Break {
    /// The comparison.
    pub(crate) compared: RequestComparison,
    /// The texts of its first causes, before and after, around the first difference.
    pub(crate) texts: Vec<[Option<Passage>; 2]>,
}

impl<'q> Breaks<'q> {
    /// The breaks that `query` selects; its conversation is ignored.
    pub(crate) fn of(query: RequestQuery<'q>, run: &mut Run) -> Result<Self, ErrorReported> {
        Ok(Self {
            query,
            owners: Owners::of(query.sources, query.prompts, run)?,
            lives: Lives::of(query),
        })
    }

    /// Ends an input: the numbers of the next one are others.
    pub(crate) fn end_of_input(&mut self) {
        self.lives = Lives::of(self.query);
    }

    /// The change before a request that lost cached tokens. None if no request comes before it.
    pub(crate) fn of_request(&mut self, counted: &Counted) -> Option<Break> {
        let (now, before) = (&counted.exchanged, counted.bill.before.as_ref()?);
        let mut one = compared(
            now,
            Some(before),
            counted.bill.across.clone(),
            &mut self.lives,
        );
        let (request, before) = (&now.request, &before.request);
        self.owners.note(&mut one.causes, Some(before), request);
        let first = &one.causes[..one.causes.len().min(WITH_TEXTS)];
        let texts = texts(before, request, first);
        let texts = texts
            .iter()
            .map(|[old, new]| passages(old.as_deref(), new.as_deref(), MOST_OF_TEXT));
        Some(Break {
            texts: texts.collect(),
            compared: one,
        })
    }
}
