//! Single values of YAML 1.1.

use super::{MISFIT, time};
use regex::Regex;
use serde_json::{Number, Value};
use std::sync::LazyLock;

static INT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^[-+]?(?: 0b[01_]+ | 0x[0-9A-Fa-f_]+ | 0[0-7_]*
          | [1-9][0-9_]*(?::[0-5]?[0-9])* )$",
    )
    .ok()
});
static FLOAT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^(?: [-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)? | \.[0-9][0-9_]*(?:[eE][-+][0-9]+)?
          | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*
          | [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN) )$",
    )
    .ok()
});

/// The value of a scalar without quotes and tag.
///
/// # Errors
/// When it has the form of a number or date and is none.
pub(super) fn plain(text: &str) -> Result<Value, &'static str> {
    if is_null(text) {
        return Ok(Value::Null);
    }
    if let Some(value) = bool(text) {
        return Ok(value.into());
    }
    match text.as_bytes().first() {
        Some(b'-' | b'+' | b'.' | b'0'..=b'9') => numeric(text),
        _ => Ok(text.into()),
    }
}

fn numeric(text: &str) -> Result<Value, &'static str> {
    if has_form(&INT, text) {
        return int(text).ok_or("a value looks like a number and is not one");
    }
    if has_form(&FLOAT, text) {
        return float(text).ok_or("a value looks like a number and is not one");
    }
    match time::written(text) {
        Some(Ok(written)) => Ok(written.into()),
        Some(Err(())) => Err("a value is a date that does not exist"),
        None => Ok(text.into()),
    }
}

/// The value of a scalar with one of YAML's own tags; none if the tag is not known.
///
/// # Errors
/// When it does not have the tag's form.
pub(super) fn tagged(tag: &str, text: &str) -> Option<Result<Value, &'static str>> {
    let value = match tag {
        "str" => Some(text.into()),
        "null" => Some(Value::Null),
        "bool" => bool(&text.to_ascii_lowercase()).map(Value::from),
        "int" => has_form(&INT, text).then(|| int(text)).flatten(),
        "float" if has_form(&FLOAT, text) => float(text),
        "float" => text.parse().ok().and_then(real),
        "timestamp" => time::written(text).and_then(Result::ok).map(Value::from),
        _ => return None,
    };
    Some(value.ok_or(MISFIT))
}

/// Whether a value without quotes and tag is null.
pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn bool(text: &str) -> Option<bool> {
    match text {
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

fn has_form(form: &LazyLock<Option<Regex>>, text: &str) -> bool {
    form.as_ref().is_some_and(|form| form.is_match(text))
}

fn without_sign(text: &str) -> (bool, String) {
    let digits = text.replace('_', "");
    let negative = digits.starts_with('-');
    (negative, digits.trim_start_matches(['-', '+']).to_owned())
}

fn int(text: &str) -> Option<Value> {
    let (negative, digits) = without_sign(text);
    let parse = |digits: &str, radix| u128::from_str_radix(digits, radix).ok();
    let size = if let Some(digits) = digits.strip_prefix("0b") {
        parse(digits, 2)
    } else if let Some(digits) = digits.strip_prefix("0x") {
        parse(digits, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        parse(&digits, 8)
    } else if digits.contains(':') {
        digits.split(':').try_fold(0_u128, |sum, part| {
            sum.checked_mul(60)?.checked_add(parse(part, 10)?)
        })
    } else {
        match parse(&digits, 10) {
            None if digits.is_empty() => None,
            None => return Some(Value::String(sign(negative).to_owned() + &digits)),
            size => size,
        }
    }?;
    let small = i64::try_from(size)
        .ok()
        .map(|n| if negative { -n } else { n });
    Some(match (small, u64::try_from(size)) {
        (Some(n), _) => n.into(),
        (None, Ok(n)) if !negative => n.into(),
        _ => Value::String(format!("{}{size}", sign(negative))),
    })
}

fn sign(negative: bool) -> &'static str {
    if negative { "-" } else { "" }
}

fn float(text: &str) -> Option<Value> {
    let (negative, digits) = without_sign(text);
    let size = match digits.to_ascii_lowercase().as_str() {
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        digits if digits.contains(':') => digits.split(':').try_fold(0.0, |sum, part| {
            part.parse::<f64>().ok().map(|part| sum * 60.0 + part)
        })?,
        digits => digits.parse().ok()?,
    };
    real(if negative { -size } else { size })
}

/// A number, or its name where JSON has none.
fn real(number: f64) -> Option<Value> {
    Some(match Number::from_f64(number) {
        Some(number) => Value::Number(number),
        None if number.is_nan() => "nan".into(),
        None if number > 0.0 => "inf".into(),
        None => "-inf".into(),
    })
}
