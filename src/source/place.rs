//! Where a source reads: the folders of a root, and how its paths are written.

use super::wall::{self, Folder, Obstacle};
use crate::prompt::{Unused, UnusedReason};
use crate::source::builtin;
use crate::text::document::{MANIFEST, base_of};
use crate::world::{Kind, MapWorld, World};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// The sentences that promptc carries, as files; most builds read none.
static EMBEDDED: LazyLock<MapWorld> = LazyLock::new(|| {
    let texts = builtin::TEXTS.iter();
    texts.fold(MapWorld::new().folder("/"), |world, text| {
        world.file(format!("/{}", text.name), text.text)
    })
});

/// One folder of a root.
#[derive(Debug, Clone)]
pub struct RootFolder {
    /// Where it is.
    pub folder: Folder,
    /// The world that it is in.
    within: Within,
}

/// The world that a folder is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// The one outside.
    Disk,
    /// The program.
    Program,
    /// None: nothing is found in it.
    Nowhere,
}

/// A root with its folders found.
#[derive(Debug, Clone)]
pub struct BoundRoot {
    /// Its name.
    pub name: Arc<str>,
    /// Its folders. In a root that is `many` they are independent; in `text` and `manifest` an earlier one comes before a later.
    pub folders: Vec<RootFolder>,
    /// Whether the folders are layered (`text`, `manifest`) rather than independent (`many`).
    pub overlaid: bool,
    /// `as=`: the text before its paths in prompts.
    pub shown: Option<Arc<str>>,
}

/// The positions of the names that can name something.
pub(super) fn nameable(names: &[Wanted]) -> impl Iterator<Item = (usize, &str)> {
    (names.iter().enumerate()).filter_map(|(at, name)| Some((at, name.file()?)))
}

/// A name that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A path inside the root.
    File(String),
    /// A fact in it is missing or no plain component, so that nothing can be called so; the name as it is written.
    Nothing(String),
}

impl Wanted {
    /// The path, if there can be a file of that name.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::File(path) => Some(path),
            Self::Nothing(_) => None,
        }
    }

    /// The name in the report of a failed search.
    #[must_use]
    pub fn shown(&self) -> &str {
        match self {
            Self::File(name) | Self::Nothing(name) => name,
        }
    }
}

/// A file that was found and read.
#[derive(Debug, Clone)]
pub struct Raw {
    /// The root's name.
    pub root: Arc<str>,
    /// The index of its folder, from 0.
    pub root_index: usize,
    /// Path inside the root.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Raw {
    /// The last component of its path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The number of the base next to which it is; 0 next to the manifest itself, and in other roots.
    #[must_use]
    pub fn base(&self) -> usize {
        base_of(&self.root, self.root_index)
    }
}

/// The files that a source found.
#[derive(Debug, Default)]
pub struct Read {
    /// Files, in order.
    pub found: Vec<Raw>,
    /// The other names that were searched for.
    pub unused: Vec<Unused>,
    /// Which of the requested names found nothing, by their positions. Of alternatives all, or none; a name that can name
    /// nothing is not among them.
    pub missing: Vec<usize>,
    /// Of alternatives of which a later one was found: which of those before it are missing, by their positions.
    pub passed: Vec<usize>,
    /// The paths of files that are skipped because only the case of their names is another.
    pub other_case: Vec<String>,
}

impl RootFolder {
    /// A folder outside.
    #[must_use]
    pub fn disk(path: PathBuf, follow_links: bool) -> Self {
        Self {
            folder: Folder::new(path, follow_links),
            within: Within::Disk,
        }
    }

    /// The sentences that promptc carries.
    #[must_use]
    pub fn embedded() -> Self {
        Self {
            folder: Folder::new("/", false),
            within: Within::Program,
        }
    }

    /// A folder that may not be looked into, in the place of one that others may.
    #[must_use]
    pub fn nowhere() -> Self {
        Self {
            folder: Folder::new("/-", false),
            within: Within::Nowhere,
        }
    }

    /// The world that the folder is in.
    pub(super) fn world<'a>(&'a self, outside: &'a dyn World) -> &'a dyn World {
        match self.within {
            Within::Disk => outside,
            Within::Program | Within::Nowhere => &*EMBEDDED,
        }
    }

    /// Looks up the location and the existence, even if they are known: for a world that records lookups.
    pub(crate) fn ask_top(&self, world: &dyn World) {
        // An error is reported when a file is searched for in it.
        _ = wall::top(self.world(world), &self.folder.fresh());
    }

    /// Whether it is a folder outside.
    #[must_use]
    pub fn is_disk(&self) -> bool {
        self.within == Within::Disk
    }

    /// Whether anything can be in it.
    #[must_use]
    pub fn is_somewhere(&self) -> bool {
        self.within != Within::Nowhere
    }

    /// Whether a regular file is at `path`.
    ///
    /// # Errors
    /// When the wall forbids the path or it cannot be looked at.
    pub fn has(&self, world: &dyn World, path: &str) -> Result<bool, Obstacle> {
        Ok(wall::find(self.world(world), &self.folder, path)?.is_some())
    }

    /// The kind of the entry at `path`, if there is one and it can be looked at.
    #[must_use]
    pub fn kind(&self, world: &dyn World, path: &str) -> Option<Kind> {
        wall::kind(self.world(world), &self.folder, path)
    }

    /// The regular file at `path`, if there is one.
    ///
    /// # Errors
    /// When the wall forbids the path, or the file is too large or cannot be read.
    pub fn read(&self, world: &dyn World, path: &str) -> Result<Option<Vec<u8>>, Obstacle> {
        let world = self.world(world);
        match wall::find(world, &self.folder, path)? {
            Some(found) => wall::read(world, &found, path).map(Some),
            None => Ok(None),
        }
    }
}

impl BoundRoot {
    /// The folders that a search for something above starts in and ends at: all of `manifest`, else the first.
    pub(crate) fn tops(&self) -> impl Iterator<Item = &Folder> {
        let most = if &*self.name == MANIFEST {
            usize::MAX
        } else {
            1
        };
        let folders = self.folders.iter().take(most);
        folders.filter(|f| f.is_disk()).map(|f| &f.folder)
    }

    /// The names of one kind in a folder inside; of one that cannot be listed none.
    pub(crate) fn names(&self, world: &dyn World, folder: &str, kind: Kind) -> Vec<String> {
        let folders = self.folders.iter().filter(|root| root.is_disk());
        let names = folders.flat_map(|root| wall::names(world, &root.folder, folder, kind));
        names.collect()
    }

    /// Those of its first folders that do not exist.
    pub(crate) fn missing_folders(&self, world: &dyn World, first: usize) -> Vec<PathBuf> {
        let disk = self
            .folders
            .iter()
            .take(first)
            .filter(|root| root.is_disk());
        let missing = disk.filter(|root| matches!(wall::top(world, &root.folder), Ok(None)));
        missing.map(|root| root.folder.path().to_owned()).collect()
    }

    /// Its folder, if it has only one and that does not exist.
    pub(crate) fn missing_folder(&self, world: &dyn World) -> Option<PathBuf> {
        let folders = self.folders.iter().filter(|root| root.is_somewhere());
        let missing = self.missing_folders(world, usize::MAX);
        missing.into_iter().next().filter(|_| folders.count() == 1)
    }

    /// `path` as prompts write it.
    #[must_use]
    pub fn location(&self, path: &Arc<str>) -> Arc<str> {
        match &self.shown {
            Some(shown) => [shown.trim_end_matches('/'), path].join("/").into(),
            None => path.clone(),
        }
    }

    /// Something that was looked for here and is missing.
    #[must_use]
    pub fn missing(&self, path: &str) -> Unused {
        self.unused(path, UnusedReason::Missing)
    }

    /// A document that was looked for here and does not count.
    #[must_use]
    pub fn unused(&self, path: &str, reason: UnusedReason) -> Unused {
        Unused {
            root: self.name.to_string(),
            path: path.to_owned(),
            item: None,
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
