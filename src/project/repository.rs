//! Paths as code scanning and annotations want them: from the top of the repository, wherever the program runs in it.

use crate::manifest;
use crate::world::git;
use crate::world::{DiskWorld, World as _, tidied};
use std::path::{Path, PathBuf};

/// The folder that paths count from.
pub(crate) struct Repository {
    here: PathBuf,
    top: PathBuf,
}

impl Repository {
    /// The repository of the current directory; `None` if it is in none.
    pub(crate) fn here() -> Option<Self> {
        let here = DiskWorld.canonical(Path::new(".")).ok()?;
        let top = git::top(&here)?;
        Some(Self { here, top })
    }
}

/// `path`, which counts from the current directory, from the top of the repository; as it is if it lies outside. The name
/// of a built-in is no path.
pub(crate) fn path(path: &str, repository: Option<&Repository>) -> String {
    let inside = repository.filter(|_| !path.starts_with(manifest::BUILT_IN));
    let inside = inside.and_then(|repository| {
        let whole = tidied(&repository.here.join(path));
        let inside = whole.strip_prefix(&repository.top).ok()?;
        Some(inside.display().to_string())
    });
    let path = inside.unwrap_or_else(|| path.to_owned());
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path
    }
}

/// A path as a reference of RFC 3986: characters that a path must not have are percent-encoded, byte by byte. A colon
/// too: it would turn the text before it into a scheme, and code scanning refuses a log with any scheme but `file`.
pub(crate) fn uri(path: &str) -> String {
    let mut out = String::new();
    if Path::new(path).is_absolute() {
        out.push_str(if cfg!(windows) { "file:///" } else { "file://" });
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte.into()),
            b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'+' | b',' | b'=' => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Repository, path};

    #[test]
    fn a_path_counts_from_the_top() {
        let repository = Repository {
            here: "/repo/a/b".into(),
            top: "/repo".into(),
        };
        for (given, wanted) in [
            ("p.kdl", "a/b/p.kdl"),
            ("../p.kdl", "a/p.kdl"),
            ("../../../p.kdl", "../../../p.kdl"),
            ("/repo/p.kdl", "p.kdl"),
            ("/other/p.kdl", "/other/p.kdl"),
            ("builtin:minimal@1", "builtin:minimal@1"),
        ] {
            assert_eq!(path(given, Some(&repository)), wanted);
            assert_eq!(path(given, None), given);
        }
    }
}
