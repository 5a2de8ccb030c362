//! A slot as it is merged, with the content of each `base` in it.

use crate::diagnostic::span::Span;
use crate::diagnostic::{
    Code, Diagnostic, Diagnostics, NESTING_TOO_DEEP, NO_BASE, PROGRAM_TOO_LARGE,
};
use crate::manifest::grammar::Overlay;
use crate::manifest::slot::{Said, Slot};
use crate::syntax::lex::MAX_NESTING;
use crate::syntax::{Builder, Node};
use std::rc::Rc;

/// The most nodes of a refined slot; a manifest of 1 MiB has hardly more.
const MOST_NODES: usize = 100_000;

/// A setting, and the content of each `base` in it.
#[derive(Clone)]
pub(super) struct MergedSlot<'t> {
    pub(super) slot: Slot<'t>,
    base: Option<Rc<Content<'t>>>,
}

/// A refined content node, and the content of each `base` in it.
struct Content<'t> {
    node: Node<'t>,
    base: Option<Rc<Self>>,
    /// How many nodes it has, how deep they are in each other, and how often it was refined through `base`.
    size: Size,
}

#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    depth: usize,
    levels: usize,
}

impl<'t> MergedSlot<'t> {
    /// A setting in which nothing is refined.
    pub(super) fn new(slot: Slot<'t>) -> Self {
        Self { slot, base: None }
    }

    /// The `base` nodes in it, each with how deep it is.
    fn bases(&self) -> Vec<(usize, Node<'t>)> {
        let holds = matches!(
            self.slot.overlay,
            Overlay::ReplacesContent | Overlay::ReplacesNamed
        );
        match self.slot.said {
            Said::Child(node) if holds => bases(node).collect(),
            Said::Child(_) | Said::Property(_) => Vec::new(),
        }
    }

    /// The content that this setting is, or a part has.
    fn content(&self) -> Option<Rc<Content<'t>>> {
        let Said::Child(node) = self.slot.said else {
            return None;
        };
        let node = match self.slot.overlay {
            Overlay::ReplacesNamed => node.below().first()?,
            _ => node,
        };
        let base = self.base.clone();
        let size = Size::of(node, base.as_deref());
        Some(Rc::new(Content { node, base, size }))
    }

    /// Replaces each `base` in it with `old`, the same setting of the base. Reports a missing setting, and excessive
    /// growth: refined again and again, a few lines double a layer each time.
    pub(super) fn resolve_base(&mut self, old: Option<&Self>, found: &mut Diagnostics) -> bool {
        let bases = self.bases();
        let Some((_, first)) = bases.first() else {
            return true;
        };
        let Some(old) = old.and_then(Self::content) else {
            for (_, base) in bases {
                let message = "there is no content here that `base` could stand for";
                let found_here = Diagnostic::error(NO_BASE, message).at(base.name().span());
                found.push(found_here.help("write a source, or take `base` out"));
            }
            return true;
        };
        let fits = fits(&bases, self.slot.said, old.size, first.name().span(), found);
        self.base = Some(old);
        fits
    }

    /// Adds it to a tree.
    pub(super) fn write(&self, out: &mut Builder) {
        match (self.slot.said, &self.base) {
            (Said::Property(entry), _) => out.entry(entry),
            (Said::Child(node), None) => out.copy(node),
            (Said::Child(node), Some(base)) => write(node, base, out),
        }
    }
}

/// The `base` nodes in a node, each with how deep it is.
fn bases(node: Node<'_>) -> impl Iterator<Item = (usize, Node<'_>)> {
    node.walk()
        .filter(|(_, node)| node.name().value() == "base")
}

/// Whether a node is nothing but its name.
fn is_bare(node: Node<'_>) -> bool {
    node.entries().next().is_none() && node.below().is_empty()
}

/// Adds `node` with `old` first in the braces of each `base` in it. How deep this goes was checked.
fn write(node: Node<'_>, old: &Content<'_>, out: &mut Builder) {
    let base = node.name().value() == "base";
    if !base && bases(node).next().is_none() {
        return out.copy(node);
    }
    out.open(node);
    node.entries().for_each(|entry| out.entry(entry));
    match &old.base {
        Some(older) if base => write(old.node, older, out),
        None if base => out.copy(old.node),
        _ => {}
    }
    node.below().iter().for_each(|child| write(child, old, out));
    out.close();
}

impl Size {
    /// The size of a node with `old` for each `base` in it.
    fn of(node: Node<'_>, old: Option<&Content<'_>>) -> Self {
        let mut out = Self {
            levels: 1,
            ..Self::default()
        };
        for (depth, node) in node.walk() {
            let depth = depth + 1;
            match old.filter(|_| node.name().value() == "base") {
                Some(old) => {
                    let own = usize::from(!is_bare(node));
                    out.nodes += own + old.size.nodes;
                    out.depth = out.depth.max(depth + own - 1 + old.size.depth);
                    out.levels = old.size.levels + 1;
                }
                None => {
                    out.nodes += 1;
                    out.depth = out.depth.max(depth);
                }
            }
        }
        out
    }
}

/// Whether a setting with these `bases` stays within the bounds if each is replaced by content of the size `old`. The
/// first of them is at `at`.
fn fits(
    bases: &[(usize, Node<'_>)],
    said: Said<'_>,
    old: Size,
    at: Span,
    found: &mut Diagnostics,
) -> bool {
    let Said::Child(node) = said else { return true };
    let nodes = node.walk().count() + bases.len() * old.nodes;
    let deepest = bases.iter().map(|(depth, _)| depth + 1).max().unwrap_or(0);
    let (code, message): (Code, String) = if nodes > MOST_NODES {
        let message = format!("with what `base` stands for this has {nodes} nodes");
        (PROGRAM_TOO_LARGE, message)
    } else if deepest + old.depth > MAX_NESTING || old.levels >= MAX_NESTING {
        let message = "with what `base` stands for this nests too deep".to_owned();
        (NESTING_TOO_DEEP, message)
    } else {
        return true;
    };
    // Once is enough: whatever refines it again would say so again.
    if !found.iter().any(|d| d.code == code) {
        let help = "at most are 100,000 nodes and 200 levels: refine the layer fewer times";
        found.push(Diagnostic::error(code, message).at(at).help(help));
    }
    false
}
