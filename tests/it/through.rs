//! Worlds of tests, in front of another world.

use promptc::world::{Entry, Kind, World};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What stands between a caller and a world.
pub(crate) trait Between: Sync {
    /// Asks a world `what` of `path`; both are those of a method of [`World`], of which `ask` calls the same.
    fn ask<T>(&self, what: &str, path: &Path, ask: impl FnOnce(&dyn World) -> T) -> T;
}

/// A world of which all is asked through `B`.
#[derive(Default)]
pub(crate) struct Through<B>(pub(crate) B);

impl<B: Between> World for Through<B> {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        self.0.ask("kind", path, |world| world.kind(path))
    }
    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.0
            .ask("kind_of_name", path, |world| world.kind_of_name(path))
    }
    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.ask("canonical", path, |world| world.canonical(path))
    }
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.0.ask("read", path, |world| world.read(path, limit))
    }
    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.0
            .ask("read_found", path, |world| world.read_found(path, limit))
    }
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.0.ask("list", path, |world| world.list(path))
    }
    fn env(&self, name: &str) -> Option<OsString> {
        self.0.ask("env", Path::new(""), |world| world.env(name))
    }
    fn home(&self) -> Option<PathBuf> {
        self.0.ask("home", Path::new(""), |world| world.home())
    }
    fn now(&self) -> i64 {
        self.0.ask("now", Path::new(""), |world| world.now())
    }
    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        self.0
            .ask("stdin", Path::new(""), |world| world.stdin(limit))
    }
}
