//! Builds scenarios, many at once.

use super::units::Unit;
use crate::compile::{self, GivenInputs, Plan};
use crate::diagnostic::span::{Files, Span};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest::{self, Fact, Manifest};
use crate::project::Run;
use crate::project::inputs::build_comparable;
use crate::prompt::Prompt;
use crate::template::fact;
use crate::world::threads;
use crate::world::{DiskWorld, Hermetic, Recorder, TracingWorld, World};
use std::collections::BTreeMap;
use std::path::Path;

/// The prompt of each unit, in order, or its error; the errors are also in the context, in the same order.
pub(crate) fn all(units: &[&Unit<'_>], run: &mut Run) -> Vec<Result<Prompt, Diagnostics>> {
    let disk = TracingWorld::new(&DiskWorld);
    let files = &run.files;
    let plans = plans(units, files, &disk);
    let built = threads::map(units, |unit| {
        let mut diags = Diagnostics::default();
        let prompt = match plans.get(unit.path).filter(|_| unit.shares_plan) {
            Some((plan, recorder)) => {
                build_comparable(plan, &declared(unit), recorder.fork(), &mut diags)
            }
            None => one(unit, &disk, &mut files.clone(), &mut diags),
        };
        Some((prompt.ok()?, diags))
    });
    let again = |(unit, built): (&&Unit<'_>, Option<(Prompt, Diagnostics)>)| match built {
        Some((prompt, warnings)) => {
            // They are about manifests, which the context has.
            run.diags.extend(&warnings);
            Ok(prompt)
        }
        // The threads could not add their files to those of the context, so failed units report their errors here
        // again.
        None => {
            let mut found = Diagnostics::default();
            let prompt = one(unit, &disk, &mut run.files, &mut found);
            run.diags.extend(&found);
            prompt.map_err(|_| found)
        }
    };
    let built = units.iter().zip(built).map(again).collect();
    run.read.extend(disk.into_read());
    built
}

/// The plan of each manifest that several units share, with what was asked for it; none if planning fails, which each unit
/// reports itself.
fn plans<'a, 'w>(
    units: &[&Unit<'a>],
    files: &Files,
    disk: &'w dyn World,
) -> BTreeMap<&'a Path, (Plan, Recorder<'w>)> {
    let sharing = units.iter().copied().filter(|unit| unit.shares_plan);
    let sharing: Vec<&Unit<'a>> = sharing.collect();
    let first: Vec<&Unit<'a>> = (sharing.chunk_by(|a, b| a.path == b.path))
        .filter_map(|same| same.first().copied())
        .collect();
    let plans = threads::map(&first, |unit| {
        let (mut files, mut diags) = (files.clone(), unit.found.clone());
        let (given, recorder) = (declared(unit), opened(unit, disk));
        let plan = compile::prepare(unit.manifest, &given, &recorder, &mut files, &mut diags);
        Some((plan.ok()?, recorder))
    });
    let named = first.iter().zip(plans);
    named
        .filter_map(|(unit, plan)| Some((unit.path, plan?)))
        .collect()
}

/// A recorder that was asked for the manifest, whose findings are known.
fn opened<'w>(unit: &Unit<'_>, world: &'w dyn World) -> Recorder<'w> {
    let recorder = Recorder::new(world);
    let (mut files, mut known) = (Files::default(), Diagnostics::default());
    let _ = manifest::open(&recorder, unit.path.to_str(), &mut files, &mut known);
    recorder
}

/// The inputs of the unit of a scenario.
fn declared(unit: &Unit<'_>) -> GivenInputs {
    GivenInputs {
        scenario: Some(unit.scenario.clone()),
        ..GivenInputs::default()
    }
}

fn one(
    unit: &Unit<'_>,
    disk: &dyn World,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<Prompt, ErrorReported> {
    diags.extend(unit.found);
    let hermetic = Hermetic { world: disk };
    let (given, world): (GivenInputs, &dyn World) = if unit.declared {
        (declared(unit), disk)
    } else {
        // Such a snapshot has to be the same on every machine too.
        refuse_clock(unit.manifest, unit.now.as_deref(), files, diags)?;
        let given = GivenInputs {
            now: unit.now.clone(),
            ..GivenInputs::default()
        };
        (given, &hermetic)
    };
    let recorder = opened(unit, world);
    let plan = compile::prepare(unit.manifest, &given, &recorder, files, diags)?;
    build_comparable(&plan, &given, recorder, diags)
}

fn refuse_clock(
    manifest: &Manifest,
    now: Option<&str>,
    files: &Files,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    let reads = |fact: &&Fact| fact.clock.is_some() && now.is_none();
    let facts: Vec<&Fact> = manifest.facts.iter().filter(reads).collect();
    let Some(first) = facts.first() else {
        return Ok(());
    };
    let name = &first.name.value;
    let message = format!("the fact `{name}` takes the clock, and a snapshot must not");
    // A scenario reads no clock, so it sets all of them.
    let set = |fact: &&Fact| {
        let value = fact::example(fact.kind.value).unwrap_or_default();
        format!("set {} \"{value}\"", fact.name.value)
    };
    let sets: Vec<String> = facts.iter().map(set).collect();
    let text = &files.get(manifest.file).text;
    let end = Span::new(manifest.file, text.len()..text.len());
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    let scenario = format!("{line_end}scenario default {{ {} }}\n", sets.join("; "));
    Err(diags.push(
        Diagnostic::error(diagnostic::CLOCK_IN_SNAPSHOT, message)
            .at(first.name.span)
            .help("declare a scenario that sets it, or give --now")
            .suggest(end, scenario),
    ))
}
