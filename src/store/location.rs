//! Where a store is.

use super::{Result, Store, sqlite};
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a store is, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In this file, for the processes of one machine.
    File(PathBuf),
}

impl Location {
    /// Opens the store; one that is not there is made. Others that hold it are waited for, each time for `wait_seconds`.
    ///
    /// # Errors
    /// As [`sqlite::open`].
    pub fn open(&self, wait_seconds: u64) -> Result<Box<dyn Store>> {
        match self {
            Self::File(path) => Ok(Box::new(sqlite::open(path, wait_seconds)?)),
        }
    }

    /// Whether there is something to open, so that nothing would be made.
    #[must_use]
    pub fn exists(&self) -> bool {
        match self {
            Self::File(path) => sqlite::exists(path),
        }
    }

    /// Whether a file belongs to the store, under whatever name, or would if the store made it.
    #[must_use]
    pub fn owns(&self, file: &Path) -> bool {
        match self {
            Self::File(path) => sqlite::owns(path, file),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
        }
    }
}
