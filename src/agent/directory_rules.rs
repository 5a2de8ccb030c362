//! DirectoryRulesReader: the texts that a session gets for folders that it uses, each once.
//!
//! A store remembers folders by their absolute paths, so that another root, or the same one elsewhere, starts from
//! the beginning. A folder without directory rules are remembered too, and its directory rules are given if there is one later.

use crate::compile::DirectoryRulesReader;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::Order;
use crate::prompt::{Deliver, Prompt};
use crate::session::store::{SessionId, Store, StoreError};
use crate::source::reach::Reached;
use crate::world::World;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The directory rules of a call.
#[derive(Debug, Default)]
pub struct NewRules {
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
    /// The directory rules as a prompt of one layer; none if the session got it before.
    pub folder_rules: Option<Prompt>,
}

/// The reason why there are no directory rules.
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
        match &self.folder_rules {
            Some(folder_rules) if !self.already => folder_rules.text(Deliver::System),
            _ => "",
        }
    }
}

impl NewRules {
    /// The text that is new to the session, with `join` between folders; empty if there is none.
    #[must_use]
    pub fn text(&self, join: &str) -> String {
        let texts = self.folders.iter().map(Folder::text);
        let texts: Vec<&str> = texts.filter(|t| !t.is_empty()).collect();
        texts.join(join)
    }
}

/// Builds the directory rules of all folders that `paths` lead to and `session` did not get yet, and records them as
/// delivered `at` this time, in seconds since 1970-01-01 UTC. Of concurrent processes only one gets the directory rules of
/// each folder. If no one reads the returned directory rules, call [`take_back`].
///
/// A path leads to its own folder and those above it, up to the limit in the manifest and up to the first folder
/// that was requested before: the folders above that one were requested with it.
///
/// # Errors
/// If a folder cannot be read or the store fails; then nothing is recorded.
pub fn folder_rules(
    directory_rules: &DirectoryRulesReader,
    store: &mut dyn Store,
    session: &SessionId,
    paths: &[PathBuf],
    at: i64,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<NewRules, Failure> {
    let mut asking = Asking {
        directory_rules,
        world,
        diags,
        noted: store.directory_rules(session)?.into_iter().collect(),
        told: NewRules::default(),
    };
    for path in paths {
        asking.path(path)?;
    }
    let mut told = asking.told;
    let name = |folder: &Folder| match folder.text() {
        "" => nothing_in(&directory_rules.absolute(world, &folder.path)),
        _ => directory_rules.absolute(world, &folder.path),
    };
    let fresh = told.folders.iter().filter(|folder| !folder.already);
    let fresh: Vec<String> = fresh.map(name).collect();
    // Also if there are none, since it is noted that the session asks.
    told.noted = store.folder_rules(session, &fresh, at)?;
    for folder in &mut told.folders {
        let text = !folder.text().is_empty();
        folder.already |= text
            && !told
                .noted
                .contains(&directory_rules.absolute(world, &folder.path));
    }
    Ok(told)
}

/// Undoes the record that `session` got the new directory rules in `told`, so that the next call returns them. Records of
/// other calls stay.
///
/// # Errors
/// If the store fails; then they count as delivered.
pub fn take_back(
    told: &NewRules,
    store: &mut dyn Store,
    session: &SessionId,
) -> Result<(), StoreError> {
    if told.noted.is_empty() {
        Ok(())
    } else {
        store.forget_directory_rules(session, &told.noted)
    }
}

/// The record that a folder had no directory rules: another spelling of its path.
fn nothing_in(folder: &str) -> String {
    format!("{folder}/.")
}

struct Asking<'a> {
    directory_rules: &'a DirectoryRulesReader,
    world: &'a dyn World,
    diags: &'a mut Diagnostics,
    /// The records in the store.
    noted: BTreeSet<String>,
    told: NewRules,
}

impl Asking<'_> {
    fn path(&mut self, path: &Path) -> Result<(), ErrorReported> {
        let reached = self.directory_rules.reached(self.world, path);
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
            let name = self.directory_rules.absolute(self.world, &folder);
            let already = self.noted.contains(&name);
            let asked = already || self.noted.contains(&nothing_in(&name));
            if !self.told.folders.iter().any(|f| f.path == folder) {
                found.push(self.folder(folder, already)?);
            }
            if asked {
                break;
            }
        }
        if self.directory_rules.order() == Order::OuterFirst {
            found.reverse();
        }
        self.told.folders.extend(found);
        Ok(())
    }

    fn folder(&mut self, path: String, already: bool) -> Result<Folder, ErrorReported> {
        let folder_rules = if already {
            None
        } else {
            Some(
                self.directory_rules
                    .folder_rules(self.world, &path, self.diags)?,
            )
        };
        Ok(Folder {
            path,
            already,
            folder_rules,
        })
    }
}
