//! The texts of two layers as rows of pieces, aligned on each other.
//!
//! A piece is a run of bytes that one owner put there. Pieces are paired by their owners, not by their bytes; where bytes are
//! equal nothing differs, whosever they are. `docs/diff.md` has the rule.

use super::guards::Guard;
use super::nodes::Nodes;
use super::order::{between, stay};
use super::pieces::pieces;
pub(super) use super::pieces::{OwnedRun, Owner};
use super::side::Side;
use crate::text::common::{self, Numbers};
use crate::text::prefix;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Where two rows do not simply go on alike: pieces that both have with other bytes, or what only one side has.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) a: Range<usize>,
    pub(super) b: Range<usize>,
    /// Whether it is one piece that both have.
    pub(super) paired: bool,
}

/// The pieces of two layers and the places at which they differ.
#[derive(Debug, Default)]
pub(super) struct Rows<'p> {
    pub(super) a: Vec<OwnedRun<'p>>,
    pub(super) b: Vec<OwnedRun<'p>>,
    /// In order.
    pub(super) slots: Vec<Slot>,
    /// The pieces that both have, in order.
    pairs: Vec<(usize, usize)>,
}

impl<'p> Rows<'p> {
    /// Lays two layers on each other; `joins` says whether a join was edited, so that those which differ are the same ones.
    pub(super) fn of(a: &Side<'p>, b: &Side<'p>, nodes: &Nodes, joins: bool) -> Self {
        let mut out = Self {
            a: pieces(a),
            b: pieces(b),
            slots: Vec::new(),
            pairs: Vec::new(),
        };
        let said = |pieces: &[OwnedRun<'p>]| -> BTreeSet<&'p str> {
            let joins = pieces.iter().filter(|p| p.owner == Owner::Join);
            joins.map(|p| p.text).collect()
        };
        let mut keys = Keys {
            joins,
            steady: &said(&out.a) & &said(&out.b),
            edited: [false, true].map(|in_a| {
                let edits = nodes.edits.iter();
                edits.filter_map(|e| if in_a { e.a } else { e.b }).collect()
            }),
            ..Keys::default()
        };
        let x: Vec<PieceKeys> = out.a.iter().map(|p| keys.of(p, nodes, true)).collect();
        let y: Vec<PieceKeys> = out.b.iter().map(|p| keys.of(p, nodes, false)).collect();
        out.pairs = paired(&x, &y, |i, j| out.a[i].text == out.b[j].text);
        let pairs = out.pairs.clone();
        let (mut i, mut j) = (0, 0);
        for (to_a, to_b) in pairs.into_iter().chain([(out.a.len(), out.b.len())]) {
            out.gap(i..to_a, j..to_b);
            if let (Some(x), Some(y)) = (out.a.get(to_a), out.b.get(to_b))
                && x.text != y.text
            {
                out.slots.push(Slot {
                    a: to_a..to_a + 1,
                    b: to_b..to_b + 1,
                    paired: true,
                });
            }
            (i, j) = (to_a + 1, to_b + 1);
        }
        out
    }

    /// Adds what only one side has, each without the pieces that say the same at both ends.
    fn gap(&mut self, mut a: Range<usize>, mut b: Range<usize>) {
        let text = |pieces: &[OwnedRun<'p>]| pieces.iter().map(|p| p.text).collect::<String>();
        if text(&self.a[a.clone()]) == text(&self.b[b.clone()]) {
            return;
        }
        let whole = (a.clone(), b.clone());
        while !a.is_empty() && !b.is_empty() && self.a[a.start].text == self.b[b.start].text {
            (a.start, b.start) = (a.start + 1, b.start + 1);
        }
        while !a.is_empty() && !b.is_empty() && self.a[a.end - 1].text == self.b[b.end - 1].text {
            (a.end, b.end) = (a.end - 1, b.end - 1);
        }
        // Joins come and go with the text next to them.
        let joins = |pieces: &[OwnedRun<'p>]| pieces.iter().all(|p| p.owner == Owner::Join);
        if joins(&self.a[a.clone()]) && joins(&self.b[b.clone()]) {
            (a, b) = whole;
        }
        self.slots.push(Slot {
            a,
            b,
            paired: false,
        });
    }

    /// The pieces of one side, of A's if `in_a`.
    pub(super) fn side(&self, in_a: bool) -> &[OwnedRun<'p>] {
        if in_a { &self.a } else { &self.b }
    }
}

impl Slot {
    /// Its pieces on one side, of A's if `in_a`.
    pub(super) fn side(&self, in_a: bool) -> Range<usize> {
        if in_a { self.a.clone() } else { self.b.clone() }
    }
}

/// The index of the piece that has a byte of the layer's own text.
pub(super) fn at(pieces: &[OwnedRun<'_>], byte: usize) -> Option<usize> {
    let piece = pieces.partition_point(|p| p.start + p.text.len() <= byte);
    (piece < pieces.len()).then_some(piece)
}

/// The length of the common beginning of two pieces, in bytes.
pub(super) fn alike(x: &OwnedRun<'_>, y: &OwnedRun<'_>) -> usize {
    prefix::common(x.text, y.text)
}

/// How far the rest of a document is equal on both sides, in bytes of A's piece if `in_a`, where one side alone has
/// an import before it: the line feed that ends the import comes and goes with it.
pub(super) fn equal_after_import(x: &OwnedRun<'_>, y: &OwnedRun<'_>, in_a: bool) -> usize {
    let (behind, other) = match (x.after_import, y.after_import) {
        (true, false) => (x, y),
        (false, true) => (y, x),
        _ => return 0,
    };
    let Some(rest) = behind.text.strip_prefix('\n') else {
        return 0;
    };
    prefix::common(rest, other.text) + usize::from(x.after_import == in_a)
}

/// A property that is equal on both sides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'p> {
    Join(Node, &'p str),
    Document(&'p str, &'p str, Node, &'p str),
    Fact(&'p str, Node),
    Let(&'p str),
    Written(Node),
    /// A template's own text: of the same template by its place in it, else by what it says.
    Template(
        &'p str,
        Node,
        Option<Guard<'p>>,
        Option<(&'p str, &'p str)>,
        &'p str,
    ),
    Mark(Node, Option<(&'p str, &'p str)>),
    Other,
}

/// A node of the manifest, by its index in B if both have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Both(usize),
    OnlyA(usize),
    OnlyB(usize),
    Unknown,
}

/// Gives equal keys equal numbers.
#[derive(Default)]
struct Keys<'p> {
    /// Whether a join was edited.
    joins: bool,
    /// The joins that both sides have: these were not edited.
    steady: BTreeSet<&'p str>,
    /// The nodes of B and of A that were edited.
    edited: [BTreeSet<usize>; 2],
    known: Numbers<Key<'p>>,
}

/// The keys by which a piece is found on the other side.
#[derive(Clone, Copy)]
struct PieceKeys {
    /// The number of its key.
    key: u32,
    /// The key of a part of a document that another node may show.
    shown: u32,
    /// The key without the content.
    loose: u32,
    /// The key that also matches a join of both sides.
    last: u32,
    /// The key of text that another node may show instead.
    any: u32,
    /// Whether the piece identifies its position by itself.
    strong: bool,
    join: bool,
}

impl<'p> Keys<'p> {
    fn is_edited(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        piece
            .node
            .is_some_and(|node| self.edited[usize::from(in_a)].contains(&node))
    }

    fn of(&mut self, piece: &OwnedRun<'p>, nodes: &Nodes, in_a: bool) -> PieceKeys {
        let node = match piece.node {
            None => Node::Unknown,
            Some(node) => match (nodes.other(node, in_a), in_a) {
                (Some(other), true) => Node::Both(other),
                (Some(_), false) => Node::Both(node),
                (None, true) => Node::OnlyA(node),
                (None, false) => Node::OnlyB(node),
            },
        };
        let of = piece.of.map(|of| (of.root, of.path));
        let steady = self.steady.contains(piece.text);
        let is_edited = self.is_edited(piece, in_a);
        let key = |text: &'p str| match piece.owner {
            Owner::Join if self.joins && !steady => Key::Join(node, text),
            Owner::Join => Key::Join(node, piece.text),
            Owner::Document(root, path) => Key::Document(root, path, node, text),
            Owner::Fact(name) => Key::Fact(name, node),
            Owner::Let(name) => Key::Let(name),
            Owner::Written(_) => Key::Written(node),
            // The lines of inline templates move with every edit above them.
            Owner::Template(_, Some(_), _) => Key::Template("", node, piece.guard, of, text),
            Owner::Template(file, None, _) => Key::Template(file, node, piece.guard, of, text),
            Owner::Mark(_) => Key::Mark(node, of),
            Owner::Other => Key::Other,
        };
        let (strict, loose) = (self.known.of(key(piece.text)), self.known.of(key("")));
        let mut number =
            |other: Option<Key<'p>>, own: u32| other.map_or(own, |key| self.known.of(key));
        let shown = match piece.owner {
            Owner::Document(root, path) if !piece.whole => {
                Some(Key::Document(root, path, Node::Unknown, piece.text))
            }
            _ => None,
        };
        let last = match piece.owner {
            // A join of a group that both have is of that group, whatever it says.
            Owner::Join if matches!(node, Node::Both(_)) => Some(Key::Join(node, "")),
            Owner::Join if self.joins => Some(Key::Join(Node::Unknown, "")),
            Owner::Join => Some(Key::Join(Node::Unknown, piece.text)),
            // What a wrap that was edited says is edited at each of its documents.
            Owner::Template(_, Some(_), _) if is_edited => {
                Some(Key::Template("", node, piece.guard, None, ""))
            }
            _ => None,
        };
        let last = number(last, loose);
        let any = match piece.owner {
            Owner::Document(root, path) if piece.whole => {
                Some(Key::Document(root, path, Node::Unknown, ""))
            }
            Owner::Fact(name) => Some(Key::Fact(name, Node::Unknown)),
            _ => None,
        };
        PieceKeys {
            key: strict,
            shown: number(shown, strict),
            loose,
            last,
            any: number(any, last),
            strong: matches!(piece.owner, Owner::Document(..) | Owner::Written(_)),
            join: piece.owner == Owner::Join,
        }
    }
}

/// Pairs pieces: first those that each side has once, with the same content, and then the edited ones, as many as
/// keep their order. The others between them follow, again those with the same content first.
fn paired(
    x: &[PieceKeys],
    y: &[PieceKeys],
    alike: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    type Number = fn(&PieceKeys) -> u32;
    let numbers: [Number; 3] = [|t| t.key, |t| t.shown, |t| t.loose];
    let mut found = Vec::new();
    for of in numbers {
        found = between(x.len(), y.len(), found, |a, b| once(&x[a], &y[b], of));
    }
    // Joins are where the joined texts are.
    let all: [Number; 4] = [|t| t.key, |t| t.loose, |t| t.last, |t| t.any];
    for (joins, of) in [false, true]
        .into_iter()
        .flat_map(|joins| all.map(|of| (joins, of)))
    {
        let all = |told: &[PieceKeys]| -> Vec<(usize, u32)> {
            let told = told.iter().enumerate().filter(|(_, t)| joins || !t.join);
            told.map(|(at, t)| (at, of(t))).collect()
        };
        found = between(x.len(), y.len(), found, |mut a, mut b| {
            if a.is_empty() || b.is_empty() {
                return Vec::new();
            }
            // Equal text at both ends is no difference, whatever its owner.
            let front = a
                .clone()
                .zip(b.clone())
                .take_while(|(i, j)| joins && alike(*i, *j));
            let front = front.count();
            let (from_a, from_b) = (a.start + front, b.start + front);
            let back = (from_a..a.end).rev().zip((from_b..b.end).rev());
            let back = back.take_while(|(i, j)| joins && alike(*i, *j)).count();
            (a, b) = (from_a..a.end - back, from_b..b.end - back);
            let (a, b) = (all(&x[a]), all(&y[b]));
            let keys = |all: &[(usize, u32)]| all.iter().map(|(_, key)| *key).collect::<Vec<_>>();
            let pairs = common::pairs(&keys(&a), &keys(&b)).into_iter();
            pairs
                .map(|(i, j)| (front + a[i].0, front + b[j].0))
                .collect()
        });
    }
    found
}

/// Of the pieces that identify their position by themselves and that each side has once, as many as keep their
/// order.
fn once(x: &[PieceKeys], y: &[PieceKeys], of: fn(&PieceKeys) -> u32) -> Vec<(usize, usize)> {
    let places = |all: &[PieceKeys]| -> BTreeMap<u32, Option<usize>> {
        let mut out = BTreeMap::new();
        let strong = all.iter().enumerate().filter(|(_, told)| told.strong);
        for (at, told) in strong {
            out.entry(of(told))
                .and_modify(|at| *at = None)
                .or_insert(Some(at));
        }
        out
    };
    let (in_a, in_b) = (places(x), places(y));
    let same = in_a
        .iter()
        .filter_map(|(key, at)| Some(((*at)?, (*in_b.get(key)?)?)));
    let mut same: Vec<(usize, usize)> = same.collect();
    same.sort_unstable();
    stay(&same)
}
