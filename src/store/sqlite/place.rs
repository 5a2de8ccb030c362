//! The files of a store.
#![allow(clippy::disallowed_methods, reason = "a store knows its own files")]

use super::connection::beside;
use std::fs;
use std::path::{Path, PathBuf};

/// What SQLite keeps beside the file: the log of changes, what processes share of it, and the log of a file that is made.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Whether there is something to open at `path`. An empty file is a store that somebody is about to make.
#[must_use]
pub fn exists(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(meta) => !meta.is_file() || meta.len() > 0,
        Err(error) => !crate::world::is_missing(&error),
    }
}

/// Whether `file` is one of the files of the store at `path`, or would be if it were there.
#[must_use]
pub fn owns(path: &Path, file: &Path) -> bool {
    // What belongs to a store stands beside it, not beside a link to it.
    let (store, file) = (place(path), place(file));
    let mut beside = BESIDE.iter().map(|end| beside(&store, end));
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
