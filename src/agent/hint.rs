//! Hints: the texts that a session gets for folders that it uses, each once.
//!
//! A store remembers folders by their absolute paths, so that another root, or the same one elsewhere, starts from
//! the beginning. A folder without a hint is remembered too, and its hint is given if there is one later.

use crate::compile::Hints;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::Order;
use crate::prompt::{Deliver, Prompt};
use crate::session::store::{SessionId, Store, StoreError};
use crate::source::reach::Reached;
use crate::world::World;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The hints of a call.
#[derive(Debug, Default)]
pub struct NewHints {
    /// The folders that the paths lead to, path by path, each once.
    pub folders: Vec<Folder>,
    /// The paths that lead out of the root.
    pub outside: Vec<PathBuf>,
    /// The paths that lead to the root's own folder, whose rules are in the prompt.
    pub top: Vec<PathBuf>,
    /// The paths whose own folder is missing, each with that folder: empty for that of the root.
    pub missing: Vec<(PathBuf, String)>,
    /// The records of this call in the store.
    noted: Vec<String>,
}

/// A folder that a path leads to.
#[derive(Debug)]
pub struct Folder {
    /// Its path inside the root.
    pub path: String,
    /// Whether the session got it before, or from another process meanwhile.
    pub already: bool,
    /// The hint as a prompt of one layer; none if the session got it before.
    pub hint: Option<Prompt>,
}

/// The reason why there are no hints.
#[derive(Debug)]
pub enum Failure {
    /// An error in the manifest, the facts or the folders; it is in the diagnostics.
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

impl NewHints {
    /// The text that is new to the session, with `join` between folders; empty if there is none.
    #[must_use]
    pub fn text(&self, join: &str) -> String {
        let texts = self.folders.iter().map(Folder::text);
        let texts: Vec<&str> = texts.filter(|t| !t.is_empty()).collect();
        texts.join(join)
    }
}

/// Builds the hints of all folders that `paths` lead to and `session` did not get yet, and records them as
/// delivered `at` this time, in seconds since 1970-01-01 UTC. Of concurrent processes only one gets the hint of
/// each folder. If no one reads the returned hints, call [`take_back`].
///
/// A path leads to its own folder and those above it, up to the limit in the manifest and up to the first folder
/// that was requested before: the folders above that one were requested with it.
///
/// # Errors
/// If a folder cannot be read or the store fails; then nothing is recorded.
pub fn hint(
    hints: &Hints,
    store: &mut dyn Store,
    session: &SessionId,
    paths: &[PathBuf],
    at: i64,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<NewHints, Failure> {
    let mut asking = Asking {
        hints,
        world,
        diags,
        noted: store.hinted(session)?.into_iter().collect(),
        told: NewHints::default(),
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

/// Undoes the record that `session` got the new hints in `told`, so that the next call returns them. Records of
/// other calls stay.
///
/// # Errors
/// If the store fails; then they count as delivered.
pub fn take_back(
    told: &NewHints,
    store: &mut dyn Store,
    session: &SessionId,
) -> Result<(), StoreError> {
    match told.noted.is_empty() {
        true => Ok(()),
        false => store.unhint(session, &told.noted),
    }
}

/// The record that a folder had no hint: another spelling of its path.
fn nothing_in(folder: &str) -> String {
    format!("{folder}/.")
}

struct Asking<'a> {
    hints: &'a Hints,
    world: &'a dyn World,
    diags: &'a mut Diagnostics,
    /// The records in the store.
    noted: BTreeSet<String>,
    told: NewHints,
}

impl Asking<'_> {
    fn path(&mut self, path: &Path) -> Result<(), ErrorReported> {
        let reached = self.hints.reached(self.world, path);
        let folders = match reached.map_err(|o| self.diags.push(o.diagnostic()))? {
            Reached::Inside { folders, missing } => {
                let missing = missing.map(|folder| (path.to_owned(), folder));
                if folders.is_empty() && missing.is_none() {
                    self.told.top.push(path.to_owned());
                }
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
