//! Our own filters, tests and functions. Their names and bytes belong to the language.

use super::failure::{Planted, plant};
use super::objects::{Context, PartObject};
use super::print::{bounded, is_document, kind_name, number_text, text_of, unprintable};
use super::weigh::weighed;
use crate::diagnostic::{LITERAL_REQUIRED, TEMPLATE_FAILED, UNDEFINED_VALUE};
use crate::template::fact::{self, DateTime};
use crate::text::{is_invisible, measure};
use jiff::fmt::strtime::{BrokenDownTime, Config, PosixCustom};
use jiff::tz::TimeZoneDatabase;
use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Environment, Error, State};
use std::fmt::Write as _;

/// The most levels to which `json` follows lists and maps.
const MAX_JSON_DEPTH: usize = 128;

/// Adds all of them.
pub(super) fn install(env: &mut Environment<'_>) {
    env.add_filter("date", date);
    env.add_filter("zone", zone);
    env.add_filter("thousands", thousands);
    env.add_filter("percent", percent);
    env.add_filter("xml", xml);
    env.add_filter("fence", fence);
    env.add_filter("sanitize", sanitize);
    env.add_filter("json", |state: &State, value: &Value| {
        weighed(state, value)?;
        json(value)
    });
    env.add_filter("numbered", numbered);
    env.add_filter("bullet", |state: &State, value: &Value| {
        weighed(state, value)?;
        bullet(value)
    });
    env.add_test("containing_any", containing_any);
    env.add_test("number", |v: &Value| v.kind() == ValueKind::Number);
    env.add_function("exists", exists);
    env.add_function("loaded", loaded);
}

fn failed(message: impl Into<String>) -> Planted {
    plant(TEMPLATE_FAILED, message)
}

/// strftime in English, with the C locale's `%c`, `%x`, `%X` and `%r`.
fn date(value: &Value, format: &str) -> Result<String, Error> {
    let text = text_of(value)?;
    let time = if let Some(date) = fact::parse_date(&text) {
        BrokenDownTime::from(date)
    } else if let Some(time) = DateTime::parse(&text) {
        let mut broken = BrokenDownTime::from(time.civil);
        broken.set_offset(time.offset);
        broken
    } else {
        return Err(if fact::is_no_day(&text) {
            failed("`date` is given a day or time that no calendar has")
        } else {
            failed("`date` is given a value that is not a date")
        }
        .help("it takes a fact of type date or datetime, or text such as 2026-03-30")
        .into());
    };
    Ok(written(&time, format).ok_or_else(|| unwritten(&time, format))?)
}

/// A point in time in a time zone, in the form in which it prints.
fn zone(value: &Value, zone: &str) -> Result<String, Error> {
    let text = text_of(value)?;
    let Some(to) = fact::time_zone(zone) else {
        return Err(failed("`zone` is given a time zone that there is not")
            .quoting(zone, format!("there is no time zone `{zone}`"))
            .help("zones are `utc` and those of the IANA database, such as Europe/Zurich")
            .into());
    };
    let Some(time) = DateTime::parse(&text) else {
        return Err(failed("`zone` is given a value that is no date and time")
            .help("it takes a fact of type datetime, or text such as 2026-03-30T09:00:00Z")
            .into());
    };
    let moved = time.in_zone(&to).ok_or_else(|| match time.offset {
        Some(_) => failed("`zone` is given a time at the end of the calendar")
            .help("its years go from 0 to 9999"),
        None => failed("`zone` is given a time without an offset, so it is no point in time")
            .help("give the time with its offset, such as 2026-03-30T09:00:00Z"),
    })?;
    Ok(moved.to_string())
}

fn written(time: &BrokenDownTime, format: &str) -> Option<String> {
    let config = Config::new().custom(PosixCustom::new());
    time.to_string_with_config(&config, format).ok()
}

/// The error for a format that `time` cannot be written in: the first part of it that fails by itself.
fn unwritten(time: &BrokenDownTime, format: &str) -> Planted {
    let failed = failed("`date` cannot write this value in that format").help(
        "a date has no hours, a time without an offset has no zone, and %% is a percent sign",
    );
    let Some(part) = parts(format).find(|part| written(time, part).is_none()) else {
        return failed;
    };
    let zone = TimeZoneDatabase::bundled().get("Europe/Zurich");
    let full = zone.map(|zone| BrokenDownTime::from(&jiff::Timestamp::UNIX_EPOCH.to_zoned(zone)));
    let is_known = full.is_ok_and(|full| written(&full, part).is_some());
    if is_known {
        failed.quoting(part, format!("`date` cannot write `{part}` of this value"))
    } else {
        failed
    .quoting(part, format!("`date` has no `{part}`"))
    .help("the letters are those of strftime, such as %Y, %m, %d, %H and %M; %% is a percent sign")
    }
}

/// The conversions of a format, each from its percent sign to its letter.
fn parts(format: &str) -> impl Iterator<Item = &str> {
    let mut rest = format;
    std::iter::from_fn(move || {
        rest = &rest[rest.find('%')?..];
        let is_option = |c: char| c.is_ascii_digit() || "-_0^#:.".contains(c);
        let letter = rest.char_indices().skip(1).find(|(_, c)| !is_option(*c));
        let end = letter.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (part, behind) = rest.split_at(end);
        rest = behind;
        Some(part)
    })
}

/// A number with a comma between each three digits of its whole part.
fn thousands(value: &Value) -> Result<String, Error> {
    let text = number_argument("thousands", value)?;
    let (sign, rest) = text.strip_prefix('-').map_or(("", &*text), |r| ("-", r));
    let (whole, fraction) = rest.find('.').map_or((rest, ""), |at| rest.split_at(at));
    Ok(format!("{sign}{}{fraction}", measure::thousands(whole)))
}

fn number_argument(filter: &str, value: &Value) -> Result<String, Error> {
    match value.kind() {
        ValueKind::Number => number_text(value),
        ValueKind::Undefined => Err(missing(filter).into()),
        _ => {
            let what = kind_name(value);
            Err(failed(format!("`{filter}` takes a number, and this is {what}")).into())
        }
    }
}

fn missing(filter: &str) -> Planted {
    plant(
        UNDEFINED_VALUE,
        format!("`{filter}` is given a missing value"),
    )
    .help("test it first: {% if x %}, `x is defined`, or x | default(\"…\")")
}

/// See [`measure::percent`].
fn percent(value: &Value, limit: &Value) -> Result<i64, Error> {
    number_argument("percent", value)?;
    number_argument("percent", limit)?;
    let (n, limit) = (f64::try_from(value.clone())?, f64::try_from(limit.clone())?);
    Ok(measure::percent(n, limit))
}

/// Escapes `& < > " '` as `&amp; &lt; &gt; &quot; &#x27;`.
fn xml(value: &Value) -> Result<Value, Error> {
    let text = text_of(value)?;
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Ok(unchanged(value, &text));
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            c => out.push(c),
        }
    }
    Ok(Value::from(out))
}

/// A text that a filter left unchanged: the very same value, whose bytes keep their owner.
fn unchanged(value: &Value, text: &str) -> Value {
    match value.as_str() {
        Some(_) => value.clone(),
        None => Value::from(text),
    }
}

/// A Markdown code fence with at least three backticks, and more than any run inside.
fn fence(value: &Value, lang: Option<&str>, kwargs: Kwargs) -> Result<String, Error> {
    let lang = match lang {
        Some(lang) => lang,
        None => kwargs.get::<Option<&str>>("lang")?.unwrap_or_default(),
    };
    kwargs.assert_all_used()?;
    if lang.contains(['`', '\n', '\r']) {
        return Err(failed("the language of a `fence` is one word").into());
    }
    let text = text_of(value)?;
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Ok(format!("{ticks}{lang}\n{text}{end}{ticks}"))
}

/// Drops control and format characters (Cc, Cf: line breaks too) and U+2028 and U+2029.
fn sanitize(value: &Value) -> Result<Value, Error> {
    let keep = |c: &char| !c.is_control() && !is_invisible(*c);
    let text = text_of(value)?;
    if text.chars().all(|c| keep(&c)) {
        return Ok(unchanged(value, &text));
    }
    Ok(Value::from(text.chars().filter(keep).collect::<String>()))
}

/// JSON without spaces, keys in code point order, nothing escaped that JSON does not require.
fn json(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    write_json(&mut out, value, 0)?;
    Ok(out)
}

fn write_json(out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
    if depth > MAX_JSON_DEPTH {
        return Err(failed(format!("`json` is given more than {MAX_JSON_DEPTH} levels")).into());
    }
    if let Some(text) = value.as_str() {
        return write_json_string(out, text);
    }
    if value.downcast_object_ref::<PartObject>().is_some() {
        return write_json_string(out, &text_of(value)?);
    }
    match value.kind() {
        ValueKind::None => out.push_str("null"),
        ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => out.push_str(&number_text(value)?),
        ValueKind::Undefined => return Err(missing("json").into()),
        ValueKind::Seq | ValueKind::Iterable => {
            out.push('[');
            for (i, item) in value.try_iter()?.enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_json(out, &item, depth + 1)?;
            }
            out.push(']');
        }
        ValueKind::Map => write_json_map(out, value, depth)?,
        ValueKind::Invalid => out.push_str(&text_of(value)?),
        _ if is_document(value) => {
            let fix = "name what of it should be written: d.meta | json";
            return Err(failed("`json` does not write documents").help(fix).into());
        }
        _ => return Err(unprintable(value).into()),
    }
    Ok(())
}

fn write_json_map(out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
    let mut keys = Vec::new();
    for key in value.try_iter()? {
        keys.push((text_of(&key)?.into_owned(), key));
    }
    keys.sort_by(|a, b| a.0.cmp(&b.0));
    out.push('{');
    for (i, (name, key)) in keys.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_json_string(out, name)?;
        out.push(':');
        write_json(out, &value.get_item(key)?, depth + 1)?;
    }
    out.push('}');
    Ok(())
}

fn write_json_string(out: &mut String, text: &str) -> Result<(), Error> {
    bounded("json", out.len() + text.len())?;
    let quoted = serde_json::to_string(text).map_err(|_| failed("`json` failed"))?;
    out.push_str(&quoted);
    Ok(())
}

/// Each line after its number, right-aligned, and `: `.
fn numbered(value: &Value) -> Result<String, Error> {
    let text = text_of(value)?;
    if text.is_empty() {
        return Ok(String::new());
    }
    let (body, end) = text.strip_suffix('\n').map_or((&*text, ""), |b| (b, "\n"));
    let width = body.split('\n').count().to_string().len();
    let mut out = String::new();
    for (i, line) in body.split('\n').enumerate() {
        let break_before = if i == 0 { "" } else { "\n" };
        write!(out, "{break_before}{:>width$}: {line}", i + 1)?;
    }
    Ok(out + end)
}

/// Each item of a list after `- `, one a line; further lines of an item are indented below it. Text is one item.
fn bullet(value: &Value) -> Result<String, Error> {
    let is_part = value.downcast_object_ref::<PartObject>().is_some();
    let item = |text: &str| format!("- {}", text.replace('\n', "\n  "));
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable if !is_part => {
            let (mut items, mut bytes) = (Vec::new(), 0);
            for value in value.try_iter()? {
                let item = item(&text_of(&value)?);
                bytes += item.len();
                bounded("bullet", bytes)?;
                items.push(item);
            }
            Ok(items.join("\n"))
        }
        _ => Ok(item(&text_of(value)?)),
    }
}

/// Whether text contains one of the needles, or a list holds one of them.
fn containing_any(state: &State<'_, '_>, value: &Value, needles: &Value) -> Result<bool, Error> {
    weighed(state, value)?;
    weighed(state, needles)?;
    if value.is_undefined() || needles.is_undefined() {
        return Err(missing("containing_any").into());
    }
    if !matches!(needles.kind(), ValueKind::Seq | ValueKind::Iterable) {
        let fix = "write x is containing_any(['a', 'b'])";
        return Err(failed("`containing_any` takes a list").help(fix).into());
    }
    if let ValueKind::Seq | ValueKind::Iterable = value.kind()
        && value.downcast_object_ref::<PartObject>().is_none()
    {
        let needles: Vec<Value> = needles.try_iter()?.collect();
        for item in value.try_iter()? {
            // Each of them is walked for each item.
            state.consume_fuel(1 + needles.len() as u64 / 16)?;
            if needles.contains(&item) {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let text = text_of(value)?;
    for needle in needles.try_iter()? {
        state.consume_fuel(1 + text.len() as u64 / 64)?;
        if text.contains(&*text_of(&needle)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `exists("FILE", root="ROOT")`, answered before the run.
fn exists(
    state: &State<'_, '_>,
    file: &str,
    root: Option<&str>,
    kwargs: Kwargs,
) -> Result<bool, Error> {
    let root = match root {
        Some(root) => Some(root),
        None => kwargs.get::<Option<&str>>("root")?,
    };
    kwargs.assert_all_used()?;
    Context::of(state)
        .and_then(|c| c.exists(root.unwrap_or("workspace"), file))
        .ok_or_else(|| literals("exists").into())
}

/// `loaded("LAYER")`, answered before the run.
fn loaded(state: &State<'_, '_>, layer: &str) -> Result<bool, Error> {
    Context::of(state)
        .and_then(|c| c.loaded(layer))
        .ok_or_else(|| literals("loaded").into())
}

fn literals(function: &str) -> Planted {
    plant(
        LITERAL_REQUIRED,
        format!("{function}() takes plain quoted names"),
    )
}
