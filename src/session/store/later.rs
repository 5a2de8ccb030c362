//! A store that is created when something is first written to it.

use super::{
    Build, Collected, Damage, Delivered, Freeze, Key, Location, NewBuild, Restored, Result,
    RulesSession, Session, SessionId, Store, StoreError, Unwanted, Wanted, Whole, sqlite,
};

impl Location {
    /// Opens the store. A missing one is empty until [`Store::freeze`], [`Store::add`] or [`Store::folder_rules`] creates it.
    ///
    /// # Errors
    /// As [`Location::open`]; for a missing store, if a file that belongs to it is no regular file.
    pub fn open_later(&self, wait_seconds: u64) -> Result<Box<dyn Store>> {
        if self.exists() {
            return self.open(wait_seconds);
        }
        sqlite::regular(&self.real())?;
        Ok(Box::new(Later::new(self.clone(), wait_seconds)))
    }
}

/// A store that may not exist yet. Only the methods that add data create it: a first build in one step with the store,
/// all else after it.
struct Later {
    location: Location,
    wait_seconds: u64,
    store: Option<Box<dyn Store>>,
}

impl Later {
    fn new(location: Location, wait_seconds: u64) -> Self {
        Self {
            location,
            wait_seconds,
            store: None,
        }
    }

    /// The store, if it exists: another process may have created it meanwhile.
    fn there(&mut self) -> Result<Option<&mut (dyn Store + 'static)>> {
        if self.store.is_some() || self.location.exists() {
            self.made().map(Some)
        } else {
            Ok(None)
        }
    }

    /// The store, which is created if it does not exist.
    fn made(&mut self) -> Result<&mut (dyn Store + 'static)> {
        if self.store.is_none() {
            self.store = Some(self.location.open(self.wait_seconds)?);
        }
        self.store.as_deref_mut().ok_or(StoreError::Gone)
    }
}

/// The answer of an existing store; else that of an empty one.
macro_rules! ask {
    ($self:ident.$method:ident($($argument:expr),*), $nothing:expr) => {
        match $self.there()? {
            Some(store) => store.$method($($argument),*),
            None => Ok($nothing),
        }
    };
}

impl Store for Later {
    fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        ask!(self.session(id), None)
    }

    fn sessions(&mut self) -> Result<Vec<Session>> {
        ask!(self.sessions(), Vec::new())
    }

    fn builds(&mut self, id: &SessionId) -> Result<Vec<Build>> {
        ask!(self.builds(id), Vec::new())
    }

    fn restore(
        &mut self,
        id: &SessionId,
        number: Option<u64>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Restored>> {
        ask!(self.restore(id, number, wanted), None)
    }

    fn content(&mut self, key: &Key) -> Result<String> {
        match self.there()? {
            Some(store) => store.content(key),
            None => Err(StoreError::Gone),
        }
    }

    fn freeze(
        &mut self,
        id: &SessionId,
        after: Option<&Build>,
        build: &NewBuild,
    ) -> Result<Freeze> {
        let first = match (&self.store, after) {
            (None, None) => self.location.begin(self.wait_seconds, id, build)?,
            _ => None,
        };
        match first {
            Some(frozen) => Ok(frozen),
            None => self.made()?.freeze(id, after, build),
        }
    }

    fn touch(&mut self, id: &SessionId, at: i64) -> Result<bool> {
        ask!(self.touch(id, at), false)
    }

    fn deliver(
        &mut self,
        id: &SessionId,
        after: &Build,
        before: Option<&Delivered>,
        at: i64,
        prompt: &[String],
    ) -> Result<bool> {
        ask!(self.deliver(id, after, before, at, prompt), false)
    }

    fn remove(&mut self, id: &SessionId) -> Result<bool> {
        ask!(self.remove(id), false)
    }

    fn add(&mut self, id: &SessionId, whole: &Whole) -> Result<bool> {
        self.made()?.add(id, whole)
    }

    fn whole(&mut self, id: &SessionId) -> Result<Option<(Session, Whole)>> {
        ask!(self.whole(id), None)
    }

    fn leave(&mut self, id: &SessionId, newest: &Build) -> Result<bool> {
        ask!(self.leave(id, newest), false)
    }

    fn collect(&mut self, unwanted: Unwanted, dry: bool) -> Result<Collected> {
        ask!(self.collect(unwanted, dry), Collected::default())
    }

    fn folder_rules(&mut self, id: &SessionId, folders: &[String], at: i64) -> Result<Vec<String>> {
        self.made()?.folder_rules(id, folders, at)
    }

    fn forget_directory_rules(&mut self, id: &SessionId, folders: &[String]) -> Result<()> {
        ask!(self.forget_directory_rules(id, folders), ())
    }

    fn rules_sessions(&mut self) -> Result<Vec<RulesSession>> {
        ask!(self.rules_sessions(), Vec::new())
    }

    fn directory_rules(&mut self, id: &SessionId) -> Result<Vec<String>> {
        ask!(self.directory_rules(id), Vec::new())
    }

    fn verify(&mut self) -> Result<Vec<Damage>> {
        ask!(self.verify(), Vec::new())
    }
}
