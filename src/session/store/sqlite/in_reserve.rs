//! Removals on a full disk: they use the room of the reserve, in steps that fit into it.
//!
//! Each step is a separate transaction, so that the write-ahead log can be emptied after it, and the freed room is
//! given back to the disk before the next.

use super::collect::give_back;
use super::connection::empty_log;
use super::open::{self, Access};
use super::{Sqlite, failure};
use crate::session::store::{Collected, Result, StoreError};
use rusqlite::Connection;

/// How much the first step takes away, if it can: many small ones fill the log more than a large one.
const FIRST: usize = 1024;

impl Sqlite {
    /// Runs steps until one returns that it was the last. Each gets the number of rows that it may remove;
    /// `done` gets the results of those that are on the disk.
    pub(super) fn in_reserve<T>(
        &mut self,
        step: impl Fn(&Connection, usize) -> failure::Result<(T, bool)>,
        mut done: impl FnMut(T),
    ) -> Result<()> {
        self.reserve.release();
        if self.access == Access::Full {
            self.reopen()?;
        }
        // What is freed would else be written over first, in the log. The steps give it back to the disk instead.
        self.set_secure_delete("FAST")?;
        let taken = in_steps(|most| {
            self.make_room();
            let (what, last) = self.keep(|tx| step(tx, most))?;
            done(what);
            Ok(last)
        });
        self.make_room();
        self.set_secure_delete("ON")?;
        taken
    }

    fn set_secure_delete(&self, how: &str) -> Result<()> {
        let set = self
            .connection
            .pragma_update_and_check(None, "secure_delete", how, |_| Ok(()));
        set.map_err(|error| failure::Failure::from(error).into_error(self.wait))
    }

    /// Opens the file again, which there was no room for.
    fn reopen(&mut self) -> Result<()> {
        let into_error = |failure: failure::Failure| failure.into_error(self.wait);
        let path = self.reserve.store().to_owned();
        // First it is closed: two connections of one process lose each other's locks.
        let none = Connection::open_in_memory().map_err(|error| into_error(error.into()))?;
        drop(std::mem::replace(&mut self.connection, none));
        (self.connection, self.access) = open::open(&path, self.wait).map_err(into_error)?;
        Ok(())
    }

    /// Gives back what is free, as far as there is room for that, and a little at a time, so that others have their turn.
    pub(super) fn make_room(&mut self) {
        let _ = empty_log(&mut self.connection, self.wait);
        let mut free = i64::MAX;
        let _ = in_steps(|most| {
            let left = give_back(&self.connection, most.min(FIRST));
            let _ = empty_log(&mut self.connection, self.wait);
            let left = left.map_err(|failure| failure.into_error(self.wait))?;
            // Others may use more at the same time.
            let last = left == 0 || left >= free;
            free = left;
            Ok(last)
        });
    }
}

/// Takes larger steps as long as there is room for them, and smaller ones where there is not.
fn in_steps(mut step: impl FnMut(usize) -> Result<bool>) -> Result<()> {
    let mut most = FIRST;
    loop {
        match step(most) {
            Ok(true) => return Ok(()),
            Ok(false) => most = most.saturating_mul(2),
            Err(StoreError::Full) if most > 1 => most /= 4,
            Err(error) => return Err(error),
        }
    }
}

/// Adds what a step took away to what those before it did.
pub(super) fn add(all: &mut Collected, step: Collected) {
    all.sessions.extend(step.sessions);
    all.sessions.sort();
    for new in step.shortened {
        let mut known = all.shortened.iter_mut();
        match known.find(|known| known.session == new.session) {
            Some(known) => known.builds += new.builds,
            None => all.shortened.push(new),
        }
    }
    all.shortened.sort();
    all.builds += step.builds;
    all.directory_rules += step.directory_rules;
    all.contents += step.contents;
    all.bytes += step.bytes;
}
