//! What decides that bytes stand there without owning one, where neither their owners nor their nodes say it.

use super::super::change::What;
use super::super::mention;
use super::super::model::{Cause, CauseKind};
use super::super::reads::Reads;
use super::super::rows::{Owner, Piece};
use super::super::side::Side;
use super::case::{Case, add};
use crate::prompt::{DefinitionNode, Ingredient, Value};
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
        let asked = || self.asked();
        let open = || self.unexplained();
        let askable = || self.askable();
        let steps: [&dyn Fn() -> Vec<Cause>; 3] = [&asked, &open, &askable];
        let mut found = steps.iter().map(|step| step());
        found.find(|own| !own.is_empty()).unwrap_or_default()
    }

    /// The same, without those that flip a condition or stand in a name: their change is explained.
    fn unexplained(&self) -> Vec<Cause> {
        let flips = self.changes.flips.iter();
        let flipping: Vec<&Cause> = flips.flat_map(|flip| &flip.cause.because).collect();
        let named = self.named();
        let mut out = self.askable();
        out.retain(|cause| {
            let stands = cause.fact.as_ref().is_some_and(|fact| named.contains(fact));
            !stands && !flipping.contains(&cause)
        });
        out
    }

    /// The facts that stand in nodes of the manifest.
    fn named(&self) -> BTreeSet<String> {
        let definitions = [self.a, self.b].into_iter().filter_map(Side::definition);
        let nodes = definitions.flat_map(|d| d.nodes.iter());
        nodes.flat_map(mention::facts).collect()
    }

    /// The same, without those that a condition or a node of the manifest asks for.
    pub(super) fn asked(&self) -> Vec<Cause> {
        self.of_templates(self.askable())
    }

    /// The same, of the template that prints a piece, if it stands in the manifest.
    pub(super) fn asked_of(&self, piece: &Piece<'p>, in_a: bool) -> Vec<Cause> {
        let [here, _] = self.sides(in_a);
        let mut out = self.asked();
        let node = piece.node.zip(here.definition());
        if let (Owner::Template(_, Some(_), _), Some((node, definition))) = (piece.owner, node)
            && let Some(node) = definition.nodes.get(node)
        {
            // Its statements are known, whatever conditions ask for too.
            let stated = self.direct(|what| matches!(what, What::Fact(f) if self.states(node, f)));
            out.retain(|c| c.fact.as_ref().is_some_and(|fact| self.asks(node, fact)));
            if !stated.is_empty() && !is_long(node) {
                return stated;
            }
            add(&mut out, stated);
        }
        out
    }

    /// Whether a statement of a template that is written out in a node names a fact, or a `let` that reads it.
    fn states(&self, node: &DefinitionNode, fact: &str) -> bool {
        let mut texts = node.values().filter_map(|value| match value {
            Value::Long { begins, .. } => Some(begins.as_str()),
            value => value.string(),
        });
        texts.any(|text| {
            let inside = text.split("{%").skip(1);
            let mut inside = inside.filter_map(|rest| rest.split("%}").next());
            inside.any(|statement| self.names(statement, fact))
        })
    }

    /// Whether a text has the name of a fact, or of a `let` that reads it.
    fn names(&self, text: &str, fact: &str) -> bool {
        let reads = |name: &str| {
            let own = Reads::of(name, [self.a, self.b]);
            own.names.iter().any(|read| read == fact)
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = text.split(|c| !is_word(c)).filter(|w| !w.is_empty());
        words.any(|word| word == fact || reads(word))
    }

    /// Whether a text of a node can ask for a fact, by its own name or by that of a `let` that reads it.
    pub(super) fn asks(&self, node: &DefinitionNode, fact: &str) -> bool {
        // Of a long string a map shows the beginning.
        if is_long(node) && !node.is("text") {
            return true;
        }
        let text = node.to_string();
        (text.contains("{%") || text.contains("{{")) && self.names(&text, fact)
    }

    /// Whether a template can ask for a fact: what one in a file asks for is not known.
    pub(super) fn can_be_asked(&self, fact: &str) -> bool {
        [self.a, self.b].into_iter().any(|side| {
            let nodes = side.definition().map_or(&[][..], |d| &d.nodes);
            let mut files = side.ingredients().iter().filter_map(|i| match i {
                Ingredient::Template {
                    file, line: None, ..
                } => Some(file),
                _ => None,
            });
            let named = |file: &String| {
                let mut values = nodes.iter().flat_map(|n| n.values().collect::<Vec<_>>());
                values.any(|value| value.is(file))
            };
            files.any(named) || nodes.iter().any(|node| self.asks(node, fact))
        })
    }

    fn of_templates(&self, mut out: Vec<Cause>) -> Vec<Cause> {
        if out.is_empty() {
            return out;
        }
        let named = self.named();
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

    /// Changed facts without a byte in either text that a template can ask for.
    fn askable(&self) -> Vec<Cause> {
        let mut out = self.unprinted();
        out.retain(|c| c.fact.as_ref().is_some_and(|f| self.can_be_asked(f)));
        out
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

/// Whether a string of a node is too long to be written out.
pub(super) fn is_long(node: &DefinitionNode) -> bool {
    node.values()
        .any(|value| matches!(value, Value::Long { .. }))
}
