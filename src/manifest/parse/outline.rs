//! The definition of a layer or tier, one entry for each node in it: without comments, layout and waivers, so that two
//! manifests can be compared by meaning and an edit can be reported by its line.

use super::context::Context;
use crate::diagnostic::span::{FileId, Span};
use crate::manifest::grammar::{Overlay, Row};
use crate::manifest::slot::{Said, base_content, first_text, slots};
use crate::prompt::{DefinitionNode, Value};
use crate::syntax::{Entry, Node, Scalar};
use serde_json::Number;
use std::sync::Arc;

/// A definition, and the place of each of its nodes.
#[derive(Default)]
pub(super) struct Outline {
    pub(super) nodes: Vec<DefinitionNode>,
    pub(super) places: Vec<Span>,
}

/// The definition of a layer, or of a tier without its layers.
pub(super) fn outline(cx: &Context, node: Node<'_>, row: &'static Row) -> Outline {
    let mut out = Outline::default();
    if !cx.keeps() {
        return out;
    }
    let place = node.name().span();
    let own = place.file;
    let mut properties = Vec::new();
    let mut children = Vec::new();
    for slot in slots(node, row) {
        match slot.said {
            Said::Property(entry) => properties.push((slot.name.kind(), entry)),
            Said::Child(child) if slot.overlay != Overlay::Adds => children.push(child),
            Said::Child(_) => {}
        }
    }
    properties.sort_by_key(|(name, _)| *name);
    // With a property from elsewhere the node has two places; the newer one is where it was edited.
    let mut places = properties.iter().map(|(_, entry)| entry.span());
    let edited = places.find(|at| at.file != own).unwrap_or(place);
    let said = properties.iter();
    out.nodes.push(DefinitionNode {
        file: other(cx, edited, own),
        line: cx.line(edited),
        name: node.name().value().to_owned(),
        arguments: vec![Value::text(first_text(node).map_or("", |(name, _)| name))],
        properties: said
            .map(|(name, entry)| ((*name).to_owned(), value(*entry)))
            .collect(),
        ..DefinitionNode::default()
    });
    out.places.push(place);
    for child in children {
        out.add(cx, child, own, 1);
    }
    out
}

impl Outline {
    /// Adds a node, nested in `depth` others, to a definition whose file is `own`.
    pub(super) fn add(&mut self, cx: &Context, node: Node<'_>, own: FileId, depth: u32) {
        let mut waived: Option<usize> = None;
        // The depth of each `base` that is not shown, since its content is.
        let mut through: Vec<usize> = Vec::new();
        for (deep, node) in node.walk() {
            if waived.is_some_and(|depth| deep > depth) {
                continue;
            }
            waived = (node.name().value() == "waive").then_some(deep);
            while through.last().is_some_and(|base| *base >= deep) {
                through.pop();
            }
            if base_content(node).is_some() && !cx.is_written() {
                through.push(deep);
            } else if waived.is_none() {
                let place = node.name().span();
                let deep = u32::try_from(deep - through.len()).unwrap_or(u32::MAX);
                self.nodes.push(DefinitionNode {
                    file: other(cx, place, own),
                    line: cx.line(place),
                    depth: depth.saturating_add(deep),
                    ..one(node)
                });
                self.places.push(place);
            }
        }
    }
}

fn other(cx: &Context, at: Span, own: FileId) -> Option<Arc<str>> {
    (at.file != own).then(|| cx.name_of(at.file)).flatten()
}

/// A node without its children.
fn one(node: Node<'_>) -> DefinitionNode {
    let mut out = DefinitionNode {
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
