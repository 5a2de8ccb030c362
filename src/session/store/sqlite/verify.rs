//! Reading everything.

use super::build::{self, Builds};
use super::content;
use super::digest::{Hash, of_content};
use super::directory_rules::RulesRow;
use super::failure::{Failure, Result, damaged};
use super::root::Root;
use super::schema::NEWEST;
use super::session::SessionRow;
use super::shard::{self, Member, Shard};
use crate::session::store::{Damage, Damaged, SessionId, StoreError};
use rusqlite::{Connection, OptionalExtension};
use std::collections::{BTreeMap, BTreeSet};

/// Builds by session; a session without builds is affected as a whole, or in other data.
type Users = BTreeMap<String, BTreeSet<i64>>;

/// The damage, in the order in which it is found.
#[derive(Default)]
struct Report(Vec<Damage>);

impl Report {
    /// The data, or nothing and an entry for the damage. Any other failure ends the reading.
    fn take<T>(&mut self, read: Result<T>) -> Result<Option<T>> {
        self.take_of(read, &Users::new())
    }

    /// The data that these sessions need.
    fn take_of<T>(&mut self, read: Result<T>, users: &Users) -> Result<Option<T>> {
        let failure = match read {
            Ok(read) => return Ok(Some(read)),
            Err(failure) => failure,
        };
        match failure.into_error(0) {
            StoreError::Damaged(what) => {
                self.add(what, users);
                Ok(None)
            }
            other => Err(Failure::Known(other)),
        }
    }

    fn add(&mut self, what: String, users: &Users) {
        if self.0.iter().any(|damage| damage.what == what) {
            return;
        }
        let damaged = |(id, builds): (&String, &BTreeSet<i64>)| {
            let builds = builds.iter().filter_map(|n| u64::try_from(*n).ok());
            Some(Damaged {
                session: SessionId::known(id).ok()?,
                builds: builds.collect(),
            })
        };
        self.0.push(Damage {
            what,
            sessions: users.iter().filter_map(damaged).collect(),
        });
    }
}

/// The user of one build of a session, or of none.
fn user(session: &SessionRow, build: Option<i64>) -> Users {
    Users::from([(session.id.clone(), build.into_iter().collect())])
}

/// Reads everything, and says all that is damaged.
pub(super) fn verify(tx: &Connection) -> Result<Vec<Damage>> {
    let mut report = Report::default();
    let database = database(tx, &mut report);
    report.take(database)?;
    let root = report.take(Root::read(tx, NEWEST))?.unwrap_or_default();
    let sessions: Vec<SessionRow> = members(tx, &root, &mut report)?;
    for directory_rules in members::<RulesRow>(tx, &root, &mut report)? {
        report.take(directory_rules.folders())?;
    }
    let wanted = builds(tx, &sessions, &mut report)?;
    let read = orphans(tx, &sessions, &mut report);
    report.take(read)?;
    let read = contents(tx, &wanted, &mut report);
    let whole = report.take(read)?.unwrap_or_default();
    for (hash, users) in &wanted {
        let read = find(tx, hash, &whole);
        report.take_of(read, users)?;
    }
    Ok(report.0)
}

/// The errors that SQLite finds.
fn database(tx: &Connection, report: &mut Report) -> Result<()> {
    let mut check = tx.prepare("PRAGMA integrity_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let found: String = row.get(0)?;
        if found != "ok" {
            report.add(format!("the database: {found}"), &Users::new());
        }
    }
    Ok(())
}

/// All members of shards that can be read.
fn members<M: Member>(tx: &Connection, root: &Root, report: &mut Report) -> Result<Vec<M>> {
    let numbers = shard::traces::<M>(tx, root);
    let mut members = Vec::new();
    for number in report.take(numbers)?.unwrap_or_default() {
        let shard = if root.has(number) {
            Shard::<M>::read(tx, number)
        } else {
            Err(shard::lost::<M>(number))
        };
        let shard = report.take(shard)?;
        members.extend(shard.into_iter().flat_map(Shard::into_members));
    }
    Ok(members)
}

/// Reads all builds; the contents that are referred to, and by whom.
fn builds(
    tx: &Connection,
    sessions: &[SessionRow],
    report: &mut Report,
) -> Result<BTreeMap<Hash, Users>> {
    let mut wanted: BTreeMap<Hash, Users> = BTreeMap::new();
    let mut want = |hash: &Hash, session: &SessionRow, build: Option<i64>| {
        let users = wanted.entry(*hash).or_default();
        users.entry(session.id.clone()).or_default().extend(build);
    };
    let Some(mut reader) = report.take(Builds::new(tx))? else {
        return Ok(wanted);
    };
    for session in sessions {
        let scanned = report.take_of(reader.scan(session), &user(session, None))?;
        let builds = match scanned.unwrap_or_else(|| Ok(Vec::new())) {
            Ok(builds) => builds,
            Err(number) => {
                let lost = Err(build::lost(&session.id, number));
                let builds = report.take_of(lost, &user(session, Some(number)))?;
                builds.unwrap_or_default()
            }
        };
        for build in builds {
            for hash in build.contents() {
                want(hash, session, Some(build.number));
            }
            let number = build.number;
            report.take_of(build.into_build(), &user(session, Some(number)))?;
        }
        session.told().for_each(|hash| want(hash, session, None));
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
fn contents(
    tx: &Connection,
    wanted: &BTreeMap<Hash, Users>,
    report: &mut Report,
) -> Result<BTreeSet<i64>> {
    let nobody = Users::new();
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
            let users = wanted.get(&hash).unwrap_or(&nobody);
            report.take_of(Err::<(), _>(content::changed(&hash)), users)?;
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
