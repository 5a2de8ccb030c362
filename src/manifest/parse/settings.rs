//! What many nodes have in common: templates, transforms, budgets, waivers.

use super::read::{Context, Once, Reader, Value};
use crate::manifest::{
    Boundary, Budget, Frontmatter, Imports, Limit, Lit, MissingImport, TemplateRef, Transforms,
    Unit, Waive,
};
use crate::span::Span;
use kdl::KdlNode;

/// The transforms that switch a step off; they may stand in a tier too.
pub(super) const SWITCHES: &[&str] = &["newlines", "bom", "trim"];

/// All transforms, in the order in which they are applied.
pub(super) const TRANSFORMS: &[&str] = &[
    "newlines",
    "bom",
    "trim",
    "frontmatter",
    "comments",
    "imports",
    "wrap",
];

/// Reads a transform.
pub(super) fn transform(cx: &Context, node: &KdlNode, once: &mut Once, into: &mut Transforms) {
    once.node(cx, node);
    match node.name().value() {
        "newlines" => into.newlines = switch(cx, node),
        "bom" => into.bom = switch(cx, node),
        "trim" => into.trim = switch(cx, node),
        "frontmatter" => into.frontmatter = frontmatter(cx, node),
        "comments" => into.comments = comments(cx, node),
        "imports" => into.imports = imports(cx, node),
        _ => into.wrap = template(cx, node),
    }
}

fn switch(cx: &Context, node: &KdlNode) -> Option<bool> {
    let mut reader = Reader::new(cx, node);
    let on = reader.need_arg("#true or #false").and_then(Value::bool);
    reader.finish();
    on.map(|b| b.value)
}

fn frontmatter(cx: &Context, node: &KdlNode) -> Option<Frontmatter> {
    let mut reader = Reader::new(cx, node);
    let parse = reader
        .need_arg("`strip` or `parse`")
        .and_then(|v| v.choice(&[("strip", false), ("parse", true)]));
    let lenient = reader.arg().map(|v| v.choice(&[("lenient", true)]));
    let yaml = reader
        .prop("yaml")
        .and_then(|v| v.choice(&[("1.1", true), ("1.2", false)]));
    let span = reader.span();
    reader.finish();
    Some(Frontmatter {
        parse: parse?.value,
        yaml11: yaml.is_some_and(|y| y.value),
        lenient: lenient.is_some(),
        span,
    })
}

fn comments(cx: &Context, node: &KdlNode) -> Option<bool> {
    let mut reader = Reader::new(cx, node);
    let how = reader
        .need_arg("`strip`")
        .and_then(|v| v.choice(&[("strip", true)]));
    reader.finish();
    how.map(|h| h.value)
}

/// How deep imports go, and how many files they bring in, where the manifest does not say.
const IMPORT_DEPTH: usize = 5;
const IMPORT_LIMIT: usize = 64;
/// The most that it may say.
const MOST_IMPORT_DEPTH: usize = 100;
const MOST_IMPORTS: usize = 10_000;

fn imports(cx: &Context, node: &KdlNode) -> Option<Imports> {
    let mut reader = Reader::new(cx, node);
    let sign = reader
        .need_arg("`at`")
        .and_then(|v| v.choice(&[("at", ())]));
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
        match child.name().value() {
            "wrap" => {
                once.node(cx, child);
                wrap = template(cx, child);
            }
            _ => cx.unknown_node(child, Some("imports"), &["wrap"]),
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

/// Reads a node that is nothing but a template: `NODE "…"` or `NODE file="…" root=NAME`.
pub(super) fn template(cx: &Context, node: &KdlNode) -> Option<TemplateRef> {
    let mut reader = Reader::new(cx, node);
    let template = template_of(&mut reader);
    reader.finish();
    template
}

/// Reads the template that `reader`'s node holds, and leaves the rest to its caller.
pub(super) fn template_of(reader: &mut Reader) -> Option<TemplateRef> {
    let (cx, kind, at) = (reader.cx, reader.kind().to_owned(), reader.span());
    let inline = reader.arg();
    let file = reader.prop("file");
    let root = reader.prop("root");
    match (inline, file) {
        (Some(inline), None) => {
            if let Some(root) = root {
                let message = "`root=` says where to find a template file, and the template stands right here";
                cx.conflict(
                    root.whole(),
                    message,
                    "remove it, or name a file with `file=`",
                );
            }
            inline.literal().map(TemplateRef::Inline)
        }
        (None, Some(file)) => {
            let root = root.and_then(Value::name);
            let name = file.text()?;
            Some(TemplateRef::File { name, root })
        }
        (Some(_), Some(file)) => {
            let message = format!("`{kind}` has a text and a file");
            cx.conflict(file.whole(), message, "keep one of them");
            None
        }
        (None, None) => {
            let message = format!("`{kind}` lacks its template");
            cx.missing(
                at,
                message,
                format!("write `{kind} \"…\"` or `{kind} file=\"…\"`"),
            );
            None
        }
    }
}

/// `waive CODE because="…"`.
pub(super) fn waive(cx: &Context, node: &KdlNode) -> Option<Waive> {
    let mut reader = Reader::new(cx, node);
    let code = reader.need_arg("code").and_then(Value::text);
    let because = reader.prop("because");
    if because.is_none() {
        let help = "write because=\"…\", for whoever reads it next";
        cx.missing(reader.span(), "`waive` lacks its reason", help);
    }
    let because = because.and_then(Value::text);
    let span = reader.span();
    reader.finish();
    Some(Waive {
        code: code?,
        because: because?,
        place: cx.place(node),
        span,
    })
}

/// `budget N [UNIT] …` or `budget each=M total=N floor=K [UNIT] …`.
pub(super) fn budget(cx: &Context, node: &KdlNode) -> Option<Budget> {
    let mut reader = Reader::new(cx, node);
    let span = reader.span();
    let limit = limit(&mut reader);
    let unit = reader.arg().and_then(|v| {
        let units = [Unit::Chars, Unit::Bytes, Unit::Lines];
        v.choice(&units.map(|u| (u.name(), u)))
    });
    let head = reader.prop("head").and_then(Value::fraction);
    let tail = reader.prop("tail").and_then(Value::fraction);
    let at = reader.prop("at").and_then(|v| {
        v.choice(&[
            ("char", Boundary::Char),
            ("grapheme", Boundary::Grapheme),
            ("line", Boundary::Line),
            ("paragraph", Boundary::Paragraph),
        ])
    });
    let marker_outside = reader.flag("marker-outside");
    let marker = marker(&mut reader);
    reader.finish();
    Some(Budget {
        limit: limit?,
        unit: unit.map_or(Unit::Chars, |u| u.value),
        head,
        tail,
        marker,
        marker_outside,
        at: at.map_or(Boundary::Grapheme, |a| a.value),
        span,
    })
}

fn limit(reader: &mut Reader) -> Option<Limit> {
    let (cx, at) = (reader.cx, reader.span());
    let one = reader.number_arg();
    let mut size = |name| {
        let prop = reader.prop(name);
        (prop.map(|v| v.whole()), prop.and_then(Value::size))
    };
    let (each_at, each) = size("each");
    let (total_at, total) = size("total");
    let (floor_at, floor) = size("floor");
    let documents: Option<Span> = each_at.or(total_at);
    if let (Some(_), Some(at)) = (one, documents.or(floor_at)) {
        let help = "`budget N` bounds one text, `budget each=M total=N` the documents; write two budgets for both";
        cx.conflict(
            at,
            "a budget bounds one text or its documents, not both",
            help,
        );
        return None;
    }
    match (one, documents) {
        (Some(one), _) => one.size().map(Limit::One),
        (None, None) => {
            let help = "write `budget N`, or `budget each=M`, `budget total=N` or both";
            cx.missing(at, "`budget` lacks its maximum", help);
            None
        }
        (None, Some(_)) => valid_documents(each_at, each, total_at, total, floor),
    }
}

/// The bounds on documents, unless one of those that are written is wrong.
fn valid_documents(
    each_at: Option<Span>,
    each: Option<Lit<u64>>,
    total_at: Option<Span>,
    total: Option<Lit<u64>>,
    floor: Option<Lit<u64>>,
) -> Option<Limit> {
    let whole = each_at.is_some() == each.is_some() && total_at.is_some() == total.is_some();
    whole.then_some(Limit::Documents { each, total, floor })
}

/// `marker="…"`, or the child `marker`.
fn marker(reader: &mut Reader) -> Option<TemplateRef> {
    let cx = reader.cx;
    let mut once = Once::default();
    let prop = reader.prop("marker");
    if let Some(prop) = prop {
        once.note(cx, "marker", prop.whole());
    }
    let mut found = prop.and_then(Value::literal).map(TemplateRef::Inline);
    for child in reader.children() {
        if child.name().value() == "marker" {
            once.node(cx, child);
            found = template(cx, child).or(found);
        } else {
            cx.unknown_node(child, Some("budget"), &["marker"]);
        }
    }
    found
}
