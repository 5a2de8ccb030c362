//! What a session keeps of a prompt, and the rest made anew from the same plan.
//!
//! Kept are, of each channel, the tiers in front of its first turn tier. A tier's bytes depend on itself and on what stands
//! before it, so the kept text is the same whatever comes behind it.

use super::fit::Fitted;
use super::load::Loaded;
use super::plan::{Plan, Tier};
use super::{Given, assemble, bind, fit, load, render};
use crate::diagnostic::{Diagnostics, Reported};
use crate::prompt::{Channel, Deliver, Prompt, sha256};
use crate::world::World;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The part of a prompt that a session keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Frozen {
    /// The kept tiers as a prompt of their own.
    pub prompt: Prompt,
    /// The layers of them that count as loaded, for `loaded()` in the tiers behind.
    pub loaded: BTreeSet<String>,
}

/// A prompt and what a session keeps of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Freezing {
    /// The whole prompt.
    pub prompt: Prompt,
    /// What is kept.
    pub frozen: Frozen,
    /// Facts that the caller or the environment gave, as JSON; neither private ones nor those of the class `turn`.
    pub remembered: BTreeMap<String, Json>,
    /// The private facts that had a value.
    pub private: Vec<String>,
    /// The values of the facts that were asked for, as JSON; null if missing.
    pub watched: BTreeMap<String, Json>,
}

/// Stages 3 to 7, for a session: as [`build`](super::build), with what is to be kept. `watch` are facts whose values the
/// caller wants to know.
///
/// # Errors
/// As [`build`](super::build).
pub fn freeze(
    plan: &Plan,
    given: &Given,
    watch: &[String],
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Freezing, Reported> {
    let bound = bind::bind(plan, given, world, diags)?;
    let loaded = load::load(plan, &bound, world, diags)?;
    let counts = loaded_layers(plan, &loaded);
    let rendered = render::render(plan, &bound, loaded, diags)?;
    let fitted = fit::fit(plan, &bound, rendered, diags)?;
    let prompt = assemble::assemble(plan, fitted);
    Ok(Freezing {
        frozen: Frozen {
            prompt: kept(plan, &prompt),
            loaded: counts,
        },
        remembered: bound.remembered(plan),
        private: bound.private(plan),
        watched: bound.watched(watch),
        prompt,
    })
}

/// Stages 3 to 7 for the tiers that are not kept, behind those that are.
///
/// # Errors
/// As [`build`](super::build).
pub fn resume(
    plan: &Plan,
    front: Arc<Frozen>,
    given: &Given,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Prompt, Reported> {
    let mut bound = bind::bind(plan, given, world, diags)?;
    bound.front = Some(front);
    let loaded = load::load(plan, &bound, world, diags)?;
    let rendered = render::render(plan, &bound, loaded, diags)?;
    let fitted = fit::fit(plan, &bound, rendered, diags)?;
    let mut prompt = assemble::assemble(plan, fitted);
    let general = bound.front.iter().flat_map(|f| &f.prompt.notices);
    let general = general.filter(|notice| notice.layer.is_none());
    prompt.notices.extend(general.cloned());
    Ok(prompt)
}

/// The values that these facts have now, as JSON; null if missing. What else is given is checked as far as it can be alone;
/// facts that are missing may be needed by none.
///
/// # Errors
/// When what is given has no meaning or another type.
pub fn watch(
    plan: &Plan,
    given: &Given,
    names: &[String],
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<BTreeMap<String, Json>, Reported> {
    bind::watch(plan, given, names, world, diags)
}

impl Plan {
    /// Whether one of these facts is read from the environment or the clock.
    #[must_use]
    pub fn is_ambient(&self, facts: &BTreeMap<String, Json>) -> bool {
        let named = |fact: &&super::plan::Fact| facts.contains_key(&fact.written.name.value);
        self.facts.iter().filter(named).any(|fact| {
            let written = &fact.written;
            written.env.is_some() || written.env_set.is_some() || written.clock.is_some()
        })
    }

    /// The channels that have tiers which a session does not keep.
    #[must_use]
    pub fn live(&self) -> BTreeSet<Deliver> {
        let live = self.tiers.iter().filter(|tier| !tier.frozen);
        live.map(|tier| tier.deliver).collect()
    }
}

fn loaded_layers(plan: &Plan, loaded: &Loaded<'_>) -> BTreeSet<String> {
    let kept = plan.tiers.iter().filter(|tier| tier.frozen);
    let names = kept.flat_map(|tier| tier.layers.iter().map(|l| l.name.to_string()));
    names.filter(|name| loaded.asked.is_loaded(name)).collect()
}

/// The kept tiers of a prompt.
fn kept(plan: &Plan, prompt: &Prompt) -> Prompt {
    let tiers = plan.tiers.iter().filter(|tier| tier.frozen);
    let tiers: BTreeSet<&str> = tiers.map(|tier| tier.name.as_str()).collect();
    let layers = plan.tiers.iter().filter(|tier| tier.frozen);
    let layers: BTreeSet<&str> = layers
        .flat_map(|tier| tier.layers.iter().map(|l| &*l.name))
        .collect();
    let mut out = Prompt {
        channels: (prompt.channels.iter())
            .filter_map(|channel| front(channel, &tiers))
            .collect(),
        absent: (prompt.absent.iter())
            .filter(|absent| tiers.contains(absent.tier.as_str()))
            .cloned()
            .collect(),
        notices: (prompt.notices.iter())
            .filter(|n| n.layer.as_ref().is_none_or(|l| layers.contains(l.as_str())))
            .cloned()
            .collect(),
        fits: (prompt.fits.iter())
            .filter(|fit| tiers.contains(fit.tier.as_str()))
            .cloned()
            .collect(),
        ..prompt.clone()
    };
    let last = |c: &Channel| c.tiers.last().map(|t| t.fingerprint.clone());
    let system = out.channel(Deliver::System).and_then(last);
    out.fingerprint = system.unwrap_or_else(|| sha256(""));
    if let Some(tokenizer) = prompt.tokenizer() {
        out.count_tokens(tokenizer);
    }
    out
}

/// A channel up to the end of its kept tiers; none if they have no text.
fn front(channel: &Channel, kept: &BTreeSet<&str>) -> Option<Channel> {
    let tiers = channel.tiers.iter();
    let tiers: Vec<_> = tiers
        .filter(|tier| kept.contains(tier.name.as_str()))
        .cloned()
        .collect();
    let end = tiers.last()?.end;
    let layers = channel.layers.iter();
    let layers: Vec<_> = layers
        .filter(|layer| kept.contains(layer.tier.as_str()))
        .cloned()
        .collect();
    (end > 0).then(|| Channel {
        deliver: channel.deliver,
        text: channel.text[..end].to_owned(),
        bytes: end,
        chars: layers.iter().map(|layer| layer.chars).sum(),
        tokens: None,
        tiers,
        layers,
    })
}

impl Frozen {
    /// The kept text of a tier with the join in front of it; empty if it has none.
    pub(super) fn text(&self, tier: &Tier) -> &str {
        let Some(channel) = self.prompt.channel(tier.deliver) else {
            return "";
        };
        let found = channel.tiers.iter().find(|t| t.name == tier.name);
        found.map_or("", |t| channel.text.get(t.start..t.end).unwrap_or_default())
    }
}

impl Fitted<'_> {
    /// What is kept of an earlier build, if this one only makes what stands behind it and `tier` is part of it.
    pub(super) fn kept(&self, tier: &Tier) -> Option<Arc<Frozen>> {
        self.front.clone().filter(|_| tier.frozen)
    }
}
