//! A tree of KDL to a manifest, by hand, so that every value keeps its place and every mistake is reported at once. Nodes of
//! overlays are only checked here: they take effect before, when trees are merged.
//!
//! Modules are declared bottom-up.

pub(crate) mod context;
pub(crate) mod read;
mod value;
mod outline;
pub(super) mod settings;
mod budget;
mod together;
mod reading;
mod choice;
mod scan;
mod transforms;
mod content;
mod layer;
mod directory_rules;
pub(super) mod overlay;
pub(super) mod input;
mod session;
mod expect;

pub(crate) use value::is_name;

use super::grammar::{IN_OVERLAY, NEW_TIER, NODES, PROMPTC, Row, top};
use super::model::Manifest;
use crate::diagnostic::span::{FileId, Files, Span, Spanned};
use crate::diagnostic::{
    CONFLICTING_SETTINGS, Code, DUPLICATE_NODE, DUPLICATE_PROPERTY, Diagnostic, Diagnostics,
    ErrorReported, MISSING_LANGUAGE, OUT_OF_RANGE, UNKNOWN_NODE, UNKNOWN_PROPERTY,
    UNSUPPORTED_LANGUAGE,
};
use crate::prompt::LANGUAGE;
use crate::syntax::{self, Node, Nodes, Scalar, Tree};
use context::{Context, Once, Reads};
use outline::Outline;
use read::{Reader, Value};
use std::sync::Arc;

/// The nodes that a file may have once.
const ONCE: &[&str] = &[
    "name",
    "join",
    "budget",
    "extends",
    "directory-rules",
    "session",
];

/// The nodes of the top level that hold for all tiers, so that they are in the definition of each.
const OF_TIERS: &[&str] = &["join", "budget"];

/// Mistakes that hide no declaration, so that other errors can be reported in the same run.
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

/// The other files that a file names.
pub(super) struct Links {
    /// The argument of `extends`.
    pub(super) extends: Option<Spanned<String>>,
    /// The arguments of each `include`.
    pub(super) includes: Vec<Vec<Spanned<String>>>,
}

/// Reads the text of `file`, which is in `files`, as KDL.
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
    /// The files that it extends and includes; mistakes in these nodes are reported when it is read.
    pub(super) fn links(&self, files: &Files) -> Links {
        let mut links = Links {
            extends: None,
            includes: Vec::new(),
        };
        let Ok(tree) = &self.tree else { return links };
        let cx = Context::new(Reads::Part, self.file, files.get(self.file).lines.clone());
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
                _ => links.includes.push(texts),
            }
        }
        links
    }

    /// Its nodes; none if it is no KDL.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.tree.iter().flat_map(Tree::nodes)
    }

    /// Finds what is wrong with it as one of several files. `included` files may lack their language and may say what only
    /// an overlay says.
    ///
    /// # Errors
    /// When a mistake may hide a declaration, so that further errors would be guesses.
    pub(super) fn check(
        &self,
        files: &Files,
        included: bool,
        diags: &mut Diagnostics,
    ) -> Result<(), ErrorReported> {
        let mut nothing = Manifest::empty(Vec::new(), self.file);
        self.decode(Reads::Part, files, included, &mut nothing, diags)
    }

    /// Reads it as a whole manifest.
    ///
    /// A file whose mistakes hide no declaration is no error, so that a plan can report other errors; the mistakes are
    /// in `diags`, and nothing is built while there is one.
    ///
    /// # Errors
    /// When it has a graver mistake; `diags` then holds all that were found, and what could be read is in `manifest`.
    pub(super) fn read(
        self,
        files: &Files,
        manifest: &mut Manifest,
        diags: &mut Diagnostics,
    ) -> Result<(), ErrorReported> {
        let whole = self.decode(Reads::Whole, files, false, manifest, diags);
        manifest.tree = Arc::new(self.tree.unwrap_or_default());
        whole
    }

    fn decode(
        &self,
        reads: Reads,
        files: &Files,
        included: bool,
        manifest: &mut Manifest,
        diags: &mut Diagnostics,
    ) -> Result<(), ErrorReported> {
        let cx = Context::new(reads, self.file, files.get(self.file).lines.clone());
        match &self.tree {
            Ok(tree) => decode_file(&cx, self.file, tree, included, manifest),
            Err(faults) => faults.iter().for_each(|fault| cx.report(fault.clone())),
        }
        found(cx, diags)
    }
}

/// Reads files that were merged: their `tree`, with the names that the map has for them.
///
/// # Errors
/// When it has a mistake that hides a declaration.
pub(super) fn merged(
    tree: Tree,
    files: &Files,
    manifest: &mut Manifest,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    let sheets = manifest.sheets.iter();
    let named = sheets.map(|s| {
        (
            s.file,
            (files.get(s.file).lines.clone(), Some(s.name.clone())),
        )
    });
    let cx = Context::of(Reads::Merged, named.collect());
    decode(&cx, tree.nodes(), false, false, manifest);
    manifest.tree = Arc::new(tree);
    found(cx, diags)
}

/// Hands over what was found.
fn found(cx: Context, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    let (found, combined) = cx.into_found();
    diags.extend(&found);
    diags.extend(&combined);
    if found.iter().all(|d| HARMLESS.contains(&d.code)) {
        Ok(())
    } else {
        found.check()
    }
}

/// Reads a file, unless its language is not this one.
fn decode_file(cx: &Context, file: FileId, tree: &Tree, included: bool, manifest: &mut Manifest) {
    let nodes = if included && !is_language(tree.nodes().first()) {
        Some(tree.nodes())
    } else {
        language(cx, file, tree.nodes())
    };
    if let Some(nodes) = nodes {
        let extends = nodes.iter().any(|n| n.name().value() == "extends");
        decode(cx, nodes, included, included || extends, manifest);
    }
}

fn decode(cx: &Context, nodes: Nodes<'_>, included: bool, overlay: bool, manifest: &mut Manifest) {
    let shared = nodes
        .iter()
        .filter(|n| OF_TIERS.contains(&n.name().value()));
    let mut top = Top {
        cx,
        once: Once::default(),
        included,
        overlay,
        shared: shared.collect(),
        manifest,
    };
    nodes.iter().for_each(|node| top.node(node));
}

fn is_language(node: Option<Node<'_>>) -> bool {
    node.is_some_and(|n| n.name().value() == "promptc")
}

/// `promptc 1`, the first node. Returns the nodes after it; `None` if the rest cannot be read.
fn language<'a>(cx: &Context, file: FileId, nodes: Nodes<'a>) -> Option<Nodes<'a>> {
    let first = nodes.first();
    let Some(first) = first.filter(|n| n.name().value() == "promptc") else {
        let at = match first {
            Some(node) => cx.name_span(node),
            None => Span::new(file, 0..0),
        };
        let start = Span::new(file, at.range().start..at.range().start);
        cx.report(
            Diagnostic::error(MISSING_LANGUAGE, "a manifest starts with its language")
                .at(at)
                .help(format!("write `promptc {LANGUAGE}` before everything else"))
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

/// The top level.
struct Top<'a> {
    cx: &'a Context,
    once: Once,
    included: bool,
    /// Whether it may refer to nodes elsewhere.
    overlay: bool,
    /// The nodes that hold for all tiers.
    shared: Vec<Node<'a>>,
    manifest: &'a mut Manifest,
}

impl Top<'_> {
    fn node(&mut self, node: Node<'_>) {
        let cx = self.cx;
        let name = node.name().value();
        let of_overlays = IN_OVERLAY.iter().copied().find(|row| row.name == name);
        match (top(name), of_overlays) {
            (Some(_), _) if name == "tier" && self.overlay => overlay::check(cx, node, &NEW_TIER),
            (Some(row), _) => self.declaration(node, row),
            (None, Some(row)) if self.overlay => overlay::check(cx, node, row),
            (None, Some(_)) => needs_extends(cx, node),
            (None, None) if name == PROMPTC.name => misplaced_language(cx, node),
            (None, None) => {
                let more = if self.overlay { IN_OVERLAY } else { &[] };
                cx.unknown_node(node, None, NODES.iter().chain(more).copied());
            }
        }
    }

    /// The nodes that every manifest may have.
    fn declaration(&mut self, node: Node<'_>, row: &'static Row) {
        let cx = self.cx;
        if ONCE.contains(&row.name) {
            self.once.node(cx, node);
        }
        let all = &mut *self.manifest;
        match row.name {
            "name" => all.name = one_argument(cx, node, row, Value::text).or(all.name.take()),
            "join" => all.join = one_argument(cx, node, row, Value::literal).or(all.join.take()),
            "budget" => all.budget = budget::ceiling(cx, node, row).or(all.budget.take()),
            "extends" => self.extends(node, row),
            "include" => {
                let mut reader = Reader::new(cx, node, row);
                reader
                    .need_rest()
                    .into_iter()
                    .for_each(|name| drop(name.text()));
                reader.finish();
            }
            "root" => all.roots.extend(input::root(cx, node, row)),
            "fact" => all.facts.extend(input::fact(cx, node, row, &all.facts)),
            "let" => all.lets.extend(input::binding(cx, node, row)),
            "scan" => all.scans.extend(scan::set(cx, node, row)),
            "tier" => self.tier(node, row),
            "directory-rules" => {
                if let Some(directory_rules) = directory_rules::directory_rules(cx, node, row) {
                    all.directory_rules = directory_rules.map(|directory_rules| *directory_rules);
                }
            }
            "session" => all.session = Some(session::session(cx, node, row)),
            "scenario" => all.scenarios.extend(input::scenario(cx, node, row)),
            "expect" => all.expects.extend(expect::expect(cx, node, row)),
            _ => all.waivers.extend(settings::waive(cx, node, row)),
        }
    }

    /// A tier, whose definition includes the nodes about the whole prompt.
    fn tier(&mut self, node: Node<'_>, row: &'static Row) {
        let cx = self.cx;
        let Some(mut tier) = layer::tier(cx, node, row) else {
            return;
        };
        if !self.shared.is_empty() && cx.keeps() {
            let mut shared = Outline::default();
            let own = cx.name_span(node).file;
            self.shared
                .iter()
                .for_each(|node| shared.add(cx, *node, own, 0));
            let own = tier.definition.iter().cloned();
            tier.definition = own.chain(shared.nodes).collect();
        }
        self.manifest.tiers.push(tier);
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

/// The error for an overlay node in a manifest without a base.
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

/// `promptc` after other nodes.
fn misplaced_language(cx: &Context, node: Node<'_>) {
    cx.report(
        Diagnostic::error(
            MISSING_LANGUAGE,
            "`promptc` appears once, as the first node",
        )
        .at(cx.name_span(node))
        .help("move it to the top, or remove it if one is there"),
    );
}
