//! The last things that were made.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The last `MOST` things, shared by threads; the one that was used last comes first.
#[derive(Debug)]
pub(crate) struct Recent<T, const MOST: usize>(Mutex<Vec<T>>);

impl<T, const MOST: usize> Default for Recent<T, MOST> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T, const MOST: usize> Recent<T, MOST> {
    fn locked(&self) -> MutexGuard<'_, Vec<T>> {
        // Entries are whole when they are put in.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first result of `get`. The entry that gave it becomes the first one.
    pub(crate) fn find<R>(&self, get: impl FnMut(&T) -> Option<R>) -> Option<R> {
        let mut all = self.locked();
        let (at, found) = all
            .iter()
            .map(get)
            .enumerate()
            .find_map(|(at, found)| Some((at, found?)))?;
        all[..=at].rotate_right(1);
        Some(found)
    }

    /// Puts a thing first, in the place of all that it is `instead` of.
    pub(crate) fn put(&self, new: T, instead: impl FnMut(&T) -> bool) {
        let mut all = self.locked();
        let (mut gone, rest): (Vec<T>, Vec<T>) =
            mem::take(&mut *all).into_iter().partition(instead);
        all.push(new);
        all.extend(rest);
        let most = all.len().min(MOST);
        gone.extend(all.drain(most..));
        drop(all);
        // To free a long text takes time, and others wait for the list.
        drop(gone);
    }
}
