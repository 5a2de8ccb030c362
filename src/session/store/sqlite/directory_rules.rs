//! The folders whose rules the session got.

use super::digest::{Digest, Hash};
use super::failure::{Failure, Result, damaged};
use super::shard::{Member, Shard};
use crate::session::store::{RulesSession, SessionId};
use rusqlite::{Connection, Row};
use std::collections::BTreeSet;

/// How far the noted time may be from that of a call, in seconds: to note each would be a write for each call. Either way,
/// so that a clock that ran ahead once does not count for good.
const HOUR: u64 = 3600;

/// The change that a call must record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// Nothing.
    None,
    /// The session is still in use.
    Time,
    /// Folders.
    Folders,
}

/// The delivered directory rules of a session.
#[derive(Debug, Clone)]
pub(super) struct RulesRow {
    pub(super) id: String,
    /// When it was asked for last, to the [`HOUR`].
    pub(super) at: i64,
    /// A JSON array, so that it can be read with other tools.
    folders: String,
}

impl RulesRow {
    fn new(id: &str, at: i64) -> Self {
        Self {
            id: id.to_owned(),
            at,
            folders: "[]".to_owned(),
        }
    }

    pub(super) fn folders(&self) -> Result<BTreeSet<String>> {
        serde_json::from_str(&self.folders).map_err(|_| self.lost())
    }

    /// The session, and the number of its directory rules.
    pub(super) fn session(&self) -> Result<RulesSession> {
        let folders = self.folders()?.len();
        Ok(RulesSession {
            id: SessionId::known(&self.id).map_err(|_| self.lost())?,
            used: self.at,
            folders,
        })
    }

    fn set(&mut self, folders: &BTreeSet<String>) -> Result<()> {
        self.folders = serde_json::to_string(folders).map_err(|_| self.lost())?;
        Ok(())
    }

    /// Whether its time is not that of `at`.
    fn is_off(&self, at: i64) -> bool {
        self.at.abs_diff(at) >= HOUR
    }

    fn lost(&self) -> Failure {
        damaged(format!("the directory rules of session `{}`", self.id))
    }
}

impl Member for RulesRow {
    const NAME: &'static str = "directory rules";
    const KIND: i64 = 1;
    const LIST: &'static str = "SELECT id, at, folders FROM hint WHERE shard = ?1 ORDER BY id";
    const LIST_ALL: &'static str = "SELECT id, at, folders, shard FROM hint ORDER BY shard, id";
    const LIST_SHARDS: &'static str = "SELECT DISTINCT shard FROM hint";
    const REMOVE: &'static str = "DELETE FROM hint WHERE shard = ?1 AND id = ?2";

    fn id(&self) -> &str {
        &self.id
    }

    fn digest(&self) -> Hash {
        let digest = Digest::of("hint").text(&self.id).number(self.at);
        digest.text(&self.folders).end()
    }

    fn from_row(row: &Row) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            at: row.get(1)?,
            folders: row.get(2)?,
        })
    }

    fn write(&self, tx: &Connection, shard: i64) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO hint (shard, id, at, folders) VALUES (?1, ?2, ?3, ?4)";
        tx.execute(sql, (shard, &self.id, self.at, &self.folders))?;
        Ok(())
    }
}

/// The change to record for `folders` at `at`.
pub(super) fn news(tx: &Connection, id: &str, folders: &[String], at: i64) -> Result<News> {
    let shard = Shard::<RulesRow>::of(tx, id)?;
    let row = shard.find(id);
    let noted = row.map_or(Ok(BTreeSet::new()), RulesRow::folders)?;
    Ok(match row {
        _ if !folders.iter().all(|folder| noted.contains(folder)) => News::Folders,
        Some(row) if row.is_off(at) => News::Time,
        _ => News::None,
    })
}

/// Notes `folders`, and that the session asks at `at`; those that were not noted before, each once.
pub(super) fn add(tx: &Connection, id: &str, folders: &[String], at: i64) -> Result<Vec<String>> {
    let mut shard = Shard::<RulesRow>::of(tx, id)?;
    let known = shard.find(id).cloned();
    let mut row = known.clone().unwrap_or_else(|| RulesRow::new(id, at));
    let mut noted = row.folders()?;
    let new = folders
        .iter()
        .filter(|folder| noted.insert((*folder).clone()));
    let new: Vec<String> = new.cloned().collect();
    if new.is_empty() && known.is_none_or(|row| !row.is_off(at)) {
        return Ok(new);
    }
    row.set(&noted)?;
    if row.is_off(at) {
        row.at = at;
    }
    shard.put(tx, row)?;
    Ok(new)
}

/// Takes `folders` out of what is noted.
pub(super) fn take_back(tx: &Connection, id: &str, folders: &[String]) -> Result<()> {
    let mut shard = Shard::<RulesRow>::of(tx, id)?;
    let Some(mut row) = shard.find(id).cloned() else {
        return Ok(());
    };
    let mut noted = row.folders()?;
    noted.retain(|folder| !folders.contains(folder));
    if noted.is_empty() {
        return shard.remove(tx, id).map(|_| ());
    }
    row.set(&noted)?;
    shard.put(tx, row)
}
