//! The text between two tokens: comments, and line ends that end no node.

use crate::syntax::lex::{Kind, Token, newline};
use std::mem;
use std::ops::Range;

/// Something between two tokens besides white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trivia {
    /// `// …`
    Line(Range<usize>),
    /// `/* … */`
    Block(Range<usize>),
    /// `\` at the end of a line, with the line comment after it.
    Break(Option<Range<usize>>),
}

/// The content of `trivia` besides white space.
pub(super) fn pieces(trivia: &[Token]) -> Vec<Trivia> {
    let mut out = Vec::new();
    let mut breaks = false;
    for token in trivia {
        match token.kind {
            Kind::Continuation => breaks = true,
            Kind::Joined => out.extend(mem::take(&mut breaks).then_some(Trivia::Break(None))),
            Kind::LineComment => out.push(if mem::take(&mut breaks) {
                Trivia::Break(Some(token.range()))
            } else {
                Trivia::Line(token.range())
            }),
            // It is printed before the line end, wherever the `\` is.
            Kind::BlockComment => out.push(Trivia::Block(token.range())),
            _ => {}
        }
    }
    out.extend(breaks.then_some(Trivia::Break(None)));
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
