//! Bare words: identifiers, numbers and keywords.

/// The kind of a bare word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Word {
    /// A name, or a text without quotes.
    Identifier,
    /// A whole number.
    Integer(i128),
    /// A number with a fraction or an exponent, or `#inf`, `#-inf` and `#nan`.
    Float(f64),
    /// `#true` and `#false`.
    Bool(bool),
    /// `#null`.
    Null,
    /// A whole number that needs more than 128 bits.
    TooLarge,
    /// None of these.
    Bad,
}

/// Words that would be taken for keywords.
const TAKEN: [&str; 6] = ["true", "false", "null", "inf", "-inf", "nan"];

/// The kind of `text`, which is not empty and has no character that ends a word.
pub(super) fn word(text: &str) -> Word {
    match text {
        "#true" => return Word::Bool(true),
        "#false" => return Word::Bool(false),
        "#null" => return Word::Null,
        "#inf" => return Word::Float(f64::INFINITY),
        "#-inf" => return Word::Float(f64::NEG_INFINITY),
        "#nan" => return Word::Float(f64::NAN),
        _ if text.starts_with('#') || TAKEN.contains(&text) => return Word::Bad,
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if digit(unsigned) {
        return number(text.starts_with('-'), unsigned).unwrap_or(Word::Bad);
    }
    match unsigned.strip_prefix('.') {
        Some(fraction) if digit(fraction) => Word::Bad,
        _ => Word::Identifier,
    }
}

/// A number after its sign; none if it is not well formed.
fn number(negative: bool, text: &str) -> Option<Word> {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return digits_of(digits, radix).map(|digits| whole(negative, &digits, radix));
        }
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let mut plain = digits_of(integer, 10)?;
    if fraction.is_none() && exponent.is_none() {
        return Some(whole(negative, &plain, 10));
    }
    if let Some(fraction) = fraction {
        plain = format!("{plain}.{}", digits_of(fraction, 10)?);
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let sign = &exponent[..exponent.len() - digits.len()];
        plain = format!("{plain}e{sign}{}", digits_of(digits, 10)?);
    }
    let value: f64 = plain.parse().ok()?;
    Some(Word::Float(if negative { -value } else { value }))
}

/// Digits without their `_`, which must not come first; none if there is any other character among them.
fn digits_of(text: &str, radix: u32) -> Option<String> {
    let well_formed = text.starts_with(|c: char| c.is_digit(radix))
        && text.chars().all(|c| c == '_' || c.is_digit(radix));
    well_formed.then(|| text.replace('_', ""))
}

fn whole(negative: bool, digits: &str, radix: u32) -> Word {
    let sign = if negative { "-" } else { "" };
    match i128::from_str_radix(&format!("{sign}{digits}"), radix) {
        Ok(number) => Word::Integer(number),
        Err(_) => Word::TooLarge,
    }
}
