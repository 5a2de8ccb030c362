//! The fast way for usual front matter.

use serde_json::Value;
use std::collections::BTreeMap;

/// Front matter of the usual plain shape, lines `key: words` and `key: [word, word]`, which means the same in every YAML
/// and is read without the machinery for the rest. None for anything else.
pub(super) fn plain(yaml: &str, yaml11: bool) -> Option<BTreeMap<String, Value>> {
    let mut out = BTreeMap::new();
    if yaml.len() > LARGEST_PLAIN {
        return None;
    }
    for line in yaml.split_terminator('\n') {
        let (key, value) = line.split_once(": ")?;
        if !is_word(key) || key.len() > 128 {
            return None;
        }
        let value = match value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
            Some(items) => {
                let item = |item: &str| is_word(item).then(|| Value::from(item));
                Value::Array(items.split(", ").map(item).collect::<Option<_>>()?)
            }
            // In 1.1 a date must exist.
            None => (is_words(value) || !yaml11 && is_date(value)).then(|| Value::from(value))?,
        };
        if out.insert(key.to_owned(), value).is_some() {
            return None;
        }
    }
    Some(out)
}

/// The largest front matter that is taken for plain, in bytes: far below every limit.
const LARGEST_PLAIN: usize = 4096;

/// One word with the same value in every YAML.
fn is_word(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    is_words(text) && text.chars().all(inner)
}

/// Words with the same value in every YAML: no mark with a meaning, and no name of another value.
fn is_words(text: &str) -> bool {
    const OTHERS: [&str; 12] = [
        "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity",
    ];
    let inner = |c: char| c.is_alphanumeric() || " .,;_-/()'!?".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(inner)
        && !text.ends_with(' ')
        && !OTHERS.iter().any(|other| text.eq_ignore_ascii_case(other))
}

/// A date, which is a string here.
fn is_date(text: &str) -> bool {
    let shape = |(at, byte): (usize, &u8)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.as_bytes().iter().enumerate().all(shape)
}
