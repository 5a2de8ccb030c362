//! Manifest in, prompt out: the stages, in order.

pub mod given;
mod roots;
mod merge;
mod plan;
mod missing;
mod record;
mod unusable;
mod frozen;
mod bind;
mod layer_facts;
mod layer;
mod recent;
mod kept;
mod budget;
mod entries;
mod load;
mod missing_report;
mod render;
mod fit;
mod assemble;
mod control;
mod directory_rules;
mod skills;
mod inputs;
mod freeze;
mod alone;
mod left_out;
pub mod reminder;
mod trial;

pub use alone::FactTexts;
pub use directory_rules::DirectoryRulesReader;
#[cfg(feature = "sqlite")]
pub(crate) use freeze::resume_warm;
pub use freeze::{Freezing, Watched, freeze, freeze_recorded, resume, watch};
pub use frozen::Frozen;
pub use given::{FactsFile, FixedInputs, GivenInputs};
pub(crate) use inputs::private_hash;
pub use kept::LayerMemo;
pub use load::{
    MemoryScan, MemoryTarget, MemoryTerms, Skill, SkillStatus, memory_layers, memory_target,
};
pub use plan::{
    COMPACTION, IdentityFact, LayerPlan, Link, NodeUse, Plan, PlanAnalysis, Print, ProgramUse,
    Reason, Refresh, ReminderPlan, RuleSet, Site, Step, TierPlan, What, Why, Written, fact_of,
    rule_sets,
};
pub(crate) use recent::Recent;
pub use skills::Skills;
pub use trial::{FailsWithout, SettledCondition, Trials};

/// The stages one by one, for callers that stop between them. [`compile`] is all of them in order.
pub mod stage {
    pub use super::assemble::assemble;
    pub use super::bind::{ResolvedInputs, bind, check_given, check_names};
    pub use super::fit::{Fitted, fit};
    pub use super::load::{Loaded, load};
    pub use super::merge::{Merged, merge};
    pub use super::plan::{Needs, Plan, plan};
    pub use super::render::{Rendered, render};
}

use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, UNUSED_INPUT};
use crate::manifest::{self, Manifest};
use crate::prompt::{Prompt, RecordedInputs};
use crate::text::Json;
use crate::world::{Answered, Recorder, World};
use missing_report::Lookup;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Compiles a manifest into a prompt.
///
/// ```text
/// 1 merge    Manifest → Merged            template files are read
/// 2 plan     Merged → Plan                pure; names resolved; expressions and templates compiled; loaded(x) points
///                                         backwards; changes(layer), changes(tier)
/// 3 bind     Plan × Inputs × World        → ResolvedInputs; reads clock and environment, once; then lets.
/// 4 load     for each layer, in order:    a. left out by the caller → absent(left-out); `when` false → absent(condition)
///                                         b. documents = gather(content): find inside the root, sort, transforms,
///                                            node budgets
///                                         c. content but no text → absent(missing | empty | dropped)
///                                         d. loaded(layer) := true; nothing later changes it
/// 5 render   Loaded → Rendered            pure: template over finished pieces, spans carried through; trim; layer budget;
///                                         a draft of each layer with `min` is saved: its pieces, not yet rendered
/// 6 fit      tier by tier, in order       while the tier's text, or all so far plus the later reserves, exceeds a
///                                         maximum: the weakest layer of this tier shrinks to min (its draft goes
///                                         through stage 5 again, once), then is dropped; none left → error with sums
/// 7 assemble Fitted → Prompt              a join belongs to the layer that follows it; map, ingredients, absences,
///                                         fingerprints
/// ```
/// A tier is fitted to the text before it and to constants; so its bytes do not depend on anything after it.
///
/// # Errors
/// When any stage reported an error; they are in `diags`.
pub fn compile(
    manifest: &Arc<Manifest>,
    given: &GivenInputs,
    world: &dyn World,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<Prompt, ErrorReported> {
    build(
        &prepare(manifest, given, world, files, diags)?,
        given,
        world,
        diags,
    )
}

/// Stages 1 and 2: what does not depend on facts, for callers that build many prompts from one manifest.
///
/// # Errors
/// When the manifest or a template is wrong; `diags` says how.
pub fn prepare(
    manifest: &Arc<Manifest>,
    given: &GivenInputs,
    world: &dyn World,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<Plan, ErrorReported> {
    let merged = merge::merge(manifest, given, world, files, diags);
    let plan = plan::plan(merged, files, diags)?;
    warn_of_unused_roots(&plan, given, diags);
    Ok(plan)
}

/// Warns of the roots that the call gives and nothing in the manifest reads.
fn warn_of_unused_roots(plan: &Plan, given: &GivenInputs, diags: &mut Diagnostics) {
    // Later calls of a session remember the roots of the first.
    if given.roots.is_empty() || given.lenient {
        return;
    }
    let analysis = plan.analyse();
    let used = analysis.used_roots();
    let given: BTreeSet<&str> = given.roots.iter().map(|(name, _)| name.as_str()).collect();
    let declared = plan
        .manifest
        .roots
        .iter()
        .map(|root| root.name.value.as_str());
    for name in declared.filter(|name| given.contains(name) && !used.contains(name)) {
        let message = format!("--root gives `{name}`, and nothing reads that root");
        let found = Diagnostic::warning(UNUSED_INPUT, message);
        diags.push(found.help("leave it out, or write `root=` on the source that should read it"));
    }
}

/// Stages 3 to 7: one prompt from a plan. Many threads may do so at once.
///
/// # Errors
/// When any stage reported an error; they are in `diags`.
pub fn build(
    plan: &Plan,
    given: &GivenInputs,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Prompt, ErrorReported> {
    let lookup = Lookup::new(world);
    let (prompt, _) = build_once(plan, given, world, Some(&lookup), diags)?;
    warn_of_left_out(plan, given, &prompt, world, diags);
    Ok(prompt)
}

/// [`build`] in the world of a recorder, with the record of the inputs. It was asked for the manifest and for what the plan
/// reads, and for no facts file.
///
/// # Errors
/// As [`build`].
pub fn build_recorded(
    plan: &Plan,
    given: &GivenInputs,
    recorder: Recorder<'_>,
    diags: &mut Diagnostics,
) -> Result<(Prompt, RecordedInputs), ErrorReported> {
    let outside = recorder.outside();
    let lookup = Lookup::new(outside);
    let (prompt, bound) = build_once(plan, given, &recorder, Some(&lookup), diags)?;
    warn_of_left_out(plan, given, &prompt, outside, diags);
    let inputs = inputs::record(plan, given, &bound, recorder);
    Ok((prompt, inputs))
}

/// The inputs of a build of `manifest` for a place that has no text of it: of each private fact only the hash, also where the
/// manifest gives its value.
#[must_use]
pub fn without_private(manifest: &Manifest, inputs: &RecordedInputs) -> RecordedInputs {
    inputs::without_private(manifest, inputs.clone())
}

/// Repeats a build from its recorded inputs alone. `private` are the values of private facts, which no record has.
///
/// # Errors
/// When it asks what was not recorded, or a stage reports an error.
pub fn rebuild(
    inputs: &RecordedInputs,
    private: &BTreeMap<String, Json>,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<Prompt, NotRepeated> {
    let (prompt, _) = rebuild_edited(inputs, private, &|_| None, files, diags)?;
    Ok(prompt)
}

/// Repeats a build with another manifest, if `edit` makes one of the plan. Returns the steps that its templates took with it.
///
/// # Errors
/// When it asks what was not recorded, or a stage reports an error.
pub(crate) fn rebuild_edited(
    inputs: &RecordedInputs,
    private: &BTreeMap<String, Json>,
    edit: &dyn Fn(&Plan) -> Option<Manifest>,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<(Prompt, u64), NotRepeated> {
    let world = inputs.world.replayed();
    let given = inputs::given(inputs, private);
    let mut build = || {
        let plan = plan_recorded(inputs, &given, &world, edit, files, diags)?;
        let (mut prompt, _) = build_once(&plan, &given, &world, None, diags)?;
        prompt.notices.extend(manifest::notice(plan.manifest()));
        Ok((prompt, plan.engine.steps()))
    };
    let built = build();
    match world.refused() {
        Some(question) => Err(NotRepeated::Unrecorded(question)),
        None => built.map_err(NotRepeated::Fails),
    }
}

/// The plan of recorded inputs, with another manifest if `edit` makes one.
///
/// # Errors
/// When it asks what was not recorded, or the manifest has an error.
pub(crate) fn prepare_recorded(
    inputs: &RecordedInputs,
    edit: &dyn Fn(&Plan) -> Option<Manifest>,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<Plan, ErrorReported> {
    let given = inputs::given(inputs, &BTreeMap::new());
    plan_recorded(inputs, &given, &inputs.world.replayed(), edit, files, diags)
}

fn plan_recorded(
    inputs: &RecordedInputs,
    given: &GivenInputs,
    world: &dyn World,
    edit: &dyn Fn(&Plan) -> Option<Manifest>,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<Plan, ErrorReported> {
    let name = inputs.manifests.first().map(String::as_str);
    let manifest = manifest::open(world, name, files, diags)?;
    let plan = prepare(&manifest, given, world, files, diags)?;
    match edit(&plan) {
        Some(edited) => prepare(&Arc::new(edited), given, world, files, diags),
        None => Ok(plan),
    }
}

/// Why a build cannot be repeated from a record.
#[derive(Debug)]
pub enum NotRepeated {
    /// It asks what was not recorded: the question in words.
    Unrecorded(String),
    /// A stage reported an error.
    Fails(ErrorReported),
}

/// Stages 3 to 7, with the resolved inputs. What only warnings need is looked up in `lookup`, if there is one.
fn build_once(
    plan: &Plan,
    given: &GivenInputs,
    world: &dyn World,
    lookup: Option<&Lookup<'_>>,
    diags: &mut Diagnostics,
) -> Result<(Prompt, bind::ResolvedInputs), ErrorReported> {
    let bound = bind::bind(plan, given, world, &plan::Needs::all(), diags)?;
    let loaded = load::load(plan, &bound, world, diags)?;
    if let Some(lookup) = lookup {
        missing_report::warn(plan, &bound, &loaded, lookup, diags);
    }
    let rendered = render::render(plan, &bound, loaded, diags)?;
    let fitted = fit::fit(plan, &bound, rendered, diags)?;
    let prompt = assemble::assemble(plan, fitted);
    control::warn(plan, &bound, &prompt, diags);
    Ok((prompt, bound))
}

/// Warns where a layer that the caller leaves out changes other layers, too.
fn warn_of_left_out(
    plan: &Plan,
    given: &GivenInputs,
    prompt: &Prompt,
    world: &dyn World,
    diags: &mut Diagnostics,
) {
    let Some(whole) = left_out::whole(given) else {
        return;
    };
    let (mut scratch, lookup) = (Diagnostics::default(), Lookup::new(world));
    if let Ok((whole, _)) = build_once(plan, &whole, world, Some(&lookup), &mut scratch) {
        left_out::warn(prompt, &whole, diags);
    }
}

/// [`build`] in the world of `recorder`, reusing cached layers. Returns the lookups in the world with the prompt, if all of
/// them can be repeated.
///
/// # Errors
/// As [`build`].
pub(crate) fn build_warm(
    plan: &Plan,
    given: &GivenInputs,
    recorder: &Recorder<'_>,
    memo: &LayerMemo,
    diags: &mut Diagnostics,
) -> Result<(Prompt, Option<Vec<Answered>>), ErrorReported> {
    let (prompt, mut asked) = build_warm_once(plan, given, recorder, memo, diags)?;
    if let Some(whole) = left_out::whole(given) {
        let mut scratch = Diagnostics::default();
        let whole = build_warm_once(plan, &whole, recorder, memo, &mut scratch);
        let more = whole.ok().and_then(|(whole, more)| {
            left_out::warn(&prompt, &whole, diags);
            more
        });
        // The warnings depend on the lookups of both.
        asked = asked.zip(more).map(|(asked, more)| [asked, more].concat());
    }
    Ok((prompt, asked))
}

fn build_warm_once(
    plan: &Plan,
    given: &GivenInputs,
    recorder: &Recorder<'_>,
    memo: &LayerMemo,
    diags: &mut Diagnostics,
) -> Result<(Prompt, Option<Vec<Answered>>), ErrorReported> {
    let (trace, warm) = (Recorder::over(recorder), kept::Warm::new(recorder, memo));
    let bound = bind::bind(plan, given, &trace, &plan::Needs::all(), diags)?;
    let loaded = load::load_warm(plan, &bound, (Some(&warm), &trace), diags)?;
    // Not part of the trace: what is looked up here decides about no byte.
    let lookup = Lookup {
        memo: Some((&memo.near, recorder.id())),
        ..Lookup::new(recorder)
    };
    missing_report::warn(plan, &bound, &loaded, &lookup, diags);
    let rendered = render::render_in(plan, &bound, loaded, Some(&warm), diags)?;
    let fitted = fit::fit(plan, &bound, rendered, diags)?;
    let mut asked = trace.into_asked();
    match (&mut asked, warm.into_asked()) {
        (Some(asked), Some(of_layers)) => asked.extend(of_layers),
        _ => asked = None,
    }
    let prompt = assemble::assemble(plan, fitted);
    control::warn(plan, &bound, &prompt, diags);
    Ok((prompt, asked))
}
