//! Builds scenarios, many at once.

use super::{Unit, threads};
use crate::cli::Context;
use crate::compile::{Given, compile};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use crate::manifest::{Fact, Manifest};
use crate::prompt::Prompt;
use crate::span::Files;
use crate::world::{DiskWorld, Hermetic, World};

/// The prompt of each unit, in order, or what went wrong; that stands in the context too, in the same order.
pub(super) fn all(units: &[&Unit<'_>], context: &mut Context) -> Vec<Result<Prompt, Diagnostics>> {
    let files = &context.files;
    let built = threads::map(units, |unit| {
        one(unit, &mut files.clone(), &mut Diagnostics::default()).ok()
    });
    let again = |(unit, prompt): (&&Unit<'_>, Option<Prompt>)| match prompt {
        Some(prompt) => Ok(prompt),
        // The threads could not add their files to those of the context, so who failed tells it here once more.
        None => {
            let mut found = Diagnostics::default();
            let prompt = one(unit, &mut context.files, &mut found);
            context.diags.extend(&found);
            prompt.map_err(|_| found)
        }
    };
    units.iter().zip(built).map(again).collect()
}

fn one(unit: &Unit<'_>, files: &mut Files, diags: &mut Diagnostics) -> Result<Prompt, Reported> {
    let mut given = Given::default();
    let world: &dyn World = match unit.declared {
        true => {
            given.scenario = Some(unit.scenario.clone());
            &DiskWorld
        }
        // Such a record has to be the same on every machine too.
        false => {
            given.now.clone_from(&unit.now);
            refuse_clock(unit.manifest, unit.now.as_deref(), diags)?;
            &Hermetic { world: DiskWorld }
        }
    };
    compile(unit.manifest, &given, world, files, diags)
}

fn refuse_clock(
    manifest: &Manifest,
    now: Option<&str>,
    diags: &mut Diagnostics,
) -> Result<(), Reported> {
    let reads = |fact: &&Fact| fact.clock.is_some() && now.is_none();
    let Some(fact) = manifest.facts.iter().find(reads) else {
        return Ok(());
    };
    let name = &fact.name.value;
    let message = format!("the fact `{name}` takes the clock, and a record must not");
    Err(diags.push(
        Diagnostic::error(diagnostic::CLOCK_IN_RECORD, message)
            .at(fact.name.span)
            .help(format!(
                "declare a scenario that sets it, such as scenario default {{ set {name} \"2026-03-30\" }}, or give --now"
            )),
    ))
}
