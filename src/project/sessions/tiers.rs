//! The frozen tiers, and the tiers that each call rebuilds.

use crate::compile::{GivenInputs, prepare};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest;
use crate::prompt::{Changes, Deliver, Prompt};
use crate::session::Inputs;
use crate::world::RecordedWorld;
use schemars::JsonSchema;
use serde::Serialize;

/// A tier of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Tier {
    pub(crate) tier: String,
    /// Its channel.
    pub(crate) channel: Deliver,
    pub(crate) changes: Changes,
    /// Whether its text is frozen; else it is rebuilt for each call, from the stored plan.
    pub(crate) frozen: bool,
    /// Its frozen text with the join before it; null if it is not frozen.
    pub(crate) bytes: Option<usize>,
}

/// The tiers of a build in order; none if this release cannot read its plan.
pub(crate) fn tiers(tape: &RecordedWorld, inputs: &Inputs, frozen: &Prompt) -> Option<Vec<Tier>> {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let tape = tape.replayed();
    let opened = manifest::open(&tape, inputs.manifest.as_deref(), &mut files, &mut diags);
    let plan = opened.and_then(|m| {
        let mut given = GivenInputs::default();
        inputs.remind(&m, &mut given);
        prepare(&m, &given, &tape, &mut files, &mut diags)
    });
    let plan = plan.ok()?;
    let bytes = |deliver, name: &str| {
        let channel = frozen.channel(deliver);
        let found = channel.and_then(|c| c.tiers.iter().find(|t| t.name == name));
        found.map_or(0, |tier| tier.end - tier.start)
    };
    let tier = |tier: crate::compile::TierPlan<'_>| Tier {
        tier: tier.written.name.value.clone(),
        channel: tier.deliver,
        changes: tier.changes,
        frozen: tier.frozen,
        bytes: tier
            .frozen
            .then(|| bytes(tier.deliver, &tier.written.name.value)),
    };
    Some(plan.tiers().map(tier).collect())
}
