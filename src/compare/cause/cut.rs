//! Budgets: what a cut was calculated from, on each side.

use super::super::change::What;
use super::super::documents::Key;
use super::super::mention;
use super::super::model::{Cause, CauseKind};
use super::super::nodes::chain;
use super::super::pieces::Of;
use super::super::rows::{OwnedRun, Owner, Slot};
use super::super::side::Side;
use super::budget::{Sum, matters, sums};
use super::case::{Case, add};
use super::document::{documents, in_part};
use super::presence::says_itself;
use crate::prompt::Ingredient;
use std::collections::BTreeSet;

/// The document at which a cut is reported.
pub(super) struct CutSite<'r, 'p> {
    root: &'p str,
    path: &'p str,
    node: Option<usize>,
    /// The text that is shown of it nearby.
    pub(super) piece: Option<&'r OwnedRun<'p>>,
}

/// The contents of a layer outside of its parts, in order: documents with text, and members with their own text.
fn members<'p>(side: &Side<'p>) -> Vec<(Owner<'p>, usize)> {
    let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
    let documents = documents(side).map(|((root, path), node)| (Owner::Document(root, path), node));
    let fails = side.ingredients().iter().filter_map(|i| match i {
        Ingredient::Condition {
            value: false,
            node: Some(node),
            ..
        } => Some(*node as usize),
        _ => None,
    });
    let fails: BTreeSet<usize> = fails.collect();
    let stands = |at: &usize| !chain(nodes, *at).iter().any(|at| fails.contains(at));
    let says = |at: &usize| says_itself(&nodes[*at]) && stands(at);
    let said = (0..nodes.len()).filter(says).map(|at| (Owner::Other, at));
    let mut out: Vec<_> = documents.chain(said).collect();
    out.retain(|(_, node)| !in_part(nodes, *node));
    out.sort_by_key(|(_, node)| *node);
    out
}

/// Whether a node is below another one, or is it.
pub(super) fn within(side: &Side<'_>, of: Option<usize>, node: Option<usize>) -> bool {
    let nodes = side.definition().map(|d| &d.nodes);
    let (Some(nodes), Some(of), Some(node)) = (nodes, of, node) else {
        return false;
    };
    of == 0 || chain(nodes, node).contains(&of)
}

impl<'p> Case<'_, 'p> {
    /// Whether budgets took other things on the two sides.
    pub(super) fn budgets_differ(&self) -> bool {
        let budgets = |side: &Side<'p>| -> Vec<Ingredient> {
            let budgets = side.ingredients().iter();
            let bound = |i: &&Ingredient| matches!(i, Ingredient::Budget { before, after, .. } if before != after);
            budgets.filter(bound).cloned().collect()
        };
        let taken = |side: &Side<'p>| -> Vec<(Key<'p>, usize)> {
            let documents = side.ingredients().iter();
            let taken = documents.filter_map(|i| match i {
                Ingredient::Document {
                    root,
                    path,
                    dropped,
                    ..
                } if *dropped > 0 => Some(((root.as_str(), path.as_str()), *dropped)),
                _ => None,
            });
            taken.collect()
        };
        budgets(self.a) != budgets(self.b) || taken(self.a) != taken(self.b)
    }

    /// The cause of the member or document after a join at which a gap begins, if a cut hides its beginning and
    /// the other side has none.
    pub(super) fn after_join(&self, slot: &Slot, in_a: bool) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let own = slot.side(in_a);
        let is_join = |p: &OwnedRun<'p>| p.owner == Owner::Join;
        let pieces = self.rows.side(in_a);
        // A gap between two equal joins begins with either of them.
        let ends = pieces[own.clone()].last().filter(|p| is_join(p));
        let turned = own.start.checked_sub(1).filter(|before| {
            let before = &pieces[*before];
            is_join(before) && ends.is_some_and(|last| last.text == before.text)
        });
        let (front, rest) = pieces.split_at(turned.unwrap_or(own.start));
        // A join on both sides was itself cut.
        let mut facing = self.rows.side(!in_a)[slot.side(!in_a)].iter().take(1);
        let (false, false, Some((join, rest))) =
            (own.is_empty(), facing.any(is_join), rest.split_first())
        else {
            return Vec::new();
        };
        // The mark of one member hides nothing before that.
        let of_one = |mark: &OwnedRun<'p>| {
            let spread = |s: Sum<'_>| Some(s.node) == mark.node && s.spread.is_some();
            mark.of.is_some() || sums(here).any(spread)
        };
        let hides = |p: &OwnedRun<'p>| matches!(p.owner, Owner::Mark(_)) && !of_one(p);
        if !is_join(join) || !rest.first().is_none_or(hides) {
            return Vec::new();
        }
        let members = members(here);
        let place = |piece: &OwnedRun<'p>| {
            let is_it = |(owner, node): &(Owner<'p>, usize)| {
                Some(*node) == piece.node && [piece.owner, Owner::Other].contains(owner)
            };
            members.iter().position(is_it)
        };
        let from = front.iter().rev().find_map(place).map_or(0, |at| at + 1);
        let to = rest
            .iter()
            .find_map(place)
            .map_or(members.len(), |at| at + 1);
        let known: BTreeSet<_> = self::members(there).into_iter().collect();
        let of = join.node.or(Some(0));
        let mut new = members.get(from..to).unwrap_or_default().iter();
        let new = new.find(|(owner, node)| {
            let other = self.nodes.other(*node, in_a);
            let stays = other.is_some_and(|other| known.contains(&(*owner, other)));
            !stays && within(here, of, Some(*node))
        });
        new.map_or_else(Vec::new, |(owner, node)| {
            self.hidden_member(*owner, *node, in_a)
        })
    }

    /// Why a cut moved, of a piece on A's side if `in_a`: the edits of numbers of the budgets around it, else
    /// the inputs of these numbers.
    pub(super) fn cut(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        // The marker of a budget without its own one is in no node, but its document is.
        let shown = self.shown_at(piece, in_a);
        let beside = shown.as_ref().and_then(|own| own.node);
        let around = match piece.node.or(beside) {
            Some(node) => chain(nodes, node),
            None => vec![0],
        };
        let mut numbers = Vec::new();
        let mut grown = Vec::new();
        let shown = shown.map(|own| own.path);
        let of_document = matches!(piece.owner, Owner::Document(..) | Owner::Mark(_));
        for sum in sums(here) {
            // Of a budget of several documents counts what was calculated for this one.
            let is_other = match sum.spread.filter(|_| of_document) {
                Some("each") => shown.is_some_and(|path| path != sum.of),
                Some(_) => shown.is_some(),
                None => false,
            };
            if is_other {
                continue;
            }
            // A budget bounds the node that contains it.
            let Some(of) = chain(nodes, sum.node).iter().rev().nth(1).copied() else {
                continue;
            };
            if !around.contains(&of) {
                continue;
            }
            let Some(node) = self.nodes.other(sum.node, in_a) else {
                let edit = self.nodes.edit(sum.node, in_a);
                add(
                    &mut numbers,
                    edit.map(|e| e.cause.clone()).into_iter().collect(),
                );
                continue;
            };
            let same = |other: &Sum<'_>| {
                (other.node, other.of, other.spread) == (node, sum.of, sum.spread)
            };
            let other = sums(there).find(same);
            let matters = other.is_none_or(|other| matters([(here, sum), (there, other)]));
            if let Some(edit) = self.nodes.edit(sum.node, in_a).filter(|_| matters) {
                add(&mut numbers, vec![edit.cause.clone()]);
            }
            for fact in mention::facts(&nodes[sum.node]) {
                let changed = self.values.changed(&fact);
                add(&mut numbers, changed.into_iter().collect());
            }
            let before = other.map(|o| o.before) != Some(sum.before);
            let left = other.and_then(|o| o.left) != sum.left;
            let max = other.is_some_and(|o| o.max != sum.max);
            let taken = sum.before > sum.after || other.is_some_and(|o| o.before > o.after);
            if before || left || max || (taken && sum.spread.is_none()) {
                let path = (sum.spread == Some("each")).then_some(sum.of);
                add(&mut grown, self.grown_below(of, in_a, path, sum.unit));
            }
        }
        add(&mut numbers, self.budgets_of_other(in_a));
        if !numbers.is_empty() {
            return numbers;
        }
        if grown.is_empty()
            && let Owner::Document(root, path) = piece.owner
        {
            grown.extend(self.change(What::Document(root, path)));
        }
        match grown.is_empty() {
            true => Vec::new(),
            false => vec![self.moved(piece, in_a, grown)],
        }
    }

    /// The edits of budgets that only the other side has.
    fn budgets_of_other(&self, in_a: bool) -> Vec<Cause> {
        let [_, there] = self.sides(in_a);
        let only = sums(there).filter(|s| self.nodes.other(s.node, !in_a).is_none());
        let edits = only.filter_map(|s| self.nodes.edit(s.node, !in_a));
        edits.map(|edit| edit.cause.clone()).collect()
    }

    /// `cut-moved`, at the first document of the first difference.
    pub(super) fn gave(&self, because: Vec<Cause>) -> Cause {
        let slot = self.rows.slots.first();
        let of = |in_a: bool| {
            let mut own = self.rows.side(in_a)[slot?.side(in_a)].iter();
            own.find(|p| matches!(p.owner, Owner::Document(..)))
        };
        let found = of(false)
            .map(|p| (p, false))
            .or_else(|| of(true).map(|p| (p, true)));
        match found {
            Some((piece, in_a)) => self.moved(piece, in_a, because),
            None => Cause {
                because,
                ..Cause::new(CauseKind::CutMoved)
            },
        }
    }

    /// The document that a piece belongs to, or the one before the mark of a cut.
    pub(super) fn shown_at(&self, piece: &OwnedRun<'p>, in_a: bool) -> Option<CutSite<'_, 'p>> {
        let pieces = self.rows.side(in_a);
        let at = pieces.partition_point(|p| p.start <= piece.start);
        let (front, rest) = pieces.split_at(at);
        let shown = |p: &OwnedRun<'p>| match p.owner {
            Owner::Document(root, path) => Some((root, path)),
            _ => None,
        };
        let mut near = front.iter().rev().chain(rest);
        if let Some(Of { root, path, node }) = piece.of {
            let piece = near.find(|p| shown(p) == Some((root, path)) && p.node == node);
            return Some(CutSite {
                root,
                path,
                node,
                piece,
            });
        }
        near.find_map(|piece| {
            let (root, path) = shown(piece)?;
            Some(CutSite {
                root,
                path,
                node: piece.node,
                piece: Some(piece),
            })
        })
    }

    /// `cut-moved`, at the document whose bytes the piece shows.
    pub(super) fn moved(&self, piece: &OwnedRun<'p>, in_a: bool, because: Vec<Cause>) -> Cause {
        let [here, _] = self.sides(in_a);
        let (root, path, line) = match self.shown_at(piece, in_a) {
            Some(CutSite {
                root, path, piece, ..
            }) => {
                let spans = piece.and_then(|piece| here.spans().get(piece.spans.clone()));
                let line = spans.and_then(|spans| spans.first()?.line);
                (Some(root.to_owned()), Some(path.to_owned()), line)
            }
            None => (None, None, None),
        };
        Cause {
            root,
            path,
            line,
            because,
            ..Cause::new(CauseKind::CutMoved)
        }
    }
}
