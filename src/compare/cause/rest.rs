//! The causes of bytes that neither their owners nor their nodes explain.

use super::super::change::What;
use super::super::model::{Cause, CauseKind};
use super::super::nodes::chain;
use super::super::pieces::template_node;
use super::super::reads::Reads;
use super::super::rows::OwnedRun;
use super::super::side::Side;
use super::case::Case;
use super::cut::within;
use crate::prompt::{Ingredient, TemplateBranch};
use std::collections::BTreeSet;

impl<'p> Case<'_, 'p> {
    /// The causes if no owner of bytes at the break changed, and nothing around them.
    pub(super) fn decided(&self) -> Vec<Cause> {
        let flips = || self.changes.flips.iter().map(|f| f.cause.clone()).collect();
        let edits = || self.edits(|_| true);
        let silent = || self.silent(None);
        let documents = || self.direct(|w| matches!(w, What::Document(..)));
        let rest = || {
            self.direct(|w| {
                matches!(
                    w,
                    What::Fact(..) | What::Template(..) | What::Let(..) | What::Root
                )
            })
        };
        let tier = || self.direct(|w| matches!(w, What::Tier));
        let private = || self.private_facts();
        type Step<'s> = &'s dyn Fn() -> Vec<Cause>;
        let steps: [Step<'_>; 7] = [&flips, &edits, &silent, &documents, &rest, &tier, &private];
        let mut found = steps.iter().map(|step| step());
        let found = found.find(|found| !found.is_empty());
        found.unwrap_or_else(|| vec![Cause::new(CauseKind::Unexplained)])
    }

    /// The changed facts that templates ask for which may print a piece; of none, that any template does. Those without a byte in
    /// either text, if there are some.
    pub(super) fn silent(&self, piece: Option<(&OwnedRun<'p>, bool)>) -> Vec<Cause> {
        let node = piece.map(|(piece, in_a)| {
            let other = |node| self.nodes.other(node, in_a);
            match in_a {
                true => [piece.node, piece.node.and_then(other)],
                false => [piece.node.and_then(other), piece.node],
            }
        });
        let mut names = BTreeSet::new();
        for (at, side) in [self.a, self.b].into_iter().enumerate() {
            let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
            for (printing, asks) in templates(side) {
                // A wrap prints its node, the layer's template prints everything, and the place of
                // an included one is unknown.
                let prints = |printing: usize| {
                    let own = node.and_then(|node| node[at]);
                    let by_own = own.is_some_and(|own| chain(nodes, printing).contains(&own));
                    nodes[printing].depth <= 1 || node.is_none() || by_own
                };
                if printing.is_none_or(prints) {
                    names.extend(asks.iter().flat_map(|part| &part.names));
                }
            }
        }
        let mut asked = self.asked(names);
        let unprinted = self.unprinted();
        if asked.iter().any(|cause| unprinted.contains(cause)) {
            asked.retain(|cause| unprinted.contains(cause));
        }
        asked
    }

    /// The changed facts that decide whether a template prints a piece of its own text.
    pub(super) fn conditions_of(&self, piece: &OwnedRun<'p>, in_a: bool) -> Vec<Cause> {
        let [here, _] = self.sides(in_a);
        let span = here.spans().get(piece.spans.start);
        let template = here.ingredient(span.and_then(|span| span.ingredient));
        let (Some(Ingredient::Template { asks, .. }), Some(at)) = (template, piece.offset) else {
            return Vec::new();
        };
        let around = asks
            .iter()
            .filter(|part| (part.start..part.end).contains(&at));
        self.asked(around.flat_map(|part| &part.names).collect())
    }

    /// The changed facts that have one of these names, or are read by a `let` that has.
    fn asked(&self, names: BTreeSet<&String>) -> Vec<Cause> {
        let sides = [self.a, self.b];
        let read = names
            .into_iter()
            .flat_map(|name| Reads::of(name, sides).names);
        let read: BTreeSet<String> = read.collect();
        self.direct(|what| matches!(what, What::Fact(fact) if read.contains(fact)))
    }

    /// The facts that templates below a node ask for.
    pub(super) fn conditions_below(&self, side: &Side<'p>, of: Option<usize>) -> BTreeSet<String> {
        let below = templates(side).filter(|(node, _)| within(side, of, *node));
        let names: BTreeSet<&String> = below
            .flat_map(|(_, asks)| asks.iter().flat_map(|part| &part.names))
            .collect();
        let sides = [self.a, self.b];
        names
            .into_iter()
            .flat_map(|name| Reads::of(name, sides).names)
            .collect()
    }

    /// Changed facts without a byte in either text.
    pub(super) fn unprinted(&self) -> Vec<Cause> {
        let prints = |name: &str| {
            [self.a, self.b].iter().any(|side| {
                side.spans()
                    .iter()
                    .any(|s| match side.ingredient(s.ingredient) {
                        Some(Ingredient::Fact { name: n, .. }) => n == name,
                        Some(Ingredient::Let { expression, .. }) => expression.contains(name),
                        _ => false,
                    })
            })
        };
        self.direct(|what| matches!(what, What::Fact(name) if !prints(name)))
    }

    fn private_facts(&self) -> Vec<Cause> {
        let mut names: Vec<&str> = Vec::new();
        for ingredient in self.b.ingredients().iter().chain(self.a.ingredients()) {
            if let Ingredient::Fact { name, .. } = ingredient
                && self.values.private(name)
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names.into_iter().map(private_fact).collect()
    }
}

pub(super) fn private_fact(name: &str) -> Cause {
    Cause {
        fact: Some(name.to_owned()),
        ..Cause::new(CauseKind::FactChanged)
    }
}

/// The inputs of each template of a layer, with the node that names it, if one does.
fn templates<'p>(side: &Side<'p>) -> impl Iterator<Item = (Option<usize>, &'p [TemplateBranch])> {
    side.ingredients().iter().filter_map(|i| match i {
        Ingredient::Template {
            file, line, asks, ..
        } if !asks.is_empty() => Some((template_node(side, file, *line), &**asks)),
        _ => None,
    })
}
