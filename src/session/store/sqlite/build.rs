//! The builds of a session, each with the hash of the one before it.

use super::digest::{Digest, Hash, Hashes, key};
use super::failure::{Failure, Result, damaged};
use super::session::SessionRow;
use crate::prompt::Deliver;
use crate::session::store::{self, Reason};
use rusqlite::{Connection, OptionalExtension as _, Row};

/// A stored build.
#[derive(Debug, Clone)]
pub(super) struct Build {
    pub(super) session: String,
    pub(super) number: i64,
    pub(super) at: i64,
    pub(super) reason: String,
    pub(super) terms: String,
    /// The text of each channel, in the order of [`Deliver::ALL`].
    pub(super) texts: [Option<Hash>; 3],
    pub(super) map: Hash,
    pub(super) plan: Hash,
    pub(super) files: Hashes,
    pub(super) inputs: Hash,
    pub(super) record: Hashes,
    /// The hash of the build before it, even after that one was removed. For the first build it is a random
    /// number; sessions of the first stores have none there.
    pub(super) earlier: Option<Hash>,
    /// Whether it came from an export.
    pub(super) imported: bool,
}

/// The builds from a number on, newest first.
const LIST: &str = "SELECT session, number, at, reason, terms, tools, system, user, map, plan, inputs, earlier, imported, files, record \
     FROM build WHERE session = ?1 AND number >= ?2 ORDER BY number DESC";

impl Build {
    pub(super) fn digest(&self) -> Hash {
        let digest = Digest::of("build")
            .text(&self.session)
            .number(self.number)
            .number(self.at)
            .text(&self.reason)
            .text(&self.terms);
        let texts = self.texts.iter().map(Option::as_ref);
        let digest = texts.fold(digest, Digest::maybe);
        let digest = digest.hash(&self.map).hash(&self.plan).hash(&self.inputs);
        let digest = digest.maybe(self.earlier.as_ref());
        // Stores of earlier versions have neither, and the hashes of what they hold stay as they are.
        let digest = if self.imported {
            digest.text("imported")
        } else {
            digest
        };
        let (files, record) = (&self.files.0, &self.record.0);
        if files.is_empty() && record.is_empty() {
            return digest.end();
        }
        digest.text("files").bytes(files).bytes(record).end()
    }

    /// The contents that it refers to.
    pub(super) fn contents(&self) -> impl Iterator<Item = &Hash> {
        let texts = self.texts.iter().flatten();
        let parts = texts.chain([&self.map, &self.plan, &self.inputs]);
        parts.chain(self.files.iter()).chain(self.record.iter())
    }

    pub(super) fn add(&self, tx: &Connection) -> Result<()> {
        let sql = "INSERT INTO build \
             (session, number, at, reason, terms, tools, system, user, map, plan, inputs, earlier, imported, files, record) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
        let [tools, system, user] = self.texts;
        tx.execute(
            sql,
            (
                &self.session,
                self.number,
                self.at,
                &self.reason,
                &self.terms,
                tools,
                system,
                user,
                self.map,
                self.plan,
                self.inputs,
                self.earlier,
                self.imported,
                &self.files.0,
                &self.record.0,
            ),
        )?;
        Ok(())
    }

    /// As the trait gives it.
    pub(super) fn into_build(self) -> Result<store::Build> {
        let id = key(&self.digest()).as_str().to_owned();
        let number = u64::try_from(self.number);
        let reason = Reason::parse(&self.reason);
        let (Ok(number), Some(reason)) = (number, reason) else {
            return Err(lost(&self.session, self.number));
        };
        let texts = Deliver::ALL.into_iter().zip(self.texts);
        let texts = texts.filter_map(|(channel, hash)| Some((channel, key(&hash?))));
        Ok(store::Build {
            id,
            number,
            at: self.at,
            reason,
            terms: self.terms,
            texts: texts.collect(),
            map: key(&self.map),
            plan: key(&self.plan),
            files: self.files.iter().map(key).collect(),
            inputs: key(&self.inputs),
            record: self.record.iter().map(key).collect(),
            imported: self.imported,
        })
    }

    fn from_row(row: &Row) -> rusqlite::Result<Self> {
        Ok(Self {
            session: row.get(0)?,
            number: row.get(1)?,
            at: row.get(2)?,
            reason: row.get(3)?,
            terms: row.get(4)?,
            texts: [row.get(5)?, row.get(6)?, row.get(7)?],
            map: row.get(8)?,
            plan: row.get(9)?,
            inputs: row.get(10)?,
            earlier: row.get(11)?,
            imported: row.get(12)?,
            files: Hashes(row.get(13)?),
            record: Hashes(row.get(14)?),
        })
    }
}

/// Reads builds of one session after the other.
pub(super) struct Builds<'a>(rusqlite::Statement<'a>);

impl<'a> Builds<'a> {
    pub(super) fn new(tx: &'a Connection) -> Result<Self> {
        Ok(Self(tx.prepare(LIST)?))
    }

    /// The newest of a session.
    pub(super) fn newest(&mut self, session: &SessionRow) -> Result<Build> {
        let builds = self.from(session, session.newest)?;
        match builds.map(<[Build; 1]>::try_from) {
            Ok(Ok([build])) => Ok(build),
            _ => Err(lost(&session.id, session.newest)),
        }
    }

    /// All of a session, newest first.
    pub(super) fn all(&mut self, session: &SessionRow) -> Result<Vec<Build>> {
        let builds = self.scan(session)?;
        builds.map_err(|number| lost(&session.id, number))
    }

    /// The numbers of the builds; else the number of one that is lost.
    pub(super) fn scan(&mut self, session: &SessionRow) -> Result<Scanned> {
        self.from(session, session.oldest)
    }

    /// The builds from number `oldest` on, newest first, each checked by the hash that follows it.
    fn from(&mut self, session: &SessionRow, oldest: i64) -> Result<Scanned> {
        let mut builds: Vec<Build> = Vec::new();
        let mut expected = Some(session.build);
        let mut rows = self.0.query((&session.id, oldest))?;
        while let Some(row) = rows.next()? {
            let build = Build::from_row(row)?;
            if Some(build.digest()) != expected {
                return Ok(Err(build.number));
            }
            expected = build.earlier;
            builds.push(build);
        }
        Ok(match (builds.first(), builds.last()) {
            (Some(first), Some(last))
                if first.number == session.newest && last.number == oldest =>
            {
                Ok(builds)
            }
            _ => Err(oldest),
        })
    }
}

/// Builds, or the number of one that is lost.
pub(super) type Scanned = std::result::Result<Vec<Build>, i64>;

/// The number of the build that so many older ones of a session come before, if there is one.
pub(super) fn after(tx: &Connection, session: &str, older: usize) -> Result<Option<i64>> {
    let older = i64::try_from(older).unwrap_or(i64::MAX);
    let sql = "SELECT number FROM build WHERE session = ?1 ORDER BY number LIMIT 1 OFFSET ?2";
    let number = tx.query_row(sql, (session, older), |row| row.get(0));
    Ok(number.optional()?)
}

/// Takes away the builds of a session before number `first`.
pub(super) fn trim(tx: &Connection, session: &str, first: i64) -> Result<()> {
    let sql = "DELETE FROM build WHERE session = ?1 AND number < ?2";
    tx.execute(sql, (session, first))?;
    Ok(())
}

/// Takes away all builds of a session, whatever their numbers.
pub(super) fn remove(tx: &Connection, session: &str) -> Result<()> {
    tx.execute("DELETE FROM build WHERE session = ?1", [session])?;
    Ok(())
}

pub(super) fn lost(session: &str, number: i64) -> Failure {
    damaged(format!("build {number} of session `{session}`"))
}
