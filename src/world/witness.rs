//! A world that remembers what it was asked for.

use super::{Entry, Kind, World};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was looked at, as it was named, whether or not it was there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looks {
    /// Paths that were looked up or read.
    pub names: BTreeSet<PathBuf>,
    /// Folders that were listed: a name that comes or goes in one of them may change the answer.
    pub lists: BTreeSet<PathBuf>,
}

/// A world that remembers what it was asked for, so that whoever waits for a change knows where to look.
pub struct Witness<'a> {
    world: &'a dyn World,
    looks: Mutex<Looks>,
}

impl<'a> Witness<'a> {
    /// `world`, of which nothing was asked yet.
    #[must_use]
    pub fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            looks: Mutex::default(),
        }
    }

    /// What was asked for.
    #[must_use]
    pub fn into_looks(self) -> Looks {
        let looks = self.looks.into_inner();
        looks.unwrap_or_else(PoisonError::into_inner)
    }

    fn looks(&self) -> MutexGuard<'_, Looks> {
        // Sets of names have no state that a panic could leave half done.
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: &Path) {
        self.looks().names.insert(path.to_owned());
    }
}

impl World for Witness<'_> {
    super::as_in!(self => self.world; stream env home now stdin);

    fn kind(&self, path: &Path) -> io::Result<Kind> {
        self.note(path);
        self.world.kind(path)
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.note(path);
        self.world.kind_of_name(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.note(path);
        self.world.canonical(path)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.note(path);
        self.world.read(path, limit)
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.note(path);
        self.world.read_found(path, limit)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.looks().lists.insert(path.to_owned());
        self.world.list(path)
    }
}
