//! Reading a session with what it keeps, at one time.

use super::build::{Build, Builds};
use super::content;
use super::failure::Result;
use super::session::SessionRow;
use super::shard::Shard;
use crate::store::{Key, Restored, SessionId, Wanted};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// See [`Store::restore`](crate::store::Store::restore).
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
    let newest = reader.newest(&row)?.told()?;
    let build = match number {
        Some(number) if number != newest.number => {
            let builds = reader.all(&row)?.into_iter();
            let mut found = builds.filter(|build| build.number == number.cast_signed());
            found.next().map(Build::told).transpose()?
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

/// These contents. All of them are referred to, so one that is not there is damage.
fn contents(tx: &Connection, wanted: Vec<Key>) -> Result<BTreeMap<Key, String>> {
    let mut contents = BTreeMap::new();
    for key in wanted {
        let hash = content::hash(&key)?;
        let text = content::read(tx, &hash)?;
        contents.insert(key, text.ok_or_else(|| content::missing(&hash))?);
    }
    Ok(contents)
}
