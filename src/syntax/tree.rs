//! The nodes of a file, flat: each has the positions of its entries and of the nodes below it.

use super::lex::{Lexed, Token};
use super::string::Decoded;
use crate::diagnostic::span::{FileId, Literal, Span};
use std::ops::Range;
use std::sync::Arc;

/// A file as KDL: its tokens, and its nodes in the order of the file. One that was [put together](super::Builder) has
/// nodes of several files and no tokens.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The files that its nodes are from.
    pub(super) sources: Vec<Source>,
    pub(super) lexed: Lexed,
    pub(super) nodes: Vec<NodeData>,
    pub(super) entries: Vec<EntryData>,
    /// The strings, in the order of the file.
    pub(super) strings: Vec<Decoded>,
}

/// A file and its text.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) file: FileId,
    pub(super) src: Arc<str>,
}

/// A name, an annotation or a text: its position, and for a string its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordData {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The index of what it says; none for a bare word.
    pub(super) string: Option<u32>,
}

/// The stored form of a node.
#[derive(Debug, Clone)]
pub(super) struct NodeData {
    /// The index of the file that it is from.
    pub(super) source: u32,
    pub(super) start: u32,
    pub(super) ty: Option<WordData>,
    pub(super) name: WordData,
    /// Its arguments and properties.
    pub(super) entries: Range<u32>,
    /// One past the last node below it.
    pub(super) below: u32,
    /// Whether it has braces.
    pub(super) block: bool,
    /// Where it ends: after its braces or its last entry, those that are left out among them.
    pub(super) end: u32,
}

/// The stored form of an argument or a property.
#[derive(Debug, Clone)]
pub(super) struct EntryData {
    /// The index of the file that it is from.
    pub(super) source: u32,
    pub(super) name: Option<WordData>,
    pub(super) ty: Option<WordData>,
    pub(super) start: u32,
    pub(super) value: WordData,
    /// The value; none for a text.
    pub(super) plain: Option<Plain>,
}

/// A value that is no text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Plain {
    Integer(i128),
    Float(f64),
    Bool(bool),
    Null,
}

/// The value of an argument or a property.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar<'t> {
    /// A text, quoted or not.
    Text(&'t str),
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// `#true` and `#false`.
    Bool(bool),
    /// `#null`.
    Null,
}

/// A name or an annotation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'t> {
    tree: &'t Tree,
    source: u32,
    data: WordData,
}

/// A node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<'t> {
    pub(super) tree: &'t Tree,
    pub(super) at: u32,
}

/// Adjacent nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nodes<'t> {
    tree: &'t Tree,
    at: u32,
    end: u32,
}

/// An argument or a property.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'t> {
    pub(super) tree: &'t Tree,
    pub(super) data: &'t EntryData,
}

impl Tree {
    /// The nodes of the top level.
    pub(crate) fn nodes(&self) -> Nodes<'_> {
        Nodes {
            tree: self,
            at: 0,
            end: u32::try_from(self.nodes.len()).unwrap_or(u32::MAX),
        }
    }

    /// Its tokens, which tile the file.
    pub(crate) fn tokens(&self) -> &[Token] {
        &self.lexed.tokens
    }
}

impl WordData {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<'t> Word<'t> {
    /// Its value.
    pub(crate) fn value(self) -> &'t str {
        match self.data.string {
            Some(string) => &self.tree.strings[string as usize].text,
            None => &self.source().src[self.data.range()],
        }
    }

    fn source(self) -> &'t Source {
        &self.tree.sources[self.source as usize]
    }

    /// Its position, quotes included.
    pub(crate) fn span(self) -> Span {
        Span::new(self.source().file, self.data.range())
    }
}

impl<'t> Node<'t> {
    pub(super) fn data(self) -> &'t NodeData {
        &self.tree.nodes[self.at as usize]
    }

    /// Its name.
    pub(crate) fn name(self) -> Word<'t> {
        self.word(self.data().name)
    }

    fn word(self, data: WordData) -> Word<'t> {
        Word {
            tree: self.tree,
            source: self.data().source,
            data,
        }
    }

    /// The annotation before it.
    pub(crate) fn ty(self) -> Option<Word<'t>> {
        self.data().ty.map(|data| self.word(data))
    }

    /// Its arguments and properties, in order.
    pub(crate) fn entries(self) -> impl DoubleEndedIterator<Item = Entry<'t>> {
        let Range { start, end } = self.data().entries;
        let tree = self.tree;
        let entries = &tree.entries[start as usize..end as usize];
        entries.iter().map(move |data| Entry { tree, data })
    }

    /// Its arguments, in order.
    pub(crate) fn arguments(self) -> impl DoubleEndedIterator<Item = Entry<'t>> {
        self.entries().filter(|entry| entry.name().is_none())
    }

    /// The nodes between its braces, if it has any.
    pub(crate) fn children(self) -> Option<Nodes<'t>> {
        let data = self.data();
        data.block.then_some(Nodes {
            tree: self.tree,
            at: self.at + 1,
            end: data.below,
        })
    }

    /// The nodes between its braces.
    pub(crate) fn below(self) -> Nodes<'t> {
        let none = Nodes {
            tree: self.tree,
            at: 0,
            end: 0,
        };
        self.children().unwrap_or(none)
    }

    /// From its name to the end of its braces, or of its last argument or property.
    pub(crate) fn span(self) -> Span {
        let data = self.data();
        let source = &self.tree.sources[data.source as usize];
        Span::new(source.file, data.start as usize..data.end as usize)
    }

    /// From its name to the end of its last argument or property.
    pub(crate) fn head(self) -> Span {
        let name = self.name().span();
        let last = self.entries().last().map(Entry::span);
        Span {
            end: last.map_or(name.end, |last| last.end),
            ..name
        }
    }

    /// It and all nodes below it, each with how deep it is in it.
    pub(crate) fn walk(self) -> impl Iterator<Item = (usize, Self)> {
        let mut open: Vec<u32> = Vec::new();
        let tree = self.tree;
        (self.at..self.data().below).map(move |at| {
            let node = Self { tree, at };
            while open.last().is_some_and(|end| *end <= at) {
                open.pop();
            }
            open.push(node.data().below);
            (open.len() - 1, node)
        })
    }
}

impl<'t> Nodes<'t> {
    /// The first of them.
    pub(crate) fn first(self) -> Option<Node<'t>> {
        (self.at < self.end).then_some(Node {
            tree: self.tree,
            at: self.at,
        })
    }

    /// The nodes after the first.
    pub(crate) fn rest(self) -> Self {
        let at = self.first().map_or(self.end, |node| node.data().below);
        Self { at, ..self }
    }

    /// Each of them.
    pub(crate) fn iter(self) -> NodesIter<'t> {
        NodesIter(self)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        self.at == self.end
    }
}

impl<'t> IntoIterator for Nodes<'t> {
    type Item = Node<'t>;
    type IntoIter = NodesIter<'t>;

    fn into_iter(self) -> NodesIter<'t> {
        self.iter()
    }
}

/// Goes from node to node.
pub(crate) struct NodesIter<'t>(Nodes<'t>);

impl<'t> Iterator for NodesIter<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        let node = self.0.first()?;
        self.0 = self.0.rest();
        Some(node)
    }
}

impl<'t> Entry<'t> {
    fn source(self) -> &'t Source {
        &self.tree.sources[self.data.source as usize]
    }

    fn word(self, data: WordData) -> Word<'t> {
        Word {
            tree: self.tree,
            source: self.data.source,
            data,
        }
    }

    /// The name of a property; none for an argument.
    pub(crate) fn name(self) -> Option<Word<'t>> {
        self.data.name.map(|data| self.word(data))
    }

    /// The annotation before the value.
    pub(crate) fn ty(self) -> Option<Word<'t>> {
        self.data.ty.map(|data| self.word(data))
    }

    /// Its value.
    pub(crate) fn value(self) -> Scalar<'t> {
        match self.data.plain {
            None => Scalar::Text(self.word(self.data.value).value()),
            Some(Plain::Integer(number)) => Scalar::Integer(number),
            Some(Plain::Float(number)) => Scalar::Float(number),
            Some(Plain::Bool(is)) => Scalar::Bool(is),
            Some(Plain::Null) => Scalar::Null,
        }
    }

    /// The whole argument or property.
    pub(crate) fn span(self) -> Span {
        let data = self.data;
        let range = data.start as usize..data.value.end as usize;
        Span::new(self.source().file, range)
    }

    /// The value alone, without a property's name and without an annotation.
    pub(crate) fn value_span(self) -> Span {
        self.word(self.data.value).span()
    }

    /// The value as it is written.
    pub(crate) fn written(self) -> &'t str {
        &self.source().src[self.data.value.range()]
    }

    /// The text with the way back to the file; one for which there is none leads to the whole value.
    pub(crate) fn literal(self) -> Literal {
        let word = self.word(self.data.value);
        let map = match self.data.value.string {
            Some(string) => self.tree.strings[string as usize].map.clone(),
            None => vec![(0, self.data.value.start)],
        };
        Literal::new(word.value(), word.span(), map)
    }
}
