//! A manifest checked by the rules, with or without its builds.

use super::base::{Base, place_of};
use super::capture::SentSystems;
use super::{BuildCall, Run, snapshots};
use crate::check::{self, Build, Frequencies, Measured, Report, Size, Sizes};
use crate::compare::snapshot::SnapshotPaths;
use crate::compile::{self, GivenInputs, Plan};
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, Severity};
use crate::manifest::{self, Manifest};
use crate::prompt::Prompt;
use crate::request::cost::CostQuery;
use crate::world::World;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// The input of a check, and what it checks against.
#[derive(Clone)]
pub(crate) struct CheckCall<'a> {
    /// The manifest and what is given.
    pub(crate) build: &'a BuildCall,
    /// The inputs, read.
    pub(crate) given: &'a GivenInputs,
    /// Whether every scenario, or what is given, is built for the rules that read sources.
    pub(crate) sources: bool,
    /// The requests in which layers are looked for, if some were read.
    pub(crate) sent: Option<&'a SentSystems>,
    /// The least prefix that a provider caches, in tokens.
    pub(crate) min_prefix: Option<usize>,
    /// The model whose limits and prices apply, if one is named.
    pub(crate) cost: Option<CostQuery>,
    /// The manifest that it must extend, if one is named.
    pub(crate) base: Option<&'a Base>,
}

/// The subject of a check and its findings.
pub(crate) struct Checked {
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) plan: Plan,
    pub(crate) builds: Vec<Build>,
    pub(crate) report: Report,
    /// Whether texts are known, built or recorded.
    pub(crate) sized: bool,
    /// How often layers changed in requests that were sent, if some were read.
    pub(crate) frequencies: Option<Frequencies>,
    /// The changes, if they were requested.
    pub(crate) fixes: Option<Fixes>,
}

/// The edits of `--fix`, or those that `--diff` proposes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Fixes {
    /// The name of the manifest in messages.
    #[serde(rename = "path")]
    pub file: String,
    /// Whether the file was written: not with `--diff`, and not where nothing was changed.
    pub written: bool,
    /// The edits, in the order in which they were made.
    pub made: Vec<Made>,
    /// The number of findings with edits of other files or of a built-in, which were not made.
    pub elsewhere: usize,
    /// Why nothing was changed although there were edits.
    pub refused: Option<String>,
    /// The text before and after.
    #[serde(skip)]
    pub shown: [String; 2],
}

/// An edit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Made {
    /// The rule that requested it.
    pub code: &'static str,
    /// The edits.
    pub what: String,
    /// The findings of the rule, without the reasons.
    pub message: String,
}

/// The location of a manifest; none for a built-in.
pub(crate) fn path_of(manifest: &Manifest, run: &Run) -> Option<PathBuf> {
    place_of(manifest.file, &manifest.origin, &run.files)
}

/// The findings of the rules about the manifest that `args` name and about a prompt that was built from it, and the
/// files that they point into. Errors of the manifest itself were reported when it was built; they are not reported
/// again.
pub(crate) fn of_build(
    call: &BuildCall,
    prompt: &Prompt,
    asked: Option<CostQuery>,
    run: &mut Run,
) -> Result<(Report, Files), ErrorReported> {
    let mut told = Diagnostics::default();
    // A manifest that can no longer be read was changed since.
    let judged = judged(call, prompt, asked, &mut told);
    judged.inspect_err(|_| run.diags.extend(&told))
}

fn judged(
    call: &BuildCall,
    prompt: &Prompt,
    asked: Option<CostQuery>,
    told: &mut Diagnostics,
) -> Result<(Report, Files), ErrorReported> {
    let world = call.project.world();
    let mut files = Files::default();
    let given = call.inputs.read(world, told);
    let named = call.project.name();
    let manifest = manifest::open(world, named, &mut files, told)?;
    let plan = compile::prepare(&manifest, &given, world, &mut files, told)?;
    let builds = [Build::new(given.scenario.clone(), prompt.clone())];
    let options = check::Options {
        recorded: None,
        frequencies: None,
        min_prefix: min_prefix(asked.as_ref()),
        asked,
        missing_base: None,
    };
    let report = check::check(&plan, &files, &builds, &options);
    Ok((report, files))
}

/// Reads, plans and checks the manifest.
pub(crate) fn check(
    call: &CheckCall<'_>,
    world: &dyn World,
    run: &mut Run,
) -> Result<Checked, ErrorReported> {
    let given = call.given;
    let manifest = call.build.project.open_in(world, run)?;
    let plan = {
        let Run { files, diags, .. } = &mut *run;
        compile::prepare(&manifest, given, world, files, diags)?
    };
    let is_built = call.sources || call.sent.is_some();
    if !is_built {
        compile::stage::check_names(&plan, given, world, &mut run.diags)?;
    }
    let mut builds = if is_built {
        builds(&plan, &manifest, call, world, run)?
    } else {
        Vec::new()
    };
    let prompts = builds.iter().map(|build| &build.prompt);
    let frequencies = call.sent.map(|sent| sent.frequencies(prompts, &plan));
    if !call.sources {
        builds.clear();
    }
    let options = check::Options {
        recorded: recorded(&manifest, world, run),
        frequencies,
        min_prefix: call.min_prefix.unwrap_or(min_prefix(call.cost.as_ref())),
        asked: call.cost.clone(),
        missing_base: (call.base)
            .filter(|base| !base.is_below(&manifest, &run.files, world))
            .map(|base| base.shown.clone()),
    };
    let sized = !builds.is_empty() || options.recorded.is_some();
    let report = check::check(&plan, &run.files, &builds, &options);
    Ok(Checked {
        manifest,
        plan,
        builds,
        report,
        sized,
        frequencies: options.frequencies,
        fixes: None,
    })
}

/// The minimum that the model caches; no prefix is too short if no table has the minimum.
fn min_prefix(asked: Option<&CostQuery>) -> usize {
    let Some(asked) = asked else {
        return check::MIN_PREFIX;
    };
    let min = asked.found.model.as_ref().and_then(|m| m.limits.min);
    min.map_or(0, |min| usize::try_from(min).unwrap_or(usize::MAX))
}

/// The sizes of the snapshots next to the manifest. `promptc test` reports an unreadable lock.
fn recorded(manifest: &Manifest, world: &dyn World, run: &Run) -> Option<Sizes> {
    let path = path_of(manifest, run)?;
    let lock = snapshots::read_lock(world, &SnapshotPaths::beside(&path)).ok()??;
    let prompts = lock.snapshots.values().map(|snapshot| {
        let sizes = snapshot.sizes().into_iter();
        sizes
            .map(|(layer, bytes)| (layer, Size::of_bytes(bytes)))
            .collect()
    });
    (!lock.snapshots.is_empty()).then(|| Sizes {
        measured: Measured::RestoredSnapshot,
        prompts: prompts.collect(),
    })
}

/// The prompts that rules read: what is given, else every scenario, else the manifest as it is.
fn builds(
    plan: &Plan,
    manifest: &Manifest,
    call: &CheckCall<'_>,
    world: &dyn World,
    run: &mut Run,
) -> Result<Vec<Build>, ErrorReported> {
    let inputs = &call.build.inputs;
    let all = inputs.scenario.is_none() && !inputs.gives();
    let names: Vec<Option<String>> = if all && manifest.tried().next().is_some() {
        manifest
            .tried()
            .map(|s| Some(s.name.value.clone()))
            .collect()
    } else {
        vec![call.given.scenario.clone()]
    };
    let mut out = Vec::new();
    for scenario in names {
        let given = GivenInputs {
            scenario: scenario.clone(),
            ..call.given.clone()
        };
        let mut diags = Diagnostics::default();
        let prompt = compile::build(plan, &given, world, &mut diags);
        let is_found = |found: &Diagnostic| {
            let is_warning = call.sources && found.severity == Severity::Warning;
            is_warning && found.span.is_some() && check::by_name(found.code.name).is_some()
        };
        let warnings = diags.take(is_found);
        run.diags.extend(&diags);
        let mut build = Build::new(scenario, prompt?);
        build.warnings = warnings;
        out.push(build);
    }
    Ok(out)
}
