//! The file of a memory: one writer at a time, and the old or the new text at any moment.
#![allow(
    clippy::disallowed_methods,
    reason = "the commands write; World only reads"
)]

use crate::source::writing::Place;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The right to write a memory, for as long as this lives. The system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Whether a memory may be written.
pub(super) enum Locked {
    /// By us, until this goes.
    Ours(Lock),
    /// By others, for longer than we wait.
    Theirs,
    /// By nobody: something else stands where its lock should be.
    Taken,
}

/// Waits for the right to write the memory at `file`, for no longer than `patience`.
///
/// The lock is on a file beside it, which stays there: were it removed, two could hold locks on two files of that name.
pub(super) fn lock(file: &Path, patience: Duration) -> io::Result<Locked> {
    let path = beside(file, "", ".lock");
    if fs::symlink_metadata(&path).is_ok_and(|meta| !meta.is_file()) {
        return Ok(Locked::Taken);
    }
    let file = open_lock(&path, file)?;
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
    thread::spawn(move || {
        let locked = file.lock();
        let _ = send.send(locked.map(|()| Locked::Ours(Lock { _file: file })));
    });
    match receive.recv_timeout(patience) {
        Ok(locked) => locked,
        Err(_) => Ok(Locked::Theirs),
    }
}

/// Opens the lock of a memory. Whoever may write the memory may open the lock: it gets the memory's owner and mode, or those of
/// its folder.
fn open_lock(path: &Path, memory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.clone().create_new(true).open(path) {
        Ok(file) => {
            let like = fs::metadata(memory).ok();
            if let Some(like) = like.or_else(|| folder_of(memory)) {
                own(&file, &like);
                share(&file, &like)?;
            }
            Ok(file)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => match options.open(path) {
            // Another's, who made it for all that read. Where locks are those of the file itself, reading is enough.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => File::open(path),
            opened => opened,
        },
        Err(error) => Err(error),
    }
}

/// What the folder of a file is.
fn folder_of(path: &Path) -> Option<Metadata> {
    fs::metadata(path.parent()?).ok()
}

/// Lets those read and write a lock who read and write the memory, and its owner in any case.
#[cfg(unix)]
fn share(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = like.permissions().mode() & 0o666 | 0o600;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn share(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the folders above a file that is not there yet; they get the owner of the one that they are made in.
pub(super) fn make_folders(place: &Place) -> io::Result<()> {
    let Some(folder) = place.file.parent() else {
        return Ok(());
    };
    let new: Vec<&Path> = folder
        .ancestors()
        .take_while(|above| **above != place.folder)
        .collect();
    let mut made = Vec::new();
    for path in new.iter().rev() {
        match fs::create_dir(path) {
            Ok(()) => made.push(path),
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    // The innermost first: as long as what is above is ours, nobody can put something else in its place.
    for path in made.iter().rev() {
        own_folder(path, &place.folder);
    }
    for path in new {
        sync_folder(path.parent().unwrap_or(path))?;
    }
    Ok(())
}

/// Gives a folder that was just made the owner of another, where that is allowed.
#[cfg(unix)]
fn own_folder(path: &Path, like: &Path) {
    use std::os::unix::fs::{MetadataExt as _, lchown};
    let (Ok(own), Ok(like)) = (fs::symlink_metadata(path), fs::metadata(like)) else {
        return;
    };
    if own.is_dir() && own.uid() != like.uid() {
        let _ = lchown(path, Some(like.uid()), Some(like.gid()));
    }
}

#[cfg(not(unix))]
fn own_folder(_: &Path, _: &Path) {}

/// Puts `bytes` in place of the file, whole or not at all. Who holds its lock calls this, and nobody else.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = match fs::metadata(file) {
        Ok(meta) => {
            // A rename would replace a file that its owner has locked; opening it says whether it may be written.
            OpenOptions::new().append(true).open(file)?;
            Some(meta)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // Always the same name: what a writer that was killed has left there goes with the next one.
    let new = beside(file, ".", ".promptc-new");
    remove(&new)?;
    let written = write_new(&new, bytes, old.as_ref()).and_then(|()| fs::rename(&new, file));
    if let Err(error) = written {
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    sync_folder(file.parent().unwrap_or(Path::new(".")))
}

/// Keeps a copy of the file's `bytes` beside it, and gives its name. The same bytes are kept once.
pub(super) fn back_up(file: &Path, bytes: &[u8], now: i64) -> io::Result<String> {
    let stem = beside(file, "", ".bak.");
    let name = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut others: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if name(&path).starts_with(&name(&stem)) {
            others.push(path);
        }
    }
    others.sort();
    let same = |path: &PathBuf| fs::read(path).is_ok_and(|read| read == bytes);
    if let Some(kept) = others.iter().find(|path| same(path)) {
        // Who made it may have been ended before it was made to last.
        File::open(kept)?.sync_all()?;
        sync_folder(folder)?;
        return Ok(name(kept));
    }
    let first = beside(file, "", &format!(".bak.{now}"));
    let next = (2..).map(|n| beside(file, "", &format!(".bak.{now}.{n}")));
    let mut free = std::iter::once(first).chain(next);
    let meta = fs::metadata(file).ok();
    loop {
        let Some(path) = free.next() else {
            return Err(ErrorKind::AlreadyExists.into());
        };
        match write_new(&path, bytes, meta.as_ref()) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                let _ = fs::remove_file(&path);
                return Err(error);
            }
            Ok(()) => {
                sync_folder(folder)?;
                return Ok(name(&path));
            }
        }
    }
}

/// Writes a file that is not there, with the mode and owner of another; without one, with the owner of the folder.
fn write_new(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    if let Some(like) = like {
        own(&file, like);
        file.set_permissions(like.permissions())?;
    } else if let Some(folder) = folder_of(path) {
        own(&file, &folder);
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Gives a file the owner of another, where that is allowed: what is written as root for an agent stays the agent's.
#[cfg(unix)]
fn own(file: &File, like: &Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let is_own = |meta: Metadata| meta.uid() == like.uid() && meta.gid() == like.gid();
    if !file.metadata().is_ok_and(is_own) {
        let _ = std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()));
    }
}

#[cfg(not(unix))]
fn own(_: &File, _: &Metadata) {}

/// Makes what a folder lists outlast a power cut.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems cannot, and have no other way either.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A path in the same folder, whose name has more in front and behind.
fn beside(file: &Path, front: &str, behind: &str) -> PathBuf {
    let mut name = OsString::from(front);
    name.push(file.file_name().unwrap_or_default());
    name.push(behind);
    file.with_file_name(name)
}
