//! Reading inside a root: names that cannot leave it, links that do not, and obstacles.

mod obstacle;
#[cfg(test)]
mod tests;

pub use obstacle::Obstacle;
pub(crate) use obstacle::shown;

use crate::world::{Kind, World, is_missing, swapped_case};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A folder that sources read inside of.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Its location; links on the way to it do not matter.
    path: PathBuf,
    /// Whether links may lead out of it.
    follow_links: bool,
    /// Its canonical path, once it was found. A folder serves one build, during which roots do not change.
    top: Arc<OnceLock<PathBuf>>,
    /// Folders in it, by canonical path, that are known to be case-sensitive.
    exact: Arc<Mutex<BTreeSet<OsString>>>,
}

impl Folder {
    /// The folder at `path`; `follow_links` says whether links may lead out of it.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, follow_links: bool) -> Self {
        Self {
            path: path.into(),
            follow_links,
            top: Arc::default(),
            exact: Arc::default(),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether links may lead out of it.
    #[must_use]
    pub fn follows_links(&self) -> bool {
        self.follow_links
    }

    /// The folder without the results of earlier lookups.
    pub(super) fn fresh(&self) -> Self {
        Self::new(self.path.clone(), self.follow_links)
    }

    /// Its canonical path, if an earlier lookup found it.
    pub(super) fn known_top(&self) -> Option<&Path> {
        self.top.get().map(PathBuf::as_path)
    }

    fn is_case_sensitive(&self, parent: &Path) -> bool {
        let exact = self.exact.lock().unwrap_or_else(PoisonError::into_inner);
        exact.contains(parent.as_os_str())
    }

    fn note_case(&self, parent: &Path) {
        let mut exact = self.exact.lock().unwrap_or_else(PoisonError::into_inner);
        exact.insert(parent.as_os_str().to_owned());
    }
}

/// The largest document that is read, in bytes.
pub const LARGEST: u64 = 64 * 1024 * 1024;

/// Checks that a name stays inside its root by its form alone: no `..`, not absolute, no empty component, and no
/// backslash or drive, which mean another place on other systems. `.` alone is the root's folder.
///
/// # Errors
/// [`Obstacle::Leaves`], and [`Obstacle::Name`] for control characters.
pub fn inside(relative: &str) -> Result<(), Obstacle> {
    if relative == "." {
        return Ok(());
    }
    if relative.contains(char::is_control) {
        return Err(Obstacle::Name {
            path: shown(relative),
        });
    }
    match leaves(relative) {
        None => Ok(()),
        Some(why) => Err(Obstacle::Leaves {
            path: relative.to_owned(),
            why,
        }),
    }
}

/// The reason why a name or pattern leaves its root, if it does.
pub(super) fn leaves(relative: &str) -> Option<&'static str> {
    if relative.starts_with('/') {
        return Some("is an absolute path");
    }
    if relative.contains('\\') {
        return Some(obstacle::BACKSLASH);
    }
    if matches!(relative.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
        return Some("begins with a drive");
    }
    relative.split('/').find_map(|name| match name {
        ".." => Some("climbs out with `..`"),
        "" => Some(obstacle::EMPTY),
        "." => Some(obstacle::DOT),
        _ => None,
    })
}

/// The canonical path of a root; none if it does not exist.
///
/// # Errors
/// When it is not a folder, cannot be looked up, or lies after a loop of links.
pub(super) fn top(world: &dyn World, folder: &Folder) -> Result<Option<PathBuf>, Obstacle> {
    if let Some(top) = folder.top.get() {
        return Ok(Some(top.clone()));
    }
    let found = world.canonical(&folder.path).and_then(|path| {
        let kind = world.kind(&path)?;
        Ok((path, kind))
    });
    match found {
        Ok((path, Kind::Folder)) => Ok(Some(folder.top.get_or_init(|| path).clone())),
        Ok(_) => Err(Obstacle::NotFolder),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Obstacle::at(&folder.path, "", &error)),
    }
}

/// The regular file of that name in the folder: the canonical path to read it from.
///
/// None if nothing is there, or a folder, FIFO, socket, device or a link that leads nowhere. Names are compared byte for
/// byte, on every disk.
///
/// # Errors
/// When the name or a link leaves the root, links lead in a circle, or the system does not let us look.
pub fn find(
    world: &dyn World,
    folder: &Folder,
    relative: &str,
) -> Result<Option<PathBuf>, Obstacle> {
    inside(relative)?;
    let Some(top) = top(world, folder)? else {
        return Ok(None);
    };
    let file = resolve(world, folder, &top, relative)?;
    Ok(file
        .filter(|(_, kind)| *kind == Kind::File)
        .map(|(path, _)| path))
}

/// The entry at a name; none if there is none, or if it cannot be read.
pub(super) fn kind(world: &dyn World, folder: &Folder, relative: &str) -> Option<Kind> {
    inside(relative).ok()?;
    let top = top(world, folder).ok()??;
    let found = resolve(world, folder, &top, relative).ok()??;
    Some(found.1)
}

/// The names of one kind in a folder; of one that is missing, outside or not readable none.
pub(super) fn names(
    world: &dyn World,
    folder: &Folder,
    relative: &str,
    wanted: Kind,
) -> Vec<String> {
    let listed = || {
        let top = top(world, folder).ok()??;
        let found = match relative {
            "" => top,
            _ => {
                inside(relative).ok()?;
                let (path, kind) = resolve(world, folder, &top, relative).ok()??;
                (kind == Kind::Folder).then_some(path)?
            }
        };
        world.list(&found).ok()
    };
    let entries = listed().unwrap_or_default().into_iter();
    let names = entries.filter(|entry| entry.kind == wanted);
    names
        .filter_map(|entry| entry.name.into_string().ok())
        .collect()
}

/// The entry at a checked name under the canonical `top`.
pub(super) fn resolve(
    world: &dyn World,
    folder: &Folder,
    top: &Path,
    relative: &str,
) -> Result<Option<(PathBuf, Kind)>, Obstacle> {
    let (path, kind) = match without_links(world, top, relative) {
        Ok(Some(found)) => found,
        Ok(None) => match through_links(world, folder, top, relative)? {
            Some(found) => found,
            None => return Ok(None),
        },
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(Obstacle::from_io(relative, &error)),
    };
    if !relative.contains('/') {
        return if relative == "."
            || spelt_so(world, folder, top, relative)
                .map_err(|error| Obstacle::from_io(relative, &error))?
        {
            Ok(Some((path, kind)))
        } else {
            Ok(None)
        };
    }
    let mut parent = top.to_owned();
    let mut names = relative.split('/').filter(|name| *name != ".");
    let exact = names.try_fold(true, |exact, name| {
        let same = exact && spelt_so(world, folder, &parent, name)?;
        parent.push(name);
        Ok(same)
    });
    match exact {
        Ok(exact) => Ok(exact.then_some((path, kind))),
        Err(error) => Err(Obstacle::from_io(relative, &error)),
    }
}

/// The entry at the name, and its path, if no component of it is a link; none if one is. Most names have no link, and a
/// look at each component costs less than the canonical path.
fn without_links(
    world: &dyn World,
    top: &Path,
    relative: &str,
) -> io::Result<Option<(PathBuf, Kind)>> {
    let mut path = with_room(top, relative.len());
    let mut kind = Kind::Folder;
    for name in relative.split('/').filter(|name| *name != ".") {
        path.push(name);
        kind = world.kind_of_name(&path)?;
        if kind == Kind::Link {
            return Ok(None);
        }
    }
    Ok(Some((path, kind)))
}

/// A copy of `folder` with room for so many bytes below it.
fn with_room(folder: &Path, below: usize) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + 1 + below);
    path.push(folder);
    path
}

/// The path of a name in a folder.
pub(super) fn joined(folder: &Path, name: &OsStr) -> PathBuf {
    let mut path = with_room(folder, name.len());
    path.push(name);
    path
}

/// The entry at a name that leads through links, and its location.
fn through_links(
    world: &dyn World,
    folder: &Folder,
    top: &Path,
    relative: &str,
) -> Result<Option<(PathBuf, Kind)>, Obstacle> {
    let found = world.canonical(&top.join(relative)).and_then(|path| {
        // What is outside is not looked at.
        let inside = folder.follow_links || path.starts_with(top);
        let kind = inside.then(|| world.kind(&path)).transpose()?;
        Ok((path, kind))
    });
    match found {
        Ok((_, None)) => Err(Obstacle::Link {
            path: shown(relative),
        }),
        Ok((path, Some(kind))) => Ok(Some((path, kind))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Obstacle::from_io(relative, &error)),
    }
}

/// Whether a name that the system finds in `parent`, which lies in `folder`, is spelt so there, byte for byte.
///
/// Disks that fold case or Unicode forms find more than that. Where the same name with its case swapped finds nothing,
/// `parent` does not fold (some disks say so folder by folder), and listing it is spared, now and for its other names.
pub(super) fn spelt_so(
    world: &dyn World,
    folder: &Folder,
    parent: &Path,
    name: &str,
) -> io::Result<bool> {
    if name.is_ascii() {
        if folder.is_case_sensitive(parent) {
            return Ok(true);
        }
        let swapped = swapped_case(name);
        if swapped == name {
            return Ok(true);
        }
        match world.kind_of_name(&joined(parent, swapped.as_ref())) {
            Err(error) if is_missing(&error) => {
                folder.note_case(parent);
                return Ok(true);
            }
            _ => {}
        }
    }
    let entries = world.list(parent)?;
    Ok(entries.iter().any(|entry| entry.name == name))
}

/// The bytes of a file that a walk gave, as [`read`] does; none if it went away since.
///
/// # Errors
/// As for [`read`], and when the name cannot be that of a document.
pub(super) fn read_hit(
    world: &dyn World,
    file: &Path,
    relative: &str,
) -> Result<Option<Vec<u8>>, Obstacle> {
    inside(relative)?;
    match world.read_found(file, LARGEST) {
        Err(error) if is_missing(&error) => Ok(None),
        read => bounded(read, relative).map(Some),
    }
}

/// The bytes of a file that [`find`] gave; `relative` is what messages call it.
///
/// # Errors
/// When the system does not give it or it is larger than [`LARGEST`].
pub fn read(world: &dyn World, file: &Path, relative: &str) -> Result<Vec<u8>, Obstacle> {
    bounded(world.read_found(file, LARGEST), relative)
}

fn bounded(read: io::Result<Vec<u8>>, relative: &str) -> Result<Vec<u8>, Obstacle> {
    match read {
        Ok(bytes) if bytes.len() as u64 > LARGEST => Err(Obstacle::TooLarge {
            path: shown(relative),
        }),
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(Obstacle::from_io(relative, &error)),
    }
}
