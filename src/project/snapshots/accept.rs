//! Rewrites snapshots, and removes orphans.

use super::orphans::listed;
use super::outcome::{Outcome, Snapshots, Status, is_resolvable};
use super::units::Unit;
use crate::compare::snapshot::Lock;
use crate::compile;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::Run;
use crate::project::output;
use crate::world::git::{ObjectFormat, Repository};
use crate::world::{DiskWorld, World as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Accepts every change.
pub(crate) fn all(
    outcomes: &mut [Outcome],
    units: &[Unit<'_>],
    snapshots: &Snapshots,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    refuse(outcomes, &mut run.diags)?;
    let chosen: Vec<usize> = (0..outcomes.len())
        .filter(|at| outcomes[*at].is_change() || outcomes[*at].lacks_inputs(snapshots))
        .collect();
    these(outcomes, &chosen, units, snapshots, run)
}

/// Fails if a scenario does not build or a snapshot must not be touched: then nothing is written at all.
pub(crate) fn refuse(outcomes: &[Outcome], diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    for error in outcomes.iter().filter_map(|o| o.broken.as_deref()) {
        if !is_resolvable(error) {
            diags.push(error.clone());
        }
    }
    diags.check()
}

/// Accepts the changes at these places.
pub(crate) fn these(
    outcomes: &mut [Outcome],
    chosen: &[usize],
    units: &[Unit<'_>],
    snapshots: &Snapshots,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let paths: BTreeSet<PathBuf> = chosen.iter().map(|at| outcomes[*at].path.clone()).collect();
    // All locks are made before the first file is written.
    let mut plans = Vec::new();
    for path in &paths {
        let of = chosen.iter().map(|at| &outcomes[*at]);
        let these: Vec<&Outcome> = of.filter(|o| o.path == *path).collect();
        plans.push(plan(path, &these, units, snapshots, &mut run.diags)?);
    }
    for plan in &plans {
        plan.check(run)?;
    }
    for plan in &plans {
        run.wrote = true;
        plan.carry_out(run)?;
    }
    for at in chosen {
        outcomes[*at].status = Status::Accepted;
    }
    Ok(())
}

/// The changes to the snapshots of one manifest.
struct Plan {
    /// The lock and its text; `None` if it is to be removed.
    lock: (PathBuf, Option<String>),
    snapshots: Vec<(PathBuf, String)>,
    gone: BTreeSet<PathBuf>,
    /// The folders of snapshots, the innermost first: one goes with the last that was in it.
    folders: Vec<PathBuf>,
}

fn plan(
    path: &Path,
    outcomes: &[&Outcome],
    units: &[Unit<'_>],
    snapshots: &Snapshots,
    diags: &mut Diagnostics,
) -> Result<Plan, ErrorReported> {
    let paths = snapshots.home.of(path);
    let name = &*paths.manifest;
    let mut lock = match (snapshots.lock(path), snapshots.error(path)) {
        (Some(lock), _) => lock.clone(),
        (None, Some(error)) => {
            // The other snapshots of such a lock are lost, so all of them have to be written.
            let mut own = units.iter().filter(|unit| unit.path == path);
            if !own.all(|unit| outcomes.iter().any(|o| o.scenario == unit.scenario)) {
                let help =
                    "the lock must be written as a whole: accept all snapshots of this manifest";
                return Err(diags.push(error.clone().help(help)));
            }
            Lock::new(name)
        }
        (None, None) => Lock::new(name),
    };
    let format = object_format(path);
    let (mut snapshots, mut gone) = (Vec::new(), BTreeSet::new());
    for outcome in outcomes {
        gone.extend(outcome.files.iter().cloned());
        if let Some(old) = lock.snapshots.get(&outcome.scenario) {
            gone.extend(listed(&paths, &outcome.scenario, old));
        }
        let Some((snapshot, prompt)) = &outcome.now else {
            lock.snapshots.remove(&outcome.scenario);
            continue;
        };
        let of = |unit: &&Unit<'_>| unit.path == path && unit.scenario == outcome.scenario;
        let with_inputs = match (&prompt.inputs, units.iter().find(of)) {
            (Some(inputs), Some(unit)) => {
                let inputs = compile::without_private(unit.manifest, inputs);
                snapshot.clone().with_inputs(&inputs, format)
            }
            _ => snapshot.clone(),
        };
        lock.snapshots.insert(outcome.scenario.clone(), with_inputs);
        for deliver in snapshot.kept() {
            let file = paths.text(&outcome.scenario, deliver);
            gone.remove(&file);
            snapshots.push((file, prompt.text(deliver).to_owned()));
        }
    }
    let text = (!lock.snapshots.is_empty()).then(|| lock.write());
    Ok(Plan {
        folders: paths.folders().map(Path::to_owned).collect(),
        lock: (paths.lock, text),
        snapshots,
        gone,
    })
}

/// The hash that names objects in the repository around a manifest.
fn object_format(manifest: &Path) -> ObjectFormat {
    let around = DiskWorld.canonical(manifest);
    let folder = around.as_deref().ok().and_then(Path::parent);
    let repository = folder.and_then(|folder| Repository::open(folder).ok());
    repository.map_or(ObjectFormat::Sha1, |repository| repository.object_format())
}

impl Plan {
    /// Fails if any of the files is a link, or below one.
    fn check(&self, run: &mut Run) -> Result<(), ErrorReported> {
        let written = self.snapshots.iter().map(|(path, _)| path);
        let all = written.chain(&self.gone).chain([&self.lock.0]);
        for path in all {
            output::check_unnamed(path, run)?;
        }
        Ok(())
    }

    /// Writes the texts, removes unneeded ones, then writes the lock: after a crash in between, the lock and the texts
    /// do not match, and the next test reports it. Files that a lock does not list are never removed, so it comes last.
    fn carry_out(&self, run: &mut Run) -> Result<(), ErrorReported> {
        let done = self.write(run);
        if done.is_err() || !self.gone.is_empty() {
            for folder in &self.folders {
                output::remove_empty(folder, &run.walls);
            }
        }
        done
    }

    fn write(&self, run: &mut Run) -> Result<(), ErrorReported> {
        for (path, text) in &self.snapshots {
            output::folder_of(path, run)?;
            output::to_file(path, text.as_bytes(), run)?;
        }
        for path in &self.gone {
            output::remove(path, run)?;
        }
        let (lock, text) = &self.lock;
        match text {
            Some(text) => output::to_file(lock, text.as_bytes(), run),
            None => output::remove(lock, run),
        }
    }
}
