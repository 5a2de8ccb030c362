//! Names, arguments and properties as they are written, without the white space that KDL allows inside of them.

use super::trivia::unified;
use crate::syntax::lex::{Kind, Token, is_space, solid};
use std::ops::Range;

/// A name, argument or property.
#[derive(Debug)]
pub(super) struct Value {
    /// Its text; of a string of several lines up to the opening quotes.
    pub(super) head: String,
    /// The lines of a string of several lines, without their common indentation, the closing quotes last.
    pub(super) body: Vec<String>,
}

/// The value that starts with token `at`, after `dash`, and the index of the token after it.
pub(super) fn value(src: &str, tokens: &[Token], at: usize, dash: String) -> (Value, usize) {
    let kind = |n: usize| tokens.get(n).map(|t| t.kind);
    let after = |n: usize| solid(tokens, n + 1);
    let last_of = |n: usize| match kind(n) {
        // An annotation, and what it annotates.
        Some(Kind::OpenParen) => after(after(after(n))),
        _ => n,
    };
    let equals = after(last_of(at));
    let last = match kind(equals) {
        Some(Kind::Equals) => last_of(after(equals)),
        _ => last_of(at),
    };
    let mut head = dash;
    let mut body = Vec::new();
    let mut end = tokens[at].start;
    for index in (at..=last).filter(|n| kind(*n).is_some_and(|kind| !kind.is_trivia())) {
        let token = tokens[index];
        let text = &src[token.range()];
        head += &between(src, end..token.start);
        end = token.end;
        match lines(text).filter(|_| index == last) {
            Some((open, lines)) => {
                head += open;
                body = lines;
            }
            None => head += &unified(text),
        }
    }
    (Value { head, body }, last + 1)
}

/// White space inside of a value goes, unless there is a comment in it.
fn between(src: &str, gap: Range<usize>) -> String {
    if src[gap.clone()].contains('/') {
        unified(&src[gap])
    } else {
        String::new()
    }
}

/// The opening quotes of a string of several lines, and its lines without their common indentation; `None` if it is
/// another string, or one that must stay as it is.
fn lines(text: &str) -> Option<(&str, Vec<String>)> {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let quotes = hashes + 3;
    if !text[hashes..].starts_with("\"\"\"") || (hashes == 0 && escapes_space(text)) {
        return None;
    }
    let text_lines = unified(text);
    let mut lines: Vec<&str> = text_lines.split('\n').collect();
    if lines.len() < 2 {
        return None;
    }
    let close = lines.pop()?;
    let indentation = &close[..close.len() - quotes];
    let mut out = Vec::new();
    for line in &lines[1..] {
        // A line of white space is an empty line of the text.
        out.push(if line.chars().all(is_space) {
            String::new()
        } else {
            line.strip_prefix(indentation)?.to_owned()
        });
    }
    out.push(close[indentation.len()..].to_owned());
    Some((&text[..quotes], out))
}

/// Whether white space or a line end follows a `\`, so that the start of a line is part of the text.
fn escapes_space(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.next().is_some_and(char::is_whitespace) {
            return true;
        }
    }
    false
}
