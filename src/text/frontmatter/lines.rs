//! Front matter that is no YAML, read line by line.

use crate::text::normalise::is_space;
use serde_json::Value;
use std::collections::BTreeMap;

/// Each `key: value` line that starts with its key is a string, outer quotes dropped; the last of one key wins, other lines
/// are ignored.
pub(super) fn by_lines(yaml: &str) -> BTreeMap<String, Value> {
    yaml.lines()
        .filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            let plain = !key.is_empty()
                && !key.starts_with(['#', '-'])
                && !key.contains(|c: char| c.is_whitespace() || "\"'{}[],&*!|>%@`".contains(c));
            let apart = value.is_empty() || value.starts_with(char::is_whitespace);
            (plain && apart).then(|| (key.to_owned(), unquoted(value.trim()).into()))
        })
        .collect()
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

/// As Python programs fall back: each line that holds a colon, split at the first one and both sides trimmed, nothing
/// unquoted; the last of one key wins.
pub(super) fn by_colons(yaml: &str) -> BTreeMap<String, Value> {
    yaml.split('\n')
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| {
            let value = value.trim_matches(is_space);
            (key.trim_matches(is_space).to_owned(), value.into())
        })
        .collect()
}
