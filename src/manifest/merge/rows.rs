//! All declarations of a manifest as it is merged, by kind and name.

use super::piece::MergedNode;
use super::shelf::{ROW, Shelf};
use crate::diagnostic::span::Span;
use crate::manifest::grammar::{NODES, Overlay, Row};
use crate::manifest::parse::overlay::Neighbour;
use crate::syntax::{Builder, Tree};
use std::collections::BTreeMap;

/// The shelf of all nodes of which there can be only one, by their names.
const SINGLE: &str = "";
const LAYER: &str = "layer";

pub(super) struct Rows<'t> {
    /// A shelf for each kind of named thing, and one for all single nodes, in the order of writing.
    kinds: BTreeMap<&'static str, Shelf<MergedNode<'t>>>,
    /// The layers, a row for each tier.
    layers: Shelf<MergedNode<'t>>,
    /// The names of the tiers by the ends of their rows.
    tiers_of: BTreeMap<usize, &'t str>,
}

impl<'t> Rows<'t> {
    pub(super) fn new() -> Self {
        let kinds = NODES.iter().map(|row| kind(row)).chain([SINGLE]);
        Self {
            kinds: kinds.map(|kind| (kind, Shelf::with_row())).collect(),
            layers: Shelf::new(),
            tiers_of: BTreeMap::new(),
        }
    }

    fn shelf(&self, kind: &str) -> &Shelf<MergedNode<'t>> {
        self.kinds.get(kind).unwrap_or(&self.layers)
    }

    fn shelf_mut(&mut self, kind: &str) -> &mut Shelf<MergedNode<'t>> {
        self.kinds.get_mut(kind).unwrap_or(&mut self.layers)
    }

    /// Takes away what belongs to the manifest that writes it alone.
    pub(super) fn drop_own(&mut self) {
        for row in NODES.iter().filter(|row| row.overlay == Overlay::IsOwn) {
            self.kinds.insert(kind(row), Shelf::with_row());
        }
    }

    /// The lock of the node at a place, for a change at `by`; for a layer its own, or that of its tier.
    pub(super) fn lock_of(&self, kind: &str, at: usize, by: Span) -> Option<Span> {
        let own = self.shelf(kind).get(at).and_then(|piece| piece.lock(by));
        let of_tier = || self.lock_of_row(at, by).map(|(_, lock)| lock);
        own.or_else(|| (kind == LAYER).then(of_tier).flatten())
    }

    /// The tier of a place among layers, if it is locked, and the location of the lock.
    pub(super) fn lock_of_row(&self, at: usize, by: Span) -> Option<(&'t str, Span)> {
        let tier = self.tiers_of.get(&self.layers.row_of(at))?;
        let shelf = self.shelf("tier");
        let tier = shelf.get(shelf.find(tier)?)?;
        Some((tier.name(), tier.lock(by)?))
    }

    /// The first locked layer of the tier at a place, and the location of the lock.
    pub(super) fn locked_layer(&self, tier: usize, by: Span) -> Option<(&'t str, Span)> {
        let below = self.shelf("tier").get(tier)?.below?;
        let mut layers = self.layers.iter(below);
        layers.find_map(|layer| Some((layer.name(), layer.lock(by)?)))
    }

    /// Puts a declaration before `goal`, or last.
    pub(super) fn add(&mut self, piece: MergedNode<'t>, row: &'static Row, goal: Option<usize>) {
        let name = piece.name();
        if let Some(end) = piece.below {
            self.tiers_of.insert(end, name);
        }
        self.shelf_mut(kind(row))
            .put(name, piece, goal.unwrap_or(ROW));
    }

    /// A row for the layers of a tier, by its end.
    pub(super) fn row(&mut self) -> usize {
        self.layers.row()
    }

    /// The first declaration of a name.
    pub(super) fn get_mut(&mut self, row: &'static Row, name: &str) -> Option<&mut MergedNode<'t>> {
        let shelf = self.shelf_mut(kind(row));
        let at = shelf.find(name)?;
        shelf.get_mut(at)
    }

    /// The place of the first thing of a kind and name.
    pub(super) fn find(&self, kind: &str, name: &str) -> Option<usize> {
        self.shelf(kind).find(name)
    }

    /// The thing at a place.
    pub(super) fn piece_mut(&mut self, kind: &str, at: usize) -> Option<&mut MergedNode<'t>> {
        self.shelf_mut(kind).get_mut(at)
    }

    /// The place before which to put something that belongs next to the one at `at`.
    pub(super) fn goal(&self, kind: &str, at: usize, place: &Neighbour) -> usize {
        match place {
            Neighbour::After(_) => self.shelf(kind).after(at),
            Neighbour::Before(_) => at,
        }
    }

    /// Moves a layer.
    pub(super) fn shift(&mut self, at: usize, goal: usize) {
        self.layers.shift(at, goal);
    }

    /// Takes away all of a kind and name.
    pub(super) fn take(&mut self, kind: &str, name: &str) -> Vec<MergedNode<'t>> {
        self.shelf_mut(kind).take(name)
    }

    /// Takes away the layers of a row.
    pub(super) fn take_layers(&mut self, end: usize) -> Vec<MergedNode<'t>> {
        self.layers.take_row(end, |layer| layer.name())
    }

    /// The names of what there is of a kind, in order.
    pub(super) fn names(&self, kind: &str) -> Vec<&'t str> {
        let all = self.shelf(kind).iter(ROW).map(MergedNode::name);
        match kind {
            LAYER => self.tiers().flat_map(|(_, layers)| layers).collect(),
            _ => all.collect(),
        }
    }

    /// The names of the tiers in order, each with those of its layers.
    pub(super) fn tiers(&self) -> impl Iterator<Item = (&'t str, Vec<&'t str>)> {
        self.shelf("tier").iter(ROW).map(|tier| {
            let layers = tier.below.iter().flat_map(|end| self.layers.iter(*end));
            (tier.name(), layers.map(MergedNode::name).collect())
        })
    }

    /// All of it as one tree.
    pub(super) fn tree(&self) -> Tree {
        let mut out = Builder::default();
        for piece in self.kinds.values().flat_map(|shelf| shelf.iter(ROW)) {
            let layers = piece.below.iter().flat_map(|end| self.layers.iter(*end));
            piece.write(layers, &mut out);
        }
        out.finish()
    }
}

/// The shelf of what a row is of.
fn kind(row: &'static Row) -> &'static str {
    if row.is_named() || matches!(row.overlay, Overlay::Adds | Overlay::IsOwn) {
        row.name
    } else {
        SINGLE
    }
}
