//! Several manifests checked, each by itself.

use super::check::{CheckCall, Checked, check};
use super::fix::fix;
use super::snapshots::{find, open, units};
use super::{BuildCall, Project, Run};
use crate::diagnostic::{Diagnostic, ErrorReported, NOTHING_SELECTED};
use crate::world::{Kind, World};
use std::path::Path;

/// A manifest of several, and what its check found.
pub(crate) struct CheckedProject {
    /// The result; none if the manifest cannot be checked.
    pub(crate) checked: Option<Checked>,
    /// The files that it read, and its findings.
    pub(crate) run: Run,
}

/// The manifest to check.
pub(crate) enum Which {
    /// A manifest.
    One(Project),
    /// The projects of several names or of a folder.
    Several(Vec<Project>),
}

/// The manifests that `names` mean, or `else_this`. Of a folder these are all below it, less those that another of them includes, or
/// extends without that they have scenarios: they are checked with that one. A manifest in a folder that cannot be read is an
/// error in `run`, and hides no other.
pub(crate) fn which(else_this: Project, names: &[String], run: &mut Run) -> Which {
    let world = else_this.shared_world();
    let is_folder = |name: &str| matches!(world.kind(Path::new(name)), Ok(Kind::Folder));
    let named = |name: &String| Project::named(Some(name.clone()), world.clone());
    match names {
        [] => return Which::One(else_this),
        [name] if !is_folder(name) => return Which::One(named(name)),
        _ => {}
    }
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let here = if is_folder(name) {
            below(world.as_ref(), name, run)
        } else {
            vec![name.clone()]
        };
        for name in here {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    Which::Several(found.iter().map(named).collect())
}

fn below(world: &dyn World, folder: &str, run: &mut Run) -> Vec<String> {
    let found = find::find(world, &[folder.into()], &mut run.diags);
    let (opened, _) = open::open(&found, units::Wanted::ALL, run);
    if found.manifests.is_empty() && run.diags.check().is_ok() {
        let message = format!("there is no manifest in `{folder}` or below");
        let help = "`promptc init` writes one; name another folder, or a manifest";
        run.diags
            .push(Diagnostic::error(NOTHING_SELECTED, message).help(help));
    }
    let alone = opened.iter().filter(|opened| opened.is_alone());
    alone
        .map(|opened| opened.path.display().to_string())
        .collect()
}

/// Checks each manifest with the rest of `call`, and makes the safe edits (`Some(true)`) or reports them
/// (`Some(false)`). A single manifest continues with the findings that `run` has so far.
pub(crate) fn check_each(
    which: Which,
    call: &CheckCall<'_>,
    write: Option<bool>,
    run: &mut Run,
) -> Vec<CheckedProject> {
    let check = |project, mut run| {
        let checked = check_one(project, call, write, &mut run).ok();
        CheckedProject { checked, run }
    };
    match which {
        Which::One(project) => vec![check(project, std::mem::take(run))],
        Which::Several(projects) => {
            let fresh = || Run {
                files: run.files.clone(),
                walls: run.walls.clone(),
                ..Run::default()
            };
            let all = projects.into_iter().map(|project| check(project, fresh()));
            all.collect()
        }
    }
}

fn check_one(
    project: Project,
    call: &CheckCall<'_>,
    write: Option<bool>,
    run: &mut Run,
) -> Result<Checked, ErrorReported> {
    let world = project.shared_world();
    let inputs = call.build.inputs.clone();
    let build = &BuildCall { project, inputs };
    let call = CheckCall {
        build,
        ..call.clone()
    };
    let first = check(&call, world.as_ref(), run)?;
    let Some(write) = write else {
        return Ok(first);
    };
    let (last, fixes) = fix(first, write, &call, world.as_ref(), run)?;
    Ok(Checked {
        fixes: Some(fixes),
        ..last
    })
}
