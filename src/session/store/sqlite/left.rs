//! Leftover files of processes that were killed while they created a store.
#![allow(clippy::disallowed_methods, reason = "a store makes its own file")]

use super::connection::side_file;
use super::place::SIDE_FILES;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use tempfile::NamedTempFile;

/// The prefix of the name of a store that is being made.
const FRESH: &str = ".store-";

/// The length of such a name.
const LENGTH: usize = FRESH.len() + 6;

/// The most files that are made one after another if others take them for leftovers.
const TRIES: usize = 64;

/// A file for a store that is being created. It is locked, so that other processes see that its creator is alive.
pub(super) fn fresh(folder: &Path) -> io::Result<NamedTempFile> {
    sweep(folder);
    for _ in 0..TRIES {
        let fresh = tempfile::Builder::new().prefix(FRESH).tempfile_in(folder)?;
        // A sweeping process may have found it before it was locked. Without file locks no process sweeps.
        let taken = LOCKS && matches!(fresh.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !taken && fresh.path().exists() {
            return Ok(fresh);
        }
    }
    let message = "other processes remove each file that should become the store";
    Err(io::Error::other(message))
}

/// Whether SQLite's own locks are independent of these. Elsewhere only the age of a file identifies leftovers.
const LOCKS: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// After how many seconds a file was left, where locks do not say it.
const OLD: u64 = 24 * 60 * 60;

/// Removes what was left in a folder: it is no error if that cannot be done.
pub(super) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_fresh = name.to_str().is_some_and(|name| {
            let random = name.strip_prefix(FRESH).unwrap_or_default();
            name.len() == LENGTH && random.bytes().all(|b| b.is_ascii_alphanumeric())
        });
        let path = entry.path();
        if is_fresh && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = sweep_one(&path);
        }
    }
}

fn sweep_one(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    let is_left = if LOCKS {
        file.try_lock().is_ok()
    } else {
        let age = file.metadata()?.modified()?.elapsed();
        age.is_ok_and(|age| age.as_secs() > OLD)
    };
    if is_left {
        for end in SIDE_FILES {
            let _ = fs::remove_file(side_file(path, end));
        }
        fs::remove_file(path)?;
    }
    Ok(())
}
