//! The frozen part of a prompt, and the rest rebuilt from the same plan.
//!
//! In each channel, the tiers before its first turn tier are frozen. A tier's bytes depend on itself and on the text
//! before it, so the frozen text is the same whatever comes after it.

use super::bind::ResolvedInputs;
use super::frozen::Frozen;
#[cfg(feature = "sqlite")]
use super::kept::LayerMemo;
use super::kept::Warm;
use super::load::Loaded;
use super::missing_report::Lookup;
use super::plan::{Needs, Plan, What};
use super::{GivenInputs, assemble, bind, control, fit, inputs, load, missing_report, render};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::prompt::{Changes, Deliver, Prompt, RecordedInputs};
use crate::text::Json;
use crate::world::{Recorder, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A prompt and its frozen part.
#[derive(Debug, Clone, PartialEq)]
pub struct Freezing {
    /// The whole prompt.
    pub prompt: Prompt,
    /// The frozen part.
    pub frozen: Frozen,
    /// Facts that the caller or the environment gave, as JSON; neither private ones nor those of the volatility `turn`.
    pub remembered: BTreeMap<String, Json>,
    /// The private facts that had a value.
    pub private: Vec<String>,
    /// The requested values of facts, as JSON; null if missing.
    pub watched: BTreeMap<String, Json>,
}

/// Stages 3 to 7, for a session: as [`build`](super::build), with the part to be frozen. `watch` are facts whose values
/// the caller needs.
///
/// # Errors
/// As [`build`](super::build).
pub fn freeze(
    plan: &Plan,
    given: &GivenInputs,
    watch: &[String],
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Freezing, ErrorReported> {
    let (made, _) = freeze_once(plan, given, watch, (world, world), diags)?;
    Ok(made)
}

/// [`freeze`] in the world of a recorder, with the record of the inputs, as
/// [`build_recorded`](super::build_recorded).
///
/// # Errors
/// As [`build`](super::build).
pub fn freeze_recorded(
    plan: &Plan,
    given: &GivenInputs,
    watch: &[String],
    recorder: Recorder<'_>,
    diags: &mut Diagnostics,
) -> Result<(Freezing, RecordedInputs), ErrorReported> {
    let worlds: (&dyn World, _) = (&recorder, recorder.outside());
    let (made, bound) = freeze_once(plan, given, watch, worlds, diags)?;
    let inputs = inputs::record(plan, given, &bound, recorder);
    Ok((made, inputs))
}

/// [`freeze`], with the resolved inputs. What only warnings need is looked up in `outside`.
fn freeze_once(
    plan: &Plan,
    given: &GivenInputs,
    watch: &[String],
    (world, outside): (&dyn World, &dyn World),
    diags: &mut Diagnostics,
) -> Result<(Freezing, ResolvedInputs), ErrorReported> {
    let bound = bind::bind(plan, given, world, &Needs::all(), diags)?;
    let loaded = load::load(plan, &bound, world, diags)?;
    missing_report::warn(plan, &bound, &loaded, &Lookup::new(outside), diags);
    let counts = loaded_layers(plan, &loaded);
    let rendered = render::render(plan, &bound, loaded, diags)?;
    let fitted = fit::fit(plan, &bound, rendered, diags)?;
    let prompt = assemble::assemble(plan, fitted);
    control::warn(plan, &bound, &prompt, diags);
    let made = Freezing {
        frozen: Frozen {
            prompt: kept(plan, &prompt),
            loaded: counts,
        },
        remembered: bound.remembered(plan),
        private: bound.private(plan),
        watched: bound.watched(watch),
        prompt,
    };
    Ok((made, bound))
}

/// Stages 3 to 7 for the tiers that are not frozen, after those that are.
///
/// # Errors
/// As [`build`](super::build).
pub fn resume(
    plan: &Plan,
    front: Arc<Frozen>,
    given: &GivenInputs,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Prompt, ErrorReported> {
    resume_in(plan, front, given, (None, world), diags)
}

/// [`resume`] in the world of `recorder`, reusing the layers of an earlier build.
///
/// # Errors
/// As [`build`](super::build).
#[cfg(feature = "sqlite")]
pub(crate) fn resume_warm(
    plan: &Plan,
    front: Arc<Frozen>,
    given: &GivenInputs,
    (recorder, memo): (&Recorder<'_>, &LayerMemo),
    diags: &mut Diagnostics,
) -> Result<Prompt, ErrorReported> {
    let warm = Warm::new(recorder, memo);
    resume_in(plan, front, given, (Some(&warm), recorder), diags)
}

fn resume_in(
    plan: &Plan,
    front: Arc<Frozen>,
    given: &GivenInputs,
    (warm, world): (Option<&Warm<'_>>, &dyn World),
    diags: &mut Diagnostics,
) -> Result<Prompt, ErrorReported> {
    let mut bound = bind::bind(plan, given, world, &Needs::all(), diags)?;
    bound.front = Some(front);
    let loaded = load::load_warm(plan, &bound, (warm, world), diags)?;
    missing_report::warn(plan, &bound, &loaded, &Lookup::new(world), diags);
    let rendered = render::render_in(plan, &bound, loaded, warm, diags)?;
    let fitted = fit::fit(plan, &bound, rendered, diags)?;
    let mut prompt = assemble::assemble(plan, fitted);
    control::warn(plan, &bound, &prompt, diags);
    let general = bound.front.iter().flat_map(|f| &f.prompt.notices);
    let general = general.filter(|notice| notice.layer.is_none());
    prompt.notices.extend(general.cloned());
    Ok(prompt)
}

/// The facts that a call sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Watched {
    /// The requested values of facts, as JSON; null if missing.
    pub values: BTreeMap<String, Json>,
    /// The facts of `values` to which the call itself gives a value.
    pub called: BTreeSet<String>,
    /// The private facts that have a value.
    pub private: Vec<String>,
}

/// The values that these facts have now, and which private facts have one. A fact that is missing may be needed by none.
///
/// # Errors
/// When what is given has no meaning, or one of these facts has a value of another type.
pub fn watch(
    plan: &Plan,
    given: &GivenInputs,
    names: &[String],
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Watched, ErrorReported> {
    let private = plan.facts().filter(|fact| fact.written.is_private());
    let private = private.map(|fact| fact.written.name.value.as_str());
    let facts = names.iter().map(String::as_str).chain(private);
    let needs = Needs::named(Some(facts.map(Arc::from).collect()), Some(BTreeSet::new()));
    let bound = bind::bind(plan, given, world, &needs.or_null(), diags)?;
    Ok(Watched {
        values: bound.watched(names),
        called: bound.called(names),
        private: bound.private(plan),
    })
}

impl Plan {
    /// Whether one of these facts is read from the environment or the clock.
    #[must_use]
    pub fn is_ambient(&self, facts: &BTreeMap<String, Json>) -> bool {
        let named = |fact: &super::plan::Fact<'_>| facts.contains_key(&fact.written.name.value);
        self.facts().filter(named).any(|fact| {
            let written = &fact.written;
            written.env.is_some() || written.env_set.is_some() || written.clock.is_some()
        })
    }

    /// The channels with tiers that a session does not freeze.
    #[must_use]
    pub fn live(&self) -> BTreeSet<Deliver> {
        let live = self.tiers.iter().filter(|tier| !tier.frozen);
        live.map(|tier| tier.deliver).collect()
    }

    /// The first tier of the tools or the system prompt that a session does not freeze.
    #[must_use]
    pub fn first_live(&self) -> Option<&str> {
        let mut live = self.tiers.iter().filter(|tier| !tier.frozen);
        let tier = live.find(|tier| tier.deliver != Deliver::User);
        tier.map(|tier| tier.name.as_str())
    }

    /// The facts whose values a session freezes where its text depends on them. They are not private, do not identify
    /// the session and are no reason to rebuild it. They cannot change in a conversation, and no live tier depends on
    /// them.
    #[must_use]
    pub fn steady_facts(&self) -> Vec<String> {
        let live = self.live_facts();
        let watched = &self.refresh().facts;
        let steady = self.facts().map(|fact| fact.written).filter(|fact| {
            let name = &fact.name.value;
            fact.class() <= Changes::Session
                && !fact.is_private()
                && !self.says_who(name)
                && !watched.iter().any(|w| w.value == *name)
                && !live.contains(name.as_str())
        });
        steady.map(|fact| fact.name.value.clone()).collect()
    }

    /// The facts that the tiers depend on which a session does not freeze.
    #[must_use]
    pub fn live_facts(&self) -> BTreeSet<&str> {
        let live = self.tiers.iter().filter(|tier| !tier.frozen);
        let layers = live.flat_map(|tier| &tier.layers);
        let reasons = layers.flat_map(|layer| &layer.why.reasons);
        let ends = reasons.filter_map(|reason| reason.links.last());
        let facts = ends.filter(|link| link.what == What::Fact);
        facts.map(|link| &*link.name).collect()
    }
}

fn loaded_layers(plan: &Plan, loaded: &Loaded<'_>) -> BTreeSet<String> {
    let kept = plan.tiers.iter().filter(|tier| tier.frozen);
    let names = kept.flat_map(|tier| tier.layers.iter().map(|l| l.name.to_string()));
    names.filter(|name| loaded.asked.is_loaded(name)).collect()
}

/// The frozen tiers of a prompt.
fn kept(plan: &Plan, prompt: &Prompt) -> Prompt {
    let live = plan.tiers.iter().filter(|tier| !tier.frozen);
    prompt.without_tiers(&live.map(|tier| tier.name.as_str()).collect())
}
