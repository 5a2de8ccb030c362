//! The errors of a store.

use std::fmt;
use std::path::PathBuf;

/// Why a store did not do what it was asked to.
#[derive(Debug)]
pub enum StoreError {
    /// Another process locked it for longer than this many seconds; 0 if there was no wait, or hardly any.
    Busy(u64),
    /// It may only be read.
    ReadOnly,
    /// There is no room left for it.
    Full,
    /// It was changed by something else; the text says what is wrong, without contents.
    Damaged(String),
    /// A newer release wrote it: the version of its shape, and the one that this release knows.
    Newer {
        /// The version of the store.
        found: u64,
        /// The newest that this release reads.
        known: u64,
    },
    /// Something else is at its path, or it was changed so that it looks like that.
    NotAStore,
    /// The data existed when its name was read, and was removed since: nothing is damaged, and a second read
    /// from the beginning gets the current data.
    Gone,
    /// The store is a file, and this file next to it, which it needs, is a link. The link was not followed.
    Linked(PathBuf),
    /// It cannot be read or written.
    Io(std::io::Error),
    /// Another release wrote what was to be read; the text says what.
    OtherRelease(String),
    /// Anything else, in words.
    Other(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(0) => f.write_str("another process has locked it"),
            Self::Busy(seconds) => write!(f, "another process locked it for more than {seconds} s"),
            Self::ReadOnly => f.write_str("it is read-only"),
            Self::Full => f.write_str("no space is left on the device"),
            Self::Damaged(what) => write!(f, "it is damaged: {what}"),
            Self::Newer { found, known } => {
                write!(
                    f,
                    "its format has version {found}, and this release knows {known}"
                )
            }
            Self::NotAStore => f.write_str("it is not a promptc store, or its header is damaged"),
            Self::Gone => f.write_str("other processes change the session each time it is read"),
            Self::Linked(file) => write!(f, "`{}` is a link", file.display()),
            Self::Io(error) => error.fmt(f),
            Self::OtherRelease(what) | Self::Other(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}
