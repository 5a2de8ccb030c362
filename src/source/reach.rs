//! From a path that something touched to the folders inside a root that it leads to.

use super::wall::{self, Folder, Obstacle, top};
use crate::world::{Kind, World, is_missing};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reached {
    /// Out of the root.
    Outside,
    /// Into the root.
    Inside {
        /// The folders, as paths in the root, innermost first. The root's own folder is none of them.
        folders: Vec<String>,
        /// The innermost one, if it is no folder; empty if the root has none.
        missing: Option<String>,
    },
}

impl Reached {
    /// Into a root without a folder.
    #[must_use]
    pub fn nowhere() -> Self {
        Self::Inside {
            folders: Vec::new(),
            missing: Some(String::new()),
        }
    }
}

/// The folders inside `folder` that `path` leads to: its own and those above it, at most so many `levels`.
///
/// A relative path is relative to `folder`. A path to a file means the folder that holds it. The form of a missing path
/// decides: with an extension it is a file's, else a folder's. Missing folders are left out, and those whose names no
/// source may write; they still count as levels. Links are followed: the real location of a folder counts.
///
/// # Errors
/// When `folder` is none, or it or one inside of it cannot be looked at.
pub fn reached(
    world: &dyn World,
    folder: &Folder,
    path: &Path,
    levels: Option<usize>,
) -> Result<Reached, Obstacle> {
    let Some(top) = top(world, folder)? else {
        return Ok(Reached::nowhere());
    };
    let mut own = real(world, &top, path)?;
    if !own.starts_with(&top) {
        return Ok(Reached::Outside);
    }
    let is_file = match kind(world, &top, &own)? {
        Some(kind) => kind != Kind::Folder,
        None => looks_like_file(path),
    };
    if is_file {
        own.pop();
    }
    let Ok(inside) = own.strip_prefix(&top) else {
        return Ok(Reached::Outside);
    };
    let all = inside.ancestors().filter(|f| !f.as_os_str().is_empty());
    let (mut folders, mut missing) = (Vec::new(), None);
    for (above, folder) in all.take(levels.unwrap_or(usize::MAX)).enumerate() {
        let name = written(folder);
        let is_folder = kind(world, &top, &top.join(folder))? == Some(Kind::Folder);
        if is_folder && wall::inside(&name).is_ok() {
            folders.push(name);
        } else if !is_folder && above == 0 {
            missing = Some(name);
        }
    }
    Ok(Reached::Inside { folders, missing })
}

/// The entry at a path inside of `top`, if there is one.
fn kind(world: &dyn World, top: &Path, path: &Path) -> Result<Option<Kind>, Obstacle> {
    match world.kind(path) {
        Ok(kind) => Ok(Some(kind)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(obstacle(top, path, &error)),
    }
}

/// The obstacle of a path that cannot be looked up.
fn obstacle(top: &Path, path: &Path, error: &io::Error) -> Obstacle {
    Obstacle::from_io(&written(path.strip_prefix(top).unwrap_or(path)), error)
}

/// Where a path leads from `base`, a canonical path; a missing part is taken as it is written, and so is what cannot be
/// looked at outside.
fn real(world: &dyn World, base: &Path, path: &Path) -> Result<PathBuf, Obstacle> {
    let mut here = base.to_owned();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = here.pop(),
            // A root or a drive starts over.
            other => {
                here.push(other);
                match world.canonical(&here) {
                    Ok(real) => here = real,
                    Err(error) if is_missing(&error) || !here.starts_with(base) => {}
                    Err(error) => return Err(obstacle(base, &here, &error)),
                }
            }
        }
    }
    Ok(here)
}

/// Whether a path to nothing is written as one to a file is: with an extension, and without a slash at its end.
fn looks_like_file(path: &Path) -> bool {
    let ends = path.as_os_str().as_encoded_bytes().last();
    let extension = path.extension().filter(|e| !e.is_empty());
    ends != Some(&b'/') && extension.is_some()
}

/// A path inside a root as sources write it.
fn written(path: &Path) -> String {
    let names = path.components().map(|c| c.as_os_str().to_string_lossy());
    names.collect::<Vec<_>>().join("/")
}
