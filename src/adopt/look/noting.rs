//! A world that notes what the system fails at, so that nothing is proposed without what could not be looked at.

use crate::diagnostic::{self, Diagnostic};
use crate::manifest;
use crate::world::{Entry, Kind, World, as_in, is_elsewhere, is_loop, is_missing};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Another world, and the first of its failures.
pub(super) struct Noting<'a> {
    world: &'a dyn World,
    failed: Mutex<Option<(PathBuf, ErrorKind)>>,
}

impl<'a> Noting<'a> {
    pub(super) fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            failed: Mutex::new(None),
        }
    }

    /// The first error.
    pub(super) fn failure(&self) -> Option<Box<Diagnostic>> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, why) = failed.as_ref()?;
        let shown = manifest::shown(self.world, path);
        let message = format!("`{shown}` cannot be looked at: {why}");
        let found = Diagnostic::error(diagnostic::UNREADABLE_FILE, message);
        let help = "fix the cause, or start from a preset: promptc init --preset minimal";
        Some(Box::new(found.help(help)))
    }

    fn noted<T>(&self, path: &Path, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && !is_told(error)
        {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert_with(|| (path.to_owned(), error.kind()));
        }
        result
    }
}

/// Whether it says something of the file, which is then left out with that as the reason: it is missing or no file, a link
/// leads in a circle, or it is not for this user.
fn is_told(error: &io::Error) -> bool {
    let of_file = matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::IsADirectory | ErrorKind::InvalidInput
    );
    of_file || is_missing(error) || is_loop(error) || is_elsewhere(error)
}

impl World for Noting<'_> {
    as_in!(self => self.world; stream env home now stdin);

    fn kind(&self, path: &Path) -> io::Result<Kind> {
        self.noted(path, self.world.kind(path))
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.noted(path, self.world.kind_of_name(path))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.noted(path, self.world.canonical(path))
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.noted(path, self.world.read(path, limit))
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.noted(path, self.world.read_found(path, limit))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.noted(path, self.world.list(path))
    }
}
