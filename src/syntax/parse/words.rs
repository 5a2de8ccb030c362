//! Words and strings: names, annotations and values.

use super::{Parser, Part, Role, index};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Diagnostic, KDL_SYNTAX, KDL_VERSION_1};
use crate::syntax::lex::{Kind, Token};
use crate::syntax::string::decode;
use crate::syntax::tree::{Plain, WordData};
use crate::syntax::word::{self, Word};

/// The help for a `let` with parentheses.
pub(crate) const NO_FUNCTIONS: &str =
    "a `let` is one value: write `let NAME \"EXPR\"`; only a `macro` in a template takes arguments";

impl Parser<'_> {
    /// A word or string, with its annotation.
    pub(super) fn value(&mut self, role: Role) -> Option<Part> {
        let first = *self.tokens.get(self.at)?;
        let annotated = first.kind == Kind::OpenParen;
        let ty = if annotated { self.annotation() } else { None };
        let token = *self.tokens.get(self.at)?;
        if !token.kind.is_value() {
            return None;
        }
        self.advance();
        self.argument = role == Role::Argument && !annotated;
        let (word, plain) = self.word(token, role);
        if let Some(next) = self.tokens.get(self.at).copied()
            && next.start == token.end
            && (next.kind.is_value() || next.kind == Kind::OpenParen)
        {
            let shown = whole(&self.src[next.start..next.end], "before ", "here");
            let of = self.node.map(|node| self.nodes[node].name);
            let of = of.map(|name| &self.src[name.start as usize..name.end as usize]);
            let help = match (of, next.kind) {
                (Some("let"), Kind::OpenParen) => NO_FUNCTIONS,
                _ => {
                    "arguments are separated by spaces; text with spaces or quotes in it is quoted as a whole"
                }
            };
            let message = format!("a space is missing {shown}");
            self.fault(KDL_SYNTAX, next, message, help);
        }
        let start = index(first.start);
        Some(Part {
            start,
            ty,
            word,
            plain,
        })
    }

    /// A word or string, and what it is if it is no text.
    fn word(&mut self, token: Token, role: Role) -> (WordData, Option<Plain>) {
        let mut data = WordData {
            start: index(token.start),
            end: index(token.end),
            string: None,
        };
        match token.kind {
            Kind::Text => data.string = self.string(token),
            Kind::Word => return (data, self.plain(token, role)),
            _ => {}
        }
        (data, None)
    }

    /// The kind of a bare word if it is not text.
    fn plain(&mut self, token: Token, role: Role) -> Option<Plain> {
        let key = role == Role::Argument && self.argument && self.peek() == Some(Kind::Equals);
        let named = role == Role::Name || key;
        let found = word::word(&self.src[token.start..token.end]);
        match found {
            Word::Identifier => None,
            Word::Integer(number) if !named => Some(Plain::Integer(number)),
            Word::Float(number) if !named => Some(Plain::Float(number)),
            Word::Bool(is) if !named => Some(Plain::Bool(is)),
            Word::Null if !named => Some(Plain::Null),
            _ => {
                self.bad_word(token, named, found);
                None
            }
        }
    }

    /// A word that is not an identifier and, in the place of a value, not a number or keyword.
    fn bad_word(&mut self, token: Token, named: bool, found: Word) {
        let text = &self.src[token.start..token.end];
        if !named && matches!(text, "true" | "false" | "null") {
            let message = format!("`{text}` is a spelling of KDL 1");
            let fault = Diagnostic::error(KDL_VERSION_1, message)
                .at(self.span(token))
                .help(format!("write `#{text}`, or `\"{text}\"` if it is text"))
                .suggest(self.span(token), format!("#{text}"));
            self.faults.push(fault);
            return;
        }
        let unsigned = text.trim_start_matches(['+', '-', '.']);
        let number = unsigned.starts_with(|c: char| c.is_ascii_digit());
        let what = match (named, number) {
            (false, _) if found == Word::TooLarge => "a number that can be read",
            (false, true) => "a number",
            (false, false) if text.starts_with('#') => "a keyword of KDL",
            _ => "a name",
        };
        let help = match text.starts_with('#') {
            true => "the keywords are `#true`, `#false` and `#null`; text is quoted",
            false if found == Word::TooLarge => {
                "the largest number is 18446744073709551615; quote it if it is text"
            }
            false => "quote it if it is text",
        };
        let message = format!("{} is not {what}", whole(text, "", "this"));
        self.fault(KDL_SYNTAX, token, message, help);
    }

    /// A quoted or raw string; none if it is not well formed inside.
    fn string(&mut self, token: Token) -> Option<u32> {
        let raw = &self.src[token.start..token.end];
        match decode(raw, token.start) {
            Ok(string) => {
                self.strings.push(string);
                Some(index(self.strings.len() - 1))
            }
            Err(bad) => {
                let fault = Diagnostic::error(KDL_SYNTAX, bad.message)
                    .at(Span::new(self.file, bad.range))
                    .help(bad.help);
                self.faults.push(fault);
                None
            }
        }
    }

    /// `(NAME)` before a word or string.
    fn annotation(&mut self) -> Option<WordData> {
        let open = self.tokens[self.at];
        self.advance();
        let name = self.tokens.get(self.at).copied();
        let name = name.filter(|t| t.kind.is_value());
        if name.is_some() {
            self.advance();
        }
        let closed = self.peek() == Some(Kind::CloseParen);
        if closed {
            self.advance();
        }
        let named = name.map(|token| self.word(token, Role::Name).0);
        if !(named.is_some() && closed && self.peek().is_some_and(Kind::is_value)) {
            self.fault(
                KDL_SYNTAX,
                open,
                "`(` must start an annotation such as `(fact)NAME`",
                "quote text that has parentheses in it",
            );
        }
        named
    }
}

/// A word or string in a message, or `long` if it is: what hides values of private facts looks for whole ones, so
/// that none may be cut.
fn whole(text: &str, before: &str, long: &str) -> String {
    match text.chars().nth(20) {
        None => format!("{before}`{text}`"),
        Some(_) => long.to_owned(),
    }
}
