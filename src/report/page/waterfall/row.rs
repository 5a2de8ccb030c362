//! A request of a log, and what is asked of it.

use crate::project::capture::{Detail, RequestComparison};
use crate::request::provider::amount::Usd;
use crate::request::whole::State;

pub(super) type Row = (RequestComparison, Detail);

/// The loss of a request: dollars, tokens and bytes, as far as they are known.
pub(super) fn loss((one, more): &Row) -> (Usd, u64, usize) {
    let lost = one.bill.iter().flat_map(|bill| &bill.lost);
    let (usd, tokens) = lost.fold((Usd::default(), 0), |(usd, tokens), lost| {
        let cost = lost.cost.map_or(Usd::default(), |cost| cost.0);
        (usd + cost, tokens + lost.tokens)
    });
    (usd, tokens, more.not_reused.rewritten)
}

/// Whether `promptc capture diff` lists a request.
pub(super) fn is_break((one, _): &Row) -> bool {
    matches!(
        one.state,
        State::Broken | State::Expired | State::Concurrent
    )
}

/// The reused, the repeated and the new bytes of a request.
pub(super) fn bytes(one: &RequestComparison, more: &Detail) -> [usize; 3] {
    if !one.state.is_compared() {
        return [0; 3];
    }
    [
        one.reused.bytes,
        more.not_reused.rewritten,
        more.not_reused.new,
    ]
}

/// The kinds of its causes, each once.
pub(super) fn kinds_of(one: &RequestComparison) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = one.causes.iter().map(|cause| cause.kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
