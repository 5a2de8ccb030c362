//! Operators of other languages.

use crate::template::failure::Failure;

/// An operator of another language or place, and the one that is meant. One that begins as another comes before it, if it
/// can be mistaken for that.
const FOREIGN: &[(&str, &str)] = &[
    ("===", "=="),
    ("!==", "!="),
    ("<>", "!="),
    ("&&", "and"),
    ("||", "or"),
    ("=", "=="),
    ("==", "="),
    ("!", "not"),
];

/// The failure of the parser with the operator that is meant, if there is a foreign one at its place and the text can be
/// read further with the right one. `error` gives the byte at which a text cannot be read.
pub(super) fn corrected(
    failure: Failure,
    source: &str,
    error: impl Fn(&str) -> Option<usize>,
) -> Failure {
    let Some(at) = failure.range.as_ref().map(|range| range.start) else {
        return failure;
    };
    for (written, meant) in FOREIGN {
        // The parser may take the first characters for another operator.
        let start = (at.saturating_sub(written.len() - 1)..=at)
            .find(|start| source.get(*start..).is_some_and(|s| s.starts_with(written)));
        let Some(start) = start else { continue };
        let (before, behind) = (&source[..start], &source[start + written.len()..]);
        let is_word = meant.starts_with(char::is_alphabetic);
        let touches =
            |c: Option<char>| is_word && c.is_some_and(|c| !c.is_whitespace() && c != '(');
        let blank = |touches: bool| if touches { " " } else { "" };
        let edit = format!(
            "{}{meant}{}",
            blank(touches(before.chars().next_back())),
            blank(touches(behind.chars().next()) || (is_word && behind.starts_with('(')))
        );
        let (text, end) = (format!("{before}{edit}{behind}"), start + edit.len());
        // Of two operators in a row, neither is meant.
        let is_further = |at: usize| !text.get(end..at).unwrap_or_default().trim().is_empty();
        if error(&text).is_none_or(is_further) {
            return failure
                .help(format!("write `{meant}`"))
                .suggest(start..start + written.len(), edit);
        }
    }
    failure
}
