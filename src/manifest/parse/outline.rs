//! What a declaration says, slot by slot and one entry for each node in it: without comments, layout and waivers, so that two manifests can
//! be compared by what they mean and an edit be named by its line.

use super::read::Context;
use crate::manifest::grammar::LAYER_CONTENT;
use crate::manifest::{BasePlace, Outlined, Slot};
use crate::prompt::DefinitionNode;
use crate::syntax::{Entry, Node, Scalar};

/// What a declaration says, slot by slot, save what `leave_out` names.
pub(super) fn slots(cx: &Context, node: Node<'_>, leave_out: &[&str]) -> Vec<Slot> {
    let mut out = Vec::new();
    for entry in node.entries() {
        if let Some(name) = entry.name().map(|n| n.value())
            && !leave_out.contains(&name)
        {
            out.push(property(cx, entry, name));
        }
    }
    for child in node.below() {
        if !leave_out.contains(&child.name().value()) {
            out.push(slot(cx, child));
        }
    }
    out
}

fn property(cx: &Context, entry: Entry<'_>, name: &str) -> Slot {
    let place = cx.entry_place(entry);
    let mut text = String::new();
    write_entry(entry, &mut text);
    Slot {
        name: name.to_owned(),
        property: true,
        place,
        outline: vec![Outlined {
            place,
            node: DefinitionNode {
                file: None,
                line: cx.line_at(place.range().start),
                depth: 0,
                text,
            },
        }],
        bases: Vec::new(),
        content: None,
    }
}

/// A child as a slot.
pub(super) fn slot(cx: &Context, node: Node<'_>) -> Slot {
    let kind = node.name().value();
    let argument = node.arguments().next();
    let name = match kind {
        "part" | "rule" => {
            let name = match argument.map(Entry::value) {
                Some(Scalar::Text(name)) => name,
                _ => "",
            };
            format!("{kind} {name}")
        }
        kind if LAYER_CONTENT.iter().any(|row| row.name == kind) => "content".to_owned(),
        kind => kind.to_owned(),
    };
    let mut slot = Slot {
        name,
        property: false,
        place: cx.place(node),
        outline: Vec::new(),
        bases: Vec::new(),
        content: None,
    };
    if kind != "waive" {
        add(cx, node, 1, &mut slot);
    }
    if kind == "part" {
        let content = node.below().first();
        slot.content = content.map(|child| Box::new(self::slot(cx, child)));
    }
    slot
}

fn add(cx: &Context, node: Node<'_>, depth: u32, slot: &mut Slot) {
    if node.name().value() == "base" {
        slot.bases.push(BasePlace {
            place: cx.place(node),
            name: cx.name_span(node),
            head: cx.head(node),
            children: node.below().iter().map(|n| cx.place(n)).collect(),
            index: slot.outline.len(),
            slot: None,
        });
    }
    slot.outline.push(Outlined {
        place: cx.name_span(node),
        node: DefinitionNode {
            file: None,
            line: cx.line(node),
            depth,
            text: one(node),
        },
    });
    for child in node.below() {
        if child.name().value() != "waive" {
            add(cx, child, depth + 1, slot);
        }
    }
}

/// Whether a node is nothing but its name.
pub(super) fn is_bare(node: Node<'_>) -> bool {
    node.entries().next().is_none() && node.below().is_empty()
}

/// The node's name, its arguments in order, its properties by name.
fn one(node: Node<'_>) -> String {
    let mut out = node.name().value().to_owned();
    let (mut properties, arguments): (Vec<Entry<'_>>, Vec<Entry<'_>>) =
        node.entries().partition(|e| e.name().is_some());
    properties.sort_by_key(|e| e.name().map(|n| n.value()));
    for entry in arguments.into_iter().chain(properties) {
        out.push(' ');
        write_entry(entry, &mut out);
    }
    out
}

fn write_entry(entry: Entry<'_>, out: &mut String) {
    if let Some(name) = entry.name() {
        out.push_str(name.value());
        out.push('=');
    }
    if let Some(ty) = entry.ty() {
        out.push('(');
        out.push_str(ty.value());
        out.push(')');
    }
    out.push_str(&value(entry.value()));
}

/// The value in a spelling of its own, whatever it was written like.
fn value(value: Scalar<'_>) -> String {
    match value {
        Scalar::Text(text) => DefinitionNode::written(text),
        Scalar::Integer(n) => n.to_string(),
        Scalar::Float(n) => n.to_string(),
        Scalar::Bool(b) => format!("#{b}"),
        Scalar::Null => "#null".to_owned(),
    }
}
