//! Connections to the file, and its write-ahead log.
#![allow(
    clippy::disallowed_methods,
    reason = "a store maintains its own files, and waits for other processes"
)]

use super::failure::Result;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// After how many changed pages of 4 KiB the log of changes is worked into the file: few, as the next process to open the
/// store reads it all.
const LOG_PAGES: u32 = 256;

/// The size of the write-ahead log in bytes from which it is emptied even if other processes are reading. Otherwise
/// it would grow as long as there is always a reader.
const LOG_BYTES: u64 = 4 << 20;

/// The time for which a process sleeps before it asks for a lock again.
const PAUSE: Duration = Duration::from_millis(2);

/// How often others are waited for by what is not worth more, two milliseconds each time: a second in all. A crowd of writers
/// takes a few of these; one that the system has put aside takes more, and a use that is not noted for its sake would let a
/// session count as idle before it is.
pub(super) const BRIEF: i32 = 500;

/// Makes steps give up quickly on locks of other processes.
pub(super) fn wait_briefly(connection: &mut Connection, times: i32) -> Result<()> {
    Ok(connection.busy_handler(Some(move |asked| {
        let patient = asked < times;
        if patient {
            thread::sleep(PAUSE);
        }
        patient
    }))?)
}

/// Makes steps wait for others as they did.
pub(super) fn wait_again(connection: &mut Connection, wait: u64) -> Result<()> {
    Ok(connection.busy_handler(Some(patience(wait)))?)
}

/// The flags with which each file is opened: no link in its path is followed.
const NO_LINKS: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

/// A connection to an existing file, for reading and writing.
pub(super) fn connect(path: &Path, wait: u64) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | NO_LINKS;
    let mut connection = Connection::open_with_flags(plain(path), flags)?;
    set_up(&mut connection, wait)?;
    Ok(connection)
}

/// Settings of this connection only: nothing here touches the file.
fn set_up(connection: &mut Connection, wait: u64) -> Result<()> {
    connection.busy_handler(Some(patience(wait)))?;
    // A store may come with a folder from an untrusted source.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    settle_on_close(connection, false)?;
    connection.execute_batch("PRAGMA cell_size_check = 1; PRAGMA secure_delete = 1")?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    if cfg!(target_vendor = "apple") {
        // There, to have written is else not to have it on the disk.
        connection.execute_batch("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")?;
    }
    Ok(())
}

/// Waits briefly, unless the total wait is already too long. The argument is the number of earlier waits for the
/// same lock.
///
/// SQLite's own handler sleeps longer each time, up to 100 ms: among many processes that each write for a
/// millisecond, the store would mostly be free while all of them sleep.
pub(super) fn patience(wait: u64) -> impl FnMut(i32) -> bool + Send + 'static {
    let wait = Duration::from_secs(wait);
    let mut since = Instant::now();
    move |times| {
        if times == 0 {
            since = Instant::now();
        }
        let patient = since.elapsed() < wait;
        if patient {
            thread::sleep(if times < 5 { PAUSE / 2 } else { PAUSE });
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
pub(super) fn shorten_log(connection: &mut Connection, wait: u64) -> Result<()> {
    let log = connection
        .path()
        .map(|path| side_file(Path::new(path), "-wal"));
    let length = log
        .and_then(|log| fs::metadata(log).ok())
        .map(|meta| meta.len());
    if length.is_some_and(|length| length > LOG_BYTES) {
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

/// A connection to read the file at `path` without a word to other processes, in a place where nothing can be written that
/// they would read it from. If there are some that write nevertheless, what is read may not fit together, and is said to be
/// damaged.
pub(super) fn alone(path: &Path, wait: u64) -> Result<Connection> {
    let logged = fs::metadata(side_file(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
    let mut connection = if logged {
        unshared(path)?
    } else {
        immutable(path)?
    };
    set_up(&mut connection, wait)?;
    Ok(connection)
}

/// Opens the file alone, where there is no write-ahead log.
fn immutable(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | NO_LINKS | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(uri(path), flags)?)
}

/// Reads the log of changes into its own memory, as if it had locked all others out.
fn unshared(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | NO_LINKS;
    let connection = Connection::open_with_flags_and_vfs(plain(path), flags, "unix-none")?;
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    Ok(connection)
}

/// Whether the folder of the file takes no more data of this user: SQLite distinguishes a full disk from other
/// write failures, but not an exhausted quota.
pub(super) fn takes_no_more(path: &Path) -> bool {
    // One that was made for the store may be gone with it.
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir());
    let try_it = || -> io::Result<()> {
        // More than what may be left of a block.
        let mut file = tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(&[0; 64 * 1024])?;
        file.sync_all()
    };
    try_it().is_err_and(|error| is_no_room(&error))
}

/// Whether the system says that there is no room.
pub(super) fn is_no_room(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

/// The files of SQLite next to the file; their names may not be links.
pub(super) fn side_file(path: &Path, end: &str) -> PathBuf {
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
