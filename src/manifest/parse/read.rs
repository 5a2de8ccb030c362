//! Reading one KDL node: every argument, property and child is either read or reported.

use crate::diagnostic::span::{FileId, Lines, Literal, Span};
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{
    CONFLICTING_SETTINGS, DUPLICATE_NODE, DUPLICATE_PROPERTY, Diagnostic, Diagnostics,
    EXTRA_ARGUMENT, MISSING_ARGUMENT, UNEXPECTED_ANNOTATION, UNKNOWN_NODE, UNKNOWN_PROPERTY,
};
use crate::manifest::grammar::{self, Overlay, Place, Row, Type};
use crate::syntax::{Entry, NO_FUNCTIONS, Node, Nodes, Scalar};
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
        self.report(with_known(found, at, name, &known));
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

/// Adds the most similar name, or all allowed ones.
fn with_known(found: Diagnostic, at: Span, name: &str, known: &[&str]) -> Diagnostic {
    match nearest(name, known.iter().copied()) {
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
}

impl Once {
    /// The location of the first `what`.
    pub(crate) fn place(&self, what: &str) -> Option<Span> {
        self.0.get(what).copied()
    }
}

/// A node that is being read.
pub(crate) struct Reader<'a> {
    /// The shared state.
    pub(crate) cx: &'a Context,
    /// The node's row in the grammar.
    row: &'static Row,
    node: Node<'a>,
    /// Its arguments and properties.
    entries: Vec<Entry<'a>>,
    args: Vec<Entry<'a>>,
    taken: usize,
    asked: Vec<&'static str>,
    children_read: bool,
}

impl<'a> Reader<'a> {
    /// Starts to read `node`, of which `row` says what it takes.
    pub(crate) fn new(cx: &'a Context, node: Node<'a>, row: &'static Row) -> Self {
        if let Some(ty) = node.ty() {
            cx.report(
                Diagnostic::error(
                    UNEXPECTED_ANNOTATION,
                    format!("`({})` before a node has no meaning", ty.value()),
                )
                .at(ty.span())
                .help("remove it"),
            );
        }
        let joined = report_joined(cx, row, node);
        let read = |entry: &Entry<'_>| joined.is_none_or(|from| entry.span().start < from.start);
        let entries: Vec<_> = node.entries().filter(read).collect();
        Self {
            cx,
            row,
            node,
            args: entries
                .iter()
                .copied()
                .filter(|e| e.name().is_none())
                .collect(),
            entries,
            taken: 0,
            asked: Vec::new(),
            children_read: false,
        }
    }

    /// Reads the node by another row from now on.
    pub(crate) fn read_as(self, row: &'static Row) -> Self {
        Self { row, ..self }
    }

    /// The node's row in the grammar.
    pub(crate) fn row(&self) -> &'static Row {
        self.row
    }

    /// The row of a child; if there is none, that is reported.
    pub(crate) fn child(&self, child: Node<'_>) -> Option<&'static Row> {
        self.cx.child(self.row, child)
    }

    /// The name of the node.
    pub(crate) fn kind(&self) -> &'a str {
        self.node.name().value()
    }

    /// The place of the node's name.
    pub(crate) fn span(&self) -> Span {
        self.cx.name_span(self.node)
    }

    /// The next argument, if there is one.
    pub(crate) fn arg(&mut self) -> Option<Value<'a>> {
        let entry = *self.args.get(self.taken)?;
        self.taken += 1;
        Some(self.value(entry, self.kind()))
    }

    /// The next argument unless it is a text that is no quoted number: a unit.
    pub(crate) fn number_arg(&mut self) -> Option<Value<'a>> {
        let entry = self.args.get(self.taken)?;
        let number = |s: &str| s.parse::<f64>().is_ok();
        let unit = entry.ty().is_none() && matches!(entry.value(), Scalar::Text(s) if !number(s));
        if unit { None } else { self.arg() }
    }

    /// The next argument if it is `#true` or `#false`.
    pub(crate) fn switch(&mut self) -> Option<Value<'a>> {
        let entry = self.args.get(self.taken)?;
        matches!(entry.value(), Scalar::Bool(_)).then(|| self.arg())?
    }

    /// The grammar's name of the current argument.
    fn argument(&self) -> &'static str {
        let mut rest = self.row.arguments.iter().skip(self.taken);
        let argument = rest.next().or(self.row.arguments.last());
        debug_assert!(
            argument.is_some(),
            "`{}` has no row for an argument",
            self.row.id()
        );
        argument.map_or("argument", |argument| argument.name)
    }

    /// The next argument, which must be there and be no unit.
    pub(crate) fn need_number(&mut self) -> Option<Value<'a>> {
        let what = self.argument();
        let number = self.number_arg();
        if number.is_none() {
            let kind = self.kind();
            let help = format!("write a number after `{kind}`");
            self.cx
                .missing(self.span(), format!("`{kind}` lacks its {what}"), help);
        }
        number
    }

    /// The next argument, which must be there.
    pub(crate) fn need_arg(&mut self) -> Option<Value<'a>> {
        let what = self.argument();
        let arg = self.arg();
        if arg.is_none() {
            let kind = self.kind();
            self.cx.missing(
                self.span(),
                format!("`{kind}` lacks its {what}"),
                format!("write the {what} after `{kind}`"),
            );
        }
        arg
    }

    /// All further arguments.
    pub(crate) fn rest(&mut self) -> Vec<Value<'a>> {
        std::iter::from_fn(|| self.arg()).collect()
    }

    /// All further arguments, at least one.
    pub(crate) fn need_rest(&mut self) -> Vec<Value<'a>> {
        let first = self.need_arg();
        first.into_iter().chain(self.rest()).collect()
    }

    /// The property called `name`.
    pub(crate) fn prop(&mut self, name: &'static str) -> Option<Value<'a>> {
        debug_assert!(
            self.row.properties().any(|property| property.name == name),
            "`{}` has no row for `{name}=`",
            self.row.id()
        );
        self.asked.push(name);
        let mut all = self.entries.iter().copied().filter(|e| is_called(*e, name));
        let first = self.value(all.next()?, name);
        for again in all {
            self.cx.report(
                Diagnostic::error(DUPLICATE_PROPERTY, format!("`{name}=` is written twice"))
                    .at(self.value(again, name).whole())
                    .related(first.whole(), "first here")
                    .help("remove one of them"),
            );
        }
        Some(first)
    }

    /// The children, if there are braces.
    pub(crate) fn block(&mut self) -> Option<Nodes<'a>> {
        self.children_read = true;
        self.node.children()
    }

    /// The children.
    pub(crate) fn children(&mut self) -> Nodes<'a> {
        self.children_read = true;
        self.node.below()
    }

    /// Reports everything that was not read.
    pub(crate) fn finish(self) {
        let kind = self.kind();
        for entry in &self.entries {
            let Some(name) = entry.name() else { continue };
            if self.asked.contains(&name.value()) {
                continue;
            }
            let known: Vec<&str> = self.row.properties().map(|p| p.name).collect();
            let at = name.span();
            let message = format!("`{kind}` has no property `{}`", name.value());
            let found = Diagnostic::error(UNKNOWN_PROPERTY, message).at(at);
            self.cx.report(with_known(found, at, name.value(), &known));
        }
        if let Some(extra) = self.args.get(self.taken) {
            let (message, help) = match self.taken {
                0 => (format!("`{kind}` takes no argument"), "remove it"),
                1 => (
                    format!("`{kind}` takes one argument"),
                    "remove the others, or quote them all as one text",
                ),
                n => (
                    format!("`{kind}` takes no more than {n} arguments"),
                    "remove the others",
                ),
            };
            let at = self.value(*extra, kind).whole();
            self.cx
                .report(Diagnostic::error(EXTRA_ARGUMENT, message).at(at).help(help));
        }
        if !self.children_read && self.node.children().is_some() {
            self.cx.report(
                Diagnostic::error(EXTRA_ARGUMENT, format!("`{kind}` takes no children"))
                    .at(self.span())
                    .help("remove the braces; settings are written as NAME=VALUE"),
            );
        }
    }

    fn value(&self, entry: Entry<'a>, what: &'a str) -> Value<'a> {
        Value {
            cx: self.cx,
            entry,
            what,
        }
    }
}

/// Reports the first argument that is another node, which KDL takes for an argument as it is on the same line. It and
/// all after it are not read: what they say is not said of this node. The place where they start.
fn report_joined(cx: &Context, row: &Row, node: Node<'_>) -> Option<Span> {
    // `unset` takes the names of nodes.
    if row.overlay == Overlay::Directs {
        return None;
    }
    let (word, entry, at) = node
        .arguments()
        .enumerate()
        .skip(1)
        .find_map(|(at, entry)| {
            let Scalar::Text(word) = entry.value() else {
                return None;
            };
            let bare = entry.ty().is_none() && entry.written() == word;
            let argument = row.argument(at);
            let takes = argument.is_none_or(|argument| matches!(argument.takes, Type::Text(_)));
            let place = grammar::place_after(row, word).filter(|_| bare && takes)?;
            Some((word, entry, (place, argument)))
        })?;
    let kind = row.name;
    let (place, argument) = at;
    let text = argument.map_or_else(String::new, |argument| {
        format!("; quote it if it is a {}", argument.name)
    });
    let message = format!("`{word}` is an argument of `{kind}` here, not a node");
    let found = Diagnostic::error(EXTRA_ARGUMENT, message).at(entry.span());
    cx.report(match place {
        Place::Beside => found
            .help(format!(
                "put each node on a line of its own, or `;` between them{text}"
            ))
            .suggest(entry.span(), format!("; {word}")),
        Place::Inside => found.help(format!("put it in braces: `{kind} … {{ {word} … }}`{text}")),
    });
    Some(entry.span())
}

fn is_called(entry: Entry<'_>, name: &str) -> bool {
    entry.name().is_some_and(|n| n.value() == name)
}

/// An argument or a property's value. [`super::value`] converts it.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    /// The shared state.
    pub(crate) cx: &'a Context,
    entry: Entry<'a>,
    /// The property or node that takes it.
    pub(crate) what: &'a str,
}

impl<'a> Value<'a> {
    /// The whole argument or property in the file.
    pub(crate) fn whole(self) -> Span {
        self.cx.entry_place(self.entry)
    }

    /// The value in the file, without a property's name and without an annotation.
    pub(crate) fn span(self) -> Span {
        self.entry.value_span()
    }

    /// The value as it is written.
    pub(crate) fn written(self) -> &'a str {
        self.entry.written()
    }

    /// The value, which may not be a fact.
    pub(crate) fn plain(self) -> Scalar<'a> {
        if let Some(ty) = self.entry.ty() {
            let message = format!("`({})` has no meaning in `{}`", ty.value(), self.what);
            let help = match self.what {
                "let" => NO_FUNCTIONS,
                _ => {
                    "write the value itself; facts are allowed in sources, budgets, `label=`, `about=` and `as=`"
                }
            };
            self.report_annotation(message, help);
        }
        self.entry.value()
    }

    /// The annotation before it.
    pub(crate) fn annotation(self) -> Option<&'a str> {
        self.entry.ty().map(|ty| ty.value())
    }

    /// The value, whatever its annotation.
    pub(crate) fn unchecked(self) -> Scalar<'a> {
        self.entry.value()
    }

    /// Reports the annotation.
    pub(crate) fn report_annotation(self, message: String, help: &str) {
        let at = self.entry.ty().map_or(self.whole(), |ty| ty.span());
        let mut found = Diagnostic::error(UNEXPECTED_ANNOTATION, message)
            .at(at)
            .help(help);
        let slip = |ty: &str| ty != "fact" && nearest(ty, ["fact"]).is_some();
        if self.annotation().is_some_and(slip) {
            found = found.suggest(at, "fact");
        }
        self.cx.report(found);
    }

    /// The text with its way back.
    pub(crate) fn literal_of(self) -> Literal {
        self.entry.literal()
    }
}
