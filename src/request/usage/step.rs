//! The changes from one request to the next of its chain.

use crate::request::whole::{Cause, Overlap, Request, Reused, first_change, respelled};
use std::sync::Arc;

/// The changes from one request to the next of its chain, as far as both are known.
#[derive(Debug)]
pub(super) struct Step {
    /// The first change, if there is one.
    pub first: Option<Cause>,
    /// The text before it.
    pub reused: Reused,
    before: Arc<Request>,
    /// What may be a change, if the bill says so, and the parts before it.
    respelled: Option<(Cause, usize)>,
    /// Whether rules say how much all parts of both are to the model.
    pub is_sized: bool,
    /// What both have in common, if they are of two chains and differ.
    pub in_common: Option<InCommon>,
}

/// What two requests have in common, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct InCommon {
    /// The beginning, up to the first difference.
    pub(super) begun: u64,
    /// The text after that.
    pub(super) after: u64,
    /// All of the later one.
    pub(super) all: u64,
}

impl Step {
    /// The changes between two requests. Of what an incomplete one lacks nothing says that it did not change.
    pub(super) fn of(before: &Arc<Request>, now: &Request) -> Option<Self> {
        if !before.is_known() || !now.is_known() || before.is_snapshot != now.is_snapshot {
            return None;
        }
        let (first, reused) = first_change(before, now);
        if first.is_none() && now.is_snapshot {
            return None;
        }
        let respelled = respelled(before, now).filter(|_| first.is_none());
        Some(Self {
            respelled,
            first,
            reused,
            before: before.clone(),
            is_sized: before.is_sized() && now.is_sized(),
            in_common: None,
        })
    }

    /// The changes from a request to one that does not go on from it; `is_broken` says whether what both have after the first difference counts.
    pub(super) fn across(
        (before, now): (&Arc<Request>, &Request),
        overlap: &Overlap,
        is_broken: bool,
    ) -> Self {
        let after = if is_broken { overlap.after } else { 0 };
        let front = overlap.reused.bytes + overlap.begun;
        let [begun, after, all] = [front, after, overlap.size].map(|bytes| bytes as u64);
        // Without a difference it begins with all of the other one.
        let in_common = (!overlap.causes.is_empty()).then_some(InCommon { begun, after, all });
        Self {
            respelled: None,
            first: overlap.causes.first().filter(|_| is_broken).cloned(),
            reused: overlap.reused,
            before: before.clone(),
            is_sized: before.is_sized() && now.is_sized(),
            in_common,
        }
    }

    /// The step of a request that read less than was predicted: what may be a change is one.
    pub(super) fn after_a_miss(mut self) -> Self {
        if let Some((cause, parts)) = self.respelled.take() {
            let front = self.before.parts().take(parts);
            self.reused.bytes = front.map(|part| part.size(&self.before.model)).sum();
            self.reused.segments = parts;
            self.first = Some(cause);
        }
        self
    }

    /// The number of parts before what may be a change, if there is such.
    pub(super) fn parts_alike(&self) -> Option<usize> {
        self.respelled.as_ref().map(|(_, parts)| *parts)
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
