//! The reason why only one side shows a document.

use super::super::change::{What, naming_facts};
use super::super::documents::Key;
use super::super::mention;
use super::super::model::{Cause, CauseKind};
use super::super::nodes::chain;
use super::super::rows::{OwnedRun, Owner};
use super::super::side::Side;
use super::case::{Case, add};
use crate::prompt::{DefinitionNode, Ingredient, UnusedReason};

impl<'p> Case<'_, 'p> {
    /// The reason why only one side shows a document: the condition that left it out, else the file, else the
    /// node that prints it.
    pub(super) fn document(&self, key: Key<'p>, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let (root, path) = key;
        let unused = there.why_unused(root, path);
        let is_there = self.reads(key, piece, in_a);
        let left_out = self.left_out(key, piece, in_a);
        if !left_out.is_empty() {
            return left_out;
        }
        if is_there && unused.is_none() {
            return self.not_shown(key, piece, in_a);
        }
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let is_hidden = unused == Some(UnusedReason::Hidden);
        let asks = nodes.iter().any(|n| n.is("hide"));
        let hidden = || self.hidden(key, piece, (in_a, !asks));
        if let Some(found) = is_hidden.then(hidden).filter(|found| !found.is_empty()) {
            return found;
        }
        if let Some(change) = self.change(What::Document(root, path)) {
            return vec![change];
        }
        if unused.is_none() {
            let mut by = here.importer(root, path);
            // As many steps as documents: a circle is only in artifacts that were made by hand.
            for _ in here.ingredients() {
                let Some(importer) = by else { break };
                if let Some(cause) = self.change(What::Document(root, importer)) {
                    return vec![cause];
                }
                by = here.importer(root, importer);
            }
        }
        if is_hidden {
            return self.hidden(key, piece, (in_a, false));
        }
        let named = self.edits(|node| mention::names(node, path));
        if !named.is_empty() && !is_there {
            return named;
        }
        let printed = self.printed(piece, in_a);
        match printed.is_empty() {
            true => self.cut_off(piece, in_a),
            false => printed,
        }
    }

    /// The reason why a document is left out or not named: a `where`, a budget, a fact in a name, a choice
    /// among entries.
    fn left_out(&self, key: Key<'p>, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let (root, path) = key;
        let unused = there.why_unused(root, path);
        let is_there = self.reads(key, piece, in_a);
        let ruled_out = match renamed(root, path, here, there) {
            Some((root, path)) => there.why_unused(root, path) == Some(UnusedReason::Condition),
            None => is_there && unused == Some(UnusedReason::Condition),
        };
        // A `where` is asked of each document.
        let mut flips = self.changes.flips.iter();
        if ruled_out && let Some(flip) = flips.find(|f| f.of_documents) {
            return vec![flip.cause.clone()];
        }
        if unused == Some(UnusedReason::Budget) {
            return self.cut(piece, in_a);
        }
        let unknown = unused.is_none() && !is_there;
        match unknown || unused == Some(UnusedReason::Hidden) {
            true => self.choices(piece, in_a),
            false => Vec::new(),
        }
    }

    /// Whether the node that brings a piece here reads the same document there.
    pub(super) fn reads(&self, key: Key<'p>, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let [_, there] = self.sides(in_a);
        let own = piece.node.and_then(|node| self.nodes.other(node, in_a));
        let mut all = there.ingredients().iter();
        all.any(|i| match i {
            Ingredient::Document {
                root, path, node, ..
            } => {
                let node = node.map(|n| n as usize);
                (root.as_str(), path.as_str()) == key
                    && node.zip(own).is_none_or(|(node, own)| node == own)
            }
            _ => false,
        })
    }

    /// The facts in the name of a node, if with their values there it names another file than this one.
    pub(super) fn named_by_facts(
        &self,
        key: Key<'p>,
        piece: &OwnedRun<'p>,
        in_a: bool,
    ) -> Vec<Cause> {
        let [_, there] = self.sides(in_a);
        let node = piece.node.and_then(|node| self.nodes.other(node, in_a));
        // Another node may have left it out.
        let left_out = node.is_none() && there.why_unused(key.0, key.1).is_some();
        if left_out || self.reads(key, piece, in_a) {
            return Vec::new();
        }
        let named = naming_facts([self.a, self.b], there, (in_a, node), key.1, self.values);
        let facts = named
            .iter()
            .filter_map(|fact| self.changes.get(What::Fact(fact)).cloned());
        facts.collect()
    }

    /// Why a document that both sides read is shown on one of them: a cut, an edit of it, or what prints it.
    fn not_shown(&self, key: Key<'p>, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        if self.dropped(key, !in_a) && self.budgets_differ() {
            let found = self.cut(piece, in_a);
            if !found.is_empty() {
                return found;
            }
        }
        let change = self.change(What::Document(key.0, key.1));
        let is_edit =
            |c: &Cause| matches!(c.kind, CauseKind::DocumentChanged | CauseKind::ItemChanged);
        match change {
            Some(change) if !is_edit(&change) || self.is_shown(key, !in_a) => vec![change],
            change => match self.printed(piece, in_a) {
                found if !found.is_empty() => found,
                _ => change.map_or_else(|| self.cut_off(piece, in_a), |change| vec![change]),
            },
        }
    }

    /// Whether a side shows anything of a document, A's if `in_a`.
    fn is_shown(&self, (root, path): Key<'p>, in_a: bool) -> bool {
        let mut pieces = self.rows.side(in_a).iter();
        pieces.any(|p| p.owner == Owner::Document(root, path))
    }

    /// The edits of what chooses among the documents of the node: `exclude`, `allow`, `deny`, `hide`, and of its order.
    fn choices(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let Some(own) = piece.node else {
            return Vec::new();
        };
        let below = |side: &Side<'p>, node: Option<usize>, of: Option<usize>| {
            let nodes = side.definition().map(|d| &d.nodes);
            let (Some(nodes), Some(node), Some(of)) = (nodes, node, of) else {
                return false;
            };
            let chooses = |n: &DefinitionNode| {
                matches!(
                    n.name.as_str(),
                    "exclude" | "allow" | "deny" | "hide" | "imports"
                )
            };
            nodes.get(node).is_some_and(chooses) && chain(nodes, node).contains(&of)
        };
        let other = self.nodes.other(own, in_a);
        let [of_a, of_b] = if in_a {
            [Some(own), other]
        } else {
            [other, Some(own)]
        };
        self.direct(|what| match what {
            What::Edit(old, new) => below(self.a, old, of_a) || below(self.b, new, of_b),
            _ => false,
        })
    }

    /// The reason why a document that both sides read is printed on one side only, or elsewhere: its order, a
    /// wrap, the layer's template, and its conditions.
    fn printed(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let order = |node: &DefinitionNode| node.property("order").is_some();
        let own = piece.node.and_then(|node| self.nodes.edit(node, in_a));
        if let Some(edit) = own {
            return vec![edit.cause.clone()];
        }
        let ordered = self.edits(order);
        if !ordered.is_empty() {
            return ordered;
        }
        let templates = self.printing();
        match templates.is_empty() {
            true => self.silent(Some((piece, in_a))),
            false => templates,
        }
    }

    /// The edits of what prints documents.
    pub(super) fn printing(&self) -> Vec<Cause> {
        let mut templates = self.direct(|what| matches!(what, What::Template(_)));
        let inline = self.edits(|n| ["template", "wrap", "part"].contains(&n.name.as_str()));
        add(&mut templates, inline);
        templates
    }

    /// The cause of a missing piece that neither its owner nor its node explains: a cut around it, or the
    /// template.
    pub(super) fn cut_off(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        if self.budgets_differ() {
            let found = self.cut(piece, in_a);
            if !found.is_empty() {
                return found;
            }
        }
        match piece.owner {
            Owner::Document(..) => self.silent(Some((piece, in_a))),
            _ => Vec::new(),
        }
    }

    /// The facts that hid an entry, or listed it: those in the place of entry names; and, unless only these are
    /// wanted, those that print nothing.
    fn hidden(
        &self,
        (root, path): Key<'p>,
        piece: &OwnedRun<'p>,
        (in_a, named): (bool, bool),
    ) -> Vec<Cause> {
        let [here, _] = self.sides(in_a);
        let [span, ..] = &here.spans()[piece.spans.clone()] else {
            return Vec::new();
        };
        let Some(Ingredient::Document {
            item: Some(item), ..
        }) = here.ingredient(span.ingredient)
        else {
            return Vec::new();
        };
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let decide =
            |n: &&DefinitionNode| matches!(n.name.as_str(), "allow" | "deny" | "hide" | "exclude");
        let names: Vec<String> = nodes
            .iter()
            .filter(decide)
            .flat_map(mention::facts)
            .collect();
        let silent = self.unprinted();
        let is_named = |cause: &&Cause| cause.fact.as_ref().is_some_and(|f| names.contains(f));
        let own: Vec<Cause> = silent.iter().filter(is_named).cloned().collect();
        let because = if own.is_empty() && !named {
            silent
        } else {
            own
        };
        let Some(fact) = because.iter().find_map(|c| c.fact.clone()) else {
            return Vec::new();
        };
        let (old, new) = match in_a {
            true => ("listed", "hidden"),
            false => ("hidden", "listed"),
        };
        vec![Cause {
            root: Some(root.to_owned()),
            path: Some(path.to_owned()),
            fact: Some(fact),
            item: Some(item.clone()),
            old: Some(old.to_owned()),
            new: Some(new.to_owned()),
            because,
            ..Cause::new(CauseKind::ConditionFlipped)
        }]
    }
}
/// The name in `there` of a document of `here`, if it has the same bytes there and another name, which `here` does
/// not know.
fn renamed<'p>(
    root: &str,
    path: &str,
    here: &Side<'p>,
    there: &Side<'p>,
) -> Option<(&'p str, &'p str)> {
    let (_, hash) = here.document(root, path)?;
    if there.document(root, path).is_some() {
        return None;
    }
    let mut others = there.ingredients().iter();
    others.find_map(|i| match i {
        Ingredient::Document {
            root, path, sha256, ..
        } if sha256 == hash && here.document(root, path).is_none() => {
            Some((root.as_str(), path.as_str()))
        }
        _ => None,
    })
}

/// The documents of a layer that have text, each with the node that read it.
pub(super) fn documents<'p>(side: &Side<'p>) -> impl Iterator<Item = (Key<'p>, usize)> + use<'p> {
    side.ingredients().iter().filter_map(|i| match i {
        Ingredient::Document {
            root,
            path,
            node: Some(node),
            kept,
            dropped,
            ..
        } if *kept > 0 || *dropped > 0 => Some(((root.as_str(), path.as_str()), *node as usize)),
        _ => None,
    })
}

/// Whether a node is in a part of a layer.
pub(super) fn in_part(nodes: &[DefinitionNode], node: usize) -> bool {
    chain(nodes, node).iter().any(|at| nodes[*at].is("part"))
}
