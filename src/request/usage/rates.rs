//! The prices of a model on a day.

use super::tokens::Tokens;
use crate::request::provider::amount::{Price, Times, Usd};
use crate::request::provider::{Match, Model, ModelMatch};

/// The prices of the tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    input: Price,
    read: Times,
    write_5m: Times,
    write_1h: Times,
    write_other: Times,
    output: Option<Price>,
}

/// Five minutes and an hour, in seconds.
pub(super) const FIVE_MINUTES: u64 = 300;
pub(super) const HOUR: u64 = 3_600;

impl Rates {
    /// The rates of a request with this number of input tokens. None if the model has no price.
    #[must_use]
    pub(super) fn of(model: &Model, input: u64) -> Option<Self> {
        let prices = model.prices_of(input)?;
        let shortest = model.shortest().map_or(Times::ONE, |ttl| ttl.write);
        let write = |seconds: u64| {
            let found = model.ttls.iter().find(|ttl| ttl.seconds == seconds);
            found.map_or(shortest, |ttl| ttl.write)
        };
        Some(Self {
            input: prices.input,
            read: prices.read,
            write_5m: write(FIVE_MINUTES),
            write_1h: write(HOUR),
            write_other: shortest,
            output: prices.output,
        })
    }

    /// The prices of tokens. Those of the answer are counted as free if their price is not known.
    #[must_use]
    pub fn cost(&self, tokens: &Tokens) -> Usd {
        let input = [
            (tokens.fresh, Times::ONE),
            (tokens.read, self.read),
            (tokens.write_5m, self.write_5m),
            (tokens.write_1h, self.write_1h),
            (tokens.write_other, self.write_other),
        ];
        let input = input.into_iter();
        let input = input.fold(Usd::default(), |sum, (count, times)| {
            sum + self.input.of(count, times)
        });
        let output = self.output.map(|price| price.of(tokens.output, Times::ONE));
        input + output.unwrap_or_default()
    }

    /// The additional cost of an input compared with a cache read.
    #[must_use]
    pub fn lost(&self, tokens: &Tokens) -> Usd {
        self.cost(tokens) - self.input.of(tokens.input(), self.read)
    }

    /// Whether the price of the answer is known.
    #[must_use]
    pub(super) fn knows_output(&self) -> bool {
        self.output.is_some()
    }
}

/// The data about how a provider caches requests of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    /// How a request finds cached text.
    pub rule: Match,
    /// The shortest prefix that is cached, in tokens.
    pub min: u64,
    /// Tokens in a block.
    pub block: u64,
    /// The number of positions that a breakpoint looks back.
    pub lookback: usize,
    /// The default time to live, in seconds.
    pub ttl: Option<u64>,
}

impl Rule {
    /// How many of so many tokens that it has in common a request reads: whole blocks, and no fewer than the minimum.
    #[must_use]
    pub(super) fn whole(&self, tokens: u64) -> u64 {
        let tokens = match self.rule {
            Match::BlockFloor => tokens - tokens % self.block,
            _ => tokens,
        };
        if tokens < self.min { 0 } else { tokens }
    }

    /// The rule of a model; that of its API where no row names it.
    #[must_use]
    pub(super) fn of(found: Option<&ModelMatch>, needs_breakpoints: bool) -> Self {
        let model = found.and_then(|found| found.model.as_ref());
        let limits = model.map(|model| model.limits).unwrap_or_default();
        let provider = found.map(|found| &found.provider);
        let (rule, ttl) = match needs_breakpoints {
            true => (Match::Breakpoint, Some(FIVE_MINUTES)),
            false => (Match::OpaquePrefix, None),
        };
        Self {
            rule: provider.map_or(rule, |provider| provider.rule),
            min: limits.min.unwrap_or(0),
            block: limits.granularity.unwrap_or(1).max(1),
            lookback: provider
                .and_then(|p| p.lookback_blocks)
                .unwrap_or(usize::MAX),
            ttl: model
                .and_then(|m| m.shortest())
                .map(|ttl| ttl.seconds)
                .or(ttl),
        }
    }
}
