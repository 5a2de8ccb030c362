//! The changes from one request to the next of its chain.

use crate::request::whole::{Cause, Request, Reused, first_change};
use std::sync::Arc;

/// The changes from one request to the next of its chain, if both are complete.
#[derive(Debug)]
pub(super) struct Step {
    /// The first change, if there is one.
    pub first: Option<Cause>,
    /// The text before it.
    pub reused: Reused,
    before: Arc<Request>,
}

impl Step {
    /// The changes between two requests.
    pub(super) fn of(before: &Arc<Request>, now: &Request) -> Option<Self> {
        if before.incomplete.is_some() || now.incomplete.is_some() {
            return None;
        }
        let (first, reused) = first_change(before, now);
        Some(Self {
            first,
            reused,
            before: before.clone(),
        })
    }

    /// The number of bytes that the first differing parts have in common.
    pub(super) fn begun(&self, now: &Request) -> Option<usize> {
        let at = &self.first.as_ref()?.at;
        let is_part = |name: &&str| at.starts_with(*name);
        ["tools/", "system/", "messages/"]
            .iter()
            .find(|name| is_part(name))?;
        let [old, new] = [&*self.before, now].map(|of| of.parts().nth(self.reused.segments));
        let pairs = old?.key.bytes().zip(new?.key.bytes());
        Some(pairs.take_while(|(a, b)| a == b).count())
    }
}
