//! The manifests, locks and snapshots below some folders, always in the same order.

use crate::compare::snapshot::{SnapshotPaths, leads_down};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest::{self, FILE_NAME, MAX_PROGRAM};
use crate::project::{Run, input, output};
use crate::world::write::link_in;
use crate::world::{self, Kind, World};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that hold no manifests of the user, or very many files.
const PASSED_OVER: [&str; 2] = ["target", "node_modules"];

/// The results, each sorted by path.
#[derive(Debug, Default)]
pub(crate) struct FoundSnapshots {
    pub(crate) manifests: BTreeSet<PathBuf>,
    /// Locks without a manifest.
    pub(crate) locks: BTreeSet<PathBuf>,
    /// Folders with a manifest or a lock, whose snapshots are read.
    pub(crate) folders: BTreeSet<PathBuf>,
}

impl FoundSnapshots {
    /// The locks of all manifests, present or not, and those without one.
    pub(crate) fn all_locks<'f>(&'f self, home: &'f Home) -> impl Iterator<Item = PathBuf> + 'f {
        let own = self.manifests.iter().map(|path| home.of(path).lock);
        own.chain(self.locks.iter().cloned())
    }
}

/// Where the snapshots of manifests are.
#[derive(Debug, Clone)]
pub(crate) enum Home {
    /// Beside each manifest.
    Beside,
    /// In a folder for all of them.
    Below(PathBuf),
}

impl Home {
    /// The folder that was named, if one was.
    pub(crate) fn named(folder: Option<&Path>) -> Self {
        folder.map_or(Self::Beside, |folder| Self::Below(plain(folder)))
    }

    /// Fails if the way to a folder that was named leads through a link below a wall, however it was named: a repository could
    /// have put it there.
    pub(crate) fn check(&self, run: &mut Run) -> Result<(), ErrorReported> {
        let Self::Below(folder) = self else {
            return Ok(());
        };
        let error = run.walls.check(&folder.join(FILE_NAME)).err();
        match error.as_ref().and_then(link_in) {
            Some(link) => {
                let what = format!("the snapshots in `{}` are not read", folder.display());
                Err(run.diags.push(output::is_linked(&what, link)))
            }
            None => Ok(()),
        }
    }

    /// Where the snapshots of a manifest are.
    pub(crate) fn of(&self, manifest: &Path) -> SnapshotPaths {
        match self {
            Self::Beside => SnapshotPaths::beside(manifest),
            Self::Below(folder) => SnapshotPaths::below(folder, manifest),
        }
    }

    /// The manifest that a lock is of.
    pub(crate) fn owner_of(&self, lock: &Path) -> PathBuf {
        let path = match self {
            Self::Beside => lock,
            Self::Below(folder) => lock.strip_prefix(folder).unwrap_or(lock),
        };
        path.with_extension("kdl")
    }
}

/// Looks below `paths`, each a folder or a manifest, for manifests, and in their home for the locks of those that are gone.
pub(crate) fn find_snapshots(
    world: &dyn World,
    paths: &[PathBuf],
    home: &Home,
    diags: &mut Diagnostics,
) -> FoundSnapshots {
    let mut found = find(world, paths, diags);
    let Home::Below(folder) = home else {
        return found;
    };
    if let Some(path) = found.manifests.iter().find(|path| !leads_down(path)) {
        let shown = manifest::shown(world, path);
        let message = format!("`{shown}` has no place below `{}`", folder.display());
        let found = Diagnostic::error(diagnostic::USAGE, message);
        diags.push(found.help(
            "with --snapshots, name manifests by paths that lead down from the current directory",
        ));
    }
    let mut kept = FoundSnapshots::default();
    let walked = match world.kind(folder) {
        Ok(Kind::Folder) => walk(world, folder.clone(), home, &mut kept),
        Ok(_) => {
            let message = format!("`{}` is not a folder", folder.display());
            let found = Diagnostic::error(diagnostic::USAGE, message);
            diags.push(found.help("--snapshots names a folder for the snapshots"));
            Ok(())
        }
        Err(_) => Ok(()),
    };
    if let Err((path, error)) = walked {
        diags.push(unreadable(world, &path, &error));
    }
    let paths: Vec<PathBuf> = paths.iter().map(|path| plain(path)).collect();
    let asked = |lock: &PathBuf| {
        paths
            .iter()
            .any(|path| home.owner_of(lock).starts_with(path))
    };
    found.locks = kept.locks.into_iter().filter(asked).collect();
    found
}

/// Looks below `paths`, each a folder or a manifest.
pub(crate) fn find(
    world: &dyn World,
    paths: &[PathBuf],
    diags: &mut Diagnostics,
) -> FoundSnapshots {
    let mut found = FoundSnapshots::default();
    for path in paths {
        let result = match world.kind(path) {
            Ok(Kind::Folder) => walk(world, plain(path), &Home::Beside, &mut found),
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
    if shown.starts_with(manifest::BUILT_IN) {
        let message = format!("`{shown}` has no snapshots");
        return Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message)
            .help("`promptc init --preset` writes a copy that has them");
    }
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

fn walk(
    world: &dyn World,
    top: PathBuf,
    home: &Home,
    found: &mut FoundSnapshots,
) -> Result<(), Failure> {
    let mut open = vec![top];
    while let Some(folder) = open.pop() {
        let here = if folder == Path::new("") {
            Path::new(".")
        } else {
            &folder
        };
        let entries = world.list(here).map_err(|e| (folder.clone(), e))?;
        for entry in entries {
            let hidden = entry.name.as_encoded_bytes().starts_with(b".");
            let path = folder.join(&entry.name);
            match entry.kind {
                Kind::Folder if hidden || PASSED_OVER.iter().any(|n| entry.name == *n) => {}
                Kind::Folder => open.push(path),
                Kind::File if !hidden => file(world, path, home, found)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn file(
    world: &dyn World,
    path: PathBuf,
    home: &Home,
    found: &mut FoundSnapshots,
) -> Result<(), Failure> {
    let begins = |test: &dyn Fn(&str) -> bool| {
        let bytes = world
            .read(&path, MAX_PROGRAM)
            .map_err(|e| (path.clone(), e))?;
        Ok::<_, Failure>(test(&String::from_utf8_lossy(&bytes)))
    };
    match path.extension().and_then(|e| e.to_str()) {
        Some("kdl") if begins(&manifest::is_manifest)? => {
            found.folders.insert(parent(&path));
            found.manifests.insert(path);
        }
        // An unreadable lock is reported by its manifest; without a manifest it may belong to another program.
        Some("lock") if begins(&|text: &str| is_lock(text, home)).unwrap_or(false) => {
            found.folders.insert(parent(&path));
            // One that is there and no manifest any more does not own snapshots.
            let owner = home.owner_of(&path);
            let owned = world.read(&owner, MAX_PROGRAM);
            if !owned.is_ok_and(|bytes| manifest::is_manifest(&String::from_utf8_lossy(&bytes))) {
                found.locks.insert(path);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether a text begins like a lock in this home. A conflict in its header hides that, but then its manifest exists, or
/// its orphans are found without the lock.
fn is_lock(text: &str, home: &Home) -> bool {
    let header = text.lines().next().unwrap_or_default();
    // A lock in a folder for those of many manifests names its own by its path.
    let is_elsewhere = matches!(home, Home::Beside) && header.contains('/');
    header.starts_with("{\"promptc-lock\":") && !is_elsewhere
}
