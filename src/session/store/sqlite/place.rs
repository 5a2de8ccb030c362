//! The files of a store.
#![allow(clippy::disallowed_methods, reason = "a store knows its own files")]

use super::connection::beside;
use crate::session::store::{Result, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

/// What SQLite keeps beside the file: the log of changes, what processes share of it, and the log of a file that is made.
pub(super) const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// What stands beside the file to be removed where there is no room to remove anything else.
pub(super) const RESERVE: &str = "-reserve";

/// Whether there is something to open at `path`, or something is left of what was there.
#[must_use]
pub fn exists(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(_) => true,
        Err(error) => !crate::world::is_missing(&error) || remains(path).is_some(),
    }
}

/// What is left of a store that something else has taken away. A store comes to its place whole, and its log goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remains {
    /// The file, without anything in it.
    Empty,
    /// A log of changes, which has some.
    Log,
}

/// What is left at `path` of a store; none if it may be whole, or if nothing is there.
pub(super) fn remains(path: &Path) -> Option<Remains> {
    let log = fs::metadata(beside(&place(path), "-wal"));
    let logged = log.is_ok_and(|meta| meta.len() > 0);
    // In this order: others may make the store meanwhile, and the file before its log.
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() == 0 => Some(Remains::Empty),
        Err(error) if crate::world::is_missing(&error) && logged => Some(Remains::Log),
        _ => None,
    }
}

/// Fails if one of the files of the store at `path` is there and is no regular file: SQLite follows no link at all, but says
/// so as if nothing could be written, and waits for the other end of a FIFO.
pub(in crate::session::store) fn regular(path: &Path) -> Result<()> {
    for end in BESIDE.iter().chain([&""]) {
        let file = beside(path, end);
        let Ok(meta) = fs::symlink_metadata(&file) else {
            continue;
        };
        // Of these SQLite itself says what they are.
        let told = end.is_empty() && (meta.is_symlink() || meta.is_dir());
        if meta.is_symlink() && !told {
            return Err(StoreError::Linked(file));
        }
        if !meta.is_file() && !told {
            let name = file.file_name().unwrap_or_default().display();
            let what = format!("`{name}` is not a regular file");
            return Err(StoreError::Other(what));
        }
    }
    Ok(())
}

/// Whether `file` is one of the files of the store at `path`, or would be if it were there.
#[must_use]
pub fn owns(path: &Path, file: &Path) -> bool {
    // What belongs to a store stands beside it, not beside a link to it.
    let (store, file) = (place(path), place(file));
    let ends = BESIDE.iter().chain([&RESERVE]);
    let mut beside = ends.map(|end| beside(&store, end));
    file == store || beside.any(|own| file == place(&own))
}

/// Where a file is, or where it would be made.
fn place(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
