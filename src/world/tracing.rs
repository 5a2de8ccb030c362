//! A world that remembers which files were read.

use super::World;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A world that remembers which files were read, so that an output does not take the place of one of them.
pub struct TracingWorld<'a> {
    world: &'a dyn World,
    read: Mutex<Vec<PathBuf>>,
}

impl<'a> TracingWorld<'a> {
    /// `world`, of which nothing was read yet.
    #[must_use]
    pub fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            read: Mutex::default(),
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

    fn has_read(&self, path: &Path, bytes: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        if bytes.is_ok() {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.push(path.to_owned());
        }
        bytes
    }
}

impl World for TracingWorld<'_> {
    super::as_in!(self => self.world; kind kind_of_name canonical stream list env home now stdin);

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.has_read(path, self.world.read(path, limit))
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.has_read(path, self.world.read_found(path, limit))
    }
}
