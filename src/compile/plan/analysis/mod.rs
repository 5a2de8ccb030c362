//! A plan taken apart for checks: its programs, nodes and layers with their locations, and what is printed and read.

mod site;
mod prints;
mod roots;

pub use prints::{Print, Step};
pub use site::{NodeUse, ProgramUse, Site, Written};

use super::{LayerPlan, Plan, TierPlan, What, lets};
use site::Walk;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A plan prepared for checks. It borrows the plan, since trees of programs borrow their texts.
#[derive(Debug)]
pub struct PlanAnalysis<'p> {
    pub(in crate::compile) plan: &'p Plan,
    /// The tiers, in order.
    pub tiers: Vec<TierPlan<'p>>,
    /// Every program, in order.
    pub programs: Vec<ProgramUse<'p>>,
    /// Every content node, in order, groups before their members.
    pub nodes: Vec<NodeUse<'p>>,
    /// Every place at which a fact is printed, in order.
    pub prints: Vec<Print<'p>>,
    /// The layers by name, with their locations.
    layers: BTreeMap<&'p str, (LayerPlan<'p>, Site<'p>)>,
}

impl Plan {
    /// The plan prepared for checks.
    #[must_use]
    pub fn analyse(&self) -> PlanAnalysis<'_> {
        let tiers: Vec<TierPlan<'_>> = self.tiers().collect();
        let met = Walk::new(self, &tiers);
        let prints = prints::prints(self, &met);
        let layers = tiers.iter().flat_map(|tier| tier.layers.iter().copied());
        let layers = layers
            .zip(met.layers)
            .map(|both| (both.0.written.name.value.as_str(), both));
        PlanAnalysis {
            plan: self,
            layers: layers.collect(),
            programs: met.programs,
            nodes: met.nodes,
            prints,
            tiers,
        }
    }
}

impl<'p> PlanAnalysis<'p> {
    /// The layer of that name, with its location.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<&(LayerPlan<'p>, Site<'p>)> {
        self.layers.get(name)
    }

    /// The layers of the prompt, each with its location.
    pub fn layers(&self) -> impl Iterator<Item = &(LayerPlan<'p>, Site<'p>)> {
        self.layers.values()
    }

    /// The content nodes that are part of the prompt, in order.
    pub fn of_prompt(&self) -> impl Iterator<Item = &NodeUse<'p>> {
        self.nodes
            .iter()
            .filter(|n| n.site.directory_rules.is_none())
    }

    /// The facts and lets that something besides a let reads, sessions too, and those that these lets read.
    #[must_use]
    pub fn read(&self) -> BTreeSet<Arc<str>> {
        let sessions = self.plan.refresh.facts.iter().map(|f| &f.value);
        let programs = self.programs.iter().filter(|used| used.what != What::Let);
        let names = programs.flat_map(|used| used.analysis.names.iter().map(|n| &n.name));
        let all = self.plan.read.iter().chain(sessions).chain(names);
        lets::read_with(&self.plan.lets, all.map(String::as_str))
            .into_iter()
            .collect()
    }

    /// The programs as they are run: each with those that it includes.
    pub(in crate::compile) fn groups(&self) -> impl Iterator<Item = &[ProgramUse<'p>]> {
        let included = |used: &ProgramUse<'_>| matches!(used.written, Written::Included);
        self.programs.chunk_by(move |_, next| included(next))
    }
}
