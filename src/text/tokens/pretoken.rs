//! Pre-tokens: the pieces that tokens never cross. This code matches like tiktoken's regular expressions.
//!
//! The expressions, with `(?i:'s|'t|'re|'ve|'m|'ll|'d)` written as `C`, `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` as `U` and
//! `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` as `W`; the first alternative that matches wins:
//!
//! ```text
//! o200k    [^\r\n\p{L}\p{N}]?U*W+C? | [^\r\n\p{L}\p{N}]?U+W*C? | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n/]*
//!          | \s*[\r\n]+ | \s+(?!\S) | \s+
//! cl100k   C | [^\r\n\p{L}\p{N}]?+\p{L}++ | \p{N}{1,3}+ | ?[^\s\p{L}\p{N}]++[\r\n]*+
//!          | \s++$ | \s*[\r\n] | \s+(?!\S) | \s
//! ```
//!
//! None of them looks back, so the text after a boundary is split as if it were alone.

use super::class::Class;

/// The length in bytes of the first pre-token of o200k; 0 for an empty text.
pub(super) fn o200k(text: &str) -> usize {
    let Some((first, class)) = char_at(text, 0) else {
        return 0;
    };
    let len = first.len_utf8();
    let word = match class {
        Class::Number => return numbers(text),
        Class::Upper | Class::Lower | Class::Uncased => word(text, 0, true),
        // A mark may come before a word, or be a word by itself; a word of capitals comes last.
        Class::Mark => word(text, len, false).or(Some(len)),
        Class::Other | Class::Space if is_line_end(first) => None,
        Class::Other | Class::Space => word(text, len, true),
    };
    match word {
        Some(end) => end + contraction(&text[end..]),
        None => symbols(text, |c| is_line_end(c) || c == '/').unwrap_or_else(|| {
            let spaces = Spaces::at_start(text);
            spaces.through_lines.unwrap_or(spaces.before_word)
        }),
    }
}

/// The length in bytes of the first pre-token of cl100k; 0 for an empty text.
pub(super) fn cl100k(text: &str) -> usize {
    let Some((first, class)) = char_at(text, 0) else {
        return 0;
    };
    let from = match class {
        Class::Number => return numbers(text),
        Class::Upper | Class::Lower | Class::Uncased => 0,
        Class::Other | Class::Mark | Class::Space => match contraction(text) {
            0 => first.len_utf8(),
            len => return len,
        },
    };
    let end = run(text, from, |_, class| class.is_letter());
    if end > from && !is_line_end(first) {
        return end;
    }
    symbols(text, is_line_end).unwrap_or_else(|| {
        let spaces = Spaces::at_start(text);
        match spaces.through_lines {
            Some(end) if spaces.end < text.len() => end,
            _ => spaces.before_word,
        }
    })
}

/// The end of a word of o200k that starts at `from`: capitals and caseless letters, then at least one small or caseless
/// letter; or else, if `capitals` may be alone, capitals.
fn word(text: &str, from: usize, capitals: bool) -> Option<usize> {
    let (mut end, mut uncased) = (from, None);
    while let Some((c, class)) = char_at(text, end) {
        match class {
            Class::Upper => end += c.len_utf8(),
            Class::Uncased | Class::Mark => {
                end += c.len_utf8();
                uncased = Some(end);
            }
            Class::Lower => return Some(run(text, end, |_, class| is_small(class))),
            Class::Other | Class::Number | Class::Space => break,
        }
    }
    uncased.or((capitals && end > from).then_some(end))
}

fn is_small(class: Class) -> bool {
    matches!(class, Class::Lower | Class::Uncased | Class::Mark)
}

/// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` at the start, whatever its case.
fn contraction(text: &str) -> usize {
    let mut chars = text.chars();
    if chars.next() != Some('\'') {
        return 0;
    }
    match (chars.next(), chars.next()) {
        (Some('s' | 'S' | 't' | 'T' | 'm' | 'M' | 'd' | 'D'), _) => 2,
        // The long s is an s in another case.
        (Some('\u{17F}'), _) => 3,
        (Some('r' | 'R' | 'v' | 'V'), Some('e' | 'E')) => 3,
        (Some('l' | 'L'), Some('l' | 'L')) => 3,
        _ => 0,
    }
}

/// Up to three numbers.
fn numbers(text: &str) -> usize {
    let is_number = |c: &char| Class::of(*c) == Class::Number;
    let numbers = text.chars().take(3).take_while(is_number);
    numbers.map(char::len_utf8).sum()
}

/// Symbols, with a space before them and the part after them that `tail` accepts.
fn symbols(text: &str, tail: impl Fn(char) -> bool) -> Option<usize> {
    let from = usize::from(text.starts_with(' '));
    let is_symbol = |_, class| matches!(class, Class::Other | Class::Mark);
    let end = run(text, from, is_symbol);
    (end > from).then(|| run(text, end, |c, _| tail(c)))
}

/// White space at the start of a text, not empty.
struct Spaces {
    end: usize,
    /// After the last line end among it.
    through_lines: Option<usize>,
    /// Before its last character if a word could include that one, unless it is the only one; else all.
    before_word: usize,
}

impl Spaces {
    fn at_start(text: &str) -> Self {
        let end = run(text, 0, |_, class| class == Class::Space);
        let spaces = &text[..end];
        let last = spaces.chars().next_back().map_or(0, char::len_utf8);
        let leaves_one = end < text.len() && last < end;
        Self {
            end,
            through_lines: spaces.rfind(is_line_end).map(|at| at + 1),
            before_word: if leaves_one { end - last } else { end },
        }
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

fn char_at(text: &str, at: usize) -> Option<(char, Class)> {
    let c = text[at..].chars().next()?;
    Some((c, Class::of(c)))
}

/// The end of the run at `from` whose characters `belong`.
fn run(text: &str, from: usize, belong: impl Fn(char, Class) -> bool) -> usize {
    let stranger = |c: char| !belong(c, Class::of(c));
    text[from..]
        .find(stranger)
        .map_or(text.len(), |at| from + at)
}
