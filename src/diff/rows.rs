//! The texts of two layers as rows of pieces, laid on each other.
//!
//! A piece is a run of bytes that one owner put there. Pieces are paired by their owners, not by their bytes; where bytes are
//! equal nothing differs, whosever they are. `docs/diff.md` has the rule.

use super::nodes::{Nodes, chain, parents};
use super::order::{between, stay};
use super::prefix;
use super::side::Side;
use crate::prompt::{DefinitionNode, Ingredient, Span, Value};
use crate::text::SpanKind;
use crate::text::common::{self, Numbers};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A run of bytes that one owner put there.
#[derive(Debug, Clone)]
pub(super) struct Piece<'p> {
    pub(super) owner: Owner<'p>,
    /// The node of the definition that brought it, if that is known.
    pub(super) node: Option<usize>,
    /// Its spans, in those of the layer's own text.
    pub(super) spans: Range<usize>,
    /// Where it begins in the layer's own text.
    pub(super) start: usize,
    /// Bytes of its first one into what it is from, if it is copied.
    pub(super) offset: Option<usize>,
    /// Whether it goes on behind a document that it imports.
    pub(super) behind_import: bool,
    /// Whether it is a document from its first byte on, without a gap and uncut.
    pub(super) whole: bool,
    pub(super) text: &'p str,
}

impl Piece<'_> {
    /// Whether two pieces of one side are of one template.
    fn is_of(&self, other: &Self) -> bool {
        matches!(self.owner, Owner::Template(..)) && self.owner == other.owner
    }
}

/// Who put bytes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner<'p> {
    Join,
    Document(&'p str, &'p str),
    Fact(&'p str),
    Let(&'p str),
    /// A text of the manifest: the index of its ingredient.
    Written(u32),
    /// A template's own text: its file, or that of the manifest, the line if it stands there, and the hash.
    Template(&'p str, Option<usize>, &'p str),
    /// The mark of a cut: the index of its template.
    Mark(u32),
    Other,
}

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
    pub(super) a: Vec<Piece<'p>>,
    pub(super) b: Vec<Piece<'p>>,
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
        let said = |pieces: &[Piece<'p>]| -> BTreeSet<&'p str> {
            let joins = pieces.iter().filter(|p| p.owner == Owner::Join);
            joins.map(|p| p.text).collect()
        };
        let mut keys = Keys {
            joins,
            steady: &said(&out.a) & &said(&out.b),
            ..Keys::default()
        };
        let x: Vec<Told> = out.a.iter().map(|p| keys.of(p, nodes, true)).collect();
        let y: Vec<Told> = out.b.iter().map(|p| keys.of(p, nodes, false)).collect();
        out.pairs = paired(&x, &y);
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
        let text = |pieces: &[Piece<'p>]| pieces.iter().map(|p| p.text).collect::<String>();
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
        // Joins come and go with what they stand beside.
        let joins = |pieces: &[Piece<'p>]| pieces.iter().all(|p| p.owner == Owner::Join);
        if joins(&self.a[a.clone()]) && joins(&self.b[b.clone()]) {
            (a, b) = whole;
        }
        self.slots.push(Slot {
            a,
            b,
            paired: false,
        });
    }

    /// Whether two pieces of one template stand at one place in its source: what was edited in front of them has moved both.
    pub(super) fn stand_alike(&self, x: &Piece<'p>, y: &Piece<'p>) -> bool {
        let (Some(in_a), Some(in_b)) = (x.offset, y.offset) else {
            return false;
        };
        if in_a == in_b {
            return true;
        }
        let at = self
            .pairs
            .partition_point(|(i, _)| self.a[*i].start < x.start);
        let mut before = self.pairs[..at].iter().rev();
        let before = before.find_map(|(i, j)| {
            let (p, q) = (&self.a[*i], &self.b[*j]);
            let same = p.is_of(x) && q.is_of(y);
            same.then_some((p.offset? + p.text.len(), q.offset? + q.text.len()))
        });
        let (from_a, from_b) = before.unwrap_or_default();
        in_a.checked_sub(from_a) == in_b.checked_sub(from_b)
    }

    /// The pieces of one side, of A's if `in_a`.
    pub(super) fn side(&self, in_a: bool) -> &[Piece<'p>] {
        if in_a { &self.a } else { &self.b }
    }
}

impl Slot {
    /// Its pieces on one side, of A's if `in_a`.
    pub(super) fn side(&self, in_a: bool) -> Range<usize> {
        if in_a { self.a.clone() } else { self.b.clone() }
    }
}

/// Which piece a byte of the layer's own text stands in.
pub(super) fn at(pieces: &[Piece<'_>], byte: usize) -> Option<usize> {
    let piece = pieces.partition_point(|p| p.start + p.text.len() <= byte);
    (piece < pieces.len()).then_some(piece)
}

/// How far two pieces are equal, in bytes.
pub(super) fn alike(x: &Piece<'_>, y: &Piece<'_>) -> usize {
    prefix::common(x.text, y.text)
}

/// How far the rest of a document is equal on both sides, in bytes of A's piece if `in_a`, where one side alone has an import in
/// front of it: the line feed that ends the import comes and goes with that.
pub(super) fn alike_behind_import(x: &Piece<'_>, y: &Piece<'_>, in_a: bool) -> usize {
    let (behind, other) = match (x.behind_import, y.behind_import) {
        (true, false) => (x, y),
        (false, true) => (y, x),
        _ => return 0,
    };
    let Some(rest) = behind.text.strip_prefix('\n') else {
        return 0;
    };
    prefix::common(rest, other.text) + usize::from(x.behind_import == in_a)
}

/// The pieces of a layer: spans of one reading of a document that stand together are one piece, the marks of cuts apart.
fn pieces<'p>(side: &Side<'p>) -> Vec<Piece<'p>> {
    let spans = side.spans();
    let own = side.text();
    let from = side.start();
    let mut known: BTreeMap<Option<u32>, (Owner<'p>, Option<usize>)> = BTreeMap::new();
    let mut facts = Facts::default();
    let mut out: Vec<Piece<'p>> = Vec::new();
    let mut index = 0;
    while index < spans.len() {
        let span = &spans[index];
        let mut end = index + 1;
        let whose = || (owner(side, span), node(side, span));
        let (owner, node) = *known.entry(span.ingredient).or_insert_with(whose);
        if let Owner::Mark(mark) = owner {
            // What a mark prints, of facts or of itself, belongs to it: up to its last own text, with no document between.
            let is_text = |s: &Span| {
                matches!(
                    side.ingredient(s.ingredient),
                    Some(Ingredient::Document { .. }) | None
                )
            };
            let rest = spans[end..].iter().take_while(|s| !is_text(s));
            let last = rest
                .enumerate()
                .filter(|(_, s)| s.ingredient == Some(mark))
                .last();
            end += last.map_or(0, |(at, _)| at + 1);
        } else if matches!(owner, Owner::Document(..)) {
            let same = spans[end..]
                .iter()
                .take_while(|s| s.ingredient == span.ingredient);
            end += same.count();
        }
        let (first, last) = (span.start - from, spans[end - 1].end - from);
        let node = match owner {
            // What is printed stands at the template that prints it, else at its own node.
            Owner::Fact(_) | Owner::Let(_) => {
                let beside = [index.checked_sub(1), Some(end)].into_iter().flatten();
                let beside = beside.filter_map(|at| spans.get(at));
                let mut templates = beside.filter(|s| s.kind == SpanKind::Template);
                let name = match owner {
                    Owner::Fact(name) | Owner::Let(name) => name,
                    _ => "",
                };
                let prints = |at: &usize| {
                    let nodes = side.definition().map(|d| &d.nodes);
                    nodes.is_some_and(|nodes| prints(&nodes[*at], name))
                };
                let around = templates.next().and_then(|s| self::node(side, s));
                match (owner, around.filter(prints)) {
                    (_, Some(at)) => Some(at),
                    (Owner::Fact(name), None) => facts.next(side, name).or(around),
                    (_, None) => around.or(node),
                }
            }
            _ => node,
        };
        out.push(Piece {
            owner,
            node,
            spans: index..end,
            start: first,
            offset: span.offset,
            behind_import: index
                .checked_sub(1)
                .is_some_and(|before| imports(side, span, &spans[before])),
            whole: matches!(
                side.ingredient(span.ingredient),
                Some(Ingredient::Document { dropped: 0, .. })
            ) && span.offset == Some(0)
                && end == index + 1,
            text: own.get(first..last).unwrap_or_default(),
        });
        index = end;
    }
    joined(side, &mut out);
    out
}

/// Joins stand at the innermost node that is around both what is before and what is behind them.
fn joined(side: &Side<'_>, pieces: &mut [Piece<'_>]) {
    let parents = parents(side.definition().map_or(&[][..], |d| &d.nodes));
    let around = |node: usize| std::iter::successors(Some(node), |at| *parents.get(*at)?);
    let known: Vec<Option<usize>> = pieces.iter().map(|p| p.node).collect();
    let own = pieces.iter_mut().enumerate();
    for (at, piece) in own.filter(|(_, p)| p.owner == Owner::Join) {
        let before = at.checked_sub(1).and_then(|at| known[at]);
        let behind = known.get(at + 1).copied().flatten();
        piece.node = before.zip(behind).and_then(|(x, y)| {
            let of_x: BTreeSet<usize> = around(x).collect();
            around(y).find(|node| of_x.contains(node))
        });
    }
}

fn owner<'p>(side: &Side<'p>, span: &Span) -> Owner<'p> {
    let index = span.ingredient.unwrap_or(u32::MAX);
    match side.ingredient(span.ingredient) {
        None => Owner::Join,
        Some(Ingredient::Document { root, path, .. }) => Owner::Document(root, path),
        Some(Ingredient::Fact { name, .. }) => Owner::Fact(name),
        Some(Ingredient::Let { name, .. }) => Owner::Let(name),
        Some(Ingredient::Literal { .. }) => Owner::Written(index),
        Some(Ingredient::Template { file, line, sha256 }) => match side.marks_cuts(file, *line) {
            true => Owner::Mark(index),
            false => Owner::Template(file, *line, sha256),
        },
        Some(_) => Owner::Other,
    }
}

/// Whether a document imports another one, directly or not, that stands in front of a span of it.
fn imports(side: &Side<'_>, span: &Span, before: &Span) -> bool {
    let document = |span: &Span| match side.ingredient(span.ingredient)? {
        Ingredient::Document {
            path, imported_by, ..
        } => Some((path.as_str(), imported_by.as_deref())),
        _ => None,
    };
    let (Some((own, by)), Some((_, Some(importer)))) = (document(span), document(before)) else {
        return false;
    };
    // What an import imports ends where it ends itself.
    span.offset > Some(0) && (importer == own || by != Some(importer))
}

/// The node of the definition that a span is from.
fn node(side: &Side<'_>, span: &Span) -> Option<usize> {
    match side.ingredient(span.ingredient)? {
        Ingredient::Document { node, .. } => node.map(|n| n as usize),
        Ingredient::Literal { line, .. }
        | Ingredient::Template {
            line: Some(line), ..
        } => side.node(*line, side.bytes(span)),
        Ingredient::Template {
            file, line: None, ..
        } => {
            let nodes = &side.definition()?.nodes;
            nodes
                .iter()
                .position(|n| n.values().any(|value| value.is(file)))
        }
        _ => None,
    }
}

/// The nodes that print facts, in the order in which their values stand: no map says which is whose.
#[derive(Default)]
struct Facts<'p> {
    nodes: BTreeMap<&'p str, std::vec::IntoIter<usize>>,
    last: BTreeMap<&'p str, usize>,
}

impl<'p> Facts<'p> {
    /// The node of the next value of a fact.
    fn next(&mut self, side: &Side<'p>, name: &'p str) -> Option<usize> {
        let nodes = self.nodes.entry(name);
        let next = nodes.or_insert_with(|| printing(side, name)).next();
        if let Some(node) = next {
            self.last.insert(name, node);
        }
        next.or(self.last.get(name).copied())
    }
}

/// Whether a template in a node prints a name, as far as it is written out.
fn prints(node: &DefinitionNode, name: &str) -> bool {
    let texts = node.values().filter_map(|value| match value {
        Value::Long { begins, .. } => Some(begins.as_str()),
        value => value.string(),
    });
    let mut printed = texts.flat_map(|text| text.split("{{").skip(1));
    printed.any(|rest| {
        rest.split("}}")
            .next()
            .is_some_and(|own| own.contains(name))
    })
}

/// The nodes that print a fact and whose conditions hold; those of templates if there is no other.
fn printing(side: &Side<'_>, name: &str) -> std::vec::IntoIter<usize> {
    let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
    let fails = |node: &usize| {
        let when = nodes[*node].property("when");
        side.ingredients().iter().any(|i| {
            matches!(i, Ingredient::Condition { expression, value: false, .. } if when.is_some_and(|w| w.is(expression)))
        })
    };
    let holds = |at: &usize| !chain(nodes, *at).iter().any(fails);
    let all = |prints: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..nodes.len())
            .filter(|at| prints(*at) && holds(at))
            .collect()
    };
    let own = all(&|at| {
        let said = &nodes[at];
        // A template that says nothing else has no text beside the value.
        let alone = |text: Option<&str>| {
            let inner = text.and_then(|t| t.trim().strip_prefix("{{")?.strip_suffix("}}"));
            inner.is_some_and(|inner| inner.trim() == name)
        };
        match said.name.as_str() {
            "fact" => said.arguments.iter().any(|value| value.is(name)),
            _ => {
                said.name == "template" && said.arguments.iter().any(|value| alone(value.string()))
            }
        }
    });
    let own = match own.is_empty() {
        true => all(&|at| nodes[at].is("template") && nodes[at].mentions(name)),
        false => own,
    };
    own.into_iter()
}

/// What is the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'p> {
    Join(Node, &'p str),
    Document(&'p str, &'p str, Node, &'p str),
    Fact(&'p str, Node),
    Let(&'p str),
    Written(Node),
    /// A template's own text: of the same template by its place in it, else by what it says.
    Template(&'p str, Node, &'p str),
    Mark(Node),
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
    /// What joins say on both sides: these were not edited.
    steady: BTreeSet<&'p str>,
    known: Numbers<Key<'p>>,
}

/// What tells which piece of the other side a piece is.
#[derive(Clone, Copy)]
struct Told {
    /// The number of its key.
    key: u32,
    /// The same, without what it says.
    loose: u32,
    /// The same, also of a join that stands on both sides.
    last: u32,
    /// The same, of what another node may show instead.
    any: u32,
    /// Whether it tells by itself where it belongs.
    strong: bool,
}

impl<'p> Keys<'p> {
    fn of(&mut self, piece: &Piece<'p>, nodes: &Nodes, in_a: bool) -> Told {
        let node = match piece.node {
            None => Node::Unknown,
            Some(node) => match (nodes.other(node, in_a), in_a) {
                (Some(other), true) => Node::Both(other),
                (Some(_), false) => Node::Both(node),
                (None, true) => Node::OnlyA(node),
                (None, false) => Node::OnlyB(node),
            },
        };
        let steady = self.steady.contains(piece.text);
        let key = |text: &'p str| match piece.owner {
            Owner::Join if self.joins && !steady => Key::Join(node, text),
            Owner::Join => Key::Join(node, piece.text),
            Owner::Document(root, path) => Key::Document(root, path, node, text),
            Owner::Fact(name) => Key::Fact(name, node),
            Owner::Let(name) => Key::Let(name),
            Owner::Written(_) => Key::Written(node),
            // The lines of inline templates move with every edit above them.
            Owner::Template(_, Some(_), _) => Key::Template("", node, text),
            Owner::Template(file, None, _) => Key::Template(file, Node::Unknown, text),
            Owner::Mark(_) => Key::Mark(node),
            Owner::Other => Key::Other,
        };
        let (strict, loose) = (key(piece.text), key(""));
        let last = match piece.owner {
            Owner::Join if self.joins => Key::Join(Node::Unknown, ""),
            Owner::Join => Key::Join(Node::Unknown, piece.text),
            _ => loose.clone(),
        };
        let any = match piece.owner {
            Owner::Document(root, path) if piece.whole => {
                Key::Document(root, path, Node::Unknown, "")
            }
            Owner::Fact(name) => Key::Fact(name, Node::Unknown),
            _ => last.clone(),
        };
        Told {
            any: self.known.of(any),
            key: self.known.of(strict),
            loose: self.known.of(loose),
            last: self.known.of(last),
            strong: matches!(piece.owner, Owner::Document(..) | Owner::Written(_)),
        }
    }
}

/// Which pieces are the same: first, of those that each side has once, those that say the same, and then the edited ones, as many
/// as keep their order; between them the others, again those that say the same first.
fn paired(x: &[Told], y: &[Told]) -> Vec<(usize, usize)> {
    type Number = fn(&Told) -> u32;
    let numbers: [Number; 2] = [|t| t.key, |t| t.loose];
    let mut found = Vec::new();
    for of in numbers {
        found = between(x.len(), y.len(), found, |a, b| once(&x[a], &y[b], of));
    }
    let rest: [Number; 2] = [|t| t.last, |t| t.any];
    for of in numbers.into_iter().chain(rest) {
        let all = |told: &[Told]| told.iter().map(of).collect::<Vec<u32>>();
        found = between(x.len(), y.len(), found, |a, b| {
            common::pairs(&all(&x[a]), &all(&y[b]))
        });
    }
    found
}

/// Of the pieces that tell by themselves where they belong and that each side has once, as many as keep their order.
fn once(x: &[Told], y: &[Told], of: fn(&Told) -> u32) -> Vec<(usize, usize)> {
    let places = |all: &[Told]| -> BTreeMap<u32, Option<usize>> {
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
