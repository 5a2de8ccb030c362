//! What a break costs: how much of the request a provider could reuse before and after it, and the price of the difference.
//!
//! A token that is written again in place of being read costs (write - read) times the price of the input, by the multiples
//! of the model. Parts stand in the order tools, system text.

use crate::diff;
use crate::emit::allowed;
use crate::emit::place::{place, stretches};
use crate::prompt::{Deliver, Prompt};
use crate::provider::amount::{Times, Usd};
use crate::provider::rule::{Place, Reuse, reuse};
use crate::provider::{Found, Limits, Model, Prices, Ttl};
use crate::tokens::Tokenizer;

/// Asks for costs.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The model, as it was named.
    pub name: &'a str,
    /// What is known of it.
    pub found: &'a Found,
    /// Counts tokens.
    pub tokenizer: Tokenizer,
    /// How many requests a day would break so.
    pub requests: Option<u64>,
}

/// What it costs to send B where A may be cached.
#[must_use]
pub fn of(a: &Prompt, b: &Prompt, asked: Asked<'_>) -> diff::Cost {
    let (whole, same) = common(a, b, asked.tokenizer);
    between(&places(a, asked), &places(b, asked), whole, same, asked)
}

/// Tokens of B's tools and system text, and how many of them stand at the start of A's, too.
fn common(a: &Prompt, b: &Prompt, tokenizer: Tokenizer) -> (u64, u64) {
    let (mut whole, mut same, mut broken) = (0, 0, false);
    for deliver in [Deliver::Tools, Deliver::System] {
        let (old, new) = (a.text(deliver), b.text(deliver));
        let count = tokenizer.count(new) as u64;
        whole += count;
        if broken {
            continue;
        }
        broken = old != new;
        same += match broken {
            true => tokenizer.count_common(old, new) as u64,
            false => count,
        };
    }
    (whole, same)
}

/// The places that a request marks; each is behind one block.
fn places(prompt: &Prompt, asked: Asked<'_>) -> Vec<Place> {
    let placement = place(&stretches(prompt, asked.tokenizer), allowed(asked.found));
    let marked = placement.marked().enumerate();
    marked
        .map(|(index, stretch)| Place {
            tokens: stretch.tokens,
            blocks: index + 1,
        })
        .collect()
}

/// The cost of a request of `whole` tokens of which the first `same` are as before.
fn between(
    written: &[Place],
    sent: &[Place],
    whole: u64,
    same: u64,
    asked: Asked<'_>,
) -> diff::Cost {
    let Asked {
        name,
        found,
        tokenizer,
        requests,
    } = asked;
    let model = found.model.as_ref();
    let limits = model.map_or_else(Limits::default, |m| m.limits);
    let before = reuse(&found.provider, limits, sent, sent, whole);
    let after = reuse(&found.provider, limits, written, sent, same);
    let ttl = model.and_then(Model::shortest);
    let rewritten = rewritten(before, after);
    let prices = model.and_then(|m| m.prices_of(whole));
    let (once, surcharge) = prices.map_or((None, None), |p| {
        let (once, surcharge) = price(p, ttl, rewritten);
        (Some(once), Some(surcharge))
    });
    let source = model.map_or(&found.provider.source, |m| &m.source);
    diff::Cost {
        model: name.to_owned(),
        provider: found.provider.name.clone(),
        rule: found.provider.rule.name().to_owned(),
        tokenizer: tokenizer.name.to_owned(),
        estimate: !tokenizer.is_exact(),
        before: before.tokens,
        after: after.tokens,
        at_most: before.at_most,
        rewritten,
        ttl: ttl.map(|t| t.name.clone()),
        usd: once.map(Usd::value),
        requests_per_day: requests,
        usd_per_day: requests.zip(once).map(|(n, usd)| (usd * n).value()),
        surcharge_per_day: requests.zip(surcharge).map(|(n, usd)| (usd * n).value()),
        peak: model.and_then(|m| m.peak.as_ref()).map(|peak| {
            let (hours, days) = (peak.hours.join(", "), &peak.days);
            format!("{} times that at {hours} UTC, {days}", peak.factor.value())
        }),
        as_of: source.as_of.to_string(),
    }
}

/// How many tokens are written again. Where nobody says how much of a prefix is kept, it can be all that was.
fn rewritten(before: Reuse, after: Reuse) -> u64 {
    match before.at_most {
        true => before.tokens,
        false => before.tokens.saturating_sub(after.tokens),
    }
}

/// What they cost beyond reading them; and beyond the plain input, which is paid on top when every request breaks.
fn price(prices: Prices, ttl: Option<&Ttl>, rewritten: u64) -> (Usd, Usd) {
    let write = ttl.map_or(Times::ONE, |ttl| ttl.write);
    (
        prices.input.of(rewritten, write - prices.read),
        prices.input.of(rewritten, write - Times::ONE),
    )
}
