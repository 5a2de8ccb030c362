//! The cause of a piece that only one side has, from outside to inside.

use super::super::change::What;
use super::super::mention;
use super::super::model::{Cause, CauseKind};
use super::super::nodes::chain;
use super::super::pieces::Of;
use super::super::rows::{OwnedRun, Owner};
use super::super::side::Side;
use super::case::Case;
use super::cut::within;
use super::document::documents;
use crate::prompt::{DefinitionNode, Ingredient, UnusedReason, Value};

/// Properties of a node that decide about the look of its text, and not about its presence.
const LOOKS: [&str; 13] = [
    "join",
    "label",
    "about",
    "trim",
    "newlines",
    "bom",
    "comments",
    "wrap",
    "frontmatter",
    "required",
    "priority",
    "min",
    "when",
];

/// The most decisions that may depend on each other; the bound is for artifacts that were made by hand.
const DEEPEST: usize = 32;

impl<'p> Case<'_, 'p> {
    /// The cause of a piece that only one side has, from outside to inside; nothing if it follows from another.
    pub(super) fn one_sided(&self, at: usize, in_a: bool, depth: usize) -> Vec<Cause> {
        let piece = self.rows.side(in_a).get(at);
        piece.map_or_else(Vec::new, |piece| self.of_one_side(piece, in_a, depth))
    }

    /// The cause of a document or member whose text a cut hides completely.
    pub(super) fn hidden_member(&self, owner: Owner<'p>, node: usize, in_a: bool) -> Vec<Cause> {
        self.of_one_side(&hidden(owner, node), in_a, 0)
    }

    /// The edit or the condition that decided about a document or member, whatever a cut shows of it.
    pub(super) fn around_member(&self, owner: Owner<'p>, node: usize, in_a: bool) -> Vec<Cause> {
        self.around_piece(&hidden(owner, node), in_a)
    }

    /// The cause of a piece.
    pub(super) fn of_one_side(&self, piece: &OwnedRun<'p>, in_a: bool, depth: usize) -> Vec<Cause> {
        if matches!(piece.owner, Owner::Join) {
            return Vec::new();
        }
        if let Owner::Mark(_) = piece.owner
            && let Some(found) = self.of_document(piece, in_a, depth)
        {
            return found;
        }
        if self.is_label(piece, in_a) {
            return Vec::new();
        }
        if let Some(own) = self.wrapped(piece, in_a).filter(|_| depth < DEEPEST) {
            return self.of_one_side(&own, in_a, depth + 1);
        }
        let around = self.around_piece(piece, in_a);
        if !around.is_empty() {
            return around;
        }
        let earlier = || match depth < DEEPEST {
            true => self.earlier_member(piece, in_a, depth),
            false => Vec::new(),
        };
        let named = || match piece.owner {
            Owner::Document(root, path) => self.named_by_facts((root, path), piece, in_a),
            _ => Vec::new(),
        };
        let nearer = || self.nearer_file(piece, in_a);
        let steps: [&dyn Fn() -> Vec<Cause>; 3] = [&earlier, &named, &nearer];
        let mut found = steps.iter().map(|step| step());
        if let Some(found) = found.find(|found| !found.is_empty()) {
            return found;
        }
        let own = match piece.owner {
            Owner::Document(root, path) => return self.document((root, path), piece, in_a),
            // It is there too, if a cut did not remove it.
            Owner::Fact(name) => match self.cut_off(piece, in_a) {
                found if found.is_empty() => self.fact(name, false),
                found => found,
            },
            Owner::Let(name) => self.binding(name),
            Owner::Mark(_) => match self.mark_said(piece, in_a) {
                found if found.is_empty() => self.cut(piece, in_a),
                found => found,
            },
            // A text next to a mark is longer or shorter, and one that the other side does not show was cut.
            Owner::Template(..)
                if (self.next_to_mark(piece, in_a) || self.shows_nothing(piece, in_a))
                    && !self.surely_printed(piece, in_a) =>
            {
                match self.cut_off(piece, in_a) {
                    found if found.is_empty() => self.condition_or_edit(piece, in_a),
                    found => found,
                }
            }
            Owner::Template(..) => self.condition_or_edit(piece, in_a),
            _ => self.written(piece, in_a),
        };
        match piece.owner {
            // What prints a fact may say nothing else.
            Owner::Fact(name) | Owner::Let(name) if own.is_empty() => {
                self.edits(|node| node.mentions(name))
            }
            _ => own,
        }
    }

    /// The cause of a text of a template: the condition of its branch, if the other side took another branch;
    /// else the edit.
    fn condition_or_edit(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let asked = || self.conditions_of(piece, in_a);
        let edited = || self.written(piece, in_a);
        let steps: [&dyn Fn() -> Vec<Cause>; 2] = match self.went_elsewhere(piece, in_a) {
            true => [&asked, &edited],
            false => [&edited, &asked],
        };
        let mut found = steps.iter().map(|step| step());
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Whether the other side certainly did not print the branch of a text: none of its text is there, and no
    /// cut around it removed one, because the other branch is there, or the text that comes after it in the
    /// template is before the cut, or the other way round.
    fn went_elsewhere(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let facing = self.rows.side(!in_a);
        let cuts = |p: &OwnedRun<'p>| matches!(p.owner, Owner::Mark(_)) && p.of.is_none();
        let (first, last) = (facing.iter().position(cuts), facing.iter().rposition(cuts));
        let own = |p: &&OwnedRun<'p>| self.is_of_one(piece, p, in_a);
        let head = &facing[..first.unwrap_or(facing.len())];
        let tail = &facing[last.map_or(0, |at| at + 1)..];
        let beside = |p: &OwnedRun<'p>| {
            p.guard
                .zip(piece.guard)
                .is_some_and(|(x, y)| x.is_alternative(y))
        };
        let passed = facing.iter().filter(own).any(beside)
            || head.iter().filter(own).any(|p| p.offset > piece.offset)
            || tail.iter().filter(own).any(|p| p.offset < piece.offset);
        piece.guard.is_some() && (first.is_none() || passed) && !self.is_taken(piece, in_a)
    }

    /// Whether the other side shows a text of the same branch.
    fn is_taken(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let mut facing = self.rows.side(!in_a).iter();
        facing.any(|p| p.guard == piece.guard && self.is_of_one(piece, p, in_a))
    }

    /// Whether a piece of the other side is of the same template.
    fn is_of_one(&self, piece: &OwnedRun<'p>, other: &OwnedRun<'p>, in_a: bool) -> bool {
        match (piece.owner, other.owner) {
            (Owner::Template(x, None, _), Owner::Template(y, None, _)) => x == y,
            (Owner::Template(_, Some(_), _), Owner::Template(_, Some(_), _)) => {
                let node = piece.node.and_then(|node| self.nodes.other(node, in_a));
                node == other.node
            }
            _ => false,
        }
    }

    /// Whether a text of a template came or went with what the template says or asks for, whatever was cut.
    pub(super) fn surely_printed(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let edited = !self.is_taken(piece, in_a) && !self.written(piece, in_a).is_empty();
        edited || self.went_elsewhere(piece, in_a) && !self.conditions_of(piece, in_a).is_empty()
    }

    /// Whether the other side shows nothing of the node of a piece.
    fn shows_nothing(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let other = piece.node.and_then(|node| self.nodes.other(node, in_a));
        let mut facing = self.rows.side(!in_a).iter();
        other.is_some() && !facing.any(|p| p.node == other)
    }

    /// For the mark of a cut: why its document is on one side only, if it is.
    pub(super) fn of_document(
        &self,
        piece: &OwnedRun<'p>,
        in_a: bool,
        depth: usize,
    ) -> Option<Vec<Cause>> {
        if piece.of.is_some() {
            let own = self.only_here(piece, in_a)?;
            return (depth < DEEPEST).then(|| self.of_one_side(&own, in_a, depth + 1));
        }
        // The mark of a cut around several stays with what else is cut. If that is nothing, it came or went with the group.
        let [here, there] = self.sides(in_a);
        let nodes = &here.definition()?.nodes;
        let group = chain(nodes, piece.node?).iter().rev().nth(1).copied()?;
        let other = self.nodes.other(group, in_a)?;
        let mut facing = self.rows.side(!in_a).iter();
        if group == 0 || facing.any(|p| within(there, Some(other), p.node)) {
            return None;
        }
        let own = self.shown_at(piece, in_a)?.piece?;
        let mut pieces = self.rows.side(in_a).iter();
        let at = pieces.position(|p| p.start == own.start)?;
        (depth < DEEPEST).then(|| self.one_sided(at, in_a, depth + 1))
    }

    /// The document that a text surrounds, if the other side has none there.
    pub(super) fn wrapped(&self, piece: &OwnedRun<'p>, in_a: bool) -> Option<OwnedRun<'p>> {
        match piece.owner {
            Owner::Template(..) => self.only_here(piece, in_a),
            _ => None,
        }
    }

    /// The document that a piece was printed for, as a piece, if its node brings it on this side only.
    fn only_here(&self, piece: &OwnedRun<'p>, in_a: bool) -> Option<OwnedRun<'p>> {
        let Of { root, path, node } = piece.of?;
        let other = node.and_then(|node| self.nodes.other(node, in_a));
        let there = self.documents(!in_a);
        let stays = other.is_some_and(|other| there.brought((root, path), other));
        (!stays).then(|| OwnedRun {
            owner: Owner::Document(root, path),
            node,
            ..piece.clone()
        })
    }

    /// Whether a text is said of documents, as a label is, of which the other side has none.
    fn is_label(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let [here, there] = self.sides(in_a);
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let (Owner::Written(_), Some(node)) = (piece.owner, piece.node) else {
            return false;
        };
        let Some(other) = self.nodes.other(node, in_a) else {
            return false;
        };
        let is_its = |i: &Ingredient| matches!(i, Ingredient::Document { node: Some(n), .. } if *n as usize == other);
        nodes.get(node).is_some_and(mention::reads_files) && !there.ingredients().iter().any(is_its)
    }

    /// The edit or the condition of the node, or of one around it, that decided about a piece.
    fn around_piece(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let Some(definition) = here.definition() else {
            return Vec::new();
        };
        let nodes = &definition.nodes;
        let Some(own) = piece.node else {
            return Vec::new();
        };
        for at in chain(nodes, own) {
            let said = &nodes[at];
            let when = said.property("when");
            let flip = self.changes.flips.iter();
            let mut asked = flip.filter(|f| when.is_some_and(|value| value.is(f.expression)));
            let edit = self.nodes.edit(at, in_a);
            match self.nodes.other(at, in_a) {
                // Content of the layer itself is edited in its place, or in the layer's own node. A
                // member whose file only one side has is nowhere else.
                None if at > 0 && !(self.is_moved(at, in_a) && self.is_gone(piece, in_a)) => {
                    if let Some(edit) = edit {
                        return vec![edit.cause.clone()];
                    }
                }
                // The text of a mark comes from its budget.
                Some(_) if at == own && matches!(piece.owner, Owner::Mark(_)) => {}
                Some(other) if edit.is_some() => {
                    let now = there.definition().and_then(|d| d.nodes.get(other));
                    let own = at == piece.node.unwrap_or(usize::MAX);
                    let ruled_out = self.is_ruled_out(piece, in_a);
                    let decides = now.is_some_and(|now| {
                        self.answers_differ(&nodes[at], now, in_a)
                            || decides(&nodes[at], now, (piece.owner, own, ruled_out), |path| {
                                let mut taken = documents(there).filter(|(_, n)| *n == other);
                                // Another name that comes first decides if its file exists.
                                let passed = before_differs(&nodes[at], now, path);
                                self.values.named(now, path, in_a)
                                    && !(passed && taken.next().is_some())
                            })
                    });
                    if let Some(edit) = edit.filter(|_| decides) {
                        return vec![edit.cause.clone()];
                    }
                }
                _ => {}
            }
            if let Some(flip) = asked.next() {
                return vec![flip.cause.clone()];
            }
        }
        Vec::new()
    }

    /// Whether a node with the same content is elsewhere on the other side.
    fn is_moved(&self, at: usize, in_a: bool) -> bool {
        let [here, there] = self.sides(in_a);
        let (Some(here), Some(there)) = (here.definition(), there.definition()) else {
            return false;
        };
        let own = &here.nodes[at];
        let same = |n: &DefinitionNode| {
            n.name == own.name && n.arguments == own.arguments && deciding(n) == deciding(own)
        };
        there.nodes.iter().any(same)
    }

    /// Whether a piece is of a document that only one side has, wherever it is looked for.
    fn is_gone(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let Owner::Document(root, path) = piece.owner else {
            return false;
        };
        let change = self.changes.get(What::Document(root, path));
        let is_change = change.is_some_and(|c| {
            matches!(
                c.kind,
                CauseKind::DocumentAppeared | CauseKind::DocumentVanished
            )
        });
        // A layer that is absent looked for nothing more, perhaps.
        let [_, there] = self.sides(in_a);
        let missed = there.why_unused(root, path) == Some(UnusedReason::Missing);
        is_change && (there.present.is_some() || missed)
    }

    /// Whether the other side says that a `where` left out the document of a piece.
    fn is_ruled_out(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let Owner::Document(root, path) = piece.owner else {
            return false;
        };
        let [_, there] = self.sides(in_a);
        there.why_unused(root, path) == Some(UnusedReason::Condition)
    }

    /// Whether the `when` of a node was edited so that it has another answer.
    fn answers_differ(&self, was: &DefinitionNode, is: &DefinitionNode, in_a: bool) -> bool {
        let (was, is) = (was.property("when"), is.property("when"));
        if was == is {
            return false;
        }
        let [here, there] = self.sides(in_a);
        let answer = |side: &Side<'p>, when: Option<&Value>| {
            let Some(when) = when else { return Some(true) };
            side.ingredients().iter().find_map(|i| match i {
                Ingredient::Condition {
                    expression, value, ..
                } if when.is(expression) => Some(*value),
                _ => None,
            })
        };
        match (answer(here, was), answer(there, is)) {
            (Some(was), Some(is)) => was != is,
            _ => false,
        }
    }
}

/// A piece of a document or member of which nothing is shown.
fn hidden(owner: Owner<'_>, node: usize) -> OwnedRun<'_> {
    OwnedRun {
        owner,
        node: Some(node),
        spans: 0..0,
        start: 0,
        offset: None,
        after_import: false,
        whole: false,
        of: None,
        guard: None,
        text: "",
    }
}

/// The properties of a node that decide about presence, besides its name and its arguments.
fn deciding(node: &DefinitionNode) -> Vec<(&String, &Value)> {
    let all = node.properties.iter();
    all.filter(|(name, _)| !LOOKS.contains(&name.as_str()))
        .collect()
}

/// Whether an edit of a node decides about presence, and not only about the look. `own` is whether the piece is
/// directly in it.
fn decides(
    was: &DefinitionNode,
    is: &DefinitionNode,
    (owner, own, ruled_out): (Owner<'_>, bool, bool),
    named: impl Fn(&str) -> bool,
) -> bool {
    let names = match owner {
        // The text of a member is its argument: other properties decide about its presence.
        Owner::Written(_) | Owner::Template(_, Some(_), _) => !own,
        // What is still named there was left out by something else.
        Owner::Document(_, path) if mention::reads_files(is) => !named(path),
        _ => true,
    };
    let deciding = |node| {
        let mut all = deciding(node);
        all.retain(|(name, _)| names || ruled_out || name.as_str() != "where");
        all
    };
    was.name != is.name || (names && was.arguments != is.arguments) || deciding(was) != deciding(is)
}

/// Whether other names come before that of a file, so that another one is taken.
fn before_differs(was: &DefinitionNode, is: &DefinitionNode, path: &str) -> bool {
    let before = |node: &DefinitionNode| {
        let names = mention::names_of(node);
        let at = names
            .iter()
            .position(|name| path.ends_with(name.as_str()))?;
        Some(names.into_iter().take(at).collect::<Vec<_>>())
    };
    before(was).zip(before(is)).is_some_and(|(x, y)| x != y)
}
