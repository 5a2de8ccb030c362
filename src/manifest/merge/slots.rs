//! What declarations say, slot by slot: replaced whole, with `base` standing for what was there.

use super::Names;
use crate::diagnostic::span::{FileId, Files, Span, Spanned};
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{
    Diagnostic, Diagnostics, NESTING_TOO_DEEP, PROGRAM_TOO_LARGE, UNKNOWN_SLOT,
};
use crate::manifest::model::{Manifest, Outlined, Slot};
use crate::prompt::{DefinitionNode, Value};
use crate::syntax::lex::MAX_NESTING;
use std::sync::Arc;

/// `waive`, of which each adds to those that are there.
const ADDED: &str = "waive";

/// How the slots of parts and rules are called, in front of the name.
const NAMED: [&str; 2] = ["part ", "rule "];

/// The most nodes of a refined slot; a manifest of 1 MiB has hardly more.
const MOST_NODES: usize = 100_000;

/// Takes out the slots that `unset` names, and gives those of them that were there.
pub(super) fn unset(
    slots: &mut Vec<Slot>,
    unset: &[Spanned<String>],
    found: &mut Diagnostics,
) -> Vec<Slot> {
    let mut out = Vec::new();
    for slot in unset {
        let gone = slots.extract_if(.., |s| s.name == slot.value && s.name != ADDED);
        let gone: Vec<Slot> = gone.collect();
        if !gone.is_empty() {
            out.extend(gone);
        } else {
            let known: Vec<&str> = slots.iter().map(|s| s.name.as_str()).collect();
            unknown(slot, &known, found);
        }
    }
    out
}

/// Reports a slot that is not there to be emptied.
pub(super) fn unknown(slot: &Spanned<String>, known: &[&str], found: &mut Diagnostics) {
    let known = known.iter().copied().filter(|name| *name != ADDED);
    let mut known: Vec<&str> = known.collect();
    // Several `budget` or `refresh` are one slot, and stand behind each other.
    known.dedup();
    let message = format!("the base writes no `{}` here", slot.value);
    let diagnostic = Diagnostic::error(UNKNOWN_SLOT, message).at(slot.span);
    found.push(match nearest(&slot.value, known.iter().copied()) {
        Some(near) => {
            let diagnostic = diagnostic.help(format!("it writes `{near}`"));
            // A part is named as part=NAME.
            let kind = |name: &str| NAMED.into_iter().find(|kind| name.starts_with(kind));
            match (kind(&slot.value), kind(near)) {
                (written, meant) if written != meant => diagnostic,
                (_, meant) => diagnostic.suggest(slot.span, &near[meant.map_or(0, str::len)..]),
            }
        }
        None if known.is_empty() => diagnostic.help("there is nothing to empty: remove it"),
        None => diagnostic.help(format!("what it writes: {}", list(known))),
    });
}

/// Lays the slots of an overlay over those of its base. `gone` are those that it empties in the same breath: `base` stands
/// for them too.
pub(super) fn replace(base: &mut Vec<Slot>, gone: &[Slot], patch: Vec<Slot>, names: &Names) {
    let mut done: Vec<String> = Vec::new();
    for mut slot in patch {
        if slot.name == ADDED || done.contains(&slot.name) {
            // A second `budget` stands behind the first.
            let at = base.iter().rposition(|s| s.name == slot.name);
            base.insert(at.map_or(base.len(), |at| at + 1), slot);
            continue;
        }
        done.push(slot.name.clone());
        let at = base.iter().position(|s| s.name == slot.name);
        let emptied = || gone.iter().find(|s| s.name == slot.name);
        let old = at.map(|at| &base[at]).or_else(emptied).cloned();
        base.retain(|s| s.name != slot.name);
        if let Some(old) = old {
            stand_in(&mut slot, &old, names);
        }
        let front = if slot.name == "content" {
            0
        } else {
            base.len()
        };
        base.insert(at.unwrap_or(front).min(base.len()), slot);
    }
}

/// Puts what `base` stands for into the outline of a slot.
fn stand_in(slot: &mut Slot, old: &Slot, names: &Names) {
    if let Some(content) = &mut slot.content {
        stand_in(content, old, names);
    }
    let old = old.content.as_deref().unwrap_or(old);
    let indices: Vec<(usize, bool)> = {
        let bases = slot.bases.iter();
        bases.map(|b| (b.index, b.is_bare())).collect()
    };
    for (index, bare) in indices.into_iter().rev() {
        let depth = slot.outline[index].node.depth;
        let deeper = if bare { depth } else { depth + 1 };
        let nodes = old.outline.iter().map(|Outlined { place, node }| Outlined {
            place: *place,
            node: DefinitionNode {
                file: node
                    .file
                    .clone()
                    .or_else(|| names.get(&old.place.file).cloned()),
                depth: node.depth + deeper - 1,
                ..node.clone()
            },
        });
        let nodes: Vec<Outlined> = nodes.collect();
        match bare {
            true => drop(slot.outline.splice(index..=index, nodes)),
            false => drop(slot.outline.splice(index + 1..index + 1, nodes)),
        }
    }
    let old = Arc::new(old.clone());
    for base in &mut slot.bases {
        base.slot = Some(old.clone());
    }
}

/// Reports a slot of `patch` that would grow beyond all bounds with what each `base` in it stands for: refined again and
/// again, a few lines double a layer at each.
pub(super) fn fit(base: &[Slot], patch: &[Slot], found: &mut Diagnostics) -> bool {
    let mut fit = true;
    for slot in patch {
        let Some(old) = base.iter().find(|old| old.name == slot.name) else {
            continue;
        };
        let old = old.content.as_deref().unwrap_or(old);
        let Some(place) = slot.bases.first().map(|b| b.name) else {
            continue;
        };
        let nodes = slot.outline.len() + slot.bases.len() * old.outline.len();
        let inner = slot.bases.iter().map(|b| slot.outline[b.index].node.depth);
        let depth = inner.max().unwrap_or(0) as usize + deepest(old);
        let (code, message) = if nodes > MOST_NODES {
            let message = format!("with what `base` stands for this has {nodes} nodes");
            (PROGRAM_TOO_LARGE, message)
        } else if depth > MAX_NESTING || levels(old) >= MAX_NESTING {
            let message = "with what `base` stands for this nests too deep".to_owned();
            (NESTING_TOO_DEEP, message)
        } else {
            continue;
        };
        fit = false;
        // Once is enough: whatever refines it again would say so again.
        if !found.iter().any(|d| d.code == code) {
            let help = "at most are 100,000 nodes and 200 levels: refine the layer fewer times";
            found.push(Diagnostic::error(code, message).at(place).help(help));
        }
    }
    fit
}

/// How deep the nodes of a slot stand in each other.
fn deepest(slot: &Slot) -> usize {
    slot.outline.iter().map(|n| n.node.depth).max().unwrap_or(0) as usize
}

/// How often the slot was refined by way of `base`.
fn levels(slot: &Slot) -> usize {
    // All of a slot stand for the same one.
    let below = slot.bases.first().and_then(|b| b.slot.as_deref());
    1 + below.map_or(0, levels)
}

/// Writes down what each layer and tier says, node by node.
pub(super) fn define(manifest: &mut Manifest, names: &Names, files: &Files) {
    let shared = std::mem::take(&mut manifest.slots);
    for tier in &mut manifest.tiers {
        let head = Head {
            kind: "tier",
            name: &tier.name,
            span: tier.span,
        };
        let mut nodes = nodes(head, &tier.slots, names, files);
        for slot in &shared {
            let own = tier.span.file;
            nodes.extend(in_file(slot, own, names).map(|mut shared| {
                shared.node.depth -= 1;
                shared
            }));
        }
        tier.definition = nodes.into_iter().map(|n| n.node).collect();
        for layer in &mut tier.layers {
            let head = Head {
                kind: "layer",
                name: &layer.name,
                span: layer.span,
            };
            let nodes = self::nodes(head, &layer.slots, names, files);
            layer.places = nodes.iter().map(|n| n.place).collect();
            layer.definition = nodes.into_iter().map(|n| n.node).collect();
        }
    }
    manifest.slots = shared;
}

/// The first node of a definition, without its properties.
struct Head<'a> {
    kind: &'a str,
    name: &'a Spanned<String>,
    span: Span,
}

fn nodes(head: Head<'_>, slots: &[Slot], names: &Names, files: &Files) -> Vec<Outlined> {
    let own = head.span.file;
    let mut properties: Vec<&Slot> = slots.iter().filter(|s| s.property).collect();
    properties.sort_by(|a, b| a.name.cmp(&b.name));
    let outlines = properties.iter().flat_map(|slot| &slot.outline);
    let said = outlines.flat_map(|outlined| outlined.node.properties.clone());
    let first = DefinitionNode {
        line: files.get(own).lines.line(head.span.start as usize),
        name: head.kind.to_owned(),
        arguments: vec![Value::text(&head.name.value)],
        properties: said.collect(),
        ..DefinitionNode::default()
    };
    // With a property from elsewhere the node has two places; the newer one is where it was edited.
    let elsewhere = properties.iter().find(|s| s.place.file != own);
    let first = match elsewhere {
        Some(slot) => DefinitionNode {
            file: other(slot.place.file, own, names),
            line: slot.outline.first().map_or(1, |n| n.node.line),
            ..first
        },
        None => first,
    };
    let children = slots.iter().filter(|s| !s.property);
    let below = children.flat_map(|slot| in_file(slot, own, names));
    let first = Outlined {
        place: head.span,
        node: first,
    };
    std::iter::once(first).chain(below).collect()
}

/// The nodes of a slot, in a definition whose file is `own`.
fn in_file<'a>(
    slot: &'a Slot,
    own: FileId,
    names: &'a Names,
) -> impl Iterator<Item = Outlined> + 'a {
    slot.outline.iter().map(move |Outlined { place, node }| {
        let file = match &node.file {
            Some(file) => Some(file.clone()).filter(|f| names.get(&own) != Some(f)),
            None => other(slot.place.file, own, names),
        };
        Outlined {
            place: *place,
            node: DefinitionNode {
                file,
                ..node.clone()
            },
        }
    })
}

fn other(file: FileId, own: FileId, names: &Names) -> Option<Arc<str>> {
    (file != own).then(|| names.get(&file).cloned()).flatten()
}
