//! The tables, and how those of earlier releases become those of this one.

use super::failure::{Failure, Result, damaged};
use super::root::Root;
use crate::session::store::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Marks a database as a store: `pmpt`.
const APPLICATION: i64 = 0x706d_7074;

/// The migrations of the tables from version n - 1 to version n, from version 1 on. A new version is a new line.
const MIGRATIONS: &[&str] = &[
    include_str!("1.sql"),
    include_str!("2.sql"),
    include_str!("3.sql"),
];

/// The version that this release reads and writes.
pub const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The state of a database.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing was ever put into it.
    Empty,
    /// A store of this version, which is not newer than this release knows.
    Store(i64),
}

/// Looks at what a database is: at one time, as others may be making it.
pub(super) fn state(connection: &mut Connection) -> Result<State> {
    state_in(&*connection.transaction()?)
}

fn state_in(connection: &Connection) -> Result<State> {
    let application: i64 = connection.pragma_query_value(None, "application_id", |r| r.get(0))?;
    let version = version(connection)?;
    match (application, version) {
        (APPLICATION, 1..=NEWEST) => Ok(State::Store(version)),
        (APPLICATION, 1..) => Err(newer(version)),
        (APPLICATION, _) => Err(damaged("the version of its format is invalid")),
        (0, 0) if is_bare(connection)? => Ok(State::Empty),
        _ => Err(Failure::Known(StoreError::NotAStore)),
    }
}

/// Fails if a newer release has changed the tables since they were opened.
pub(super) fn check_version(connection: &Connection) -> Result<()> {
    match version(connection)? {
        NEWEST => Ok(()),
        found if found > NEWEST => Err(newer(found)),
        _ => Err(damaged("the version of its format has changed")),
    }
}

/// Creates the tables of this release, from any earlier version.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again inside the transaction: from here on no other process migrates.
    let from = match state_in(&tx)? {
        State::Store(NEWEST) => return Ok(()),
        State::Store(version) => version,
        State::Empty => 0,
    };
    steps(&tx, from)?;
    tx.pragma_update(None, "application_id", APPLICATION)?;
    tx.pragma_update(None, "user_version", NEWEST)?;
    Ok(tx.commit()?)
}

fn steps(tx: &Transaction, from: i64) -> Result<()> {
    let root = match from {
        0 => Root::default(),
        _ => Root::read(tx, from)?,
    };
    for step in &MIGRATIONS[usize::try_from(from).unwrap_or_default()..] {
        tx.execute_batch(step)?;
    }
    root.write(tx, NEWEST)
}

fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |r| r.get(0))?)
}

fn is_bare(connection: &Connection) -> Result<bool> {
    Ok(
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |r| {
            r.get::<_, i64>(0)
        })? == 0,
    )
}

fn newer(found: i64) -> Failure {
    Failure::Known(StoreError::Newer {
        found: found.unsigned_abs(),
        known: NEWEST.unsigned_abs(),
    })
}
