//! What decides that bytes stand there without owning one.

use super::super::change::What;
use super::super::model::{Cause, CauseKind};
use super::super::side::Side;
use super::case::Case;
use super::owner::prints;
use crate::prompt::{Ingredient, Span};
use crate::text::SpanKind;

impl<'p> Case<'_, 'p> {
    /// Nobody who owns bytes of the hunk changed: what decided that they stand there?
    pub(super) fn decided(&self, cut: bool) -> Vec<Cause> {
        if cut {
            let budgets = self.edits_of_budgets();
            return match budgets.is_empty() {
                true => self.cut(),
                false => budgets,
            };
        }
        let flips = || self.changes.flips.iter().map(|f| f.cause.clone()).collect();
        let edits = || self.edits(|_| true);
        let silent = || self.facts_that_print_nothing();
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
        // A template's own text comes and goes by what the template asks; all else by what the manifest says.
        let steps: [Step<'_>; 7] = match self.of_templates() {
            false if self.only_moved() => {
                [&edits, &flips, &silent, &documents, &rest, &tier, &private]
            }
            true => [&silent, &documents, &flips, &edits, &rest, &tier, &private],
            false => [&flips, &edits, &silent, &documents, &rest, &tier, &private],
        };
        let found = steps
            .iter()
            .map(|step| step())
            .find(|found| !found.is_empty());
        found.unwrap_or_else(|| vec![Cause::new(CauseKind::Unexplained)])
    }

    /// Whether all that stands at the difference stands on the other side too, at another place.
    fn only_moved(&self) -> bool {
        let known = |spans: &[Span], here: &Side<'p>, there: &Side<'p>| {
            let mut owned = spans.iter().filter_map(|s| here.ingredient(s.ingredient));
            owned.all(|i| prints(there, i))
        };
        let some = !self.front.a.is_empty() || !self.front.b.is_empty();
        some && known(self.front.a, self.a, self.b) && known(self.front.b, self.b, self.a)
    }

    /// Whether only a template's own text stands at the difference.
    fn of_templates(&self) -> bool {
        let of = |spans: &[Span]| spans.iter().all(|s| s.kind == SpanKind::Template);
        of(self.front.a) && of(self.front.b)
    }

    /// Changed facts without a byte in either text: they decide about others.
    pub(super) fn facts_that_print_nothing(&self) -> Vec<Cause> {
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
        let silent = self.direct(|what| matches!(what, What::Fact(name) if !prints(name)));
        // What a condition of the manifest asks for is rather that condition's.
        let asked = |cause: &Cause| {
            let fact = cause.fact.as_ref();
            fact.is_some_and(|fact| self.changes.asked.contains(fact))
        };
        let own: Vec<Cause> = silent.iter().filter(|c| !asked(c)).cloned().collect();
        if own.is_empty() { silent } else { own }
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
