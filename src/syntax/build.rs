//! One tree of nodes from several files: each part keeps its file and its position there.

use super::tree::{Entry, EntryData, Node, NodeData, Source, Tree, WordData};
use crate::diagnostic::span::FileId;
use std::collections::BTreeMap;

/// A tree that is being put together, in the order of its nodes.
#[derive(Default)]
pub(crate) struct Builder {
    tree: Tree,
    /// The nodes whose children are being added.
    open: Vec<usize>,
    /// The files that have a part in it, by their indices.
    files: BTreeMap<FileId, u32>,
}

impl Builder {
    /// Adds the annotation and the name of a node. Its entries come next, then its children.
    pub(crate) fn open(&mut self, node: Node<'_>) {
        let source = self.source(node.tree, node.data().source);
        let data = node.data();
        let entries = self.tree.entries.len();
        let node = NodeData {
            source,
            ty: data.ty.map(|word| self.word(node.tree, word)),
            name: self.word(node.tree, data.name),
            entries: index(entries)..index(entries),
            ..data.clone()
        };
        self.open.push(self.tree.nodes.len());
        self.tree.nodes.push(node);
    }

    /// Adds an argument or property to the node that was opened last.
    pub(crate) fn entry(&mut self, entry: Entry<'_>) {
        let (tree, data) = (entry.tree, entry.data);
        let entry = EntryData {
            source: self.source(tree, data.source),
            name: data.name.map(|word| self.word(tree, word)),
            ty: data.ty.map(|word| self.word(tree, word)),
            value: self.word(tree, data.value),
            ..data.clone()
        };
        self.tree.entries.push(entry);
        let end = index(self.tree.entries.len());
        if let Some(node) = self.tree.nodes.last_mut() {
            node.entries.end = end;
        }
    }

    /// Ends the node that was opened last and is not closed.
    pub(crate) fn close(&mut self) {
        let below = self.tree.nodes.len();
        if let Some(at) = self.open.pop() {
            let node = &mut self.tree.nodes[at];
            node.below = index(below);
            node.block |= below > at + 1;
        }
    }

    /// Adds a node with all that is in it.
    pub(crate) fn copy(&mut self, node: Node<'_>) {
        let depth = self.open.len();
        for (deep, node) in node.walk() {
            while self.open.len() > depth + deep {
                self.close();
            }
            self.open(node);
            node.entries().for_each(|entry| self.entry(entry));
        }
        while self.open.len() > depth {
            self.close();
        }
    }

    /// The tree.
    pub(crate) fn finish(self) -> Tree {
        self.tree
    }

    /// A file of another tree, by its index here.
    fn source(&mut self, tree: &Tree, source: u32) -> u32 {
        let source = &tree.sources[source as usize];
        let sources = &mut self.tree.sources;
        *self.files.entry(source.file).or_insert_with(|| {
            sources.push(Source::clone(source));
            index(sources.len() - 1)
        })
    }

    fn word(&mut self, tree: &Tree, word: WordData) -> WordData {
        let string = word.string.map(|string| {
            let text = tree.strings[string as usize].clone();
            self.tree.strings.push(text);
            index(self.tree.strings.len() - 1)
        });
        WordData { string, ..word }
    }
}

/// An index in 32 bits: what is put together is bounded as what is read is.
fn index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
