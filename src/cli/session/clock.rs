//! Times: the current time of a call, and how times are written.

use crate::text::duration;
pub(crate) use crate::text::time::rfc3339;

/// The age of a time at `now`, in its largest unit: `40s`, `5m`, `3h`, `12d`. A time in the future, by a clock that
/// runs ahead, is `in 5m`.
pub(crate) fn age(seconds: i64, now: i64) -> String {
    let ago = now.saturating_sub(seconds);
    let sign = if ago < 0 { "in " } else { "" };
    let (n, unit) = match ago.unsigned_abs() {
        s @ 0..60 => (s, "s"),
        s @ 60..3600 => (s / 60, "m"),
        s @ 3600..86400 => (s / 3600, "h"),
        s => (s / 86400, "d"),
    };
    format!("{sign}{n}{unit}")
}

/// A length of time, as an argument.
pub(crate) fn length(text: &str) -> Result<u64, String> {
    duration::seconds(text).map_err(|fault| match fault {
        duration::DurationError::Syntax => {
            "write whole numbers with their units, the largest first: 90s, 5m, 1h30m, 30d"
                .to_owned()
        }
        duration::DurationError::Range => "it must be from one second to 365 days".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::age;

    #[test]
    fn ages_have_one_unit() {
        for (ago, shown) in [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (3599, "59m"),
            (3600, "1h"),
            (86_399, "23h"),
            (86_400, "1d"),
            (400 * 86_400, "400d"),
            (-61, "in 1m"),
            (i64::MIN, "in 106751991167300d"),
        ] {
            assert_eq!(age(0_i64.saturating_sub(ago), 0), shown);
        }
    }
}
