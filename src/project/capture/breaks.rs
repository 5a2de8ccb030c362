//! The change between a billed request and the one that its bill compares it with.

use super::answered::Answers;
use super::comparison::{Lives, RequestComparison, RequestQuery, WITH_TEXTS, compared, conclude};
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
    answers: Answers,
}

/// A request that lost cached tokens.
#[derive(Debug)]
pub(crate) struct Broken<'c> {
    /// The request, with what was billed.
    pub(crate) counted: &'c Counted,
    /// The number of the request before it.
    pub(crate) before: Option<usize>,
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
            owners: Owners::of(query.sources, query.prompt, run)?,
            lives: Lives::of(query),
            answers: Answers::default(),
        })
    }

    /// Notes what the answer of a request says; each must be, in the order of the input.
    pub(crate) fn note(&mut self, counted: &Counted) {
        self.answers.add(&counted.answer);
    }

    /// Ends an input: the numbers of the next one are others.
    pub(crate) fn end_of_input(&mut self) {
        self.answers = Answers::default();
        self.lives = Lives::of(self.query);
    }

    /// The change before a request. None if no request comes before it.
    pub(crate) fn of_request(&mut self, broken: &Broken<'_>) -> Option<Break> {
        let Counted {
            line,
            request,
            bill,
            ..
        } = broken.counted;
        let pair = (broken.before?, bill.before.clone()?);
        let mut one = compared(line, request, Some(&pair), &mut self.lives);
        conclude(&mut one, &self.answers, &self.answers);
        self.owners.note(&mut one.causes, Some(&pair.1), request);
        let first = &one.causes[..one.causes.len().min(WITH_TEXTS)];
        let texts = texts(&pair.1, request, first);
        let texts = texts
            .iter()
            .map(|[old, new]| passages(old.as_deref(), new.as_deref(), MOST_OF_TEXT));
        Some(Break {
            texts: texts.collect(),
            compared: one,
        })
    }
}
