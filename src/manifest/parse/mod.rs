//! KDL text to statements, by hand, so that every value keeps its place and every mistake is told at once.
//!
//! Modules are declared bottom-up.

pub(super) mod hidden;
pub(crate) mod read;
mod value;
pub(super) mod outline;
mod settings;
mod budget;
mod reading;
mod choice;
mod scan;
mod transforms;
mod content;
mod layer;
mod hint;
mod overlay;
mod input;
mod session;

pub(crate) use value::is_name;

use super::grammar::{IN_OVERLAY, NODES, PROMPTC, Row};
use super::statement::Statement;
use crate::diagnostic::span::{FileId, Files, Span, Spanned};
use crate::diagnostic::{
    CONFLICTING_SETTINGS, Code, DUPLICATE_NODE, DUPLICATE_PROPERTY, Diagnostic, Diagnostics,
    ErrorReported, MISSING_LANGUAGE, OUT_OF_RANGE, UNKNOWN_NODE, UNKNOWN_PROPERTY,
    UNSUPPORTED_LANGUAGE,
};
use crate::prompt::LANGUAGE;
use crate::syntax::{self, Node, Nodes, Scalar, Tree};
use read::{Context, Once, Reader, Value};
use std::collections::BTreeSet;
use std::ops::Range;

/// What a file may say once.
const ONCE: &[&str] = &["name", "join", "budget", "extends", "hint", "session"];

/// Mistakes that leave every declaration where it is, so that what else is wrong can be told in the same run.
const HARMLESS: &[Code] = &[
    UNKNOWN_PROPERTY,
    DUPLICATE_PROPERTY,
    DUPLICATE_NODE,
    OUT_OF_RANGE,
    CONFLICTING_SETTINGS,
];

/// A file as KDL, its nodes not yet understood.
pub(super) struct Document {
    /// Its text.
    pub(super) file: FileId,
    /// The nodes, or why there are none.
    tree: Result<Tree, Vec<Diagnostic>>,
}

/// What a file names besides itself.
pub(super) struct Links {
    /// The argument of `extends`.
    pub(super) extends: Option<Spanned<String>>,
    /// The arguments of each `include`, with the place of the node's name.
    pub(super) includes: Vec<(Span, Vec<Spanned<String>>)>,
}

/// What a file says, node by node.
pub(super) enum Item {
    /// A statement.
    Statement(Box<Statement>),
    /// What is to be spliced for the `include` at this place.
    Include(Span),
}

impl Item {
    fn of(statement: Statement) -> Self {
        Self::Statement(Box::new(statement))
    }
}

/// Reads the text of `file`, which stands in `files`, as KDL.
pub(super) fn document(file: FileId, files: &Files) -> Document {
    let tree = syntax::read(file, &files.get(file).text);
    Document { file, tree }
}

/// Whether a text begins like a manifest: its first node is `promptc`. The rest may be malformed.
#[must_use]
pub fn is_manifest(text: &str) -> bool {
    let mut files = Files::default();
    let file = files.add("", text);
    let (tree, _) = syntax::recover(file, &files.get(file).text);
    is_language(tree.nodes().first())
}

impl Document {
    /// The names of its private facts. If it is no KDL, each word of it may be one.
    pub(super) fn private(&self, src: &str) -> BTreeSet<String> {
        match &self.tree {
            Ok(tree) => hidden::names(tree, src),
            Err(_) => hidden::words(src),
        }
    }

    /// Where values of the facts `private` may stand in it.
    pub(super) fn hidden(&self, src: &str, private: &BTreeSet<String>) -> Vec<Range<usize>> {
        match &self.tree {
            Ok(tree) => hidden::values(tree, src, private),
            Err(_) if private.is_empty() => Vec::new(),
            Err(_) => hidden::veiled(src),
        }
    }

    /// What it extends and includes; mistakes in that are told by [`Document::items`].
    pub(super) fn links(&self, files: &Files) -> Links {
        let mut links = Links {
            extends: None,
            includes: Vec::new(),
        };
        let Ok(tree) = &self.tree else { return links };
        let cx = Context::new(self.file, files.get(self.file).lines.clone());
        for node in tree.nodes() {
            let kind = node.name().value();
            let Some(row) = top(kind).filter(|_| kind == "extends" || kind == "include") else {
                continue;
            };
            let mut reader = Reader::new(&cx, node, row);
            let texts = reader.rest().into_iter().filter_map(Value::text);
            let texts: Vec<_> = texts.collect();
            match kind {
                "extends" => links.extends = links.extends.or(texts.into_iter().next()),
                _ => links.includes.push((cx.name_span(node), texts)),
            }
        }
        links
    }

    /// What it says. `included` files may lack their language and may say what only an overlay says.
    ///
    /// A file that has only mistakes of which none hides a declaration is returned all the same, so that a plan can tell
    /// what else is wrong; the mistakes stand in `diags`, and no plan is made while there is one.
    ///
    /// # Errors
    /// When it has a graver mistake; `diags` then holds all that were found, and what could be read is returned beside.
    pub(super) fn items(
        self,
        files: &Files,
        included: bool,
        diags: &mut Diagnostics,
    ) -> (Vec<Item>, Result<(), ErrorReported>) {
        let src = &files.get(self.file).text;
        let cx = Context::new(self.file, files.get(self.file).lines.clone());
        let items = match self.tree {
            Ok(tree) => decode(&cx, &tree, included),
            Err(faults) => {
                faults.into_iter().for_each(|fault| cx.report(fault));
                None
            }
        };
        let secrets = &files.get(self.file).hidden;
        let found = cx.into_found().map(|d| hidden::without(d, src, secrets));
        diags.extend(&found);
        let whole = match found.iter().all(|d| HARMLESS.contains(&d.code)) {
            true => Ok(()),
            false => found.check(),
        };
        (items.unwrap_or_default(), whole)
    }
}

/// The nodes to statements; `None` if the file's language is not this one.
fn decode(cx: &Context, document: &Tree, included: bool) -> Option<Vec<Item>> {
    let nodes = match included && !is_language(document.nodes().first()) {
        true => document.nodes(),
        false => language(cx, document.nodes())?,
    };
    let extends = nodes.iter().any(|n| n.name().value() == "extends");
    let mut once = Once::default();
    let mut top = Top {
        cx,
        once: &mut once,
        included,
        overlay: included || extends,
    };
    Some(nodes.iter().filter_map(|node| top.node(node)).collect())
}

fn is_language(node: Option<Node<'_>>) -> bool {
    node.is_some_and(|n| n.name().value() == "promptc")
}

/// `promptc 1`, the first node. Returns the nodes behind it; `None` if the rest cannot be understood.
fn language<'a>(cx: &Context, nodes: Nodes<'a>) -> Option<Nodes<'a>> {
    let first = nodes.first();
    let Some(first) = first.filter(|n| n.name().value() == "promptc") else {
        let at = match first {
            Some(node) => cx.name_span(node),
            None => Span::new(cx.file, 0..0),
        };
        let start = Span::new(cx.file, at.range().start..at.range().start);
        cx.report(
            Diagnostic::error(MISSING_LANGUAGE, "a manifest starts with its language")
                .at(at)
                .help(format!(
                    "write `promptc {LANGUAGE}` in front of everything else"
                ))
                .suggest(start, format!("promptc {LANGUAGE}\n")),
        );
        return Some(nodes);
    };
    let mut reader = Reader::new(cx, first, &PROMPTC);
    let version = reader.need_arg();
    reader.finish();
    let version = version?;
    if version.plain() == Scalar::Integer(i128::from(LANGUAGE)) {
        return Some(nodes.rest());
    }
    let message = format!(
        "this release does not read the language `{}`",
        version.written()
    );
    cx.report(
        Diagnostic::error(UNSUPPORTED_LANGUAGE, message)
            .at(version.span())
            .help(format!(
                "it reads `promptc {LANGUAGE}`; a newer release may read more"
            ))
            .suggest(version.span(), LANGUAGE.to_string()),
    );
    None
}

/// The row of a node of the top level.
fn top(name: &str) -> Option<&'static Row> {
    NODES.iter().copied().find(|row| row.name == name)
}

/// The top level of a file.
struct Top<'a> {
    cx: &'a Context,
    once: &'a mut Once,
    included: bool,
    /// Whether it may speak of what stands elsewhere.
    overlay: bool,
}

impl Top<'_> {
    fn node(&mut self, node: Node<'_>) -> Option<Item> {
        let cx = self.cx;
        let name = node.name().value();
        let of_overlays = IN_OVERLAY.iter().copied().find(|row| row.name == name);
        let statement = match (top(name), of_overlays) {
            (Some(_), _) if name == "tier" && self.overlay => overlay::tier(cx, node),
            (Some(row), _) => return self.declaration(node, row),
            (None, Some(row)) if self.overlay => overlay::statement(cx, node, row),
            (None, Some(_)) => {
                needs_extends(cx, node);
                None
            }
            (None, None) if name == PROMPTC.name => {
                misplaced_language(cx, node);
                None
            }
            (None, None) => {
                let more = if self.overlay { IN_OVERLAY } else { &[] };
                cx.unknown_node(node, None, NODES.iter().chain(more).copied());
                None
            }
        };
        statement.map(Item::of)
    }

    /// What may stand in every manifest.
    fn declaration(&mut self, node: Node<'_>, row: &'static Row) -> Option<Item> {
        let cx = self.cx;
        if ONCE.contains(&row.name) {
            self.once.node(cx, node);
        }
        let statement = match row.name {
            "name" => one_argument(cx, node, row, Value::text).map(Statement::Name),
            "join" => {
                let text = one_argument(cx, node, row, Value::literal);
                text.map(|text| Statement::Join(text, outline::slot(cx, node)))
            }
            "budget" => {
                let budget = budget::ceiling(cx, node, row);
                budget.map(|budget| Statement::Budget(budget, outline::slot(cx, node)))
            }
            "extends" => {
                self.extends(node, row);
                None
            }
            "include" => {
                let mut reader = Reader::new(cx, node, row);
                let names = reader.need_rest();
                let read = names.into_iter().filter_map(Value::text).count();
                reader.finish();
                return (read > 0).then(|| Item::Include(cx.name_span(node)));
            }
            "root" => input::root(cx, node, row).map(Statement::Root),
            "fact" => input::fact(cx, node, row).map(Statement::Fact),
            "let" => input::binding(cx, node, row).map(Statement::Let),
            "scan" => scan::set(cx, node, row).map(Statement::Scan),
            "tier" => layer::tier(cx, node, row).map(|tier| Statement::Tier(tier, None)),
            "hint" => {
                hint::hint(cx, node, row).map(|hint| Statement::Hint(hint, cx.name_span(node)))
            }
            "session" => Some(Statement::Session(session::session(cx, node, row))),
            "scenario" => input::scenario(cx, node, row).map(Statement::Scenario),
            _ => settings::waive(cx, node, row).map(Statement::Waive),
        };
        statement.map(Item::of)
    }

    fn extends(&mut self, node: Node<'_>, row: &'static Row) {
        one_argument(self.cx, node, row, Value::text);
        if self.included {
            self.cx.report(
                Diagnostic::error(UNKNOWN_NODE, "there is no `extends` in an included file")
                    .at(self.cx.name_span(node))
                    .help("write it in the manifest that includes this file"),
            );
        }
    }
}

/// What an overlay says, in a manifest that has no base.
fn needs_extends(cx: &Context, node: Node<'_>) {
    let name = node.name().value();
    let help = match name {
        "layer" => {
            "write it inside a tier; an overlay, which has `extends \"BASE\"`, may place it with after= or before="
        }
        _ => {
            "it changes what a base says: name one with extends \"BASE\", or edit the layer itself"
        }
    };
    cx.report(
        Diagnostic::error(
            UNKNOWN_NODE,
            format!("there is no `{name}` at the top level of a manifest without a base"),
        )
        .at(cx.name_span(node))
        .help(help),
    );
}

fn one_argument<'a, T>(
    cx: &'a Context,
    node: Node<'a>,
    row: &'static Row,
    read: impl Fn(Value<'a>) -> Option<T>,
) -> Option<T> {
    let mut reader = Reader::new(cx, node, row);
    let value = reader.need_arg().and_then(read);
    reader.finish();
    value
}

/// `promptc` behind other nodes.
fn misplaced_language(cx: &Context, node: Node<'_>) {
    cx.report(
        Diagnostic::error(MISSING_LANGUAGE, "`promptc` stands once, as the first node")
            .at(cx.name_span(node))
            .help("move it to the top, or remove it if one stands there"),
    );
}
