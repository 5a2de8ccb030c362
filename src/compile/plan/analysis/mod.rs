//! The behaviour of all programs of a plan, for checks: the abstract interpreter, applied to whole manifests. Answers
//! are plain: no caller runs a program or tries a case.

mod site;
mod prints;
mod cases;
mod runs;
mod branches;
mod roots;

pub use branches::{SettledTest, UnreachedMember};
pub use prints::{Print, Step};
pub use site::{NodeUse, ProgramUse, Site, Written};

use super::{LayerPlan, Plan, TierPlan, What, lets};
use crate::diagnostic::span::{Literal, Span};
use crate::manifest::{Fact, NodeKind};
use crate::template::analyse::{AbstractEnv, AbstractValue};
use cases::{Cases, Comparisons};
use runs::Runs;
use site::Walk;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most bytes of conditions that are tried, each once for each case, to see which nodes exclude each other.
const MAX_TRIED: usize = 4_000_000;

/// A plan prepared for checks. It borrows the plan, since trees of programs borrow their texts.
#[derive(Debug)]
pub struct PlanAnalysis<'p> {
    plan: &'p Plan,
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
    cases: Cases<'p>,
    /// The programs, read once one is run.
    runs: OnceCell<Runs<'p>>,
    /// The part of [`MAX_TRIED`] that may still be tried.
    left: Cell<usize>,
}

/// A place at which a build fails without an optional fact.
#[derive(Debug)]
pub struct FailsWithout<'a, 'p> {
    /// The fact.
    pub fact: &'p Fact,
    /// The program that is run.
    pub used: &'a ProgramUse<'p>,
    /// Where it fails, or a template that it includes.
    pub span: Span,
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
            cases: Cases::new(self),
            runs: OnceCell::new(),
            left: Cell::new(MAX_TRIED),
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

    /// Where a build fails without an optional fact: of each layer and fact the first place, since the build ends there.
    #[must_use]
    pub fn fails_without(&self) -> Vec<FailsWithout<'_, 'p>> {
        let facts = self.plan.manifest().facts.iter();
        let mut facts = facts.filter(|fact| cases::may_be_missing(fact)).peekable();
        if facts.peek().is_none() {
            return Vec::new();
        }
        let runs = self.runs();
        let groups = self.groups().filter_map(|group| {
            let used = group.first()?;
            Some((used, self.cases.compared(group, &used.site.conditions)))
        });
        let groups: Vec<_> = groups.collect();
        let mut out = Vec::new();
        for fact in facts {
            let name = fact.name.value.as_str();
            let (mut layers, mut places) = (BTreeSet::new(), BTreeSet::new());
            for (used, _) in groups.iter().filter(|(_, reads)| reads.contains_key(name)) {
                let case = BTreeMap::from([(name, AbstractValue::missing())]);
                let setting = runs.inside(&used.site.conditions, case);
                let setting = setting.filter(|setting| !runs.is_idle(used, setting));
                let shown = setting.and_then(|setting| runs.run(used, &setting));
                let Some(failure) = shown.as_ref().and_then(|shown| shown.failures.first()) else {
                    continue;
                };
                let (span, _) = runs.place(used, failure);
                let layer = used.site.layer.map(|l| l.span);
                if layer.is_some_and(|layer| layers.contains(&layer)) || !places.insert(span) {
                    continue;
                }
                layers.extend(layer);
                out.push(FailsWithout { fact, used, span });
            }
        }
        out
    }

    /// Whether a prompt may have text of both nodes, as far as conditions and groups show. After too many attempts for
    /// other nodes, the answer is no.
    #[must_use]
    pub fn may_both_yield(&self, a: &NodeUse<'_>, b: &NodeUse<'_>) -> bool {
        let shared = a
            .way()
            .zip(b.way())
            .take_while(|(x, y)| std::ptr::eq(*x, *y));
        if (shared.last()).is_some_and(|(group, _)| matches!(group.kind, NodeKind::First(_))) {
            return false;
        }
        let mut conditions = a.site.conditions.clone();
        let own = b.site.conditions.iter();
        conditions
            .extend(own.filter(|c| !a.site.conditions.iter().any(|of_a| of_a.span == c.span)));
        conditions.is_empty() || self.may_all_hold(&conditions)
    }

    fn may_all_hold(&self, conditions: &[&Literal]) -> bool {
        if self.left.get() == 0 {
            return false;
        }
        let compared = self.cases.compared(&[], conditions);
        let cases = self.cases.cases(&compared);
        let bytes: usize = conditions.iter().map(|c| c.text.len()).sum();
        let cost = cases.len() * (bytes + compared.len());
        let left = self.left.get().checked_sub(cost);
        self.left.set(left.unwrap_or(0));
        let possible = |case| self.runs().inside(conditions, case).is_some();
        left.is_some() && cases.into_iter().any(possible)
    }

    fn runs(&self) -> &Runs<'p> {
        self.runs.get_or_init(|| Runs::new(self.plan))
    }

    /// The programs as they are run: each with those that it includes.
    fn groups(&self) -> impl Iterator<Item = &[ProgramUse<'p>]> {
        let included = |used: &ProgramUse<'_>| matches!(used.written, Written::Included);
        self.programs.chunk_by(move |_, next| included(next))
    }

    /// The known values in each case that can be distinguished and in which these conditions hold.
    fn settings(
        &self,
        compared: &Comparisons,
        conditions: &[&Literal],
    ) -> impl Iterator<Item = AbstractEnv<'_>> {
        let cases = self.cases.cases(compared).into_iter();
        cases.filter_map(|case| self.runs().inside(conditions, case))
    }
}
