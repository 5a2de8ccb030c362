//! Reading a session with its data, at one point in time.

use super::build::{Build, Builds, lost};
use super::content;
use super::digest::Hash;
use super::directory_rules::RulesRow;
use super::failure::Result;
use super::session::SessionRow;
use super::shard::Shard;
use crate::prompt::Deliver;
use crate::session::store::{Key, NewBuild, Restored, Session, SessionId, Wanted, Whole};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// See [`Store::restore`](crate::session::store::Store::restore).
pub(super) fn restore(
    tx: &Connection,
    id: &SessionId,
    number: Option<u64>,
    wanted: &Wanted<'_>,
) -> Result<Option<Restored>> {
    let shard = Shard::<SessionRow>::of(tx, id.as_str())?;
    let Some(row) = shard.find(id.as_str()).cloned() else {
        return Ok(None);
    };
    let mut reader = Builds::new(tx)?;
    let newest = reader.newest(&row)?.into_build()?;
    let build = match number {
        Some(number) if number != newest.number => {
            let builds = reader.all(&row)?.into_iter();
            let mut found = builds.filter(|build| build.number == number.cast_signed());
            found.next().map(Build::into_build).transpose()?
        }
        _ => Some(newest.clone()),
    };
    let Some(build) = build else { return Ok(None) };
    let session = row.session(newest)?;
    let contents = contents(tx, wanted(&session, &build))?;
    Ok(Some(Restored {
        session,
        build,
        contents,
    }))
}

/// See [`Store::whole`](crate::session::store::Store::whole).
pub(super) fn whole(tx: &Connection, id: &SessionId) -> Result<Option<(Session, Whole)>> {
    let shard = Shard::<SessionRow>::of(tx, id.as_str())?;
    let Some(row) = shard.find(id.as_str()).cloned() else {
        return Ok(None);
    };
    let text = |hash: &Hash| content::needed(tx, hash);
    let builds = Builds::new(tx)?.all(&row)?.into_iter().rev();
    let mut newest = None;
    let mut new = |build: Build| {
        let known = newest.insert(build.clone().into_build()?);
        let texts = Deliver::ALL.into_iter().zip(&build.texts);
        let texts = texts.filter_map(|(channel, hash)| Some((channel, hash.as_ref()?)));
        let texts = texts.map(|(channel, hash)| Ok((channel, text(hash)?)));
        let new = NewBuild {
            at: known.at,
            reason: known.reason.clone(),
            terms: known.terms.clone(),
            texts: texts.collect::<Result<_>>()?,
            map: text(&build.map)?,
            plan: text(&build.plan)?,
            files: build.files.iter().map(text).collect::<Result<_>>()?,
            inputs: text(&build.inputs)?,
            record: build.record.iter().map(text).collect::<Result<_>>()?,
            imported: known.imported,
        };
        Ok((known.number, new))
    };
    let builds = builds.map(&mut new).collect::<Result<_>>()?;
    let directory_rules = Shard::<RulesRow>::of(tx, id.as_str())?;
    let directory_rules = directory_rules.find(id.as_str()).map(|row| -> Result<_> {
        let folders = row.folders()?;
        Ok((row.at, folders.into_iter().collect()))
    });
    let told = row.told.as_ref().map(|(at, prompt)| -> Result<_> {
        let prompt = prompt.iter().map(text);
        Ok((*at, prompt.collect::<Result<_>>()?))
    });
    let whole = Whole {
        created: row.created,
        used: row.used,
        builds,
        delivered: told.transpose()?,
        directory_rules: directory_rules.transpose()?,
    };
    match newest {
        Some(newest) => Ok(Some((row.session(newest)?, whole))),
        None => Err(lost(&row.id, row.newest)),
    }
}

/// The contents `wanted`. All of them are referred to, so a missing one is damage.
fn contents(tx: &Connection, wanted: Vec<Key>) -> Result<BTreeMap<Key, String>> {
    let mut contents = BTreeMap::new();
    for key in wanted {
        let hash = content::hash(&key)?;
        contents.insert(key, content::needed(tx, &hash)?);
    }
    Ok(contents)
}
