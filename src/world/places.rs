//! Names for the folders of a build, so that a record of it names no folder of the machine.

use super::World;
use std::path::{Component, Path, PathBuf};

/// The folders that a build reads in, each under a name: `/NAME/PATH` is a path in one of them.
///
/// A folder inside another one has no name of its own, so that what lies in both has one path.
#[derive(Debug, Default)]
pub struct Places {
    /// The current directory, which relative paths count from.
    here: PathBuf,
    /// Folders and their paths. No folder is inside another one.
    folders: Vec<(PathBuf, String)>,
}

impl Places {
    /// Names for `folders` in `world`, each with the name that it gets unless it is inside another one.
    #[must_use]
    pub fn new(world: &dyn World, folders: impl IntoIterator<Item = (String, PathBuf)>) -> Self {
        let here = world.canonical(Path::new(".")).unwrap_or_default();
        let written = folders.into_iter().map(|(name, folder)| {
            let written = tidied(&here.join(folder));
            let real = world.canonical(&written);
            (real.unwrap_or_else(|_| written.clone()), written, name)
        });
        let mut folders: Vec<_> = written.collect();
        // What is above comes first; of equal folders that which was named first.
        folders.sort_by(|a, b| a.0.cmp(&b.0));
        let mut places = Self {
            here,
            folders: Vec::new(),
        };
        for (real, written, name) in folders {
            if places.inside(&real).is_none() {
                places.folders.push((real.clone(), format!("/{name}")));
            }
            // A way to it through links.
            if places.inside(&written).is_none()
                && let Some(path) = places.inside(&real)
            {
                places.folders.push((written, path));
            }
        }
        places
    }

    /// The path of what is at `path`; none if it is in no folder that has a name. Each folder above them all is `/`.
    #[must_use]
    pub fn path(&self, path: &Path) -> Option<String> {
        let path = tidied(&self.here.join(path));
        let above = || {
            self.folders
                .iter()
                .any(|(folder, _)| folder.starts_with(&path))
        };
        self.inside(&path)
            .or_else(|| above().then(|| "/".to_owned()))
    }

    fn inside(&self, path: &Path) -> Option<String> {
        let mut inside = self.folders.iter();
        inside.find_map(|(folder, name)| {
            let rest = path.strip_prefix(folder).ok()?;
            Some(format!("{name}{}", slashed(rest)))
        })
    }

    /// Names what a link leads to, outside of all others.
    pub(super) fn add(&mut self, target: &Path) {
        let before = self.folders.iter();
        let before = before.filter(|(_, path)| path.starts_with(ELSEWHERE));
        let path = format!("{ELSEWHERE}{}", before.count() + 1);
        self.folders.push((target.to_owned(), path));
    }
}

/// The path of what a link leads to that is in no folder of the build, without its number.
const ELSEWHERE: &str = "/elsewhere#";

/// Whether a path is that of a place or lies in one: it has no `..`, and names no folder of a machine.
pub(crate) fn is_placed(path: &str) -> bool {
    let part = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    let mut parts = path
        .strip_prefix('/')
        .into_iter()
        .flat_map(|path| path.split('/'));
    path.starts_with('/') && parts.all(part)
}

/// A path as it is called when what is at `from` is called `to`; none if it is another one.
pub(crate) fn renamed(path: &str, from: &str, to: &str) -> Option<String> {
    let rest = path.strip_prefix(from)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}"))
}

/// A path with a slash before each part, on every system.
pub(super) fn slashed(path: &Path) -> String {
    let parts = path.components().filter(|part| *part != Component::RootDir);
    let parts = parts.map(|part| format!("/{}", written(part.as_ref())));
    parts.collect()
}

/// A path as text. One that is not UTF-8 stays unique.
pub(super) fn written(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("{path:?}"),
    }
}

/// The path without `.`, and without a folder that is left again at once. Links may make that another place.
#[must_use]
pub fn tidied(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
