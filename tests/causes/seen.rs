//! The visible part of a difference, and the arbitrary one.

use super::align::{Run, Stretch, common, joined};
use super::answer::End;
use super::gone::node;
use super::row::{Cell, Owner, bytes};
use super::world::{Doc, World};

/// Whether a byte is of a join, or of what is printed around a document and the other side has the like.
pub(crate) fn is_around(cell: Cell, one: End, other: End) -> bool {
    let (Some(row), Some(facing)) = (one.row, other.row) else {
        return false;
    };
    let u = &row.uses[cell.used];
    facing.uses.iter().any(|v| match (&u.owner, &v.owner) {
        (Owner::Wrap(_), Owner::Wrap(_)) => u.chain == v.chain,
        _ => false,
    }) || matches!(u.owner, Owner::Join(_))
}

/// Whether a byte is of a join that is on the other side too: which of several equal ones came or went is invisible.
pub(crate) fn shared(cell: Cell, one: End, other: End) -> bool {
    let (Some(row), Some(facing)) = (one.row, other.row) else {
        return false;
    };
    let u = &row.uses[cell.used];
    matches!(u.owner, Owner::Join(_)) && facing.uses.iter().any(|v| v.key() == u.key())
}

/// Whether a byte is of a join before a member that shows nothing.
pub(crate) fn hidden_behind(cell: Cell, one: End) -> bool {
    let Some(row) = one.row else { return false };
    let behind = row.uses[cell.used].behind;
    behind.is_some_and(|behind| !row.cells.iter().any(|c| c.used == behind))
}

/// How many bytes two rows of cells have in common at their ends.
pub(crate) fn ending(x: &[Cell], y: &[Cell]) -> usize {
    let pairs = x.iter().rev().zip(y.iter().rev());
    pairs.take_while(|(x, y)| x.byte == y.byte).count()
}

/// Whether a byte is in a piece with the same text on the other side, whoever owns it there.
pub(crate) fn equal(s: &Stretch, at: usize, after: bool) -> bool {
    let Stretch::Same(x, y) = s else { return false };
    let mine = if after { y } else { x };
    (mine.from..mine.from + mine.cells.len()).contains(&at) && bytes(&x.cells) == bytes(&y.cells)
}

/// Whether a byte is in a gap before its first difference, or after its last: nothing changed there.
pub(crate) fn unchanged(s: &Stretch, at: usize, after: bool) -> bool {
    let Stretch::Gap(x, y) = s else { return false };
    let mine = if after { y } else { x };
    let holds = |r: &&Run| (r.from..r.from + r.cells.len()).contains(&at);
    let Some(run) = mine.iter().find(holds) else {
        return false;
    };
    let before = mine.iter().take_while(|r| r.from < run.from);
    let place = before.map(|r| r.cells.len()).sum::<usize>() + (at - run.from);
    let (cx, cy) = (joined(x), joined(y));
    let c = common(&cx, &cy);
    let end = ending(&cx[c..], &cy[c..]);
    place < c || place >= joined(mine).len() - end && cx.len() != cy.len()
}

/// Whether one side alone shows the front matter of a document: which of its fences was edited is not seen.
pub(crate) fn front_matter(x: &Run, y: &Run) -> bool {
    let first = |r: &Run| r.cells.first().map_or(0, |c| c.at);
    first(x) != first(y) && common(&x.cells, &y.cells) == 0
}

/// Whether a node takes the front matter of a text away.
pub(crate) fn fenced(w: &World, id: u32, text: &str) -> bool {
    let text = text.trim_start();
    let closed = |rest: &str| rest.contains("---\n") || rest.ends_with("\n---");
    node(w, id).is_some_and(|n| n.strip) && text.strip_prefix("---\n").is_some_and(closed)
}

/// How many comments a node takes away from a text.
pub(crate) fn commented(w: &World, id: u32, text: &str) -> usize {
    let rest = text.split("<!--").skip(1);
    let closed = rest.filter(|rest| rest.contains("-->")).count();
    if node(w, id).is_some_and(|n| n.comments) {
        closed
    } else {
        0
    }
}

pub(crate) fn lines_of(world: &World, d: &Doc, cell: Option<&Cell>) -> Vec<usize> {
    let (Some(text), Some(cell)) = (world.docs.get(d), cell) else {
        return Vec::new();
    };
    let line = text.as_bytes()[..cell.at]
        .iter()
        .filter(|b| **b == b'\n')
        .count()
        + 1;
    match cell.byte {
        b'\n' => {
            let rest = text[cell.at..].chars().take_while(|c| *c == '\n').count();
            (line..=line + rest).collect()
        }
        _ => vec![line],
    }
}
