//! Taking away what is not wanted.

use super::build::{self, Build, Builds};
use super::content;
use super::digest::{Hash, Hashes};
use super::directory_rules::RulesRow;
use super::failure::{Failure, Result};
use super::root::Root;
use super::schema::NEWEST;
use super::session::SessionRow;
use super::shard::{self, Shard};
use crate::session::store::{Collected, SessionId, Shortened, StoreError, Unwanted};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// Takes away what `unwanted` says, and contents that nothing refers to. In a store where anything is damaged nothing is
/// taken away: it might be what is needed to repair it. No more than `most` builds and as many contents go; whether that was
/// all.
pub(super) fn collect(
    tx: &Connection,
    unwanted: Unwanted,
    dry: bool,
    most: usize,
) -> Result<(Collected, bool)> {
    let mut collected = Collected::default();
    let (mut left, mut all) = (most, true);
    let mut reader = Builds::new(tx)?;
    let mut wanted = BTreeSet::new();
    let mut directory_rules = directory_rules(tx)?;
    for session in sessions(tx)? {
        let builds = reader.all(&session)?;
        let directory_rules = directory_rules.remove(&session.id);
        let used = directory_rules
            .as_ref()
            .map_or(session.used, |h| h.at.max(session.used));
        let goes = unwanted.unused_since.is_some_and(|since| used < since);
        if goes && builds.len() <= left {
            left -= builds.len();
            collected.builds += builds.len() as u64;
            collected.directory_rules += count(directory_rules.as_ref())?;
            collected.sessions.extend(SessionId::known(&session.id));
            if !dry {
                remove(tx, &session.id, usize::MAX)?;
            }
            continue;
        }
        let keep = unwanted.builds_beyond.map_or(usize::MAX, |keep| {
            usize::try_from(keep.max(1)).unwrap_or(usize::MAX)
        });
        let keep = if goes { 0 } else { keep.min(builds.len()) };
        let drop = left.min(builds.len() - keep);
        left -= drop;
        all &= keep + drop == builds.len();
        let (keep, drop) = builds.split_at(builds.len() - drop);
        let gone = drop.len() as u64;
        collected.builds += gone;
        if let (Ok(id), false) = (SessionId::parse(&session.id), drop.is_empty() || goes) {
            collected.shortened.push(Shortened {
                session: id,
                builds: gone,
            });
        }
        if let (Some(oldest), false, false) = (keep.last(), drop.is_empty(), dry) {
            trim(tx, &session, oldest.number)?;
        }
        wanted.extend(keep.iter().flat_map(|b| b.contents().copied()));
        wanted.extend(session.told());
    }
    // What is left belongs to no session.
    let old = |directory_rules: &&RulesRow| {
        unwanted
            .unused_since
            .is_some_and(|since| directory_rules.at < since)
    };
    let old: Vec<&RulesRow> = directory_rules.values().filter(old).collect();
    all &= old.len() <= most;
    for directory_rules in old.into_iter().take(most) {
        collected.directory_rules += count(Some(directory_rules))?;
        if !dry {
            Shard::<RulesRow>::of(tx, &directory_rules.id)?.remove(tx, &directory_rules.id)?;
        }
    }
    all &= contents(tx, &wanted, dry, most, &mut collected)?;
    Ok((collected, all))
}

/// The failure for a missing content: damage if a session still refers to it; else another process removed it after the
/// caller had read its name. The name was read from a session that is not damaged, so damaged ones are skipped.
pub(super) fn absent(tx: &Connection, hash: &Hash) -> Result<Failure> {
    let root = Root::read(tx, NEWEST)?;
    let mut reader = Builds::new(tx)?;
    for number in shard::traces::<SessionRow>(tx, &root)? {
        let Some(shard) = whole(Shard::<SessionRow>::read(tx, number))? else {
            continue;
        };
        for session in shard.members() {
            let builds = whole(reader.all(session))?.unwrap_or_default();
            let known = builds.iter().flat_map(Build::contents);
            let mut known = known.chain(session.told());
            if known.any(|known| known == hash) {
                return Ok(content::missing(hash));
            }
        }
    }
    Ok(StoreError::Gone.into())
}

/// The data, or nothing if it is damaged.
fn whole<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(Failure::Known(StoreError::Damaged(_))) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// As [`whole`], and also none for data that SQLite finds damaged.
fn undamaged<T>(read: Result<T>) -> Result<Option<T>> {
    whole(read.map_err(|failure| Failure::Known(failure.into_error(0))))
}

/// All sessions, in order of their names.
pub(super) fn sessions(tx: &Connection) -> Result<Vec<SessionRow>> {
    let shards = Shard::<SessionRow>::all(tx)?.into_iter();
    let mut sessions: Vec<SessionRow> = shards.flat_map(Shard::into_members).collect();
    sessions.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(sessions)
}

/// The delivered directory rules, by the names of sessions.
pub(super) fn directory_rules(tx: &Connection) -> Result<BTreeMap<String, RulesRow>> {
    let shards = Shard::<RulesRow>::all(tx)?;
    let rows = shards.iter().flat_map(Shard::members);
    Ok(rows.map(|h| (h.id.clone(), h.clone())).collect())
}

/// The number of folders whose rules a session got.
fn count(directory_rules: Option<&RulesRow>) -> Result<u64> {
    let folders = directory_rules.map(RulesRow::folders).transpose()?;
    Ok(folders.map_or(0, |folders| folders.len() as u64))
}

/// Removes a session with its builds and directory rules, or `most` of its builds if it has more; returns whether there was
/// either, and whether that was all.
pub(super) fn remove(tx: &Connection, id: &str, most: usize) -> Result<(bool, bool)> {
    let mut shard = Shard::<SessionRow>::of(tx, id)?;
    if let (Some(session), Some(next)) = (shard.find(id), build::after(tx, id, most)?) {
        trim(tx, session, next)?;
        return Ok((true, false));
    }
    let directory_rules = Shard::<RulesRow>::of(tx, id)?.remove(tx, id)?;
    let was = shard.remove(tx, id)?;
    if was {
        build::remove(tx, id)?;
    }
    Ok((was || directory_rules, true))
}

/// Removes a session as [`remove`] does, and in one step also the contents that it alone refers to, whatever became of them. Where
/// it cannot be known what others refer to, as something of theirs is damaged, the contents stay.
pub(super) fn remove_whole(tx: &Connection, id: &str) -> Result<(bool, bool)> {
    let own = undamaged(referred(tx, id))?.unwrap_or_default();
    let removed = remove(tx, id, usize::MAX)?;
    if own.is_empty() {
        return Ok(removed);
    }
    tx.execute_batch("SAVEPOINT contents")?;
    if undamaged(remove_contents(tx, own))?.is_none() {
        tx.execute_batch("ROLLBACK TO contents")?;
    }
    tx.execute_batch("RELEASE contents")?;
    Ok(removed)
}

/// All that a session refers to, read without a check: it may be damaged, and is to go.
fn referred(tx: &Connection, id: &str) -> Result<BTreeSet<Hash>> {
    let mut out = BTreeSet::new();
    for column in [
        "tools", "system", "user", "map", "plan", "inputs", "files", "record",
    ] {
        add_hashes(
            tx,
            &format!("SELECT {column} FROM build WHERE session = ?1"),
            id,
            &mut out,
        )?;
    }
    add_hashes(tx, "SELECT told FROM session WHERE id = ?1", id, &mut out)?;
    Ok(out)
}

fn add_hashes(tx: &Connection, sql: &str, id: &str, out: &mut BTreeSet<Hash>) -> Result<()> {
    let mut list = tx.prepare(sql)?;
    let mut rows = list.query([id])?;
    while let Some(row) = rows.next()? {
        // A name of another form names nothing.
        let hashes = row.get(0).map(Hashes).unwrap_or_default();
        out.extend(hashes.iter());
    }
    Ok(())
}

/// Removes those of `contents` that no session refers to.
fn remove_contents(tx: &Connection, mut contents: BTreeSet<Hash>) -> Result<()> {
    let mut reader = Builds::new(tx)?;
    for session in sessions(tx)? {
        for build in reader.all(&session)? {
            build.contents().for_each(|hash| _ = contents.remove(hash));
        }
        session.told().for_each(|hash| _ = contents.remove(hash));
    }
    let mut list = tx.prepare("SELECT id, hash FROM content NOT INDEXED")?;
    let mut rows = list.query([])?;
    let mut unwanted: Vec<i64> = Vec::new();
    while let Some(row) = rows.next()? {
        if contents.contains(&row.get::<_, Hash>(1)?) {
            unwanted.push(row.get(0)?);
        }
    }
    let mut delete = tx.prepare("DELETE FROM content WHERE id = ?1")?;
    for id in unwanted {
        delete.execute([id])?;
    }
    Ok(())
}

/// Removes the builds before number `oldest`, which exists.
fn trim(tx: &Connection, session: &SessionRow, oldest: i64) -> Result<()> {
    build::trim(tx, &session.id, oldest)?;
    let mut session = session.clone();
    session.oldest = oldest;
    Shard::of(tx, &session.id)?.put(tx, session)
}

fn contents(
    tx: &Connection,
    wanted: &BTreeSet<Hash>,
    dry: bool,
    most: usize,
    collected: &mut Collected,
) -> Result<bool> {
    let (mut missing, mut unwanted) = (wanted.clone(), Vec::new());
    // From the rows, not from an index of them.
    let mut list = tx.prepare("SELECT id, hash FROM content NOT INDEXED")?;
    let mut rows = list.query([])?;
    while let Some(row) = rows.next()? {
        let (id, hash): (i64, Hash) = (row.get(0)?, row.get(1)?);
        if wanted.contains(&hash) {
            missing.remove(&hash);
        } else {
            unwanted.push(id);
        }
    }
    if let Some(hash) = missing.first() {
        return Err(content::missing(hash));
    }
    // Nothing is missing, so a text that has not the hash of its row is of no use for a repair.
    let size = "SELECT length(CAST(text AS BLOB)) FROM content WHERE id = ?1";
    let mut size = tx.prepare(size)?;
    let mut delete = tx.prepare("DELETE FROM content WHERE id = ?1")?;
    let all = unwanted.len() <= most;
    for id in unwanted.into_iter().take(most) {
        let bytes: i64 = size.query_row([id], |r| r.get(0))?;
        collected.contents += 1;
        collected.bytes += bytes.cast_unsigned();
        if !dry {
            delete.execute([id])?;
        }
    }
    Ok(all)
}

/// Gives so many pages that are not used any more back to the disk, in one transaction; how many are still free.
pub(super) fn give_back(connection: &Connection, most: usize) -> Result<i64> {
    // Each row that is asked for is a page.
    let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({most})"))?;
    let mut pages = vacuum.query([])?;
    while pages.next()?.is_some() {}
    Ok(connection.pragma_query_value(None, "freelist_count", |r| r.get(0))?)
}
