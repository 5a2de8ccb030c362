//! The folders that were hinted at.

use super::digest::{Digest, Hash};
use super::failure::{Failure, Result, damaged};
use super::shard::{Member, Shard};
use rusqlite::{Connection, Row};
use std::collections::BTreeSet;

/// What was hinted at in a session.
#[derive(Debug, Clone)]
pub(super) struct HintRow {
    pub(super) id: String,
    /// When something was added last.
    pub(super) at: i64,
    /// A JSON array, so that it can be read with other tools.
    folders: String,
}

impl HintRow {
    fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            at: i64::MIN,
            folders: "[]".to_owned(),
        }
    }

    pub(super) fn folders(&self) -> Result<BTreeSet<String>> {
        serde_json::from_str(&self.folders).map_err(|_| self.lost())
    }

    fn set(&mut self, folders: &BTreeSet<String>, at: i64) -> Result<()> {
        self.folders = serde_json::to_string(folders).map_err(|_| self.lost())?;
        self.at = self.at.max(at);
        Ok(())
    }

    fn lost(&self) -> Failure {
        damaged(format!("the hints of session `{}`", self.id))
    }
}

impl Member for HintRow {
    const NAME: &'static str = "hints";
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

/// Notes `folders` at `at`; those that were not noted before, each once.
pub(super) fn add(tx: &Connection, id: &str, folders: &[String], at: i64) -> Result<Vec<String>> {
    let mut shard = Shard::<HintRow>::of(tx, id)?;
    let mut row = shard.find(id).cloned().unwrap_or_else(|| HintRow::new(id));
    let mut noted = row.folders()?;
    let new = folders
        .iter()
        .filter(|folder| noted.insert((*folder).clone()));
    let new: Vec<String> = new.cloned().collect();
    if !new.is_empty() {
        row.set(&noted, at)?;
        shard.put(tx, row)?;
    }
    Ok(new)
}
