//! Which names are read: by programs, and by what is no program.

use super::Context;
use crate::manifest::{
    Budget, Except, FileName, Layer, Limit, Lit, Manifest, Node, NodeKind, Scan, Source, Tier,
    Transforms,
};
use std::collections::BTreeSet;

/// All facts and lets that something besides a `let` reads, sessions too, and those that these lets read.
#[must_use]
pub(super) fn all(context: &Context<'_>) -> BTreeSet<String> {
    let mut open = beside_programs(context.manifest());
    open.extend(context.plan.refresh().facts.iter().map(|f| f.value.clone()));
    for used in &context.programs {
        if used.kind != super::ProgramKind::Let {
            open.extend(used.analysis.names.iter().map(|n| n.name.clone()));
        }
    }
    let mut read = BTreeSet::new();
    while let Some(name) = open.pop_first() {
        let behind = context.plan.let_reads(&name).iter();
        open.extend(
            behind
                .filter(|n| !read.contains(&***n))
                .map(|n| n.to_string()),
        );
        read.insert(name);
    }
    read
}

/// The names that stand where a literal is expected, and in sources.
#[must_use]
pub(super) fn beside_programs(manifest: &Manifest) -> BTreeSet<String> {
    let mut reads = Reads::default();
    for root in &manifest.roots {
        reads.maybe(root.shown.as_ref());
    }
    if let Some(budget) = &manifest.budget {
        reads.lit(&budget.max);
    }
    for tier in &manifest.tiers {
        reads.tier(tier);
    }
    if let Some(hint) = &manifest.hint {
        reads.tier(&hint.tier);
    }
    let reminder = manifest.session.iter().filter_map(|s| s.reminder.as_ref());
    for budget in reminder.flat_map(|r| &r.budgets) {
        reads.budget(budget);
    }
    reads.0
}

#[derive(Default)]
struct Reads(BTreeSet<String>);

impl Reads {
    fn lit<T>(&mut self, lit: &Lit<T>) {
        if let Lit::Fact(name) = lit {
            self.0.insert(name.value.clone());
        }
    }

    fn maybe<T>(&mut self, lit: Option<&Lit<T>>) {
        lit.into_iter().for_each(|l| self.lit(l));
    }

    fn tier(&mut self, tier: &Tier) {
        self.maybe(tier.reserve.as_ref());
        self.maybe(tier.budget.as_ref().map(|b| &b.max));
        self.transforms(&tier.transforms);
        for layer in &tier.layers {
            self.layer(layer);
        }
    }

    fn layer(&mut self, layer: &Layer) {
        self.maybe(layer.priority.as_ref());
        self.maybe(layer.min.as_ref());
        self.transforms(&layer.transforms);
        layer.budgets.iter().for_each(|b| self.budget(b));
        let parts = layer.parts.iter().map(|p| &p.content);
        for node in layer.content.iter().chain(parts) {
            self.node(node);
        }
    }

    fn transforms(&mut self, transforms: &Transforms) {
        let Some(scan) = transforms.scan.as_ref().and_then(Scan::used) else {
            return;
        };
        self.maybe(scan.scope.as_ref());
        if let Some(Except::Fact(name)) = &scan.except {
            self.0.insert(name.value.clone());
        }
    }

    fn budget(&mut self, budget: &Budget) {
        match &budget.limit {
            Limit::One(max) | Limit::Leading(max) | Limit::Entries(max) => self.lit(max),
            Limit::Documents {
                each, total, floor, ..
            } => [each, total, floor]
                .into_iter()
                .for_each(|l| self.maybe(l.as_ref())),
        }
        self.maybe(budget.head.as_ref());
        self.maybe(budget.tail.as_ref());
        self.maybe(budget.step.as_ref());
    }

    fn node(&mut self, node: &Node) {
        self.maybe(node.settings.label.as_ref());
        self.maybe(node.settings.about.as_ref());
        self.transforms(&node.transforms);
        node.budgets.iter().for_each(|b| self.budget(b));
        match &node.kind {
            NodeKind::First(members) | NodeKind::All { members, .. } => {
                members.iter().for_each(|m| self.node(m));
            }
            NodeKind::Source(source) => self.source(source),
            NodeKind::Base { .. } => {}
        }
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Fact(name) => drop(self.0.insert(name.value.clone())),
            Source::Reading(reading) => {
                let facts = reading.names.iter().flat_map(FileName::facts);
                self.0.extend(facts.map(|name| name.value.clone()));
                self.maybe(reading.capacity.as_ref());
                reading.choice.lits().for_each(|l| self.lit(l));
            }
            Source::Text(_) | Source::Template(_) => {}
        }
    }
}
