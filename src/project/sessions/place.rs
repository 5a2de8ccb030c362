//! The locations of the manifest of a call and of the store next to it.

use super::location as store;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::project::{Project, output};
use crate::world::World;
use std::io;
use std::path::{Path, PathBuf};

/// The location of a manifest.
#[derive(Debug, Default)]
pub(crate) struct ManifestLocation {
    /// Its folder; the empty path is the current directory.
    pub(crate) folder: PathBuf,
    /// The manifest: an absolute path, or `builtin:NAME@N`. None if the call names none and none is found.
    pub(crate) manifest: Option<String>,
}

impl ManifestLocation {
    /// As `of`, for a command that does not read the manifest: a misspelt name would lead to a place where there is no
    /// store, which looks like an empty one.
    pub(crate) fn standing(
        project: &Project,
        needless: bool,
        world: &dyn World,
        diags: &mut Diagnostics,
    ) -> Result<Self, ErrorReported> {
        if let Some(name) = project.name() {
            manifest::must_exist(world, name, diags)?;
        }
        Self::of(project, needless, world, diags)
    }

    /// The manifest that a call names, else the one here or above. `needless`: whether the call can do without one.
    pub(crate) fn of(
        project: &Project,
        needless: bool,
        world: &dyn World,
        diags: &mut Diagnostics,
    ) -> Result<Self, ErrorReported> {
        let path = match project.name() {
            Some(builtin) if builtin.starts_with(manifest::BUILT_IN) => {
                return Ok(Self {
                    folder: PathBuf::new(),
                    manifest: Some(builtin.to_owned()),
                });
            }
            Some(path) => PathBuf::from(path),
            None if needless && !project.is_found() => return Ok(Self::default()),
            None if !project.is_found() && store::beside(Path::new("")).exists() => {
                return Err(diags.push(left_alone()));
            }
            None => manifest::nearest(world, diags)?,
        };
        let real = match world.canonical(&path) {
            Ok(real) => real,
            // It is there, and a session must not remember it by a name that means something else elsewhere.
            Err(error) if world.kind(&path).is_ok() => {
                return Err(diags.push(not_located(&path, &error)));
            }
            // That is said where it is read.
            Err(_) => path.clone(),
        };
        Ok(Self {
            folder: path.parent().map_or_else(PathBuf::new, Path::to_owned),
            manifest: Some(real.to_string_lossy().into_owned()),
        })
    }
}

/// The error of a manifest that exists and whose whole path is not known: that of the current directory, for one.
fn not_located(path: &Path, error: &io::Error) -> Diagnostic {
    let message = format!(
        "the folder of the manifest `{}` cannot be found: {}",
        path.display(),
        output::reason(error)
    );
    Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message)
        .help("change to a folder that exists, or name the manifest by its whole path")
}

/// The error for a store here whose manifest is gone.
fn left_alone() -> Diagnostic {
    let message = "there is no `promptc.kdl` here or in a folder above";
    let name = store::shown(&store::beside(Path::new("")));
    Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message).help(format!(
        "`--store {name}` gives what its sessions keep without one; -m names another manifest"
    ))
}
