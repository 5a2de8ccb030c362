//! The rows of the first screen: days, or weeks or months where there are many of them.

use crate::project::usage::UsageReport;
use crate::request::provider::amount::Usd;
use crate::request::usage::Why;
use jiff::ToSpan as _;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};

/// The most rows by days, or by weeks.
const MOST: usize = 62;

/// How long a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Day,
    Week,
    Month,
}

impl Length {
    /// The name of a row.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// The first day of the row that a day is in.
    pub(super) fn start(self, day: Date) -> Date {
        match self {
            Self::Day => day,
            Self::Week => {
                let since_monday = i64::from(day.weekday().to_monday_zero_offset());
                day.checked_sub(since_monday.days()).unwrap_or(day)
            }
            Self::Month => day.first_of_month(),
        }
    }
}

/// The billed tokens of a period, by cause.
#[derive(Debug, Default)]
pub(super) struct Period {
    /// Its first day; none of requests without a time.
    pub(super) start: Option<Date>,
    /// The bill, and its avoidable part.
    pub(super) sums: BTreeMap<Why, (Usd, Usd)>,
}

impl Period {
    /// All of it.
    pub(super) fn sum(&self) -> (Usd, Usd) {
        let zero = (Usd::default(), Usd::default());
        let all = self.sums.values();
        all.fold(zero, |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// Its name.
    pub(super) fn name(&self, length: Length) -> String {
        match (self.start, length) {
            (None, _) => "no time".to_owned(),
            (Some(day), Length::Day) => day.to_string(),
            (Some(day), Length::Week) => format!("week of {day}"),
            (Some(day), Length::Month) => day.strftime("%Y-%m").to_string(),
        }
    }
}

/// The rows of a report by day and cause.
pub(super) fn periods(report: &UsageReport) -> (Length, Vec<Period>) {
    let day = |keys: &BTreeMap<String, String>| keys.get("day")?.parse::<Date>().ok();
    let days: BTreeSet<Option<Date>> = report.rows.iter().map(|row| day(&row.keys)).collect();
    let lengths = [Length::Day, Length::Week].into_iter();
    let mut fitting = lengths.filter(|length| {
        let starts = days.iter().flatten().map(|day| length.start(*day));
        starts.collect::<BTreeSet<_>>().len() <= MOST
    });
    let length = fitting.next().unwrap_or(Length::Month);
    let mut all: BTreeMap<Option<Date>, Period> = BTreeMap::new();
    for row in &report.rows {
        let start = day(&row.keys).map(|day| length.start(day));
        let cause = row.keys.get("cause").map(String::as_str);
        let Some(why) = Why::ALL.into_iter().find(|why| Some(why.name()) == cause) else {
            continue;
        };
        let period = all.entry(start).or_default();
        period.start = start;
        let sum = period.sums.entry(why).or_default();
        *sum = (sum.0 + row.billed.0, sum.1 + row.avoidable.0);
    }
    (length, all.into_values().collect())
}
