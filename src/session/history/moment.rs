//! Spans of time and their parts, in UTC. Times are seconds since 1970-01-01.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// From when to when: `since` is part of it, `until` is not. Without one there is no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The first second.
    pub since: Option<i64>,
    /// The second after the last.
    pub until: Option<i64>,
}

impl Span {
    /// Whether a time is part of it.
    #[must_use]
    pub fn holds(self, at: i64) -> bool {
        self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
    }
}

/// The parts that a span of time is divided into.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Hours.
    Hour,
    /// Days, from midnight.
    Day,
    /// Weeks, from Monday.
    Week,
    /// Months of the calendar.
    Month,
}

impl By {
    /// The smallest parts of which the time between two moments is not too many: hours up to two days, days up to sixty,
    /// weeks up to sixty.
    #[must_use]
    pub fn of(first: i64, last: i64) -> Self {
        match last.saturating_sub(first) {
            ..=172_800 => Self::Hour,
            172_801..=5_184_000 => Self::Day,
            5_184_001..=36_288_000 => Self::Week,
            _ => Self::Month,
        }
    }

    /// The number of the part that a moment lies in; neighbours have numbers one apart.
    #[must_use]
    pub fn number(self, at: i64) -> i64 {
        match self {
            Self::Hour => at.div_euclid(HOUR),
            Self::Day => at.div_euclid(DAY),
            // 1970-01-01 was a Thursday.
            Self::Week => (at.div_euclid(DAY) + 3).div_euclid(7),
            Self::Month => {
                let date = Offset::UTC.to_datetime(timestamp(at)).date();
                i64::from(date.year()) * 12 + i64::from(date.month()) - 1
            }
        }
    }

    /// The first second of a part.
    #[must_use]
    pub fn start(self, number: i64) -> i64 {
        match self {
            Self::Hour => number.saturating_mul(HOUR),
            Self::Day => number.saturating_mul(DAY),
            Self::Week => number
                .saturating_mul(7)
                .saturating_sub(3)
                .saturating_mul(DAY),
            Self::Month => {
                let year = i16::try_from(number.div_euclid(12));
                let month = i8::try_from(number.rem_euclid(12) + 1);
                let date = year.ok().zip(month.ok());
                let date = date.and_then(|(year, month)| Date::new(year, month, 1).ok());
                let start = date.and_then(|d| Offset::UTC.to_timestamp(d.at(0, 0, 0, 0)).ok());
                start.map_or(0, Timestamp::as_second)
            }
        }
    }
}

/// The nearest moment that has a date: a clock that is wrong must not end a report.
fn timestamp(at: i64) -> Timestamp {
    let nearest = if at < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_second(at).unwrap_or(nearest)
}
