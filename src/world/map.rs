//! A world in memory.

use super::{Entry, Kind, World, limited, too_many_links};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::ops::Bound::{Excluded, Unbounded};
use std::path::{Component, Path, PathBuf};

/// A world in memory, for tests: what it does not hold does not exist.
///
/// Relative paths count from `/`. Folders above what is added come into being with it.
#[derive(Debug, Clone, Default)]
pub struct MapWorld {
    nodes: BTreeMap<PathBuf, Thing>,
    locked: BTreeSet<PathBuf>,
    env: BTreeMap<String, OsString>,
    home: Option<PathBuf>,
    now: i64,
    stdin: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Thing {
    File(Vec<u8>),
    Folder,
    Link(PathBuf),
    Other,
}

impl MapWorld {
    /// A world with nothing but the folder `/`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a regular file.
    #[must_use]
    pub fn file(self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) -> Self {
        self.with(path.as_ref(), Thing::File(bytes.into()))
    }

    /// Adds an empty folder.
    #[must_use]
    pub fn folder(self, path: impl AsRef<Path>) -> Self {
        self.with(path.as_ref(), Thing::Folder)
    }

    /// Adds a symbolic link; a relative target counts from the link's folder.
    #[must_use]
    pub fn link(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.with(path.as_ref(), Thing::Link(target.into()))
    }

    /// Adds something that is neither file nor folder, such as a FIFO.
    #[must_use]
    pub fn other(self, path: impl AsRef<Path>) -> Self {
        self.with(path.as_ref(), Thing::Other)
    }

    /// Denies reading a file, or listing and entering a folder.
    #[must_use]
    pub fn unreadable(mut self, path: impl AsRef<Path>) -> Self {
        self.locked.insert(Path::new("/").join(path));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets the home folder.
    #[must_use]
    pub fn home_at(mut self, path: impl Into<PathBuf>) -> Self {
        self.home = Some(path.into());
        self
    }

    /// Sets the clock, in seconds since 1970.
    #[must_use]
    pub fn clock(mut self, now: i64) -> Self {
        self.now = now;
        self
    }

    /// Sets the content of standard input.
    #[must_use]
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    fn with(mut self, path: &Path, thing: Thing) -> Self {
        let path = Path::new("/").join(path);
        for above in path.ancestors().skip(1) {
            self.nodes.entry(above.to_owned()).or_insert(Thing::Folder);
        }
        self.nodes.insert(path, thing);
        self
    }

    /// The path of the entry at `path`, without links, `.` and `..`; the last name's link only if `follow`.
    fn resolve(&self, path: &Path, follow: bool) -> io::Result<PathBuf> {
        let mut hops = 0;
        let mut at = PathBuf::from("/");
        let mut todo: Vec<OsString> = names(path);
        while let Some(name) = todo.pop() {
            if name == ".." {
                at.pop();
                continue;
            }
            self.enter(&at)?;
            let next = at.join(&name);
            match self.nodes.get(&next) {
                None => return Err(io::ErrorKind::NotFound.into()),
                Some(Thing::Link(target)) if follow || !todo.is_empty() => {
                    hops += 1;
                    if hops > 40 {
                        return Err(too_many_links());
                    }
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    todo.extend(names(target));
                }
                Some(_) => at = next,
            }
        }
        Ok(at)
    }

    /// Fails unless names in `folder` may be looked up.
    fn enter(&self, folder: &Path) -> io::Result<()> {
        match self.nodes.get(folder) {
            Some(Thing::Folder) if self.locked.contains(folder) => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            Some(Thing::Folder) => Ok(()),
            // The top is there even in an empty world.
            None if folder == Path::new("/") => Ok(()),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn kind_at(&self, path: &Path) -> Kind {
        match self.nodes.get(path) {
            Some(Thing::File(_)) => Kind::File,
            Some(Thing::Link(_)) => Kind::Link,
            Some(Thing::Other) => Kind::Other,
            Some(Thing::Folder) | None => Kind::Folder,
        }
    }
}

/// The names of a path, last first.
fn names(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    names.collect()
}

impl World for MapWorld {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        Ok(self.kind_at(&self.resolve(path, true)?))
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        Ok(self.kind_at(&self.resolve(path, false)?))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.resolve(path, true)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let path = self.resolve(path, true)?;
        match self.nodes.get(&path) {
            Some(Thing::File(_)) if self.locked.contains(&path) => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            Some(Thing::File(bytes)) => Ok(limited(bytes, limit)),
            Some(Thing::Other | Thing::Link(_)) => Err(io::ErrorKind::InvalidInput.into()),
            Some(Thing::Folder) | None => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let path = self.resolve(path, true)?;
        self.enter(&path)?;
        let below = self.nodes.range::<PathBuf, _>((Excluded(&path), Unbounded));
        let below = below.take_while(|(other, _)| other.starts_with(&path));
        let entries = below.filter_map(|(other, _)| {
            let name = other
                .file_name()
                .filter(|_| other.parent() == Some(&*path))?;
            Some(Entry {
                name: name.to_owned(),
                kind: self.kind_at(other),
            })
        });
        Ok(entries.collect())
    }

    fn env(&self, name: &str) -> Option<OsString> {
        self.env.get(name).cloned()
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        Ok(limited(&self.stdin, limit))
    }
}
