//! Why a layer is on one side only.

use super::super::change::What;
use super::super::model::{Cause, CauseKind};
use super::super::rows::{OwnedRun, Owner};
use super::super::side::Side;
use super::case::{Case, MOST, add, consequences};
use super::document::{documents, in_part};
use crate::prompt::{DefinitionNode, Ingredient, Reason};
use std::collections::BTreeSet;

impl<'p> Case<'_, 'p> {
    /// The reason why the layer is on one side only, whatever its text.
    pub(super) fn presence_alone(&self) -> Vec<Cause> {
        let absent = self.a.absent.or(self.b.absent);
        let flips = absent.filter(|absent| absent.reason == Reason::Condition);
        let flips = flips.map_or(&[][..], |_| &self.changes.flips);
        match flips.is_empty() {
            true => self.causes(),
            false => flips.iter().map(|flip| flip.cause.clone()).collect(),
        }
    }

    /// The reason why the layer is on one side only, if its absence reason is enough.
    pub(super) fn presence(&self) -> Option<Vec<Cause>> {
        let absent = self
            .a
            .absent
            .filter(|_| self.a.present.is_none())
            .or(self.b.absent)?;
        let found = match absent.reason {
            Reason::Condition if self.own_when_fails() => {
                // The layer's own `when` is asked first.
                let flips = self.changes.flips.iter().take(1).map(|f| f.cause.clone());
                let flips: Vec<Cause> = flips.collect();
                let own = || self.direct(|what| matches!(what, What::Edit(Some(0), Some(0))));
                let asked = || self.edits_of_whens();
                let mut steps = [flips, own(), asked()].into_iter();
                steps.find(|found| !found.is_empty()).unwrap_or_default()
            }
            Reason::Condition | Reason::Missing | Reason::Empty => {
                let in_a = self.a.present.is_some();
                let pieces = self.rows.side(in_a);
                let mut causes = Vec::new();
                for at in (0..pieces.len()).filter(|at| self.of_content(&pieces[*at], in_a)) {
                    if causes.len() > MOST {
                        break;
                    }
                    add(&mut causes, self.one_sided(at, in_a, 0));
                }
                add(&mut causes, self.hidden_documents(in_a));
                if causes.is_empty() && absent.reason == Reason::Condition {
                    causes = self.changes.flips.iter().map(|f| f.cause.clone()).collect();
                    add(&mut causes, self.edits_of_whens());
                }
                causes
            }
            Reason::Dropped => {
                let in_a = self.a.present.is_some();
                let pieces = self.rows.side(in_a);
                let mut content = pieces.iter().filter(|p| self.of_content(p, in_a));
                let cut = content.next().map(|piece| self.cut(piece, in_a));
                let mut causes = cut.unwrap_or_default();
                // Members of which the cut shows nothing are asked for their conditions too.
                let flips = self.changes.flips.iter().filter(|f| !f.of_documents);
                add(&mut causes, flips.map(|f| f.cause.clone()).collect());
                consequences(&mut causes);
                causes
            }
            Reason::Replaced => Vec::new(),
            Reason::LeftOut => vec![self.option(&absent.layer)],
        };
        (!found.is_empty()).then_some(found)
    }

    /// The option that left the layer out of one side.
    fn option(&self, layer: &str) -> Cause {
        let option = || Some(format!("--without {layer}"));
        let (old, new) = match self.a.present {
            Some(_) => (None, option()),
            None => (option(), None),
        };
        Cause {
            item: Some(layer.to_owned()),
            old,
            new,
            ..Cause::new(CauseKind::LayerLeftOut)
        }
    }

    /// The causes of the documents of the content that a cut hides completely.
    fn hidden_documents(&self, in_a: bool) -> Vec<Cause> {
        let [here, _] = self.sides(in_a);
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let mut shown = BTreeSet::new();
        for piece in self.rows.side(in_a) {
            shown.insert((piece.owner, piece.node));
        }
        let own = documents(here).filter(|((root, path), node)| {
            let owner = Owner::Document(root, path);
            !in_part(nodes, *node) && !shown.contains(&(owner, Some(*node)))
        });
        let mut out = Vec::new();
        for (key, node) in own.take(MOST) {
            add(
                &mut out,
                self.hidden_member(Owner::Document(key.0, key.1), node, in_a),
            );
        }
        out
    }

    /// The edits of conditions.
    fn edits_of_whens(&self) -> Vec<Cause> {
        let when = |side: &Side<'p>, index: Option<usize>| {
            let node = side.definition()?.nodes.get(index?)?;
            node.property("when").cloned()
        };
        self.direct(|what| match what {
            What::Edit(old, new) => when(self.a, old) != when(self.b, new),
            _ => false,
        })
    }

    /// Whether the layer is absent because of its own `when`, and not because of the conditions of its
    /// contents.
    fn own_when_fails(&self) -> bool {
        let absent = match self.a.present.is_none() {
            true => self.a,
            false => self.b,
        };
        let own = absent.definition().and_then(|d| d.nodes.first());
        let Some(when) = own.and_then(|node| node.property("when")) else {
            return false;
        };
        absent.ingredients().iter().any(|i| {
            matches!(i, Ingredient::Condition { expression, value: false, .. } if when.is(expression))
        })
    }

    /// Whether a piece is of the layer's content: of a document, or of a member.
    pub(super) fn of_content(&self, piece: &OwnedRun<'p>, in_a: bool) -> bool {
        let [here, _] = self.sides(in_a);
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        // A part is present if the content is.
        if piece.node.is_some_and(|node| in_part(nodes, node)) {
            return false;
        }
        let member = piece.node.and_then(|node| nodes.get(node));
        let member = member.is_some_and(says_itself);
        matches!(piece.owner, Owner::Document(..)) || member
    }
}

/// Whether a node is a member with its own text: labels, wraps and marks belong to their node, and nodes directly
/// in the layer surround everything else.
pub(super) fn says_itself(node: &DefinitionNode) -> bool {
    match node.name.as_str() {
        "text" | "fact" => node.depth > 0,
        "template" => node.depth > 1,
        _ => false,
    }
}
