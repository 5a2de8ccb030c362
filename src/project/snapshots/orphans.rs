//! Snapshots of nothing: their scenario or their manifest is gone.

use super::find::{FoundSnapshots, Home};
use super::outcome::{Difference, Outcome, Snapshots, Status};
use super::units::{Opened, Unit, shown};
use crate::compare::snapshot::{Lock, Snapshot, SnapshotPaths};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Severity};
use crate::project::Run;
use crate::project::input;
use crate::prompt::Deliver;
use crate::world::{self, DiskWorld, Kind, World as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Snapshots of scenarios that no longer exist, in a revision whose files are not read.
pub(crate) fn scenarios(
    opened: &[Opened],
    units: &[Unit<'_>],
    snapshots: &Snapshots,
) -> Vec<Outcome> {
    let stale = |manifest| stale(manifest, units, snapshots);
    opened.iter().flat_map(stale).collect()
}

/// All that was found, in order. Texts that no lock lists are noted.
pub(crate) fn all(
    found: &FoundSnapshots,
    opened: &[Opened],
    units: &[Unit<'_>],
    snapshots: &Snapshots,
    run: &mut Run,
) -> Vec<Outcome> {
    let diags = &mut run.diags;
    let mut out = Vec::new();
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    let mut owners: BTreeSet<PathBuf> = BTreeSet::new();
    for manifest in opened {
        let path = &manifest.path;
        let paths = snapshots.home.of(path);
        out.extend(stale(manifest, units, snapshots));
        known.extend(
            snapshots
                .lock(path)
                .into_iter()
                .flat_map(|l| files(&paths, l)),
        );
        // A snapshot that is new or broken replaces the existing one.
        let own = units.iter().filter(|unit| unit.path == path);
        let all = |u: &Unit<'_>| Deliver::ALL.map(|d| paths.text(&u.scenario, d));
        known.extend(own.flat_map(all));
        owners.insert(path.clone());
    }
    for lock in &found.locks {
        let owner = snapshots.home.owner_of(lock);
        let paths = snapshots.home.of(&owner);
        let read = super::read_lock(&DiskWorld, &paths);
        let listed = read.iter().flatten().flat_map(|lock| files(&paths, lock));
        let listed: BTreeSet<PathBuf> = listed.collect();
        known.extend(listed.iter().cloned());
        let files = [lock.clone()].into_iter().chain(listed).collect();
        out.push(outcome(&owner, shown(lock), "", Status::Orphaned, files));
        owners.insert(owner);
    }
    if let Home::Beside = snapshots.home {
        owners.extend(found.folders.iter().flat_map(|folder| without_lock(folder)));
    }
    for owner in owners {
        let paths = snapshots.home.of(&owner);
        // A manifest that was not requested, or that cannot be read, still has its snapshots.
        match super::read_lock(&DiskWorld, &paths) {
            Ok(lock) => known.extend(lock.iter().flat_map(|lock| files(&paths, lock))),
            Err(_) => continue,
        }
        let mut texts = texts(&paths, diags);
        texts.retain(|path| !known.contains(path));
        if let Some(note) = unlisted(&texts) {
            diags.push(note);
        }
    }
    out
}

/// The snapshots that a lock lists.
fn files(paths: &SnapshotPaths, lock: &Lock) -> Vec<PathBuf> {
    let snapshots = lock.snapshots.iter();
    let listed = |(scenario, snapshot): (&String, &Snapshot)| listed(paths, scenario, snapshot);
    snapshots.flat_map(listed).collect()
}

/// The snapshots of a snapshot.
pub(crate) fn listed(paths: &SnapshotPaths, scenario: &str, snapshot: &Snapshot) -> Vec<PathBuf> {
    let kept = snapshot.kept().into_iter();
    kept.map(|deliver| paths.text(scenario, deliver)).collect()
}

/// Snapshots of scenarios that a manifest does not declare any more.
fn stale(manifest: &Opened, units: &[Unit<'_>], snapshots: &Snapshots) -> Vec<Outcome> {
    let names = units.iter().filter(|u| u.path == manifest.path);
    let names: BTreeSet<&str> = names.map(|u| u.scenario.as_str()).collect();
    let lock = snapshots.lock(&manifest.path);
    let recorded = lock.into_iter().flat_map(|lock| &lock.snapshots);
    let gone = recorded.filter(|(name, _)| !names.contains(name.as_str()));
    gone.map(|(name, snapshot)| {
        let (path, shown) = (&manifest.path, manifest.shown.clone());
        let files = listed(&snapshots.home.of(path), name, snapshot);
        outcome(path, shown, name, Status::Stale, files)
    })
    .collect()
}

/// The manifests whose snapshots are in a folder of their own, and which are gone together with their locks.
fn without_lock(folder: &Path) -> Vec<PathBuf> {
    let usual = folder.join("promptc.kdl");
    // Files reached by a link belong to no manifest here.
    let all = super::place(&DiskWorld, folder, &SnapshotPaths::beside(&usual).folder);
    let mut owners = vec![usual];
    let entries = all.map(|all| DiskWorld.list(&all).unwrap_or_default());
    let entries = entries.unwrap_or_default();
    for entry in entries.into_iter().filter(|e| e.kind == Kind::Folder) {
        let mut file = entry.name;
        file.push(".kdl");
        owners.push(folder.join(file));
    }
    owners
}

/// The error of texts among the snapshots that no lock lists.
fn unlisted(texts: &BTreeSet<PathBuf>) -> Option<Diagnostic> {
    let first = texts.first()?;
    let more = match texts.len() {
        1 => "is".to_owned(),
        n => format!("and {} more are", n - 1),
    };
    let message = format!("`{}` {more} in no lock", shown(first));
    let note = Diagnostic {
        severity: Severity::Note,
        ..Diagnostic::warning(diagnostic::UNLISTED_TEXT, message)
    };
    Some(note.help("promptc did not write it, and leaves it as it is: move it away"))
}

fn outcome(
    path: &Path,
    shown: String,
    scenario: &str,
    status: Status,
    files: Vec<PathBuf>,
) -> Outcome {
    let words = match status {
        Status::Stale => "the scenario no longer exists",
        _ => "its manifest is gone",
    };
    Outcome {
        path: path.to_owned(),
        shown,
        scenario: scenario.to_owned(),
        rank: usize::MAX,
        status,
        difference: Difference::words(words),
        errors: Diagnostics::default(),
        broken: None,
        now: None,
        accepted: Vec::new(),
        files,
    }
}

/// The texts among the snapshots of a manifest, in order.
fn texts(paths: &SnapshotPaths, diags: &mut Diagnostics) -> BTreeSet<PathBuf> {
    let folder = &paths.folder;
    let real = match super::place(&DiskWorld, &paths.base, folder) {
        Ok(real) => real,
        Err(link) => {
            diags.push(*link);
            return BTreeSet::new();
        }
    };
    let entries = match DiskWorld.list(&real) {
        Ok(entries) => entries,
        Err(error) if world::is_missing(&error) => Vec::new(),
        Err(error) => {
            let (why, help) = input::failed(&error);
            let message = format!("`{}` cannot be read: {why}", shown(folder));
            diags.push(Diagnostic::error(diagnostic::UNREADABLE_SNAPSHOT, message).help(help));
            Vec::new()
        }
    };
    let texts = entries.into_iter().filter(|e| e.kind == Kind::File);
    let texts = texts.map(|e| folder.join(e.name));
    texts
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect()
}
