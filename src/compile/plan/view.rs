//! A plan as checks use it, without building.

use super::{Fact, IdentityFact, Layer, Plan, Refresh, ReminderPlan, Why};
use crate::compile::merge;
use crate::diagnostic::span::Literal;
use crate::manifest::{self, Manifest, Program, TemplateRef};
use crate::prompt::{Changes, Deliver};
use crate::template::Analysis;
use std::collections::BTreeSet;

/// A tier, and how often it may change.
#[derive(Debug)]
pub struct TierPlan<'a> {
    /// As written.
    pub written: &'a manifest::Tier,
    /// The channel that it is part of.
    pub deliver: Deliver,
    /// Its declared volatility; the inferred one if it declares none.
    pub changes: Changes,
    /// How often it may change by what is in it and in the tiers before it.
    pub inferred: Changes,
    /// Whether a session freezes it: no tier of the volatility `turn` is in its channel up to here.
    pub frozen: bool,
    /// Its layers, in order.
    pub layers: Vec<LayerPlan<'a>>,
}

/// A layer, and why it changes as often as it does.
#[derive(Debug, Clone, Copy)]
pub struct LayerPlan<'a> {
    /// As written.
    pub written: &'a manifest::Layer,
    /// Its dependencies.
    pub why: &'a Why,
}

impl TierPlan<'_> {
    /// How often it may change by itself: what it promises, else the highest of its layers. None if it has no layers.
    #[must_use]
    pub fn own(&self) -> Option<Changes> {
        let inferred = self.layers.iter().map(|l| l.why.changes).max()?;
        let promised = self.written.changes.as_ref();
        Some(promised.map_or(inferred, |c| c.value))
    }
}

impl Plan {
    /// The manifest, with its bases.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The facts, in order.
    pub(in crate::compile) fn facts(&self) -> impl Iterator<Item = Fact<'_>> {
        let pairs = self.manifest.facts.iter().zip(&self.defaults);
        pairs.map(|(written, default)| Fact {
            written,
            default: default.as_ref(),
        })
    }

    /// The tiers, in order.
    pub fn tiers(&self) -> impl Iterator<Item = TierPlan<'_>> {
        let pairs = self.manifest.tiers.iter().zip(&self.tiers);
        pairs.map(|(written, tier)| TierPlan {
            written,
            deliver: tier.deliver,
            changes: tier.changes,
            inferred: tier.inferred,
            frozen: tier.frozen,
            layers: (written.layers.iter().zip(&tier.layers))
                .map(|(written, layer)| LayerPlan {
                    written,
                    why: &layer.why,
                })
                .collect(),
        })
    }

    /// The layers of the directory rules.
    pub(in crate::compile) fn directory_rules_layers(&self) -> &[Layer] {
        let tier = self.directory_rules.as_ref().map(|rules| &rules.tier);
        tier.map_or(&[], |tier| &tier.layers)
    }

    /// The facts that say who a session of this prompt is, in order.
    #[must_use]
    pub fn identity(&self) -> &[IdentityFact] {
        &self.identity
    }

    /// Whether a fact says who a session is.
    pub(in crate::compile) fn says_who(&self, fact: &str) -> bool {
        self.identity.iter().any(|who| who.fact() == fact)
    }

    /// When a session of this prompt is rebuilt.
    #[must_use]
    pub fn refresh(&self) -> &Refresh {
        &self.refresh
    }

    /// How a conversation gets the changes since its prompt was frozen.
    #[must_use]
    pub fn reminder(&self) -> &ReminderPlan {
        &self.reminder
    }

    /// The names that an expression uses, and the sources of its value.
    pub(in crate::compile) fn analysis(&self, expression: &Literal) -> Option<&Analysis> {
        let kept = self.expressions.get(&expression.span);
        kept.map(|kept| &*kept.analysis)
    }

    /// The roots that `exists()` looks into.
    pub fn asked_roots(&self) -> impl Iterator<Item = &str> {
        let of_directory_rules = self
            .directory_rules
            .iter()
            .flat_map(|directory_rules| directory_rules.questions.keys());
        let all = self.questions.keys().chain(of_directory_rules);
        all.map(|(root, _)| root.as_str())
    }

    /// A template, and what it uses and prints by itself.
    pub(super) fn kept(&self, template: &TemplateRef) -> Option<&(Program, Analysis)> {
        self.programs.get(&merge::key(template))
    }

    /// A template and those that it includes, extends or imports, each once, with what each uses and prints.
    #[must_use]
    pub fn template_with_included(&self, template: &TemplateRef) -> Vec<(&Program, &Analysis)> {
        let mut open = vec![merge::key(template)];
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        while let Some(key) = open.pop() {
            let Some((program, analysis)) = self.programs.get(&key) else {
                continue;
            };
            if seen.insert(key) {
                out.push((program, analysis));
                let included = analysis.templates.iter().rev();
                open.extend(included.map(|used| used.name.clone()));
            }
        }
        out
    }
}
