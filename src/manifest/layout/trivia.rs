//! What stands between two tokens: comments, and line ends that end nothing.

use crate::syntax::lex::{line_length, newline};
use std::ops::Range;

/// Something between two tokens besides white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// `// …`
    Line(Range<usize>),
    /// `/* … */`
    Block(Range<usize>),
    /// `\` at the end of a line, with the line comment behind it.
    Break(Option<Range<usize>>),
}

/// What stands in `gap`, which holds no token; `insides` are those of the file's block comments.
pub(super) fn pieces(src: &str, gap: Range<usize>, insides: &[Range<usize>]) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = gap.start;
    let mut breaks = false;
    while at < gap.end {
        let rest = &src[at..gap.end];
        let line_end = newline(rest);
        if line_end > 0 {
            out.extend(std::mem::take(&mut breaks).then_some(Piece::Break(None)));
            at += line_end;
        } else if rest.starts_with("//") {
            let comment = at..at + line_length(rest);
            at = comment.end;
            match std::mem::take(&mut breaks) {
                true => {
                    out.push(Piece::Break(Some(comment)));
                    at += newline(&src[at..gap.end]);
                }
                false => out.push(Piece::Line(comment)),
            }
        } else if rest.starts_with("/*") {
            let found = insides.binary_search_by_key(&(at + 2), |inside| inside.start);
            let end = found.map_or(gap.end, |index| insides[index].end + 2);
            // It stands in front of the line end, wherever the `\` is.
            out.push(Piece::Block(at..end));
            at = end;
        } else {
            breaks |= rest.starts_with('\\');
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    out.extend(breaks.then_some(Piece::Break(None)));
    out
}

/// A comment as it is written, without white space at line ends; those become line feeds.
pub(super) fn tidy(comment: &str) -> String {
    let lines = unified(comment);
    let lines: Vec<&str> = lines.split('\n').map(str::trim_end).collect();
    lines.join("\n")
}

/// `text` with every line end as a line feed.
pub(super) fn unified(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match newline(&text[at..]) {
            0 => {
                out.push(c);
                at += c.len_utf8();
            }
            length => {
                out.push('\n');
                at += length;
            }
        }
    }
    out
}
