//! The nodes of two definitions, laid on each other: which became which, and what was edited.

use super::excerpt;
use super::model::{Cause, CauseKind};
use super::side::Side;
use crate::prompt::{Definition, DefinitionNode};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::BTreeMap;

/// An edit: the node on each side that has it, and what to say of it.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    pub(super) cause: Cause,
}

/// The nodes of two definitions.
#[derive(Debug, Clone, Default)]
pub(super) struct Nodes {
    /// For each node of A that B has too, perhaps edited: which it is there.
    to_b: BTreeMap<usize, usize>,
    /// The other way round.
    to_a: BTreeMap<usize, usize>,
    pub(super) edits: Vec<Edit>,
}

impl Nodes {
    pub(super) fn of_sides(a: &Side<'_>, b: &Side<'_>) -> Self {
        match (a.definition(), b.definition()) {
            (Some(before), Some(after)) => Self::of(before, after),
            _ => Self::default(),
        }
    }

    pub(super) fn of(before: &Definition, after: &Definition) -> Self {
        let mut out = Self::default();
        if before.nodes.is_empty() || after.nodes.is_empty() {
            return out;
        }
        let keys = |definition: &Definition| -> Vec<(u32, String)> {
            let nodes = definition.nodes.iter();
            nodes.map(|n| (n.depth, n.text.clone())).collect()
        };
        for op in capture_diff_slices(Algorithm::Myers, &keys(before), &keys(after)) {
            let (mut old, mut new) = (op.old_range(), op.new_range());
            if op.tag() == DiffTag::Equal {
                old.zip(new).for_each(|(i, j)| out.pair(i, j));
                continue;
            }
            loop {
                let (i, j) = (old.next(), new.next());
                if i.is_none() && j.is_none() {
                    break;
                }
                let [was, is] = [
                    i.and_then(|i| before.nodes.get(i)),
                    j.and_then(|j| after.nodes.get(j)),
                ];
                if let (Some(i), Some(j), Some(was), Some(is)) = (i, j, was, is)
                    && was.depth == is.depth
                    && was.said().name == is.said().name
                {
                    out.pair(i, j);
                }
                let file = match (is, was) {
                    (Some(node), _) => after.file_of(node),
                    (None, Some(node)) => before.file_of(node),
                    (None, None) => &after.file,
                };
                out.edits.push(Edit {
                    a: i,
                    b: j,
                    cause: cause(file, was, is),
                });
            }
        }
        out
    }

    fn pair(&mut self, i: usize, j: usize) {
        self.to_b.insert(i, j);
        self.to_a.insert(j, i);
    }

    /// The same node on the other side; of A's if `in_a`.
    pub(super) fn other(&self, node: usize, in_a: bool) -> Option<usize> {
        let to = if in_a { &self.to_b } else { &self.to_a };
        to.get(&node).copied()
    }

    /// The edit of a node, if it was edited, added or taken away; of A's if `in_a`.
    pub(super) fn edit(&self, node: usize, in_a: bool) -> Option<&Edit> {
        let of_it = |edit: &&Edit| Some(node) == if in_a { edit.a } else { edit.b };
        self.edits.iter().find(of_it)
    }
}

fn cause(file: &str, was: Option<&DefinitionNode>, is: Option<&DefinitionNode>) -> Cause {
    let (old, new) = match (was, is) {
        (Some(was), Some(is)) => {
            let (old, new) = excerpt::pair(&was.text, &is.text);
            (Some(old), Some(new))
        }
        (was, is) => (
            was.map(|n| excerpt::short(&n.text)),
            is.map(|n| excerpt::short(&n.text)),
        ),
    };
    Cause {
        path: Some(file.to_owned()),
        line: is.or(was).map(|n| n.line),
        old,
        new,
        ..Cause::new(CauseKind::LayerEdited)
    }
}

/// The nodes around one, from the outermost down to itself.
pub(super) fn chain(nodes: &[DefinitionNode], node: usize) -> Vec<usize> {
    let mut out = Vec::new();
    let mut depth = u32::MAX;
    for at in (0..=node.min(nodes.len().saturating_sub(1))).rev() {
        let Some(here) = nodes.get(at) else { break };
        if here.depth < depth {
            depth = here.depth;
            out.push(at);
        }
    }
    out.reverse();
    out
}
