//! Tiers, their layers, and the parts of these; in an overlay also what it refines of them.

use super::budget::{budget, ceiling};
use super::content::{CONTENT, empty, is_content, single};
use super::outline::slots;
use super::overlay::unset;
use super::read::{Context, Once, Reader, Value};
use super::settings::{IN_TIER, TRANSFORMS, template, transform, waive};
use crate::diagnostic::{Diagnostic, UNKNOWN_NODE};
use crate::manifest::statement::Patch;
use crate::manifest::{Budget, Layer, Node, NodeKind, Part, TemplateRef, Tier, Transforms, Waive};
use crate::span::{Span, Spanned};
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
pub(super) fn tier(cx: &Context, node: syntax::Node<'_>) -> Option<Tier> {
    let mut reader = Reader::new(cx, node);
    let name = reader.need_arg("name").and_then(Value::name);
    Some(tier_of(reader, node, name, Role::New)?.item)
}

/// The rest of a tier whose name was read.
pub(super) fn tier_of(
    mut reader: Reader,
    node: syntax::Node<'_>,
    name: Option<Spanned<String>>,
    role: Role,
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
        match child.name().value() {
            "layer" => layers.extend(layer(cx, child)),
            "waive" => waivers.extend(waive(cx, child)),
            "unset" if role == Role::Refines => unsets.extend(unset(cx, child)),
            "budget" => {
                once.node(cx, child);
                budget = ceiling(cx, child);
            }
            name if IN_TIER.contains(&name) => transform(cx, child, &mut once, &mut transforms),
            _ => {
                let known = [&["layer", "budget"], IN_TIER, &["waive"]].concat();
                cx.unknown_node(child, Some("tier"), &known);
            }
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

/// The children of a layer besides its content and transforms.
pub(super) const IN_LAYER: &[&str] = &["part", "template", "budget", "waive"];

/// `layer NAME when="…" required=#true { … }`.
fn layer(cx: &Context, node: syntax::Node<'_>) -> Option<Layer> {
    let mut reader = Reader::new(cx, node);
    let name = reader.need_arg("name").and_then(Value::name);
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
    } = inside(cx, children, (&owner, "layer"), role);
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

/// Reads what stands in the braces of a layer: what messages call it, and its kind.
pub(super) fn inside(
    cx: &Context,
    children: syntax::Nodes<'_>,
    (owner, kind): (&str, &str),
    role: Role,
) -> Inside {
    let content_of_layer = |n: &syntax::Node<'_>| {
        let name = n.name().value();
        name != "template" && is_content(name)
    };
    let mut out = Inside {
        content: single(cx, owner, children.iter().filter(content_of_layer)),
        ..Inside::default()
    };
    let mut once = Once::default();
    for child in children.iter().filter(|n| !content_of_layer(n)) {
        match child.name().value() {
            "part" => out.parts.extend(part(cx, child)),
            "budget" => out.budgets.extend(budget(cx, child)),
            "waive" => out.waivers.extend(waive(cx, child)),
            "unset" if role == Role::Refines => out.unsets.extend(unset(cx, child)),
            "template" => {
                once.node(cx, child);
                out.template = template(cx, child);
            }
            name if TRANSFORMS.contains(&name) => {
                transform(cx, child, &mut once, &mut out.transforms);
            }
            _ => {
                // A template in a layer is the layer's own, which stands among the others.
                let content = CONTENT.iter().filter(|name| **name != "template");
                let known: Vec<_> = content.chain(IN_LAYER).chain(TRANSFORMS).copied().collect();
                cx.unknown_node(child, Some(kind), &known);
            }
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
    let never = TRANSFORMS.contains(&name) || matches!(name, "part" | "budget" | "waive");
    !never
}

/// `part NAME { content }`.
fn part(cx: &Context, node: syntax::Node<'_>) -> Option<Part> {
    let mut reader = Reader::new(cx, node);
    let name = reader.need_arg("name").and_then(Value::variable);
    let span = reader.span();
    let children = reader.children();
    reader.finish();
    let owner = match &name {
        Some(name) => format!("the part `{}`", name.value),
        None => "the part".to_owned(),
    };
    let own = |n: &syntax::Node<'_>| is_content(n.name().value());
    let content = single(cx, &owner, children.iter().filter(own));
    for child in children.iter().filter(|n| !own(n)) {
        cx.unknown_node(child, Some("part"), &CONTENT);
    }
    if children.is_empty() {
        empty(cx, span, &format!("{owner} has no content"));
    }
    Some(Part {
        name: name?,
        content: content?,
        span,
    })
}
