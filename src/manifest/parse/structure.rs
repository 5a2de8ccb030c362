//! Tokens to a text that kdl can be trusted with: braces balanced, properties whole, nothing commented out.

use super::lex::{Kind, Lexed, MAX_NESTING, Token, too_deep};
use super::literal::check_string;
use crate::diagnostic::{Code, Diagnostic, KDL_SYNTAX, KDL_VERSION_1};
use crate::span::{FileId, Span};
use kdl::KdlEntry;
use std::ops::Range;

/// After this many problems the rest of the text is not worth reading.
const MAX_FAULTS: usize = 20;

/// Checks the shape of the token stream. Returns `src` with comments and everything behind `/-` blanked, byte for byte
/// as long, so that places stay; or what is wrong.
pub(super) fn check(file: FileId, src: &str, lexed: &mut Lexed) -> Result<String, Vec<Diagnostic>> {
    let stopped = !lexed.faults.is_empty();
    let mut checker = Checker {
        file,
        src,
        tokens: &lexed.tokens,
        at: 0,
        open: Vec::new(),
        state: State::Start,
        argument: false,
        dashed: Vec::new(),
        blank: std::mem::take(&mut lexed.comments),
        faults: std::mem::take(&mut lexed.faults),
    };
    while checker.at < checker.tokens.len() && checker.faults.len() < MAX_FAULTS {
        if checker.step().is_none() {
            break;
        }
    }
    checker.finish(stopped);
    if checker.faults.is_empty() {
        Ok(blanked(src, &checker.blank))
    } else {
        let mut faults = checker.faults;
        faults.sort_by_key(|f| f.span.map(|s| s.start));
        Err(faults)
    }
}

fn blanked(src: &str, ranges: &[Range<usize>]) -> String {
    let mut bytes = src.as_bytes().to_vec();
    for range in ranges {
        bytes[range.clone()].fill(b' ');
    }
    String::from_utf8(bytes).expect("whole characters were replaced by spaces")
}

/// Where in a node the next token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In front of a node.
    Start,
    /// Behind its name or an argument.
    Node,
    /// Behind its children.
    Behind,
}

/// What `/-` leaves out, while its end is not reached.
struct Dashed {
    /// First byte of `/-`.
    start: usize,
    /// How many braces are open around it.
    depth: usize,
    /// Whether it is only the children of a node.
    children: bool,
}

/// What a value is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Name,
    Argument,
    Property,
}

struct Checker<'a> {
    file: FileId,
    src: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// The open braces.
    open: Vec<Token>,
    state: State,
    /// Whether the token before is an argument by itself, so that it may turn out to be a property's name.
    argument: bool,
    dashed: Vec<Dashed>,
    blank: Vec<Range<usize>>,
    faults: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn peek(&self) -> Option<Kind> {
        self.tokens.get(self.at).map(|t| t.kind)
    }

    fn span(&self, token: Token) -> Span {
        Span::new(self.file, token.start..token.end)
    }

    fn fault(&mut self, code: Code, token: Token, message: impl Into<String>, help: &str) {
        let fault = Diagnostic::error(code, message)
            .at(self.span(token))
            .help(help);
        self.faults.push(fault);
    }

    /// Takes what starts at the current token; `None` if the rest is not worth reading.
    fn step(&mut self) -> Option<()> {
        let token = self.tokens[self.at];
        let could_be_key = std::mem::take(&mut self.argument);
        match token.kind {
            Kind::Newline | Kind::Semicolon => {
                self.at += 1;
                let lone = self.state == State::Start && token.kind == Kind::Semicolon;
                if lone {
                    self.fault(KDL_SYNTAX, token, "`;` ends nothing", "remove it");
                }
                // A `;` belongs to the node that it ends, a line end may also end a comment.
                self.end_node(match token.kind {
                    Kind::Semicolon => token.end,
                    _ => token.start,
                });
                self.state = State::Start;
            }
            Kind::Open => return self.open(token),
            Kind::Close => self.close(token),
            Kind::Slashdash => self.slashdash(token),
            Kind::Equals => {
                if !could_be_key {
                    let help = "write `NODE NAME=VALUE`; text with `=` in it is quoted";
                    let message = "`=` has no property name in front of it";
                    self.fault(KDL_SYNTAX, token, message, help);
                }
                self.property_value();
            }
            Kind::CloseParen => {
                self.at += 1;
                self.fault(KDL_SYNTAX, token, "`)` closes nothing", "remove it");
            }
            Kind::OpenParen | Kind::Word | Kind::Text => self.element(token),
        }
        Some(())
    }

    /// Ends the node that is being read, if there is one.
    fn end_node(&mut self, end: usize) {
        if let Some(dashed) = self.dashed.last()
            && !dashed.children
            && dashed.depth == self.open.len()
        {
            self.blank.push(dashed.start..end);
            self.dashed.pop();
        }
    }

    fn open(&mut self, token: Token) -> Option<()> {
        self.at += 1;
        if self.open.len() == MAX_NESTING {
            let fault = too_deep("node", self.span(token));
            self.faults.push(fault);
            return None;
        }
        let wrong = match self.state {
            State::Start => Some((
                "`{` stands where a node's name should",
                "children stand on the line of their node: write `NAME {`",
            )),
            State::Behind => Some((
                "a node has one block of children",
                "put everything between one `{` and `}`",
            )),
            State::Node => None,
        };
        if let Some((message, help)) = wrong {
            self.fault(KDL_SYNTAX, token, message, help);
        }
        self.open.push(token);
        self.state = State::Start;
        Some(())
    }

    fn close(&mut self, token: Token) {
        self.at += 1;
        self.end_node(token.start);
        if self.open.pop().is_none() {
            self.fault(KDL_SYNTAX, token, "`}` closes nothing", "remove it");
        }
        self.state = State::Behind;
        if let Some(dashed) = self.dashed.last()
            && dashed.children
            && dashed.depth == self.open.len()
        {
            self.blank.push(dashed.start..token.end);
            self.dashed.pop();
            self.state = State::Node;
        }
    }

    /// `/-` in front of a node, an argument, a property or children.
    fn slashdash(&mut self, token: Token) {
        self.at += 1;
        while self.peek() == Some(Kind::Newline) {
            self.at += 1;
        }
        let value = matches!(self.peek(), Some(Kind::Word | Kind::Text | Kind::OpenParen));
        let children = self.peek() == Some(Kind::Open);
        match self.state {
            State::Start if value => self.dash(token, false),
            State::Node | State::Behind if children => {
                self.dash(token, true);
                self.state = State::Node;
            }
            State::Node if value => {
                self.value(Role::Argument);
                if self.peek() == Some(Kind::Equals) {
                    self.property_value();
                }
                self.argument = false;
                self.blank.push(token.start..self.tokens[self.at - 1].end);
            }
            _ => self.fault(
                KDL_SYNTAX,
                token,
                "`/-` has nothing behind it to leave out",
                "it stands directly in front of a node, an argument, a property or `{`",
            ),
        }
    }

    fn dash(&mut self, token: Token, children: bool) {
        self.dashed.push(Dashed {
            start: token.start,
            depth: self.open.len(),
            children,
        });
    }

    /// A node's name or an argument.
    fn element(&mut self, token: Token) {
        if self.state == State::Behind {
            self.fault(
                KDL_SYNTAX,
                token,
                "a node ends with its children",
                "start the next node on a new line or behind `;`",
            );
            self.state = State::Start;
        }
        let role = match self.state {
            State::Start => Role::Name,
            _ => Role::Argument,
        };
        self.state = State::Node;
        self.value(role);
    }

    /// A word or string, with its annotation.
    fn value(&mut self, role: Role) {
        let annotated = self.peek() == Some(Kind::OpenParen);
        if annotated {
            self.annotation();
        }
        let Some(token) = self.tokens.get(self.at).copied() else {
            return;
        };
        if !matches!(token.kind, Kind::Word | Kind::Text) {
            return;
        }
        self.at += 1;
        self.argument = role == Role::Argument && !annotated;
        match token.kind {
            Kind::Text => self.string(token),
            _ => self.word(token, role),
        }
        if role != Role::Name {
            self.keyword(token);
        }
        if let Some(next) = self.tokens.get(self.at).copied()
            && next.start == token.end
            && matches!(next.kind, Kind::Word | Kind::Text | Kind::OpenParen)
        {
            let shown = short(&self.src[next.start..next.end]);
            self.fault(
                KDL_SYNTAX,
                next,
                format!("a space is missing in front of `{shown}`"),
                "arguments stand apart; text with spaces or quotes in it is quoted as a whole",
            );
        }
    }

    /// A word that is neither an identifier nor, where values stand, a number or keyword.
    fn word(&mut self, token: Token, role: Role) {
        let text = &self.src[token.start..token.end];
        let unsigned = text.trim_start_matches(['+', '-', '.']);
        let number = unsigned.starts_with(|c: char| c.is_ascii_digit());
        let key = role == Role::Argument && self.argument && self.peek() == Some(Kind::Equals);
        let named = role == Role::Name || key;
        let keyword = matches!(text, "true" | "false" | "null" | "inf" | "-inf" | "nan");
        let message = if !text.starts_with('#') && !number && !keyword
            || (keyword && !named && is_version_1(text))
            || (!named && KdlEntry::parse(text).is_ok())
        {
            return;
        } else if text.starts_with('#') && !named {
            format!("`{}` is not a keyword of KDL", short(text))
        } else {
            let kind = if number && !named {
                "a number"
            } else {
                "a name"
            };
            format!("`{}` is not {kind}", short(text))
        };
        let help = match text.starts_with('#') {
            true => "the keywords are `#true`, `#false` and `#null`; text is quoted",
            false => "quote it if it is text",
        };
        self.fault(KDL_SYNTAX, token, message, help);
    }

    /// A quoted or raw string that is not well formed inside.
    fn string(&mut self, token: Token) {
        let raw = &self.src[token.start..token.end];
        if !raw.starts_with('r')
            && let Err(bad) = check_string(raw, token.start)
        {
            let fault = Diagnostic::error(KDL_SYNTAX, bad.message)
                .at(Span::new(self.file, bad.range))
                .help(bad.help);
            self.faults.push(fault);
        }
    }

    /// `true`, `false` and `null` as KDL 1 writes them.
    fn keyword(&mut self, token: Token) {
        let text = &self.src[token.start..token.end];
        let key = self.argument && self.peek() == Some(Kind::Equals);
        if key || !is_version_1(text) {
            return;
        }
        let fault = Diagnostic::error(KDL_VERSION_1, format!("`{text}` is a spelling of KDL 1"))
            .at(self.span(token))
            .help(format!("write `#{text}`, or `\"{text}\"` if it is text"))
            .suggest(self.span(token), format!("#{text}"));
        self.faults.push(fault);
    }

    /// `(NAME)` in front of a word or string.
    fn annotation(&mut self) {
        let open = self.tokens[self.at];
        self.at += 1;
        let named = matches!(self.peek(), Some(Kind::Word | Kind::Text));
        self.at += usize::from(named);
        let closed = self.peek() == Some(Kind::CloseParen);
        self.at += usize::from(closed);
        if !(named && closed && matches!(self.peek(), Some(Kind::Word | Kind::Text))) {
            self.fault(
                KDL_SYNTAX,
                open,
                "`(` must start an annotation such as `(fact)NAME`",
                "quote text that has parentheses in it",
            );
        }
    }

    /// `=` and what stands behind it.
    fn property_value(&mut self) {
        let equals = self.tokens[self.at];
        self.at += 1;
        if matches!(self.peek(), Some(Kind::Word | Kind::Text | Kind::OpenParen)) {
            self.value(Role::Property);
        } else {
            self.fault(
                KDL_SYNTAX,
                equals,
                "`=` has no value behind it",
                "write `NAME=VALUE`, the empty text as `\"\"`",
            );
        }
        self.state = State::Node;
    }

    /// Reports what is still open; not if the end was not reached.
    fn finish(&mut self, stopped: bool) {
        if self.at < self.tokens.len() {
            return;
        }
        self.end_node(self.src.len());
        if let (Some(open), false) = (self.open.pop(), stopped) {
            self.fault(KDL_SYNTAX, open, "`{` is not closed", "close it with `}`");
        }
    }
}

/// Whether the word is a value in KDL 1 and none in KDL 2.
fn is_version_1(text: &str) -> bool {
    matches!(text, "true" | "false" | "null")
}

/// The start of a text that may be long.
fn short(text: &str) -> String {
    let mut shown: String = text.chars().take(20).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::super::lex::lex;
    use super::*;
    use crate::span::Files;

    fn checked(src: &str) -> Result<String, Vec<Diagnostic>> {
        let mut files = Files::default();
        let file = files.add("promptc.kdl", src);
        check(file, src, &mut lex(file, src))
    }

    fn codes(src: &str) -> Vec<(&'static str, Range<usize>)> {
        checked(src)
            .expect_err("faults")
            .iter()
            .map(|f| (f.code.name, f.span.expect("a place").range()))
            .collect()
    }

    #[test]
    fn what_is_commented_out_becomes_blank() {
        let same = |src: &str, wanted: &str| assert_eq!(checked(src).expect(src), wanted);
        same("a /*b*/ c", "a /* */ c");
        same("/- a b { c }\nd", "            \nd");
        same("/- a b; c", "        c");
        same("a /-b c", "a     c");
        same("a /-b=1 c=2", "a       c=2");
        same("a /-(x)b=(y)1 c", "a             c");
        same("a /-{ b; c } { d }", "a            { d }");
        same("a { d } /-{ b }", "a { d }        ");
        same("a {\n/- b\n}", "a {\n    \n}");
        same("/-\n a { /- b; }", "               ");
    }

    #[test]
    fn braces_and_properties_are_whole() {
        assert_eq!(codes("a {\n b\n"), [("kdl-syntax", 2..3)]);
        assert_eq!(codes("a\n}\n"), [("kdl-syntax", 2..3)]);
        assert_eq!(codes("a { } b"), [("kdl-syntax", 6..7)]);
        assert_eq!(codes("a=1"), [("kdl-syntax", 1..2)]);
        assert_eq!(codes("n a=\nb"), [("kdl-syntax", 3..4)]);
        assert_eq!(codes("n a=1=2"), [("kdl-syntax", 5..6)]);
        assert_eq!(codes("n \"a\"b"), [("kdl-syntax", 5..6)]);
        assert_eq!(codes("n (fact"), [("kdl-syntax", 2..3)]);
        assert_eq!(
            codes("n a=true null\nx false"),
            [
                ("kdl-version-1", 4..8),
                ("kdl-version-1", 9..13),
                ("kdl-version-1", 16..21)
            ]
        );
    }

    #[test]
    fn words_are_names_numbers_or_keywords() {
        assert!(checked("a -b 1 -2.5 0x1f 1_000 1e5 #true #-inf .b x=+1").is_ok());
        for word in [
            "1x",
            "#yes",
            "-1a",
            ".5",
            "0xg",
            "inf",
            "99999999999999999999999999999999999999999",
        ] {
            assert_eq!(
                codes(&format!("a b={word} c")),
                [("kdl-syntax", 4..4 + word.len())]
            );
        }
        assert_eq!(codes("1 a"), [("kdl-syntax", 0..1)]);
        assert_eq!(codes("a true=1"), [("kdl-syntax", 2..6)]);
    }

    #[test]
    fn nesting_is_bounded() {
        let levels = |n: usize| format!("{}{}", "a {".repeat(n), "}".repeat(n));
        assert!(checked(&levels(200)).is_ok());
        assert_eq!(codes(&levels(201)), [("nesting-too-deep", 602..603)]);
        let dashed = "a /-{ ".repeat(100_000);
        assert_eq!(codes(&dashed), [("nesting-too-deep", 1204..1205)]);
    }
}
