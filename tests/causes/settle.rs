//! Gives the nodes of a second manifest the numbers of those of the first that say the same, in the same order: who moved one of
//! two nodes that say the same has moved either.

use super::world::{Id, Kind, Node, World};

/// Numbers the nodes of `b` by those of `a`.
pub(crate) fn settle(a: &World, mut b: World) -> World {
    let all = |w: &World| {
        w.layers()
            .flat_map(|l| l.roots())
            .flat_map(Node::all)
            .map(|n| n.id)
            .max()
    };
    let mut fresh = all(a).max(all(&b)).unwrap_or(0) + 1000;
    for layer in b.tiers.iter_mut().flat_map(|t| &mut t.layers) {
        let Some(own) = a.layer(&layer.name) else {
            continue;
        };
        if let (Some(x), Some(y)) = (&own.content, &mut layer.content) {
            same(x, y, &mut fresh);
        }
        for (name, y) in &mut layer.parts {
            if let Some((_, x)) = own.parts.iter().find(|(other, _)| other == name) {
                same(x, y, &mut fresh);
            }
        }
    }
    b
}

fn members(node: &mut Node) -> &mut [Node] {
    match &mut node.kind {
        Kind::First(all) | Kind::All(all, _) => all,
        _ => &mut [],
    }
}

/// Numbers what is in a node that both have.
fn same(x: &Node, y: &mut Node, fresh: &mut Id) {
    let known: Vec<Node> = x.members().iter().map(bare).collect();
    let found: Vec<Node> = y.members().iter().map(bare).collect();
    let pairs = staying(&known, &found);
    let taken: Vec<Id> = pairs.iter().map(|(i, _)| x.members()[*i].id).collect();
    let known_ids: Vec<Id> = y.members().iter().map(|n| n.id).collect();
    let known_ids: Vec<Id> = known_ids
        .into_iter()
        .filter(|id| !taken.contains(id))
        .collect();
    for (j, own) in members(y).iter_mut().enumerate() {
        if let Some((i, _)) = pairs.iter().find(|(_, other)| *other == j) {
            number(&x.members()[*i], own);
        } else if taken.contains(&own.id) {
            own.id = *fresh;
            *fresh += 1;
        } else if let Some(edited) = x.members().iter().find(|n| n.id == own.id) {
            same(edited, own, fresh);
        } else if let Some(edited) = in_place(x.members(), &found, &pairs, j)
            && !known_ids.contains(&edited.id)
        {
            own.id = edited.id;
            same(edited, own, fresh);
        }
    }
}

/// The node that a new node replaces, if both are alone between those that stay.
fn in_place<'a>(a: &'a [Node], b: &[Node], pairs: &[(usize, usize)], j: usize) -> Option<&'a Node> {
    let before = pairs.iter().filter(|p| p.1 < j).max_by_key(|p| p.1);
    let behind = pairs.iter().filter(|p| p.1 > j).min_by_key(|p| p.1);
    let (from, start) = before.map_or((0, 0), |p| (p.0 + 1, p.1 + 1));
    let (to, end) = behind.copied().unwrap_or((a.len(), b.len()));
    (to == from + 1 && end == start + 1).then(|| &a[from])
}

/// Numbers a node that says the same, with all in it.
fn number(x: &Node, y: &mut Node) {
    y.id = x.id;
    for (x, y) in x.members().iter().zip(members(y)) {
        number(x, y);
    }
}

/// A node without the numbers.
fn bare(node: &Node) -> Node {
    let mut out = Node {
        id: 0,
        ..node.clone()
    };
    for own in members(&mut out) {
        *own = bare(own);
    }
    out
}

/// Items at the beginning and at the end stay; of the rest as many as keep their order.
fn staying(a: &[Node], b: &[Node]) -> Vec<(usize, usize)> {
    let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (x, y) = (&a[front..], &b[front..]);
    let both = x.iter().rev().zip(y.iter().rev());
    let back = both.take_while(|(x, y)| x == y).count();
    let (x, y) = (&x[..x.len() - back], &y[..y.len() - back]);
    let mut out: Vec<_> = (0..front).map(|at| (at, at)).collect();
    out.extend(
        common(x, y)
            .into_iter()
            .map(|(i, j)| (front + i, front + j)),
    );
    out.extend((0..back).map(|at| (front + x.len() + at, front + y.len() + at)));
    out
}

/// As many as keep their order; of several such sets the one that lets the earliest of the first stay.
fn common(a: &[Node], b: &[Node]) -> Vec<(usize, usize)> {
    let (n, m) = (a.len(), b.len());
    let mut best = vec![vec![0; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let both = usize::from(a[i] == b[j]) + best[i + 1][j + 1];
            let both = if a[i] == b[j] { both } else { 0 };
            best[i][j] = both.max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < n && j < m {
        if a[i] == b[j] && best[i][j] == 1 + best[i + 1][j + 1] {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i][j] == best[i][j + 1] {
            j += 1;
        } else {
            i += 1;
        }
    }
    out
}
