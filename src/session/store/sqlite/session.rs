//! The row of a session.

use super::digest::{Digest, Hash, Hashes, key};
use super::failure::{Result, damaged};
use super::shard::Member;
use crate::session::store::{self, Delivered, Session, SessionId};
use rusqlite::{Connection, Row};

/// A stored session.
#[derive(Debug, Clone)]
pub(super) struct SessionRow {
    pub(super) id: String,
    pub(super) created: i64,
    pub(super) used: i64,
    /// The numbers of the first build that is still there, and of the last.
    pub(super) oldest: i64,
    pub(super) newest: i64,
    /// The hash of the newest build, which holds that of the one before it, and so on.
    pub(super) build: Hash,
    /// The time and hashes of the last delivered reminder, if there is one.
    pub(super) told: Option<(i64, Hashes)>,
}

impl Member for SessionRow {
    const NAME: &'static str = "sessions";
    const KIND: i64 = 0;
    const LIST: &'static str = "SELECT id, created, used, oldest, newest, build, told_at, told \
         FROM session WHERE shard = ?1 ORDER BY id";
    const LIST_ALL: &'static str = "SELECT id, created, used, oldest, newest, build, told_at, told, shard \
         FROM session ORDER BY shard, id";
    const LIST_SHARDS: &'static str = "SELECT DISTINCT shard FROM session";
    const REMOVE: &'static str = "DELETE FROM session WHERE shard = ?1 AND id = ?2";

    fn id(&self) -> &str {
        &self.id
    }

    fn digest(&self) -> Hash {
        let digest = Digest::of("session")
            .text(&self.id)
            .number(self.created)
            .number(self.used)
            .number(self.oldest)
            .number(self.newest)
            .hash(&self.build);
        let Some((at, prompt)) = &self.told else {
            return digest.maybe(None).number(0).end();
        };
        // Stores of earlier versions have the first, and the hashes of what they hold stay as they are.
        let digest = digest.maybe(prompt.iter().next()).number(*at);
        match prompt.0.get(size_of::<Hash>()..) {
            None | Some([]) => digest.end(),
            Some(files) => digest.bytes(files).end(),
        }
    }

    fn from_row(row: &Row) -> rusqlite::Result<Self> {
        let (at, told): (Option<i64>, Option<Vec<u8>>) = (row.get(6)?, row.get(7)?);
        Ok(Self {
            id: row.get(0)?,
            created: row.get(1)?,
            used: row.get(2)?,
            oldest: row.get(3)?,
            newest: row.get(4)?,
            build: row.get(5)?,
            told: told.map(|told| (at.unwrap_or_default(), Hashes(told))),
        })
    }

    fn write(&self, tx: &Connection, shard: i64) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO session \
             (shard, id, created, used, oldest, newest, build, told_at, told) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let told = self.told.as_ref();
        tx.execute(
            sql,
            (
                shard,
                &self.id,
                self.created,
                self.used,
                self.oldest,
                self.newest,
                self.build,
                told.map(|(at, _)| at),
                told.map(|(_, prompt)| &prompt.0),
            ),
        )?;
        Ok(())
    }
}

impl SessionRow {
    /// Whether this is the newest build.
    pub(super) fn has(&self, build: &store::Build) -> bool {
        key(&self.build).as_str() == build.id
    }

    fn delivered(&self) -> Option<Delivered> {
        self.told.as_ref().map(|(at, prompt)| Delivered {
            at: *at,
            prompt: prompt.iter().map(key).collect(),
        })
    }

    /// The contents of the last delivered reminder.
    pub(super) fn told(&self) -> impl Iterator<Item = &Hash> {
        self.told.iter().flat_map(|(_, prompt)| prompt.iter())
    }

    /// Whether this is the last delivered reminder.
    pub(super) fn has_told(&self, told: Option<&Delivered>) -> bool {
        self.delivered().as_ref() == told
    }

    /// The session, with its newest build.
    pub(super) fn session(self, build: store::Build) -> Result<Session> {
        let id = SessionId::known(&self.id).map_err(|_| damaged("the name of a session"))?;
        let delivered = self.delivered();
        Ok(Session {
            id,
            created: self.created,
            used: self.used,
            build,
            delivered,
        })
    }
}
