//! How much of a request a provider can reuse after a change. Tokens everywhere, counted from the start of the request.

use super::table::{Limits, Match, Provider};

/// A place up to which a request is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Tokens in front of it.
    pub tokens: u64,
    /// Content blocks in front of it.
    pub blocks: usize,
}

/// What can be reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reuse {
    /// So many tokens.
    pub tokens: u64,
    /// Whether it is only known that it is no more.
    pub at_most: bool,
}

/// How much of a request is reused that is like one before it up to its first `same` tokens.
///
/// `written` are the places that the request before it marked, `asked` those of this one, each in order; rules without
/// breakpoints ignore them. For a named resource, its end is the last place of `written`.
#[must_use]
pub fn reuse(
    provider: &Provider,
    limits: Limits,
    written: &[Place],
    asked: &[Place],
    same: u64,
) -> Reuse {
    let min = limits.min.unwrap_or(0);
    let exact = |tokens| Reuse {
        tokens,
        at_most: false,
    };
    match provider.rule {
        Match::Breakpoint => exact(breakpoint(provider, min, written, asked, same)),
        Match::BlockFloor => exact(block_floor(same, limits.granularity.unwrap_or(1), min)),
        Match::Lcp => exact(lcp(same)),
        Match::OpaquePrefix | Match::Passthrough => opaque_prefix(same, min),
        Match::NamedResource => exact(named_resource(written.last().map(|p| p.tokens), same)),
    }
}

/// The last place that was written, from `min` tokens on, whose text is the same and which a place of this request finds.
fn breakpoint(provider: &Provider, min: u64, written: &[Place], asked: &[Place], same: u64) -> u64 {
    let latest = provider.lookback_breakpoints.unwrap_or(usize::MAX);
    let asked = &asked[asked.len().saturating_sub(latest)..];
    let finds = |from: &Place, to: &Place| {
        let within = |far| from.blocks - to.blocks <= far;
        from.blocks >= to.blocks && provider.lookback_blocks.is_none_or(within)
    };
    let mut usable = written.iter().rev().filter(|place| {
        place.tokens <= same && place.tokens >= min && asked.iter().any(|from| finds(from, place))
    });
    usable.next().map_or(0, |place| place.tokens)
}

/// The whole blocks of `granularity` tokens in what is the same; nothing below the minimum.
fn block_floor(same: u64, granularity: u64, min: u64) -> u64 {
    let whole = same - same % granularity.max(1);
    if whole < min { 0 } else { whole }
}

/// All that is the same.
fn lcp(same: u64) -> u64 {
    same
}

/// At most what is the same; nothing below the minimum.
fn opaque_prefix(same: u64, min: u64) -> Reuse {
    Reuse {
        tokens: if same < min { 0 } else { same },
        at_most: true,
    }
}

/// All of the resource or nothing.
fn named_resource(end: Option<u64>, same: u64) -> u64 {
    end.filter(|end| *end <= same).unwrap_or(0)
}
