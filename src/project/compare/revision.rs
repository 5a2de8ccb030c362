//! Prompts that a revision of the repository builds.

use super::builds::Builds;
use super::side::CompareCall;
use super::side::Side;
use crate::compare::snapshot::{DEFAULT, Lock, SnapshotPaths};
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported, Severity};
use crate::project::{Compared, Run, snapshots};
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

/// The help where a revision does not build, and has snapshots.
const RECORDED: &str = "--recorded takes the snapshots that are committed there";

/// What the manifest of that revision builds from its files, and a note where that is not what its snapshots have.
pub(super) fn built(
    args: &CompareCall,
    name: &str,
    revision: &Revision,
    run: &mut Run,
) -> Result<Vec<(String, Side)>, ErrorReported> {
    let built = builds(args, name, revision, run);
    let snapshots = recorded(args, revision);
    match &built {
        Ok(sides) => run.notes.extend(
            snapshots.and_then(|snapshots| differing(args, name, revision, sides, &snapshots)),
        ),
        Err(_) if snapshots.is_some_and(|(_, lock)| lock.is_none_or(|lock| has(args, &lock))) => {
            helped(run);
        }
        Err(_) => {}
    }
    built
}

/// The snapshots of that revision, if it has any: none of a lock of an earlier release, which has only their texts.
fn recorded(args: &CompareCall, revision: &Revision) -> Option<(SnapshotPaths, Option<Lock>)> {
    let manifest = args.manifest(revision, &mut Run::default()).ok()?;
    let paths = SnapshotPaths::beside(&manifest);
    match snapshots::read_lock(revision, &paths) {
        Ok(lock) => Some((paths, Some(lock?))),
        Err(error) => (error.code == codes::LOCK_OLDER).then_some((paths, None)),
    }
}

/// Whether a lock has a snapshot that the call means.
fn has(args: &CompareCall, lock: &Lock) -> bool {
    let wanted = args.build.inputs.scenario.as_ref();
    lock.snapshots
        .keys()
        .any(|name| wanted.is_none_or(|wanted| wanted == name))
}

/// Adds to the first error how the revision is compared without a build.
fn helped(run: &mut Run) {
    let mut is_first = true;
    let found = mem::take(&mut run.diags).map(|mut found| {
        if found.severity == Severity::Error && mem::take(&mut is_first) {
            found.help = Some(match found.help {
                Some(help) => format!("{help}; {RECORDED}"),
                None => RECORDED.to_owned(),
            });
        }
        found
    });
    run.diags.extend(&found);
}

/// A note about the scenarios of which the revision builds another prompt than its snapshot.
fn differing(
    args: &CompareCall,
    name: &str,
    revision: &Revision,
    sides: &[(String, Side)],
    (paths, lock): &(SnapshotPaths, Option<Lock>),
) -> Option<String> {
    let lock = lock.as_ref().filter(|_| !args.build.inputs.gives())?;
    let all = sides.iter().filter_map(|(scenario, side)| {
        let Side::Artifact(_, prompt, _) = side else {
            return None;
        };
        let snapshot = lock.snapshots.get(scenario)?;
        let found = snapshots::restore(revision, paths, scenario, snapshot).ok()?;
        let diff = Compared::of((&found.prompt, found.text), (prompt, true)).diff;
        let layer = diff.first?.layer;
        Some(layer.map_or_else(
            || scenario.clone(),
            |layer| format!("{scenario} (layer `{layer}`)"),
        ))
    });
    let all: Vec<String> = all.collect();
    let word = if all.len() == 1 {
        "its snapshot"
    } else {
        "its snapshots"
    };
    (!all.is_empty()).then(|| {
        format!(
            "note: git:{name} builds another prompt than {word}: {}; {RECORDED}\n",
            all.join(", ")
        )
    })
}

/// The manifest of that revision with its files, built now: the requested scenario, else all that are declared, else
/// the one that is not.
fn builds(
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
