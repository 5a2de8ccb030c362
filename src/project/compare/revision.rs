//! Prompts that a revision of the repository would build.

use super::builds::Builds;
use super::side::CompareCall;
use super::side::Side;
use crate::compare::snapshot::DEFAULT;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::world::TracingWorld;
use crate::world::git::{Repository, Revision};
use std::mem;
use std::path::Path;

/// The tree of a revision.
pub(super) fn open(name: &str, run: &mut Run) -> Result<Revision, ErrorReported> {
    let found = Repository::open(Path::new(".")).and_then(|r| r.revision(name));
    found.map_err(|error| run.diags.push(*error))
}

/// The content that `read` reads of the revision. Errors are reported as the revision's: the version on the disk may be
/// valid.
pub(super) fn told<T>(
    name: &str,
    run: &mut Run,
    read: impl FnOnce(&mut Run) -> Result<T, ErrorReported>,
) -> Result<T, ErrorReported> {
    let first = run.files.count();
    let before = mem::take(&mut run.diags);
    let result = read(run);
    let found = mem::replace(&mut run.diags, before);
    run.files.mark(first, &format!("git:{name}:"));
    run.diags.extend(&found.map(|found| of(name, found)));
    result
}

/// A diagnostic with the name of the revision first, unless it points into a file, whose name includes it.
fn of(name: &str, mut found: Diagnostic) -> Diagnostic {
    if found.span.is_none() {
        found.message = format!("git:{name}: {}", found.message);
    }
    if found.code == codes::MANIFEST_NOT_FOUND && found.span.is_none() {
        found.help = Some(format!(
            "`git ls-tree -r --name-only --full-tree {name}` lists the files that it has; -m names one by its path from here"
        ));
    }
    found
}

/// The manifest of that revision with its files, built now: the requested scenario, else all that are declared, else
/// the one that is not.
pub(super) fn rebuilt(
    args: &CompareCall,
    name: &str,
    revision: &Revision,
    run: &mut Run,
) -> Result<Vec<(String, Side)>, ErrorReported> {
    let manifest = args.build.project.open_in(revision, run)?;
    let names: Vec<String> = match args.build.inputs.scenario.as_deref() {
        Some(scenario) => vec![scenario.to_owned()],
        None if args.build.inputs.gives() || manifest.tried().next().is_none() => {
            vec![DEFAULT.to_owned()]
        }
        None => manifest.tried().map(|s| s.name.value.clone()).collect(),
    };
    let noted = TracingWorld::new(revision);
    let mut builds = Builds::new(args, &noted, &manifest);
    let mut out = Vec::new();
    for scenario_name in names {
        let prompt = builds.scenario(&scenario_name, run)?;
        let shown = format!("git:{name} {scenario_name}");
        out.push((scenario_name, Side::Artifact(shown, Box::new(prompt), true)));
    }
    run.read.extend(noted.into_read());
    let outside = revision.outside();
    if !outside.is_empty() {
        let shown: Vec<String> = outside.iter().map(|p| p.display().to_string()).collect();
        run.notes.push(format!(
            "note: outside of the repository, so read from the disk on both sides: {}\n",
            shown.join(", ")
        ));
    }
    Ok(out)
}
