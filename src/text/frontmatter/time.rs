//! Dates and times of YAML 1.1, written as Python prints them.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A date in full; with a time, month, day and hour may have one digit.
static DATE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^([0-9]{4})-([0-9]{2})-([0-9]{2})$").ok());
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2}) (?:[Tt]|[\ \t]+)
          ([0-9]{1,2}):([0-9]{2}):([0-9]{2}) (?:\.([0-9]*))?
          (?:[\ \t]*(?:(Z)|([-+])([0-9]{1,2})(?::([0-9]{2}))?))?$",
    )
    .ok()
});

/// The text of a date or time; none if it has another form.
///
/// # Errors
/// When it has the form and does not exist.
pub(super) fn written(text: &str) -> Option<Result<String, ()>> {
    let captures = |regex: &'static Option<Regex>| regex.as_ref()?.captures(text);
    if let Some(found) = captures(&DATE) {
        return Some(date(&found).ok_or(()));
    }
    captures(&TIME).map(|found| time(&found).ok_or(()))
}

fn number(found: &Captures<'_>, group: usize) -> u32 {
    let digits = found.get(group).map_or("", |m| m.as_str());
    digits.parse().unwrap_or(0)
}

fn date(found: &Captures<'_>) -> Option<String> {
    let (year, month, day) = (number(found, 1), number(found, 2), number(found, 3));
    let narrow = |n: u32| i8::try_from(n).ok();
    jiff::civil::Date::new(i16::try_from(year).ok()?, narrow(month)?, narrow(day)?).ok()?;
    (year > 0).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

fn time(found: &Captures<'_>) -> Option<String> {
    let (hour, minute, second) = (number(found, 4), number(found, 5), number(found, 6));
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut out = date(found)? + &format!(" {hour:02}:{minute:02}:{second:02}");
    // Microseconds, what is finer is cut off.
    let digits = found.get(7).map_or("", |m| m.as_str());
    let micros: String = digits.chars().chain("000000".chars()).take(6).collect();
    if micros != "000000" {
        out.push('.');
        out.push_str(&micros);
    }
    if found.get(8).is_some() {
        out.push_str("+00:00");
    } else if let Some(sign) = found.get(9) {
        let offset = number(found, 10) * 60 + number(found, 11);
        if offset >= 24 * 60 {
            return None;
        }
        let sign = if offset == 0 { "+" } else { sign.as_str() };
        out.push_str(&format!("{sign}{:02}:{:02}", offset / 60, offset % 60));
    }
    Some(out)
}
