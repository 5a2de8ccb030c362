//! The world as a revision has it: its tree inside the repository, the disk outside.

use super::Repository;
use super::blobs::Blobs;
use super::tree::{Node, Tree};
use crate::diagnostic::{self, Diagnostic};
use crate::world::{self, DiskWorld, Entry, Kind, World};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::ops::Bound::{Excluded, Unbounded};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most links that one path may lead through.
const MOST_LINKS: usize = 40;

/// The digits of a commit that people are shown.
const DIGITS: usize = 7;

/// The largest target of a symbolic link, in bytes.
const MAX_LINK: u64 = 4096;

/// A commit's tree, as a [`World`].
#[derive(Debug)]
pub struct Revision {
    name: String,
    commit: String,
    folder: PathBuf,
    top: PathBuf,
    tree: Tree,
    blobs: Mutex<Option<Blobs>>,
    outside: Mutex<BTreeSet<PathBuf>>,
}

/// Where a path leads, without links.
enum PathTarget {
    /// A path below the top, empty for the top itself.
    Tree(PathBuf),
    /// A path outside of the repository.
    Disk(PathBuf),
}

impl Revision {
    pub(super) fn new(repository: &Repository, name: &str, commit: &str, mut tree: Tree) -> Self {
        // Every checkout has this folder, and a manifest may look for the folder that holds it.
        tree.insert(PathBuf::from(".git"), Node::Folder);
        Self {
            name: name.to_owned(),
            commit: commit.to_owned(),
            folder: repository.folder.clone(),
            top: repository.top.clone(),
            tree,
            blobs: Mutex::default(),
            outside: Mutex::default(),
        }
    }

    /// The name of the commit's object.
    #[must_use]
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// The name that led to it and the first digits of the commit, for people: `main at 0a1b2c3`.
    #[must_use]
    pub fn shown(&self) -> String {
        let digits = self.commit.get(..DIGITS).unwrap_or(&self.commit);
        format!("{} at {digits}", self.name)
    }

    /// The content of the file at `path`, which counts from the current directory; at most `limit` bytes and one more.
    ///
    /// # Errors
    /// When the revision has no such file, or git fails.
    pub fn read_at(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Box<Diagnostic>> {
        self.read(path, limit).map_err(|error| {
            let (shown, name) = (path.display(), &self.name);
            if world::is_missing(&error) {
                let message = format!("`{shown}` is not part of `{name}`");
                let found = Diagnostic::error(diagnostic::NOT_IN_REVISION, message);
                return Box::new(found.help("commit it, or name a revision that has it"));
            }
            let message = format!("`{shown}` cannot be read from `{name}`: {error}");
            let found = Diagnostic::error(diagnostic::GIT_FAILED, message);
            Box::new(found.help("run `git fsck` to check the repository"))
        })
    }

    /// The folders and files outside of the repository that were read from the disk, without links.
    #[must_use]
    pub fn outside(&self) -> Vec<PathBuf> {
        lock(&self.outside).iter().cloned().collect()
    }

    /// Follows a path from the top of the file system; the last name's link only if `follow`.
    fn resolve(&self, path: &Path, follow: bool) -> io::Result<PathTarget> {
        let mut hops = 0;
        let mut at = PathBuf::new();
        let mut todo = parts(&absolute(path)?);
        while let Some(part) = todo.pop() {
            if part == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&part);
            let last = todo.is_empty();
            let target = match next.strip_prefix(&self.top) {
                // The top is a folder, whatever the disk says.
                Ok(inside) if inside == Path::new("") => None,
                Ok(inside) => self.target(&at, inside, follow || !last)?,
                Err(_) if self.top.starts_with(&next) => None,
                Err(_) if last && !follow => return Ok(PathTarget::Disk(next)),
                Err(_) => match DiskWorld.kind_of_name(&next)? {
                    Kind::Link => Some(DiskWorld.canonical(&next)?),
                    _ => None,
                },
            };
            let Some(target) = target else {
                at = next;
                continue;
            };
            hops += 1;
            if hops > MOST_LINKS {
                return Err(world::too_many_links());
            }
            if target.is_absolute() {
                at = PathBuf::new();
            }
            todo.extend(parts(&target));
        }
        Ok(match at.strip_prefix(&self.top) {
            Ok(inside) => PathTarget::Tree(inside.to_owned()),
            Err(_) => PathTarget::Disk(at),
        })
    }

    /// The target of the link at `inside`, if it is one and to be followed.
    fn target(&self, at: &Path, inside: &Path, follow: bool) -> io::Result<Option<PathBuf>> {
        let above = at.strip_prefix(&self.top).unwrap_or(Path::new(""));
        if self.kind_at(above) != Some(Kind::Folder) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        match self.tree.get(inside) {
            None => Err(io::ErrorKind::NotFound.into()),
            Some(Node::Link(object)) if follow => {
                let bytes = self.blob(object, MAX_LINK)?;
                Ok(Some(super::run::path(&bytes)))
            }
            Some(_) => Ok(None),
        }
    }

    fn kind_at(&self, inside: &Path) -> Option<Kind> {
        if inside == Path::new("") {
            return Some(Kind::Folder);
        }
        Some(match self.tree.get(inside)? {
            Node::File(_) => Kind::File,
            Node::Link(_) => Kind::Link,
            Node::Folder => Kind::Folder,
        })
    }

    fn blob(&self, object: &str, limit: u64) -> io::Result<Vec<u8>> {
        let mut blobs = lock(&self.blobs);
        let blobs = match &mut *blobs {
            Some(blobs) => blobs,
            none => {
                let started = Blobs::start(&self.folder);
                none.insert(started.map_err(|error| io::Error::other(error.message))?)
            }
        };
        blobs.read(object, limit)
    }

    fn note(&self, path: PathBuf) -> PathBuf {
        lock(&self.outside).insert(path.clone());
        path
    }
}

/// The lock, also after a thread panicked that held it: what it guards is only added to, and so still valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The path from the top of the file system. A path up from the current directory works even if the revision has no
/// such folder: the directory is on the disk.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    let mut folder = DiskWorld.canonical(Path::new("."))?;
    let mut rest = path.components();
    loop {
        let after = rest.clone();
        match rest.next() {
            Some(Component::CurDir) => {}
            Some(Component::ParentDir) => _ = folder.pop(),
            _ => return Ok(folder.join(after.as_path())),
        }
    }
}

/// The parts of a path, last first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev();
    parts
        .filter(|part| *part != Component::CurDir)
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

impl World for Revision {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        match self.resolve(path, true)? {
            PathTarget::Tree(inside) => self.kind_at(&inside).ok_or(io::ErrorKind::NotFound.into()),
            PathTarget::Disk(path) => DiskWorld.kind(&path),
        }
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        match self.resolve(path, false)? {
            PathTarget::Tree(inside) => self.kind_at(&inside).ok_or(io::ErrorKind::NotFound.into()),
            PathTarget::Disk(path) => DiskWorld.kind_of_name(&path),
        }
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        match self.resolve(path, true)? {
            PathTarget::Tree(inside) if inside == Path::new("") => Ok(self.top.clone()),
            PathTarget::Tree(inside) => Ok(self.top.join(inside)),
            PathTarget::Disk(path) => DiskWorld.canonical(&path),
        }
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let inside = match self.resolve(path, true)? {
            PathTarget::Tree(inside) => inside,
            PathTarget::Disk(path) => return DiskWorld.read(&self.note(path), limit),
        };
        match self.tree.get(&inside) {
            Some(Node::File(object)) => self.blob(object, limit),
            _ => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        match self.resolve(path, true)? {
            PathTarget::Tree(_) => self.read(path, limit),
            PathTarget::Disk(found) => {
                self.note(found);
                // By the path that was found, so that a link which has come into it since is seen.
                DiskWorld.read_found(path, limit)
            }
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let inside = match self.resolve(path, true)? {
            PathTarget::Tree(inside) => inside,
            PathTarget::Disk(path) => return DiskWorld.list(&self.note(path)),
        };
        if self.kind_at(&inside) != Some(Kind::Folder) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let below = self
            .tree
            .range::<PathBuf, _>((Excluded(&inside), Unbounded));
        let below = below.take_while(|(path, _)| path.starts_with(&inside));
        let entries = below.filter_map(|(path, _)| {
            let name = path.file_name().filter(|_| path.parent() == Some(&inside));
            Some(Entry {
                name: name?.to_owned(),
                kind: self.kind_at(path)?,
            })
        });
        Ok(entries.collect())
    }

    fn env(&self, name: &str) -> Option<OsString> {
        DiskWorld.env(name)
    }

    fn home(&self) -> Option<PathBuf> {
        DiskWorld.home()
    }

    fn now(&self) -> i64 {
        DiskWorld.now()
    }

    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        DiskWorld.stdin(limit)
    }
}
