//! Reading everything.

use super::build::Builds;
use super::content;
use super::digest::{Hash, of_content};
use super::failure::{Failure, Result, damaged};
use super::hint::HintRow;
use super::root::Root;
use super::schema::NEWEST;
use super::session::SessionRow;
use super::shard::{self, Member, Shard};
use crate::store::StoreError;
use rusqlite::{Connection, OptionalExtension};
use std::collections::{BTreeMap, BTreeSet};

/// What is damaged, in the order in which it is found.
#[derive(Default)]
struct Report(Vec<String>);

impl Report {
    /// What was read, or nothing and a line for the damage. Any other failure ends the reading.
    fn take<T>(&mut self, read: Result<T>) -> Result<Option<T>> {
        let failure = match read {
            Ok(read) => return Ok(Some(read)),
            Err(failure) => failure,
        };
        match failure.told(0) {
            StoreError::Damaged(what) => {
                if !self.0.contains(&what) {
                    self.0.push(what);
                }
                Ok(None)
            }
            other => Err(Failure::Known(other)),
        }
    }
}

/// Reads everything, and says all that is damaged.
pub(super) fn verify(tx: &Connection) -> Result<Vec<String>> {
    let mut report = Report::default();
    let database = database(tx, &mut report);
    report.take(database)?;
    let root = report.take(Root::read(tx, NEWEST))?.unwrap_or_default();
    let sessions: Vec<SessionRow> = members(tx, &root, &mut report)?;
    for hints in members::<HintRow>(tx, &root, &mut report)? {
        report.take(hints.folders())?;
    }
    let wanted = builds(tx, &sessions, &mut report)?;
    let read = orphans(tx, &sessions, &mut report);
    report.take(read)?;
    let read = contents(tx, &mut report);
    let whole = report.take(read)?.unwrap_or_default();
    for hash in wanted {
        let read = find(tx, &hash, &whole);
        report.take(read)?;
    }
    Ok(report.0)
}

/// What SQLite finds.
fn database(tx: &Connection, report: &mut Report) -> Result<()> {
    let mut check = tx.prepare("PRAGMA integrity_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let found: String = row.get(0)?;
        if found != "ok" {
            report.0.push(format!("the database: {found}"));
        }
    }
    Ok(())
}

/// All members of shards that can be read.
fn members<M: Member>(tx: &Connection, root: &Root, report: &mut Report) -> Result<Vec<M>> {
    let numbers = shard::traces::<M>(tx, root);
    let mut members = Vec::new();
    for number in report.take(numbers)?.unwrap_or_default() {
        let shard = match root.has(number) {
            true => Shard::<M>::read(tx, number),
            false => Err(shard::lost::<M>(number)),
        };
        let shard = report.take(shard)?;
        members.extend(shard.into_iter().flat_map(Shard::into_members));
    }
    Ok(members)
}

/// Reads all builds; the contents that are referred to.
fn builds(tx: &Connection, sessions: &[SessionRow], report: &mut Report) -> Result<BTreeSet<Hash>> {
    let mut wanted = BTreeSet::new();
    let Some(mut reader) = report.take(Builds::new(tx))? else {
        return Ok(wanted);
    };
    for session in sessions {
        let builds = reader.all(session);
        for build in report.take(builds)?.unwrap_or_default() {
            wanted.extend(build.contents().copied());
            report.take(build.told())?;
        }
        wanted.extend(session.told.map(|(_, prompt)| prompt));
    }
    Ok(wanted)
}

/// Looks for builds that no session leads to.
fn orphans(tx: &Connection, sessions: &[SessionRow], report: &mut Report) -> Result<()> {
    let sessions = sessions.iter().map(|s| (s.id.as_str(), s.oldest));
    let oldest: BTreeMap<&str, i64> = sessions.collect();
    let mut list = tx.prepare("SELECT session, min(number) FROM build GROUP BY session")?;
    let mut rows = list.query([])?;
    while let Some(row) = rows.next()? {
        let (session, number): (String, i64) = (row.get(0)?, row.get(1)?);
        if oldest.get(session.as_str()).is_none_or(|o| number < *o) {
            let what = format!("build {number} of session `{session}` belongs to nothing");
            report.take(Err::<(), _>(damaged(what)))?;
        }
    }
    Ok(())
}

/// Reads all contents; the rows of those that are whole.
fn contents(tx: &Connection, report: &mut Report) -> Result<BTreeSet<i64>> {
    let mut whole = BTreeSet::new();
    let mut list = tx.prepare("SELECT id, hash, text FROM content NOT INDEXED")?;
    let mut rows = list.query([])?;
    while let Some(row) = rows.next()? {
        let hash: Hash = row.get(1)?;
        if row
            .get_ref(2)?
            .as_str()
            .is_ok_and(|t| of_content(t) == hash)
        {
            whole.insert(row.get(0)?);
        } else {
            report.take(Err::<(), _>(content::changed(&hash)))?;
        }
    }
    Ok(whole)
}

/// Looks for a content as a reader would.
fn find(tx: &Connection, hash: &Hash, whole: &BTreeSet<i64>) -> Result<()> {
    let sql = "SELECT id FROM content WHERE hash = ?1";
    match tx.query_row(sql, [hash], |r| r.get(0)).optional()? {
        Some(id) if whole.contains(&id) => Ok(()),
        Some(_) => Err(content::changed(hash)),
        None => Err(content::missing(hash)),
    }
}
