//! Where a store is.

use super::{Freeze, NewBuild, Result, SessionId, Store, sqlite};
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a store is, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In this file, for the processes of one machine.
    File(PathBuf),
    /// A path that had no link in it when it was checked: a link that was created in it since is not followed.
    Found(PathBuf),
}

/// A store was named by a URL with this scheme, not by a path. Stores are files only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKind(pub String);

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a known kind of store", self.0)
    }
}

impl std::error::Error for UnknownKind {}

/// The scheme of a URL, RFC 3986, section 3.1. One letter is a drive.
fn scheme(name: &Path) -> Option<&str> {
    let name = name.as_os_str().as_encoded_bytes();
    let end = name.windows(3).position(|part| part == b"://")?;
    let scheme = std::str::from_utf8(&name[..end]).ok()?;
    let rest = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(rest);
    is_scheme.then_some(scheme)
}

impl Location {
    /// The location that a user names: a path, also with a `:` in it. Another kind of store would have a
    /// scheme, `KIND://…`.
    ///
    /// # Errors
    /// If it is a URL. The rest of the URL is not reported, since it may contain a password.
    pub fn named(name: PathBuf) -> std::result::Result<Self, UnknownKind> {
        match scheme(&name) {
            Some(scheme) => Err(UnknownKind(scheme.to_owned())),
            None => Ok(Self::File(name)),
        }
    }

    /// Opens the store; a missing one is created. If other processes hold a lock, it waits up to `wait_seconds`
    /// each time.
    ///
    /// # Errors
    /// As [`sqlite::open`].
    pub fn open(&self, wait_seconds: u64) -> Result<Box<dyn Store>> {
        Ok(Box::new(sqlite::open_found(&self.real(), wait_seconds)?))
    }

    /// Creates the store with the first build of a session, or leaves nothing; none if a store exists.
    pub(super) fn begin(
        &self,
        wait_seconds: u64,
        id: &SessionId,
        build: &NewBuild,
    ) -> Result<Option<Freeze>> {
        if self.exists() {
            Ok(None)
        } else {
            sqlite::begin(&self.real(), wait_seconds, id, build)
        }
    }

    /// The path of the file without links, as it was when they were looked at.
    pub(super) fn real(&self) -> PathBuf {
        match self {
            Self::File(path) => sqlite::real(path),
            Self::Found(path) => path.clone(),
        }
    }

    /// Whether there is something to open, so that nothing would be made.
    #[must_use]
    pub fn exists(&self) -> bool {
        match self {
            Self::File(path) | Self::Found(path) => sqlite::exists(path),
        }
    }

    /// Removes leftover files of processes that were killed while they created a store here, and files next to
    /// a removed store. Failures are ignored.
    pub fn sweep(&self) {
        match self {
            Self::File(path) | Self::Found(path) => sqlite::sweep(path),
        }
    }

    /// Whether a file belongs to the store, under whatever name, or would if the store made it.
    #[must_use]
    pub fn owns(&self, file: &Path) -> bool {
        match self {
            Self::File(path) | Self::Found(path) => sqlite::owns(path, file),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) | Self::Found(path) => path.display().fmt(f),
        }
    }
}
