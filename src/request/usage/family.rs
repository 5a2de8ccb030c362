//! Chains of one conversation that could share a prefix and do not: an agent with its sub-agents and side calls.

use super::rates::Rates;
use super::tokens::{Tokens, share};
use super::why::Before;
use crate::request::provider::amount::Usd;
use crate::request::whole::log::OpenRequests;
use crate::request::whole::{Cause, Request, first_change, not_reused};

/// The most chains that a new one is compared with: those that were opened first.
const MOST_LANES: usize = 8;

/// The common text of a request that opens a chain and another chain of their conversation, after their first difference.
#[derive(Debug, Clone)]
pub struct Apart {
    /// Where they begin to differ.
    pub first: Cause,
    /// The tokens that both have, and the request did not read.
    pub tokens: Tokens,
}

impl Apart {
    /// The text that a request that opens a chain could share with another live chain of its conversation; the longest
    /// one.
    pub(super) fn of(
        open: &OpenRequests<Before>,
        conversation: &str,
        request: &Request,
        billed: &Tokens,
    ) -> Option<Self> {
        if request.incomplete.is_some() {
            return None;
        }
        let others = open.newest_of(conversation).filter(|(_, other)| {
            let before = other.request();
            let same = (&before.model, before.api) == (&request.model, request.api);
            same && before.incomplete.is_none() && other.is_kept(request)
        });
        let mut others: Vec<_> = others.collect();
        // Chains without a name of their own are numbered as they open.
        others.sort_by_key(|(chain, _)| (chain.len(), *chain));
        let others = others.into_iter().take(MOST_LANES);
        let all = others.filter_map(|(_, other)| Self::with(other.request(), request, billed));
        all.max_by_key(|apart| apart.tokens.input())
    }

    fn with(other: &Request, request: &Request, billed: &Tokens) -> Option<Self> {
        let (first, reused) = first_change(other, request);
        let after = not_reused(Some(other), request, reused);
        let all = reused.bytes + after.rewritten + after.new;
        let of = |bytes: usize| share(billed.input(), bytes as u64, all as u64);
        let at = of(reused.bytes);
        let tokens = billed.slice(at.max(billed.read)..at + of(after.rewritten));
        let first = first.filter(|_| !tokens.is_empty())?;
        Some(Self { first, tokens })
    }
}

/// Requests that could share a prefix with another chain, and begin to differ at the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Family {
    /// The number of requests.
    pub requests: u64,
    /// The tokens that both have.
    pub tokens: u64,
    /// Their additional cost compared with a cache read.
    pub cost: Usd,
}

impl Family {
    /// Adds a request.
    pub(super) fn add(&mut self, apart: &Apart, rates: Option<&Rates>) {
        self.requests += 1;
        self.tokens += apart.tokens.input();
        let cost = rates.map(|rates| rates.lost(&apart.tokens));
        self.cost = self.cost + cost.unwrap_or_default();
    }
}
