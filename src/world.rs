//! The only door to the outside: files, environment, clock.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link (only where links are not followed).
    Link,
    /// A FIFO, socket or device.
    Other,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name, without its folder.
    pub name: OsString,
    /// What it is; links are not followed.
    pub kind: Kind,
}

/// The world outside. All of promptc's library reads it through here and nowhere else.
///
/// Relative paths count from the current directory of the process.
pub trait World {
    /// What stands at `path`, links followed.
    ///
    /// # Errors
    /// As the system says; `NotFound` if nothing is there.
    fn kind(&self, path: &Path) -> io::Result<Kind>;

    /// What stands at `path` itself, a link not followed.
    ///
    /// # Errors
    /// As the system says; `NotFound` if nothing is there.
    fn kind_of_name(&self, path: &Path) -> io::Result<Kind>;

    /// The absolute path without links, `.` and `..`.
    ///
    /// # Errors
    /// As the system says; `NotFound` if nothing is there.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// The content of a regular file, at most `limit` bytes and one more: a longer answer means that the file is larger.
    ///
    /// # Errors
    /// As the system says.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;

    /// What a folder holds, in no particular order.
    ///
    /// # Errors
    /// As the system says.
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>>;

    /// An environment variable.
    fn env(&self, name: &str) -> Option<OsString>;

    /// The home folder of the user, for `~`.
    fn home(&self) -> Option<PathBuf>;

    /// Seconds since 1970-01-01 UTC.
    fn now(&self) -> i64;

    /// All of standard input.
    ///
    /// # Errors
    /// As the system says.
    fn stdin(&self) -> io::Result<Vec<u8>>;
}
