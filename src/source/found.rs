//! The files that a walk finds in the folders of a root.

use super::place::{BoundRoot, Raw, Read, RootFolder};
use super::walk::Hit;
use super::wall::{self, Obstacle};
use crate::text::document::MANIFEST;
use crate::world::World;
use crate::world::threads;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// From so many files on threads share the reading: to start one takes as long as to read ten.
const MANY: usize = 64;

/// Files in the folders of a root: each with the index of its folder, in order.
pub(super) struct FoundFiles(Vec<(usize, Hit)>);

impl FoundFiles {
    /// The files that `find` finds, folder by folder. In layered folders, a path of an earlier one hides the same path
    /// in a later one, and the paths of all are sorted together; in `manifest` a file that an earlier one leads to is found once.
    pub(super) fn of(
        root: &BoundRoot,
        find: &mut dyn FnMut(&RootFolder) -> Result<Vec<Hit>, Obstacle>,
    ) -> Result<Self, Obstacle> {
        let mut all: Vec<(usize, Hit)> = Vec::new();
        for (index, folder) in root.folders.iter().enumerate() {
            let mut hits = find(folder)?;
            // The folder of an overlay may have that of a base inside it.
            if index > 0 && &*root.name == MANIFEST {
                let seen: BTreeSet<&PathBuf> = all.iter().map(|(_, hit)| &hit.file).collect();
                hits.retain(|hit| !seen.contains(&hit.file));
            }
            all.extend(hits.into_iter().map(|hit| (index, hit)));
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
        let read = |(root_index, Hit { path, file }): &(usize, Hit)| {
            wall::read_hit(root.folders[*root_index].world(world), file, path)
        };
        let read = match self.0.len() {
            MANY.. => threads::map(&self.0, read),
            _ => self.0.iter().map(read).collect(),
        };
        for ((root_index, Hit { path, .. }), bytes) in self.0.into_iter().zip(read) {
            if let Some(bytes) = bytes? {
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

/// The paths that `find` finds for each of `wanted` in each folder of a root; what cannot be looked at is left out.
pub(super) fn paths<W: AsRef<str>>(
    root: &BoundRoot,
    wanted: impl IntoIterator<Item = W>,
    find: impl Fn(&RootFolder, &str) -> Result<Vec<Hit>, Obstacle>,
) -> Vec<String> {
    let mut out = Vec::new();
    for wanted in wanted {
        for folder in &root.folders {
            let hits = find(folder, wanted.as_ref()).unwrap_or_default();
            out.extend(hits.into_iter().map(|hit| hit.path));
        }
    }
    out
}
