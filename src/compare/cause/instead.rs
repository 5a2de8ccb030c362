//! In a `first` and in a search for the nearest file: the text there in place of another.

use super::super::change::What;
use super::super::documents::Key;
use super::super::mention;
use super::super::model::Cause;
use super::super::nodes::chain;
use super::super::rows::{OwnedRun, Owner};
use super::super::side::Side;
use super::case::Case;
use super::document::documents;
use crate::prompt::{DefinitionNode, Ingredient};
use crate::source::SourceKind;

impl<'p> Case<'_, 'p> {
    /// In a `first`: the change of the earlier member that is there instead.
    pub(super) fn earlier_member(
        &self,
        piece: &OwnedRun<'p>,
        in_a: bool,
        depth: usize,
    ) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let (Some(own), Some(nodes)) = (piece.node, here.definition().map(|d| &d.nodes)) else {
            return Vec::new();
        };
        let others = there.definition().map_or(&[][..], |d| &d.nodes);
        let around = chain(nodes, own);
        for (level, (at, group)) in self.groups(piece, in_a).into_iter().enumerate() {
            let Some(member) = around.get(level + 1).filter(|_| nodes[at].is("first")) else {
                continue;
            };
            let member = self.nodes.other(*member, in_a).unwrap_or(usize::MAX);
            let earlier = |node: usize| {
                let around = chain(others, node);
                let within = around.iter().position(|n| *n == group);
                let other = within.and_then(|at| around.get(at + 1));
                other.is_some_and(|other| *other < member)
            };
            let mut pieces = self.rows.side(!in_a).iter().enumerate();
            if let Some((other, _)) = pieces.find(|(_, p)| p.node.is_some_and(earlier)) {
                return self.one_sided(other, !in_a, depth + 1);
            }
            // A cut may show nothing of it.
            let mut hidden = documents(there);
            if let Some(((root, path), node)) = hidden.find(|(_, node)| earlier(*node)) {
                let other = OwnedRun {
                    owner: Owner::Document(root, path),
                    node: Some(node),
                    ..piece.clone()
                };
                return self.of_one_side(&other, !in_a, depth + 1);
            }
        }
        Vec::new()
    }

    /// In a search for the nearest file and in a list of names: the change of the file that is there instead.
    pub(super) fn nearer_file(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let (Owner::Document(root, path), Some(own)) = (piece.owner, piece.node) else {
            return Vec::new();
        };
        let mut groups = self.groups(piece, in_a).into_iter();
        let found = groups.find_map(|(at, group)| {
            let takes_one = takes_one(&nodes[at], at == own);
            takes_one.then(|| self.nearer(((root, path), own), (at, group), there))?
        });
        found.unwrap_or_default()
    }

    /// The nodes around a piece that both sides have, from outside to inside, each with the other one.
    fn groups(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<(usize, usize)> {
        let [here, _] = self.sides(in_a);
        let nodes = here.definition().zip(piece.node);
        let around = nodes.map_or_else(Vec::new, |(d, own)| chain(&d.nodes, own));
        let both = around
            .into_iter()
            .map_while(|at| Some((at, self.nodes.other(at, in_a)?)));
        both.collect()
    }

    /// The change of the document that the same node takes there in place of this one, if it comes first of the
    /// two.
    fn nearer(
        &self,
        (key, own): (Key<'p>, usize),
        (group_here, group): (usize, usize),
        there: &Side<'p>,
    ) -> Option<Vec<Cause>> {
        let in_a = std::ptr::eq(there, self.a);
        let nodes = &there.definition()?.nodes;
        for ingredient in there.ingredients() {
            let Ingredient::Document {
                root,
                path,
                node: Some(node),
                imported_by: None,
                ..
            } = ingredient
            else {
                continue;
            };
            let other = (root.as_str(), path.as_str());
            if other == key || !chain(nodes, *node as usize).contains(&group) {
                continue;
            }
            let [here, _] = self.sides(!in_a);
            if here.document(root, path).is_some() {
                continue;
            }
            let of_other = self.nodes.other(*node as usize, in_a);
            let first = match here.definition().zip(of_other) {
                Some((definition, other)) => {
                    comes_first(&definition.nodes, (path, other), (key.1, own), group_here)
                }
                None => false,
            };
            if first && let Some(cause) = self.change(What::Document(root, path)) {
                return Some(vec![cause]);
            }
        }
        None
    }
}
/// Whether a node takes the first file that it finds, of its names or of the folders above.
fn takes_one(node: &DefinitionNode, own: bool) -> bool {
    let climbs = node.property("search").is_some_and(|value| value.is("up"));
    let every = node
        .property("search")
        .is_some_and(|value| value.is("every-level"));
    climbs || (own && !every && SourceKind::of(&node.name).is_some_and(|kind| !kind.many))
}

/// Whether a group or source that takes the first that it finds takes one document in place of another one, by the nodes that
/// read them: that of a nearer folder, else that of an earlier member, else that of an earlier name.
fn comes_first(
    nodes: &[DefinitionNode],
    (path, node): (&str, usize),
    (other, of_other): (&str, usize),
    group: usize,
) -> bool {
    let level = |path: &str, node: usize| {
        let below = |name: &str| {
            path.matches('/')
                .count()
                .saturating_sub(name.matches('/').count())
        };
        let names = nodes.get(node).map(mention::names_of).unwrap_or_default();
        let at = names.iter().position(|name| path.ends_with(name.as_str()));
        let patterns = nodes
            .get(node)
            .map(mention::patterns_of)
            .unwrap_or_default();
        let name = at
            .map(|at| &names[at])
            .or(names.first())
            .or(patterns.first());
        (name.map_or(0, |name| below(name)), at)
    };
    let ((x, first), (y, second)) = (level(path, node), level(other, of_other));
    match x.cmp(&y) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Less => false,
        // At one level all members of an `all` count.
        std::cmp::Ordering::Equal if node != of_other => {
            nodes.get(group).is_some_and(|n| n.is("first")) && node < of_other
        }
        std::cmp::Ordering::Equal => first < second,
    }
}
