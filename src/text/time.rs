//! Points in time as text, in UTC.

use jiff::Timestamp;

/// A point in time, in seconds since 1970-01-01 UTC, as `2026-03-30T09:00:00Z`; none if no calendar has it.
#[must_use]
pub fn exact(seconds: i64) -> Option<String> {
    let at = Timestamp::from_second(seconds).ok()?;
    Some(at.to_string())
}

/// The time in RFC 3339. A time outside the calendar is the nearest one in it: a wrong clock must not end a report.
#[must_use]
pub fn rfc3339(seconds: i64) -> String {
    let nearest = if seconds < 0 {
        Timestamp::MIN.as_second()
    } else {
        Timestamp::MAX.as_second()
    };
    let reported = exact(seconds).or_else(|| exact(nearest));
    reported.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{exact, rfc3339};

    #[test]
    fn times_are_in_utc() {
        for (seconds, reported) in [
            (1_774_861_200, "2026-03-30T09:00:00Z"),
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(exact(seconds).as_deref(), Some(reported));
            assert_eq!(rfc3339(seconds), reported);
        }
    }

    #[test]
    fn a_time_outside_the_calendar_becomes_the_nearest() {
        for (seconds, year) in [(i64::MIN, "-009999-"), (i64::MAX, "9999-12-")] {
            assert_eq!(exact(seconds), None);
            assert!(rfc3339(seconds).starts_with(year), "{}", rfc3339(seconds));
        }
    }
}
