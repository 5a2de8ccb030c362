//! Front matter that is no YAML, read line by line.

use super::FrontMatter;
use crate::text::normalise::is_space;
use serde_json::Value;
use std::collections::BTreeMap;

/// The lines that were not read: they say something, and no value has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The first of them, from 1, counted in the front matter.
    pub line: usize,
    /// The text of that line, trimmed.
    pub text: String,
    /// The key above it, if that has a value that it continues.
    pub continues: Option<String>,
    /// The number of these lines.
    pub lines: usize,
}

/// The values of the lines that are an `entry`: the last of one key wins. A line that is none or that is indented, as a
/// value of several lines is, and the line of a value that does not win, are unread. Blank lines and comments say nothing.
pub(super) fn read(yaml: &str, entry: fn(&str) -> Option<(&str, &str)>) -> FrontMatter {
    let mut values: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut unread: BTreeMap<usize, Option<&str>> = BTreeMap::new();
    let mut indent = None;
    let mut above = None;
    let lines: Vec<&str> = yaml.split('\n').collect();
    for (at, line) in lines.iter().enumerate() {
        let found = entry(line);
        let said = line.trim();
        let is_said = !said.is_empty() && !said.starts_with('#');
        if is_said {
            let before = line.len() - line.trim_start().len();
            let inner = before > *indent.get_or_insert(before) || is_item(said);
            if inner || found.is_none() {
                unread.insert(at, above.filter(|_| inner));
            }
            above = found.filter(|_| !inner).map(|(key, _)| key).or(above);
        }
        if let Some((key, value)) = found
            && let Some((other, lost)) = values.insert(key, (at, value))
            && lost != value
            && is_said
        {
            unread.entry(other).or_default();
        }
    }
    let first = unread.first_key_value();
    FrontMatter {
        unread: first.map(|(at, key)| Unread {
            line: at + 1,
            text: lines[*at].trim().to_owned(),
            continues: key.map(str::to_owned),
            lines: unread.len(),
        }),
        values: (values.into_iter())
            .map(|(key, (_, value))| (key.to_owned(), Value::from(value)))
            .collect(),
    }
}

/// Whether a line is an item of a list.
fn is_item(said: &str) -> bool {
    said.strip_prefix('-')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// A line `key: value` that starts with its key; the outer quotes are dropped.
pub(super) fn by_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let plain = !key.is_empty()
        && !key.starts_with(['#', '-'])
        && !key.contains(|c: char| c.is_whitespace() || "\"'{}[],&*!|>%@`".contains(c));
    let apart = value.is_empty() || value.starts_with(char::is_whitespace);
    (plain && apart).then(|| (key, unquoted(value.trim())))
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

/// As Python programs fall back: a line that holds a colon, split at the first one and both sides trimmed, nothing
/// unquoted.
pub(super) fn by_colon(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    Some((key.trim_matches(is_space), value.trim_matches(is_space)))
}
