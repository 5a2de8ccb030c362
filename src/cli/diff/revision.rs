//! Prompts that a revision of the repository would build.

use super::SideArgs;
use super::operand::{Side, scenario};
use crate::cli::Context;
use crate::diagnostic::Reported;
use crate::git::{Repository, Revision};
use crate::record::DEFAULT;
use std::path::Path;

/// The tree of a revision.
pub(super) fn open(name: &str, context: &mut Context) -> Result<Revision, Reported> {
    let found = Repository::open(Path::new(".")).and_then(|r| r.revision(name));
    found.map_err(|error| context.diags.push(*error))
}

/// The manifest of that revision with its files, built now: the scenario that was asked for, else all that are declared,
/// else the one that is not.
pub(super) fn rebuilt(
    args: &SideArgs,
    name: &str,
    revision: &Revision,
    context: &mut Context,
) -> Result<Vec<(String, Side)>, Reported> {
    let manifest = args.given.open(revision, context)?;
    let names: Vec<String> = match args.given.scenario() {
        Some(scenario) => vec![scenario.to_owned()],
        None if args.given.gives() || manifest.scenarios.is_empty() => vec![DEFAULT.to_owned()],
        None => manifest
            .scenarios
            .iter()
            .map(|s| s.name.value.clone())
            .collect(),
    };
    let mut out = Vec::new();
    for scenario_name in names {
        let prompt = scenario(args, revision, &manifest, &scenario_name, context)?;
        let shown = format!("git:{name} {scenario_name}");
        out.push((scenario_name, Side::Artifact(shown, Box::new(prompt), true)));
    }
    let outside = revision.outside();
    if !outside.is_empty() {
        let shown: Vec<String> = outside.iter().map(|p| p.display().to_string()).collect();
        context.ui.remark(&format!(
            "note: outside of the repository, so read from the disk on both sides: {}\n",
            shown.join(", ")
        ));
    }
    Ok(out)
}
