//! Lengths of time as manifests and options write them: `90s`, `5m`, `1h30m`, `7d`.

/// The longest that can be written, in seconds: 365 days.
pub const LONGEST: u64 = 365 * DAY;

const DAY: u64 = 24 * 60 * 60;

/// The units, largest first, in seconds. A day has 24 hours: no calendar is used.
const UNITS: [(char, u64); 4] = [('d', DAY), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// Why a text is no length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DurationError {
    /// It is not whole numbers, each with its unit, the largest unit first.
    Syntax,
    /// It is no time at all, or longer than [`LONGEST`].
    Range,
}

/// The whole seconds of a length of time, from 1 to [`LONGEST`].
///
/// # Errors
/// When it is not well formed, or too short or long.
pub fn seconds(text: &str) -> Result<u64, DurationError> {
    let mut units = UNITS.iter();
    let mut rest = text;
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        let unit = after.chars().next();
        // Units that were skipped cannot come later: units descend, each at most once.
        let factor = units.find(|(name, _)| Some(*name) == unit);
        let (false, Some((name, factor))) = (number.is_empty(), factor) else {
            return Err(DurationError::Syntax);
        };
        // Only digits: what does not parse is too large.
        let number: u64 = number.parse().unwrap_or(u64::MAX);
        sum = sum.saturating_add(number.saturating_mul(*factor));
        rest = &after[name.len_utf8()..];
    }
    match sum {
        _ if text.is_empty() => Err(DurationError::Syntax),
        1..=LONGEST => Ok(sum),
        _ => Err(DurationError::Range),
    }
}

/// Seconds as they would be written, the largest unit first.
#[must_use]
pub fn written(seconds: u64) -> String {
    let mut rest = seconds;
    let mut out = String::new();
    for (name, factor) in UNITS {
        if rest >= factor || (factor == 1 && out.is_empty()) {
            out.push_str(&format!("{}{name}", rest / factor));
            rest %= factor;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_descend_and_add_up() {
        for (text, sum) in [
            ("1s", 1),
            ("90s", 90),
            ("5m", 300),
            ("1h", 3600),
            ("1h30m", 5400),
            ("1d2h3m4s", 93784),
            ("1d1s", 86401),
            ("0d5m", 300),
            ("365d", LONGEST),
        ] {
            assert_eq!(seconds(text), Ok(sum), "{text}");
            assert_eq!(seconds(&written(sum)), Ok(sum), "{text}");
        }
        let shown = [0, 59, 60, 5400, 93784, 400 * DAY].map(written);
        assert_eq!(shown, ["0s", "59s", "1m", "1h30m", "1d2h3m4s", "400d"]);
    }

    #[test]
    fn nothing_else_is_a_length_of_time() {
        for text in [
            "", "5", "m", "5 m", " 5m", "5m ", "-5m", "+5m", "1.5h", "5M", "5min", "30m1h", "1m1m",
            "1h30", "PT5M", "٥m", "5µs",
        ] {
            assert_eq!(seconds(text), Err(DurationError::Syntax), "{text:?}");
        }
        for text in ["0s", "0h0m", "366d", "365d1s", "99999999999999999999999s"] {
            assert_eq!(seconds(text), Err(DurationError::Range), "{text:?}");
        }
    }
}
