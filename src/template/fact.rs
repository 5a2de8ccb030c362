//! Typed values: what a fact may hold, how each kind is read and how it prints.

use crate::diagnostic::span::Spanned;
use crate::diagnostic::{Diagnostic, INVALID_TIME};
use crate::manifest::model::{FactType, Written};
use crate::text::Json;
use jiff::civil::Date;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The value of a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum FactValue {
    /// Text.
    String(Arc<str>),
    /// A whole number.
    Int(i64),
    /// A finite number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A day.
    Date(Date),
    /// A point in time.
    DateTime(DateTime),
    /// An ordered list of any values.
    List(Json),
    /// Names to values, in code point order.
    Map(Json),
}

/// A point in time as it was written: the clock's reading and, unless it was left out, the distance from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateTime {
    /// The clock's types.
    pub civil: jiff::civil::DateTime,
    /// The distance from UTC.
    pub offset: Option<Offset>,
}

/// A value of another type than declared. It says what was expected and never what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// The expected value, such as `a whole number`.
    pub expected: &'static str,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl std::error::Error for Mismatch {}

/// Why the clock cannot give a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockError {
    /// The time zone database has no zone of that name.
    UnknownZone,
    /// The seconds lie outside the years that a calendar date can express.
    OutOfRange,
    /// Only dates and date-times can be read from a clock.
    NotATime(Mismatch),
}

/// The form of a value of type `kind`.
#[must_use]
pub fn expectation(kind: FactType) -> Mismatch {
    Mismatch {
        expected: match kind {
            FactType::String => "a string",
            FactType::Int => "a whole number of 64 bits",
            FactType::Float => "a finite number",
            FactType::Bool => "true or false",
            FactType::Date => "a date such as 2026-03-30",
            FactType::DateTime => "a date and time such as 2026-03-30T09:00:00Z",
            FactType::List => "a list",
            FactType::Map => "a map",
        },
    }
}

/// What is wrong with a text that is no value of type `kind`.
fn mismatch(kind: FactType, text: &str) -> Mismatch {
    let is_time = matches!(kind, FactType::Date | FactType::DateTime);
    if is_time && is_no_day(text) {
        Mismatch {
            expected: "a day or time of the calendar, though it has the form of one",
        }
    } else {
        expectation(kind)
    }
}

/// A value of type `kind` as an example in messages; none if it is no date.
#[must_use]
pub fn example(kind: FactType) -> Option<&'static str> {
    match kind {
        FactType::Date => Some("2026-03-30"),
        FactType::DateTime => Some("2026-03-30T09:00:00Z"),
        _ => None,
    }
}

impl FactValue {
    /// Reads a JSON value; null is a missing value.
    ///
    /// # Errors
    /// When the value has another type.
    pub fn from_json(kind: FactType, json: &Json) -> Result<Option<Self>, Mismatch> {
        let value = match (kind, json) {
            (_, Json::Null) => return Ok(None),
            (FactType::String, Json::Text(s)) => Some(Self::String(s.clone())),
            (FactType::Int, Json::Number(n)) => n.as_i64().map(Self::Int),
            (FactType::Float, Json::Number(n)) => n.as_f64().and_then(Self::float),
            (FactType::Bool, Json::Bool(b)) => Some(Self::Bool(*b)),
            (FactType::Date, Json::Text(s)) => parse_date(s).map(Self::Date),
            (FactType::DateTime, Json::Text(s)) => DateTime::parse(s).map(Self::DateTime),
            (FactType::List, Json::List(_)) => Some(Self::List(json.clone())),
            (FactType::Map, Json::Object(_)) => Some(Self::Map(json.clone())),
            _ => None,
        };
        value.map(Some).ok_or_else(|| match json {
            Json::Text(text) => mismatch(kind, text),
            _ => expectation(kind),
        })
    }

    /// Reads the text of a `--set` or of an environment variable. Lists and maps are JSON.
    ///
    /// # Errors
    /// When the text is no value of that type.
    pub fn from_text(kind: FactType, text: &str) -> Result<Self, Mismatch> {
        let value = match kind {
            FactType::String => Some(Self::String(text.into())),
            FactType::Int => text.parse().ok().map(Self::Int),
            FactType::Float => text.parse().ok().and_then(Self::float),
            FactType::Bool => match text {
                "true" | "1" => Some(Self::Bool(true)),
                "false" | "0" => Some(Self::Bool(false)),
                _ => None,
            },
            FactType::Date => parse_date(text).map(Self::Date),
            FactType::DateTime => DateTime::parse(text).map(Self::DateTime),
            FactType::List | FactType::Map => Json::read_fact(text.as_bytes())
                .ok()
                .and_then(|json| Self::from_json(kind, &json).ok().flatten()),
        };
        value.ok_or(match kind {
            FactType::Bool => Mismatch {
                expected: "true, false, 1 or 0",
            },
            FactType::List => Mismatch {
                expected: "a list in JSON, such as [\"a\",\"b\"]",
            },
            FactType::Map => Mismatch {
                expected: "a map in JSON, such as {\"a\":1}",
            },
            _ => mismatch(kind, text),
        })
    }

    /// Reads a value written in a manifest: a list is all arguments, a map is the braces, anything else is exactly one
    /// argument. A single `#null` is a missing value.
    ///
    /// # Errors
    /// When what is written is no value of that type.
    pub fn from_written(kind: FactType, written: &Written) -> Result<Option<Self>, Mismatch> {
        let wrong = expectation(kind);
        match (kind, &written.entries, written.args.as_slice()) {
            (FactType::List, None, args) => Ok(Some(Self::List(written_list(args).into()))),
            (FactType::Map, Some(entries), []) => {
                written_map(entries).map(|map| Some(Self::Map(map.into())))
            }
            (FactType::List, ..) => Err(wrong),
            (_, None, [one]) => Self::from_json(kind, &one.value.clone().into()),
            (FactType::Map, ..) => Err(Mismatch {
                expected: "a map in braces, such as { key value }",
            }),
            _ => Err(wrong),
        }
    }

    /// The time `seconds` after 1970-01-01 UTC in the zone [of that name](time_zone).
    ///
    /// # Errors
    /// When there is no such zone, or `kind` is no date.
    pub fn from_clock(kind: FactType, seconds: i64, zone: &str) -> Result<Self, ClockError> {
        if !matches!(kind, FactType::Date | FactType::DateTime) {
            return Err(ClockError::NotATime(Mismatch {
                expected: "a fact of type date or datetime",
            }));
        }
        let zone = time_zone(zone).ok_or(ClockError::UnknownZone)?;
        let now = jiff::Timestamp::from_second(seconds).map_err(|_| ClockError::OutOfRange)?;
        let now = DateTime::at(now, &zone);
        Ok(match kind {
            FactType::Date => Self::Date(now.civil.date()),
            _ => Self::DateTime(now),
        })
    }

    /// The same value; a point in time with an offset [in this zone](DateTime::in_zone), if that can be said.
    #[must_use]
    pub fn in_zone(self, zone: &str) -> Self {
        let Self::DateTime(time) = self else {
            return self;
        };
        let moved = time_zone(zone).and_then(|zone| time.in_zone(&zone));
        Self::DateTime(moved.unwrap_or(time))
    }

    /// The value as JSON; dates are strings.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::String(s) => Json::Text(s.clone()),
            Self::Int(n) => Json::Number((*n).into()),
            Self::Float(n) => Value::from(*n).into(),
            Self::Bool(b) => Json::Bool(*b),
            Self::Date(d) => Json::text(d.to_string()),
            Self::DateTime(d) => Json::text(d.to_string()),
            Self::List(json) | Self::Map(json) => json.clone(),
        }
    }

    /// The text of the value in a prompt; none for booleans, lists and maps, which have no text of their own.
    #[must_use]
    pub fn printed(&self) -> Option<Arc<str>> {
        match self {
            Self::String(s) => Some(s.clone()),
            Self::Int(n) => Some(n.to_string().into()),
            Self::Float(n) => Some(float_text(*n).into()),
            Self::Date(d) => Some(d.to_string().into()),
            Self::DateTime(d) => Some(d.to_string().into()),
            Self::Bool(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    fn float(n: f64) -> Option<Self> {
        n.is_finite().then_some(Self::Float(n))
    }
}

impl DateTime {
    /// A point in time as the clocks of a zone show it.
    fn at(time: jiff::Timestamp, zone: &TimeZone) -> Self {
        let offset = zone.to_offset(time);
        Self {
            civil: offset.to_datetime(time),
            offset: Some(offset),
        }
    }

    /// The same point in time as the clocks of a zone show it; none without an offset, or beyond the calendar's end.
    #[must_use]
    pub fn in_zone(self, zone: &TimeZone) -> Option<Self> {
        let time = self.offset?.to_timestamp(self.civil).ok()?;
        Some(Self::at(time, zone))
    }

    /// Reads RFC 3339, with `Z`, a numeric offset or none; fractions of a second are preserved.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let date = parse_date(text.get(..10)?)?;
        if !matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' ')) {
            return None;
        }
        let pieces = DateTimeParser::new().parse_pieces(text).ok()?;
        if pieces.date() != date || pieces.time_zone_annotation().is_some() {
            return None;
        }
        Some(Self {
            civil: date.to_datetime(pieces.time()?),
            offset: pieces.to_numeric_offset(),
        })
    }
}

impl fmt::Display for DateTime {
    /// ISO 8601 with seconds; a fraction only if it is not zero; the offset in digits, also for UTC.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.civil)?;
        let Some(offset) = self.offset else {
            return Ok(());
        };
        let seconds = offset.seconds();
        let sign = if seconds < 0 { '-' } else { '+' };
        let rest = seconds.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", rest / 3600, rest / 60 % 60)?;
        match rest % 60 {
            0 => Ok(()),
            seconds => write!(f, ":{seconds:02}"),
        }
    }
}

/// The time zone `utc` (any case), or that of an IANA name. Only the database inside promptc is used.
#[must_use]
pub fn time_zone(name: &str) -> Option<TimeZone> {
    if name.eq_ignore_ascii_case("utc") {
        Some(TimeZone::UTC)
    } else {
        TimeZoneDatabase::bundled().get(name).ok()
    }
}

/// Reads `2026-03-30`, in this form only.
#[must_use]
pub fn parse_date(text: &str) -> Option<Date> {
    let digits = |range: std::ops::Range<usize>| {
        let part = text.get(range)?;
        part.bytes().all(|b| b.is_ascii_digit()).then_some(part)
    };
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    if text.len() != 10 || text.as_bytes()[4] != b'-' || text.as_bytes()[7] != b'-' {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Whether it has the form of a date, or of a date and time, and no calendar or clock has it, such as `2026-02-30`.
#[must_use]
pub fn is_no_day(text: &str) -> bool {
    // The first day of a calendar at midnight has the same form.
    let digits = |c: char| if c.is_ascii_digit() { '0' } else { c };
    let zeros: String = text.chars().map(digits).collect();
    let Some(behind) = zeros.strip_prefix("0000-00-00") else {
        return false;
    };
    let first = format!("0000-01-01{behind}");
    let has_form = parse_date(&first).is_some() || DateTime::parse(&first).is_some();
    has_form && parse_date(text).is_none() && DateTime::parse(text).is_none()
}

/// The time that `--now` gives, in seconds since 1970-01-01 UTC.
///
/// # Errors
/// When the text is no point in time.
pub fn now(text: &str) -> Result<i64, Box<Diagnostic>> {
    let time = text.parse::<jiff::Timestamp>();
    time.map(jiff::Timestamp::as_second).map_err(|_| {
        let message = if is_no_day(text) {
            "--now is a day or time that no calendar has"
        } else {
            "--now is not a point in time"
        };
        let found = Diagnostic::error(INVALID_TIME, message);
        Box::new(found.help("write RFC 3339, such as 2026-03-30T09:00:00Z"))
    })
}

/// The shortest decimal that reads back as the same double, always with a point and never with an exponent.
#[must_use]
pub fn float_text(n: f64) -> String {
    let mut text = n.to_string();
    if !text.contains('.') {
        text.push_str(".0");
    }
    text
}

fn written_list(args: &[Spanned<Value>]) -> Value {
    args.iter().map(|a| a.value.clone()).collect()
}

fn written_map(entries: &[(Spanned<String>, Written)]) -> Result<Value, Mismatch> {
    let mut map = serde_json::Map::new();
    for (key, value) in entries {
        if map
            .insert(key.value.clone(), written_json(value)?)
            .is_some()
        {
            return Err(Mismatch {
                expected: "each key once",
            });
        }
    }
    Ok(Value::Object(map))
}

/// Inside a map there are no declared types: one argument is itself, several (or none) are a list, braces are a map.
fn written_json(written: &Written) -> Result<Value, Mismatch> {
    match (&written.entries, written.args.as_slice()) {
        (None, [one]) => Ok(one.value.clone()),
        (None, args) => Ok(written_list(args)),
        (Some(entries), []) => written_map(entries),
        (Some(_), _) => Err(Mismatch {
            expected: "either arguments or braces, not both",
        }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::diagnostic::span::{Files, Span};
    use serde_json::json;

    fn span() -> Span {
        Span::new(Files::default().add("m", ""), 0..0)
    }

    fn written(args: &[Value], entries: Option<Vec<(&str, Written)>>) -> Written {
        Written {
            args: args
                .iter()
                .map(|a| Spanned::new(a.clone(), span()))
                .collect(),
            entries: entries.map(|e| {
                e.into_iter()
                    .map(|(k, v)| (Spanned::new(k.to_owned(), span()), v))
                    .collect()
            }),
            span: span(),
        }
    }

    fn from_json(kind: FactType, value: Value) -> Result<Option<FactValue>, Mismatch> {
        FactValue::from_json(kind, &value.into())
    }

    fn printed(kind: FactType, text: &str) -> String {
        let value = FactValue::from_text(kind, text).unwrap();
        value.printed().unwrap().to_string()
    }

    #[test]
    fn numbers_print_plainly() {
        assert_eq!(
            printed(FactType::Int, "-9223372036854775808"),
            "-9223372036854775808"
        );
        assert_eq!(printed(FactType::Float, "1"), "1.0");
        assert_eq!(printed(FactType::Float, "0.1"), "0.1");
        assert_eq!(printed(FactType::Float, "1e21"), "1000000000000000000000.0");
        assert_eq!(printed(FactType::Float, "1e-7"), "0.0000001");
        for bad in ["inf", "NaN", "1e999", "", " 1"] {
            assert!(FactValue::from_text(FactType::Float, bad).is_err(), "{bad}");
        }
        assert!(FactValue::from_text(FactType::Int, "1.0").is_err());
        assert!(FactValue::from_text(FactType::Int, "9223372036854775808").is_err());
    }

    #[test]
    fn dates_are_strict_and_print_as_iso() {
        assert_eq!(printed(FactType::Date, "2026-03-30"), "2026-03-30");
        for bad in [
            "2026-3-30",
            "2026-02-30",
            "2026-03-30T10:00",
            "20260330",
            "+026-03-30",
            "2026-03-3é",
        ] {
            assert!(FactValue::from_text(FactType::Date, bad).is_err(), "{bad}");
        }
        for (text, print) in [
            ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00+00:00"),
            ("2026-11-21T10:00:00-05:30", "2026-11-21T10:00:00-05:30"),
            ("2026-11-21 10:00", "2026-11-21T10:00:00"),
            ("2026-11-21T10:00:00.250Z", "2026-11-21T10:00:00.25+00:00"),
            ("2026-11-21T10:00:00.000", "2026-11-21T10:00:00"),
        ] {
            assert_eq!(printed(FactType::DateTime, text), print);
        }
        for bad in [
            "2026-11-21",
            "2026-11-21T10:00:00[Europe/Zurich]",
            "2026-11-21T25:00:00",
            "now",
        ] {
            assert!(
                FactValue::from_text(FactType::DateTime, bad).is_err(),
                "{bad}"
            );
        }
    }

    #[test]
    fn the_clock_reads_in_its_zone() {
        let read = |kind, zone| FactValue::from_clock(kind, 1_774_908_000, zone);
        let show = |kind, zone| read(kind, zone).unwrap().printed().unwrap().to_string();
        assert_eq!(show(FactType::DateTime, "UTC"), "2026-03-30T22:00:00+00:00");
        assert_eq!(
            show(FactType::DateTime, "Europe/Zurich"),
            "2026-03-31T00:00:00+02:00"
        );
        assert_eq!(show(FactType::Date, "Europe/Zurich"), "2026-03-31");
        assert_eq!(
            read(FactType::Date, "Mars/Olympus"),
            Err(ClockError::UnknownZone)
        );
        assert!(matches!(
            read(FactType::Int, "utc"),
            Err(ClockError::NotATime(_))
        ));
        let far = FactValue::from_clock(FactType::Date, i64::MAX, "utc");
        assert_eq!(far, Err(ClockError::OutOfRange));
    }

    #[test]
    fn a_point_in_time_moves_to_a_zone() {
        let berlin = time_zone("Europe/Berlin").unwrap();
        let moved = |text: &str| {
            DateTime::parse(text)?
                .in_zone(&berlin)
                .map(|t| t.to_string())
        };
        for (text, wanted) in [
            // Spring: the hour from 2 to 3 is none.
            ("2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"),
            ("2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"),
            // Autumn: it is there twice.
            ("2026-10-25T00:30:00Z", "2026-10-25T02:30:00+02:00"),
            ("2026-10-25T01:30:00Z", "2026-10-25T02:30:00+01:00"),
            (
                "2026-12-31T18:00:00.25-08:00",
                "2027-01-01T03:00:00.25+01:00",
            ),
        ] {
            assert_eq!(moved(text).as_deref(), Some(wanted));
            assert_eq!(moved(wanted).as_deref(), Some(wanted));
        }
        // Without an offset it is no point in time.
        assert_eq!(moved("2026-03-29T02:30:00"), None);
        assert_eq!(moved("9999-12-31T23:00:00-12:00"), None);
        assert!(time_zone("UTC").is_some() && time_zone("Mars/Olympus").is_none());
    }

    #[test]
    fn json_null_is_missing_and_types_are_exact() {
        for kind in FactType::ALL {
            assert_eq!(from_json(kind, Value::Null), Ok(None));
        }
        assert!(from_json(FactType::String, json!(1)).is_err());
        assert!(from_json(FactType::Int, json!(1.5)).is_err());
        assert!(from_json(FactType::Bool, json!("true")).is_err());
        let map = from_json(FactType::Map, json!({"b": 1, "a": [null]}))
            .unwrap()
            .unwrap();
        assert_eq!(map.to_json().to_string(), r#"{"a":[null],"b":1}"#);
        assert_eq!(map.printed(), None);
    }

    #[test]
    fn text_of_lists_and_booleans() {
        let list = FactValue::from_text(FactType::List, r#"["a",1]"#).unwrap();
        assert_eq!(list, FactValue::List(json!(["a", 1]).into()));
        let wrong = FactValue::from_text(FactType::List, "a,b").unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "expected a list in JSON, such as [\"a\",\"b\"]"
        );
        assert!(FactValue::from_text(FactType::List, "null").is_err());
        assert_eq!(
            FactValue::from_text(FactType::Bool, "1"),
            Ok(FactValue::Bool(true))
        );
        assert!(FactValue::from_text(FactType::Bool, "yes").is_err());
    }

    #[test]
    fn written_values() {
        let read = |kind, w: &Written| FactValue::from_written(kind, w);
        let none = written(&[], None);
        assert_eq!(
            read(FactType::List, &none),
            Ok(Some(FactValue::List(json!([]).into())))
        );
        assert!(read(FactType::String, &none).is_err());
        let two = written(&[json!("a"), json!(2)], None);
        assert_eq!(
            read(FactType::List, &two),
            Ok(Some(FactValue::List(json!(["a", 2]).into())))
        );
        assert!(read(FactType::String, &two).is_err());
        let one = written(&[json!("2026-03-30")], None);
        assert!(matches!(
            read(FactType::Date, &one),
            Ok(Some(FactValue::Date(_)))
        ));
        assert!(read(FactType::Int, &one).is_err());
        let map = written(
            &[],
            Some(vec![
                ("mood", written(&[json!("good")], None)),
                ("tags", written(&[json!("x"), json!("y")], None)),
                (
                    "deep",
                    written(&[], Some(vec![("k", written(&[json!(1)], None))])),
                ),
            ]),
        );
        let value = read(FactType::Map, &map).unwrap().unwrap();
        let json = r#"{"deep":{"k":1},"mood":"good","tags":["x","y"]}"#;
        assert_eq!(value.to_json().to_string(), json);
        assert!(read(FactType::List, &map).is_err());
        let twice = written(&[], Some(vec![("a", one.clone()), ("a", one.clone())]));
        assert!(read(FactType::Map, &twice).is_err());
        assert_eq!(
            read(FactType::Int, &written(&[Value::Null], None)),
            Ok(None)
        );
    }
}
