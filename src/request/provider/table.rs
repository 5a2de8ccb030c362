//! The table: providers with their rules, models with their prices.

use super::amount::{Price, Times};
use crate::text::tokens::Tokenizer;
use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Facts about providers and models, as of one day.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// When it was last looked over as a whole.
    pub as_of: Date,
    /// Providers, in the order in which they are listed.
    pub providers: Vec<Provider>,
    /// Models, in the order in which they are listed.
    pub models: Vec<Model>,
}

/// A provider, and the rules of its cache.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Provider {
    /// Its name in tables.
    #[serde(rename = "provider")]
    pub name: String,
    /// How a request finds cached text.
    #[serde(rename = "match")]
    pub rule: Match,
    /// Whether its rows apply only to names with its prefix, such as `vllm/qwen3`.
    pub only_named: bool,
    /// The tokenizer that counts its tokens here; null if unknown.
    pub tokenizer: Option<Tokenizer>,
    /// The number of content blocks that each breakpoint looks back for one that was written before; null if there is no such bound.
    pub lookback_blocks: Option<usize>,
    /// The number of latest breakpoints that are looked up; null if there is no such bound.
    pub lookback_breakpoints: Option<usize>,
    /// The parts of a request in the order of the prefix; empty if unknown.
    pub order: Vec<String>,
    /// The field that marks a breakpoint.
    pub marker: Option<String>,
    /// The key that routes requests with one prefix to one place.
    pub routing: Option<String>,
    /// The fields of a response with the cache counts.
    pub usage: Option<Usage>,
    /// The users that share a cache.
    pub scope: Option<String>,
    /// The provider's own report of a cache miss.
    pub diagnostics: Option<String>,
    /// What changes the prices of all its models; the same of a model counts first.
    pub multipliers: Vec<Multiplier>,
    /// Notes.
    pub notes: Vec<String>,
    /// Where it is from.
    pub source: Source,
}

/// How a request finds cached text of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Match {
    /// Up to a place that an earlier request marked, and this one marks or looks back to.
    Breakpoint,
    /// Down to a whole number of blocks of tokens.
    BlockFloor,
    /// The longest common prefix of tokens.
    Lcp,
    /// At most the longest common prefix; the provider does not say how much of it.
    OpaquePrefix,
    /// A stored part that requests name, whole or not at all.
    NamedResource,
    /// Like the provider that it forwards to.
    Passthrough,
}

impl Match {
    /// All rules with their words in tables.
    pub const ALL: [(&'static str, Self); 6] = [
        ("breakpoint", Self::Breakpoint),
        ("block-floor", Self::BlockFloor),
        ("lcp", Self::Lcp),
        ("opaque-prefix", Self::OpaquePrefix),
        ("named-resource", Self::NamedResource),
        ("passthrough", Self::Passthrough),
    ];

    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        let known = Self::ALL.into_iter().find(|(_, rule)| *rule == self);
        known.map_or("", |(name, _)| name)
    }
}

/// The fields of a response with the cache counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Usage {
    /// Tokens read from the cache.
    pub read: Option<String>,
    /// Tokens written to it.
    pub write: Option<String>,
    /// Tokens that missed it.
    pub miss: Option<String>,
    /// Whether the count of the input includes those; null if unknown.
    pub includes_cached: Option<bool>,
}

/// Where a row is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Source {
    /// The document.
    pub text: String,
    /// When it was read.
    pub as_of: Date,
    /// The confidence in it.
    pub confidence: Confidence,
}

/// The confidence in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A third party's measurement or a conclusion.
    Low,
    /// Second hand, or seen in part.
    Medium,
    /// The provider's own word or code.
    High,
}

impl Confidence {
    /// All of them with their words.
    pub const ALL: [(&'static str, Self); 3] = [
        ("high", Self::High),
        ("medium", Self::Medium),
        ("low", Self::Low),
    ];

    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// A model, or several by a pattern.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Model {
    /// Its names; `*` matches any characters.
    #[serde(rename = "models")]
    pub patterns: Vec<String>,
    /// Its provider.
    pub provider: String,
    /// The prices of tokens; null if there is no price per token or it is unknown.
    #[serde(rename = "price")]
    pub prices: Option<Prices>,
    /// The minimum and the steps of caching.
    #[serde(flatten)]
    pub limits: Limits,
    /// Whether a request may end with the beginning of the answer.
    pub prefill: bool,
    /// The lifetimes of cached text, the shortest first; empty if the provider decides and charges nothing for it.
    pub ttls: Vec<Ttl>,
    /// Prices of longer requests.
    pub above: Vec<Above>,
    /// When it is more expensive; null if never.
    pub peak: Option<Peak>,
    /// What changes its prices.
    pub multipliers: Vec<Multiplier>,
    /// The first day of the row; null if it has none.
    pub from: Option<Date>,
    /// The last day of the row; null if it has none.
    pub until: Option<Date>,
    /// Notes.
    pub notes: Vec<String>,
    /// Where it is from.
    pub source: Source,
}

/// The prices of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Price")]
pub struct Prices {
    /// A million tokens of input, in US dollars.
    pub input: Price,
    /// A token that is read from the cache, as a multiple of that.
    pub read: Times,
    /// A million tokens of output, in US dollars; null if unknown.
    pub output: Option<Price>,
}

/// The minimum and the steps of caching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Limits {
    /// The shortest prefix that is cached, in tokens; null if unknown.
    pub min: Option<u64>,
    /// Tokens in a block; null if unknown.
    pub granularity: Option<u64>,
    /// The most breakpoints of a request; 0 where it has none.
    pub breakpoints: usize,
}

/// The lifetime of a cached prefix, and the cost of writing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Ttl {
    /// As requests write it, such as `5m`.
    #[serde(rename = "ttl")]
    pub name: String,
    /// The duration in seconds.
    pub seconds: u64,
    /// A token that is written, as a multiple of the price of the input.
    pub write: Times,
    /// The only kind of request that can ask for it; null if all can.
    pub only: Option<Only>,
}

/// The only kind of request that can ask for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// Those of OpenAI's Responses.
    Responses,
}

/// Prices of requests with more than so many tokens of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Above {
    /// More than these.
    pub tokens: u64,
    /// The prices then.
    #[serde(rename = "price")]
    pub prices: Prices,
}

/// Hours in which a model is more expensive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Peak {
    /// From and to, UTC, such as `01:00-04:00`.
    pub hours: Vec<String>,
    /// On which days, such as `Mon-Fri`.
    pub days: String,
    /// All prices, as a multiple of those of the row.
    pub factor: Times,
}

impl Peak {
    /// The words for days. `FROM-TO` is any other row of days.
    const EVERY_DAY: &str = "every day";

    /// Whether these are days: `every day`, `Mon-Fri` or `Sat`, several with commas between them.
    #[must_use]
    pub fn are_days(days: &str) -> bool {
        days == Self::EVERY_DAY || days.split(',').all(|days| row_of_days(days).is_some())
    }

    /// Whether it is more expensive at a time.
    #[must_use]
    pub fn counts_at(&self, time: Timestamp) -> bool {
        let time = time.to_zoned(TimeZone::UTC);
        let (day, clock) = (time.weekday(), time.strftime("%H:%M").to_string());
        let is_on = |days: &str| {
            let row = row_of_days(days);
            // The distance from the first day is that of the last one at most.
            row.is_some_and(|(first, last)| first.until(day) <= first.until(last))
        };
        let is_in = |hours: &String| {
            hours.split_once('-').is_some_and(|(from, to)| {
                let (after, before) = (from <= clock.as_str(), clock.as_str() < to);
                // Hours may go over midnight.
                if from < to {
                    after && before
                } else {
                    after || before
                }
            })
        };
        (self.days == Self::EVERY_DAY || self.days.split(',').any(is_on))
            && self.hours.iter().any(is_in)
    }
}

/// `Mon-Fri`, or `Sat`.
fn row_of_days(text: &str) -> Option<(Weekday, Weekday)> {
    const DAYS: [(&str, Weekday); 7] = [
        ("Mon", Weekday::Monday),
        ("Tue", Weekday::Tuesday),
        ("Wed", Weekday::Wednesday),
        ("Thu", Weekday::Thursday),
        ("Fri", Weekday::Friday),
        ("Sat", Weekday::Saturday),
        ("Sun", Weekday::Sunday),
    ];
    let day = |word: &str| {
        DAYS.iter()
            .find(|(name, _)| *name == word)
            .map(|(_, day)| *day)
    };
    let (first, last) = text
        .trim()
        .split_once('-')
        .unwrap_or((text.trim(), text.trim()));
    Some((day(first)?, day(last)?))
}

/// What a request or its answer can name that changes the prices of its tokens.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// Anthropic's fast mode.
    Speed,
    /// How soon the provider answers: flex, priority, a batch.
    ServiceTier,
    /// Where the model runs.
    InferenceGeo,
    /// A retry of what another model refused.
    FallbackCredit,
    /// Bedrock's faster machines.
    Latency,
}

impl Term {
    /// All of them with their words in tables and logs.
    pub const ALL: [(&'static str, Self); 5] = [
        ("speed", Self::Speed),
        ("service_tier", Self::ServiceTier),
        ("inference_geo", Self::InferenceGeo),
        ("fallback_credit", Self::FallbackCredit),
        ("latency", Self::Latency),
    ];

    /// The word in tables and logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        let known = Self::ALL.into_iter().find(|(_, term)| *term == self);
        known.map_or("", |(name, _)| name)
    }
}

/// What some values of a term do to the prices of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Multiplier {
    /// The term.
    pub term: Term,
    /// Its values.
    pub values: Vec<String>,
    /// All prices, as a multiple of those of the row.
    pub factor: Times,
    /// The price of a token that is read, as a multiple of that of the row; null if it is `factor`.
    pub read: Option<Times>,
    /// Whether a token that is written costs what one that is read does.
    pub write_as_read: bool,
}

impl Multiplier {
    /// Whether it is for this value of a term.
    #[must_use]
    pub fn is_for(&self, term: Term, value: &str) -> bool {
        self.term == term
            && self
                .values
                .iter()
                .any(|own| own.eq_ignore_ascii_case(value))
    }
}

impl Model {
    /// Whether the row counts on a day.
    #[must_use]
    pub fn counts_on(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day <= until)
    }

    /// The prices for a request with so many tokens of input.
    #[must_use]
    pub fn prices_of(&self, tokens: u64) -> Option<Prices> {
        let reached = self.above.iter().filter(|above| tokens > above.tokens);
        let highest = reached.max_by_key(|above| above.tokens);
        highest.map(|above| above.prices).or(self.prices)
    }

    /// The default time to live.
    #[must_use]
    pub fn shortest(&self) -> Option<&Ttl> {
        self.ttls.first()
    }
}

#[cfg(test)]
mod tests {
    use super::{Confidence, Match, Peak, Term, Times};

    #[test]
    fn json_has_the_words_of_tables() {
        for (word, rule) in Match::ALL {
            assert_eq!(serde_json::to_value(rule).unwrap(), word);
        }
        for (word, confidence) in Confidence::ALL {
            assert_eq!(serde_json::to_value(confidence).unwrap(), word);
        }
        for (word, term) in Term::ALL {
            assert_eq!(serde_json::to_value(term).unwrap(), word);
        }
    }

    #[test]
    fn peak_hours_are_from_one_minute_to_before_another() {
        let peak = |hours: &str, days: &str| Peak {
            hours: vec![hours.to_owned()],
            days: days.to_owned(),
            factor: Times::ONE,
        };
        // 2026-11-23 is a Monday.
        let counts = |peak: &Peak, time: &str| peak.counts_at(time.parse().unwrap());
        let week = peak("01:00-04:00", "Mon-Fri");
        assert!(counts(&week, "2026-11-23T01:00:00Z") && counts(&week, "2026-11-27T03:59:59Z"));
        assert!(!counts(&week, "2026-11-23T04:00:00Z") && !counts(&week, "2026-11-28T02:00:00Z"));
        let night = peak("22:00-02:00", "every day");
        assert!(counts(&night, "2026-11-28T23:00:00Z") && counts(&night, "2026-11-28T01:59:00Z"));
        assert!(!counts(&night, "2026-11-28T02:00:00Z"));
        let end = peak("20:00-24:00", "Sat-Mon,Wed");
        assert!(counts(&end, "2026-11-29T23:59:59Z") && counts(&end, "2026-11-25T20:00:00Z"));
        assert!(!counts(&end, "2026-11-24T20:00:00Z"));
        assert!(
            !Peak::are_days("weekdays") && !Peak::are_days("") && Peak::are_days("Sun, Mon-Tue")
        );
    }
}
