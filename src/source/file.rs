//! `file A B …`: the first name that exists as a regular file.

use super::place::{BoundRoot, Raw, Read, join};
use super::wall::Obstacle;
use crate::prompt::UnusedReason;
use crate::world::World;

/// A name that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A path inside the root.
    File(String),
    /// A fact in it is missing or no plain component, so that nothing can be called so; the name as it is written.
    Nothing(String),
}

impl Wanted {
    /// The path, if there can be a file of that name.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::File(path) => Some(path),
            Self::Nothing(_) => None,
        }
    }

    /// How it is told that nothing was found.
    #[must_use]
    pub fn shown(&self) -> &str {
        match self {
            Self::File(name) | Self::Nothing(name) => name,
        }
    }
}

/// Looks for `names` in the folders of `root`, in each folder at `levels` (paths inside the root, nearest first).
/// The first level, and in it the first folder, and in it the first name that exists wins; in a root whose folders lie one
/// behind the other the first name that any of them has. Other files that exist at that level are reported as unused.
///
/// # Errors
/// When a wall forbids a name, or a file cannot be read.
pub fn read(
    world: &dyn World,
    root: &BoundRoot,
    levels: &[String],
    names: &[Wanted],
) -> Result<Read, Obstacle> {
    let mut out = Read::default();
    for level in levels {
        for (root_index, name) in places(root, names) {
            let folder = &root.folders[root_index];
            let path = join(level, name);
            if let Some(found) = out.found.first() {
                let hidden = root.overlaid && found.path == path;
                if !hidden && folder.has(world, &path).unwrap_or(false) {
                    out.unused.push(root.unused(&path, UnusedReason::NotFirst));
                }
            } else if let Some(bytes) = folder.read(world, &path)? {
                out.found.push(Raw {
                    root: root.name.clone(),
                    root_index,
                    path,
                    bytes,
                });
            }
        }
        if let Some(found) = out.found.first() {
            // What was tried before it was looked for in vain.
            let paths = names.iter().map(|name| join(level, name.shown()));
            let tried: Vec<String> = paths.take_while(|path| *path != found.path).collect();
            let there = |path: &String| out.unused.iter().any(|u| u.path == *path);
            let missing: Vec<String> = tried.into_iter().filter(|path| !there(path)).collect();
            for path in missing {
                out.unused.push(root.unused(&path, UnusedReason::Missing));
            }
            return Ok(out);
        }
    }
    for name in names {
        out.unused
            .push(root.unused(name.shown(), UnusedReason::Missing));
    }
    Ok(out)
}

/// Folder and name of each file that is looked for, in order.
fn places<'a>(root: &BoundRoot, names: &'a [Wanted]) -> Vec<(usize, &'a str)> {
    let folders = 0..root.folders.len();
    let names = names.iter().filter_map(Wanted::file);
    if root.overlaid {
        let in_folders = |name| folders.clone().map(move |folder| (folder, name));
        names.flat_map(in_folders).collect()
    } else {
        let all = |folder| names.clone().map(move |name| (folder, name));
        folders.flat_map(all).collect()
    }
}

/// The paths of `names` in the folder `level` that exist as regular files; what cannot be looked at is left out.
#[must_use]
pub fn existing(world: &dyn World, root: &BoundRoot, level: &str, names: &[Wanted]) -> Vec<String> {
    let mut out = Vec::new();
    for name in names.iter().filter_map(Wanted::file) {
        let path = join(level, name);
        if root
            .folders
            .iter()
            .any(|f| f.has(world, &path).unwrap_or(false))
        {
            out.push(path);
        }
    }
    out
}
