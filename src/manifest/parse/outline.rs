//! What a declaration says, slot by slot and one entry for each node in it: without comments, layout and waivers, so that two manifests can
//! be compared by what they mean and an edit be named by its line.

use super::content::is_content;
use super::read::Context;
use crate::manifest::{BasePlace, Slot};
use crate::prompt::DefinitionNode;
use kdl::{KdlEntry, KdlNode, KdlValue};

/// What a declaration says, slot by slot, save what `leave_out` names.
pub(super) fn slots(cx: &Context, node: &KdlNode, leave_out: &[&str]) -> Vec<Slot> {
    let mut out = Vec::new();
    for entry in node.entries() {
        if let Some(name) = entry.name().map(|n| n.value())
            && !leave_out.contains(&name)
        {
            out.push(property(cx, entry, name));
        }
    }
    for child in children(node) {
        if !leave_out.contains(&child.name().value()) {
            out.push(slot(cx, child));
        }
    }
    out
}

fn property(cx: &Context, entry: &KdlEntry, name: &str) -> Slot {
    let place = cx.entry_place(entry);
    let mut text = String::new();
    write_entry(entry, &mut text);
    Slot {
        name: name.to_owned(),
        property: true,
        place,
        outline: vec![DefinitionNode {
            file: None,
            line: cx.line_at(place.range().start),
            depth: 0,
            text,
        }],
        bases: Vec::new(),
        content: None,
    }
}

/// A child as a slot.
pub(super) fn slot(cx: &Context, node: &KdlNode) -> Slot {
    let kind = node.name().value();
    let argument = node.entries().iter().find(|e| e.name().is_none());
    let name = match kind {
        "part" | "rule" => {
            let name = argument.and_then(|e| e.value().as_string());
            format!("{kind} {}", name.unwrap_or_default())
        }
        kind if kind != "template" && is_content(kind) => "content".to_owned(),
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
        let content = children(node).first();
        slot.content = content.map(|child| Box::new(self::slot(cx, child)));
    }
    slot
}

fn add(cx: &Context, node: &KdlNode, depth: u32, slot: &mut Slot) {
    if node.name().value() == "base" {
        slot.bases.push(BasePlace {
            place: cx.place(node),
            name: cx.name_span(node),
            head: cx.head(node),
            children: children(node).iter().map(|n| cx.place(n)).collect(),
            index: slot.outline.len(),
            slot: None,
        });
    }
    slot.outline.push(DefinitionNode {
        file: None,
        line: cx.line(node),
        depth,
        text: one(node),
    });
    for child in children(node) {
        if child.name().value() != "waive" {
            add(cx, child, depth + 1, slot);
        }
    }
}

fn children(node: &KdlNode) -> &[KdlNode] {
    node.children().map_or(&[], |c| c.nodes())
}

/// Whether a node is nothing but its name.
pub(super) fn is_bare(node: &KdlNode) -> bool {
    node.entries().is_empty() && children(node).is_empty()
}

/// The node's name, its arguments in order, its properties by name.
fn one(node: &KdlNode) -> String {
    let mut out = node.name().value().to_owned();
    let (mut properties, arguments): (Vec<&KdlEntry>, Vec<&KdlEntry>) =
        node.entries().iter().partition(|e| e.name().is_some());
    properties.sort_by_key(|e| e.name().map(|n| n.value()));
    for entry in arguments.into_iter().chain(properties) {
        out.push(' ');
        write_entry(entry, &mut out);
    }
    out
}

fn write_entry(entry: &KdlEntry, out: &mut String) {
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
fn value(value: &KdlValue) -> String {
    match value {
        KdlValue::String(text) => DefinitionNode::written(text),
        KdlValue::Integer(n) => n.to_string(),
        KdlValue::Float(n) => n.to_string(),
        KdlValue::Bool(b) => format!("#{b}"),
        KdlValue::Null => "#null".to_owned(),
    }
}
