//! `glob PATTERN …`: every regular file that matches, in byte order of the path.

use super::pattern::{Name, Pattern};
use super::place::{BoundRoot, Raw, Read, RootFolder};
use super::walk::{self, Hit};
use super::wall::{self, Obstacle};
use crate::prompt::UnusedReason;
use crate::world::World;
use std::collections::BTreeMap;

/// The files that match `patterns` below `level` (a folder inside the root): pattern by pattern, folder by folder,
/// in byte order of the path. Folders called like one of `exclude` are not entered.
///
/// # Errors
/// When a pattern is not well formed, there are more than 2,000 hits, or a file cannot be read.
pub fn read(
    world: &dyn World,
    root: &BoundRoot,
    level: &str,
    patterns: &[String],
    exclude: &[String],
) -> Result<Read, Obstacle> {
    let mut out = Read::default();
    for pattern in patterns {
        let before = out.found.len();
        if root.overlaid {
            overlaid(world, root, level, pattern, exclude, &mut out)?;
        } else {
            for (index, folder) in root.folders.iter().enumerate() {
                for hit in matches(world, folder, level, pattern, exclude)? {
                    take(world, root, index, hit, &mut out)?;
                }
            }
        }
        if out.found.len() == before {
            out.unused.push(root.unused(pattern, UnusedReason::Missing));
        }
    }
    Ok(out)
}

/// A path that an earlier folder has hides the same path in a later one.
fn overlaid(
    world: &dyn World,
    root: &BoundRoot,
    level: &str,
    pattern: &str,
    exclude: &[String],
    out: &mut Read,
) -> Result<(), Obstacle> {
    let mut paths = BTreeMap::new();
    for (index, folder) in root.folders.iter().enumerate() {
        for Hit { path, file } in matches(world, folder, level, pattern, exclude)? {
            paths.entry(path).or_insert((index, file));
        }
    }
    for (path, (index, file)) in paths {
        take(world, root, index, Hit { path, file }, out)?;
    }
    Ok(())
}

fn matches(
    world: &dyn World,
    folder: &RootFolder,
    level: &str,
    pattern: &str,
    exclude: &[String],
) -> Result<Vec<Hit>, Obstacle> {
    let pattern = Pattern::parse(pattern)?;
    let exclude = exclude
        .iter()
        .map(|n| Name::parse(n))
        .collect::<Result<Vec<_>, _>>()?;
    walk::glob(
        folder.world(world),
        &folder.folder,
        &pattern,
        &exclude,
        level,
    )
}

fn take(
    world: &dyn World,
    root: &BoundRoot,
    index: usize,
    Hit { path, file }: Hit,
    out: &mut Read,
) -> Result<(), Obstacle> {
    let world = root.folders[index].world(world);
    if let Some(bytes) = wall::read_hit(world, &file, &path)? {
        out.found.push(Raw {
            root: root.name.clone(),
            root_index: index,
            path,
            bytes,
        });
    }
    Ok(())
}

/// The paths that match, unread; what cannot be looked at is left out.
#[must_use]
pub fn existing(
    world: &dyn World,
    root: &BoundRoot,
    level: &str,
    patterns: &[String],
    exclude: &[String],
) -> Vec<String> {
    let mut out = Vec::new();
    for pattern in patterns {
        for folder in &root.folders {
            let hits = matches(world, folder, level, pattern, exclude).unwrap_or_default();
            out.extend(hits.into_iter().map(|hit| hit.path));
        }
    }
    out
}
