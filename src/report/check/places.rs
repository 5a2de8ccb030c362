//! The paths in the repository of the files and documents that findings name.

use crate::check::DocumentPlace;
use crate::manifest::Manifest;
use crate::project::folders;
use crate::project::repository::{self, Repository};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The folders of a manifest's roots, as far as it writes them, and what paths count from.
pub(super) struct Places {
    folders: BTreeMap<String, Vec<PathBuf>>,
    repository: Option<Repository>,
}

impl Places {
    /// The places in `manifest`.
    pub(super) fn of(manifest: &Manifest) -> Self {
        Self {
            folders: folders::of(manifest),
            repository: Repository::here(),
        }
    }

    /// The places in a manifest that cannot be read: its roots are not known.
    pub(super) fn unknown() -> Self {
        Self {
            folders: BTreeMap::new(),
            repository: Repository::here(),
        }
    }

    /// The document's path in the repository; inside its root if it is not found.
    pub(super) fn document(&self, document: &DocumentPlace) -> String {
        let inside = self.folders.get(&document.root).into_iter().flatten();
        match folders::find(inside, &document.path) {
            Some(path) => self.file(&path),
            None => document.path.clone(),
        }
    }

    /// The path of a manifest or template in the repository.
    pub(super) fn file(&self, name: &str) -> String {
        repository::path(name, self.repository.as_ref())
    }
}
