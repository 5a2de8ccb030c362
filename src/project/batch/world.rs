//! The world of a batch: its clock is fixed, and it notices reads of the output.

use crate::world::{DiskWorld, World, as_in};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most names of files that are remembered.
const KNOWN: usize = 10_000;

/// The world as it is, at one time for all lines.
pub(super) struct BatchWorld {
    world: Arc<dyn World + Send + Sync>,
    now: i64,
    /// The file that the output will take the place of, if there is one.
    output: Option<PathBuf>,
    /// Names that were found to lead elsewhere.
    others: Mutex<BTreeSet<PathBuf>>,
    read: AtomicBool,
}

impl BatchWorld {
    /// `world` from now on; `output` is what must not be read.
    pub(super) fn new(world: Arc<dyn World + Send + Sync>, output: Option<&Path>) -> Self {
        Self {
            now: world.now(),
            world,
            output: output.and_then(|path| DiskWorld.canonical(path).ok()),
            others: Mutex::default(),
            read: AtomicBool::new(false),
        }
    }

    /// Whether the output was read.
    pub(super) fn has_read_output(&self) -> bool {
        self.read.load(Ordering::Relaxed)
    }

    /// Remembers whether the file at `path` is the output.
    pub(super) fn note(&self, path: &Path) {
        let Some(output) = &self.output else { return };
        // A set of names has no state that a panic could leave half done.
        let others = || self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if others().contains(path) {
            return;
        }
        if DiskWorld.canonical(path).is_ok_and(|real| real == *output) {
            self.read.store(true, Ordering::Relaxed);
            return;
        }
        let mut others = others();
        if others.len() >= KNOWN {
            // Facts may name other files on each line; to ask again costs little.
            others.clear();
        }
        others.insert(path.to_owned());
    }
}

impl World for BatchWorld {
    as_in!(self => self.world; kind kind_of_name canonical stream list env home stdin);

    fn now(&self) -> i64 {
        self.now
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let bytes = self.world.read(path, limit)?;
        self.note(path);
        Ok(bytes)
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let bytes = self.world.read_found(path, limit)?;
        self.note(path);
        Ok(bytes)
    }
}
