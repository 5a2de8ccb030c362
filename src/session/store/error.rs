//! What can be wrong with a store.

use std::fmt;
use std::path::PathBuf;

/// Why a store did not do what it was asked to.
#[derive(Debug)]
pub enum StoreError {
    /// Others held it longer than this many seconds; 0 if they were not waited for, or hardly.
    Busy(u64),
    /// It may only be read.
    ReadOnly,
    /// There is no room left for it.
    Full,
    /// It was changed by something else; the text says what is wrong, without contents.
    Damaged(String),
    /// A newer release wrote it: the version of its shape, and the one that this release knows.
    Newer {
        /// That of the store.
        found: u64,
        /// The newest that this release reads.
        known: u64,
    },
    /// Something else stands in its place, or it was changed so that it looks like that.
    NotAStore,
    /// What was to be read was there when its name was read, and was taken away since: nothing is damaged, and who reads from
    /// the beginning gets what is there now.
    Gone,
    /// This file beside it, which SQLite keeps, is a link, and was not followed.
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
            Self::Busy(0) => f.write_str("others hold it"),
            Self::Busy(seconds) => write!(f, "others held it for more than {seconds} s"),
            Self::ReadOnly => f.write_str("it may only be read"),
            Self::Full => f.write_str("no space is left on the device"),
            Self::Damaged(what) => write!(f, "it is damaged: {what}"),
            Self::Newer { found, known } => {
                write!(
                    f,
                    "its shape is version {found}, and this release knows {known}"
                )
            }
            Self::NotAStore => f.write_str("it is no store of promptc, or its head is damaged"),
            Self::Gone => f.write_str("others change the session each time it is read"),
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
