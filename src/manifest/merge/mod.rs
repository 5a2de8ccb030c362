//! Applies overlays to their bases as trees: base first, then each file in order. A word in the node's row of the
//! grammar says what it does to the base; the meaning of its settings is not known here.

mod laid;
mod piece;
mod shelf;
mod rows;
mod names;
mod unknown;
mod lock;

pub(crate) use lock::locked;
pub(super) use names::check;

use super::grammar::{IN_OVERLAY, NEW_TIER, Overlay, REFINE_TIER, Row, top};
use super::model::Removed;
use super::parse::input::without_type;
use super::parse::overlay::{Destination, Neighbour, Order, order};
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics};
use crate::prompt::MovedTo;
use crate::syntax::{Node, Tree};
use piece::{MergedNode, name, nothing_to_unset};
use rows::Rows;
use std::collections::BTreeMap;

/// The nodes of a file, each with its row, and those of what it includes in their places.
pub(super) type Level<'t> = Vec<Node<'t>>;

/// Merges the nodes of a manifest (first) with those of its bases.
///
/// When a file speaks of something that is missing, or declares something twice, that is in `found`.
pub(super) fn merge(levels: &[Level<'_>], found: &mut Diagnostics) -> Merged {
    let mut merger = Merger {
        rows: Rows::new(),
        removed: Vec::new(),
        moved: Vec::new(),
        refined: Vec::new(),
        declared: BTreeMap::new(),
        base: false,
        found,
    };
    for level in levels.iter().rev() {
        merger.level(level);
    }
    Merged {
        tree: merger.rows.tree(),
        removed: merger.removed,
        moved: merger.moved,
        refined: merger.refined,
    }
}

/// A manifest and its bases as one tree, with the changes that a tree does not show.
pub(super) struct Merged {
    pub(super) tree: Tree,
    /// The removed things.
    pub(super) removed: Vec<Removed>,
    /// The layers that were moved: their names, with their places, and where to.
    pub(super) moved: Vec<(Spanned<String>, MovedTo)>,
    /// The rule sets that were refined, each with the place.
    pub(super) refined: Vec<Spanned<String>>,
}

struct Merger<'t, 'd> {
    rows: Rows<'t>,
    removed: Vec<Removed>,
    moved: Vec<(Spanned<String>, MovedTo)>,
    refined: Vec<Spanned<String>>,
    /// The declarations of the level that is being laid, by kind and name: a second one is reported, not merged.
    declared: BTreeMap<(&'static str, &'t str), Span>,
    /// Whether any node is below that level.
    base: bool,
    found: &'d mut Diagnostics,
}

impl<'t> Merger<'t, '_> {
    fn level(&mut self, nodes: &[Node<'t>]) {
        self.declared.clear();
        self.rows.drop_own();
        for node in nodes {
            self.node(*node);
        }
        self.base = true;
    }

    /// Lays a node of the top level.
    fn node(&mut self, node: Node<'t>) {
        let written = node.name().value();
        let row = IN_OVERLAY.iter().copied().find(|row| row.name == written);
        let Some(row) = top(written).or(row) else {
            return;
        };
        match row.overlay {
            Overlay::Adds | Overlay::IsOwn => self.rows.add(MergedNode::new(node, row), row, None),
            Overlay::Replaces | Overlay::ReplacesNamed => self.replace(node, row),
            Overlay::ReplacesContent | Overlay::Refines => self.refine(node, row),
            Overlay::IsNew | Overlay::Directs => {
                let row = if row.name == "tier" { &NEW_TIER } else { row };
                if let Some(order) = order_of(node, row) {
                    self.order(node, row, order);
                }
            }
        }
    }

    fn order(&mut self, node: Node<'t>, row: &'static Row, order: Order) {
        match order {
            Order::Add(place) => self.add(node, row, place.as_ref()),
            Order::Refine(kind, name) => self.refine_ordered(node, kind, row, &name),
            Order::Remove(kind, name) => self.remove(kind, &name),
            Order::Move(name, to) => self.r#move(&name, &to),
        }
    }

    /// A single node takes the place of that of the base; so does a let.
    fn replace(&mut self, node: Node<'t>, row: &'static Row) {
        let piece = MergedNode::new(node, row);
        if self.twice(&piece, row) {
            return;
        }
        let of_base = self.of_base(row.name, piece.name(), piece.place());
        match self.rows.get_mut(row, piece.name()).filter(|_| of_base) {
            Some(old) => match old.lock(piece.place()) {
                Some(lock) => {
                    let at = piece.place();
                    self.found.push(lock::of_budget("prompt", at, lock));
                }
                None => *old = piece,
            },
            None => self.rows.add(piece, row, None),
        }
    }

    /// Lays a declaration over the one of the base.
    fn refine(&mut self, node: Node<'t>, row: &'static Row) {
        let new = MergedNode::new(node, row);
        if self.twice(&new, row) {
            return;
        }
        let of_base = self.of_base(row.name, new.name(), new.place());
        let there = match self.rows.get_mut(row, new.name()) {
            Some(old) if of_base => {
                let lock = old.lock(new.place());
                if !self.is_locked(row.name, new.name(), "refined", new.place(), lock)
                    && let Some(old) = self.rows.get_mut(row, new.name())
                {
                    old.lay(node, row, self.found);
                    if row.name == "scan" {
                        let name = new.name().to_owned();
                        self.refined.push(Spanned::new(name, new.place()));
                    }
                }
                return;
            }
            there => there.map(|old| old.place()),
        };
        if there.is_some_and(|there| self.refined_twice(row, &new, there)) {
            return;
        }
        nothing_to_unset(node, self.found);
        // Of two new ones the second is reported as such, with a type or without.
        let typed = row.name != "fact" || node.arguments().nth(1).is_some();
        if self.base && !typed && there.is_none() {
            return self.without_type(&new);
        }
        self.rows.add(new, row, None);
    }

    /// Reports a single node that a file has and one that it includes; two in one file were reported by its check.
    fn twice(&mut self, piece: &MergedNode<'t>, row: &'static Row) -> bool {
        if piece.is_named() {
            return false;
        }
        let at = piece.node.name().span();
        let first = self.declared.get(&(row.name, piece.name())).copied();
        let Some(first) = first else { return false };
        if first.file != at.file {
            self.found.push(
                Diagnostic::error(
                    codes::DUPLICATE_NODE,
                    format!("`{}` stands twice", row.name),
                )
                .at(at)
                .related(first, "first here")
                .help("remove one of them"),
            );
        }
        true
    }

    /// Whether the thing may be one of the base: there is one, and this level declares it for the first time.
    fn of_base(&mut self, kind: &'static str, name: &'t str, at: Span) -> bool {
        let first = *self.declared.entry((kind, name)).or_insert(at);
        self.base && first == at
    }

    /// Reports a fact, root or rule set of the base that this level refines for a second time; its name in the base is at `there`.
    fn refined_twice(&mut self, row: &'static Row, new: &MergedNode<'t>, there: Span) -> bool {
        let (name, at) = (new.name(), new.place());
        let first = self.declared.get(&(row.name, name)).copied();
        let Some(first) = first.filter(|first| *first != there && *first != at) else {
            return false;
        };
        let message = format!("the {} `{name}` is refined twice", row.name);
        self.found.push(
            Diagnostic::error(codes::DUPLICATE_NAME, message)
                .at(at)
                .related(first, "first here")
                .help("write all that the overlay changes in one place"),
        );
        true
    }

    /// Reports a fact that the base does not have and that has no type.
    fn without_type(&mut self, fact: &MergedNode<'t>) {
        let near = nearest(fact.name(), self.rows.names("fact"));
        let found = without_type(fact.node.name().span());
        self.found.push(match near {
            Some(near) => found
                .at(fact.place())
                .help(format!(
                    "the base has a fact `{near}`; a new one needs a type"
                ))
                .suggest(fact.place(), near),
            None => found,
        });
    }

    /// A new tier, with its layers, or a new layer.
    fn add(&mut self, node: Node<'t>, row: &'static Row, place: Option<&Neighbour>) {
        let goal = match place {
            None if row.name == "tier" => None,
            None => return,
            Some(place) => match self.at(row.name, place.beside()) {
                Some(at) => Some(self.rows.goal(row.name, at, place)),
                None => return,
            },
        };
        self.add_at(node, row, goal);
    }

    /// A new tier, with its layers, or a new layer, before the place `goal`.
    fn add_at(&mut self, node: Node<'t>, row: &'static Row, goal: Option<usize>) {
        let (name, at) = name(node, row);
        if self.of_base(row.name, name, at)
            && let Some(old) = self.rows.find(row.name, name)
        {
            let lock = self.rows.lock_of(row.name, old, at);
            let there = self.rows.piece_mut(row.name, old).map(|old| old.place());
            if !self.is_locked(row.name, name, "replaced", at, lock)
                && let Some(there) = there
            {
                self.there_already(row.name, name, at, there);
            }
            return;
        }
        if let Some(goal) = goal.filter(|_| row.name == "layer")
            && self.in_locked_tier(goal, at)
        {
            return;
        }
        let mut piece = MergedNode::new(node, row);
        if row.name == "tier" {
            let below = self.rows.row();
            piece.below = Some(below);
            self.rows.add(piece, row, goal);
            self.add_layers(node, row, below);
        } else {
            self.rows.add(piece, row, goal);
        }
    }

    /// The layers in a tier or in what refines it, at the end of a row.
    fn add_layers(&mut self, node: Node<'t>, row: &'static Row, end: usize) {
        for child in node.below() {
            let row = row.child(child.name().value());
            if let Some(row) = row.filter(|row| row.overlay == Overlay::IsNew) {
                self.add_at(child, row, Some(end));
            }
        }
    }

    /// A new layer or tier that the base has.
    fn there_already(&mut self, kind: &str, name: &str, at: Span, there: Span) {
        let which = if kind == "tier" { "tier=" } else { "" };
        let message = format!("the base has a {kind} `{name}` already");
        self.found.push(
            Diagnostic::error(codes::DUPLICATE_NAME, message)
                .at(at)
                .related(there, format!("the {kind} of that name"))
                .help(format!("to change it write refine {which}{name} {{ … }}")),
        );
    }

    /// `refine NAME …` and `refine tier=NAME …`.
    fn refine_ordered(
        &mut self,
        node: Node<'t>,
        kind: &'static str,
        row: &'static Row,
        name: &Spanned<String>,
    ) {
        let Some(at) = self.at(kind, name) else {
            return;
        };
        let row = if kind == "tier" { &REFINE_TIER } else { row };
        let lock = self.rows.lock_of(kind, at, name.span);
        let locked = self.is_locked(kind, &name.value, "refined", name.span, lock)
            || kind == "tier" && self.reaches_locked(node, at);
        let Some(piece) = self.rows.piece_mut(kind, at).filter(|_| !locked) else {
            return;
        };
        if let Some((at, lock)) = piece.locked_budget(node) {
            let of = format!("{kind} `{}`", name.value);
            self.found.push(lock::of_budget(&of, at, lock));
            return;
        }
        piece.lay(node, row, self.found);
        if let Some(below) = piece.below {
            self.add_layers(node, row, below);
        } else if !piece.has("content") && !piece.has("template") {
            let name = &name.value;
            let message = format!("the layer `{name}` is left with neither content nor template");
            self.found.push(
                Diagnostic::error(codes::EMPTY_LAYER, message)
                    .at(node.name().span())
                    .help(format!("to take it away write remove layer={name}")),
            );
        }
    }

    fn remove(&mut self, kind: &'static str, name: &Spanned<String>) {
        if let Some(at) = self.rows.find(kind, &name.value) {
            let lock = self.rows.lock_of(kind, at, name.span);
            if self.is_locked(kind, &name.value, "removed", name.span, lock) {
                return;
            }
            let inside = (kind == "tier")
                .then(|| self.rows.locked_layer(at, name.span))
                .flatten();
            if let Some((layer, lock)) = inside {
                self.is_locked("layer", layer, "removed", name.span, Some(lock));
                return;
            }
        }
        let gone = self.rows.take(kind, &name.value);
        if gone.is_empty() {
            return self.unknown(kind, name);
        }
        let mut removed = |gone_kind, gone: &str| {
            self.removed.push(Removed {
                kind: gone_kind,
                by: kind,
                name: gone.to_owned(),
                span: name.span,
            });
        };
        for tier in gone.iter().filter_map(|piece| piece.below) {
            let layers = self.rows.take_layers(tier);
            layers
                .iter()
                .for_each(|layer| removed("layer", layer.name()));
        }
        removed(kind, &name.value);
    }

    fn r#move(&mut self, name: &Spanned<String>, to: &Destination) {
        let Some(at) = self.at("layer", name) else {
            return;
        };
        let lock = self.rows.lock_of("layer", at, name.span);
        if self.is_locked("layer", &name.value, "moved", name.span, lock) {
            return;
        }
        if let Destination::Beside(place) = to
            && place.beside().value == name.value
        {
            self.found.push(
                Diagnostic::error(
                    codes::CONFLICTING_SETTINGS,
                    format!("the layer `{}` cannot be placed next to itself", name.value),
                )
                .at(place.beside().span)
                .help("name another layer, or a tier with tier="),
            );
            return;
        }
        let goal = match to {
            Destination::Beside(place) => {
                let beside = self.at("layer", place.beside());
                beside.map(|beside| self.rows.goal("layer", beside, place))
            }
            Destination::Tier(tier) => {
                let tier = self.at("tier", tier);
                tier.and_then(|tier| self.rows.piece_mut("tier", tier)?.below)
            }
        };
        if let Some(goal) = goal {
            if self.in_locked_tier(goal, name.span) {
                return;
            }
            self.rows.shift(at, goal);
            let to = match to {
                Destination::Beside(Neighbour::After(other)) => MovedTo::After(other.value.clone()),
                Destination::Beside(Neighbour::Before(other)) => {
                    MovedTo::Before(other.value.clone())
                }
                Destination::Tier(tier) => MovedTo::Tier(tier.value.clone()),
            };
            self.moved.push((name.clone(), to));
        }
    }

    /// The place of a layer or tier, which must be there.
    fn at(&mut self, kind: &'static str, name: &Spanned<String>) -> Option<usize> {
        let at = self.rows.find(kind, &name.value);
        if at.is_none() {
            self.unknown(kind, name);
        }
        at
    }
}

/// The effect of a node on the base, if it is one that directs or is new.
fn order_of(node: Node<'_>, row: &'static Row) -> Option<Order> {
    // The files that a file extends and includes were read with it.
    let reads = IN_OVERLAY.iter().any(|of| of.name == row.name);
    if reads || row.name == NEW_TIER.name {
        order(node, row)
    } else {
        None
    }
}
