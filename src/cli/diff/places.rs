//! The paths of the files that causes name, for links to them.

use super::SideArgs;
use crate::compare::Cause;
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest;
use crate::project::folders;
use crate::world::DiskWorld;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders of the manifest's roots, as far as it writes them.
#[derive(Default)]
pub(super) struct Places {
    /// The manifest's folder.
    folder: PathBuf,
    /// By the root's name; a scenario's too.
    roots: BTreeMap<String, Vec<PathBuf>>,
}

impl Places {
    /// The files of the manifest that is named, or found here or above; empty without a manifest.
    pub(super) fn of(args: &SideArgs) -> Self {
        let mut unheard = Diagnostics::default();
        let path = match args.given.project().name() {
            Some(path) => PathBuf::from(path),
            None => manifest::nearest(&DiskWorld, &mut unheard).unwrap_or_default(),
        };
        let name = path.to_string_lossy();
        let mut files = Files::default();
        match manifest::open(&DiskWorld, Some(&name), &mut files, &mut unheard) {
            Ok(manifest) => Self {
                folder: path.parent().map(Path::to_owned).unwrap_or_default(),
                roots: folders::of(&manifest),
            },
            Err(_) => Self::default(),
        }
    }

    /// The file that a cause names, from the current directory; its path as it is if no such file is found.
    pub(super) fn find(&self, cause: &Cause) -> Option<String> {
        let path = cause.path.as_deref()?;
        let inside: Vec<PathBuf> = match &cause.root {
            Some(root) => {
                let folders = self.roots.get(root).into_iter().flatten();
                folders.chain([&self.folder]).cloned().collect()
            }
            None => vec![self.folder.clone(), self.folder.join("templates")],
        };
        Some(folders::find(&inside, path).unwrap_or_else(|| path.to_owned()))
    }
}
