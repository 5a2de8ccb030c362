//! The text of a layer as a row of pieces.

use super::mention;
use super::nodes::{chain, parents};
use super::side::Side;
use crate::prompt::{DefinitionNode, Ingredient, Span, Value};
use crate::text::SpanKind;
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
    /// The document of which it marks the cut, if it is one's own.
    pub(super) marks: Option<(&'p str, &'p str)>,
    pub(super) text: &'p str,
}

impl Piece<'_> {
    /// Whether two pieces of one side are of one template.
    pub(super) fn is_of(&self, other: &Self) -> bool {
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

/// The pieces of a layer: spans of one reading of a document that stand together are one piece, the marks of cuts apart.
pub(super) fn pieces<'p>(side: &Side<'p>) -> Vec<Piece<'p>> {
    let spans = side.spans();
    let own = side.text();
    let from = side.start();
    let mut known: BTreeMap<Option<u32>, (Owner<'p>, Option<usize>)> = BTreeMap::new();
    let mut facts = Facts::default();
    let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
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
            Owner::Fact(name) | Owner::Let(name) => {
                let beside = [index.checked_sub(1), Some(end)].into_iter().flatten();
                let mut beside = beside.filter_map(|at| spans.get(at));
                let beside = beside.find(|s| s.kind == SpanKind::Template);
                let around = beside.and_then(|s| self::node(side, s));
                let own = around.filter(|at| nodes.get(*at).is_some_and(|n| prints(n, name)));
                let file = beside.and_then(|s| side.ingredient(s.ingredient));
                let of_file = matches!(file, Some(Ingredient::Template { line: None, .. }));
                let file = around.filter(|_| of_file);
                match owner {
                    Owner::Fact(name) => {
                        let before = out.iter().rev().find_map(|p| p.node);
                        own.or_else(|| facts.next(side, name, (before, file)))
                            .or(around)
                    }
                    _ => own.or(around).or(node),
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
            marks: None,
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
    marked(side, &mut out);
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

/// Marks of budgets of sources, or of several documents each for itself, stand with the document beside them.
fn marked<'p>(side: &Side<'p>, pieces: &mut [Piece<'p>]) {
    let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
    let parents = parents(nodes);
    let owners: Vec<Owner<'p>> = pieces.iter().map(|p| p.owner).collect();
    for (at, piece) in pieces.iter_mut().enumerate() {
        let (Owner::Mark(_), Some(node)) = (piece.owner, piece.node) else {
            continue;
        };
        let source = parents.get(node).copied().flatten();
        let spread = nodes[node]
            .property("each")
            .or(nodes[node].property("total"));
        if spread.is_none() && !source.is_some_and(|at| mention::reads_files(&nodes[at])) {
            continue;
        }
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let mut beside = beside.filter_map(|at| match owners.get(at)? {
            Owner::Document(root, path) => Some((*root, *path)),
            _ => None,
        });
        piece.marks = beside.next();
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
    /// The node of the next value of a fact; `before` is that of what stands before it,
    /// `file` that of a template file beside it.
    fn next(
        &mut self,
        side: &Side<'p>,
        name: &'p str,
        (before, file): (Option<usize>, Option<usize>),
    ) -> Option<usize> {
        let nodes = self.nodes.entry(name);
        let nodes = nodes.or_insert_with(|| printing(side, name, file));
        // Those in front of what stands before it were not taken, unless parts are printed in another order.
        let passed = nodes
            .as_slice()
            .iter()
            .position(|node| Some(*node) > before);
        let next = nodes.nth(passed.unwrap_or(0));
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

/// The nodes that print a fact and whose conditions hold; if there is no other, that of a template file, of which nobody knows
/// what it prints, or those of templates.
fn printing(side: &Side<'_>, name: &str, file: Option<usize>) -> std::vec::IntoIter<usize> {
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
        true if file.is_some() => file.into_iter().collect(),
        true => all(&|at| nodes[at].is("template") && nodes[at].mentions(name)),
        false => own,
    };
    own.into_iter()
}
