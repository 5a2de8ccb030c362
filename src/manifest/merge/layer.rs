//! Layers and tiers, slot by slot.

use super::{Names, names, set, slots};
use crate::diagnostic::{Diagnostic, Diagnostics, EMPTY_LAYER, NO_BASE};
use crate::manifest::model::{Layer, Node, NodeKind, Tier, Transforms};
use crate::manifest::statement::Patch;

/// Lays what an overlay says of a layer over it.
pub(super) fn refine(
    layer: &mut Layer,
    patch: Patch<Layer>,
    files: &Names,
    found: &mut Diagnostics,
) {
    let Patch { item, unset } = patch;
    let at = item.span;
    names::check_refined(&item.parts, found);
    if !slots::fit(&layer.slots, &item.slots, found) {
        return;
    }
    // `base` stands for what was there, even if its slot is emptied in the same breath.
    let content = item.content.as_ref().and(layer.content.clone());
    let parts = match item.parts.is_empty() {
        true => Vec::new(),
        false => layer.parts.clone(),
    };
    let gone = slots::unset(&mut layer.slots, &unset, found);
    for slot in &gone {
        empty(layer, &slot.name);
    }
    if let Some(written) = item.content {
        layer.content = stand_in(written, content.as_ref(), found);
    }
    for mut part in item.parts {
        let same = |p: &&crate::manifest::Part| p.name.value == part.name.value;
        let old = parts.iter().find(same).map(|p| p.content.clone());
        let Some(content) = stand_in(part.content, old.as_ref(), found) else {
            continue;
        };
        part.content = content;
        match layer
            .parts
            .iter_mut()
            .find(|p| p.name.value == part.name.value)
        {
            Some(there) => *there = part,
            None => layer.parts.push(part),
        }
    }
    set(&mut layer.when, item.when);
    set(&mut layer.required, item.required);
    set(&mut layer.priority, item.priority);
    set(&mut layer.min, item.min);
    set(&mut layer.template, item.template);
    transforms(&mut layer.transforms, item.transforms);
    if !item.budgets.is_empty() {
        layer.budgets = item.budgets;
    }
    layer.waivers.extend(item.waivers);
    slots::replace(&mut layer.slots, &gone, item.slots, files);
    if layer.content.is_none() && layer.template.is_none() {
        let message = format!(
            "the layer `{}` is left with neither content nor template",
            layer.name.value
        );
        found.push(Diagnostic::error(EMPTY_LAYER, message).at(at).help(format!(
            "to take it away write remove layer={}",
            layer.name.value
        )));
    }
}

/// Lays what an overlay says of a tier over it; new layers are added by the caller.
pub(super) fn refine_tier(
    tier: &mut Tier,
    patch: Patch<Tier>,
    names: &Names,
    found: &mut Diagnostics,
) {
    let Patch { item, unset } = patch;
    for slot in slots::unset(&mut tier.slots, &unset, found) {
        match slot.name.as_str() {
            "changes" => tier.changes = None,
            "deliver" => tier.deliver = None,
            "join" => tier.join = None,
            "budget" => tier.budget = None,
            "reserve" => tier.reserve = None,
            other => empty_transform(&mut tier.transforms, other),
        }
    }
    set(&mut tier.changes, item.changes);
    set(&mut tier.deliver, item.deliver);
    set(&mut tier.join, item.join);
    set(&mut tier.budget, item.budget);
    set(&mut tier.reserve, item.reserve);
    transforms(&mut tier.transforms, item.transforms);
    tier.waivers.extend(item.waivers);
    slots::replace(&mut tier.slots, &[], item.slots, names);
}

fn transforms(base: &mut Transforms, patch: Transforms) {
    let Transforms {
        newlines,
        bom,
        trim,
        frontmatter,
        comments,
        imports,
        scan,
        wrap,
    } = patch;
    set(&mut base.newlines, newlines);
    set(&mut base.bom, bom);
    set(&mut base.trim, trim);
    set(&mut base.frontmatter, frontmatter);
    set(&mut base.comments, comments);
    set(&mut base.imports, imports);
    set(&mut base.scan, scan);
    set(&mut base.wrap, wrap);
}

/// `unset SLOT`.
fn empty(layer: &mut Layer, slot: &str) {
    match slot {
        "content" => layer.content = None,
        "template" => layer.template = None,
        "budget" => layer.budgets.clear(),
        "when" => layer.when = None,
        "required" => layer.required = None,
        "priority" => layer.priority = None,
        "min" => layer.min = None,
        other => match other.strip_prefix("part ") {
            Some(part) => layer.parts.retain(|p| p.name.value != part),
            None => empty_transform(&mut layer.transforms, other),
        },
    }
}

fn empty_transform(transforms: &mut Transforms, slot: &str) {
    match slot {
        "newlines" => transforms.newlines = None,
        "bom" => transforms.bom = None,
        "trim" => transforms.trim = None,
        "frontmatter" => transforms.frontmatter = None,
        "comments" => transforms.comments = None,
        "imports" => transforms.imports = None,
        "scan" => transforms.scan = None,
        "wrap" => transforms.wrap = None,
        _ => unreachable!("a slot that was written is one of a layer's or tier's"),
    }
}

/// `node` with the content of the base in place of each `base`.
fn stand_in(mut node: Node, base: Option<&Node>, found: &mut Diagnostics) -> Option<Node> {
    match &mut node.kind {
        NodeKind::Source(_) => {}
        NodeKind::First(members) | NodeKind::All { members, .. } => {
            let below = std::mem::take(members).into_iter();
            *members = below.filter_map(|m| stand_in(m, base, found)).collect();
        }
        NodeKind::Base { bare } => {
            let Some(base) = base else {
                found.push(
                    Diagnostic::error(
                        NO_BASE,
                        "there is no content here that `base` could stand for",
                    )
                    .at(node.span)
                    .help("write a source, or take `base` out"),
                );
                return None;
            };
            if *bare {
                return Some(base.clone());
            }
            // What is written on `base` holds around the content, as on a group.
            node.kind = NodeKind::First(vec![base.clone()]);
        }
    }
    Some(node)
}
