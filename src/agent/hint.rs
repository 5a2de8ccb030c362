//! Hints: what a session is told of folders that were touched, of each once.
//!
//! A store remembers folders by their absolute paths, so that another root, or the same one elsewhere, begins anew. One in
//! which there was nothing to tell is remembered too, and told of if there is something later.

use crate::compile::Hints;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::Order;
use crate::prompt::{Deliver, Prompt};
use crate::session::store::{SessionId, Store, StoreError};
use crate::source::reach::Reached;
use crate::world::World;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What came of asking.
#[derive(Debug, Default)]
pub struct Told {
    /// The folders that the paths lead to, path by path, each once.
    pub folders: Vec<Folder>,
    /// The paths that lead out of the root.
    pub outside: Vec<PathBuf>,
    /// The paths whose own folder is missing, each with that folder.
    pub missing: Vec<(PathBuf, String)>,
    /// What the store has noted for this call.
    noted: Vec<String>,
}

/// A folder that a path leads to.
#[derive(Debug)]
pub struct Folder {
    /// Its path inside the root.
    pub path: String,
    /// Whether the session was told of it before, or by another process meanwhile.
    pub already: bool,
    /// What there is to tell, as a prompt of one layer; none of one that the session was told of before.
    pub hint: Option<Prompt>,
}

/// Why nothing was told.
#[derive(Debug)]
pub enum Failure {
    /// Something in the manifest, the facts or the folders; it stands in the diagnostics.
    ErrorReported(ErrorReported),
    /// The store.
    Store(StoreError),
}

impl From<ErrorReported> for Failure {
    fn from(reported: ErrorReported) -> Self {
        Self::ErrorReported(reported)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Folder {
    /// The text that the session has not seen yet; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.hint {
            Some(hint) if !self.already => hint.text(Deliver::System),
            _ => "",
        }
    }
}

impl Told {
    /// What the session has not seen yet, with `join` between folders; empty if there is nothing.
    #[must_use]
    pub fn text(&self, join: &str) -> String {
        let texts = self.folders.iter().map(Folder::text);
        let texts: Vec<&str> = texts.filter(|t| !t.is_empty()).collect();
        texts.join(join)
    }
}

/// Makes the hints of all folders that `paths` lead to and `session` was not told of, then notes that it is told `at` this
/// time, in seconds since 1970-01-01 UTC. Of processes that do so at once one is told of each folder. If what is returned
/// reaches nobody, [`take_back`] is due.
///
/// A path leads to its own folder and those above it, as far as the manifest says and not beyond one that was asked for
/// before: what stands above that one was asked for with it.
///
/// # Errors
/// When a folder cannot be read or the store fails; then nothing is noted.
pub fn hint(
    hints: &Hints,
    store: &mut dyn Store,
    session: &SessionId,
    paths: &[PathBuf],
    at: i64,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Told, Failure> {
    let mut asking = Asking {
        hints,
        world,
        diags,
        noted: store.hinted(session)?.into_iter().collect(),
        told: Told::default(),
    };
    for path in paths {
        asking.path(path)?;
    }
    let mut told = asking.told;
    let name = |folder: &Folder| match folder.text() {
        "" => nothing_in(&hints.absolute(world, &folder.path)),
        _ => hints.absolute(world, &folder.path),
    };
    let fresh = told.folders.iter().filter(|folder| !folder.already);
    let fresh: Vec<String> = fresh.map(name).collect();
    // Also if there are none, since it is noted that the session asks.
    told.noted = store.hint(session, &fresh, at)?;
    for folder in &mut told.folders {
        let text = !folder.text().is_empty();
        folder.already |= text && !told.noted.contains(&hints.absolute(world, &folder.path));
    }
    Ok(told)
}

/// Takes back that `session` is told of what is new in `told`, so that the next call tells it. What other calls have noted
/// stays.
///
/// # Errors
/// When the store fails; then it counts as told.
pub fn take_back(
    told: &Told,
    store: &mut dyn Store,
    session: &SessionId,
) -> Result<(), StoreError> {
    match told.noted.is_empty() {
        true => Ok(()),
        false => store.unhint(session, &told.noted),
    }
}

/// How it is noted that there was nothing to tell of a folder: by another spelling of its path.
fn nothing_in(folder: &str) -> String {
    format!("{folder}/.")
}

struct Asking<'a> {
    hints: &'a Hints,
    world: &'a dyn World,
    diags: &'a mut Diagnostics,
    /// What the store knows.
    noted: BTreeSet<String>,
    told: Told,
}

impl Asking<'_> {
    fn path(&mut self, path: &Path) -> Result<(), ErrorReported> {
        let reached = self.hints.reached(self.world, path);
        let folders = match reached.map_err(|o| self.diags.push(o.diagnostic()))? {
            Reached::Inside { folders, missing } => {
                let missing = missing.map(|folder| (path.to_owned(), folder));
                self.told.missing.extend(missing);
                folders
            }
            Reached::Outside => {
                self.told.outside.push(path.to_owned());
                return Ok(());
            }
        };
        let mut found = Vec::new();
        for folder in folders {
            let name = self.hints.absolute(self.world, &folder);
            let already = self.noted.contains(&name);
            let asked = already || self.noted.contains(&nothing_in(&name));
            if !self.told.folders.iter().any(|f| f.path == folder) {
                found.push(self.folder(folder, already)?);
            }
            if asked {
                break;
            }
        }
        if self.hints.order() == Order::OuterFirst {
            found.reverse();
        }
        self.told.folders.extend(found);
        Ok(())
    }

    fn folder(&mut self, path: String, already: bool) -> Result<Folder, ErrorReported> {
        let hint = match already {
            true => None,
            false => Some(self.hints.hint(self.world, &path, self.diags)?),
        };
        Ok(Folder {
            path,
            already,
            hint,
        })
    }
}
