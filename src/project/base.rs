//! The locations of manifests, and the base that a check requires.

use crate::diagnostic::span::{FileId, Files};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::{self, Manifest, ManifestFile, Origin};
use crate::world::World;
use std::path::{Path, PathBuf};

/// A manifest that others must extend.
#[derive(Debug)]
pub(crate) struct Base {
    /// Its name in messages.
    pub(crate) shown: String,
    /// Its location, however it was named.
    identity: PathBuf,
}

impl Base {
    /// The manifest of that name: a file, its folder, or `builtin:NAME@N`.
    pub(crate) fn named(
        name: &str,
        world: &dyn World,
        diags: &mut Diagnostics,
    ) -> Result<Self, ErrorReported> {
        let name = manifest::in_folder(world, name);
        manifest::must_exist(world, &name, diags)?;
        let path = Path::new(&name);
        Ok(Self {
            shown: manifest::shown(world, path),
            identity: world.canonical(path).unwrap_or_else(|_| path.to_owned()),
        })
    }

    /// Whether a manifest is it or extends it, directly or indirectly.
    pub(crate) fn is_below(&self, manifest: &Manifest, files: &Files, world: &dyn World) -> bool {
        let is_it = |sheet: &ManifestFile| match place_of(sheet.file, &sheet.origin, files) {
            Some(path) => world.canonical(&path).unwrap_or(path) == self.identity,
            None => {
                matches!(&sheet.origin, Origin::BuiltIn { name } if self.identity.to_str() == Some(&format!("builtin:{name}")))
            }
        };
        manifest
            .sheets
            .iter()
            .any(|sheet| !sheet.included && is_it(sheet))
    }
}

/// The location of a file of a manifest; none for a built-in.
pub(super) fn place_of(file: FileId, origin: &Origin, files: &Files) -> Option<PathBuf> {
    match origin {
        Origin::BuiltIn { .. } => None,
        Origin::Disk { folder } => {
            let name = files.get(file).name.clone();
            let name = Path::new(name.as_ref()).file_name()?;
            // As messages name it.
            Some(if folder == Path::new(".") {
                PathBuf::from(name)
            } else {
                folder.join(name)
            })
        }
    }
}
