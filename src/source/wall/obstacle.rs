//! Obstacles to reading inside a root.

use crate::diagnostic::{self, Code, Diagnostic};
use crate::text::{TextKind, inert};
use crate::world::{is_elsewhere, is_loop};
use std::fmt;
use std::io;
use std::path::Path;

/// Why something inside a root cannot be had. All paths are inside the root, but that of its own folder, which is unreadable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// A name or pattern that does not stay inside by its mere form.
    Leaves {
        /// As written.
        path: String,
        /// The error.
        why: &'static str,
    },
    /// A symbolic link out of the root.
    Link {
        /// The path that leads through it.
        path: String,
    },
    /// Symbolic links in a circle.
    Loop {
        /// The path that leads into it.
        path: String,
    },
    /// Something is there and the system does not give it.
    Unreadable {
        /// Its path.
        path: String,
        /// The system's message, without numbers.
        why: String,
    },
    /// A name that is not UTF-8 or holds control characters.
    Name {
        /// The path, with what cannot be shown escaped or replaced.
        path: String,
    },
    /// A pattern finds too much.
    TooMany {
        /// The pattern.
        pattern: String,
        /// The limit, and the thing that it limits.
        most: &'static str,
    },
    /// A document is larger than [`super::LARGEST`].
    TooLarge {
        /// Its path.
        path: String,
    },
    /// A pattern that is not well formed.
    Pattern {
        /// As written.
        pattern: String,
        /// The error.
        why: String,
    },
    /// The root is something else than a folder.
    NotFolder,
    /// The root's folder is missing, and nothing is written without one.
    NoFolder,
    /// The entry at the place of a document cannot be replaced by a document.
    Taken {
        /// Its path.
        path: String,
        /// The entry.
        why: &'static str,
    },
    /// A search starts at a folder that is not inside the root.
    Outside,
}

/// Why a name is invalid, though it leads nowhere outside its root.
pub(in crate::source) const BACKSLASH: &str = "holds a backslash; paths are written with `/`";
/// As [`BACKSLASH`].
pub(in crate::source) const EMPTY: &str = "holds an empty component";
/// As [`BACKSLASH`].
pub(in crate::source) const DOT: &str = "has a `.` component, which is redundant";

impl Obstacle {
    /// The system's error about the folder at `place`, which is `path` inside the root. The root's own folder is named by
    /// its place: the manifest may not say it.
    pub(in crate::source) fn at(place: &Path, path: &str, error: &io::Error) -> Self {
        match path {
            "" => Self::from_io(&place.to_string_lossy(), error),
            _ => Self::from_io(path, error),
        }
    }

    /// The system's error about `path`, inside the root.
    pub(in crate::source) fn from_io(path: &str, error: &io::Error) -> Self {
        if is_loop(error) {
            return Self::Loop { path: shown(path) };
        }
        if is_elsewhere(error) {
            return Self::Link { path: shown(path) };
        }
        Self::Unreadable {
            path: shown(path),
            why: match error.kind() {
                // The system's error has a kind, so these are our own words.
                io::ErrorKind::Other => error.to_string(),
                kind => kind.to_string(),
            },
        }
    }

    /// The obstacle in a name that is written so.
    #[must_use]
    pub fn about(self, written: &str) -> Self {
        match self {
            Self::Leaves { why, .. } => Self::Leaves {
                path: written.to_owned(),
                why,
            },
            other => other,
        }
    }

    /// The path inside the root that cannot be had, if it is the name of a file or folder there.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Link { path } | Self::Loop { path } | Self::Unreadable { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The kind of diagnostic that it is.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Leaves { .. } => diagnostic::PATH_LEAVES_ROOT,
            Self::Link { .. } => diagnostic::LINK_LEAVES_ROOT,
            Self::Loop { .. } => diagnostic::LINK_LOOP,
            Self::Unreadable { .. } => diagnostic::UNREADABLE_FILE,
            Self::Name { .. } => diagnostic::BAD_FILE_NAME,
            Self::TooMany { .. } => diagnostic::TOO_MANY_DOCUMENTS,
            Self::TooLarge { .. } => diagnostic::DOCUMENT_TOO_LARGE,
            Self::Pattern { .. } => diagnostic::INVALID_GLOB,
            Self::NotFolder => diagnostic::ROOT_NOT_FOLDER,
            Self::NoFolder => diagnostic::MEMORY_NOT_WRITABLE,
            Self::Taken { .. } => diagnostic::MEMORY_NOT_WRITABLE,
            Self::Outside => diagnostic::SEARCH_OUTSIDE_ROOT,
        }
    }

    /// The fix, if one can be named.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Leaves { path: written, .. }
            | Self::Pattern {
                pattern: written, ..
            } if written.is_empty() => Some("name one inside the root, or leave the argument out"),
            Self::Leaves { why, .. } => Some(match *why {
                BACKSLASH => {
                    "write `/` between the names of folders; on a system where `\\` is part of a name, rename it"
                }
                EMPTY => "write one `/` between two names, and none at the end",
                DOT => "leave it out",
                _ => "a source reads inside its root; give the file a root of its own",
            }),
            Self::Link { .. } => {
                Some("write links=follow on the root if its links are to be trusted")
            }
            Self::Loop { .. } => Some("make one of the links lead to a file"),
            Self::Unreadable { .. } => {
                Some("let the user who runs this read it, with the folders above it")
            }
            Self::TooLarge { .. } => Some("split it, or name another"),
            Self::Name { .. } => Some("rename the file, or exclude its folder"),
            Self::TooMany { .. } => Some("narrow the pattern, or `exclude` folders"),
            Self::NoFolder => Some("make it, or name another with --root"),
            Self::Outside => Some("let `from=` name a root that lies inside the root that is read"),
            Self::Pattern { .. } => Some(
                "`*` and `?` match inside a name, `**` for folders, `[ab]` for one of some characters",
            ),
            Self::Taken { .. } => Some("move it away, or name another file"),
            _ => None,
        }
    }

    /// It as an error; the caller adds the span.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let error = Diagnostic::error(self.code(), self.to_string());
        match self.help() {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaves { path: written, .. }
            | Self::Pattern {
                pattern: written, ..
            } if written.is_empty() => f.write_str("an empty text names no file"),
            Self::Leaves { path, why } => write!(f, "`{}` {why}", shown(path)),
            Self::Link { path } => write!(f, "`{path}` is a link that leads out of the root"),
            Self::Loop { path } => write!(f, "`{path}` is a link that leads in a circle"),
            Self::Unreadable { path, why } => write!(f, "`{path}` cannot be read: {why}"),
            Self::Name { path } => {
                write!(
                    f,
                    "the name `{path}` is not UTF-8 or holds control characters"
                )
            }
            Self::TooMany { pattern, most } => write!(f, "`{pattern}` finds more than {most}"),
            Self::TooLarge { path } => write!(f, "`{path}` is larger than 64 MiB"),
            Self::Pattern { pattern, why } => write!(f, "`{}` {why}", shown(pattern)),
            Self::NotFolder => f.write_str("the root is not a folder"),
            Self::NoFolder => f.write_str("the root's folder is missing"),
            Self::Taken { path, why } => write!(f, "`{path}` {why}"),
            Self::Outside => f.write_str("the search starts outside of the root that it climbs to"),
        }
    }
}

/// A path inside the root, or a pattern, as messages show it.
pub(crate) fn shown(path: &str) -> String {
    match path {
        "" => ".".to_owned(),
        _ => inert(path, TextKind::Word),
    }
}
