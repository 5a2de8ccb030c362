//! The usage that a provider sent, read into buckets by the table of its fields.

use super::fields::{Found, Kind};
use super::tokens::Tokens;
use crate::text::Json;
use std::collections::BTreeSet;

/// The bill of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Billed {
    /// The tokens billed at the price of its model.
    pub tokens: Tokens,
    /// The counts that it has: one that is missing is no zero.
    pub told: Told,
    /// The times to live of tokens that were written for another time than five minutes and an hour.
    pub ttls: Vec<&'static str>,
    /// Additional work of the server, such as a compaction: the model, if it names another one, and its tokens.
    pub besides: Vec<(Option<String>, Tokens)>,
    /// The fields with a number that no table has, by their paths: their tokens are in no sum.
    pub unknown: BTreeSet<String>,
}

/// The counts that a usage has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Told {
    /// What was read from a cache.
    pub read: bool,
    /// What was written to one.
    pub write: bool,
    /// The answer.
    pub output: bool,
}

/// Why a usage cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The field for the input is missing.
    NoInput,
    /// A field of the table is no count: negative, a fraction, a text, or more than a request can have.
    NoCount,
    /// The input is less than the parts that it should include, or nothing says which parts it includes.
    Basis,
}

impl Refusal {
    /// The reason, as it is counted.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoInput => "a usage without the length of the input",
            Self::NoCount => "a usage with a number of tokens that is none",
            Self::Basis => "a usage whose input is less than what was read and written of it",
        }
    }
}

impl Billed {
    /// Reads a usage, as it was sent.
    ///
    /// # Errors
    /// When the length of the input is missing, a count is none, or the input is less than what it includes.
    pub fn read(usage: &Json) -> Result<Self, Refusal> {
        let found = Found::of(usage);
        let ttls = found.writes().into_iter();
        let ttls = ttls.filter(|(ttl, tokens)| *tokens > 0 && !["5m", "1h"].contains(ttl));
        let mut out = Self {
            tokens: tokens(&found)?,
            told: told(&found),
            ttls: ttls.map(|(ttl, _)| ttl).collect(),
            besides: Vec::new(),
            unknown: found.unknown,
        };
        for usage in found.besides {
            let model = usage.get("model").and_then(Json::as_text);
            let other = Self::read(usage)?;
            out.besides.push((model.map(str::to_owned), other.tokens));
            out.unknown.extend(other.unknown);
        }
        Ok(out)
    }
}

/// The counts that a usage has.
fn told(found: &Found<'_>) -> Told {
    let has = |kind| found.get(kind).is_some();
    // Gemini leaves out what is zero, as the JSON form of protocol buffers does (https://protobuf.dev/programming-guides/json/).
    let leaves_out_zeros = found.has("promptTokenCount");
    Told {
        read: leaves_out_zeros || has(Kind::Read),
        write: leaves_out_zeros || has(Kind::Write) || !found.writes().is_empty(),
        output: leaves_out_zeros || has(Kind::Output),
    }
}

/// The tokens by what is paid for them.
fn tokens(found: &Found<'_>) -> Result<Tokens, Refusal> {
    if !found.are_counts() {
        return Err(Refusal::NoCount);
    }
    let input = found.get(Kind::Input).ok_or(Refusal::NoInput)?;
    let get = |kind| found.get(kind).unwrap_or_default();
    let [read, extra, output, thinking] =
        [Kind::Read, Kind::Extra, Kind::Output, Kind::Thinking].map(get);
    let by_ttl = found.writes();
    let [write_5m, write_1h] = ["5m", "1h"].map(|ttl| by_ttl.get(ttl).copied().unwrap_or_default());
    let written = get(Kind::Write).max(by_ttl.values().sum());
    let mut writes = by_ttl
        .keys()
        .map(|ttl| Kind::WriteFor(ttl))
        .chain([Kind::Write]);
    let mut included = 0;
    if found.is_in(Kind::Read, Kind::Input) {
        included += read;
    }
    if writes.any(|kind| found.is_in(kind, Kind::Input)) {
        included += written;
    }
    let fresh = input.checked_sub(included).ok_or(Refusal::Basis)?;
    let is_besides = !found.is_in(Kind::Thinking, Kind::Output)
        || found.get(Kind::Total) == Some(input + extra + output + thinking);
    let tokens = Tokens {
        fresh: fresh + extra,
        read,
        write_5m,
        write_1h,
        write_other: written - write_5m - write_1h,
        output: output + if is_besides { thinking } else { 0 },
    };
    // Bedrock does not document what its input includes; its sum shows it, with what is cached (seen in real answers) or without.
    let sums = [tokens.fresh, tokens.input()].map(|input| input + tokens.output);
    match found.get(Kind::Sum) {
        Some(sum) if read + written > 0 && !sums.contains(&sum) => Err(Refusal::Basis),
        _ => Ok(tokens),
    }
}
