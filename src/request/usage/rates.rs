//! The prices of a model on a day.

use super::tokens::Tokens;
use crate::request::provider::amount::{Price, Times, Usd};
use crate::request::provider::{Match, Model, ModelMatch, Multiplier, Term, Ttl};
use crate::request::whole::Terms;
use jiff::Timestamp;

/// The prices of the tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    fresh: Price,
    read: Rate,
    write_5m: Rate,
    write_1h: Rate,
    write_other: Rate,
    output: Option<Price>,
}

/// A multiple of a price.
type Rate = (Price, Times);

/// Five minutes and an hour, in seconds.
pub(super) const FIVE_MINUTES: u64 = 300;
pub(super) const HOUR: u64 = 3_600;

/// What the prices of a request depend on, besides its model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Priced<'a> {
    /// The tokens of its input.
    pub(super) input: u64,
    /// The times to live of what was written for another one than five minutes and an hour.
    pub(super) ttls: &'a [&'static str],
    /// What it and its answer name.
    pub(super) terms: &'a Terms,
    /// When it was sent.
    pub(super) time: Option<Timestamp>,
}

/// What changes a price and is in no table: its name and its value.
pub type Unpriced = (&'static str, String);

/// The values that change no price: those of the SDKs that `PLACES` in `whole/terms.rs` names.
const PLAIN: [&str; 10] = [
    "standard",
    "standard_only",
    "default",
    "auto",
    "unspecified",
    "on_demand",
    "traffic_type_unspecified",
    "global",
    "not_available",
    "not_applied",
];

impl Rates {
    /// The rates of a request. None if the model has no price.
    #[must_use]
    pub(super) fn of(found: &ModelMatch, sent: Priced<'_>) -> Option<Self> {
        let model = found.model.as_ref()?;
        let prices = model.prices_of(sent.input)?;
        let shortest = model.shortest().map_or(Times::ONE, |ttl| ttl.write);
        let [five, hour] = [FIVE_MINUTES, HOUR].map(|seconds| {
            let found = model.ttls.iter().find(|ttl| ttl.seconds == seconds);
            found.map_or(shortest, |ttl| ttl.write)
        });
        let other = match sent.ttls {
            [only] => ttl(model, only).map(|ttl| ttl.write),
            _ => None,
        };
        let peak = model.peak.as_ref();
        let peak = peak.filter(|peak| sent.time.is_some_and(|time| peak.counts_at(time)));
        let named = multipliers(found, sent.terms).filter_map(|(_, _, found)| found);
        let named: Vec<&Multiplier> = named.collect();
        let all = |price: Price| {
            let factors = named.iter().map(|by| by.factor);
            let factors = factors.chain(peak.map(|peak| peak.factor));
            factors.fold(price, Price::times)
        };
        let read = named.iter().map(|by| by.read.unwrap_or(by.factor));
        let read = read.chain(peak.map(|peak| peak.factor));
        let read = (read.fold(prices.input, Price::times), prices.read);
        let fresh = all(prices.input);
        let as_read = named.iter().any(|by| by.write_as_read);
        let write = |times| if as_read { read } else { (fresh, times) };
        Some(Self {
            fresh,
            read,
            write_5m: write(five),
            write_1h: write(hour),
            write_other: write(other.unwrap_or(shortest)),
            output: prices.output.map(all),
        })
    }

    /// The prices of tokens. Those of the answer are counted as free if their price is not known.
    #[must_use]
    pub fn cost(&self, tokens: &Tokens) -> Usd {
        let input = [
            (tokens.fresh, (self.fresh, Times::ONE)),
            (tokens.read, self.read),
            (tokens.write_5m, self.write_5m),
            (tokens.write_1h, self.write_1h),
            (tokens.write_other, self.write_other),
        ];
        let input = input.into_iter();
        let input = input.fold(Usd::default(), |sum, (count, (price, times))| {
            sum + price.of(count, times)
        });
        let output = self.output.map(|price| price.of(tokens.output, Times::ONE));
        input + output.unwrap_or_default()
    }

    /// The additional cost of an input compared with a cache read.
    #[must_use]
    pub fn lost(&self, tokens: &Tokens) -> Usd {
        let (price, times) = self.read;
        self.cost(tokens) - price.of(tokens.input(), times)
    }

    /// Whether the price of the answer is known.
    #[must_use]
    pub(super) fn knows_output(&self) -> bool {
        self.output.is_some()
    }
}

/// What a request names that its rates leave out: the table has no row for it.
pub(super) fn unpriced(found: &ModelMatch, sent: Priced<'_>) -> Vec<Unpriced> {
    let Some(model) = found.model.as_ref().filter(|model| model.prices.is_some()) else {
        return Vec::new();
    };
    let terms = multipliers(found, sent.terms).filter(|(_, _, found)| found.is_none());
    let terms = terms.map(|(term, value, _)| (term.name(), value.to_owned()));
    // Tokens of several times to live are in one bucket, which has one price.
    let is_mixed = sent.ttls.len() > 1;
    let ttls = sent
        .ttls
        .iter()
        .filter(|name| is_mixed || ttl(model, name).is_none());
    let ttls = ttls.map(|name| ("ttl", (*name).to_owned()));
    let is_timeless = model.peak.is_some() && sent.time.is_none();
    let peak = is_timeless.then(|| ("time", "peak hours".to_owned()));
    terms.chain(ttls).chain(peak).collect()
}

fn ttl<'m>(model: &'m Model, name: &str) -> Option<&'m Ttl> {
    model.ttls.iter().find(|ttl| ttl.name == name)
}

/// The terms that may change a price, each with its row: that of the model, else that of the provider.
fn multipliers<'m>(
    found: &'m ModelMatch,
    terms: &'m Terms,
) -> impl Iterator<Item = (Term, &'m str, Option<&'m Multiplier>)> {
    let rows = found.model.iter().flat_map(|model| &model.multipliers);
    let rows = rows.chain(&found.provider.multipliers);
    terms.iter().filter_map(move |(term, value)| {
        let row = rows.clone().find(|row| row.is_for(*term, value));
        let is_plain = PLAIN.iter().any(|plain| plain.eq_ignore_ascii_case(value));
        (row.is_some() || !is_plain).then_some((*term, value.as_str(), row))
    })
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
        let (rule, ttl) = if needs_breakpoints {
            (Match::Breakpoint, Some(FIVE_MINUTES))
        } else {
            (Match::OpaquePrefix, None)
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
