//! Worlds that another one stands behind.

use super::{Entry, World, as_in};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A world whose folders are listed in another order, for tests of law 1.
#[derive(Debug, Clone)]
pub struct ShuffledWorld<W> {
    /// The world behind it.
    pub world: W,
    /// Which order; the same seed gives the same one.
    pub seed: u64,
}

impl<W: World> World for ShuffledWorld<W> {
    as_in!(self => self.world; kind kind_of_name canonical read read_found stream env home now stdin);

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = self.world.list(path)?;
        let mut state = self.seed;
        for last in (1..entries.len()).rev() {
            // A step of a 64-bit congruential generator; its high bits are good enough to shuffle with.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let other = usize::try_from(state >> 33).unwrap_or(0) % (last + 1);
            entries.swap(last, other);
        }
        Ok(entries)
    }
}

/// A world that remembers which files were read, so that an output does not take the place of one of them.
pub struct Noted<'a> {
    world: &'a dyn World,
    read: Mutex<Vec<PathBuf>>,
}

impl<'a> Noted<'a> {
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
        // A list of names has no state that a panic could leave half done. To compare paths is slow, and is done once.
        let read = self.read.into_inner();
        read.unwrap_or_else(PoisonError::into_inner)
            .into_iter()
            .collect()
    }

    fn note(&self, path: &Path, bytes: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        if bytes.is_ok() {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.push(path.to_owned());
        }
        bytes
    }
}

impl World for Noted<'_> {
    as_in!(self => self.world; kind kind_of_name canonical stream list env home now stdin);

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.note(path, self.world.read(path, limit))
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.note(path, self.world.read_found(path, limit))
    }
}

/// A world without environment and home folder, as scenarios have it.
#[derive(Debug, Clone)]
pub struct Hermetic<W> {
    /// The world behind it.
    pub world: W,
}

impl<W: World> World for Hermetic<W> {
    as_in!(self => self.world; kind kind_of_name canonical read read_found list now stdin);

    fn env(&self, _: &str) -> Option<OsString> {
        None
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }
}
