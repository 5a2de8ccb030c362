//! A world seen from another folder.

use super::{Entry, Kind, World};
use std::io;
use std::path::{Path, PathBuf};

/// A world in which relative paths count from a folder, whatever the current directory of the process is.
pub struct RebasedWorld<W> {
    /// The wrapped world.
    pub world: W,
    /// The folder from which relative paths count, as an absolute path.
    pub folder: PathBuf,
}

impl<W> RebasedWorld<W> {
    fn at(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}

impl<W: World> World for RebasedWorld<W> {
    super::as_in!(self => self.world; env home now stdin);

    fn kind(&self, path: &Path) -> io::Result<Kind> {
        self.world.kind(&self.at(path))
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.world.kind_of_name(&self.at(path))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.world.canonical(&self.at(path))
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.world.read(&self.at(path), limit)
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.world.read_found(&self.at(path), limit)
    }

    fn stream(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.world.stream(&self.at(path), limit)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.world.list(&self.at(path))
    }
}
