//! What decides that bytes stand there without owning one, where neither their owners nor their nodes say it.

use super::super::change::What;
use super::super::mention;
use super::super::model::{Cause, CauseKind};
use super::super::side::Side;
use super::case::Case;
use crate::prompt::Ingredient;
use std::collections::BTreeSet;

impl<'p> Case<'_, 'p> {
    /// Nobody who owns bytes at the break changed, and nothing around them: what else decided?
    pub(super) fn decided(&self) -> Vec<Cause> {
        let flips = || self.changes.flips.iter().map(|f| f.cause.clone()).collect();
        let edits = || self.edits(|_| true);
        let silent = || self.silent();
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

    /// Changed facts without a byte in either text: a template asks for them. Those that a condition of the manifest asks for
    /// are rather that condition's, if there are others.
    pub(super) fn silent(&self) -> Vec<Cause> {
        match self.asked() {
            own if own.is_empty() => self.unprinted(),
            own => own,
        }
    }

    /// The same, without those that a condition or a node of the manifest asks for.
    pub(super) fn asked(&self) -> Vec<Cause> {
        self.of_templates(self.unprinted())
    }

    fn of_templates(&self, mut out: Vec<Cause>) -> Vec<Cause> {
        if out.is_empty() {
            return out;
        }
        let definitions = [self.a, self.b].into_iter().filter_map(Side::definition);
        let nodes = definitions.flat_map(|d| d.nodes.iter());
        let named: BTreeSet<String> = nodes.flat_map(mention::facts).collect();
        out.retain(|cause| {
            let fact = cause.fact.as_ref();
            !fact.is_some_and(|fact| self.changes.asked.contains(fact) || named.contains(fact))
        });
        out
    }

    /// Changed facts that no condition or node of the manifest asks for.
    pub(super) fn asked_and_printed(&self) -> Vec<Cause> {
        let facts = self.direct(|what| matches!(what, What::Fact(_)));
        self.of_templates(facts)
    }

    fn unprinted(&self) -> Vec<Cause> {
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
