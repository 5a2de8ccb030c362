//! From a path that something touched to the folders inside a root that it leads to.

use super::wall::{self, Folder, Obstacle, top};
use crate::world::{Kind, World};
use std::path::{Component, Path, PathBuf};

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reached {
    /// Out of the root.
    Outside,
    /// To these folders inside the root, as paths in it, innermost first. The root's own folder is none of them.
    Folders(Vec<String>),
}

/// The folders inside `folder` that `path` leads to: its own and those above it, at most so many `levels`.
///
/// A relative path counts from `folder`. A path to a file leads to the folder that holds it. Of one that is not there its
/// form decides: with an extension it is a file's, else a folder's. Folders that are not there are left out, and those whose
/// names no source may write; they count as levels all the same. Links are followed: what counts is where a folder really is.
///
/// # Errors
/// When `folder` is none, or cannot be looked at.
pub fn reached(
    world: &dyn World,
    folder: &Folder,
    path: &Path,
    levels: Option<usize>,
) -> Result<Reached, Obstacle> {
    let Some(top) = top(world, folder)? else {
        return Ok(Reached::Outside);
    };
    let mut own = real(world, &top, path);
    let is_file = match world.kind(&own) {
        Ok(kind) => kind != Kind::Folder,
        Err(_) => looks_like_file(path),
    };
    if is_file {
        own.pop();
    }
    let Ok(inside) = own.strip_prefix(&top) else {
        return Ok(Reached::Outside);
    };
    let all = inside.ancestors().filter(|f| !f.as_os_str().is_empty());
    let is_there = |f: &&Path| world.kind(&top.join(f)).is_ok_and(|k| k == Kind::Folder);
    let there = all.take(levels.unwrap_or(usize::MAX)).filter(is_there);
    let readable = |name: &String| wall::inside(name).is_ok();
    Ok(Reached::Folders(
        there.map(written).filter(readable).collect(),
    ))
}

/// Where a path leads from `base`, a canonical path; what is not there is taken as it is written.
fn real(world: &dyn World, base: &Path, path: &Path) -> PathBuf {
    let mut here = base.to_owned();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = here.pop(),
            // A root or a drive begins anew.
            other => {
                here.push(other);
                if let Ok(real) = world.canonical(&here) {
                    here = real;
                }
            }
        }
    }
    here
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
