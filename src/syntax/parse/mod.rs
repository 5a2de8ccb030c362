//! Tokens to nodes, in one pass that never recurses. Errors are reported, and reading continues after them.

mod braces;
mod words;

pub(crate) use words::NO_FUNCTIONS;

use super::lex::{Kind, MAX_FAULTS, Token, lex, solid};
use super::string::Decoded;
use super::tree::{EntryData, NodeData, Plain, Source, Tree, WordData};
use crate::diagnostic::span::{FileId, Span};
use crate::diagnostic::{Code, Diagnostic, KDL_SYNTAX, KDL_VERSION_1};
use braces::{Brace, Line};
use std::sync::Arc;

/// Reads `src` as KDL 2.
///
/// # Errors
/// All that is wrong, in the order of the file.
pub(crate) fn read(file: FileId, src: &Arc<str>) -> Result<Tree, Vec<Diagnostic>> {
    let (tree, faults) = recover(file, src);
    if faults.is_empty() {
        Ok(tree)
    } else {
        Err(faults)
    }
}

/// Reads of `src` what can be read as KDL 2, and all that is wrong, in the order of the file.
pub(crate) fn recover(file: FileId, src: &Arc<str>) -> (Tree, Vec<Diagnostic>) {
    let mut lexed = lex(file, src);
    let mut faults = std::mem::take(&mut lexed.faults);
    let mut parser = Parser {
        file,
        src,
        unsure: lexed.unsure,
        faults: Vec::new(),
        tokens: &lexed.tokens,
        at: solid(&lexed.tokens, 0),
        open: Vec::new(),
        line: Line::default(),
        lost: None,
        node: None,
        state: State::Start,
        argument: false,
        dashed: Vec::new(),
        nodes: Vec::new(),
        entries: Vec::new(),
        strings: Vec::new(),
    };
    parser.version();
    while parser.at < parser.tokens.len() && parser.faults.len() < MAX_FAULTS {
        if parser.step().is_none() {
            break;
        }
    }
    parser.finish();
    let Parser {
        faults: more,
        nodes,
        entries,
        strings,
        ..
    } = parser;
    faults.extend(more);
    faults.sort_by_key(|f| f.span.map(|s| s.start));
    let tree = Tree {
        sources: vec![Source {
            file,
            src: src.clone(),
        }],
        lexed,
        nodes,
        entries,
        strings,
    };
    (tree, faults)
}

/// The position of the next token in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a node.
    Start,
    /// After its name or an argument.
    Node,
    /// After its children, or after disabled ones.
    Behind,
}

/// The part that `/-` leaves out, until its end is reached.
struct Dashed {
    /// The number of braces that are open around it.
    depth: usize,
    /// Whether it is only the children of a node.
    children: bool,
    /// The state when it began.
    kept: Kept,
}

/// The number of nodes and entries that were read.
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
    /// Its kind if it is not text.
    plain: Option<Plain>,
}

/// The role of a value.
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
    line: Line,
    /// The first `{` whose `}` is indented less than its line.
    lost: Option<Token>,
    /// The node that is being read.
    node: Option<usize>,
    state: State,
    /// Whether the token before is an argument by itself, so that it may turn out to be a property's name.
    argument: bool,
    dashed: Vec<Dashed>,
    nodes: Vec<NodeData>,
    entries: Vec<EntryData>,
    strings: Vec<Decoded>,
    /// Whether tokens may be missing, braces among them.
    unsure: bool,
    faults: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Kind> {
        self.tokens.get(self.at).map(|t| t.kind)
    }

    /// Whether a value starts here, with or without an annotation.
    fn at_value(&self) -> bool {
        self.peek()
            .is_some_and(|kind| kind.is_value() || kind == Kind::OpenParen)
    }

    fn span(&self, token: Token) -> Span {
        Span::new(self.file, token.range())
    }

    /// The index of the token after the current one.
    fn next(&self) -> usize {
        solid(self.tokens, self.at + 1)
    }

    fn advance(&mut self) {
        self.at = self.next();
    }

    fn fault(&mut self, code: Code, token: Token, message: impl Into<String>, help: &str) {
        let fault = Diagnostic::error(code, message)
            .at(self.span(token))
            .help(help);
        self.faults.push(fault);
    }

    /// Reports the mark of a file of KDL 1, which such a file starts with.
    fn version(&mut self) {
        let solid = self.tokens.iter().filter(|t| !t.kind.is_trivia());
        let mut first = solid.skip_while(|t| t.kind == Kind::Newline).copied();
        let mut word = |text| first.next().filter(|t| &self.src[t.range()] == text);
        let mark = word("/-").zip(word("kdl-version")).zip(word("1"));
        let ends = first.next().is_none_or(|t| t.kind == Kind::Newline);
        if let Some(((dash, _), number)) = mark.filter(|_| ends) {
            let place = Span::new(self.file, dash.start..number.end);
            let fault = Diagnostic::error(KDL_VERSION_1, "the file declares KDL 1")
                .at(place)
                .help("a manifest is KDL 2: write `/- kdl-version 2`, or remove the line")
                .suggest(self.span(number), "2");
            self.faults.push(fault);
        }
    }

    /// Takes what starts at the current token; `None` if the rest is not worth reading.
    fn step(&mut self) -> Option<()> {
        let token = self.tokens[self.at];
        let could_be_key = std::mem::take(&mut self.argument);
        match token.kind {
            Kind::Newline | Kind::Semicolon => {
                self.advance();
                let lone = self.state == State::Start && token.kind == Kind::Semicolon;
                if lone {
                    self.fault(KDL_SYNTAX, token, "`;` ends nothing", "remove it");
                }
                if let (Kind::Newline, Some(next)) = (token.kind, self.tokens.get(self.at)) {
                    let indentation = next.start - token.end;
                    let first = self.at;
                    self.line = Line { first, indentation };
                }
                self.end_node();
                self.state = State::Start;
            }
            Kind::Open => return self.open(token),
            Kind::Close => self.close(token),
            Kind::Slashdash => self.slashdash(token),
            Kind::Equals => {
                if !could_be_key {
                    self.no_property(token);
                }
                self.property_value(could_be_key);
            }
            Kind::CloseParen => {
                self.advance();
                self.fault(KDL_SYNTAX, token, "`)` closes nothing", "remove it");
            }
            // The current token is never trivia.
            _ => self.element(token),
        }
        Some(())
    }

    fn kept(&self) -> Kept {
        Kept {
            nodes: self.nodes.len(),
            entries: self.entries.len(),
        }
    }

    /// Reports that the `=` at `token` makes no property.
    fn no_property(&mut self, token: Token) {
        let read = self.node.map(|node| &self.nodes[node]);
        // Directly after the name of a node without any entry.
        let alone =
            read.filter(|node| node.end as usize == token.start && node.name.end == node.end);
        let Some(name) = alone.map(|node| node.name) else {
            let help = "write `NODE NAME=VALUE`; text with `=` in it is quoted";
            let message = "`=` has no property name before it";
            return self.fault(KDL_SYNTAX, token, message, help);
        };
        let value = self.tokens.get(self.next()).copied();
        let value = value.filter(|v| v.kind.is_value());
        let place = name.start as usize..value.map_or(token.end, |v| v.end);
        let name = &self.src[name.start as usize..name.end as usize];
        let around = self.open.last().filter(|_| !self.unsure);
        // Only names are repeated: an argument or a value may be one of a private fact.
        let help = match around.and_then(|brace| brace.node) {
            Some(node) => {
                let of = self.nodes[node].name;
                let of = &self.src[of.start as usize..of.end as usize];
                format!("it belongs on the line of its node: `{of} … {name}=VALUE {{`")
            }
            None if self.unsure => "it belongs on the line of its node".to_owned(),
            None => format!("only nodes are allowed at the top of a file: write `{name} VALUE`"),
        };
        let message = format!("the property `{name}` is not on the line of its node");
        let fault = Diagnostic::error(KDL_SYNTAX, message);
        let place = Span::new(self.file, place);
        self.faults.push(fault.at(place).help(help));
    }

    /// Ends the node that is being read, if there is one.
    fn end_node(&mut self) {
        self.node = None;
        self.end_dashed(false);
    }

    /// `/-` before a node, an argument, a property or children.
    fn slashdash(&mut self, token: Token) {
        self.advance();
        while self.peek() == Some(Kind::Newline) {
            self.advance();
        }
        let value = self.at_value();
        let children = self.peek() == Some(Kind::Open);
        match self.state {
            State::Start if value => self.dash(false),
            State::Node | State::Behind if children => self.dash(true),
            State::Node if value => {
                // Text that belongs to no node is dropped.
                let node = self.node.take();
                self.value(Role::Argument);
                let could_be_key = std::mem::take(&mut self.argument);
                if self.peek() == Some(Kind::Equals) {
                    if !could_be_key {
                        self.no_property(self.tokens[self.at]);
                    }
                    self.property_value(false);
                }
                self.argument = false;
                self.node = node;
                self.reach();
            }
            _ => self.fault(
                KDL_SYNTAX,
                token,
                "`/-` has nothing after it to leave out",
                "it goes directly before a node, an argument, a property or `{`",
            ),
        }
    }

    /// A node's name or an argument.
    fn element(&mut self, token: Token) {
        if self.state == State::Behind {
            self.fault(
                KDL_SYNTAX,
                token,
                "a node ends with its children",
                "start the next node on a new line or after `;`",
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
                    source: 0,
                    start: part.start,
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
            source: 0,
            name,
            ty,
            start,
            value,
            plain,
        });
        let node = &mut self.nodes[node];
        (node.entries.end, node.end) = (index(self.entries.len()), value.end);
    }

    /// `=` and the value after it; `named` if the entry before is its name.
    fn property_value(&mut self, named: bool) {
        let equals = self.tokens[self.at];
        self.advance();
        let name = (named && self.node.is_some()).then(|| self.entries.pop());
        let name = name.flatten().map(|entry| entry.value);
        if self.at_value() {
            if let Some(part) = self.value(Role::Property) {
                self.entry(name, part);
            }
        } else {
            self.fault(
                KDL_SYNTAX,
                equals,
                "`=` has no value after it",
                "write `NAME=VALUE`, the empty text as `\"\"`",
            );
        }
        self.state = State::Node;
    }
}

/// A place or an index in 32 bits: a file that is read has at most 1 MiB.
fn index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
