//! Any front matter in every reading: bounded, told with a line of it, and the same value again from its JSON.

use super::input::Input;
use promptc::text::frontmatter::{Close, parse, split};
use serde_json::Value;

pub(super) fn check(data: &[u8]) {
    let text = Input::new(data).text();
    for close in [Close::Line, Close::Alone, Close::Dashes] {
        if let Some(front) = split(&text, close) {
            assert!(text.starts_with("---"));
            assert!(front.yaml.end <= front.body.start && front.body.end == text.len());
            assert!(text.get(front.yaml).is_some() && text.get(front.body).is_some());
        }
    }
    let front = split(&text, Close::Line);
    let yaml = front.map_or(&*text, |front| &text[front.yaml]);
    for yaml11 in [false, true] {
        let strict = parse(yaml, yaml11, false);
        let lenient = parse(yaml, yaml11, true);
        match strict {
            Ok(read) => {
                assert_eq!(lenient.as_ref(), Ok(&read), "`lenient` reads good YAML otherwise");
                assert_eq!(read.unread, None);
                let value = Value::Object(read.values.into_iter().collect());
                let (nodes, deep) = measured(&value);
                assert!(nodes <= 50_000 && deep <= 40, "{nodes} values, {deep} deep");
                again(&value, yaml11);
            }
            Err(error) => {
                // YAML 1.1 knows more line ends than there are in a document.
                let ends = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
                let lines = yaml.matches(ends).count() + 1;
                assert!(error.line.is_none_or(|line| line >= 1 && line <= lines), "{error:?}");
                assert!(!error.message.is_empty() && !error.help.is_empty());
                // Lenient reading fails for nothing but size.
                assert!(lenient.is_ok() || yaml.len() > 256 * 1024);
            }
        }
    }
}

/// YAML holds JSON: what was read is read again from what it is written as.
fn again(value: &Value, yaml11: bool) {
    let json = value.to_string();
    // YAML takes keys of up to 1,024 characters on one line, and has no surrogates.
    if json.len() > 1_000 || json.contains('\u{7f}') {
        return;
    }
    if yaml11 && !plain(value) {
        return;
    }
    let back = parse(&json, yaml11, false);
    let back = back.map(|read| Value::Object(read.values.into_iter().collect()));
    assert_eq!(back.as_ref(), Ok(value), "from {json}");
}

/// Whether YAML 1.1 reads the JSON of a value as JSON does: it takes `1e3` for text, and merges `<<`.
fn plain(value: &Value) -> bool {
    match value {
        Value::Number(n) => !n.to_string().contains('e'),
        Value::Array(items) => items.iter().all(plain),
        Value::Object(map) => map.iter().all(|(key, value)| key != "<<" && plain(value)),
        _ => true,
    }
}

/// How many values there are, and how deep they nest.
fn measured(value: &Value) -> (usize, usize) {
    let inside: Vec<(usize, usize)> = match value {
        Value::Array(items) => items.iter().map(measured).collect(),
        Value::Object(map) => map.values().map(measured).collect(),
        _ => Vec::new(),
    };
    let nodes = inside.iter().map(|(n, _)| n).sum::<usize>() + 1;
    let deep = inside.iter().map(|(_, d)| *d).max().unwrap_or(0) + 1;
    (nodes, deep)
}
