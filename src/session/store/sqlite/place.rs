//! The files of a store.
#![allow(clippy::disallowed_methods, reason = "a store knows its own files")]

use super::connection::side_file;
use crate::session::store::{Result, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of SQLite next to the file: the write-ahead log, its shared memory, and the journal of a new file.
pub(super) const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The file next to the store that is removed where there is no room to remove anything else.
pub(super) const RESERVE: &str = "-reserve";

/// Whether there is something to open at `path`, or a remainder of a former store.
#[must_use]
pub fn exists(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(_) => true,
        Err(error) => !crate::world::is_missing(&error) || remains(path).is_some(),
    }
}

/// The remainder of a store that another program has removed. A store is created as a whole, and its log is removed
/// with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remains {
    /// The file, without anything in it.
    Empty,
    /// A log of changes, which has some.
    Log,
}

/// The remainder of a store at `path`; none if it may be whole, or if nothing is there.
pub(super) fn remains(path: &Path) -> Option<Remains> {
    let log = fs::metadata(side_file(&place(path), "-wal"));
    let logged = log.is_ok_and(|meta| meta.len() > 0);
    // In this order: others may make the store meanwhile, and the file before its log.
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() == 0 => Some(Remains::Empty),
        Err(error) if crate::world::is_missing(&error) && logged => Some(Remains::Log),
        _ => None,
    }
}

/// Fails if one of the files of the store at `path` exists and is no regular file. SQLite follows no links, but
/// reports them as unwritable, and waits for the other end of a FIFO.
pub(in crate::session::store) fn regular(path: &Path) -> Result<()> {
    for end in SIDE_FILES.iter().chain([&""]) {
        let file = side_file(path, end);
        let Ok(meta) = fs::symlink_metadata(&file) else {
            continue;
        };
        // Of these SQLite itself says what they are.
        let reported = end.is_empty() && (meta.is_symlink() || meta.is_dir());
        if meta.is_symlink() && !reported {
            return Err(StoreError::Linked(file));
        }
        if !meta.is_file() && !reported {
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
    // The files of a store are next to it, not next to a link to it.
    let (store, file) = (place(path), place(file));
    let ends = SIDE_FILES.iter().chain([&RESERVE]);
    let mut beside = ends.map(|end| side_file(&store, end));
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
