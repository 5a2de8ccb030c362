//! Tiers, their layers, and the parts of these.

use super::budget::{budget, ceiling};
use super::content::{CONTENT, empty, single};
use super::outline::outline;
use super::read::{Context, Once, Reader, Value};
use super::settings::{SWITCHES, TRANSFORMS, template, transform, waive};
use crate::manifest::{Layer, Part, Tier, Transforms};
use kdl::KdlNode;

/// `tier NAME changes=… deliver=… join="…" { … }`.
pub(super) fn tier(cx: &Context, node: &KdlNode) -> Option<Tier> {
    let mut reader = Reader::new(cx, node);
    let name = reader.need_arg("name").and_then(Value::name);
    let span = reader.span();
    let changes = reader.prop("changes").and_then(Value::changes);
    let deliver = reader.prop("deliver").and_then(Value::deliver);
    let join = reader.prop("join").and_then(Value::literal);
    let reserve = reader.prop("reserve").and_then(Value::size);
    let mut once = Once::default();
    let mut transforms = Transforms::default();
    let mut budget = None;
    let (mut layers, mut waivers) = (Vec::new(), Vec::new());
    for child in reader.children() {
        match child.name().value() {
            "layer" => layers.extend(layer(cx, child)),
            "waive" => waivers.extend(waive(cx, child)),
            "budget" => {
                once.node(cx, child);
                budget = ceiling(cx, child);
            }
            name if SWITCHES.contains(&name) => transform(cx, child, &mut once, &mut transforms),
            _ => {
                let known = [&["layer", "budget"], SWITCHES, &["waive"]].concat();
                cx.unknown_node(child, Some("tier"), &known);
            }
        }
    }
    reader.finish();
    Some(Tier {
        name: name?,
        changes,
        deliver,
        join,
        budget,
        reserve,
        transforms,
        layers,
        waivers,
        definition: outline(cx, node, &["layer"]),
        span,
    })
}

/// The children of a layer besides its content and transforms.
const IN_LAYER: &[&str] = &["part", "template", "budget", "waive"];

/// `layer NAME when="…" required=#true { … }`.
fn layer(cx: &Context, node: &KdlNode) -> Option<Layer> {
    let mut reader = Reader::new(cx, node);
    let name = reader.need_arg("name").and_then(Value::name);
    let span = reader.span();
    let when = reader.prop("when").and_then(Value::literal);
    let required = reader.flag("required");
    let priority = reader.prop("priority").and_then(Value::size);
    let min = reader.prop("min").and_then(Value::size);
    let children = reader.children();
    reader.finish();

    let is_content = |n: &&KdlNode| {
        let name = n.name().value();
        name != "template" && CONTENT.contains(&name)
    };
    let owner = match &name {
        Some(name) => format!("the layer `{}`", name.value),
        None => "the layer".to_owned(),
    };
    let content = single(cx, &owner, children.iter().filter(is_content));
    let mut once = Once::default();
    let mut transforms = Transforms::default();
    let (mut parts, mut budgets, mut waivers) = (Vec::new(), Vec::new(), Vec::new());
    let mut own_template = None;
    for child in children.iter().filter(|n| !is_content(n)) {
        match child.name().value() {
            "part" => parts.extend(part(cx, child)),
            "budget" => budgets.extend(budget(cx, child)),
            "waive" => waivers.extend(waive(cx, child)),
            "template" => {
                once.node(cx, child);
                own_template = template(cx, child);
            }
            name if TRANSFORMS.contains(&name) => transform(cx, child, &mut once, &mut transforms),
            _ => {
                let known = [&CONTENT[..5], &CONTENT[6..], IN_LAYER, TRANSFORMS].concat();
                cx.unknown_node(child, Some("layer"), &known);
            }
        }
    }
    if !children.iter().any(may_yield) {
        empty(
            cx,
            span,
            &format!("{owner} has neither content nor template"),
        );
    }
    Some(Layer {
        name: name?,
        when,
        required,
        priority,
        min,
        content,
        parts,
        template: own_template,
        transforms,
        budgets,
        waivers,
        definition: outline(cx, node, &[]).into(),
        span,
    })
}

/// Whether the child of a layer may have been meant as content or template.
fn may_yield(child: &KdlNode) -> bool {
    let name = child.name().value();
    let never = TRANSFORMS.contains(&name) || matches!(name, "part" | "budget" | "waive");
    !never
}

/// `part NAME { content }`.
fn part(cx: &Context, node: &KdlNode) -> Option<Part> {
    let mut reader = Reader::new(cx, node);
    let name = reader.need_arg("name").and_then(Value::variable);
    let span = reader.span();
    let children = reader.children();
    reader.finish();
    let owner = match &name {
        Some(name) => format!("the part `{}`", name.value),
        None => "the part".to_owned(),
    };
    let is_content = |n: &&KdlNode| CONTENT.contains(&n.name().value());
    let content = single(cx, &owner, children.iter().filter(is_content));
    for child in children.iter().filter(|n| !is_content(n)) {
        cx.unknown_node(child, Some("part"), CONTENT);
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
