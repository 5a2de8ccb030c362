//! A store in one SQLite file, for all processes of one machine.

mod digest;
mod failure;
mod root;
mod schema;
mod open;
mod shard;
mod content;
mod build;
mod session;
mod hint;
mod collect;
mod verify;

use self::build::{Build, Builds};
use self::collect::sessions;
use self::hint::HintRow;
use self::open::Access;
use self::session::SessionRow;
use self::shard::Shard;
use super::{
    Collected, Freeze, Key, NewBuild, Result, Session, SessionId, Store, StoreError, Unwanted,
};
use crate::prompt::Deliver;
use rusqlite::{Connection, TransactionBehavior};
use std::path::{Path, PathBuf};

/// A store in one file. What it holds of SQLite is not seen outside.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    path: PathBuf,
    wait: u64,
    access: Access,
}

/// Opens the store in the file at `path`, and makes the file and its folder if they are not there, for this user alone. A
/// file or folder that may not be written is opened to be read. Others that hold the store are waited for, each time for
/// `wait_seconds`.
///
/// # Errors
/// When the file is something else, a newer release wrote it, or it cannot be opened or made.
pub fn open(path: &Path, wait_seconds: u64) -> Result<Sqlite> {
    let opened = open::open(path, wait_seconds);
    let (connection, access) = opened.map_err(|f| f.told(wait_seconds))?;
    Ok(Sqlite {
        connection,
        path: path.to_owned(),
        wait: wait_seconds,
        access,
    })
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
        step().map_err(|f| f.told(wait))
    }

    /// Takes a step that writes and that a power cut may undo.
    fn note<T>(&mut self, step: impl FnOnce(&Connection) -> failure::Result<T>) -> Result<T> {
        self.write("NORMAL", step)
    }

    /// Takes a step that writes and lasts.
    fn keep<T>(&mut self, step: impl FnOnce(&Connection) -> failure::Result<T>) -> Result<T> {
        let settle = open::settle_on_close(&self.connection, true);
        settle.map_err(|f| f.told(self.wait))?;
        self.write("FULL", step)
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
        let done = step().map_err(|f| f.told(wait))?;
        // What was done is done, whatever comes of this.
        let _ = open::shorten_log(&mut self.connection, &self.path, wait);
        Ok(done)
    }
}

impl Store for Sqlite {
    fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        self.read(
            |tx| match Shard::<SessionRow>::of(tx, id.as_str())?.find(id.as_str()) {
                Some(session) => full(tx, session.clone()).map(Some),
                None => Ok(None),
            },
        )
    }

    fn sessions(&mut self) -> Result<Vec<Session>> {
        self.read(|tx| {
            let mut builds = Builds::new(tx)?;
            let mut full = |session: SessionRow| {
                let build = builds.newest(&session)?;
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
            builds.into_iter().rev().map(Build::told).collect()
        })
    }

    fn content(&mut self, key: &Key) -> Result<String> {
        self.read(|tx| {
            let hash = digest::hash(key);
            let hash = hash.ok_or_else(|| failure::damaged("the name of a content"))?;
            match content::read(tx, &hash)? {
                Some(text) => Ok(text),
                None => Err(collect::absent(tx, &hash)?),
            }
        })
    }

    fn freeze(&mut self, id: &SessionId, after: Option<u64>, build: &NewBuild) -> Result<Freeze> {
        self.keep(|tx| {
            let mut shard = Shard::<SessionRow>::of(tx, id.as_str())?;
            let session = shard.find(id.as_str()).cloned();
            let session = match (session, after) {
                (None, Some(_)) => return Ok(Freeze::Gone),
                (Some(session), after) if Some(session.newest) != after.map(u64::cast_signed) => {
                    return Ok(Freeze::Overtaken(full(tx, session)?));
                }
                (session, _) => session,
            };
            let number = session.as_ref().map_or(1, |s| s.newest + 1);
            let session = append(tx, id, session, number, build)?;
            shard.put(tx, session.clone())?;
            Ok(Freeze::Frozen(full(tx, session)?))
        })
    }

    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool> {
        let id = id.as_str();
        let noted =
            self.read(|tx| Ok(Shard::<SessionRow>::of(tx, id)?.find(id).map(|s| s.used)))?;
        match noted {
            None => return Ok(false),
            Some(used) if used >= at => return Ok(true),
            Some(_) => {}
        }
        self.note(|tx| {
            let mut shard = Shard::<SessionRow>::of(tx, id)?;
            let Some(mut session) = shard.find(id).cloned() else {
                return Ok(false);
            };
            if session.used < at {
                session.used = at;
                shard.put(tx, session)?;
            }
            Ok(true)
        })
    }

    fn deliver(&mut self, id: &SessionId, number: u64, at: i64, prompt: &str) -> Result<bool> {
        self.keep(|tx| {
            let mut shard = Shard::<SessionRow>::of(tx, id.as_str())?;
            let session = shard.find(id.as_str()).cloned();
            let Some(mut session) = session.filter(|s| s.newest == number.cast_signed()) else {
                return Ok(false);
            };
            session.told = Some((at, content::add(tx, prompt)?));
            shard.put(tx, session)?;
            Ok(true)
        })
    }

    fn remove(&mut self, id: &SessionId) -> Result<bool> {
        self.keep(|tx| collect::remove(tx, id.as_str()))
    }

    fn import(&mut self, id: &SessionId, used: i64, builds: &[(u64, NewBuild)]) -> Result<bool> {
        let numbers = builds.iter().map(|(number, _)| *number);
        if !numbers.clone().is_sorted_by(|a, b| a < b)
            || !numbers.clone().all(|n| n > 0 && i64::try_from(n).is_ok())
            || builds.is_empty()
        {
            let what = "the numbers of the builds of a session do not rise from 1 on";
            return Err(StoreError::Other(what.into()));
        }
        self.keep(|tx| {
            let mut shard = Shard::<SessionRow>::of(tx, id.as_str())?;
            if shard.find(id.as_str()).is_some() {
                return Ok(false);
            }
            let mut session = None;
            for (number, build) in builds {
                session = Some(append(tx, id, session, number.cast_signed(), build)?);
            }
            if let Some(mut session) = session {
                session.used = used;
                shard.put(tx, session)?;
            }
            Ok(true)
        })
    }

    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected> {
        if dry {
            return self.read(|tx| collect::collect(tx, unwanted, true));
        }
        let collected = self.keep(|tx| collect::collect(tx, unwanted, false))?;
        // What was done is done, and what room is not given back now is used again.
        let _ = collect::give_back(&self.connection);
        let _ = open::empty_log(&mut self.connection, self.wait);
        Ok(collected)
    }

    fn hint(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>> {
        self.note(|tx| {
            let mut shard = Shard::of(tx, id.as_str())?;
            let row = shard.find(id.as_str()).cloned();
            let mut row = row.unwrap_or_else(|| HintRow::new(id.as_str()));
            let mut hinted = row.folders()?;
            let new = |folder: &&String| hinted.insert((*folder).clone());
            let new: Vec<String> = folders.iter().filter(new).cloned().collect();
            if !new.is_empty() {
                row.set(&hinted, at)?;
                shard.put(tx, row)?;
            }
            Ok(new)
        })
    }

    fn hinted(&mut self, id: &SessionId) -> Result<Vec<String>> {
        self.read(
            |tx| match Shard::<HintRow>::of(tx, id.as_str())?.find(id.as_str()) {
                Some(row) => Ok(row.folders()?.into_iter().collect()),
                None => Ok(Vec::new()),
            },
        )
    }

    fn verify(&mut self) -> Result<Vec<String>> {
        self.read(verify::verify)
    }
}

/// A session with its newest build.
fn full(tx: &Connection, session: SessionRow) -> failure::Result<Session> {
    let build = Builds::new(tx)?.newest(&session)?;
    session.session(build)
}

/// Keeps `new` as build `number`; the row of the session with it.
fn append(
    tx: &Connection,
    id: &SessionId,
    session: Option<SessionRow>,
    number: i64,
    new: &NewBuild,
) -> failure::Result<SessionRow> {
    let text = |channel: Deliver| {
        let text = new.texts.get(&channel);
        text.map(|t| content::add(tx, t)).transpose()
    };
    let build = Build {
        session: id.as_str().to_owned(),
        number,
        at: new.at,
        reason: new.reason.to_string(),
        terms: new.terms.clone(),
        texts: [
            text(Deliver::ALL[0])?,
            text(Deliver::ALL[1])?,
            text(Deliver::ALL[2])?,
        ],
        map: content::add(tx, &new.map)?,
        plan: content::add(tx, &new.plan)?,
        inputs: content::add(tx, &new.inputs)?,
        earlier: session.as_ref().map(|s| s.build),
    };
    build.add(tx)?;
    let used = session.as_ref().map_or(new.at, |s| s.used.max(new.at));
    Ok(SessionRow {
        id: build.session.clone(),
        created: session.as_ref().map_or(new.at, |s| s.created),
        used,
        oldest: session.as_ref().map_or(number, |s| s.oldest),
        newest: number,
        build: build.digest(),
        told: None,
    })
}
