//! The store of a command that reads it, and builds nothing.

use super::location::{StoreOptions, refuse, shown};
use super::place::ManifestLocation;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::project::{Project, Run};
use crate::session::store::{self, Location, Session, SessionId, Store, StoreError};
use crate::session::{Export, Inputs};
use crate::world::DiskWorld;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where the store is, for a call that needs no manifest but to find it.
#[derive(Clone)]
pub(crate) struct StoreCall {
    /// The manifest that it is next to.
    pub(crate) project: Project,
    /// Where it is, if not there.
    pub(crate) store: StoreOptions,
}

impl StoreCall {
    /// The option that leads another command to the same store, if the call has one, and its value.
    pub(crate) fn named(&self) -> Option<(&'static str, &str)> {
        let store = self.store.given().and_then(Path::to_str);
        let manifest = || Some(("-m", self.project.name()?));
        store.map(|path| ("--store", path)).or_else(manifest)
    }

    /// The manifest that the call names or finds, and the files that a session was built from.
    pub(crate) fn sources(&self, export: &Export) -> BTreeSet<PathBuf> {
        let own =
            ManifestLocation::of(&self.project, true, &DiskWorld, &mut Diagnostics::default());
        let own = own.ok().and_then(|place| place.manifest);
        let builds = export.builds.iter();
        let inputs = builds.filter_map(|b| export.contents.get(&b.inputs));
        let inputs = inputs.filter_map(|text| serde_json::from_str::<Inputs>(text).ok());
        let read = inputs.flat_map(|inputs| inputs.read);
        own.into_iter().chain(read).map(PathBuf::from).collect()
    }

    /// Another store; a missing one is created with its first session.
    pub(crate) fn open_at(
        &self,
        location: &Location,
        run: &mut Run,
    ) -> Result<Box<dyn Store>, ErrorReported> {
        self.store.open(location, run)
    }

    /// The store that is there. One that the call names has to be.
    pub(crate) fn open(&self, run: &mut Run) -> Result<Stored, ErrorReported> {
        let stored = self.find(run)?;
        self.required(stored, run)
    }

    /// The store, whether or not it is there.
    pub(crate) fn find(&self, run: &mut Run) -> Result<Stored, ErrorReported> {
        open(&self.project, &self.store, run)
    }

    /// Fails if the call names the store and there is none.
    pub(crate) fn required(&self, stored: Stored, run: &mut Run) -> Result<Stored, ErrorReported> {
        if self.store.is_given() {
            stored.existing(run)
        } else {
            Ok(stored)
        }
    }

    /// The store with its name. A damaged store that does not open is no error of the call.
    pub(crate) fn try_open(
        &self,
        run: &mut Run,
    ) -> Result<(String, Result<Stored, String>), ErrorReported> {
        let place = ManifestLocation::standing(&self.project, true, &DiskWorld, &mut run.diags)?;
        run.walls.add(&place.folder);
        let location = self.store.location(&place.folder, &mut run.diags)?;
        let name = shown(&location);
        let store = if !location.exists() {
            None
        } else {
            match self.store.try_open(&location, run)? {
                Ok(store) => Some(store),
                Err(StoreError::Damaged(what)) => return Ok((name, Err(what))),
                Err(error) => return Err(run.diags.push(refuse(&error, &location))),
            }
        };
        Ok((name, Ok(Stored { location, store })))
    }
}

/// The store of a call, if there is one.
pub(crate) struct Stored {
    /// Where it is, or would be.
    pub(crate) location: Location,
    store: Option<Box<dyn Store>>,
}

/// Opens the store of a call, and makes none.
pub(crate) fn open(
    project: &Project,
    options: &StoreOptions,
    run: &mut Run,
) -> Result<Stored, ErrorReported> {
    let place = ManifestLocation::standing(project, true, &DiskWorld, &mut run.diags)?;
    run.walls.add(&place.folder);
    let location = options.location(&place.folder, &mut run.diags)?;
    let store = if location.exists() {
        Some(options.open(&location, run)?)
    } else {
        None
    };
    Ok(Stored { location, store })
}

impl Stored {
    /// Itself, if there is a store.
    pub(crate) fn existing(self, run: &mut Run) -> Result<Self, ErrorReported> {
        if self.store.is_some() {
            return Ok(self);
        }
        let message = format!("there is no store `{}`", self.name());
        let found = Diagnostic::error(diagnostic::NO_STORE, message);
        Err(run
            .diags
            .push(found.help("--store FILE or PROMPTC_STORE names another place")))
    }

    /// The name of it in messages.
    pub(crate) fn name(&self) -> String {
        shown(&self.location)
    }

    /// The store itself; none if there is none.
    pub(crate) fn get(&mut self) -> Option<&mut dyn Store> {
        match &mut self.store {
            Some(store) => Some(store.as_mut()),
            None => None,
        }
    }

    /// Takes a step of the store; for a missing store, `absent` is the result.
    pub(crate) fn step<T>(
        &mut self,
        absent: T,
        step: impl FnOnce(&mut dyn Store) -> store::Result<T>,
        run: &mut Run,
    ) -> Result<T, ErrorReported> {
        let Some(store) = self.get() else {
            return Ok(absent);
        };
        step(store).map_err(|error| run.diags.push(refuse(&error, &self.location)))
    }

    /// A session that must be there.
    pub(crate) fn session(
        &mut self,
        id: &SessionId,
        run: &mut Run,
    ) -> Result<Session, ErrorReported> {
        match self.step(None, |store| store.session(id), run)? {
            Some(session) => Ok(session),
            None => Err(self.unknown(id, run)),
        }
    }

    /// The error of a missing session, with the one that may be meant.
    pub(crate) fn unknown(&mut self, id: &SessionId, run: &mut Run) -> ErrorReported {
        // The other sessions are only for directory rules, so a store that cannot list them is no second error.
        let known = self.get().and_then(|store| store.sessions().ok());
        let directory_rules = self.get().and_then(|store| store.directory_rules(id).ok());
        let found = if directory_rules.is_some_and(|directory_rules| !directory_rules.is_empty()) {
            only_rules(id)
        } else {
            self.no_session(id, known.as_deref())
        };
        run.diags.push(found)
    }

    fn no_session(&self, id: &SessionId, known: Option<&[Session]>) -> Diagnostic {
        let name = self.name();
        if self.store.is_none() {
            let message = format!("there is no session `{id}`, as there is no store `{name}`");
            return Diagnostic::error(diagnostic::UNKNOWN_SESSION, message).help(
                "`promptc build --session ID` makes it; --store FILE or PROMPTC_STORE names another place",
            );
        }
        let message = format!("the store `{name}` keeps no session `{id}`");
        let found = Diagnostic::error(diagnostic::UNKNOWN_SESSION, message);
        let names = || {
            known
                .into_iter()
                .flatten()
                .map(|session| session.id.as_str())
        };
        if let Some((whole, _)) = id.as_str().rsplit_once('@')
            && names().any(|name| name == whole)
        {
            let message = format!(
                "there is a session `{whole}`; single builds are for `promptc session show` and `promptc diff`"
            );
            return found.help(message);
        }
        match suggest::nearest(id.as_str(), names()) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None if known.is_some_and(<[_]>::is_empty) => found.help("it keeps none"),
            None if known.is_some_and(|known| known.len() <= 8) => {
                found.help(format!("it keeps {}", suggest::list(names())))
            }
            None => found.help("`promptc session list` shows those that it keeps"),
        }
    }
}

/// A session that got directory rules, and no prompt.
fn only_rules(id: &SessionId) -> Diagnostic {
    let message = format!("the session `{id}` has directory rules only, and no prompt");
    Diagnostic::error(diagnostic::UNKNOWN_SESSION, message)
        .help("`promptc build --session ID` freezes one; `promptc session rm ID` forgets the directory rules")
}
