//! Where the documents that findings name stand on the disk.

use crate::check::DocumentPlace;
use crate::cli::folders;
use crate::manifest::Manifest;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The folders of a manifest's roots, as far as it writes them.
pub(super) struct Places(BTreeMap<String, Vec<PathBuf>>);

impl Places {
    /// Those of `manifest`.
    pub(super) fn of(manifest: &Manifest) -> Self {
        Self(folders::of(manifest))
    }

    /// The document's path from the current directory; inside its root if it is not found there.
    pub(super) fn document(&self, document: &DocumentPlace) -> String {
        let inside = self.0.get(&document.root).into_iter().flatten();
        folders::find(inside, &document.path).unwrap_or_else(|| document.path.clone())
    }
}
