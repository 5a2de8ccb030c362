//! `file A B …`: the first name that exists as a regular file.

use super::place::{BoundRoot, Raw, Read, join};
use super::wall::Obstacle;
use crate::prompt::UnusedReason;
use crate::world::World;

/// Looks for `names` in the folders of `root`, in each folder at `levels` (paths inside the root, nearest first).
/// The first level, and in it the first folder, and in it the first name that exists wins; other files that exist at
/// that level are reported as unused.
///
/// # Errors
/// When a wall forbids a name, or a file cannot be read.
pub fn read(
    world: &dyn World,
    root: &BoundRoot,
    levels: &[String],
    names: &[String],
) -> Result<Read, Obstacle> {
    let mut out = Read::default();
    for level in levels {
        for (root_index, folder) in root.folders.iter().enumerate() {
            for name in names {
                let path = join(level, name);
                if !out.found.is_empty() {
                    if folder.has(world, &path).unwrap_or(false) {
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
        }
        if !out.found.is_empty() {
            return Ok(out);
        }
    }
    for name in names {
        out.unused.push(root.unused(name, UnusedReason::Missing));
    }
    Ok(out)
}

/// The paths of `names` in the folder `level` that exist as regular files; what cannot be looked at is left out.
#[must_use]
pub fn existing(world: &dyn World, root: &BoundRoot, level: &str, names: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    for name in names {
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
