//! A world that remembers what it was asked for.

use super::{Entry, Kind, World};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What was looked at, as it was named, whether or not it was there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looks {
    /// Paths that were looked up or read.
    pub names: BTreeSet<PathBuf>,
    /// Folders that were listed: a name that comes or goes in one of them may change the answer.
    pub lists: BTreeSet<PathBuf>,
}

/// A world that remembers which files were read, so that an output does not take the place of one of them; on request also
/// all that was looked at, so that who waits for a change knows where to look.
pub struct TracingWorld<'a> {
    world: &'a dyn World,
    read: Mutex<Vec<PathBuf>>,
    looks: Option<Mutex<Looks>>,
}

impl<'a> TracingWorld<'a> {
    /// `world`, of which nothing was read yet.
    #[must_use]
    pub fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            read: Mutex::default(),
            looks: None,
        }
    }

    /// The same with all that is looked at.
    #[must_use]
    pub fn with_looks(world: &'a dyn World) -> Self {
        Self {
            looks: Some(Mutex::default()),
            ..Self::new(world)
        }
    }

    /// The files that were read, as they were named.
    #[must_use]
    pub fn into_read(self) -> BTreeSet<PathBuf> {
        // To compare paths is slow, and is done once.
        let read = self.read.into_inner();
        read.unwrap_or_else(PoisonError::into_inner)
            .into_iter()
            .collect()
    }

    /// What was looked at, if that was traced.
    #[must_use]
    pub fn into_looks(self) -> Looks {
        let looks = self.looks.map(Mutex::into_inner);
        let looks = looks.map(|looks| looks.unwrap_or_else(PoisonError::into_inner));
        looks.unwrap_or_default()
    }

    fn looked(&self, note: impl FnOnce(&mut Looks)) {
        if let Some(looks) = &self.looks {
            // Sets of names have no state that a panic could leave half done.
            note(&mut looks.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn named(&self, path: &Path) {
        self.looked(|looks| _ = looks.names.insert(path.to_owned()));
    }

    fn has_read(&self, path: &Path, bytes: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        self.named(path);
        if bytes.is_ok() {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.push(path.to_owned());
        }
        bytes
    }
}

impl World for TracingWorld<'_> {
    super::as_in!(self => self.world; stream env home now stdin);

    fn kind(&self, path: &Path) -> io::Result<Kind> {
        self.named(path);
        self.world.kind(path)
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.named(path);
        self.world.kind_of_name(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.named(path);
        self.world.canonical(path)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.has_read(path, self.world.read(path, limit))
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.has_read(path, self.world.read_found(path, limit))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.looked(|looks| _ = looks.lists.insert(path.to_owned()));
        self.world.list(path)
    }
}
