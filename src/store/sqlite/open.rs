//! Opening a store, and making it if it is not there.
#![allow(
    clippy::disallowed_methods,
    reason = "a store makes its own file, and waits for others"
)]

use super::failure::{Failure, Result};
use super::schema::{self, NEWEST, State};
use crate::store::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::ffi::ErrorCode;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// After how many changed pages of 4 KiB the log of changes is worked into the file: few, as the next process to open the
/// store reads it all.
const LOG_PAGES: u32 = 256;

/// The size of the log of changes in bytes from which it is emptied also when others are reading. Otherwise it would grow
/// for as long as there is always somebody who reads.
const LOG_BYTES: u64 = 4 << 20;

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
        Err(failure) if may_be_read(&failure) => failure,
        other => return other,
    };
    match alone(path, wait) {
        Err(Failure::Sql(_)) => Err(failure),
        Err(known) => Err(known),
        Ok(connection) if matches!(failure.told(wait), StoreError::Full) => {
            Ok((connection, Access::Full))
        }
        Ok(connection) => Ok((connection, Access::ReadOnly)),
    }
}

fn ready(path: &Path, wait: u64) -> Result<(Connection, Access)> {
    let mut connection = match connect(path, wait) {
        Err(failure)
            if failure.code() == Some(ErrorCode::CannotOpen)
                && !path.try_exists().unwrap_or(true) =>
        {
            create_file(path).map_err(StoreError::Io)?;
            connect(path, wait)?
        }
        other => other?,
    };
    let read_only = connection.is_readonly("main")?;
    // SQLite would make what processes share, and with the mode of the file, so that nobody could use it later.
    if read_only && !beside(path, "-shm").exists() {
        return Err(StoreError::ReadOnly.into());
    }
    match schema::state(&mut connection)? {
        State::Store(NEWEST) => {}
        _ if read_only => return Err(StoreError::ReadOnly.into()),
        State::Store(_) => schema::migrate(&mut connection)?,
        // SQLite takes a file of one byte for an empty one.
        State::Empty if fs::metadata(path).is_ok_and(|meta| meta.len() == 1) => {
            return Err(StoreError::NotAStore.into());
        }
        State::Empty => create(&mut connection, wait)?,
    }
    let access = if read_only {
        Access::ReadOnly
    } else {
        Access::Write
    };
    Ok((connection, access))
}

fn connect(path: &Path, wait: u64) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(plain(path), flags)?;
    set_up(&mut connection, wait)?;
    Ok(connection)
}

/// What concerns this connection only: nothing here touches the file.
fn set_up(connection: &mut Connection, wait: u64) -> Result<()> {
    connection.busy_handler(Some(patience(wait)))?;
    // A store may come with a folder that somebody else has packed.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    settle_on_close(connection, false)?;
    connection.execute_batch("PRAGMA cell_size_check = 1; PRAGMA secure_delete = 1")?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    Ok(())
}

/// Waits a little, if others have not been waited for too long yet. It is told how often it was asked for the same lock.
///
/// What SQLite brings along sleeps longer each time, up to 100 ms: among many processes that each write for a millisecond,
/// the store would mostly be free while all of them sleep.
fn patience(wait: u64) -> impl FnMut(i32) -> bool + Send + 'static {
    let wait = Duration::from_secs(wait);
    let mut since = Instant::now();
    move |times| {
        if times == 0 {
            since = Instant::now();
        }
        let patient = since.elapsed() < wait;
        if patient {
            thread::sleep(Duration::from_millis(if times < 5 { 1 } else { 2 }));
        }
        patient
    }
}

/// Whether the last process that closes the store works its log of changes into the file, which waits for the disk.
pub(super) fn settle_on_close(connection: &Connection, settle: bool) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !settle)?;
    Ok(())
}

/// Empties the log of changes if it has grown long.
pub(super) fn shorten_log(connection: &mut Connection, path: &Path, wait: u64) -> Result<()> {
    if fs::metadata(beside(path, "-wal")).is_ok_and(|meta| meta.len() > LOG_BYTES) {
        empty_log(connection, wait)?;
    }
    Ok(())
}

/// Empties the log of changes, if others let go of it soon.
pub(super) fn empty_log(connection: &mut Connection, wait: u64) -> Result<()> {
    connection.busy_handler(Some(patience(wait.min(1))))?;
    let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    connection.busy_handler(Some(patience(wait)))?;
    Ok(emptied?)
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

/// Whether it may be that the place takes no new file, but can be read.
fn may_be_read(failure: &Failure) -> bool {
    match failure {
        Failure::Known(error) => matches!(error, StoreError::ReadOnly),
        Failure::Sql(_) => matches!(
            failure.code(),
            Some(
                ErrorCode::CannotOpen
                    | ErrorCode::ReadOnly
                    | ErrorCode::DiskFull
                    | ErrorCode::SystemIoFailure
            )
        ),
    }
}

/// Opens a store to read it without a word to other processes, as nothing can be written that they would read it from. If
/// there are some that write nevertheless, what is read may not fit together, and is said to be damaged.
fn alone(path: &Path, wait: u64) -> Result<Connection> {
    let logged = fs::metadata(beside(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
    let mut connection = if logged {
        unshared(path)?
    } else {
        immutable(path)?
    };
    set_up(&mut connection, wait)?;
    match schema::state(&mut connection)? {
        State::Store(NEWEST) => Ok(connection),
        _ => Err(StoreError::ReadOnly.into()),
    }
}

/// Where there is no log of changes, the file is all.
fn immutable(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(uri(path), flags)?)
}

/// Reads the log of changes into its own memory, as if it had locked all others out.
fn unshared(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags_and_vfs(plain(path), flags, "unix-none")?;
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    Ok(connection)
}

/// What SQLite keeps beside the file.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in plain(path).as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri + "?immutable=1"
}

/// `path`, so that no name of a file is read as an address or as a place in memory.
fn plain(path: &Path) -> PathBuf {
    if path.is_absolute() {
        path.to_owned()
    } else {
        Path::new(".").join(path)
    }
}
