//! What a declaration says, slot by slot and one entry for each node in it: without comments, layout and waivers, so that two manifests can
//! be compared by what they mean and an edit be named by its line.

use super::read::Context;
use crate::manifest::grammar::LAYER_CONTENT;
use crate::manifest::{BasePlace, Outlined, Slot};
use crate::prompt::{DefinitionNode, Value};
use crate::syntax::{Entry, Node, Scalar};
use serde_json::Number;

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
    Slot {
        name: name.to_owned(),
        property: true,
        place,
        outline: vec![Outlined {
            place,
            node: DefinitionNode {
                line: cx.line_at(place.range().start),
                properties: [(name.to_owned(), value(entry))].into(),
                ..DefinitionNode::default()
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
            depth,
            ..one(cx, node)
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

/// What a node says without what is in it.
fn one(cx: &Context, node: Node<'_>) -> DefinitionNode {
    let mut out = DefinitionNode {
        line: cx.line(node),
        name: node.name().value().to_owned(),
        ..DefinitionNode::default()
    };
    for entry in node.entries() {
        match entry.name() {
            None => out.arguments.push(value(entry)),
            Some(name) => {
                out.properties.insert(name.value().to_owned(), value(entry));
            }
        }
    }
    out
}

/// The value of an entry, whatever spelling it was written in.
fn value(entry: Entry<'_>) -> Value {
    match entry.value() {
        Scalar::Text(text) if entry.ty().is_some() => Value::Fact {
            fact: text.to_owned(),
        },
        Scalar::Text(text) => Value::text(text),
        Scalar::Integer(n) => number(Number::from_i128(n), &n),
        Scalar::Float(n) => number(Number::from_f64(n), &n),
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Null => Value::Null,
    }
}

/// A number; its digits where JSON has no such number.
fn number(number: Option<Number>, written: &impl ToString) -> Value {
    number.map_or_else(|| Value::Text(written.to_string()), Value::Number)
}
