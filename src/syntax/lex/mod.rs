//! Manifest text to tokens: strings, comments and braces told apart, in one pass that never recurses.
//!
//! This also notices the spellings of KDL 1.

use crate::diagnostic::{Diagnostic, KDL_SYNTAX, KDL_VERSION_1, NESTING_TOO_DEEP};
use crate::span::{FileId, Span};
use std::ops::Range;

/// How deep braces and block comments may nest.
pub(crate) const MAX_NESTING: usize = 200;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A bare identifier, number or keyword.
    Word,
    /// A quoted or raw string.
    Text,
    /// `=`
    Equals,
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `{`
    Open,
    /// `}`
    Close,
    /// A line end that ends a node.
    Newline,
    /// `;`
    Semicolon,
    /// `/-`
    Slashdash,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: Kind,
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// What lexing found.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// The tokens, in order.
    pub(crate) tokens: Vec<Token>,
    /// The insides of block comments.
    pub(crate) comments: Vec<Range<usize>>,
    /// What is wrong; lexing stopped at the last one if the rest could not be told apart any more.
    pub(crate) faults: Vec<Diagnostic>,
    /// Whether tokens may be missing, braces among them.
    pub(crate) unsure: bool,
}

/// Splits `src` into tokens.
pub(crate) fn lex(file: FileId, src: &str) -> Lexed {
    let mut lexer = Lexer {
        file,
        src,
        at: if src.starts_with('\u{feff}') { 3 } else { 0 },
        out: Lexed::default(),
    };
    while lexer.at < src.len() {
        if lexer.step().is_none() {
            break;
        }
    }
    lexer.out
}

/// The length of the line end that `s` starts with; 0 if it starts with none.
pub(crate) fn newline(s: &str) -> usize {
    match s.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n' | 0xB | 0xC, ..] => 1,
        // Beyond ASCII: U+0085, U+2028 and U+2029.
        [0xC2, 0x85, ..] => 2,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// The white space of KDL inside a line.
pub(crate) fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Characters that KDL allows in no place but behind an escape.
fn is_forbidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}'
            | '\u{e}'..='\u{1f}'
            | '\u{7f}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

fn is_word(c: char) -> bool {
    !is_space(c)
        && !matches!(
            c,
            '\\' | '/' | '(' | ')' | '{' | '}' | '[' | ']' | ';' | '"' | '#' | '='
        )
        && newline(c.encode_utf8(&mut [0; 4])) == 0
}

struct Lexer<'a> {
    file: FileId,
    src: &'a str,
    at: usize,
    out: Lexed,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.src[self.at..]
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range)
    }

    /// Reads one token, comment or stretch of white space; `None` if the rest cannot be read.
    fn step(&mut self) -> Option<()> {
        let rest = self.rest();
        let c = rest.chars().next()?;
        let line_end = newline(rest);
        match c {
            _ if line_end > 0 => self.token(Kind::Newline, line_end),
            c if is_space(c) => self.at += c.len_utf8(),
            ';' => self.token(Kind::Semicolon, 1),
            '=' => self.token(Kind::Equals, 1),
            '(' => self.token(Kind::OpenParen, 1),
            ')' => self.token(Kind::CloseParen, 1),
            '{' => self.token(Kind::Open, 1),
            '}' => self.token(Kind::Close, 1),
            '/' if rest.starts_with("//") => self.at += line_length(rest),
            '/' if rest.starts_with("/*") => return self.comment(),
            '/' if rest.starts_with("/-") => self.token(Kind::Slashdash, 2),
            '\\' => return self.line_continuation(),
            '"' => return self.quoted(),
            '#' => return self.hash(),
            c if is_word(c) => return self.word(),
            _ => self.stray(),
        }
        Some(())
    }

    fn token(&mut self, kind: Kind, length: usize) {
        let (start, end) = (self.at, self.at + length);
        self.at = end;
        if matches!(kind, Kind::Word | Kind::Text) {
            self.forbid(start..end);
        }
        self.out.tokens.push(Token { kind, start, end });
    }

    fn forbid(&mut self, range: Range<usize>) {
        let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
        if self.src.as_bytes()[range.clone()].iter().all(plain) {
            return;
        }
        let Some((at, c)) = self.src[range.clone()]
            .char_indices()
            .find(|(_, c)| is_forbidden(*c))
        else {
            return;
        };
        let at = range.start + at;
        let code = u32::from(c);
        self.out.faults.push(
            Diagnostic::error(
                KDL_SYNTAX,
                format!("the character U+{code:04X} must not stand in a manifest as it is"),
            )
            .at(self.span(at..at + c.len_utf8()))
            .help(format!("write `\\u{{{code:X}}}` inside a quoted string")),
        );
    }

    /// A block comment, with those inside it.
    fn comment(&mut self) -> Option<()> {
        let start = self.at;
        let bytes = self.src.as_bytes();
        let mut depth = 0usize;
        let mut at = start;
        while at + 1 < bytes.len() {
            match &bytes[at..at + 2] {
                b"/*" if depth == MAX_NESTING => {
                    let fault = too_deep("comment", self.span(at..at + 2));
                    self.out.faults.push(fault);
                    self.out.unsure = true;
                    return None;
                }
                b"/*" => (depth, at) = (depth + 1, at + 2),
                b"*/" => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                self.out.comments.push(start + 2..at - 2);
                self.at = at;
                return Some(());
            }
        }
        self.unclosed(
            start..start + 2,
            "the comment is not closed",
            "close it with `*/`",
        )
    }

    /// `\` at the end of a line: the node goes on in the next.
    fn line_continuation(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        loop {
            let rest = self.rest();
            let line_end = newline(rest);
            if line_end > 0 || rest.is_empty() {
                self.at += line_end;
                return Some(());
            } else if rest.starts_with("//") {
                self.at += line_length(rest);
                self.at += newline(self.rest());
                return Some(());
            } else if rest.starts_with("/*") {
                self.comment()?;
            } else if rest.starts_with(is_space) {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
            } else {
                self.at = start;
                self.stray();
                return Some(());
            }
        }
    }

    fn quoted(&mut self) -> Option<()> {
        let rest = self.rest();
        let many = rest.starts_with("\"\"\"");
        let close = if many { "\"\"\"" } else { "\"" };
        let mut at = close.len();
        while at < rest.len() {
            let tail = &rest[at..];
            if tail.starts_with(close) {
                self.token(Kind::Text, at + close.len());
                return Some(());
            }
            if let Some(escaped) = tail.strip_prefix('\\') {
                at += 1 + escaped_length(escaped);
            } else if !many && newline(tail) > 0 {
                break;
            } else {
                at += tail.chars().next().map_or(1, char::len_utf8);
            }
        }
        let (message, help) = if many {
            (
                "the string is not closed",
                "close it with `\"\"\"` on a line of its own",
            )
        } else {
            (
                "the string is not closed on its line",
                "close it with `\"`, or write a string of several lines between `\"\"\"`, each on a line of its own",
            )
        };
        self.unclosed(self.at..self.at + close.len(), message, help);
        (!many).then(|| self.skip(self.at, self.at + at))
    }

    /// Goes on at the `end` of a string that is not closed on its line, as if it were a word: what else is wrong is told in the
    /// same run.
    fn skip(&mut self, start: usize, end: usize) {
        self.at = start;
        self.token(Kind::Word, end - start);
    }

    /// A raw string or a keyword.
    fn hash(&mut self) -> Option<()> {
        let rest = self.rest();
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if rest[hashes..].starts_with('"') {
            return self.raw(hashes);
        }
        let name = rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1);
        if hashes > 1 || name == 0 {
            self.stray();
        } else {
            self.token(Kind::Word, 1 + name);
        }
        Some(())
    }

    fn raw(&mut self, hashes: usize) -> Option<()> {
        let rest = self.rest();
        let body = &rest[hashes..];
        let many = body.starts_with("\"\"\"") && newline(&body[3..]) > 0;
        let quotes = if many { "\"\"\"" } else { "\"" };
        let close = format!("{quotes}{}", "#".repeat(hashes));
        let from = hashes + quotes.len();
        if let Some(length) = rest[from..].find(&close)
            && (many || !has_newline(&rest[from..from + length]))
        {
            self.token(Kind::Text, from + length + close.len());
            return Some(());
        }
        let help = format!("close it with `{close}`");
        self.unclosed(
            self.at..self.at + from,
            "the raw string is not closed",
            &help,
        );
        let end = self.at + line_length(rest);
        (!many).then(|| self.skip(self.at + hashes, end))
    }

    fn word(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let behind = &rest[length..];
        let raw = behind.trim_start_matches('#').starts_with('"');
        if &rest[..length] == "r" && raw {
            return self.raw_of_version_1();
        }
        self.token(Kind::Word, length);
        Some(())
    }

    /// `r"…"` and `r#"…"#`.
    fn raw_of_version_1(&mut self) -> Option<()> {
        let rest = self.rest();
        let hashes = rest[1..].len() - rest[1..].trim_start_matches('#').len();
        let from = 1 + hashes + 1;
        let close = format!("\"{}", "#".repeat(hashes));
        let Some(length) = rest[from..].find(&close) else {
            let range = self.at..self.at + from;
            return self.unclosed(range, "the raw string is not closed", "write `#\"…\"#`");
        };
        let body = &rest[from..from + length];
        let end = from + length + close.len();
        let mut fault = Diagnostic::error(KDL_VERSION_1, "raw strings of KDL 1 start with `r`")
            .at(self.span(self.at..self.at + end))
            .help("write `#\"…\"#`");
        if !has_newline(body) {
            let hashes = "#".repeat(hashes.max(1));
            fault = fault.suggest(
                self.span(self.at..self.at + end),
                format!("{hashes}\"{body}\"{hashes}"),
            );
        }
        self.out.faults.push(fault);
        self.token(Kind::Text, end);
        Some(())
    }

    /// A character that stands in no word; most often a path without quotes.
    fn stray(&mut self) {
        let breaks = |c: char| is_space(c) || matches!(c, '=' | ';' | '{' | '}' | '(' | ')' | '"');
        let ends = |c: char| breaks(c) || newline(c.encode_utf8(&mut [0; 4])) > 0;
        let before = &self.src[..self.at];
        let start = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| !ends(*c))
            .last()
            .map_or(self.at, |(i, _)| i);
        let rest = self.rest();
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let end = self.at + first + rest[first..].find(ends).unwrap_or(rest.len() - first);
        let run = &self.src[start..end];
        let shown: String = rest.chars().take(1).collect();
        let mut fault = Diagnostic::error(
            KDL_SYNTAX,
            format!("`{shown}` must not stand outside quotes"),
        )
        .at(self.span(start..end));
        if run.chars().any(|c| c.is_alphanumeric() || c == '.') && !run.contains(['\\', '#']) {
            fault = fault
                .help("text with other characters than letters, digits and marks is quoted")
                .suggest(self.span(start..end), format!("\"{run}\""));
        }
        self.out.faults.push(fault);
        // The run is one thing that was meant as a word; what was read of it already is part of that.
        while self.out.tokens.last().is_some_and(|t| t.start >= start) {
            self.out.tokens.pop();
        }
        self.at = end;
        self.out.tokens.push(Token {
            kind: Kind::Word,
            start,
            end,
        });
    }

    fn unclosed(&mut self, range: Range<usize>, message: &str, help: &str) -> Option<()> {
        self.out.faults.push(
            Diagnostic::error(KDL_SYNTAX, message)
                .at(self.span(range))
                .label("opened here")
                .help(help),
        );
        self.out.unsure = true;
        None
    }
}

/// "… nests deeper than 200 levels".
pub(super) fn too_deep(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        NESTING_TOO_DEEP,
        format!("a {what} nests deeper than {MAX_NESTING} levels"),
    )
    .at(span)
    .help("check for a brace or comment that is opened and never closed")
}

fn has_newline(s: &str) -> bool {
    s.char_indices().any(|(i, _)| newline(&s[i..]) > 0)
}

/// How far it is to the end of the line.
pub(crate) fn line_length(s: &str) -> usize {
    s.char_indices()
        .find(|(i, _)| newline(&s[*i..]) > 0)
        .map_or(s.len(), |(i, _)| i)
}

/// The length of what `\` takes with it: a run of white space, or one character.
fn escaped_length(s: &str) -> usize {
    let blank = |c: char| is_space(c) || newline(c.encode_utf8(&mut [0; 4])) > 0;
    match s.find(|c| !blank(c)).unwrap_or(s.len()) {
        0 => s.chars().next().map_or(0, char::len_utf8),
        run => run,
    }
}

#[cfg(test)]
mod tests;
