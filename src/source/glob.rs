//! `glob PATTERN …`: every regular file that matches, in byte order of the path.

use super::exclude::{Exclude, Rules};
use super::pattern::Pattern;
use super::place::{BoundRoot, Raw, Read, RootFolder};
use super::walk::{self, Hit};
use super::wall::{self, Obstacle};
use crate::world::World;

/// The files that match `patterns` below `level` (a folder inside the root): pattern by pattern, folder by folder,
/// in byte order of the path. Folders that one of `exclude` names are not entered.
///
/// # Errors
/// When a pattern is not well formed, there are more than 2,000 hits, or a file cannot be read.
pub fn read(
    world: &dyn World,
    root: &BoundRoot,
    level: &str,
    patterns: &[String],
    exclude: &[Exclude],
) -> Result<Read, Obstacle> {
    let mut out = Read::default();
    for pattern in patterns {
        let find = |folder: &RootFolder| matches(world, folder, level, pattern, exclude);
        let found = Found::of(root, &find)?;
        if !found.read(world, root, &mut out)? {
            out.unused.push(root.missing(pattern));
        }
    }
    Ok(out)
}

/// Files in the folders of a root: each with the index of its folder, in order.
pub(super) struct Found(Vec<(usize, Hit)>);

impl Found {
    /// What `find` finds, folder by folder. Where the folders lie one behind the other, a path that an earlier one has
    /// hides the same path in a later one, and the paths of all stand in one order.
    pub(super) fn of(
        root: &BoundRoot,
        find: &dyn Fn(&RootFolder) -> Result<Vec<Hit>, Obstacle>,
    ) -> Result<Self, Obstacle> {
        let mut all = Vec::new();
        for (index, folder) in root.folders.iter().enumerate() {
            all.extend(find(folder)?.into_iter().map(|hit| (index, hit)));
        }
        if root.overlaid {
            all.sort_by(|(_, one), (_, other)| one.path.cmp(&other.path));
            all.dedup_by(|(_, later), (_, earlier)| later.path == earlier.path);
        }
        Ok(Self(all))
    }

    /// Reads them; those that have gone away since are left out. Says whether there are any.
    pub(super) fn read(
        self,
        world: &dyn World,
        root: &BoundRoot,
        out: &mut Read,
    ) -> Result<bool, Obstacle> {
        let before = out.found.len();
        for (root_index, Hit { path, file }) in self.0 {
            let world = root.folders[root_index].world(world);
            if let Some(bytes) = wall::read_hit(world, &file, &path)? {
                out.found.push(Raw {
                    root: root.name.clone(),
                    root_index,
                    path,
                    bytes,
                });
            }
        }
        Ok(out.found.len() > before)
    }
}

fn matches(
    world: &dyn World,
    folder: &RootFolder,
    level: &str,
    pattern: &str,
    exclude: &[Exclude],
) -> Result<Vec<Hit>, Obstacle> {
    let pattern = Pattern::parse(pattern)?;
    let exclude = Rules::parse(exclude)?;
    walk::glob(
        folder.world(world),
        &folder.folder,
        &pattern,
        &exclude,
        level,
    )
}

/// The paths that match, unread; what cannot be looked at is left out.
#[must_use]
pub fn existing(
    world: &dyn World,
    root: &BoundRoot,
    level: &str,
    patterns: &[String],
    exclude: &[Exclude],
) -> Vec<String> {
    let find = |folder: &RootFolder, pattern: &str| matches(world, folder, level, pattern, exclude);
    paths(root, patterns, find)
}

/// The paths that `find` finds for each of `wanted` in each folder of a root; what cannot be looked at is left out.
pub(super) fn paths(
    root: &BoundRoot,
    wanted: &[String],
    find: impl Fn(&RootFolder, &str) -> Result<Vec<Hit>, Obstacle>,
) -> Vec<String> {
    let pairs = wanted
        .iter()
        .flat_map(|w| root.folders.iter().map(move |f| (f, w)));
    let hits = pairs.flat_map(|(folder, wanted)| find(folder, wanted).unwrap_or_default());
    hits.map(|hit| hit.path).collect()
}
