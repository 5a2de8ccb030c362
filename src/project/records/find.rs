//! The manifests, locks and snapshots below some folders, always in the same order.

use crate::compare::record::owner_of_lock;
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::manifest::{self, MAX_PROGRAM};
use crate::project::input;
use crate::world::{self, Kind, World};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that hold no manifests of the user, or very many files.
const PASSED_OVER: [&str; 2] = ["target", "node_modules"];

/// The results, each sorted by path.
#[derive(Debug, Default)]
pub(crate) struct FoundRecords {
    pub(crate) manifests: BTreeSet<PathBuf>,
    /// Locks without a manifest.
    pub(crate) locks: BTreeSet<PathBuf>,
    /// Folders with a manifest or a lock, whose snapshots are read.
    pub(crate) folders: BTreeSet<PathBuf>,
}

/// Looks below `paths`, each a folder or a manifest.
pub(crate) fn find(world: &dyn World, paths: &[PathBuf], diags: &mut Diagnostics) -> FoundRecords {
    let mut found = FoundRecords::default();
    for path in paths {
        let result = match world.kind(path) {
            Ok(Kind::Folder) => folder(world, plain(path), &mut found),
            Ok(_) => {
                found.folders.insert(parent(path));
                found.manifests.insert(plain(path));
                Ok(())
            }
            Err(error) => Err((path.clone(), error)),
        };
        if let Err((path, error)) = result {
            diags.push(unreadable(world, &path, &error));
        }
    }
    found
}

/// A path without a leading `./`, so that messages name it the same however it was found.
fn plain(path: &Path) -> PathBuf {
    let plain: PathBuf = path.components().collect();
    match plain.strip_prefix(".") {
        Ok(below) => below.to_owned(),
        Err(_) => plain,
    }
}

fn parent(path: &Path) -> PathBuf {
    path.parent().map_or_else(PathBuf::new, plain)
}

fn unreadable(world: &dyn World, path: &Path, error: &io::Error) -> Diagnostic {
    let shown = manifest::shown(world, path);
    if world::is_missing(error) {
        let message = format!("there is no `{shown}`");
        return Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message)
            .help("name a folder or a manifest that exists");
    }
    let (why, help) = input::failed(error);
    let message = format!("`{shown}` cannot be read: {why}");
    Diagnostic::error(diagnostic::UNREADABLE_FILE, message).help(help)
}

type Failure = (PathBuf, io::Error);

fn folder(world: &dyn World, top: PathBuf, found: &mut FoundRecords) -> Result<(), Failure> {
    let mut open = vec![top];
    while let Some(folder) = open.pop() {
        let here = match folder == Path::new("") {
            true => Path::new("."),
            false => &folder,
        };
        let entries = world.list(here).map_err(|e| (folder.clone(), e))?;
        for entry in entries {
            let hidden = entry.name.as_encoded_bytes().starts_with(b".");
            let path = folder.join(&entry.name);
            match entry.kind {
                Kind::Folder if hidden || PASSED_OVER.iter().any(|n| entry.name == *n) => {}
                Kind::Folder => open.push(path),
                Kind::File if !hidden => file(world, path, found)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn file(world: &dyn World, path: PathBuf, found: &mut FoundRecords) -> Result<(), Failure> {
    let begins = |test: fn(&str) -> bool| {
        let bytes = world
            .read(&path, MAX_PROGRAM)
            .map_err(|e| (path.clone(), e))?;
        Ok::<_, Failure>(test(&String::from_utf8_lossy(&bytes)))
    };
    match path.extension().and_then(|e| e.to_str()) {
        Some("kdl") if begins(manifest::is_manifest)? => {
            found.folders.insert(parent(&path));
            found.manifests.insert(path);
        }
        // An unreadable lock is reported by its manifest; without a manifest it may belong to another program.
        Some("lock") if begins(is_lock).unwrap_or(false) => {
            found.folders.insert(parent(&path));
            // One that is there and no manifest any more does not own records.
            let owner = owner_of_lock(&path);
            let owned = world.read(&owner, MAX_PROGRAM);
            if !owned.is_ok_and(|bytes| manifest::is_manifest(&String::from_utf8_lossy(&bytes))) {
                found.locks.insert(path);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether a text begins like a lock. A conflict in its header hides that, but then its manifest exists, or its orphans
/// are found without the lock.
fn is_lock(text: &str) -> bool {
    text.starts_with("{\"promptc-lock\":")
}
