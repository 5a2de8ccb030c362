//! The facts and roots whose values a caller needs; and the plans of parts of a manifest, which need only those that the
//! part can read.

use super::programs::Questions;
use super::why::{What, linked_names};
use super::{Layer, Plan, Tier};
use crate::manifest::Order;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The facts and roots that are given a value or folder. The others have none, and what is computed from them neither.
#[derive(Debug, Clone)]
pub struct Needs {
    /// The facts by their names; all if there is no list.
    facts: Option<BTreeSet<Arc<str>>>,
    /// The roots, likewise.
    roots: Option<BTreeSet<Arc<str>>>,
    missing: Missing,
}

/// The handling of a required fact without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// It is an error.
    Error,
    /// It stays without. Nothing is computed from facts then: what computes with them may count on their values.
    Null,
}

impl Needs {
    /// All facts and roots.
    #[must_use]
    pub fn all() -> Self {
        Self::named(None, None)
    }

    /// The needs of these layers: all that they can read.
    pub(in crate::compile) fn of<'l>(layers: impl IntoIterator<Item = &'l Layer>) -> Self {
        let (mut facts, mut roots) = (BTreeSet::new(), BTreeSet::new());
        for layer in layers {
            facts.extend(linked_names(&layer.why.reasons, What::Fact));
            roots.extend(linked_names(&layer.why.reasons, What::Root));
        }
        Self::named(Some(facts), Some(roots))
    }

    /// The needs with these names, where there is a list.
    pub(in crate::compile) fn named(
        facts: Option<BTreeSet<Arc<str>>>,
        roots: Option<BTreeSet<Arc<str>>>,
    ) -> Self {
        Self {
            facts,
            roots,
            missing: Missing::Error,
        }
    }

    /// These needs without errors for missing required facts, and without lets.
    pub(in crate::compile) fn or_null(self) -> Self {
        Self {
            missing: Missing::Null,
            ..self
        }
    }

    /// Whether the fact called `name` gets a value.
    pub(in crate::compile) fn fact(&self, name: &str) -> bool {
        self.facts.as_ref().is_none_or(|facts| facts.contains(name))
    }

    /// Whether the root called `name` gets its folders.
    pub(in crate::compile) fn root(&self, name: &str) -> bool {
        self.roots.as_ref().is_none_or(|roots| roots.contains(name))
    }

    /// The lets that are computed: all facts that each reads have been looked up, and exist if they must.
    pub(in crate::compile) fn computed<'p>(&self, plan: &'p Plan) -> BTreeSet<&'p str> {
        let mut out = BTreeSet::new();
        for item in &plan.manifest.lets {
            let name = item.name.value.as_str();
            let mut reads = plan.lets.get(name).into_iter().flatten();
            if self.missing == Missing::Error
                && reads.all(|name| {
                    if plan.lets.contains_key(&**name) {
                        out.contains(&**name)
                    } else {
                        self.fact(name)
                    }
                })
            {
                out.insert(name);
            }
        }
        out
    }

    /// Whether a fact without a value that must have one is an error.
    pub(in crate::compile) fn must_be_there(&self) -> bool {
        self.missing == Missing::Error
    }
}

/// The directory rules, resolved.
#[derive(Debug)]
pub(super) struct DirectoryRules {
    pub(super) reach: Reach,
    /// A tier of one layer.
    pub(super) tier: Tier,
    /// The files that `exists()` looks for in it.
    pub(super) questions: Questions,
}

/// The folders with directory rules.
#[derive(Debug, Clone)]
pub(in crate::compile) struct Reach {
    /// The root that they lie inside of.
    pub(in crate::compile) root: Arc<str>,
    /// The most of them that one path leads to.
    pub(in crate::compile) levels: Option<usize>,
    /// Their order.
    pub(in crate::compile) order: Order,
}

impl Plan {
    /// The plan of the directory rules' text alone, the folders that it is made for, and what it reads; none if there are no directory rules.
    pub(in crate::compile) fn into_directory_rules(mut self) -> Option<(Self, Reach, Needs)> {
        let DirectoryRules {
            reach,
            tier,
            questions,
        } = self.directory_rules.take()?;
        let needs = Needs::of(&tier.layers);
        let plan = Self {
            questions,
            budget: None,
            tiers: vec![tier],
            ..self
        };
        Some((plan, reach, needs))
    }

    /// The plan of one layer alone, and what that reads; none if there is no such layer.
    pub(in crate::compile) fn into_layer(mut self, name: &str) -> Option<(Self, Needs)> {
        for tier in &mut self.tiers {
            tier.layers.retain(|layer| &*layer.name == name);
        }
        self.tiers.retain(|tier| !tier.layers.is_empty());
        let needs = Needs::of(self.tiers.iter().flat_map(|tier| &tier.layers));
        (!self.tiers.is_empty()).then_some((self, needs))
    }
}
