//! A store in one SQLite file, for all processes of one machine.
//!
//! **Steps.** Each is one transaction. Writers take the write lock first, so that two never wait for each other;
//! readers never wait.
//!
//! **Durability.** Data that was frozen, delivered, removed, imported or collected is on the disk when the method
//! returns. Times of use and directory rules are written without waiting for the disk: the end of a process does not harm
//! them, but a power cut may undo the latest.
//!
//! **A full disk.** A removal needs room for the write-ahead log first. A `reserve` of a megabyte next to the file
//! is deleted for this; sessions and contents are removed in steps that fit into it, and it is created again with
//! the remaining room.
//!
//! **Damage.** SQLite has no checksums in its file, and a changed byte in a tree can hide any row. So no result is
//! trusted as it is. The rows of each `shard` have a hash, which reveals a missing row; the `root` has the shards,
//! and its own hash; each session has the hash of its newest `build`, and each build that of the one before;
//! contents are read by their hash. A damaged row affects the sessions of its shard, and no others.
//!
//! **Undetected damage.** The latest changes are in a log next to the file until they are merged into it: when the
//! last process that has it open closes it, if that process wrote something durable, or when the log has a
//! megabyte. SQLite checks the log, and drops it from the first bad byte on, because a power cut leaves the same.
//! So damage in the log undoes steps as if they had never happened. A store that was restored from an older copy
//! looks as it did then, and a file that is copied without its log lacks the changes in the log.
//!
//! **Creation.** A store is created as a whole, together with the first build of a session if that is the reason.
//! So an empty file, or a log without its file, is the remainder of a damaged store, and none is created over it.
//!
//! **Read-only places.** The file and its log are read without locks, since locks would have to be written. A
//! concurrent writer can make it look damaged there.

mod digest;
mod failure;
mod root;
mod schema;
mod connection;
mod place;
mod left;
mod open;
mod reserve;
mod shard;
mod content;
mod session;
mod build;
mod directory_rules;
mod freeze;
mod restore;
mod collect;
mod in_reserve;
mod verify;

use self::build::{Build, Builds};
use self::collect::sessions;
use self::directory_rules::RulesRow;
use self::failure::Failure;
use self::open::Access;
use self::reserve::Reserve;
use self::session::SessionRow;
use self::shard::Shard;
use super::{
    Collected, Damage, Delivered, Freeze, Key, NewBuild, Restored, Result, RulesSession, Session,
    SessionId, Store, StoreError, Unwanted, Wanted, Whole, is_ahead,
};
use rusqlite::{Connection, TransactionBehavior};
use std::path::{Path, PathBuf};

pub(super) use self::open::real;
pub(super) use self::place::regular;
pub use self::place::{exists, owns};
pub use self::schema::NEWEST;

/// A store in one file. What it holds of SQLite is not seen outside.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    wait: u64,
    access: Access,
    /// After the connection, which is closed first.
    reserve: Reserve,
}

/// Opens the store in the file at `path`, and creates the file and its folder if they do not exist, for this user
/// alone. A read-only file or folder is opened for reading. If other processes hold a lock, it waits up to
/// `wait_seconds` each time.
///
/// # Errors
/// If the file is something else, a newer release wrote it, or it cannot be opened or created.
pub fn open(path: &Path, wait_seconds: u64) -> Result<Sqlite> {
    open_found(&open::real(path), wait_seconds)
}

/// Opens a store at a path without links. A link that was created in it since it was checked is an error: the name
/// of the file is opened as it is, and each folder on the way is checked again.
///
/// # Errors
/// As for [`open`].
pub fn open_found(path: &Path, wait_seconds: u64) -> Result<Sqlite> {
    let opened = open::open(path, wait_seconds);
    let (connection, access) = opened.map_err(|f| error_of(f, Some(path), wait_seconds))?;
    Ok(Sqlite {
        connection,
        wait: wait_seconds,
        access,
        reserve: Reserve::new(path.to_owned()),
    })
}

/// Makes the store at `path`, which has no links in it, with the first build of a session, or leaves nothing; none if others
/// have made it meanwhile.
pub(super) fn begin(
    path: &Path,
    wait: u64,
    id: &SessionId,
    build: &NewBuild,
) -> Result<Option<Freeze>> {
    place::regular(path)?;
    let made = open::make(path, wait, |tx| freeze::freeze(tx, id, None, build));
    let made = made.map_err(|f| error_of(f, Some(path), wait))?;
    if made.is_some() {
        Reserve::new(path.to_owned()).written();
    }
    Ok(made)
}

/// Removes leftover files of processes that were killed while they created a store at `path`, and the reserve of a
/// removed store. Failures are ignored.
pub fn sweep(path: &Path) {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    left::sweep(folder.unwrap_or(Path::new(".")));
    if !exists(path) {
        let _ = reserve::remove(&connection::side_file(path, place::RESERVE));
    }
}

impl Sqlite {
    /// Takes a step that only reads: all of it sees the store as it was at one time.
    fn read<T>(&mut self, step: impl FnOnce(&Connection) -> failure::Result<T>) -> Result<T> {
        let wait = self.wait;
        let step = || -> failure::Result<T> {
            let tx = self.connection.transaction()?;
            schema::check_version(&tx)?;
            step(&tx)
        };
        step().map_err(|f| f.into_error(wait))
    }

    /// Takes a step that writes and that a power cut may undo.
    fn note<T>(&mut self, step: impl FnOnce(&Connection) -> failure::Result<T>) -> Result<T> {
        self.write("NORMAL", step)
    }

    /// A step that is not worth a wait.
    fn note_soon<T>(&mut self, step: impl FnOnce(&Connection) -> failure::Result<T>) -> Result<T> {
        let wait = std::mem::take(&mut self.wait);
        let brief = if wait == 0 { 0 } else { connection::BRIEF };
        let hurry = connection::wait_briefly(&mut self.connection, brief);
        let done = hurry
            .map_err(|f| f.into_error(0))
            .and_then(|()| self.note(step));
        self.wait = wait;
        let restored = connection::wait_again(&mut self.connection, wait);
        restored.map_err(|f| f.into_error(wait)).and(done)
    }

    /// Takes a step that writes and lasts.
    fn keep<T>(&mut self, step: impl FnOnce(&Connection) -> failure::Result<T>) -> Result<T> {
        let settle = connection::settle_on_close(&self.connection, true);
        settle.map_err(|f| f.into_error(self.wait))?;
        let kept = self.write("FULL", step)?;
        self.reserve.written();
        Ok(kept)
    }

    /// Takes a session away, as long as it is as `wanted` says, with `contents` also what it alone refers to; whether there was
    /// something to take.
    fn take_away(
        &mut self,
        id: &SessionId,
        contents: bool,
        wanted: impl Fn(&Connection) -> failure::Result<bool>,
    ) -> Result<bool> {
        let step = |tx: &Connection, most| match wanted(tx)? {
            true if contents && most == usize::MAX => collect::remove_whole(tx, id.as_str()),
            // On a full disk the contents are left to `collect`.
            true => collect::remove(tx, id.as_str(), most),
            false => Ok((false, true)),
        };
        self.reserve.taken_from();
        match self.keep(|tx| step(tx, usize::MAX)) {
            Err(StoreError::Full) => {
                let mut was = false;
                self.in_reserve(step, |taken| was |= taken)?;
                Ok(was)
            }
            taken => Ok(taken?.0),
        }
    }

    fn write<T>(
        &mut self,
        synchronous: &str,
        step: impl FnOnce(&Connection) -> failure::Result<T>,
    ) -> Result<T> {
        match self.access {
            Access::Write => {}
            Access::ReadOnly => return Err(StoreError::ReadOnly),
            Access::Full => return Err(StoreError::Full),
        }
        let wait = self.wait;
        let step = || -> failure::Result<T> {
            self.connection
                .pragma_update(None, "synchronous", synchronous)?;
            let immediate = TransactionBehavior::Immediate;
            let tx = self.connection.transaction_with_behavior(immediate)?;
            schema::check_version(&tx)?;
            let done = step(&tx)?;
            tx.commit()?;
            Ok(done)
        };
        let done = step();
        let path = self.connection.path().map(PathBuf::from);
        let done = done.map_err(|f| error_of(f, path.as_deref(), wait))?;
        // What was done is done, whatever comes of this.
        let _ = connection::shorten_log(&mut self.connection, wait);
        Ok(done)
    }
}

/// A failure as an error of the store. The reason of a failed write that SQLite does not report is determined here.
fn error_of(failure: Failure, path: Option<&Path>, wait: u64) -> StoreError {
    match path {
        Some(path) if failure.is_no_write() && connection::takes_no_more(path) => StoreError::Full,
        _ => failure.into_error(wait),
    }
}

/// Whether a use at `at` takes the place of the one that is noted.
fn moves(used: i64, at: i64) -> bool {
    used < at || is_ahead(used, at)
}

impl Store for Sqlite {
    fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        self.read(
            |tx| match Shard::<SessionRow>::of(tx, id.as_str())?.find(id.as_str()) {
                Some(session) => freeze::full(tx, session.clone()).map(Some),
                None => Ok(None),
            },
        )
    }

    fn sessions(&mut self) -> Result<Vec<Session>> {
        self.read(|tx| {
            let mut builds = Builds::new(tx)?;
            let mut full = |session: SessionRow| {
                let build = builds.newest(&session)?.into_build()?;
                session.session(build)
            };
            sessions(tx)?.into_iter().map(&mut full).collect()
        })
    }

    fn builds(&mut self, id: &SessionId) -> Result<Vec<super::Build>> {
        self.read(|tx| {
            let shard = Shard::<SessionRow>::of(tx, id.as_str())?;
            let Some(session) = shard.find(id.as_str()) else {
                return Ok(Vec::new());
            };
            let builds = Builds::new(tx)?.all(session)?;
            builds.into_iter().rev().map(Build::into_build).collect()
        })
    }

    fn restore(
        &mut self,
        id: &SessionId,
        number: Option<u64>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Restored>> {
        self.read(|tx| restore::restore(tx, id, number, wanted))
    }

    fn content(&mut self, key: &Key) -> Result<String> {
        self.read(|tx| {
            let hash = content::hash(key)?;
            match content::read(tx, &hash)? {
                Some(text) => Ok(text),
                None => Err(collect::absent(tx, &hash)?),
            }
        })
    }

    fn freeze(
        &mut self,
        id: &SessionId,
        after: Option<&super::Build>,
        build: &NewBuild,
    ) -> Result<Freeze> {
        self.keep(|tx| freeze::freeze(tx, id, after, build))
    }

    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool> {
        let id = id.as_str();
        let noted =
            self.read(|tx| Ok(Shard::<SessionRow>::of(tx, id)?.find(id).map(|s| s.used)))?;
        match noted {
            None => return Ok(false),
            Some(used) if !moves(used, at) => return Ok(true),
            Some(_) => {}
        }
        self.note_soon(|tx| {
            let mut shard = Shard::<SessionRow>::of(tx, id)?;
            let Some(mut session) = shard.find(id).cloned() else {
                return Ok(false);
            };
            if moves(session.used, at) {
                session.used = at;
                shard.put(tx, session)?;
            }
            Ok(true)
        })
    }

    fn deliver(
        &mut self,
        id: &SessionId,
        after: &super::Build,
        before: Option<&Delivered>,
        at: i64,
        prompt: &[String],
    ) -> Result<bool> {
        self.keep(|tx| {
            let mut shard = Shard::<SessionRow>::of(tx, id.as_str())?;
            let session = shard.find(id.as_str()).cloned();
            let session = session.filter(|s| s.has(after) && s.has_told(before));
            let Some(mut session) = session else {
                return Ok(false);
            };
            session.told = Some((at, content::add_all(tx, prompt)?));
            shard.put(tx, session)?;
            Ok(true)
        })
    }

    fn remove(&mut self, id: &SessionId) -> Result<bool> {
        self.take_away(id, true, |_| Ok(true))
    }

    fn add(&mut self, id: &SessionId, whole: &Whole) -> Result<bool> {
        self.keep(|tx| freeze::add(tx, id, whole))
    }

    fn whole(&mut self, id: &SessionId) -> Result<Option<(Session, Whole)>> {
        self.read(|tx| restore::whole(tx, id))
    }

    fn leave(&mut self, id: &SessionId, newest: &super::Build) -> Result<bool> {
        // A whole store may move, and looking for what others refer to takes time for each session.
        self.take_away(id, false, |tx| {
            let shard = Shard::<SessionRow>::of(tx, id.as_str())?;
            Ok(shard.find(id.as_str()).is_some_and(|row| row.has(newest)))
        })
    }

    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected> {
        let step = |tx: &Connection, most| collect::collect(tx, unwanted, dry, most);
        if dry {
            return Ok(self.read(|tx| step(tx, usize::MAX))?.0);
        }
        self.reserve.taken_from();
        let collected = match self.keep(|tx| step(tx, usize::MAX)) {
            Err(StoreError::Full) => {
                let mut all = Collected::default();
                self.in_reserve(step, |taken| in_reserve::add(&mut all, taken))?;
                all
            }
            collected => collected?.0,
        };
        // What was done is done, and what room is not given back now is used again.
        self.make_room();
        sweep(self.reserve.store());
        Ok(collected)
    }

    fn folder_rules(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>> {
        let id = id.as_str();
        let news = self.read(|tx| directory_rules::news(tx, id, folders, at))?;
        if news == directory_rules::News::None {
            return Ok(Vec::new());
        }
        let add = |tx: &Connection| directory_rules::add(tx, id, folders, at);
        let noted = match news {
            directory_rules::News::Time => self.note_soon(add),
            _ => self.note(add),
        };
        match noted {
            // Then only the time is not noted.
            Err(StoreError::ReadOnly | StoreError::Full | StoreError::Busy(_))
                if news == directory_rules::News::Time =>
            {
                Ok(Vec::new())
            }
            done => done,
        }
    }

    fn forget_directory_rules(&mut self, id: &SessionId, folders: &[String]) -> Result<()> {
        self.note(|tx| directory_rules::take_back(tx, id.as_str(), folders))
    }

    fn rules_sessions(&mut self) -> Result<Vec<RulesSession>> {
        self.read(|tx| {
            let rows = collect::directory_rules(tx)?.into_values();
            rows.map(|row| row.session()).collect()
        })
    }

    fn directory_rules(&mut self, id: &SessionId) -> Result<Vec<String>> {
        self.read(
            |tx| match Shard::<RulesRow>::of(tx, id.as_str())?.find(id.as_str()) {
                Some(row) => Ok(row.folders()?.into_iter().collect()),
                None => Ok(Vec::new()),
            },
        )
    }

    fn verify(&mut self) -> Result<Vec<Damage>> {
        self.read(verify::verify)
    }
}
