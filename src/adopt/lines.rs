//! Lines and white space of a text, by byte.

use crate::text::normalise::is_space;
use std::ops::Range;

/// A line: what it says, and where the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Without its line end.
    pub(super) content: Range<usize>,
    /// After its line end.
    pub(super) end: usize,
}

/// The lines of `text` inside `range`; CRLF, LF and a lone CR end one. No empty line follows a text that ends with a
/// line end.
pub(super) fn lines(text: &str, range: Range<usize>) -> Vec<Line> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let rest = &bytes[start..range.end];
        let stop = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let content = start..start + stop.unwrap_or(rest.len());
        let end = content.end + line_end(&bytes[content.end..range.end]);
        out.push(Line { content, end });
        start = end;
    }
    out
}

/// The length of the line end that `bytes` begins with.
fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    }
}

/// The line, counted from 1, of the byte at `at`.
pub(super) fn number(text: &str, at: usize) -> usize {
    let before = lines(text, 0..at);
    let open = before.last().is_none_or(|l| l.end > l.content.end);
    before.len() + usize::from(open)
}

/// A line end between two words of a paragraph, with its white space; the next line is not indented.
#[derive(Debug, Clone)]
pub(super) struct Gap {
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// The number of lines that end in it: one is a plain line end, more are blank lines.
    pub(super) ends: usize,
}

/// All such places of a text, in order.
pub(super) fn gaps(text: &str) -> Vec<Gap> {
    let mut out = Vec::new();
    let mut open: Option<usize> = None;
    for (at, c) in text.char_indices() {
        if is_space(c) {
            open.get_or_insert(at);
            continue;
        }
        let Some(start) = open.take().filter(|start| *start > 0) else {
            continue;
        };
        if text[..at].ends_with(['\n', '\r']) {
            let ends = lines(text, start..at).len();
            out.push(Gap {
                range: start..at,
                ends,
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{gaps, lines, number};

    #[test]
    fn three_line_ends_are_known() {
        let text = "a\r\nb\n\rc";
        let all: Vec<&str> = lines(text, 0..text.len())
            .into_iter()
            .map(|l| &text[l.content])
            .collect();
        assert_eq!(all, ["a", "b", "", "c"]);
    }

    #[test]
    fn lines_are_counted_from_one() {
        let text = "a\nbc\n\nd";
        let of = |part: &str| number(text, text.find(part).unwrap());
        assert_eq!((of("a"), of("b"), of("c"), of("d")), (1, 2, 2, 4));
        assert_eq!(number("a\n", 2), 2);
    }

    #[test]
    fn a_gap_is_inside_and_before_a_line() {
        let text = "\n a\n\n  b\nc \n\nd\n";
        let found: Vec<(&str, usize)> = gaps(text)
            .into_iter()
            .map(|g| (&text[g.range], g.ends))
            .collect();
        assert_eq!(found, [("\n", 1), (" \n\n", 2)]);
    }
}
