//! The texts of layers that facts alone decide, in a scenario: what a check can know without the files that a build reads.

use super::bind;
use super::given::GivenInputs;
use super::layer_facts::LayerFacts;
use super::load;
use super::plan::{Layer, Needs, Plan, What, linked_names};
use super::render::{Finished, Renderer};
use crate::diagnostic::Diagnostics;
use crate::manifest::Scenario;
use crate::template::fact::FactValue;
use crate::world::MapWorld;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The text that a scenario gives layers that facts alone decide.
#[derive(Debug)]
pub struct FactTexts<'p> {
    /// Their texts, by name; none where such a layer is absent. Of a layer that fails nothing is known.
    texts: BTreeMap<&'p str, Option<String>>,
    facts: BTreeMap<String, FactValue>,
}

impl Plan {
    /// The texts of those of these layers that facts alone decide; none if the scenario lacks a value that one needs. The budgets
    /// of tiers and of the prompt are left out of account.
    #[must_use]
    pub fn fact_texts(
        &self,
        scenario: &Scenario,
        layers: &BTreeSet<&str>,
    ) -> Option<FactTexts<'_>> {
        let all = self.tiers.iter().flat_map(|tier| &tier.layers);
        let those = all.filter(|layer| layers.contains(&*layer.name) && is_of_facts(layer));
        let those: Vec<&Layer> = those.collect();
        let given = GivenInputs {
            scenario: Some(scenario.name.value.clone()),
            ..GivenInputs::default()
        };
        let needs = Needs::of(those.iter().copied());
        let world = MapWorld::new();
        // A failure here is also a failure of a build, and is reported there.
        let mut unheard = Diagnostics::default();
        let bound = bind::bind(self, &given, &world, &needs, &mut unheard).ok()?;
        let asked = LayerFacts::default();
        let mut texts = BTreeMap::new();
        for layer in those {
            let loaded = load::alone(self, &bound, &world, (layer, &asked), &mut unheard);
            let mut renderer = Renderer {
                plan: self,
                bound: &bound,
                asked: &asked,
                diags: &mut unheard,
            };
            let finished = loaded.and_then(|loaded| match loaded {
                Some(present) => renderer.finish(layer, present, None).map(Some),
                None => Ok(None),
            });
            let text = match finished {
                Ok(Some(Finished::Text(text, _))) => Some(text.as_str().to_owned()),
                Ok(Some(Finished::Nothing(..)) | None) => None,
                Err(_) => continue,
            };
            texts.insert(&*layer.name, text);
        }
        let facts = bound.facts;
        Some(FactTexts { texts, facts })
    }

    /// The facts that a layer can read, by name.
    #[must_use]
    pub fn facts_of(&self, layer: &str) -> BTreeSet<Arc<str>> {
        let mut all = self.tiers.iter().flat_map(|tier| &tier.layers);
        let layer = all.find(|l| &*l.name == layer);
        layer.map_or_else(BTreeSet::new, |layer| {
            linked_names(&layer.why.reasons, What::Fact)
        })
    }
}

/// Whether facts decide about a layer, and nothing else but the text of programs does: no file, and no other layer.
fn is_of_facts(layer: &Layer) -> bool {
    let links = || layer.why.reasons.iter().flat_map(|reason| &reason.links);
    let reads = links().any(|link| link.what == What::Fact);
    reads
        && links().all(|link| {
            !matches!(
                link.what,
                What::Root | What::Exists | What::Loaded | What::Imports
            )
        })
}

impl FactTexts<'_> {
    /// Whether the texts of a layer are known in both, and differ.
    #[must_use]
    pub fn differ(&self, other: &Self, layer: &str) -> bool {
        let texts = self.texts.get(layer).zip(other.texts.get(layer));
        texts.is_some_and(|(a, b)| a != b)
    }

    /// Whether a fact has another value in the other scenario.
    #[must_use]
    pub fn has_other(&self, other: &Self, fact: &str) -> bool {
        self.facts.get(fact) != other.facts.get(fact)
    }
}
