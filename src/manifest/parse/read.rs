//! Reading one KDL node: every argument, property and child is either read or reported.

use super::context::{Context, with_known};
use crate::diagnostic::span::{Literal, Span};
use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{
    DUPLICATE_PROPERTY, Diagnostic, EXTRA_ARGUMENT, UNEXPECTED_ANNOTATION, UNKNOWN_PROPERTY,
};
use crate::manifest::grammar::{self, Overlay, Place, Row, Type};
use crate::syntax::{Entry, NO_FUNCTIONS, Node, Nodes, Scalar};

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
            let taken = |near: &str| self.entries.iter().any(|entry| is_called(*entry, near));
            self.cx
                .report(with_known(found, at, name.value(), &known, taken));
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
    let contents = grammar::content(kind).is_some() && grammar::content(word).is_some();
    cx.report(match place {
        // Most nodes take one content, so an edit that only parts the two would lead to the next error.
        Place::Beside if contents => found.help(format!(
            "put each node on a line of its own, in `all {{ … }}` or `first {{ … }}` if they are a layer's{text}"
        )),
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
