//! Tiers, their layers, and the parts of these; in an overlay also what it refines of them.

use super::budget::{budget, ceiling};
use super::content::{empty, single};
use super::context::{Context, Once};
use super::outline::outline;
use super::read::{Reader, Value};
use super::settings::{template, unset, waive};
use super::transforms::transform;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{Diagnostic, UNKNOWN_NODE};
use crate::manifest::grammar::{LAYER, Row, content};
use crate::manifest::{Budget, Layer, Node, Part, TemplateRef, Tier, Transforms, Waive};
use crate::syntax;

/// `tier NAME changes=… deliver=… join="…" { … }`.
pub(super) fn tier(cx: &Context, node: syntax::Node<'_>, row: &'static Row) -> Option<Tier> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    tier_of(reader, node, name)
}

/// The rest of a tier whose name was read.
pub(super) fn tier_of(
    mut reader: Reader,
    node: syntax::Node<'_>,
    name: Option<Spanned<String>>,
) -> Option<Tier> {
    let cx = reader.cx;
    let span = reader.span();
    let changes = reader.prop("changes").and_then(Value::changes);
    let deliver = reader.prop("deliver").and_then(Value::deliver);
    let join = reader.prop("join").and_then(Value::literal);
    let reserve = reader.prop("reserve").and_then(Value::size);
    let locked = reader.prop("locked").and_then(Value::lock);
    let mut once = Once::default();
    let mut transforms = Transforms::default();
    let mut budget = None;
    let (mut layers, mut waivers) = (Vec::<Layer>::new(), Vec::new());
    let row = reader.row();
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        match row.name {
            "layer" => layers.extend(layer(cx, child, row)),
            "waive" => waivers.extend(waive(cx, child, row)),
            "unset" => drop(unset(cx, child, row)),
            "budget" => {
                once.node(cx, child);
                budget = ceiling(cx, child, row);
            }
            _ => transform(cx, child, row, &mut once, &mut transforms),
        }
    }
    reader.finish();
    for layer in &mut layers {
        layer.locked = layer.locked.or(locked);
    }
    Some(Tier {
        name: name?,
        changes,
        deliver,
        join,
        budget,
        reserve,
        locked,
        transforms,
        layers,
        waivers,
        definition: outline(cx, node, row).nodes.into(),
        place: cx.place(node),
        span,
    })
}

/// `layer NAME when="…" required=#true { … }`.
fn layer(cx: &Context, node: syntax::Node<'_>, row: &'static Row) -> Option<Layer> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    layer_of(reader, node, name)
}

/// The rest of a layer whose name was read.
pub(super) fn layer_of(
    mut reader: Reader,
    node: syntax::Node<'_>,
    name: Option<Spanned<String>>,
) -> Option<Layer> {
    let cx = reader.cx;
    let span = reader.span();
    let when = reader.prop("when").and_then(Value::literal);
    let required = reader.prop("required").and_then(Value::bool);
    let priority = reader.prop("priority").and_then(Value::size);
    let min = reader.prop("min").and_then(Value::size);
    let locked = reader.prop("locked").and_then(Value::lock);
    let children = reader.children();
    let row = reader.row();
    reader.finish();

    let owner = match &name {
        Some(name) => format!("the layer `{}`", name.value),
        None => "the layer".to_owned(),
    };
    let Inside {
        content,
        parts,
        template: own_template,
        transforms,
        budgets,
        waivers,
    } = inside(cx, children, &owner, row);
    if row.name == "layer" && cx.is_written() {
        if !children.iter().any(may_yield) {
            empty(
                cx,
                span,
                &format!("{owner} has neither content nor template"),
            );
        }
        no_base(cx, "a layer that is new", children);
    }
    let outline = outline(cx, node, row);
    Some(Layer {
        name: name?,
        when,
        required: required.map(|r| r.value),
        priority,
        min,
        locked,
        content,
        parts,
        template: own_template,
        transforms,
        budgets,
        waivers,
        definition: outline.nodes.into(),
        places: outline.places.into(),
        place: cx.place(node),
        span,
    })
}

/// The nodes in the braces of a layer.
#[derive(Default)]
pub(super) struct Inside {
    pub(super) content: Option<Node>,
    pub(super) parts: Vec<Part>,
    pub(super) template: Option<TemplateRef>,
    pub(super) transforms: Transforms,
    pub(super) budgets: Vec<Budget>,
    pub(super) waivers: Vec<Waive>,
}

/// Reads the braces of a layer, which messages call `owner`.
pub(super) fn inside(
    cx: &Context,
    children: syntax::Nodes<'_>,
    owner: &str,
    row: &'static Row,
) -> Inside {
    let is_content =
        |n: &syntax::Node<'_>| row.child(n.name().value()).is_some_and(Row::is_content);
    let mut out = Inside {
        content: single(cx, owner, children.iter().filter(is_content)),
        ..Inside::default()
    };
    let mut once = Once::default();
    for child in children.iter().filter(|n| !is_content(n)) {
        let Some(row) = cx.child(row, child) else {
            continue;
        };
        match row.name {
            "part" => out.parts.extend(part(cx, child, row)),
            "budget" => out.budgets.extend(budget(cx, child, row)),
            "waive" => out.waivers.extend(waive(cx, child, row)),
            "unset" => drop(unset(cx, child, row)),
            "template" => {
                once.node(cx, child);
                out.template = template(cx, child, row);
            }
            _ => transform(cx, child, row, &mut once, &mut out.transforms),
        }
    }
    out
}

/// Reports every `base` among nodes that refine nothing, and in their groups and parts; `place` is what messages call it.
pub(super) fn no_base(cx: &Context, place: &str, nodes: syntax::Nodes<'_>) {
    for node in nodes {
        match node.name().value() {
            "base" => misplaced_base(cx, place, cx.name_span(node)),
            "first" | "all" | "part" => no_base(cx, place, node.below()),
            _ => {}
        }
    }
}

fn misplaced_base(cx: &Context, place: &str, at: Span) {
    cx.report(
        Diagnostic::error(UNKNOWN_NODE, format!("there is no `base` in {place}"))
            .at(at)
            .help("`base` stands for the content that `refine` changes; write a source here"),
    );
}

/// Whether the child of a layer may have been meant as content or template.
fn may_yield(child: syntax::Node<'_>) -> bool {
    let name = child.name().value();
    let never = LAYER.child(name).is_some() && content(name).is_none();
    !never
}

/// `part NAME { content }`.
fn part(cx: &Context, node: syntax::Node<'_>, row: &'static Row) -> Option<Part> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::variable);
    let span = reader.span();
    let children = reader.children();
    reader.finish();
    let owner = match &name {
        Some(name) => format!("the part `{}`", name.value),
        None => "the part".to_owned(),
    };
    let mut known = Vec::new();
    for child in children {
        known.extend(cx.child(row, child).map(|_| child));
    }
    let content = single(cx, &owner, known.into_iter());
    if children.is_empty() {
        empty(cx, span, &format!("{owner} has no content"));
    }
    Some(Part {
        name: name?,
        content: content?,
        span,
    })
}
