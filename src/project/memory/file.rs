//! The file of a memory: one writer at a time, and the old or the new text at any moment.

use crate::world::Kind;
use crate::world::write::{Folder, Rights, Target, own};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, ErrorKind, Read as _};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The right to write a memory, for as long as this lives. The system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Whether a memory may be written.
pub(crate) enum Locked {
    /// By us, until this goes.
    Ours(Lock),
    /// By others, for longer than we wait.
    Theirs,
    /// No lock is held: another file has the path of the lock.
    Taken,
}

/// Waits for the right to write the memory `name` in a folder, for no longer than `patience`.
///
/// The lock is on a file next to it, which is never removed: otherwise two processes could hold locks on two files of
/// that name.
pub(crate) fn lock(folder: &Folder, name: &OsStr, patience: Duration) -> io::Result<Locked> {
    let path = with_end(name, ".lock");
    if !matches!(folder.kind(&path)?, None | Some(Kind::File)) {
        return Ok(Locked::Taken);
    }
    let file = open_lock(folder, &path, name)?;
    match file.try_lock() {
        Ok(()) => return Ok(Locked::Ours(Lock { _file: file })),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    if patience.is_zero() {
        return Ok(Locked::Theirs);
    }
    // The system lets those who wait in one by one. It knows no deadline, so another thread waits; if it waits too long, it ends
    // with the process.
    let (send, receive) = mpsc::channel();
    let waits = thread::Builder::new().spawn(move || {
        let locked = file.lock();
        let _ = send.send(locked.map(|()| Locked::Ours(Lock { _file: file })));
    });
    waits?;
    match receive.recv_timeout(patience) {
        Ok(locked) => locked,
        Err(_) => Ok(Locked::Theirs),
    }
}

/// Opens the lock of a memory. Any user who may write the memory may open the lock: it gets the memory's owner and
/// mode, or those of its folder.
fn open_lock(folder: &Folder, lock: &OsStr, memory: &OsStr) -> io::Result<File> {
    match folder.create(lock, 0o666) {
        Ok(file) => {
            let like = metadata(folder, memory).or_else(|| folder.metadata().ok());
            if let Some(like) = like {
                own(&file, &like);
                share(&file, &like)?;
            }
            Ok(file)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            match folder.open_to_change(lock) {
                // Another's, who made it for all that read. Where locks are those of the file itself, reading is enough.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    folder.open_to_read(lock)
                }
                opened => opened,
            }
        }
        Err(error) => Err(error),
    }
}

/// The kind of a file.
fn metadata(folder: &Folder, name: &OsStr) -> Option<Metadata> {
    folder.open_to_read(name).ok()?.metadata().ok()
}

/// Lets those read and write a lock who read and write the memory, and its owner in any case.
#[cfg(unix)]
fn share(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = like.permissions().mode() & 0o666 | 0o600;
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn share(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the folders above a new file; they get the owner of the one that they are made in.
pub(crate) fn make_folders(target: &mut Target) -> io::Result<()> {
    let like = target.nearest().metadata()?;
    let above = target.nearest().enter(OsStr::new("."))?;
    let made = target.make_folders()?;
    if made.is_empty() {
        return Ok(());
    }
    // The innermost first: as long as the folders above are ours, no other user can replace it.
    for (_, folder) in made.iter().rev() {
        folder.own(&like);
        folder.sync()?;
    }
    above.sync()
}

/// Replaces the content of the file with `bytes`, whole or not at all. Only the holder of its lock calls this.
pub(crate) fn replace(folder: &Folder, name: &OsStr, mut bytes: &[u8]) -> io::Result<()> {
    folder.replace(name, &mut bytes, Rights::OfFolder)?;
    folder.sync()
}

/// Keeps a copy of the file's `bytes` next to it, and returns its name. The same bytes are kept once.
pub(crate) fn back_up(
    folder: &Folder,
    memory: &OsStr,
    bytes: &[u8],
    now: i64,
) -> io::Result<String> {
    let shown = |name: &OsStr| name.to_string_lossy().into_owned();
    let stem = shown(&with_end(memory, ".bak."));
    let mut others = folder.names()?;
    others.retain(|name| shown(name).starts_with(&stem));
    others.sort();
    if let Some(kept) = others.iter().find(|name| holds(folder, name, bytes)) {
        // The process that created it may have ended before it was synced.
        folder.open_to_read(kept)?.sync_all()?;
        folder.sync()?;
        return Ok(shown(kept));
    }
    let first = with_end(memory, &format!(".bak.{now}"));
    let next = (2..).map(|n| with_end(memory, &format!(".bak.{now}.{n}")));
    let like = metadata(folder, memory);
    let rights = like.as_ref().map_or(Rights::OfFolder, Rights::Like);
    for name in std::iter::once(first).chain(next) {
        let mut content = bytes;
        match folder.add(&name, &mut content, rights) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => {
                folder.sync()?;
                return Ok(shown(&name));
            }
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Whether the file of that name has these bytes.
fn holds(folder: &Folder, name: &OsStr, bytes: &[u8]) -> bool {
    let mut read = Vec::new();
    let most = bytes.len() as u64 + 1;
    let file = folder.open_to_read(name).ok();
    let file = file.filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()));
    file.is_some_and(|file| file.take(most).read_to_end(&mut read).is_ok()) && read == bytes
}

/// A name with a suffix.
fn with_end(name: &OsStr, end: &str) -> OsString {
    let mut name = name.to_owned();
    name.push(end);
    name
}
