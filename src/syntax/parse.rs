//! Tokens to nodes, in one pass that never recurses. What is wrong is told, and reading goes on behind it.

use super::lex::{Kind, MAX_NESTING, Token, lex, too_deep};
use super::string::{Decoded, decode};
use super::tree::{EntryData, NodeData, Plain, Tree, WordData};
use super::word::{self, Word};
use crate::diagnostic::{Code, Diagnostic, KDL_SYNTAX, KDL_VERSION_1};
use crate::span::{FileId, Span};
use std::sync::Arc;

/// After this many problems the rest of the text is not worth reading.
const MAX_FAULTS: usize = 20;

/// Reads `src` as KDL 2.
///
/// # Errors
/// All that is wrong, in the order of the file.
pub(crate) fn read(file: FileId, src: &Arc<str>) -> Result<Tree, Vec<Diagnostic>> {
    let mut lexed = lex(file, src);
    let stopped = !lexed.faults.is_empty();
    let mut parser = Parser {
        file,
        src,
        faults: std::mem::take(&mut lexed.faults),
        tokens: &lexed.tokens,
        at: 0,
        open: Vec::new(),
        node: None,
        state: State::Start,
        argument: false,
        dashed: Vec::new(),
        nodes: Vec::new(),
        entries: Vec::new(),
        strings: Vec::new(),
    };
    while parser.at < parser.tokens.len() && parser.faults.len() < MAX_FAULTS {
        if parser.step().is_none() {
            break;
        }
    }
    parser.finish(stopped);
    let Parser {
        mut faults,
        nodes,
        entries,
        strings,
        ..
    } = parser;
    if !faults.is_empty() {
        faults.sort_by_key(|f| f.span.map(|s| s.start));
        return Err(faults);
    }
    Ok(Tree {
        file,
        src: src.clone(),
        lexed,
        nodes,
        entries,
        strings,
    })
}

/// Where in a node the next token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In front of a node.
    Start,
    /// Behind its name or an argument.
    Node,
    /// Behind its children, or behind some that are left out.
    Behind,
}

/// What `/-` leaves out, while its end is not reached.
struct Dashed {
    /// How many braces are open around it.
    depth: usize,
    /// Whether it is only the children of a node.
    children: bool,
    /// What was read when it began.
    kept: Kept,
}

/// How many nodes and entries were read.
#[derive(Clone, Copy)]
struct Kept {
    nodes: usize,
    entries: usize,
}

/// A word or string that was read.
struct Part {
    start: u32,
    ty: Option<WordData>,
    word: WordData,
    /// What it is if it is no text.
    plain: Option<Plain>,
}

/// A brace that is open.
struct Brace {
    token: Token,
    /// The node that it belongs to.
    node: Option<usize>,
}

/// What a value is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Name,
    Argument,
    Property,
}

struct Parser<'a> {
    file: FileId,
    src: &'a str,
    tokens: &'a [Token],
    at: usize,
    open: Vec<Brace>,
    /// The node that is being read.
    node: Option<usize>,
    state: State,
    /// Whether the token before is an argument by itself, so that it may turn out to be a property's name.
    argument: bool,
    dashed: Vec<Dashed>,
    nodes: Vec<NodeData>,
    entries: Vec<EntryData>,
    strings: Vec<Decoded>,
    faults: Vec<Diagnostic>,
}

impl Parser<'_> {
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
                self.end_node();
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
                self.property_value(could_be_key);
            }
            Kind::CloseParen => {
                self.at += 1;
                self.fault(KDL_SYNTAX, token, "`)` closes nothing", "remove it");
            }
            Kind::OpenParen | Kind::Word | Kind::Text => self.element(token),
        }
        Some(())
    }

    fn kept(&self) -> Kept {
        Kept {
            nodes: self.nodes.len(),
            entries: self.entries.len(),
        }
    }

    /// Ends the node that is being read, if there is one.
    fn end_node(&mut self) {
        self.node = None;
        self.end_dashed(false);
    }

    /// Leaves out what `/-` stands in front of, if that ends here; tells whether it did.
    fn end_dashed(&mut self, children: bool) -> bool {
        let (depth, ends) = (self.open.len(), |d: &mut Dashed| d.children == children);
        let dashed = self
            .dashed
            .pop_if(|dashed| dashed.depth == depth && ends(dashed));
        if let Some(Dashed { kept, .. }) = &dashed {
            self.nodes.truncate(kept.nodes);
            self.entries.truncate(kept.entries);
        }
        dashed.is_some()
    }

    fn open(&mut self, token: Token) -> Option<()> {
        self.at += 1;
        if self.open.len() == MAX_NESTING {
            let fault = too_deep("node", self.span(token));
            self.faults.push(fault);
            return None;
        }
        let left_out = |d: &Dashed| d.children && d.depth == self.open.len();
        let left_out = self.dashed.last().is_some_and(left_out);
        let node = self.node.take();
        let block = node
            .filter(|_| !left_out)
            .map(|node| &mut self.nodes[node].block);
        let again = block.is_some_and(|block| std::mem::replace(block, true));
        let wrong = match self.state {
            State::Start => Some((
                "`{` stands where a node's name should",
                "children stand on the line of their node: write `NAME {`",
            )),
            State::Behind if again => Some((
                "a node has one block of children",
                "put everything between one `{` and `}`",
            )),
            State::Node | State::Behind => None,
        };
        if let Some((message, help)) = wrong {
            self.fault(KDL_SYNTAX, token, message, help);
        }
        self.open.push(Brace { token, node });
        self.state = State::Start;
        Some(())
    }

    fn close(&mut self, token: Token) {
        self.at += 1;
        self.end_node();
        match self.open.pop() {
            Some(brace) => self.node = brace.node,
            None => self.fault(KDL_SYNTAX, token, "`}` closes nothing", "remove it"),
        }
        self.state = State::Behind;
        if !self.end_dashed(true)
            && let Some(node) = self.node
        {
            let below = index(self.nodes.len());
            let node = &mut self.nodes[node];
            (node.below, node.end) = (below, index(token.end));
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
            State::Start if value => self.dash(false),
            State::Node | State::Behind if children => self.dash(true),
            State::Node if value => {
                // What belongs to no node is not kept.
                let node = self.node.take();
                self.value(Role::Argument);
                if self.peek() == Some(Kind::Equals) {
                    self.property_value(false);
                }
                self.argument = false;
                self.node = node;
            }
            _ => self.fault(
                KDL_SYNTAX,
                token,
                "`/-` has nothing behind it to leave out",
                "it stands directly in front of a node, an argument, a property or `{`",
            ),
        }
    }

    fn dash(&mut self, children: bool) {
        let kept = self.kept();
        self.dashed.push(Dashed {
            depth: self.open.len(),
            children,
            kept,
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
        let Some(part) = self.value(role) else { return };
        match role {
            Role::Name => {
                let entries = index(self.entries.len());
                self.node = Some(self.nodes.len());
                self.nodes.push(NodeData {
                    ty: part.ty,
                    name: part.word,
                    entries: entries..entries,
                    below: index(self.nodes.len() + 1),
                    block: false,
                    end: part.word.end,
                });
            }
            Role::Argument | Role::Property => self.entry(None, part),
        }
    }

    /// Adds an argument, or the property `name`, to the node that is being read.
    fn entry(&mut self, name: Option<WordData>, part: Part) {
        let Some(node) = self.node else { return };
        let start = name.map_or(part.start, |name| name.start);
        let Part {
            ty,
            word: value,
            plain,
            ..
        } = part;
        self.entries.push(EntryData {
            name,
            ty,
            start,
            value,
            plain,
        });
        let node = &mut self.nodes[node];
        (node.entries.end, node.end) = (index(self.entries.len()), value.end);
    }

    /// A word or string, with its annotation.
    fn value(&mut self, role: Role) -> Option<Part> {
        let first = *self.tokens.get(self.at)?;
        let annotated = first.kind == Kind::OpenParen;
        let ty = if annotated { self.annotation() } else { None };
        let token = *self.tokens.get(self.at)?;
        if !matches!(token.kind, Kind::Word | Kind::Text) {
            return None;
        }
        self.at += 1;
        self.argument = role == Role::Argument && !annotated;
        let (word, plain) = self.word(token, role);
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
        if token.kind == Kind::Text {
            data.string = self.string(token);
            return (data, None);
        }
        let key = role == Role::Argument && self.argument && self.peek() == Some(Kind::Equals);
        let named = role == Role::Name || key;
        let found = word::word(&self.src[token.start..token.end]);
        let plain = match found {
            Word::Identifier => None,
            Word::Integer(number) if !named => Some(Plain::Integer(number)),
            Word::Float(number) if !named => Some(Plain::Float(number)),
            Word::Bool(is) if !named => Some(Plain::Bool(is)),
            Word::Null if !named => Some(Plain::Null),
            _ => {
                self.bad_word(token, named, found);
                None
            }
        };
        (data, plain)
    }

    /// A word that is neither an identifier nor, where values stand, a number or keyword.
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
        let message = format!("`{}` is not {what}", short(text));
        self.fault(KDL_SYNTAX, token, message, help);
    }

    /// A quoted or raw string; none if it is not well formed inside.
    fn string(&mut self, token: Token) -> Option<u32> {
        let raw = &self.src[token.start..token.end];
        // One of KDL 1 was told already.
        if raw.starts_with('r') {
            return None;
        }
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

    /// `(NAME)` in front of a word or string.
    fn annotation(&mut self) -> Option<WordData> {
        let open = self.tokens[self.at];
        self.at += 1;
        let name = self.tokens.get(self.at).copied();
        let name = name.filter(|t| matches!(t.kind, Kind::Word | Kind::Text));
        let named = name.is_some();
        self.at += usize::from(named);
        let name = name.map(|token| self.word(token, Role::Name).0);
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
        name
    }

    /// `=` and what stands behind it; `named` if the entry before is its name.
    fn property_value(&mut self, named: bool) {
        let equals = self.tokens[self.at];
        self.at += 1;
        let name = (named && self.node.is_some()).then(|| self.entries.pop());
        let name = name.flatten().map(|entry| entry.value);
        if matches!(self.peek(), Some(Kind::Word | Kind::Text | Kind::OpenParen)) {
            if let Some(part) = self.value(Role::Property) {
                self.entry(name, part);
            }
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
        self.end_node();
        if let (Some(open), false) = (self.open.pop(), stopped) {
            self.fault(
                KDL_SYNTAX,
                open.token,
                "`{` is not closed",
                "close it with `}`",
            );
        }
    }
}

/// A place or an index in 32 bits: a file that is read has at most 1 MiB.
fn index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
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
    use super::super::tree::Nodes;
    use super::*;
    use crate::span::Files;
    use std::ops::Range;

    fn checked(src: &str) -> Result<Tree, Vec<Diagnostic>> {
        let mut files = Files::default();
        let file = files.add("promptc.kdl", src);
        read(file, &files.get(file).text)
    }

    /// What was read, in few characters.
    fn shown(nodes: Nodes<'_>) -> String {
        let node = |node: super::super::Node<'_>| {
            let entries = node.entries().map(|entry| {
                let name = entry.name().map(|name| format!("{}=", name.value()));
                let ty = entry.ty().map(|ty| format!("({})", ty.value()));
                [name, ty].into_iter().flatten().collect::<String>() + entry.written()
            });
            let mut parts = vec![node.name().value().to_owned()];
            parts.extend(entries);
            parts.extend(node.children().map(|below| format!("{{{}}}", shown(below))));
            parts.join(" ")
        };
        nodes.into_iter().map(node).collect::<Vec<_>>().join(";")
    }

    fn codes(src: &str) -> Vec<(&'static str, Range<usize>)> {
        checked(src)
            .expect_err("faults")
            .iter()
            .map(|f| (f.code.name, f.span.expect("a place").range()))
            .collect()
    }

    #[test]
    fn what_is_commented_out_is_left_out() {
        let same =
            |src: &str, wanted: &str| assert_eq!(shown(checked(src).expect(src).nodes()), wanted);
        same("a /*b*/ c", "a c");
        same("/- a b { c }\nd", "d");
        same("/- a b; c", "c");
        same("a /-b c", "a c");
        same("a /-b=1 c=2", "a c=2");
        same("a /-(x)b=(y)1 c", "a c");
        same("a /-{ b; c } { d }", "a {d}");
        same("a { d } /-{ b }", "a {d}");
        same("a {\n/- b\n}", "a {}");
        same("/-\n a { /- b; }", "");
        same("/- kdl-version 2\na", "a");
        same("a { b { c; d e=1 2 }; f }; g", "a {b {c;d e=1 2};f};g");
        same("a b /-{ x } /-{ y } { c } /-{ z }; d", "a b {c};d");
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
