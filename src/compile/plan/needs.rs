//! Plans of parts of a manifest, which ask for no more facts and roots than these can reach.

use super::programs::Questions;
use super::why::{What, Why};
use super::{Plan, Tier};
use crate::manifest::Order;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Facts and roots by their names.
#[derive(Debug, Default)]
pub(in crate::compile) struct Needs {
    facts: BTreeSet<Arc<str>>,
    roots: BTreeSet<Arc<str>>,
}

impl Needs {
    /// Adds all that something depends on.
    pub(super) fn add(&mut self, why: &Why) {
        for link in why.chains.iter().flat_map(|chain| &chain.links) {
            match link.what {
                What::Fact => _ = self.facts.insert(link.name.clone()),
                What::Root => _ = self.roots.insert(link.name.clone()),
                _ => {}
            }
        }
    }

    fn fact(&self, name: &str) -> bool {
        self.facts.contains(name)
    }

    fn root(&self, name: &str) -> bool {
        self.roots.contains(name)
    }
}

/// The hint, resolved.
#[derive(Debug)]
pub(super) struct Hint {
    pub(super) reach: Reach,
    /// A tier of one layer.
    pub(super) tier: Tier,
    /// The files that `exists()` asks for in it.
    pub(super) questions: Questions,
}

/// Which folders are hinted at.
#[derive(Debug, Clone)]
pub(in crate::compile) struct Reach {
    /// The root that they lie inside of.
    pub(in crate::compile) root: Arc<str>,
    /// How many of them one path leads to at most.
    pub(in crate::compile) levels: Option<usize>,
    /// In which order they stand.
    pub(in crate::compile) order: Order,
}

impl Plan {
    /// The plan of the hint's text alone, which asks for no more facts and roots than that reads; and the folders that it
    /// is made for.
    pub(in crate::compile) fn into_hint(mut self) -> Option<(Self, Reach)> {
        let Hint {
            reach,
            tier,
            questions,
        } = self.hint.take()?;
        let mut needs = Needs::default();
        tier.layers.iter().for_each(|layer| needs.add(&layer.why));
        let plan = Self {
            questions,
            budget: None,
            tiers: vec![tier],
            needs: Some(needs),
            ..self
        };
        Some((plan, reach))
    }

    /// The plan of one layer alone, which asks for no more facts and roots than it reads.
    pub(in crate::compile) fn into_layer(mut self, name: &str) -> Option<Self> {
        let mut needs = Needs::default();
        for tier in &mut self.tiers {
            tier.layers.retain(|layer| &*layer.name == name);
            tier.layers.iter().for_each(|layer| needs.add(&layer.why));
        }
        self.tiers.retain(|tier| !tier.layers.is_empty());
        (!self.tiers.is_empty()).then(|| Self {
            needs: Some(needs),
            ..self
        })
    }

    /// Whether `name` is a fact that nothing in the plan can read.
    pub(in crate::compile) fn does_without(&self, name: &str) -> bool {
        let is_fact = || self.facts.iter().any(|f| f.written.name.value == name);
        let needs = self.needs.as_ref();
        needs.is_some_and(|needs| !needs.fact(name) && is_fact())
    }

    /// Whether the root called `name` must have a folder.
    pub(in crate::compile) fn needs_root(&self, name: &str) -> bool {
        self.needs.as_ref().is_none_or(|needs| needs.root(name))
    }
}
