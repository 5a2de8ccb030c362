//! The nodes of two definitions, aligned on each other: which became which, and what was edited.

use super::excerpt;
use super::model::{Cause, CauseKind};
use super::order::between;
use super::side::Side;
use crate::prompt::{Definition, DefinitionNode};
use crate::text::common::{self, Numbers};
use std::collections::BTreeMap;

/// An edit: the node on each side that has it, and what to say of it.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    pub(super) cause: Cause,
}

impl Edit {
    fn of(a: Option<usize>, b: Option<usize>) -> Self {
        let cause = Cause::new(CauseKind::LayerEdited);
        Self { a, b, cause }
    }
}

/// In how many ways nodes can say the same: with all in them, themselves, and by their names.
const LEVELS: usize = 3;

/// The nodes of a definition as a tree.
#[derive(Default)]
struct Tree {
    roots: Vec<usize>,
    /// The nodes directly in each.
    below: Vec<Vec<usize>>,
    /// Where what is in each ends.
    ends: Vec<usize>,
    /// The content of each node, as numbers that are equal for equal content.
    says: Vec<[u32; LEVELS]>,
}

impl Tree {
    fn of(nodes: &[DefinitionNode], numbers: &mut Numbers<String>) -> Self {
        let mut out = Self {
            below: vec![Vec::new(); nodes.len()],
            ends: vec![nodes.len(); nodes.len()],
            says: vec![[0; LEVELS]; nodes.len()],
            ..Self::default()
        };
        let mut open: Vec<usize> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            while open.last().is_some_and(|up| nodes[*up].depth >= node.depth) {
                if let Some(closed) = open.pop() {
                    out.ends[closed] = at;
                }
            }
            match open.last() {
                Some(up) => out.below[*up].push(at),
                None => out.roots.push(at),
            }
            open.push(at);
        }
        for (at, node) in nodes.iter().enumerate().rev() {
            let inside = out.below[at].iter().map(|n| out.says[*n][0].to_string());
            let inside = inside.collect::<Vec<_>>().join(" ");
            out.says[at] = [
                numbers.of(format!("{node}\n{inside}")),
                numbers.of(format!("{node}\r")),
                numbers.of(node.name.clone()),
            ];
        }
        out
    }
}

/// The nodes of two definitions.
#[derive(Debug, Clone, Default)]
pub(super) struct Nodes {
    /// For each node of A that B has too, perhaps edited: its index there.
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

    /// Lays two definitions on each other, from the top: of the nodes in one node those that are the same with all in them, then
    /// those that say the same themselves, then those of one name.
    pub(super) fn of(before: &Definition, after: &Definition) -> Self {
        let mut out = Self::default();
        if before.nodes.is_empty() || after.nodes.is_empty() {
            return out;
        }
        let mut numbers = Numbers::default();
        let (x, y) = (
            Tree::of(&before.nodes, &mut numbers),
            Tree::of(&after.nodes, &mut numbers),
        );
        let mut todo = vec![(x.roots.clone(), y.roots.clone())];
        while let Some((of_a, of_b)) = todo.pop() {
            let mut pairs = Vec::new();
            for level in 0..LEVELS {
                let all = |tree: &Tree, nodes: &[usize]| -> Vec<u32> {
                    nodes.iter().map(|n| tree.says[*n][level]).collect()
                };
                pairs = between(of_a.len(), of_b.len(), pairs, |a, b| {
                    common::pairs(&all(&x, &of_a[a]), &all(&y, &of_b[b]))
                });
            }
            let (mut i, mut j) = (0, 0);
            for (to_a, to_b) in pairs.into_iter().chain([(of_a.len(), of_b.len())]) {
                out.differ(&x, &of_a[i..to_a], &y, &of_b[j..to_b]);
                if let (Some(p), Some(q)) = (of_a.get(to_a), of_b.get(to_b)) {
                    match x.says[*p][0] == y.says[*q][0] {
                        true => (*p..x.ends[*p]).zip(*q..).for_each(|(p, q)| out.pair(p, q)),
                        false => {
                            out.pair(*p, *q);
                            if !before.nodes[*p].says_as(&after.nodes[*q]) {
                                out.edits.push(Edit::of(Some(*p), Some(*q)));
                            }
                            todo.push((x.below[*p].clone(), y.below[*q].clone()));
                        }
                    }
                }
                (i, j) = (to_a + 1, to_b + 1);
            }
        }
        out.edits.sort_by_key(|edit| edit.b.or(edit.a));
        for edit in &mut out.edits {
            let was = edit.a.and_then(|i| before.nodes.get(i));
            let is = edit.b.and_then(|j| after.nodes.get(j));
            let file = match (is, was) {
                (Some(node), _) => after.file_of(node),
                (None, Some(node)) => before.file_of(node),
                (None, None) => &after.file,
            };
            edit.cause = cause(file, was, is);
        }
        out
    }

    /// Nodes that have no like: one became the other, with what is in them each for itself.
    fn differ(&mut self, x: &Tree, of_a: &[usize], y: &Tree, of_b: &[usize]) {
        for at in 0..of_a.len().max(of_b.len()) {
            let (old, new) = (of_a.get(at).copied(), of_b.get(at).copied());
            self.edits.push(Edit::of(old, new));
            let inside = |tree: &Tree, node: usize| node + 1..tree.ends[node];
            let gone = old.into_iter().flat_map(|i| inside(x, i));
            self.edits.extend(gone.map(|i| Edit::of(Some(i), None)));
            let come = new.into_iter().flat_map(|j| inside(y, j));
            self.edits.extend(come.map(|j| Edit::of(None, Some(j))));
        }
    }

    fn pair(&mut self, i: usize, j: usize) {
        self.to_b.insert(i, j);
        self.to_a.insert(j, i);
    }

    /// The index of the node on the other side; of A's if `in_a`.
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
    let texts = [was, is].map(|node| node.map(DefinitionNode::shown));
    let [old, new] = excerpt::both(texts.each_ref().map(Option::as_deref));
    Cause {
        path: Some(file.to_owned()),
        line: is.or(was).map(|n| n.line),
        old,
        new,
        ..Cause::new(CauseKind::LayerEdited)
    }
}

/// The node directly around each.
pub(super) fn parents(nodes: &[DefinitionNode]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let of = |(at, node): (usize, &DefinitionNode)| {
        while open.last().is_some_and(|up| nodes[*up].depth >= node.depth) {
            open.pop();
        }
        let up = open.last().copied();
        open.push(at);
        up
    };
    nodes.iter().enumerate().map(of).collect()
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
