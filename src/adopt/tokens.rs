//! The words of a line.

use super::kind::moment;
use std::ops::Range;

/// Words, dates and single marks of a line; no white space.
pub(super) fn tokens(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let Some(c) = rest.chars().next() else { break };
        let length = match moment(rest) {
            Some((length, _)) => length,
            // Of the number of an item, its parts.
            None if at == range.start && c.is_ascii_digit() => {
                rest.bytes().take_while(u8::is_ascii_digit).count()
            }
            None if in_word(c) => word(rest),
            None => c.len_utf8(),
        };
        if !c.is_whitespace() {
            out.push(at..at + length);
        }
        at += length;
    }
    out
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || "_-./:+@~%#\\&?".contains(c)
}

/// The length of the first word of `text`, without the punctuation after it.
fn word(text: &str) -> usize {
    let digit = |at: Option<usize>| {
        at.and_then(|at| text.as_bytes().get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    // A comma between digits is one of a number.
    let goes_on = |at: usize, c: char| {
        in_word(c) || c == ',' && digit(at.checked_sub(1)) && digit(Some(at + 1))
    };
    let mut chars = text.char_indices();
    let end = chars
        .find(|(at, c)| !goes_on(*at, *c))
        .map_or(text.len(), |(at, _)| at);
    let inner = text[..end].trim_end_matches(['.', ':', '?']).len();
    match inner {
        0 => text.chars().next().map_or(0, char::len_utf8),
        inner => inner,
    }
}
