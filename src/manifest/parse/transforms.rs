//! The steps that a document goes through.

use super::context::{Context, Once};
use super::read::{Reader, Value};
use super::scan;
use super::settings::template;
use crate::manifest::grammar::Row;
use crate::manifest::{Frontmatter, Imports, MissingImport, Transforms};
use crate::syntax::Node;
use crate::text::frontmatter::Close;
use crate::text::normalise::Marks;

/// Reads a transform.
pub(super) fn transform(
    cx: &Context,
    node: Node<'_>,
    row: &'static Row,
    once: &mut Once,
    into: &mut Transforms,
) {
    once.node(cx, node);
    match row.name {
        "newlines" => into.newlines = switch(cx, node, row),
        "bom" => into.bom = bom(cx, node, row),
        "trim" => into.trim = switch(cx, node, row),
        "frontmatter" => into.frontmatter = frontmatter(cx, node, row),
        "comments" => into.comments = comments(cx, node, row),
        "imports" => into.imports = imports(cx, node, row),
        "scan" => into.scan = scan::of_document(cx, node, row),
        _ => into.wrap = template(cx, node, row),
    }
}

fn switch(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<bool> {
    let mut reader = Reader::new(cx, node, row);
    let on = reader.need_arg().and_then(Value::bool);
    reader.finish();
    on.map(|b| b.value)
}

fn bom(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Marks> {
    let mut reader = Reader::new(cx, node, row);
    let marks = reader.need_arg().and_then(Value::marks);
    reader.finish();
    marks.map(|m| m.value)
}

fn frontmatter(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Frontmatter> {
    let mut reader = Reader::new(cx, node, row);
    let what = reader.need_arg().and_then(|v| {
        v.choice(&[
            ("strip", (false, true)),
            ("parse", (true, true)),
            ("read", (true, false)),
        ])
    });
    let lenient = reader.arg().map(|v| v.choice(&[("lenient", true)]));
    let yaml = reader
        .prop("yaml")
        .and_then(|v| v.choice(&[("1.1", true), ("1.2", false)]));
    let close = reader.prop("close").and_then(|v| {
        v.choice(&[
            ("line", Close::Line),
            ("alone", Close::Alone),
            ("dashes", Close::Dashes),
        ])
    });
    let span = reader.span();
    reader.finish();
    let (parse, cut) = what?.value;
    Some(Frontmatter {
        parse,
        cut,
        yaml11: yaml.is_some_and(|y| y.value),
        lenient: lenient.is_some(),
        close: close.map(|c| c.value).unwrap_or_default(),
        span,
    })
}

fn comments(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<bool> {
    let mut reader = Reader::new(cx, node, row);
    let how = reader.need_arg().and_then(|v| v.choice(&[("strip", true)]));
    reader.finish();
    how.map(|h| h.value)
}

/// How deep imports go, and how many files they bring in, where the manifest does not say.
const IMPORT_DEPTH: usize = 5;
const IMPORT_LIMIT: usize = 64;
/// The most that it may say.
const MOST_IMPORT_DEPTH: usize = 100;
const MOST_IMPORTS: usize = 10_000;

fn imports(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Imports> {
    let mut reader = Reader::new(cx, node, row);
    let sign = reader.need_arg().and_then(|v| v.choice(&[("at", ())]));
    let depth = reader.prop("depth");
    let limit = reader.prop("limit");
    let missing = reader.prop("missing").map(|v| {
        v.choice(&[
            ("keep", MissingImport::Keep),
            ("drop", MissingImport::Drop),
            ("error", MissingImport::Error),
        ])
    });
    let mut once = Once::default();
    let mut wrap = None;
    for child in reader.children() {
        if let Some(row) = reader.child(child) {
            once.node(cx, child);
            wrap = template(cx, child, row);
        }
    }
    let span = reader.span();
    reader.finish();
    sign?;
    Some(Imports {
        depth: depth.map_or(Some(IMPORT_DEPTH), |v| {
            v.whole_number(1..=MOST_IMPORT_DEPTH)
        })?,
        limit: limit.map_or(Some(IMPORT_LIMIT), |v| v.whole_number(1..=MOST_IMPORTS))?,
        missing: missing.map_or(Some(MissingImport::Keep), |m| Some(m?.value))?,
        wrap,
        span,
    })
}
