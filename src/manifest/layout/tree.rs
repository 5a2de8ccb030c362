//! The tree of a manifest with everything that people see in it: nodes, comments, empty lines, and which share a line.

use super::trivia::{Trivia, pieces, tidy, unified};
use super::value::{Value, value};
use crate::syntax::lex::{Kind, Token, is_space, newline, solid};
use std::ops::Range;

/// The width of a tab: it leads to the next multiple of this column.
const TAB: usize = 4;

/// The file, or the text between `{` and `}`.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Whether it is on one line.
    pub(super) inline: bool,
    /// The block comments after `{`, if the line ends after them.
    pub(super) notes: Vec<String>,
    /// The line comment after `{`.
    pub(super) comment: Option<Comment>,
    /// Its lines, without empty ones.
    pub(super) lines: Vec<Line>,
}

/// Nodes that share a line, or comments on a line of their own.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Whether an empty line comes before it.
    pub(super) blank: bool,
    /// The nodes.
    pub(super) nodes: Vec<Node>,
    /// The comments, if there is no node.
    pub(super) notes: Vec<String>,
}

/// A node, also one after `/-`.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Whether `/-` leaves it out.
    pub(super) dashed: bool,
    /// Name, arguments, children and the comments among them.
    pub(super) items: Vec<Item>,
    /// The line comment after it.
    pub(super) comment: Option<Comment>,
}

/// A part of a node.
#[derive(Debug)]
pub(super) struct Item {
    /// Its kind.
    pub(super) kind: ItemKind,
    /// The columns between it and the part before it.
    pub(super) gap: usize,
    /// The column at which it starts, from 0.
    pub(super) column: usize,
}

/// The kind of a part of a node.
#[derive(Debug)]
pub(super) enum ItemKind {
    /// The name, an argument or a property, with its annotation and `/-`.
    Value(Value),
    /// A block comment.
    Note(String),
    /// `\` at the end of a line.
    Break(Option<Comment>),
    /// Children, with the `/-` before them.
    Children(String, Block),
}

/// A line comment after a part.
#[derive(Debug, Clone)]
pub(super) struct Comment {
    /// The text, from `//` on.
    pub(super) text: String,
    /// The column at which it starts, from 0.
    pub(super) column: usize,
}

/// The tree of `src`, which is well formed and has `tokens`.
pub(super) fn tree(src: &str, tokens: &[Token]) -> Block {
    let mut reader = Reader {
        src,
        tokens,
        at: 0,
        left: 0,
        ruler: Ruler { at: 0, column: 0 },
    };
    reader.block(Block::default())
}

/// Finds columns, going forward only, so that a long line costs its length once.
struct Ruler {
    at: usize,
    column: usize,
}

impl Ruler {
    /// The column at `to`, after white space.
    fn column(&mut self, src: &str, to: usize) -> usize {
        self.over(src, to, true)
    }

    /// The column at `to`, after text. A tab has the columns that it will have in the output: otherwise the column would
    /// move each time.
    fn column_at(&mut self, src: &str, to: usize) -> usize {
        self.over(src, to, false)
    }

    fn over(&mut self, src: &str, to: usize, leads: bool) -> usize {
        while let Some(c) = src.get(self.at..to).and_then(|s| s.chars().next()) {
            let line_end = newline(&src[self.at..]);
            self.column = match c {
                _ if line_end > 0 => 0,
                '\t' if leads => self.column / TAB * TAB + TAB,
                '\u{feff}' => self.column,
                c => self.column + super::width(c.encode_utf8(&mut [0; 4])),
            };
            self.at += line_end.max(c.len_utf8());
        }
        self.column
    }
}

struct Reader<'a> {
    src: &'a str,
    tokens: &'a [Token],
    /// The next token.
    at: usize,
    /// The column where the text before is read to.
    left: usize,
    ruler: Ruler,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<Kind> {
        let next = self.tokens.get(solid(self.tokens, self.at));
        next.map(|t| t.kind)
    }

    /// Takes the next token.
    fn take(&mut self) -> Token {
        let at = solid(self.tokens, self.at);
        let token = self.tokens[at];
        self.at = at + 1;
        self.ruler.column(self.src, token.start);
        self.read_to(token.end);
        token
    }

    /// Reads what is written up to `end`, with the ruler at its start.
    fn read_to(&mut self, end: usize) {
        self.left = self.ruler.column_at(self.src, end);
    }

    /// Takes what is before the next part of a node.
    fn gap(&mut self) -> Vec<Trivia> {
        let from = self.at;
        self.at = solid(self.tokens, from);
        pieces(&self.tokens[from..self.at])
    }

    /// An item at `range`.
    fn item(&mut self, range: Range<usize>, kind: ItemKind) -> Item {
        let column = self.ruler.column(self.src, range.start);
        let gap = column.saturating_sub(self.left);
        self.read_to(range.end);
        Item { kind, gap, column }
    }

    fn note(&mut self, range: Range<usize>) -> Item {
        let text = tidy(&self.src[range.clone()]);
        self.item(range, ItemKind::Note(text))
    }

    fn comment(&mut self, range: Range<usize>) -> Comment {
        let column = self.ruler.column(self.src, range.start);
        self.read_to(range.end);
        let text = tidy(&self.src[range]);
        Comment { text, column }
    }

    /// The text after `{`, up to its `}`.
    fn children(&mut self) -> Block {
        let mut block = Block::default();
        let from = self.at;
        let gap = self.gap();
        let breaks = gap.iter().any(|p| matches!(p, Trivia::Break(_)));
        if !breaks && self.peek() == Some(Kind::Newline) {
            for piece in gap {
                match piece {
                    Trivia::Block(range) => {
                        self.ruler.column(self.src, range.start);
                        self.read_to(range.end);
                        block.notes.push(tidy(&self.src[range]));
                    }
                    Trivia::Line(range) => block.comment = Some(self.comment(range)),
                    Trivia::Break(_) => {}
                }
            }
        } else {
            self.at = from;
        }
        self.block(block)
    }

    /// The lines up to the next `}` or the end, added to `block`.
    fn block(&mut self, mut block: Block) -> Block {
        block.inline = true;
        let mut open = Open::default();
        loop {
            for piece in self.gap() {
                match piece {
                    Trivia::Block(range) => open.notes.push(self.note(range)),
                    Trivia::Line(range) | Trivia::Break(Some(range)) => {
                        open.comment = Some(self.comment(range));
                        // After a `\` no token marks the line end.
                        open.end(&mut block);
                        block.inline = false;
                    }
                    Trivia::Break(None) => {}
                }
            }
            match self.peek() {
                None | Some(Kind::Close) => break,
                Some(Kind::Newline) => {
                    self.take();
                    open.end(&mut block);
                    open.count_newlines += 1;
                    block.inline = false;
                }
                Some(Kind::Semicolon) => {
                    self.take();
                }
                Some(_) => {
                    let node = self.node(std::mem::take(&mut open.notes));
                    let ended = node.comment.is_some();
                    open.nodes.push(node);
                    if ended {
                        open.end(&mut block);
                        block.inline = false;
                    }
                }
            }
        }
        open.end(&mut block);
        block.inline |= block.lines.is_empty() && block.notes.is_empty() && block.comment.is_none();
        block
    }

    /// A node, after the comments before it.
    fn node(&mut self, before: Vec<Item>) -> Node {
        let mut node = Node {
            items: before,
            ..Node::default()
        };
        node.dashed = self.peek() == Some(Kind::Slashdash);
        let name = self.value();
        node.items.push(name);
        loop {
            for piece in self.gap() {
                match piece {
                    Trivia::Block(range) => {
                        let note = self.note(range);
                        node.items.push(note);
                    }
                    Trivia::Break(comment) => {
                        let comment = comment.map(|range| self.comment(range));
                        node.items.push(Item {
                            kind: ItemKind::Break(comment),
                            gap: 1,
                            column: 0,
                        });
                    }
                    Trivia::Line(range) => node.comment = Some(self.comment(range)),
                }
            }
            match self.peek() {
                None | Some(Kind::Newline | Kind::Semicolon | Kind::Close) => break,
                Some(_) => {
                    let item = self.value();
                    node.items.push(item);
                }
            }
        }
        node.end();
        node
    }

    /// The next argument, property, name or children, with the `/-` before it.
    fn value(&mut self) -> Item {
        let start = self.tokens[self.at].start;
        let column = self.ruler.column(self.src, start);
        let gap = column.saturating_sub(self.left);
        let dash = self.dash();
        let kind = if self.peek() == Some(Kind::Open) {
            self.take();
            let block = self.children();
            if self.peek() == Some(Kind::Close) {
                self.take();
            }
            ItemKind::Children(dash, block)
        } else {
            let (value, next) = value(self.src, self.tokens, self.at, dash);
            self.at = next;
            // Comments in it are printed as they are, so all of it is written.
            self.read_to(self.tokens[next - 1].end);
            ItemKind::Value(value)
        };
        Item { kind, gap, column }
    }

    /// `/-` and the text between it and the part that it disables; empty if there is none.
    fn dash(&mut self) -> String {
        if self.peek() != Some(Kind::Slashdash) {
            return String::new();
        }
        let from = self.take().end;
        while self.peek() == Some(Kind::Newline) {
            self.at = solid(self.tokens, self.at) + 1;
        }
        self.at = solid(self.tokens, self.at);
        let to = self.tokens[self.at].start;
        let gap = &self.src[from..to];
        let blank = |c: char| c.is_whitespace() || c == '\\';
        let text = match gap {
            "" => String::new(),
            gap if gap.chars().all(blank) => " ".to_owned(),
            // A comment in an unusual place; a line comment keeps the line end that it needs.
            gap => {
                let unified = unified(gap);
                let ends = if unified.trim_end_matches(is_space).ends_with('\n') {
                    "\n"
                } else {
                    " "
                };
                format!("{}{ends}", tidy(gap).trim_end())
            }
        };
        self.read_to(to);
        format!("/-{text}")
    }
}

impl Node {
    /// A `\` with nothing after it has no effect; the comment after it belongs to the node.
    fn end(&mut self) {
        while let Some(ItemKind::Break(comment)) = self.items.last_mut().map(|i| &mut i.kind) {
            if comment.is_some() {
                if self.comment.is_some() {
                    break;
                }
                self.comment = comment.take();
            }
            self.items.pop();
        }
    }
}

/// A line that is being read.
#[derive(Default)]
struct Open {
    nodes: Vec<Node>,
    /// Block comments that belong to no node yet.
    notes: Vec<Item>,
    comment: Option<Comment>,
    /// The line ends since the last line that was not empty.
    count_newlines: usize,
}

impl Open {
    /// Adds the line to `block`, unless it is empty.
    fn end(&mut self, block: &mut Block) {
        let line = std::mem::take(self);
        self.count_newlines = line.count_newlines;
        if line.nodes.is_empty() && line.notes.is_empty() && line.comment.is_none() {
            return;
        }
        self.count_newlines = 0;
        let mut done = Line {
            blank: line.count_newlines > 1 && !block.lines.is_empty(),
            nodes: line.nodes,
            notes: Vec::new(),
        };
        if let Some(last) = done.nodes.last_mut() {
            last.items.extend(line.notes);
            last.comment = last.comment.take().or(line.comment);
        } else {
            let notes = line.notes.into_iter().filter_map(|item| match item.kind {
                ItemKind::Note(text) => Some(text),
                _ => None,
            });
            done.notes.extend(notes);
            done.notes.extend(line.comment.map(|c| c.text));
        }
        block.lines.push(done);
    }
}
