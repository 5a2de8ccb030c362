//! Opening a store, and making it if it is not there.
#![allow(clippy::disallowed_methods, reason = "a store makes its own file")]

use super::connection::{alone, beside, connect, is_no_room, patience, settle_on_close};
use super::failure::{Failure, Result};
use super::schema::{self, NEWEST, State};
use crate::store::StoreError;
use rusqlite::Connection;
use rusqlite::ffi::ErrorCode;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What a connection is good for.
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
        Err(_) => Err(why(path).unwrap_or(failure)),
    }
}

fn ready(path: &Path, wait: u64) -> Result<(Connection, Access)> {
    let mut connection = match connect(path, wait) {
        Err(failure) if failure.code() == Some(ErrorCode::CannotOpen) => {
            // Others may have made it since it was not there.
            if !path.try_exists().unwrap_or(true) {
                create_file(path).map_err(|error| match is_no_room(&error) {
                    true => StoreError::Full,
                    false => StoreError::Io(error),
                })?;
            }
            connect(path, wait)?
        }
        other => other?,
    };
    let read_only = connection.is_readonly("main")?;
    // SQLite would make what processes share, and with the mode of the file, so that nobody could use it later.
    if read_only && !beside(&real(path), "-shm").exists() {
        return Err(StoreError::ReadOnly.into());
    }
    match schema::state(&mut connection)? {
        State::Store(NEWEST) if read_only => return Ok((connection, Access::ReadOnly)),
        State::Store(NEWEST) => {}
        _ if read_only => return Err(StoreError::ReadOnly.into()),
        State::Store(_) => schema::migrate(&mut connection)?,
        // SQLite takes a file of one byte for an empty one.
        State::Empty if fs::metadata(path).is_ok_and(|meta| meta.len() == 1) => {
            return Err(StoreError::NotAStore.into());
        }
        State::Empty => create(&mut connection, wait)?,
    }
    Ok((connection, Access::Write))
}

/// Makes the tables in an empty file. Any number of processes may be at it; one makes them.
fn create(connection: &mut Connection, wait: u64) -> Result<()> {
    let mut patience = patience(wait);
    for times in 0.. {
        // To log changes takes the file alone, and who asks for that at the same time is sent away without waiting.
        match create_once(connection) {
            Err(failure) if failure.is_busy() && patience(times) => {}
            other => return other,
        }
    }
    Ok(())
}

fn create_once(connection: &mut Connection) -> Result<()> {
    // The first can only be said before there is anything in the file.
    connection.pragma_update(None, "auto_vacuum", 2)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    schema::migrate(connection)?;
    settle_on_close(connection, true)
}

/// Makes the file, and the folder that it stands in. Prompts are private, so both are for the user alone.
fn create_file(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut builder = DirBuilder::new();
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        builder.mode(0o700);
        options.mode(0o600);
    }
    let above = folder.parent().filter(|f| !f.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new("."));
    fs::create_dir_all(above)?;
    match builder.create(folder) {
        // So that a power cut does not take the folder with what is kept in it.
        Ok(()) if cfg!(unix) => File::open(above)?.sync_all()?,
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    options.append(true).create(true).open(path)?;
    Ok(())
}

/// What may be left where a store could not be made ready: a place that takes no new file may still be read.
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
    let mut connection = alone(&real(path), wait)?;
    match schema::state(&mut connection)? {
        State::Store(NEWEST) => Ok(connection),
        _ => Err(StoreError::ReadOnly.into()),
    }
}

/// What the system says of a file that SQLite does not open.
fn why(path: &Path) -> Option<Failure> {
    let opened = OpenOptions::new().read(true).write(true).open(path);
    Some(StoreError::Io(opened.err()?).into())
}

/// Where the file is: what belongs to it stands beside it, not beside a link to it.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
