//! The inputs of the sizes that a budget bounds.

use super::super::change::{What, naming_facts};
use super::super::documents::Key;
use super::super::model::Cause;
use super::super::nodes::chain;
use super::super::rows::{OwnedRun, Owner};
use super::super::side::Side;
use super::case::{Case, add};
use super::cut::within;
use super::document::documents;
use crate::prompt::Ingredient;
use std::collections::BTreeSet;

impl<'p> Case<'_, 'p> {
    /// The changes of the sizes of the documents below a node, else of its other contents. Of a budget of
    /// several documents only those up to `path` count.
    pub(super) fn grown_below(
        &self,
        node: usize,
        in_a: bool,
        path: Option<&str>,
        unit: &str,
    ) -> Vec<Cause> {
        let [here, there] = self.sides(in_a);
        let other = self.nodes.other(node, in_a);
        let mut out = Vec::new();
        let sides = [(here, Some(node)), (there, other)];
        let mut keys: Vec<(&'p str, &'p str)> = Vec::new();
        let mut seen = BTreeSet::new();
        for (side, of) in sides {
            let documents = side.ingredients().iter().filter_map(|i| match i {
                Ingredient::Document {
                    root, path, node, ..
                } => Some(((root.as_str(), path.as_str()), node.map(|n| n as usize))),
                _ => None,
            });
            for (key, node) in documents {
                if !within(side, of, node) {
                    continue;
                }
                if seen.insert(key) {
                    keys.push(key);
                }
                if Some(key.1) == path {
                    break;
                }
            }
        }
        for (root, own) in keys {
            let size = |in_a: bool| self.documents(in_a).size((root, own), unit != "chars");
            let (of_a, of_b) = (size(true), size(false));
            let is_last = path == Some(own) || path.is_none();
            if of_a == of_b && !is_last {
                continue;
            }
            match self.change(What::Document(root, own)) {
                // Each document is met once.
                Some(cause) => out.push(cause),
                // A fact in a name names another file now.
                None => {
                    let in_b = of_b.len() < of_a.len();
                    let without = if in_b { self.b } else { self.a };
                    let sides = [self.a, self.b];
                    let named = naming_facts(sides, without, (in_b, None), own, self.values);
                    let facts = named
                        .iter()
                        .filter_map(|fact| self.changes.get(What::Fact(fact)).cloned());
                    let facts: Vec<Cause> = facts.collect();
                    let found = match facts.is_empty() && path.is_some() {
                        true => self.brought_here((root, own), in_b),
                        false => facts,
                    };
                    add(&mut out, found);
                }
            }
        }
        if path.is_none() {
            self.said_below([(here, Some(node)), (there, other)], in_a, &mut out);
        }
        out
    }

    /// The cause of a document on one side alone, A's if `in_a`: a condition or an edit.
    fn brought_here(&self, (root, path): Key<'p>, in_a: bool) -> Vec<Cause> {
        let [here, _] = self.sides(in_a);
        let there = self.documents(!in_a);
        let mut own = documents(here).filter(|(key, node)| {
            let other = self.nodes.other(*node, in_a);
            *key == (root, path) && !other.is_some_and(|other| there.brought(*key, other))
        });
        let found = own.next();
        found.map_or_else(Vec::new, |(_, node)| {
            self.around_member(Owner::Document(root, path), node, in_a)
        })
    }

    /// The changes below a node besides documents: conditions, facts, templates, and texts of the manifest.
    fn said_below(
        &self,
        [(here, node), (there, other)]: [(&Side<'p>, Option<usize>); 2],
        in_a: bool,
        out: &mut Vec<Cause>,
    ) {
        let flips = self.changes.flips.iter().filter(|f| {
            let when = |side: &Side<'p>, of: Option<usize>| {
                let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
                let asks = |n: usize| {
                    let when = nodes[n].property("when");
                    when.is_some_and(|value| value.is(f.expression))
                };
                (0..nodes.len()).any(|n| within(side, of, Some(n)) && asks(n))
            };
            when(here, node) || when(there, other)
        });
        add(out, flips.map(|f| f.cause.clone()).collect());
        let asked = &self.conditions_below(here, node) | &self.conditions_below(there, other);
        let printed = |name: &str| {
            let owns = |p: &OwnedRun<'p>| p.owner == Owner::Fact(name);
            let stands = |side: &Side<'p>, of: Option<usize>| {
                let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
                // A cut may have taken all that it printed.
                let is_it = |n: &usize| {
                    let said = &nodes[*n];
                    let is_fact = said.name == "fact" && said.arguments.iter().any(|v| v.is(name));
                    is_fact || said.is("template") && said.mentions(name)
                };
                let mut own = (0..nodes.len()).filter(is_it);
                own.any(|n| within(side, of, Some(n)))
            };
            asked.contains(name)
                || self.rows.a.iter().chain(&self.rows.b).any(owns)
                || stands(here, node)
                || stands(there, other)
        };
        let [of_a, of_b] = if in_a { [node, other] } else { [other, node] };
        // Numbers are reported separately, if they matter.
        let nodes = here.definition().map_or(&[][..], |d| &d.nodes);
        let own = |old: Option<usize>, new: Option<usize>| {
            let at = if in_a { old } else { new };
            // One that is further inside leaves other sizes to this one.
            at.is_none_or(|at| chain(nodes, at).iter().rev().nth(1).copied() == node)
        };
        let mut numbers = self.edits(|node| node.is("budget"));
        numbers.retain(|cause| {
            let mut edits = self.nodes.edits.iter().filter(|edit| edit.cause == *cause);
            edits.any(|edit| own(edit.a, edit.b))
        });
        let facts = self.direct(|what| match what {
            What::Fact(name) => node == Some(0) || printed(name),
            What::Template(_) | What::Let(_) => true,
            What::Edit(old, new) => within(self.a, of_a, old) || within(self.b, of_b, new),
            // The join of the tier is between members too.
            What::Tier => super::joins_differ(self.a, self.b, self.ground),
            What::Document(..) | What::Root => false,
        });
        let behind = |cause: &Cause| out.iter().any(|c| c.because.contains(cause));
        let found = |c: &Cause| behind(c) || numbers.contains(c);
        let facts: Vec<Cause> = facts.into_iter().filter(|c| !found(c)).collect();
        add(out, facts);
    }
}
