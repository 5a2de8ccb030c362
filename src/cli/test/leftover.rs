//! Records of nothing: their scenario or their manifest is gone.

use super::find::Found;
use super::judge::{Outcome, Records, Status};
use super::picture::Picture;
use super::{Opened, Unit, shown};
use crate::cli::{Context, input};
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::prompt::Deliver;
use crate::record::{lock_path, owner_of_lock, snapshot_folder, snapshot_path};
use crate::world::{self, DiskWorld, Kind, World as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Records of scenarios that there are no more, in a revision whose files are not looked at.
pub(super) fn scenarios(opened: &[Opened], units: &[Unit<'_>], records: &Records) -> Vec<Outcome> {
    let stale = |manifest| stale(manifest, units, records, BTreeSet::new());
    opened.iter().flat_map(stale).collect()
}

/// All that was found, in order.
pub(super) fn all(
    found: &Found,
    opened: &[Opened],
    units: &[Unit<'_>],
    records: &Records,
    context: &mut Context,
) -> Vec<Outcome> {
    let diags = &mut context.diags;
    let mut out = Vec::new();
    for manifest in opened {
        let files = texts(&snapshot_folder(&manifest.path), diags);
        out.extend(stale(manifest, units, records, files));
    }
    for lock in &found.locks {
        let owner = owner_of_lock(lock);
        let mut files = vec![lock.clone()];
        files.extend(texts(&snapshot_folder(&owner), diags));
        out.push(outcome(&owner, shown(lock), "", Status::Orphaned, files));
    }
    for folder in &found.folders {
        out.extend(without_lock(folder, diags));
    }
    out
}

/// Records of scenarios that a manifest does not declare any more.
fn stale(
    manifest: &Opened,
    units: &[Unit<'_>],
    records: &Records,
    snapshots: BTreeSet<PathBuf>,
) -> Vec<Outcome> {
    let names = units.iter().filter(|u| u.path == manifest.path);
    let names: BTreeSet<&str> = names.map(|u| u.scenario.as_str()).collect();
    let lock = records.lock(&manifest.path);
    let recorded = lock.into_iter().flat_map(|lock| lock.records.keys());
    let gone = recorded.filter(|name| !names.contains(name.as_str()));
    let mut files: BTreeMap<String, Vec<PathBuf>> = gone.map(|n| (n.clone(), Vec::new())).collect();
    for path in snapshots {
        let Some((scenario, deliver)) = named(&manifest.path, &path) else {
            continue;
        };
        if !names.contains(scenario.as_str()) {
            files.entry(scenario).or_default().push(path);
            continue;
        }
        // A record that is written anew takes care of its own files.
        let record = lock.and_then(|lock| lock.records.get(&scenario));
        if record.is_some_and(|record| !record.kept().contains(&deliver)) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            files.insert(name.into_owned(), vec![path]);
        }
    }
    let stale = files.into_iter();
    stale
        .map(|(name, files)| {
            let shown = manifest.shown.clone();
            outcome(&manifest.path, shown, &name, Status::Stale, files)
        })
        .collect()
}

/// Snapshots in a folder with records, of a manifest that is gone together with its lock.
fn without_lock(folder: &Path, diags: &mut Diagnostics) -> Vec<Outcome> {
    let usual = folder.join("promptc.kdl");
    let all = snapshot_folder(&usual);
    let mut owners = vec![usual];
    let entries = DiskWorld.list(&all).unwrap_or_default();
    let folders = entries.iter().filter(|e| e.kind == Kind::Folder);
    let folders: BTreeSet<_> = folders.map(|e| &e.name).collect();
    for name in folders {
        let mut file = name.clone();
        file.push(".kdl");
        owners.push(folder.join(file));
    }
    let is_there = |path: &Path| DiskWorld.kind(path).is_ok();
    owners.retain(|owner| !is_there(owner) && !is_there(&lock_path(owner)));
    let mut out = Vec::new();
    for owner in owners {
        for path in texts(&snapshot_folder(&owner), diags) {
            if named(&owner, &path).is_some() {
                let name = shown(&path);
                out.push(outcome(&owner, name, "", Status::Orphaned, vec![path]));
            }
        }
    }
    out
}

fn outcome(
    path: &Path,
    shown: String,
    scenario: &str,
    status: Status,
    files: Vec<PathBuf>,
) -> Outcome {
    let words = match status {
        Status::Stale => "there is no such scenario any more",
        _ => "its manifest is gone",
    };
    Outcome {
        path: path.to_owned(),
        shown,
        scenario: scenario.to_owned(),
        rank: usize::MAX,
        status,
        picture: Picture::words(words),
        errors: Diagnostics::default(),
        broken: None,
        now: None,
        files,
    }
}

/// The scenario and channel of a snapshot, by its name.
fn named(manifest: &Path, path: &Path) -> Option<(String, Deliver)> {
    let name = path.file_stem()?.to_str()?;
    let scenario = name.split('+').next()?;
    let mut channels = Deliver::ALL.into_iter();
    let deliver = channels.find(|d| snapshot_path(manifest, scenario, *d) == path)?;
    Some((scenario.to_owned(), deliver))
}

/// The texts in a folder of snapshots, in order.
fn texts(folder: &Path, diags: &mut Diagnostics) -> BTreeSet<PathBuf> {
    let entries = match DiskWorld.list(folder) {
        Ok(entries) => entries,
        Err(error) if world::is_missing(&error) => Vec::new(),
        Err(error) => {
            let (why, help) = input::failed(&error);
            let message = format!("`{}` cannot be read: {why}", shown(folder));
            diags.push(Diagnostic::error(diagnostic::UNREADABLE_RECORD, message).help(help));
            Vec::new()
        }
    };
    let texts = entries.into_iter().filter(|e| e.kind == Kind::File);
    let texts = texts.map(|e| folder.join(e.name));
    texts
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect()
}
