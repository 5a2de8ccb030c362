//! Tiers, their layers, and the parts of these; in an overlay also what it refines of them.

use super::budget::{budget, ceiling};
use super::content::{empty, single};
use super::outline::slots;
use super::read::{Context, Once, Reader, Value};
use super::settings::{template, unset, waive};
use super::transforms::transform;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::{Diagnostic, UNKNOWN_NODE};
use crate::manifest::grammar::{LAYER, LAYER_CONTENT, Row, content};
use crate::manifest::statement::Patch;
use crate::manifest::{Budget, Layer, Node, NodeKind, Part, TemplateRef, Tier, Transforms, Waive};
use crate::syntax;

/// Whether a declaration is new or refines one of the base.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is new.
    New,
    /// It refines.
    Refines,
}

/// What stands on a declaration's line and is no setting of it.
const NO_SLOTS: &[&str] = &["after", "before", "tier", "layer", "unset"];

/// `tier NAME changes=… deliver=… join="…" { … }`.
pub(super) fn tier(cx: &Context, node: syntax::Node<'_>, row: &'static Row) -> Option<Tier> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    Some(tier_of(reader, node, name)?.item)
}

/// The rest of a tier whose name was read.
pub(super) fn tier_of(
    mut reader: Reader,
    node: syntax::Node<'_>,
    name: Option<Spanned<String>>,
) -> Option<Patch<Tier>> {
    let cx = reader.cx;
    let span = reader.span();
    let changes = reader.prop("changes").and_then(Value::changes);
    let deliver = reader.prop("deliver").and_then(Value::deliver);
    let join = reader.prop("join").and_then(Value::literal);
    let reserve = reader.prop("reserve").and_then(Value::size);
    let mut once = Once::default();
    let mut transforms = Transforms::default();
    let mut budget = None;
    let (mut layers, mut waivers, mut unsets) = (Vec::new(), Vec::new(), Vec::new());
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        match row.name {
            "layer" => layers.extend(layer(cx, child, row)),
            "waive" => waivers.extend(waive(cx, child, row)),
            "unset" => unsets.extend(unset(cx, child, row)),
            "budget" => {
                once.node(cx, child);
                budget = ceiling(cx, child, row);
            }
            _ => transform(cx, child, row, &mut once, &mut transforms),
        }
    }
    reader.finish();
    let tier = Tier {
        name: name?,
        changes,
        deliver,
        join,
        budget,
        reserve,
        transforms,
        layers,
        waivers,
        slots: slots(cx, node, NO_SLOTS),
        definition: [].into(),
        place: cx.place(node),
        span,
    };
    Some(Patch::new(tier, unsets))
}

/// `layer NAME when="…" required=#true { … }`.
fn layer(cx: &Context, node: syntax::Node<'_>, row: &'static Row) -> Option<Layer> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    Some(layer_of(reader, node, name, Role::New)?.item)
}

/// The rest of a layer whose name was read.
pub(super) fn layer_of(
    mut reader: Reader,
    node: syntax::Node<'_>,
    name: Option<Spanned<String>>,
    role: Role,
) -> Option<Patch<Layer>> {
    let cx = reader.cx;
    let span = reader.span();
    let when = reader.prop("when").and_then(Value::literal);
    let required = reader.prop("required").and_then(Value::bool);
    let priority = reader.prop("priority").and_then(Value::size);
    let min = reader.prop("min").and_then(Value::size);
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
        unsets,
    } = inside(cx, children, &owner, row);
    if role == Role::New {
        if !children.iter().any(may_yield) {
            empty(
                cx,
                span,
                &format!("{owner} has neither content nor template"),
            );
        }
        let parts = parts.iter().map(|p| &p.content);
        no_base(cx, "a layer that is new", content.iter().chain(parts));
    }
    let layer = Layer {
        name: name?,
        when,
        required: required.map(|r| r.value),
        priority,
        min,
        content,
        parts,
        template: own_template,
        transforms,
        budgets,
        waivers,
        slots: slots(cx, node, NO_SLOTS),
        definition: [].into(),
        places: [].into(),
        span,
    };
    Some(Patch::new(layer, unsets))
}

/// What stands in the braces of a layer.
#[derive(Default)]
pub(super) struct Inside {
    pub(super) content: Option<Node>,
    pub(super) parts: Vec<Part>,
    pub(super) template: Option<TemplateRef>,
    pub(super) transforms: Transforms,
    pub(super) budgets: Vec<Budget>,
    pub(super) waivers: Vec<Waive>,
    unsets: Vec<Spanned<String>>,
}

/// Reads what stands in the braces of a layer, which messages call `owner`.
pub(super) fn inside(
    cx: &Context,
    children: syntax::Nodes<'_>,
    owner: &str,
    row: &'static Row,
) -> Inside {
    let content_of_layer = |n: &syntax::Node<'_>| {
        let name = n.name().value();
        LAYER_CONTENT.iter().any(|row| row.name == name)
    };
    let mut out = Inside {
        content: single(cx, owner, children.iter().filter(content_of_layer)),
        ..Inside::default()
    };
    let mut once = Once::default();
    for child in children.iter().filter(|n| !content_of_layer(n)) {
        let Some(row) = cx.child(row, child) else {
            continue;
        };
        match row.name {
            "part" => out.parts.extend(part(cx, child, row)),
            "budget" => out.budgets.extend(budget(cx, child, row)),
            "waive" => out.waivers.extend(waive(cx, child, row)),
            "unset" => out.unsets.extend(unset(cx, child, row)),
            "template" => {
                once.node(cx, child);
                out.template = template(cx, child, row);
            }
            _ => transform(cx, child, row, &mut once, &mut out.transforms),
        }
    }
    out
}

/// Reports every `base` where nothing is refined; `place` is what messages call it.
pub(super) fn no_base<'n>(cx: &Context, place: &str, nodes: impl Iterator<Item = &'n Node>) {
    for node in nodes {
        match &node.kind {
            NodeKind::Base { .. } => misplaced_base(cx, place, node.span),
            NodeKind::First(members) | NodeKind::All { members, .. } => {
                no_base(cx, place, members.iter());
            }
            NodeKind::Source(_) => {}
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
