//! Freezing a build, and adding one that was frozen elsewhere.

use super::build::{Build, Builds};
use super::content;
use super::directory_rules;
use super::failure::{Failure, Result};
use super::session::SessionRow;
use super::shard::Shard;
use crate::prompt::Deliver;
use crate::session::store::{
    self, Freeze, LAST_NUMBER, NewBuild, Session, SessionId, StoreError, Whole,
};
use rusqlite::Connection;

/// The highest number of a build, as it is stored.
const LAST: i64 = LAST_NUMBER.cast_signed();

/// See [`Store::freeze`](crate::session::store::Store::freeze).
pub(super) fn freeze(
    tx: &Connection,
    id: &SessionId,
    after: Option<&store::Build>,
    new: &NewBuild,
) -> Result<Freeze> {
    let mut shard = Shard::<SessionRow>::of(tx, id.as_str())?;
    let session = shard.find(id.as_str()).cloned();
    let session = match (session, after) {
        (None, Some(_)) => return Ok(Freeze::Gone),
        (Some(session), after) if !after.is_some_and(|after| session.has(after)) => {
            return Ok(Freeze::Overtaken(full(tx, session)?));
        }
        (session, _) => session,
    };
    let number = session.as_ref().map_or(1, |s| s.newest.saturating_add(1));
    if number > LAST {
        return Err(refused("the session has no number left for a build"));
    }
    let session = append(tx, id, session, number, new)?;
    shard.put(tx, session.clone())?;
    Ok(Freeze::Frozen(full(tx, session)?))
}

/// See [`Store::add`](crate::session::store::Store::add).
pub(super) fn add(tx: &Connection, id: &SessionId, whole: &Whole) -> Result<bool> {
    let builds = &whole.builds;
    let rise = builds.is_sorted_by(|(a, _), (b, _)| a < b);
    let fit = builds.iter().all(|(n, _)| (1..=LAST_NUMBER).contains(n));
    if !rise || !fit || builds.is_empty() {
        return Err(refused(
            "the numbers of builds do not rise from 1 to 2^53 - 1",
        ));
    }
    let mut shard = Shard::<SessionRow>::of(tx, id.as_str())?;
    if shard.find(id.as_str()).is_some() {
        return Ok(false);
    }
    let mut session = None;
    for (number, build) in builds {
        session = Some(append(tx, id, session, number.cast_signed(), build)?);
    }
    let told = whole.delivered.as_ref();
    let told = told.map(|(at, prompt)| -> Result<_> { Ok((*at, content::add_all(tx, prompt)?)) });
    let told = told.transpose()?;
    if let Some(session) = session {
        let (created, used) = (whole.created, whole.used);
        let session = SessionRow {
            created,
            used,
            told,
            ..session
        };
        shard.put(tx, session)?;
    }
    if let Some((at, folders)) = &whole.directory_rules {
        directory_rules::add(tx, id.as_str(), folders, *at)?;
    }
    Ok(true)
}

/// A session with its newest build.
pub(super) fn full(tx: &Connection, session: SessionRow) -> Result<Session> {
    let build = Builds::new(tx)?.newest(&session)?.into_build()?;
    session.session(build)
}

/// Keeps `new` as build `number`; the row that the session is to have then.
fn append(
    tx: &Connection,
    id: &SessionId,
    session: Option<SessionRow>,
    number: i64,
    new: &NewBuild,
) -> Result<SessionRow> {
    let text = |channel: Deliver| {
        let text = new.texts.get(&channel);
        text.map(|t| content::add(tx, t)).transpose()
    };
    let [first, second, third] = Deliver::ALL;
    let build = Build {
        session: id.as_str().to_owned(),
        number,
        at: new.at,
        reason: new.reason.to_string(),
        terms: new.terms.clone(),
        texts: [text(first)?, text(second)?, text(third)?],
        map: content::add(tx, &new.map)?,
        plan: content::add(tx, &new.plan)?,
        files: content::add_all(tx, &new.files)?,
        inputs: content::add(tx, &new.inputs)?,
        record: content::add_all(tx, &new.record)?,
        imported: new.imported,
        earlier: Some(match &session {
            Some(session) => session.build,
            // So that no two sessions have a build of the same hash, not even if one takes the place of the other.
            None => tx.query_row("SELECT randomblob(32)", [], |r| r.get(0))?,
        }),
    };
    build.add(tx)?;
    Ok(SessionRow {
        created: session.as_ref().map_or(new.at, |s| s.created),
        // Whatever was noted before: it may be of a clock that was wrong.
        used: new.at,
        oldest: session.as_ref().map_or(number, |s| s.oldest),
        newest: number,
        build: build.digest(),
        told: None,
        id: build.session,
    })
}

fn refused(what: &str) -> Failure {
    StoreError::Other(what.to_owned()).into()
}
