//! Why the system prompt of a request is another one, where promptc built both: the causes that builds prove.

use crate::compare::{self, Break, Confidence};
use crate::prompt::{Deliver, Prompt};
use crate::request::whole::{Part, Request};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Prompts that requests may have.
#[derive(Debug, Default)]
pub(super) struct Proofs<'p> {
    prompts: &'p [Prompt],
    /// What is known of two of them, by their places.
    known: Mutex<BTreeMap<[usize; 2], Option<Break>>>,
}

impl<'p> Proofs<'p> {
    pub(super) fn of(prompts: &'p [Prompt]) -> Self {
        Self {
            prompts,
            known: Mutex::default(),
        }
    }

    /// The break between the system prompts of two requests. None if one of them is the text of no prompt, or no build proves a cause.
    pub(super) fn find(&self, before: &Request, now: &Request) -> Option<Break> {
        if self.prompts.len() < 2 {
            return None;
        }
        let [a, b] = [before, now].map(|request| self.place(request));
        let (a, b) = (a?, b?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let proven = || {
            let diff = compare::uncounted(&self.prompts[a], &self.prompts[b]);
            let mut breaks = diff.first.into_iter().chain(diff.hidden);
            let found = breaks.find(|found| found.channel == Deliver::System)?;
            (diff.sure == Confidence::Build).then_some(found)
        };
        known.entry([a, b]).or_insert_with(proven).clone()
    }

    /// The prompt whose text a request has, in one block or in several.
    fn place(&self, request: &Request) -> Option<usize> {
        let text: String = request.system.iter().map(Part::text).collect();
        let mut prompts = self.prompts.iter();
        prompts.position(|prompt| prompt.text(Deliver::System) == text && !text.is_empty())
    }
}
