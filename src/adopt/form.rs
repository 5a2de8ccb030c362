//! The type of a fact, by the form of all its values, and how a template prints it.

use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime::BrokenDownTime;

/// The formats of dates. Where two formats fit all values, day and month are ambiguous, and the fact stays text.
const DATES: &[&str] = &[
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%-d.%-m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%A, %Y-%m-%d",
    "%A %Y-%m-%d",
    "%A, %d.%m.%Y",
    "%A, %d/%m/%Y",
    "%A, %B %-d, %Y",
    "%A, %-d %B %Y",
    "%A %-d %B %Y",
    "%a, %-d %b %Y",
    "%a %-d %b %Y",
    "%B %-d, %Y",
    "%-d %B %Y",
    "%b %-d, %Y",
    "%-d %b %Y",
];
/// The separator of a date and a time.
const BETWEEN: &[&str] = &["T", " ", ", ", " at ", ", at "];
/// The formats of times; what follows, such as a zone, has to be the same in all values.
const TIMES: &[&str] = &["%H:%M:%S", "%H:%M", "%-I:%M %p", "%I:%M %p"];
/// An integer of more digits is a code.
const MOST_DIGITS: usize = 9;

/// The form of all values of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Int,
    /// A date in a format of strftime.
    Date(String),
    /// A date with a time.
    Moment(String),
}

impl Form {
    /// The form that all values have; of a fact that some dumps lack it is text.
    pub(super) fn of(values: &[Option<&str>]) -> Self {
        let Some(values) = values.iter().copied().collect::<Option<Vec<&str>>>() else {
            return Self::Text;
        };
        if values.iter().all(|v| is_int(v)) {
            return Self::Int;
        }
        let dates: Vec<String> = DATES.iter().map(|&f| f.to_owned()).collect();
        if let Some(format) = only(&values, &dates, date) {
            return Self::Date(format);
        }
        let moments = moments(values.first().copied().unwrap_or_default());
        only(&values, &moments, moment).map_or(Self::Text, Self::Moment)
    }

    /// Its type in a manifest.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Int => "int",
            Self::Date(_) => "date",
            Self::Moment(_) => "datetime",
        }
    }

    /// The value that a scenario sets; none if that is its text.
    pub(super) fn value(&self, text: &str) -> Option<String> {
        match self {
            Self::Text => None,
            Self::Int => Some(text.to_owned()),
            Self::Date(format) => Some(format!("\"{}\"", date(text, format)?)),
            Self::Moment(format) => Some(format!(
                "\"{}\"",
                moment(text, format)?.strftime("%Y-%m-%dT%H:%M:%S")
            )),
        }
    }

    /// The expression with which a template prints the fact called `name`.
    pub(super) fn printed(&self, name: &str) -> String {
        match self {
            Self::Date(format) if format == DATES[0] => name.to_owned(),
            Self::Date(format) | Self::Moment(format) => {
                let format = format.replace('\\', "\\\\").replace('\'', "\\'");
                format!("{name} | date('{format}')")
            }
            Self::Text | Self::Int => name.to_owned(),
        }
    }
}

/// The format that all values are written in; none if another one would read something else in them.
fn only<T: PartialEq>(
    values: &[&str],
    formats: &[String],
    read: fn(&str, &str) -> Option<T>,
) -> Option<String> {
    let all = |format: &String| -> Option<Vec<T>> {
        values.iter().map(|value| read(value, format)).collect()
    };
    let mut fitting = formats
        .iter()
        .filter_map(|format| Some((format, all(format)?)));
    let (format, first) = fitting.next()?;
    fitting
        .all(|(_, other)| other == first)
        .then(|| format.clone())
}

fn is_int(text: &str) -> bool {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    digits && (1..=MOST_DIGITS).contains(&text.len()) && (text == "0" || !text.starts_with('0'))
}

/// The date that is written so, if it is written back as it was.
fn date(text: &str, format: &str) -> Option<Date> {
    let date = BrokenDownTime::parse(format, text).ok()?.to_date().ok()?;
    (date.strftime(format).to_string() == text).then_some(date)
}

/// The date and time that `text` is in this format; none unless the format writes it back unchanged.
fn moment(text: &str, format: &str) -> Option<DateTime> {
    let time = BrokenDownTime::parse(format, text)
        .ok()?
        .to_datetime()
        .ok()?;
    (time.strftime(format).to_string() == text).then_some(time)
}

/// The formats of a date with a time that `text` may be written in.
fn moments(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for date in DATES {
        for between in BETWEEN {
            for time in TIMES {
                let format = format!("{date}{between}{time}");
                let Ok((_, end)) = BrokenDownTime::parse_prefix(&format, text) else {
                    continue;
                };
                let rest = &text[end..];
                if !rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.')) {
                    out.push(format + &rest.replace('%', "%%"));
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn a_form_is_that_of_all_values() {
        let of = |values: &[&str]| {
            let values: Vec<Option<&str>> = values.iter().map(|v| Some(*v)).collect();
            let form = Form::of(&values);
            (
                form.word(),
                form.printed("x"),
                form.value(values[0].unwrap()),
            )
        };
        let set = |text: &str| Some(format!("\"{text}\""));
        let text = ("string", "x".to_owned(), None);
        assert_eq!(
            of(&["2026-03-30", "2026-04-01"]),
            ("date", "x".into(), set("2026-03-30"))
        );
        let german = ("date", "x | date('%d.%m.%Y')".into(), set("2026-03-30"));
        assert_eq!(of(&["30.03.2026", "01.04.2026"]), german);
        let long = (
            "date",
            "x | date('%A, %B %-d, %Y')".into(),
            set("2026-03-30"),
        );
        assert_eq!(
            of(&["Monday, March 30, 2026", "Wednesday, April 1, 2026"]),
            long
        );
        let time = (
            "datetime",
            "x | date('%Y-%m-%d %H:%M UTC')".into(),
            set("2026-03-30T09:15:00"),
        );
        assert_eq!(of(&["2026-03-30 09:15 UTC", "2026-04-02 17:40 UTC"]), time);
        assert_eq!(of(&["17", "3"]), ("int", "x".into(), Some("17".to_owned())));
        // Day and month are ambiguous, a leading zero is significant, a weekday is wrong, or the values do not have the
        // same form.
        for values in [
            ["04/05/2026", "06/05/2026"],
            ["0187", "0188"],
            ["Sunday, March 30, 2026", "Wednesday, April 1, 2026"],
            ["2026-03-30", "today"],
            ["12345678901", "12345678902"],
            ["2026-03-30 09:15 UTC", "2026-04-02 17:40 CET"],
        ] {
            assert_eq!(of(&values), text, "{values:?}");
        }
        assert_eq!(Form::of(&[Some("3"), None]), Form::Text);
    }
}
