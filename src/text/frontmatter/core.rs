//! Single values of YAML 1.2, core schema.

use super::{MISFIT, NO_TAG};
use serde_json::{Number, Value};

/// The value of a scalar without quotes whose tag, if it has one, says nothing.
pub(super) fn plain(text: &str) -> Value {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Value::Null;
    }
    if let Some(value) = bool(text) {
        return value.into();
    }
    // Readers differ in what these numbers are, so they stay as they are written.
    let digits = text.trim_start_matches(['+', '-']);
    let has_zero = digits.len() > 1 && digits.starts_with('0');
    if has_zero && digits.bytes().all(|b| b.is_ascii_digit()) || text.contains('_') {
        return text.into();
    }
    let number = int(text).or_else(|| float(text));
    number.unwrap_or_else(|| text.into())
}

/// The value of a scalar with one of YAML's own tags; none if the tag is not known.
///
/// # Errors
/// When it does not have the tag's form.
pub(super) fn tagged(tag: &str, text: &str) -> Option<Result<Value, &'static str>> {
    let value = match tag {
        "" | "str" => Some(text.into()),
        "null" => Some(Value::Null),
        "bool" => bool(text).map(Value::from),
        "int" => int(text),
        "float" => float(text),
        "binary" => binary(text),
        "seq" | "map" => None,
        "timestamp" => return Some(Err(NO_TAG)),
        _ => return None,
    };
    Some(value.ok_or(MISFIT))
}

/// A text without the white space around it, which a number in quotes may have.
fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

fn bool(text: &str) -> Option<bool> {
    match trimmed(text) {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// A sign and what it is of.
fn signed(text: &str) -> (bool, &str) {
    let text = trimmed(text);
    let negative = text.starts_with('-');
    (negative, text.strip_prefix(['+', '-']).unwrap_or(text))
}

fn int(text: &str) -> Option<Value> {
    const PREFIXES: [(&str, u32); 6] = [
        ("0x", 16),
        ("0X", 16),
        ("0o", 8),
        ("0O", 8),
        ("0b", 2),
        ("0B", 2),
    ];
    let (negative, size) = signed(text);
    let with_prefix = |(prefix, radix): (&str, u32)| Some((size.strip_prefix(prefix)?, radix));
    let (digits, radix) = PREFIXES
        .into_iter()
        .find_map(with_prefix)
        .unwrap_or((size, 10));
    let apart = digits
        .split('_')
        .all(|part| part.starts_with(|c: char| c.is_digit(radix)));
    if !apart || radix == 10 && digits.starts_with('0') && digits != "0" {
        return None;
    }
    let size = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    if negative {
        i64::try_from(-size).ok().map(Value::from)
    } else {
        u64::try_from(size).ok().map(Value::from)
    }
}

/// A number with a fraction or an exponent; one that JSON lacks is its name.
fn float(text: &str) -> Option<Value> {
    let (negative, digits) = signed(text);
    let size: f64 = match digits {
        ".nan" | ".NaN" | ".NAN" => return Some(".nan".into()),
        ".inf" | ".Inf" | ".INF" => f64::INFINITY,
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            digits.parse().ok()?
        }
        _ => return None,
    };
    let number = Number::from_f64(if negative { -size } else { size });
    let infinite = if negative { "-.inf" } else { ".inf" };
    Some(number.map_or_else(|| infinite.into(), Value::Number))
}

/// The text that a value of bytes holds.
fn binary(text: &str) -> Option<Value> {
    let letters: String = text.split_ascii_whitespace().collect();
    let bytes = data_encoding::BASE64.decode(letters.as_bytes()).ok()?;
    String::from_utf8(bytes).ok().map(Value::from)
}
