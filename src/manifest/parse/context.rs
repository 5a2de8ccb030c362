//! The state that all readers of one manifest share, and what is reported of names.

use crate::diagnostic::span::{FileId, Lines, Span};
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{
    CONFLICTING_SETTINGS, DUPLICATE_NODE, Diagnostic, Diagnostics, MISSING_ARGUMENT, UNKNOWN_NODE,
};
use crate::manifest::grammar::Row;
use crate::syntax::{Entry, Node};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The state that all readers of one manifest share.
pub(crate) struct Context {
    /// Its files: where their lines start, and how the map names them.
    files: BTreeMap<FileId, (Lines, Option<Arc<str>>)>,
    reads: Reads,
    found: RefCell<Diagnostics>,
    combined: RefCell<Diagnostics>,
}

/// The kind of text that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// A file that is a whole manifest.
    Whole,
    /// One of several files. Its content is dropped: it is read only to find its own errors.
    Part,
    /// Several files, merged.
    Merged,
}

impl Context {
    /// A context in which nothing was found yet, for one file.
    pub(crate) fn new(reads: Reads, file: FileId, lines: Lines) -> Self {
        Self::of(reads, [(file, (lines, None))].into())
    }

    /// A context in which nothing was found yet, for several files with their names.
    pub(crate) fn of(reads: Reads, files: BTreeMap<FileId, (Lines, Option<Arc<str>>)>) -> Self {
        Self {
            files,
            reads,
            found: RefCell::default(),
            combined: RefCell::default(),
        }
    }

    /// Whether the content is stored.
    pub(crate) fn keeps(&self) -> bool {
        self.reads != Reads::Part
    }

    /// Whether it is one file, which says all that it says itself.
    pub(crate) fn is_written(&self) -> bool {
        self.reads != Reads::Merged
    }

    /// Whether it is a manifest without a base.
    pub(crate) fn is_whole(&self) -> bool {
        self.reads == Reads::Whole
    }

    /// Adds what settings say together, which is known once they are merged and hides nothing else that is wrong.
    pub(crate) fn report_combination(&self, diagnostic: Diagnostic) {
        if self.keeps() {
            self.combined.borrow_mut().push(diagnostic);
        }
    }

    /// The name of a file in the map.
    pub(crate) fn name_of(&self, file: FileId) -> Option<Arc<str>> {
        self.files.get(&file)?.1.clone()
    }

    /// Adds to what was found.
    pub(crate) fn report(&self, diagnostic: Diagnostic) {
        self.found.borrow_mut().push(diagnostic);
    }

    /// All that was found: in single settings, and in settings together.
    pub(crate) fn into_found(self) -> (Diagnostics, Diagnostics) {
        (self.found.into_inner(), self.combined.into_inner())
    }

    /// The line at which a place starts, from 1.
    pub(crate) fn line(&self, at: Span) -> usize {
        let file = self.files.get(&at.file);
        file.map_or(1, |(lines, _)| lines.line(at.start as usize))
    }

    /// A whole argument or property.
    pub(crate) fn entry_place(&self, entry: Entry<'_>) -> Span {
        entry.span()
    }

    /// The whole node, from its name to the end of its braces.
    pub(crate) fn place(&self, node: Node<'_>) -> Span {
        node.span()
    }

    /// A node without its braces.
    pub(crate) fn head(&self, node: Node<'_>) -> Span {
        node.head()
    }

    /// The place of a node's name.
    pub(crate) fn name_span(&self, node: Node<'_>) -> Span {
        node.name().span()
    }

    /// Reports that two settings exclude each other.
    pub(crate) fn conflict(&self, at: Span, message: impl Into<String>, help: &str) {
        self.report(
            Diagnostic::error(CONFLICTING_SETTINGS, message)
                .at(at)
                .help(help),
        );
    }

    /// Reports that something is missing.
    pub(crate) fn missing(&self, at: Span, message: impl Into<String>, help: impl Into<String>) {
        self.report(
            Diagnostic::error(MISSING_ARGUMENT, message)
                .at(at)
                .help(help),
        );
    }

    /// Reports a child of `parent` (`None`: a node at the top level) that does not belong there.
    pub(crate) fn unknown_node<'r>(
        &self,
        node: Node<'_>,
        parent: Option<&str>,
        known: impl Iterator<Item = &'r Row>,
    ) {
        let name = node.name().value();
        let message = match parent {
            None => format!("there is no `{name}` at the top level"),
            Some(parent) => format!("there is no `{name}` in `{parent}`"),
        };
        let at = self.name_span(node);
        let found = Diagnostic::error(UNKNOWN_NODE, message).at(at);
        let known: Vec<&str> = known.map(|row| row.name).collect();
        self.report(with_known(found, at, name, &known, |_| false));
    }

    /// The row of a child of a `row`; if there is none, that is reported.
    pub(crate) fn child(&self, row: &Row, child: Node<'_>) -> Option<&'static Row> {
        let found = row.child(child.name().value());
        if found.is_none() {
            let known = row.children().filter(|row| !row.of_overlays);
            self.unknown_node(child, Some(row.name), known);
        }
        found
    }
}

/// Adds the most similar name, or all allowed ones. One that is `taken` may not be written again.
pub(super) fn with_known(
    found: Diagnostic,
    at: Span,
    name: &str,
    known: &[&str],
    taken: impl Fn(&str) -> bool,
) -> Diagnostic {
    match nearest(name, known.iter().copied()) {
        Some(near) if taken(near) => {
            found.help(format!("`{near}` is there too: remove one of them"))
        }
        Some(near) => found
            .help(format!("did you mean `{near}`?"))
            .suggest(at, near),
        None if known.is_empty() => found.help("remove it"),
        None => found.help(format!("allowed here: {}", list(known.iter().copied()))),
    }
}

/// Settings that may appear once, and their locations.
#[derive(Debug, Default)]
pub(crate) struct Once(BTreeMap<String, Span>);

impl Once {
    /// Notes the node under its own name.
    pub(crate) fn node(&mut self, cx: &Context, node: Node<'_>) {
        self.note(cx, node.name().value(), cx.name_span(node));
    }

    /// Notes `what`, and reports it if it appeared before.
    pub(crate) fn note(&mut self, cx: &Context, what: &str, at: Span) {
        if let Some(first) = self.0.get(what) {
            cx.report(
                Diagnostic::error(DUPLICATE_NODE, format!("`{what}` is written twice"))
                    .at(at)
                    .related(*first, "first here")
                    .help("remove one of them"),
            );
        } else {
            self.0.insert(what.to_owned(), at);
        }
    }

    /// The location of the first `what`.
    pub(crate) fn place(&self, what: &str) -> Option<Span> {
        self.0.get(what).copied()
    }
}
