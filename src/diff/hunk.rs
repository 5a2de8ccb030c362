//! The first place at which two layers differ, as the owners of the bytes that stand there on each side.

use super::edits;
use super::side::Side;
use crate::prompt::{Ingredient, Span};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// With more spans than this between the common ends the whole of them is the difference: what is found must not
/// depend on how fast the machine is.
const MOST: usize = 4_000;

/// The spans that differ first.
#[derive(Debug, Clone, Default)]
pub(super) struct Hunk {
    /// In A: indices into its spans.
    pub(super) a: Range<usize>,
    /// In B.
    pub(super) b: Range<usize>,
}

/// The spans at the very place of the difference: of what both sides own there the two pieces, else what one side has more.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Front<'p> {
    /// In A.
    pub(super) a: &'p [Span],
    /// In B.
    pub(super) b: &'p [Span],
    /// Whether the first span of both belongs to the same owner.
    pub(super) same_owner: bool,
}

/// Who owns a run of bytes, and the bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Unit<'p> {
    owner: Owner<'p>,
    text: &'p str,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Owner<'p> {
    Join,
    /// A text in the manifest that both sides print, by its hash.
    Literal(&'p str),
    /// One that only one side prints.
    Node(Node),
    Document(&'p str, &'p str),
    Fact(&'p str),
    Let(&'p str),
    /// Its file, and of the mark of a cut the document whose bytes stand directly in front: it is the mark of several.
    Template(&'p str, Option<(&'p str, &'p str)>),
    Other,
}

/// A node of the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    /// It stands in both manifests, perhaps edited: its index in B.
    Both(usize),
    OnlyA(usize),
    OnlyB(usize),
    Unknown,
}

impl Hunk {
    /// The first difference of two layers; empty ranges if the owners and their bytes are the same.
    pub(super) fn first(a: &Side<'_>, b: &Side<'_>) -> Self {
        let (of_a, of_b) = owners(a, b);
        let (x, y) = (units(a, of_a), units(b, of_b));
        let front = x.iter().zip(&y).take_while(|(x, y)| x == y).count();
        let back = x[front..]
            .iter()
            .rev()
            .zip(y[front..].iter().rev())
            .take_while(|(x, y)| x == y)
            .count();
        let (xs, ys) = (&x[front..x.len() - back], &y[front..y.len() - back]);
        let whole = Self {
            a: front..front + xs.len(),
            b: front..front + ys.len(),
        };
        if xs.is_empty() || ys.is_empty() || xs.len() + ys.len() > MOST {
            return whole;
        }
        let mut found: Option<Self> = None;
        for op in capture_diff_slices(Algorithm::Myers, xs, ys) {
            match (&mut found, op) {
                (None, DiffOp::Equal { .. }) => {}
                (Some(_), DiffOp::Equal { .. }) => break,
                (None, op) => {
                    found = Some(Self {
                        a: shift(op.old_range(), front),
                        b: shift(op.new_range(), front),
                    });
                }
                (Some(hunk), op) => {
                    hunk.a.end = front + op.old_range().end;
                    hunk.b.end = front + op.new_range().end;
                }
            }
        }
        found.unwrap_or(whole)
    }

    /// What of it stands at the place of the difference.
    pub(super) fn front<'p>(&self, a: &Side<'p>, b: &Side<'p>) -> Front<'p> {
        let (x, y) = (self.of_a(a), self.of_b(b));
        let (of_a, of_b) = owners(a, b);
        let of_x = of_a.get(self.a.clone()).unwrap_or_default();
        let of_y = of_b.get(self.b.clone()).unwrap_or_default();
        let (Some(first_x), Some(first_y)) = (of_x.first(), of_y.first()) else {
            return Front {
                a: x,
                b: y,
                same_owner: false,
            };
        };
        if first_x == first_y {
            return Front {
                a: &x[..1],
                b: &y[..1],
                same_owner: true,
            };
        }
        let in_x = further(&of_a[self.a.start..], of_x, first_y);
        let in_y = further(&of_b[self.b.start..], of_y, first_x);
        let (to_x, to_y) = match (in_x, in_y) {
            (Some(to), None) => (to, 0),
            (None, Some(to)) => (0, to),
            (Some(to_x), Some(to_y)) if to_x <= to_y => (to_x, 0),
            (Some(_), Some(to_y)) => (0, to_y),
            (None, None) => (x.len(), y.len()),
        };
        Front {
            a: a.spans()
                .get(self.a.start..self.a.start + to_x)
                .unwrap_or_default(),
            b: b.spans()
                .get(self.b.start..self.b.start + to_y)
                .unwrap_or_default(),
            same_owner: false,
        }
    }

    /// Bytes of A's own text in front of it.
    pub(super) fn start(&self, a: &Side<'_>) -> usize {
        let spans = a.spans();
        let at = spans.get(self.a.start).map(|s| s.start);
        at.or(spans.last().map(|s| s.end))
            .map_or(0, |at| at - a.start())
    }

    /// The spans of A in it.
    pub(super) fn of_a<'p>(&self, a: &Side<'p>) -> &'p [Span] {
        a.spans().get(self.a.clone()).unwrap_or_default()
    }

    /// The spans of B in it.
    pub(super) fn of_b<'p>(&self, b: &Side<'p>) -> &'p [Span] {
        b.spans().get(self.b.clone()).unwrap_or_default()
    }
}

/// Where one side goes on with what the other one has first: in front of it stands what only this side has. Templates and joins
/// come again and again, so of them only the hunk counts.
fn further(side: &[Owner<'_>], hunk: &[Owner<'_>], wanted: &Owner<'_>) -> Option<usize> {
    let owners = match wanted {
        Owner::Template(..) | Owner::Join | Owner::Other | Owner::Node(Node::Unknown) => hunk,
        _ => side,
    };
    owners.iter().position(|o| o == wanted)
}

fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn units<'p>(side: &Side<'p>, owners: Vec<Owner<'p>>) -> Vec<Unit<'p>> {
    let unit = |(owner, span): (Owner<'p>, &Span)| Unit {
        owner,
        text: side.bytes(span),
    };
    owners.into_iter().zip(side.spans()).map(unit).collect()
}

/// The owners of the spans of two layers.
fn owners<'p>(a: &Side<'p>, b: &Side<'p>) -> (Vec<Owner<'p>>, Vec<Owner<'p>>) {
    let became = match (a.definition(), b.definition()) {
        (Some(before), Some(after)) => edits::became(before, after),
        _ => BTreeMap::new(),
    };
    let in_a = |node: usize| match became.get(&node) {
        Some(after) => Node::Both(*after),
        None => Node::OnlyA(node),
    };
    let known: BTreeSet<usize> = became.values().copied().collect();
    let in_b = |node: usize| match known.contains(&node) {
        true => Node::Both(node),
        false => Node::OnlyB(node),
    };
    (of_side(a, b, in_a), of_side(b, a, in_b))
}

fn of_side<'p>(side: &Side<'p>, other: &Side<'_>, node: impl Fn(usize) -> Node) -> Vec<Owner<'p>> {
    let mut out: Vec<Owner<'p>> = Vec::with_capacity(side.spans().len());
    let literals = other.ingredients().iter().filter_map(|i| match i {
        Ingredient::Literal { sha256, .. } => Some(sha256.as_str()),
        _ => None,
    });
    let literals: BTreeSet<&str> = literals.collect();
    for span in side.spans() {
        let front = match out.last() {
            Some(Owner::Document(root, path)) => Some((*root, *path)),
            _ => None,
        };
        out.push(match side.ingredient(span.ingredient) {
            None => Owner::Join,
            Some(Ingredient::Literal { sha256, .. }) if literals.contains(sha256.as_str()) => {
                Owner::Literal(sha256)
            }
            Some(Ingredient::Literal { line, .. }) => {
                let own = side.node(*line, side.bytes(span));
                Owner::Node(own.map_or(Node::Unknown, &node))
            }
            Some(Ingredient::Document { root, path, .. }) => Owner::Document(root, path),
            Some(Ingredient::Fact { name, .. }) => Owner::Fact(name),
            Some(Ingredient::Let { name, .. }) => Owner::Let(name),
            Some(Ingredient::Template { file, line, .. }) => {
                Owner::Template(file, front.filter(|_| side.marks_cuts(file, *line)))
            }
            Some(_) => Owner::Other,
        });
    }
    out
}
