//! Tokens by what was paid for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, Range};

/// Tokens of one or more requests, each in one bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tokens {
    /// The tokens of the input that are neither read from a cache nor written to one.
    pub fresh: u64,
    /// Read from a cache.
    pub read: u64,
    /// Written to a cache, to live five minutes.
    pub write_5m: u64,
    /// Written to a cache, to live an hour.
    pub write_1h: u64,
    /// Written to a cache, to live for another time or one that is not known.
    pub write_other: u64,
    /// The tokens of the answer.
    pub output: u64,
}

impl Tokens {
    /// All of the input.
    #[must_use]
    pub fn input(&self) -> u64 {
        self.read + self.written() + self.fresh
    }

    /// The tokens written to a cache.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.write_1h + self.write_5m + self.write_other
    }

    /// The input between two positions, in tokens from its start. Read tokens come first, then written ones, with the
    /// longer times to live first; the rest comes last.
    #[must_use]
    pub fn slice(&self, range: Range<u64>) -> Self {
        let mut start = 0;
        let mut part = |count: u64| {
            let end = start + count;
            let found = range.end.min(end).saturating_sub(range.start.max(start));
            start = end;
            found
        };
        Self {
            read: part(self.read),
            write_1h: part(self.write_1h),
            write_5m: part(self.write_5m),
            write_other: part(self.write_other),
            fresh: part(self.fresh),
            output: 0,
        }
    }

    /// The output alone.
    #[must_use]
    pub fn answer(&self) -> Self {
        Self {
            output: self.output,
            ..Self::default()
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.input() + self.output == 0
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.fresh += other.fresh;
        self.read += other.read;
        self.write_5m += other.write_5m;
        self.write_1h += other.write_1h;
        self.write_other += other.write_other;
        self.output += other.output;
    }
}

/// A share of tokens, rounded down: so many of `all` parts.
pub(super) fn share(tokens: u64, parts: u64, all: u64) -> u64 {
    (u128::from(tokens) * u128::from(parts) / u128::from(all.max(1))) as u64
}
