//! The only door to the outside: files, environment, clock.

mod hash;
mod changed;
mod disk;
mod map;
mod output;
mod edited;
mod rebased;
mod places;
mod recorded;
mod mixed;
mod tracing;
pub(crate) mod threads;
mod recorder;
pub mod git;
#[cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unused_imports,
        reason = "the command line asks for more than a `Project` does"
    )
)]
pub(crate) mod write;

pub use changed::{Hermetic, ShuffledWorld};
pub use disk::DiskWorld;
pub use edited::EditedWorld;
pub use hash::{PrefixHash, sha256};
pub use map::MapWorld;
pub(crate) use mixed::{Chosen, MixedWorld, PathDifference};
pub(crate) use output::output;
pub use places::{Places, tidied};
pub(crate) use places::{is_placed, renamed};
pub use rebased::RebasedWorld;
pub(crate) use recorded::Answers;
pub use recorded::{RecordedWorld, ReplayedWorld};
pub(crate) use recorder::{Answered, needed};
pub use recorder::{Looks, Recorder};
pub use tracing::TracingWorld;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The kind of an entry at a path.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
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
    /// Its kind; links are not followed.
    pub kind: Kind,
}

/// The world outside. All of promptc's library reads it through here and nowhere else.
///
/// Relative paths count from the current directory of the process. Many threads may ask at once.
pub trait World: Sync {
    /// The metadata of `path`, links followed.
    ///
    /// # Errors
    /// As the system says; `NotFound` if nothing is there.
    fn kind(&self, path: &Path) -> io::Result<Kind>;

    /// The metadata of `path` itself, a link not followed.
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

    /// The content of a file that was found at `path`, a canonical path. If a link has come into the path since, so that another
    /// file would be opened, the error is one that [`is_elsewhere`] knows.
    ///
    /// # Errors
    /// As for [`World::read`].
    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if self.canonical(path)? == path {
            self.read(path, limit)
        } else {
            Err(elsewhere())
        }
    }

    /// The content of a FIFO or device, at most `limit` bytes and one more. It blocks until a writer has written, so
    /// documents are never read this way.
    ///
    /// # Errors
    /// As the system says.
    fn stream(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let _ = (path, limit);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The entries of a folder, in no particular order.
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

    /// Standard input, at most `limit` bytes and one more: a longer answer means that there is more.
    ///
    /// # Errors
    /// As the system says.
    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>>;
}

/// A name with its case swapped.
pub(crate) fn swapped_case(name: &str) -> String {
    let swap = |c: char| {
        if c.is_ascii_lowercase() {
            c.to_ascii_uppercase()
        } else {
            c.to_ascii_lowercase()
        }
    };
    name.chars().map(swap).collect()
}

/// As much of these bytes as a reader with this limit takes: one byte more shows that there are more.
pub(crate) fn limited(bytes: &[u8], limit: u64) -> Vec<u8> {
    let most = usize::try_from(limit.saturating_add(1)).unwrap_or(usize::MAX);
    bytes[..bytes.len().min(most)].to_vec()
}

/// Methods of [`World`] that ask another world: `as_in!(self => self.world; kind canonical …);`.
macro_rules! as_in {
    ($self:ident => $inner:expr; $($method:ident)*) => {
        $(crate::world::as_in!(@ $method $self $inner);)*
    };
    (@ kind $self:ident $inner:expr) => {
        fn kind(&$self, path: &std::path::Path) -> std::io::Result<crate::world::Kind> {
            $inner.kind(path)
        }
    };
    (@ kind_of_name $self:ident $inner:expr) => {
        fn kind_of_name(&$self, path: &std::path::Path) -> std::io::Result<crate::world::Kind> {
            $inner.kind_of_name(path)
        }
    };
    (@ canonical $self:ident $inner:expr) => {
        fn canonical(&$self, path: &std::path::Path) -> std::io::Result<std::path::PathBuf> {
            $inner.canonical(path)
        }
    };
    (@ read $self:ident $inner:expr) => {
        fn read(&$self, path: &std::path::Path, limit: u64) -> std::io::Result<Vec<u8>> {
            $inner.read(path, limit)
        }
    };
    (@ read_found $self:ident $inner:expr) => {
        fn read_found(&$self, path: &std::path::Path, limit: u64) -> std::io::Result<Vec<u8>> {
            $inner.read_found(path, limit)
        }
    };
    (@ stream $self:ident $inner:expr) => {
        fn stream(&$self, path: &std::path::Path, limit: u64) -> std::io::Result<Vec<u8>> {
            $inner.stream(path, limit)
        }
    };
    (@ list $self:ident $inner:expr) => {
        fn list(&$self, path: &std::path::Path) -> std::io::Result<Vec<crate::world::Entry>> {
            $inner.list(path)
        }
    };
    (@ env $self:ident $inner:expr) => {
        fn env(&$self, name: &str) -> Option<std::ffi::OsString> {
            $inner.env(name)
        }
    };
    (@ home $self:ident $inner:expr) => {
        fn home(&$self) -> Option<std::path::PathBuf> {
            $inner.home()
        }
    };
    (@ now $self:ident $inner:expr) => {
        fn now(&$self) -> i64 {
            $inner.now()
        }
    };
    (@ stdin $self:ident $inner:expr) => {
        fn stdin(&$self, limit: u64) -> std::io::Result<Vec<u8>> {
            $inner.stdin(limit)
        }
    };
}
pub(crate) use as_in;

impl<W: World + ?Sized> World for &W {
    as_in!(self => (**self); kind kind_of_name canonical read read_found stream list env home now stdin);
}

impl<W: World + Send + ?Sized> World for Arc<W> {
    as_in!(self => (**self); kind kind_of_name canonical read read_found stream list env home now stdin);
}

/// Whether an error says that symbolic links lead in a circle.
#[must_use]
pub fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(LOOP)
}

/// The error of a path that leads through too many symbolic links.
#[must_use]
pub fn too_many_links() -> io::Error {
    io::Error::from_raw_os_error(LOOP)
}

/// The error of a file that was found at one place and opened at another.
#[must_use]
pub fn elsewhere() -> io::Error {
    io::Error::other(Elsewhere)
}

/// Whether an error says that what was opened is not what was found: a link has come into its path.
#[must_use]
pub fn is_elsewhere(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Elsewhere>())
}

#[derive(Debug)]
struct Elsewhere;

impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a link has come into its path while it was read")
    }
}

impl std::error::Error for Elsewhere {}

/// Whether an error means that nothing is at a path, or that nothing can be.
#[must_use]
pub fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

/// The system's number for a loop of links: the kind of error for it is not stable yet.
const LOOP: i32 = if cfg!(windows) {
    1921
} else if cfg!(any(target_os = "linux", target_os = "android")) {
    40
} else {
    62
};

#[cfg(test)]
mod tests;
