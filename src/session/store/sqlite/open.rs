//! Opening a store, and creating it if it does not exist.
#![allow(clippy::disallowed_methods, reason = "a store makes its own file")]

use super::connection::{alone, connect, is_no_room, settle_on_close, side_file};
use super::failure::{Failure, Result, damaged};
use super::left;
use super::place::{Remains, regular, remains};
use super::schema::{self, NEWEST, State};
use crate::session::store::StoreError;
use rusqlite::Connection;
use rusqlite::ffi::ErrorCode;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// All.
    Write,
    /// Reading, as nothing may be written.
    ReadOnly,
    /// Reading, as not even the memory that processes share has room on the disk.
    Full,
}

/// A connection to the store at `path`.
pub(super) fn open(path: &Path, wait: u64) -> Result<(Connection, Access)> {
    let failure = match ready(path, wait) {
        Err(failure) => failure,
        ready => return ready,
    };
    let Some(access) = left(&failure) else {
        return Err(failure);
    };
    match to_read(path, wait) {
        Ok(connection) => Ok((connection, access)),
        Err(Failure::Known(known)) if !matches!(known, StoreError::ReadOnly) => Err(known.into()),
        // The file to create is missing, but that is not the reason.
        Err(_) if access == Access::Full => Err(failure),
        Err(_) => Err(why(path).unwrap_or(failure)),
    }
}

fn ready(path: &Path, wait: u64) -> Result<(Connection, Access)> {
    // Both before anything is opened: SQLite drops the log of a file without anything in it.
    regular(path)?;
    not_emptied(path)?;
    let mut connection = match connect(path, wait) {
        Err(failure) if failure.code() == Some(ErrorCode::CannotOpen) => {
            // Another process may have created it meanwhile.
            if !path.try_exists().unwrap_or(true) {
                make(path, wait, |_| Ok(()))?;
            }
            connect(path, wait)?
        }
        other => other?,
    };
    let mut read_only = connection.is_readonly("main")?;
    if read_only {
        // SQLite looks twice, the second time only to read: a store that others put there in between is opened so.
        connection = connect(path, wait)?;
        read_only = connection.is_readonly("main")?;
    }
    // SQLite would create the shared-memory file with the mode of the file, so that no process could use it later.
    if read_only && !side_file(path, "-shm").exists() {
        return Err(StoreError::ReadOnly.into());
    }
    match schema::state(&mut connection)? {
        State::Store(NEWEST) if read_only => return Ok((connection, Access::ReadOnly)),
        State::Store(NEWEST) => {}
        _ if read_only => return Err(StoreError::ReadOnly.into()),
        State::Store(_) => schema::migrate(&mut connection)?,
        State::Empty => return Err(StoreError::NotAStore.into()),
    }
    Ok((connection, Access::Write))
}

/// Fails if a former store is empty now, or if its file is missing next to its log.
fn not_emptied(path: &Path) -> Result<()> {
    match remains(path) {
        Some(Remains::Empty) => Err(damaged("it is empty")),
        Some(Remains::Log) => Err(damaged(
            "the file is gone, but its write-ahead log `-wal` still exists",
        )),
        None => Ok(()),
    }
}

/// Creates a store with the data of `first`; nothing if another process has created it meanwhile. Any number of
/// processes may do this. It is moved to its path as a whole, so that an emptied file is never taken for a new one,
/// and a killed process leaves no half of one.
pub(super) fn make<T>(
    path: &Path,
    wait: u64,
    first: impl FnOnce(&Connection) -> Result<T>,
) -> Result<Option<T>> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let (mut made, mut ignores) = (Vec::new(), false);
    let ready = make_folder(folder, &mut made).and_then(|()| ignore(folder, &mut ignores));
    let done = ready
        .map_err(unmade)
        .and_then(|()| make_in(folder, path, wait, first));
    if done.is_err() {
        if ignores && !path.exists() {
            let _ = fs::remove_file(folder.join(IGNORED));
        }
        // A folder with files of other processes is not removed.
        made.iter()
            .rev()
            .for_each(|folder| _ = fs::remove_dir(folder));
    }
    done
}

fn make_in<T>(
    folder: &Path,
    path: &Path,
    wait: u64,
    first: impl FnOnce(&Connection) -> Result<T>,
) -> Result<Option<T>> {
    let fresh = left::fresh(folder).map_err(unmade)?;
    let _beside = SideFiles(fresh.path().to_path_buf());
    let mut connection = connect(fresh.path(), wait)?;
    // The first can only be said before there is anything in the file.
    connection.pragma_update(None, "auto_vacuum", 2)?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    // A new file needs no rollback, so everything is written once.
    connection.pragma_update_and_check(None, "journal_mode", "memory", |_| Ok(()))?;
    schema::migrate(&mut connection)?;
    let tx = connection.transaction()?;
    let done = first(&tx)?;
    tx.commit()?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // The write-ahead log is merged into the file and removed.
    settle_on_close(&connection, true)?;
    connection.close().map_err(|(_, error)| error)?;
    // Closing does not say that the log stays, and without it there is nothing in the file.
    if side_file(fresh.path(), "-wal").exists() {
        let stays = "SQLite could not merge its write-ahead log";
        return Err(unmade(io::Error::other(stays)));
    }
    fresh.as_file().sync_all().map_err(unmade)?;
    let done = match fresh.persist_noclobber(path) {
        Ok(_) => Some(done),
        Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => None,
        Err(failed) => return Err(unmade(failed.error)),
    };
    // So that a power cut does not lose the file.
    if cfg!(unix) {
        let folder = File::open(folder).and_then(|folder| folder.sync_all());
        folder.map_err(unmade)?;
    }
    Ok(done)
}

/// The files of SQLite next to a file that is being created: they stay if that fails, and are removed when this is
/// dropped, which outlives the connection.
struct SideFiles(PathBuf);

impl Drop for SideFiles {
    fn drop(&mut self) {
        for end in super::place::SIDE_FILES {
            // After success there are none.
            let _ = fs::remove_file(side_file(&self.0, end));
        }
    }
}

fn unmade(error: io::Error) -> Failure {
    Failure::Known(if is_no_room(&error) {
        StoreError::Full
    } else {
        StoreError::Io(error)
    })
}

/// The file that makes git ignore files in a folder.
const IGNORED: &str = ".gitignore";

/// Makes git ignore the usual folder: the prompts of sessions should not be published. An existing file of that
/// name stays as it is. `made` is whether the file was created.
fn ignore(folder: &Path, made: &mut bool) -> io::Result<()> {
    if folder.file_name().is_none_or(|name| name != ".promptc") {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    match options.open(folder.join(IGNORED)) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        file => {
            let mut file = file?;
            *made = true;
            file.write_all(b"*\n")
        }
    }
}

/// Creates the folder of the file. Prompts are private, so both are for the user alone. `made` are the created
/// folders, the outermost first.
fn make_folder(folder: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let here = Path::new(".");
    let or_here = |folder: &'_ Path| {
        if folder.as_os_str().is_empty() {
            here.to_path_buf()
        } else {
            folder.to_path_buf()
        }
    };
    let missing = folder
        .ancestors()
        .take_while(|f| !f.as_os_str().is_empty() && fs::symlink_metadata(f).is_err());
    let missing: Vec<&Path> = missing.collect();
    for (at, folder) in missing.iter().enumerate().rev() {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        if at == 0 {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        match builder.create(folder) {
            Ok(()) => made.push(folder.to_path_buf()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
        // So that a power cut does not lose the folder.
        if cfg!(unix) {
            File::open(or_here(folder.parent().unwrap_or(here)))?.sync_all()?;
        }
    }
    Ok(())
}

/// The target of a dangling link, so that the file is created there and the link stays.
fn target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // The system has followed them all and found nothing, so there is no circle; it counts to 40 itself.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    path
}

/// The access that may remain where a store could not be prepared: a place that takes no new file may still be
/// readable.
fn left(failure: &Failure) -> Option<Access> {
    if failure.is_no_room() {
        return Some(Access::Full);
    }
    let read_only = match failure {
        Failure::Known(error) => matches!(error, StoreError::ReadOnly),
        Failure::Sql(_) => matches!(
            failure.code(),
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
        ),
    };
    read_only.then_some(Access::ReadOnly)
}

/// A connection that only reads, to a store of this release.
fn to_read(path: &Path, wait: u64) -> Result<Connection> {
    let mut connection = alone(path, wait)?;
    match schema::state(&mut connection)? {
        State::Store(NEWEST) => Ok(connection),
        _ => Err(StoreError::ReadOnly.into()),
    }
}

/// The reason of the system why SQLite cannot open a file.
fn why(path: &Path) -> Option<Failure> {
    let opened = OpenOptions::new().read(true).write(true).open(path);
    Some(StoreError::Io(opened.err()?).into())
}

/// The real path of the file, existing or not: its other files are next to it, not next to a link to it.
pub(in crate::session::store) fn real(path: &Path) -> PathBuf {
    let real = fs::canonicalize(path);
    real.unwrap_or_else(|_| {
        let path = target(path);
        // The folders above may be links, too.
        let folder = path.parent().and_then(|f| fs::canonicalize(f).ok());
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path,
        }
    })
}
