//! Manifest text to tokens that tile it: strings, comments and braces are recognized, in one pass that never recurses.

mod strings;

use crate::diagnostic::span::{FileId, Span};
use crate::diagnostic::{Diagnostic, KDL_SYNTAX, MOST, NESTING_TOO_DEEP};
use std::ops::Range;

/// The most levels to which braces and block comments may nest.
pub(crate) const MAX_NESTING: usize = 200;

/// After this many problems the rest of the text is not worth reading.
pub(super) const MAX_FAULTS: usize = 20;

/// The kind of a token.
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
    /// A value that is wrong as it is written, which is reported already.
    Bad,
    /// White space inside a line.
    Space,
    /// The byte order mark that a text starts with.
    Bom,
    /// `// …`, without its line end.
    LineComment,
    /// `/* … */`
    BlockComment,
    /// `\` at the end of a line.
    Continuation,
    /// The line end after `\`, which ends no node.
    Joined,
    /// The rest of a text that cannot be split into tokens.
    Unread,
}

impl Kind {
    /// Whether it can be a name or a value.
    pub(crate) fn is_value(self) -> bool {
        matches!(self, Self::Word | Self::Text | Self::Bad)
    }

    /// Whether it is part of no node.
    pub(crate) fn is_trivia(self) -> bool {
        self as u8 >= Self::Space as u8
    }
}

/// A token and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its kind.
    pub(crate) kind: Kind,
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// The result of lexing.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// The tokens, in order; their texts, joined, are the whole text.
    pub(crate) tokens: Vec<Token>,
    /// The errors; lexing stopped at the last one if the rest was ambiguous.
    pub(crate) faults: Vec<Diagnostic>,
    /// Whether tokens may be missing, braces among them.
    pub(crate) unsure: bool,
}

impl Token {
    /// Where it is.
    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The first index from `at` on whose token is not trivia.
pub(crate) fn solid(tokens: &[Token], mut at: usize) -> usize {
    while at < tokens.len() && tokens[at].kind.is_trivia() {
        at += 1;
    }
    at
}

/// Splits `src` into tokens.
pub(crate) fn lex(file: FileId, src: &str) -> Lexed {
    let mut lexer = Lexer {
        file,
        src,
        at: 0,
        out: Lexed::default(),
    };
    if src.starts_with('\u{feff}') {
        lexer.token(Kind::Bom, '\u{feff}'.len_utf8());
    }
    while lexer.at < src.len() {
        if lexer.step().is_none() {
            lexer.token(Kind::Unread, src.len() - lexer.at);
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

/// Characters that KDL allows in no place but as an escape.
pub(super) fn is_forbidden(c: char) -> bool {
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

/// Characters that a bare word can have.
pub(super) fn is_word(c: char) -> bool {
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

    /// Keeps a fault, unless there are more than any run shows: a file of 1 MiB can have as many as bytes.
    fn fault(&mut self, fault: Diagnostic) {
        if self.out.faults.len() <= MOST {
            self.out.faults.push(fault);
        }
    }

    /// Reads one token, comment or stretch of white space; `None` if the rest cannot be read.
    fn step(&mut self) -> Option<()> {
        let rest = self.rest();
        let c = rest.chars().next()?;
        let line_end = newline(rest);
        match c {
            _ if line_end > 0 => self.token(Kind::Newline, line_end),
            c if is_space(c) => self.space(c),
            ';' => self.token(Kind::Semicolon, 1),
            '=' => self.token(Kind::Equals, 1),
            '(' => self.token(Kind::OpenParen, 1),
            ')' => self.token(Kind::CloseParen, 1),
            '{' => self.token(Kind::Open, 1),
            '}' => self.token(Kind::Close, 1),
            '/' if rest.starts_with("//") => self.token(Kind::LineComment, line_length(rest)),
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
        if kind.is_value() {
            self.forbid(start..end);
        }
        self.out.tokens.push(Token { kind, start, end });
    }

    /// A run of spaces, or one other white space.
    fn space(&mut self, c: char) {
        let bytes = &self.src.as_bytes()[self.at..];
        let mut length = c.len_utf8();
        while c == ' ' && bytes.get(length) == Some(&b' ') {
            length += 1;
        }
        self.token(Kind::Space, length);
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
        self.fault(
            Diagnostic::error(
                KDL_SYNTAX,
                format!("the character U+{code:04X} must not appear in a manifest unescaped"),
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
                    self.fault(fault);
                    self.out.unsure = true;
                    return None;
                }
                b"/*" => (depth, at) = (depth + 1, at + 2),
                b"*/" => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                self.token(Kind::BlockComment, at - start);
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
        let (start, kept) = (self.at, self.out.tokens.len());
        self.token(Kind::Continuation, 1);
        loop {
            let rest = self.rest();
            let line_end = newline(rest);
            if line_end > 0 {
                self.token(Kind::Joined, line_end);
                return Some(());
            } else if rest.is_empty() {
                return Some(());
            } else if rest.starts_with("//") {
                self.token(Kind::LineComment, line_length(rest));
            } else if rest.starts_with("/*") {
                self.comment()?;
            } else if let Some(c) = rest.chars().next().filter(|c| is_space(*c)) {
                self.space(c);
            } else {
                self.out.tokens.truncate(kept);
                self.at = start;
                self.stray();
                return Some(());
            }
        }
    }

    fn word(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let after = &rest[length..];
        let raw = after.trim_start_matches('#').starts_with('"');
        if &rest[..length] == "r" && raw {
            return self.raw_of_version_1();
        }
        self.token(Kind::Word, length);
        Some(())
    }

    /// A character that no word may have; most often a path without quotes.
    fn stray(&mut self) {
        let breaks = |c: char| is_space(c) || matches!(c, '=' | ';' | '{' | '}' | '(' | ')' | '"');
        let ends = |c: char| breaks(c) || newline(c.encode_utf8(&mut [0; 4])) > 0;
        // The run is one thing that was meant as a word; what was read of it already is part of that.
        let part = |token: &mut Token| {
            let kind = matches!(
                token.kind,
                Kind::Word | Kind::Slashdash | Kind::BlockComment
            );
            kind && !self.src[token.range()].contains(ends)
        };
        let mut start = self.at;
        while let Some(token) = self.out.tokens.pop_if(part) {
            start = token.start;
        }
        let rest = self.rest();
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let end = self.at + first + rest[first..].find(ends).unwrap_or(rest.len() - first);
        let run = &self.src[start..end];
        let shown: String = rest.chars().take(1).collect();
        let mut fault = Diagnostic::error(
            KDL_SYNTAX,
            format!("`{shown}` must not appear outside quotes"),
        )
        .at(self.span(start..end));
        if run.chars().any(|c| c.is_alphanumeric() || c == '.') && !run.contains(['\\', '#']) {
            fault = fault
                .help("text with other characters than letters, digits and marks is quoted")
                .suggest(self.span(start..end), format!("\"{run}\""));
        } else if run == "#" {
            fault = fault.help("a comment begins with `//`");
        }
        self.fault(fault);
        self.at = end;
        let kind = Kind::Bad;
        self.out.tokens.push(Token { kind, start, end });
    }

    fn unclosed(&mut self, range: Range<usize>, message: &str, help: &str) -> Option<()> {
        self.fault(
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

/// The distance to the end of the line.
pub(crate) fn line_length(s: &str) -> usize {
    s.char_indices()
        .find(|(i, _)| newline(&s[*i..]) > 0)
        .map_or(s.len(), |(i, _)| i)
}

#[cfg(test)]
mod tests;
