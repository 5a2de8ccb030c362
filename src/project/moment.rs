//! Times as callers write them.

use super::{Run, time};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::request::usage::Period;
use crate::session::history::Span;
use crate::template::fact;
use crate::text::duration;
use jiff::Timestamp;
use jiff::tz::Offset;

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Seconds since 1970-01-01 UTC.
    At(i64),
    /// Seconds before now.
    Ago(u64),
}

impl Moment {
    /// The time in seconds since 1970-01-01 UTC.
    pub(crate) fn seconds(self, now: i64) -> i64 {
        match self {
            Self::At(at) => at,
            Self::Ago(ago) => now.saturating_sub_unsigned(ago),
        }
    }
}

/// Reads a day, a time with its zone, or how long ago it was.
pub(crate) fn moment(text: &str) -> Result<Moment, String> {
    if let Ok(ago) = duration::seconds(text) {
        return Ok(Moment::Ago(ago));
    }
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Ok(Moment::At(at.as_second()));
    }
    let midnight = text.parse::<jiff::civil::Date>().ok();
    // A time without its zone would be read as its day.
    let midnight = midnight.filter(|date| text == date.to_string());
    midnight
        .and_then(|date| Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok())
        .map(|at| Moment::At(at.as_second()))
        .ok_or_else(|| {
            if fact::is_no_day(text) {
                return "no calendar has this day or time".to_owned();
            }
            "write a day as 2026-03-30, a time as 2026-03-30T09:00:00Z, or how long ago it was, up to 365d, as 7d or 1h30m"
                .to_owned()
        })
}

/// The time between two moments; `now` is in seconds since 1970-01-01 UTC.
pub(crate) fn span(
    since: Option<Moment>,
    until: Option<Moment>,
    now: i64,
    diags: &mut Diagnostics,
) -> Result<Span, ErrorReported> {
    let [since, until] = [since, until].map(|moment| moment.map(|m| m.seconds(now)));
    if since
        .zip(until)
        .is_some_and(|(since, until)| since >= until)
    {
        let message = "--since is not before --until";
        let found = Diagnostic::error(diagnostic::INVALID_TIME, message);
        return Err(diags.push(found.help("nothing is in that time; swap them, or leave one out")));
    }
    Ok(Span { since, until })
}

/// [`span`] as a period of requests; `now` is the time of the call, if the caller says it.
pub(crate) fn period(
    since: Option<Moment>,
    until: Option<Moment>,
    now: Option<&str>,
    run: &mut Run,
) -> Result<Period, ErrorReported> {
    let now = time(now, run)?;
    let Span { since, until } = span(since, until, now, &mut run.diags)?;
    let time = |seconds: i64| Timestamp::from_second(seconds).unwrap_or(Timestamp::MIN);
    Ok(Period {
        since: since.map(time),
        until: until.map(time),
    })
}

#[cfg(test)]
mod tests {
    use super::{Moment, moment};

    #[test]
    fn days_times_and_lengths_are_moments() {
        assert_eq!(moment("1970-01-02"), Ok(Moment::At(86_400)));
        assert_eq!(moment("1970-01-01T01:00:00Z"), Ok(Moment::At(3600)));
        assert_eq!(moment("1970-01-01T01:00:00+01:00"), Ok(Moment::At(0)));
        assert_eq!(moment("7d"), Ok(Moment::Ago(7 * 86_400)));
    }

    #[test]
    fn nothing_else_is_a_moment() {
        for text in [
            "",
            "now",
            "yesterday",
            "2026-02-30",
            "2026-03-30T09:00:00",
            "2026-03-30 09:00",
            "20260330",
            "7",
            "-7d",
            "0d",
        ] {
            assert!(moment(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_day_that_is_in_no_calendar_has_the_right_form() {
        for text in ["2026-02-30", "2026-13-01", "2026-03-30T25:00:00Z"] {
            let error = moment(text).unwrap_err();
            assert_eq!(error, "no calendar has this day or time", "{text}");
        }
        assert!(moment("2026-3-30").unwrap_err().starts_with("write a day"));
    }
}
