//! What a node says, one entry for each node below it: without comments, layout and waivers, so that two manifests can
//! be compared by what they mean and an edit be named by its line.

use super::read::Context;
use crate::prompt::DefinitionNode;
use kdl::{KdlEntry, KdlNode, KdlValue};

/// The node and what stands below it, save the children that `leave_out` names.
pub(super) fn outline(cx: &Context, node: &KdlNode, leave_out: &[&str]) -> Vec<DefinitionNode> {
    let mut out = Vec::new();
    add(cx, node, 0, leave_out, &mut out);
    out
}

fn add(
    cx: &Context,
    node: &KdlNode,
    depth: u32,
    leave_out: &[&str],
    out: &mut Vec<DefinitionNode>,
) {
    out.push(DefinitionNode {
        line: cx.line(node),
        depth,
        text: one(node),
    });
    for child in node.children().map_or(&[][..], |c| c.nodes()) {
        let name = child.name().value();
        if name != "waive" && !leave_out.contains(&name) {
            add(cx, child, depth + 1, &[], out);
        }
    }
}

/// The node's name, its arguments in order, its properties by name.
fn one(node: &KdlNode) -> String {
    let mut out = node.name().value().to_owned();
    let (mut properties, arguments): (Vec<&KdlEntry>, Vec<&KdlEntry>) =
        node.entries().iter().partition(|e| e.name().is_some());
    properties.sort_by_key(|e| e.name().map(|n| n.value()));
    for entry in arguments.into_iter().chain(properties) {
        out.push(' ');
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
    out
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
