//! The input of rules.

use super::order::{self, Order};
use super::sizes::Sizes;
use super::{Build, Frequencies, Options};
use crate::compile::{Plan, PlanAnalysis};
use crate::diagnostic::span::Files;
use crate::manifest::{Fact, Manifest};
use crate::prompt::Changes;
use crate::request::cost::CostQuery;

/// A plan, taken apart for rules, and what else is known.
#[derive(Debug)]
pub struct Context<'a> {
    /// The plan to check.
    pub plan: &'a Plan,
    /// The contents of the plan and the effects of its programs.
    pub analysis: PlanAnalysis<'a>,
    /// The text of its files.
    pub files: &'a Files,
    /// Prompts that were built from it; none without `--sources`.
    pub builds: &'a [Build],
    /// The size of each layer, if it is known.
    pub sizes: Option<Sizes>,
    /// How often layers changed in requests that were sent, if some were read.
    pub frequencies: Option<&'a Frequencies>,
    /// The minimum prefix that a provider caches, in tokens.
    pub min_prefix: usize,
    /// The model that figures are for, if one is named.
    pub asked: Option<&'a CostQuery>,
    /// The requested base that the manifest does not extend.
    pub missing_base: Option<&'a str>,
    /// The moves of tiers that save most; none if nothing should move.
    pub order: Option<Order>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        files: &'a Files,
        builds: &'a [Build],
        options: &'a Options,
    ) -> Self {
        let mut context = Self {
            plan,
            analysis: plan.analyse(),
            files,
            builds,
            sizes: Sizes::of(builds, options.asked.as_ref()).or_else(|| options.recorded.clone()),
            frequencies: options.frequencies.as_ref(),
            min_prefix: options.min_prefix,
            asked: options.asked.as_ref(),
            missing_base: options.missing_base.as_deref(),
            order: None,
        };
        context.order = order::order(&context);
        context
    }

    /// The manifest, with its bases.
    #[must_use]
    pub fn manifest(&self) -> &'a Manifest {
        self.plan.manifest()
    }

    /// Whether a fact is the time at which a session begins: from the clock, declared to change from session to session, in a
    /// manifest that says what a session is. A prompt that is built at each call has no such time.
    #[must_use]
    pub fn is_session_start(&self, fact: &Fact) -> bool {
        let declared = fact.changes.as_ref().map(|c| c.value);
        fact.clock.is_some()
            && declared == Some(Changes::Session)
            && self.manifest().session.is_some()
    }
}
