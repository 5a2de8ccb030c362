//! `glob PATTERN …`: every regular file that matches, in byte order of the path.

use super::exclude::Rules;
use super::kind::{Makes, Names, SourceKind, Takes, Wish};
use super::pattern::Pattern;
use super::place::{BoundRoot, Raw, Read, RootFolder};
use super::walk::{self, Hit};
use super::wall::{self, Obstacle};
use crate::world::World;

pub(super) static KIND: SourceKind = SourceKind {
    word: "glob",
    names: Names::Patterns,
    takes: &[Takes::Exclude, Takes::Hide],
    between: None,
    many: true,
    read,
    existing,
    makes: Makes::Document,
};

/// The files that match below the level: pattern by pattern, folder by folder, in byte order of the path. Excluded folders
/// are not entered.
///
/// # Errors
/// When a pattern is not well formed, there are more than 2,000 hits, or a file cannot be read.
fn read(wish: &Wish<'_>) -> Result<Read, Obstacle> {
    let mut out = Read::default();
    for pattern in wish.named() {
        let found = Found::of(wish.root, &|folder| matches(wish, folder, pattern))?;
        if !found.read(wish.world, wish.root, &mut out)? {
            out.unused.push(wish.root.missing(pattern));
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

fn matches(wish: &Wish<'_>, folder: &RootFolder, pattern: &str) -> Result<Vec<Hit>, Obstacle> {
    let pattern = Pattern::parse(pattern)?;
    let exclude = Rules::parse(wish.exclude)?;
    walk::glob(
        folder.world(wish.world),
        &folder.folder,
        &pattern,
        &exclude,
        wish.level,
    )
}

/// The paths that match, unread; what cannot be looked at is left out.
fn existing(wish: &Wish<'_>) -> Vec<String> {
    let find = |folder: &RootFolder, pattern: &str| matches(wish, folder, pattern);
    paths(wish.root, wish.named(), find)
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
