//! Reserved room for removals: on a full disk SQLite could not even remove something, since its write-ahead log
//! needs room before anything is freed.
#![allow(clippy::disallowed_methods, reason = "a store maintains its own files")]

use super::connection::side_file;
use super::place::RESERVE;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Its size in bytes: that of a log of changes that was about to be worked into the file when the disk was full.
const SIZE: usize = 1 << 20;

/// It is made where so many bytes are free that it does not fill the disk itself.
const PLENTY: usize = 4 * SIZE;

/// Its first line: no other file is taken for one.
const HEAD: &[u8] = b"promptc keeps this room to remove sessions on a full disk\n";

/// The reserve of a store that is open. It is made with the first that is written. After something was taken away it is made
/// again when this goes: after the connection, so that what SQLite needs while the store is open has gone too.
#[derive(Debug)]
pub(super) struct Reserve {
    store: PathBuf,
    path: PathBuf,
    /// Whether it was seen to be there, or that it cannot be made.
    known: bool,
    taken_from: bool,
}

impl Reserve {
    /// The reserve of the store in the file at `store`, which is no link.
    pub(super) fn new(store: PathBuf) -> Self {
        let path = side_file(&store, RESERVE);
        Self {
            store,
            path,
            known: false,
            taken_from: false,
        }
    }

    /// The file of the store.
    pub(super) fn store(&self) -> &Path {
        &self.store
    }

    /// Notes that something was written.
    pub(super) fn written(&mut self) {
        if !self.known {
            self.known = true;
            // Without one the store is as good, but on a full disk.
            let _ = self.make(0);
        }
    }

    /// Notes that something is taken away.
    pub(super) fn taken_from(&mut self) {
        self.known = true;
        self.taken_from = true;
    }

    /// Frees its room for the first process that uses it.
    pub(super) fn release(&self) {
        let _ = remove(&self.path);
    }

    /// Creates it, if it does not exist in its whole size; where there is little room, no larger than
    /// `at_most`.
    fn make(&self, at_most: usize) -> io::Result<()> {
        let there = match fs::symlink_metadata(&self.path) {
            Ok(meta) => usize::try_from(meta.len()).unwrap_or(SIZE),
            Err(_) => 0,
        };
        if there >= SIZE {
            return Ok(());
        }
        let size = match room(&self.store)? {
            room if room >= PLENTY => SIZE,
            room => room.min(at_most),
        };
        if size <= there {
            return Ok(());
        }
        remove(&self.path)?;
        // One that comes out shorter is a reserve, too.
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&self.path)?;
        file.set_permissions(fs::metadata(&self.store)?.permissions())?;
        file.write_all(&content(size))
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        if self.taken_from {
            let _ = self.make(SIZE);
        }
    }
}

/// Removes a reserve, of whatever size. A link, and a file that is something else, stays.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if crate::world::is_missing(&error) => return Ok(()),
        Err(error) => return Err(error),
    }
    let mut head = Vec::new();
    File::open(path)?
        .take(HEAD.len() as u64)
        .read_to_end(&mut head)?;
    // Who made it may have been ended at any byte.
    if HEAD.starts_with(&head) {
        fs::remove_file(path)
    } else {
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Bytes that no file system makes smaller.
fn content(size: usize) -> Vec<u8> {
    let mut number = 0x9e37_79b9_7f4a_7c15_u64;
    let noise = std::iter::repeat_with(|| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        number.to_le_bytes()
    });
    let bytes = HEAD.iter().copied().chain(noise.flatten());
    bytes.take(size).collect()
}

/// The number of bytes that are free around a file.
#[cfg(unix)]
fn room(store: &Path) -> io::Result<usize> {
    let disk = rustix::fs::statvfs(store)?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    Ok(usize::try_from(free).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn room(_: &Path) -> io::Result<usize> {
    Ok(usize::MAX)
}
