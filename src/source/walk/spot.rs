//! Positions inside a root: the entry there, and whether a link has left the root.

use crate::source::wall::{Folder, Obstacle, inside, joined, resolve, shown, spelt_so, top};
use crate::world::{Entry, Kind, World, is_missing};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A file that a pattern found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Its path inside the root.
    pub path: String,
    /// Where to read it: this path has no links any more.
    pub file: PathBuf,
}

/// Something inside the root.
pub(super) struct Spot {
    /// Where it is; canonical once it is entered.
    pub(super) path: PathBuf,
    /// Inside the root, with links, and with invalid UTF-8 replaced.
    pub(super) inner: String,
    /// Whether a name on the way is not fit for a prompt.
    bad: bool,
}

impl Spot {
    /// Its entry of that name.
    pub(super) fn child(&self, name: &OsStr) -> Self {
        Self {
            path: joined(&self.path, name),
            inner: self.inner(name),
            bad: self.bad || !printable(name),
        }
    }

    /// The path of a name in it, inside the root.
    pub(super) fn inner(&self, name: &OsStr) -> String {
        let lossy = name.to_string_lossy();
        match self.inner.as_str() {
            "" => lossy.into_owned(),
            inner => [inner, "/", &lossy].concat(),
        }
    }

    /// It as a file that was found.
    ///
    /// # Errors
    /// When its path cannot be a name in a prompt.
    pub(super) fn hit(self) -> Result<Hit, Obstacle> {
        if self.bad {
            Err(Obstacle::Name {
                path: shown(&self.inner),
            })
        } else {
            Ok(Hit {
                path: self.inner,
                file: self.path,
            })
        }
    }

    /// A link to it that leaves the root.
    pub(super) fn leaves(&self) -> Obstacle {
        Obstacle::Link {
            path: shown(&self.inner),
        }
    }
}

/// The canonical path of the root, and where a walk from `base` (`""` for its top) starts; none if nothing is there.
pub(super) fn start(
    world: &dyn World,
    folder: &Folder,
    base: &str,
) -> Result<Option<(PathBuf, Spot)>, Obstacle> {
    let Some(top) = top(world, folder)? else {
        return Ok(None);
    };
    let path = match base {
        "" => top.clone(),
        base => {
            inside(base)?;
            match resolve(world, folder, &top, base)? {
                Some((path, Kind::Folder)) => path,
                _ => return Ok(None),
            }
        }
    };
    let spot = Spot {
        path,
        inner: base.to_owned(),
        bad: false,
    };
    Ok(Some((top, spot)))
}

/// The entries of a folder, in byte order, so that the first obstacle is always the same; none if it went away while we
/// walked.
pub(super) fn list(world: &dyn World, spot: &Spot) -> Result<Vec<Entry>, Obstacle> {
    match world.list(&spot.path) {
        Ok(mut entries) => {
            entries
                .sort_unstable_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
            Ok(entries)
        }
        Err(error) if is_missing(&error) => Ok(Vec::new()),
        Err(error) => Err(Obstacle::at(&spot.path, &spot.inner, &error)),
    }
}

/// The entry of that very name, without listing the folder where that can be avoided.
pub(super) fn entry(
    world: &dyn World,
    folder: &Folder,
    spot: &Spot,
    name: &str,
) -> Result<Option<Entry>, Obstacle> {
    let path = joined(&spot.path, OsStr::new(name));
    let found = world.kind_of_name(&path).and_then(|kind| {
        let exact = spelt_so(world, folder, &spot.path, name)?;
        Ok(exact.then(|| Entry {
            name: OsString::from(name),
            kind,
        }))
    });
    match found {
        Ok(entry) => Ok(entry),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Obstacle::from_io(&spot.inner(OsStr::new(name)), &error)),
    }
}

/// Whether the entry at a position below the top of a root is a regular file, with links followed.
///
/// # Errors
/// When it is a link that leaves the root or leads to itself, or it cannot be looked up.
pub(super) fn is_file(
    world: &dyn World,
    folder: &Folder,
    (top, spot): (&Path, &Spot),
    entry: &Entry,
) -> Result<bool, Obstacle> {
    match entry.kind {
        Kind::File => Ok(true),
        Kind::Link => {
            let mut file = spot.child(&entry.name);
            let is_file = follow(world, &mut file)? == Some(Kind::File);
            if is_file {
                stays(folder, top, &file)?;
            }
            Ok(is_file)
        }
        Kind::Folder | Kind::Other => Ok(false),
    }
}

/// The target of a link, to which `spot` then moves; none if there is none.
pub(super) fn follow(world: &dyn World, spot: &mut Spot) -> Result<Option<Kind>, Obstacle> {
    let target = world.canonical(&spot.path);
    match target.and_then(|path| Ok((world.kind(&path)?, path))) {
        Ok((kind, path)) => {
            spot.path = path;
            Ok(Some(kind))
        }
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Obstacle::from_io(&spot.inner, &error)),
    }
}

/// Fails if a link has left the root, where that is a mistake.
pub(super) fn stays(folder: &Folder, top: &Path, spot: &Spot) -> Result<(), Obstacle> {
    if folder.follows_links() || spot.path.starts_with(top) {
        Ok(())
    } else {
        Err(spot.leaves())
    }
}

/// Whether a name may reach a prompt.
pub(super) fn printable(name: &OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| !name.contains(char::is_control))
}
