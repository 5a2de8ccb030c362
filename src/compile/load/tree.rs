//! The result of a content node: documents in groups, each group with its join.

use super::LoadedText;
use super::loader::Levels;
use crate::diagnostic::span::Literal;
use crate::text::document::Document;
use crate::text::measure::{self, Unit};
use crate::text::{SpanKind, Text, TextBuf};
use std::sync::Arc;

/// The yield of a content node.
#[derive(Debug, Default)]
pub(super) enum Tree {
    /// Nothing.
    #[default]
    Empty,
    /// One document.
    One(Arc<Document>),
    /// Several, joined.
    Group {
        /// Its label once it has become one document.
        label: Arc<str>,
        /// Between its members.
        join: Literal,
        /// Its members, in order.
        members: Vec<Tree>,
        /// Whether these are the documents of a glob, which are members of the surrounding `all`.
        loose: bool,
    },
}

/// A yield with whether it had text before budgets.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) tree: Tree,
    pub(super) yielded: bool,
    /// The number of entries that budgets left out.
    pub(super) left_out: usize,
    /// The capacity of the memories that yielded entries together, as far as they set one.
    pub(super) capacity: Option<usize>,
    /// Inside a group that searches at every level: what its sources found and missed.
    pub(super) levels: Levels,
}

impl Gathered {
    /// Adds what came of a member, but for its tree, which is given back.
    pub(super) fn add(&mut self, member: Self) -> Tree {
        self.yielded |= member.yielded;
        self.left_out += member.left_out;
        if let Some(more) = member.capacity {
            self.capacity = Some(self.capacity.unwrap_or(0).saturating_add(more));
        }
        self.levels.add(member.levels);
        member.tree
    }
}

impl Tree {
    /// The documents, in order.
    pub(super) fn documents_mut(&mut self) -> Vec<&mut Document> {
        match self {
            Self::Empty => Vec::new(),
            // No one else holds a document while it is gathered, so nothing is copied.
            Self::One(document) => vec![Arc::make_mut(document)],
            Self::Group { members, .. } => {
                members.iter_mut().flat_map(Self::documents_mut).collect()
            }
        }
    }

    /// The size of the joined text, or of all documents together.
    pub(super) fn size(&mut self, unit: Unit, joined: bool) -> usize {
        if !joined {
            return self
                .documents_mut()
                .iter()
                .map(|d| measure::size(d.text.as_str(), unit))
                .sum();
        }
        // A line to spare: joined text can come to end after a line end, where the next line begins.
        let spare = usize::from(unit == Unit::Lines && matches!(self, Self::Group { .. }));
        measure::size(self.text().as_str(), unit) + spare
    }

    /// The joined text.
    pub(super) fn text(&self) -> Text {
        self.joined().0
    }

    /// The joined text, and where each document that has text ends in it.
    pub(super) fn joined(&self) -> (Text, Vec<usize>) {
        match self {
            Self::Empty => (Text::default(), Vec::new()),
            Self::One(document) => {
                let end = Some(document.text.as_str().len()).filter(|end| *end > 0);
                (document.text.clone(), end.into_iter().collect())
            }
            Self::Group { .. } => {
                let (bytes, runs) = self.room();
                let mut out = TextBuf::with_capacity(bytes, runs);
                let mut ends = Vec::new();
                self.write(&mut out, &mut ends);
                (out.finish(), ends)
            }
        }
    }

    /// Bytes and runs that the joined text has at most.
    fn room(&self) -> (usize, usize) {
        match self {
            Self::Empty => (0, 0),
            Self::One(document) => (document.text.as_str().len(), document.text.runs().len()),
            Self::Group { join, members, .. } => {
                let add = |(bytes, runs), member: &Self| {
                    let (more, others) = member.room();
                    (bytes + more + join.text.len(), runs + others + 1)
                };
                members.iter().fold((0, 0), add)
            }
        }
    }

    fn write(&self, out: &mut TextBuf, ends: &mut Vec<usize>) {
        match self {
            Self::Empty => {}
            Self::One(document) => {
                out.push(&document.text);
                ends.push(out.len());
            }
            Self::Group { join, members, .. } => {
                let start = out.len();
                for member in members.iter().filter(|m| m.has_text()) {
                    if out.len() > start {
                        out.push_str(&join.text, SpanKind::Join, None, 0);
                    }
                    member.write(out, ends);
                }
            }
        }
    }

    /// The label of the documents together, in the layer of this name.
    pub(super) fn label(&self, layer: &Arc<str>) -> Arc<str> {
        match self {
            Self::Group { label, .. } => label.clone(),
            Self::Empty | Self::One(_) => layer.clone(),
        }
    }

    fn has_text(&self) -> bool {
        match self {
            Self::Empty => false,
            Self::One(document) => !document.text.as_str().is_empty(),
            Self::Group { members, .. } => members.iter().any(Self::has_text),
        }
    }

    /// The finished text with its documents; those that a budget emptied are gone.
    pub(super) fn piece(self) -> LoadedText {
        let (text, ends) = self.joined();
        let mut documents = Vec::new();
        self.collect(&mut documents);
        LoadedText {
            text,
            documents,
            ends,
            ..LoadedText::default()
        }
    }

    fn collect(self, out: &mut Vec<Arc<Document>>) {
        match self {
            Self::Empty => {}
            Self::One(document) if document.text.as_str().is_empty() => {}
            Self::One(document) => out.push(document),
            Self::Group { members, .. } => members.into_iter().for_each(|m| m.collect(out)),
        }
    }
}
