//! Where a source reads: the folders of a root, and how its paths are written.

use super::wall::{self, Folder, Obstacle};
use crate::builtin;
use crate::prompt::{Unused, UnusedReason};
use crate::world::World;
use std::sync::Arc;

/// One folder of a root.
#[derive(Debug, Clone)]
pub enum RootFolder {
    /// On disk.
    Disk(Folder),
    /// The texts that promptc carries.
    Embedded,
}

/// A root with its folders found.
#[derive(Debug, Clone)]
pub struct BoundRoot {
    /// Its name.
    pub name: Arc<str>,
    /// Its folders. In a root that is `many` each stands for itself; in `text` an earlier one stands in front of a later.
    pub folders: Vec<RootFolder>,
    /// Whether the folders are one behind the other (`text`) rather than beside each other (`many`).
    pub overlaid: bool,
    /// `as=`: what stands in front of its paths in prompts.
    pub shown: Option<Arc<str>>,
}

/// A file that was found and read.
#[derive(Debug, Clone)]
pub struct Raw {
    /// The root's name.
    pub root: Arc<str>,
    /// Which of its folders, from 0.
    pub root_index: usize,
    /// Path inside the root.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What a source found.
#[derive(Debug, Default)]
pub struct Read {
    /// Files, in order.
    pub found: Vec<Raw>,
    /// What was looked for besides.
    pub unused: Vec<Unused>,
}

impl RootFolder {
    /// Whether a regular file stands at `path`.
    ///
    /// # Errors
    /// When the wall forbids the path or it cannot be looked at.
    pub fn has(&self, world: &dyn World, path: &str) -> Result<bool, Obstacle> {
        Ok(match self {
            Self::Disk(folder) => wall::find(world, folder, path)?.is_some(),
            Self::Embedded => {
                wall::inside(path)?;
                builtin::text(path).is_some()
            }
        })
    }

    /// The regular file at `path`, if there is one.
    ///
    /// # Errors
    /// When the wall forbids the path, or the file is too large or cannot be read.
    pub fn read(&self, world: &dyn World, path: &str) -> Result<Option<Vec<u8>>, Obstacle> {
        match self {
            Self::Disk(folder) => match wall::find(world, folder, path)? {
                Some(found) => wall::read(world, &found, path).map(Some),
                None => Ok(None),
            },
            Self::Embedded => {
                wall::inside(path)?;
                Ok(builtin::text(path).map(|text| text.as_bytes().to_vec()))
            }
        }
    }
}

impl BoundRoot {
    /// `path` as prompts write it.
    #[must_use]
    pub fn location(&self, path: &str) -> String {
        match &self.shown {
            Some(shown) => format!("{}/{path}", shown.trim_end_matches('/')),
            None => path.to_owned(),
        }
    }

    /// A document that was looked for here and does not count.
    #[must_use]
    pub fn unused(&self, path: &str, reason: UnusedReason) -> Unused {
        Unused {
            root: self.name.to_string(),
            path: path.to_owned(),
            reason,
        }
    }
}

/// `name` inside the folder `level` of a root (`""` is the top).
#[must_use]
pub fn join(level: &str, name: &str) -> String {
    if level.is_empty() {
        name.to_owned()
    } else {
        format!("{level}/{name}")
    }
}
