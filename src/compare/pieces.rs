//! The text of a layer as a row of pieces.

use super::excerpt::{self, Own};
use super::guards::{Guard, Guards};
use super::nodes::{Nodes, chain, parents};
use super::side::Side;
use crate::prompt::{Ingredient, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A run of bytes that one owner put there.
#[derive(Debug, Clone)]
pub(super) struct OwnedRun<'p> {
    pub(super) owner: Owner<'p>,
    /// The node of the definition that brought it, if that is known.
    pub(super) node: Option<usize>,
    /// Its spans, in those of the layer's own text.
    pub(super) spans: Range<usize>,
    /// Where it begins in the layer's own text.
    pub(super) start: usize,
    /// Bytes of its first one into what it is from, if it is copied.
    pub(super) offset: Option<usize>,
    /// Whether it continues after a document that it imports.
    pub(super) after_import: bool,
    /// Whether it is a document from its first byte on, without a gap and uncut.
    pub(super) whole: bool,
    /// The document that it surrounds, or whose cut it marks.
    pub(super) of: Option<Of<'p>>,
    /// The condition that it depends on in the template of its text.
    pub(super) guard: Option<Guard<'p>>,
    pub(super) text: &'p str,
}

/// A document with the node that read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Of<'p> {
    pub(super) root: &'p str,
    pub(super) path: &'p str,
    pub(super) node: Option<usize>,
}

/// The owner of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner<'p> {
    Join,
    Document(&'p str, &'p str),
    Fact(&'p str),
    Let(&'p str),
    /// A text of the manifest: the index of its ingredient.
    Written(u32),
    /// A template's own text: its file, or that of the manifest with the line, and the hash.
    Template(&'p str, Option<usize>, &'p str),
    /// The mark of a cut: the index of its template.
    Mark(u32),
    Other,
}

/// The text that a node of the manifest writes, where the layer has it.
fn written<'p>(side: &Side<'p>, node: usize) -> Own<'p> {
    let is_own = |piece: &&OwnedRun<'p>| {
        let is_written = matches!(
            piece.owner,
            Owner::Written(_) | Owner::Template(_, Some(_), _)
        );
        is_written && piece.node == Some(node)
    };
    let pieces = pieces(side);
    let own = pieces.iter().filter(is_own);
    let spans = own.flat_map(|piece| &side.spans()[piece.spans.clone()]);
    Own::of_spans(side, spans.collect())
}

/// Shows an edit of a long string, of which a definition has only the beginning, by the text that it writes.
pub(super) fn show_long_edits(nodes: &mut Nodes, a: &Side<'_>, b: &Side<'_>) {
    let is_cut = |side: &Side<'_>, node: usize| {
        let nodes = side.definition().map(|definition| &definition.nodes);
        nodes
            .and_then(|nodes| nodes.get(node))
            .is_some_and(|node| node.is_cut())
    };
    for edit in &mut nodes.edits {
        if let (Some(was), Some(is)) = (edit.a, edit.b)
            && (is_cut(a, was) || is_cut(b, is))
        {
            let found = excerpt::between(&written(a, was), &written(b, is));
            if found.old.is_some() || found.new.is_some() {
                edit.cause.line = found.line.or(edit.cause.line);
                (edit.cause.old, edit.cause.new) = (found.old, found.new);
            }
        }
    }
}

/// The pieces of a layer: adjacent spans of one reading of a document are one piece, without the marks of cuts.
pub(super) fn pieces<'p>(side: &Side<'p>) -> Vec<OwnedRun<'p>> {
    let spans = side.spans();
    let own = side.text();
    let from = side.start();
    let mut known: BTreeMap<_, (Owner<'p>, Option<usize>)> = BTreeMap::new();
    let mut guards = Guards::default();
    let mut out: Vec<OwnedRun<'p>> = Vec::new();
    let mut index = 0;
    while index < spans.len() {
        let span = &spans[index];
        let mut end = index + 1;
        let whose = || (owner(side, span), node(side, span));
        let (owner, node) = *known
            .entry((span.ingredient, span.node))
            .or_insert_with(whose);
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
        out.push(OwnedRun {
            owner,
            node,
            spans: index..end,
            start: first,
            offset: span.offset,
            after_import: index
                .checked_sub(1)
                .is_some_and(|before| imports(side, span, &spans[before])),
            of: of(side, span),
            guard: span
                .offset
                .filter(|_| matches!(owner, Owner::Template(..)))
                .and_then(|offset| guards.at(side, span.ingredient, offset)),
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

/// Assigns joins to the innermost node around both the text before and the text after them.
fn joined(side: &Side<'_>, pieces: &mut [OwnedRun<'_>]) {
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
        Some(Ingredient::Template {
            file, line, sha256, ..
        }) => match side.marks_cuts(file, *line) {
            true => Owner::Mark(index),
            false => Owner::Template(file, *line, sha256),
        },
        Some(_) => Owner::Other,
    }
}

/// Whether a document imports another one, directly or not, that comes before a span of it.
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

/// The document that a span is printed for.
fn of<'p>(side: &Side<'p>, span: &Span) -> Option<Of<'p>> {
    match side.ingredient(span.of)? {
        Ingredient::Document {
            root, path, node, ..
        } => Some(Of {
            root,
            path,
            node: node.map(|n| n as usize),
        }),
        _ => None,
    }
}

/// The node that names a template, of a file or at a line of the manifest; of several the first.
pub(super) fn template_node(side: &Side<'_>, file: &str, line: Option<usize>) -> Option<usize> {
    let nodes = &side.definition()?.nodes;
    match line {
        Some(line) => side.node(line, ""),
        None => (0..nodes.len()).find(|at| nodes[*at].values().any(|value| value.is(file))),
    }
}

/// The node of the definition that a span is from.
fn node(side: &Side<'_>, span: &Span) -> Option<usize> {
    let nodes = &side.definition()?.nodes;
    let own = span.node.map(|n| n as usize).filter(|n| *n < nodes.len());
    // What no source printed the layer's own template did.
    let printed = || own.or_else(|| nodes.iter().position(|n| n.depth == 1 && n.is("template")));
    match side.ingredient(span.ingredient)? {
        Ingredient::Document { node, .. } => node.map(|n| n as usize),
        Ingredient::Fact { .. } | Ingredient::Let { .. } => printed(),
        Ingredient::Literal { line, .. } => side.node(*line, side.bytes(span)),
        Ingredient::Template { file, line, .. } => {
            let found = match line {
                Some(line) => side.node(*line, side.bytes(span)),
                None => {
                    let named = |at: &usize| nodes[*at].values().any(|value| value.is(file));
                    let around = |at: &usize| match own {
                        Some(own) => chain(nodes, *at).contains(&own),
                        None => nodes[*at].depth <= 1,
                    };
                    let mut all = (0..nodes.len()).filter(named);
                    all.clone().find(around).or_else(|| all.next())
                }
            };
            found.or(own)
        }
        _ => None,
    }
}
