//! Where links may be on the way to a file that is written, and where not.

use super::{Folder, Rights};
use crate::world::Kind;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// The most links that a path may lead through; the system also counts to 40.
const LINKS: usize = 40;

/// The folders below which no writer follows a link: that of the manifest, the current directory, and those that a command fills. A file that the user names elsewhere is meant as named, links included.
#[derive(Debug, Clone, Default)]
pub(crate) struct Walls(BTreeSet<PathBuf>);

impl Walls {
    /// The current directory alone. The root of the file system is no wall: below it is every link of the machine, and a
    /// service works in it that has no folder of its own.
    pub(crate) fn here() -> Self {
        let mut walls = Self::default();
        walls.add(Path::new(""));
        walls.0.retain(|wall| wall.parent().is_some());
        walls
    }

    /// Adds a folder; the empty path is the current directory. One that does not exist has no links in it.
    pub(crate) fn add(&mut self, folder: &Path) {
        self.0.extend(fs::canonicalize(or_here(folder)).ok());
    }

    /// Adds the folder around a file.
    pub(crate) fn add_around(&mut self, file: &Path) {
        if let Some(folder) = file.parent() {
            self.add(folder);
        }
    }

    /// The outermost of them that contains a folder. Devices are the system's, even if the working folder is above
    /// them; files that a user keeps in a folder among them are not.
    fn around(&self, folder: &Path) -> Option<&Path> {
        let system = ["/dev", "/proc"].map(Path::new);
        let system = system.into_iter().find(|own| folder.starts_with(own));
        let is_above = |wall: &Path| system.is_some_and(|own| own.starts_with(wall));
        let walls = self.0.iter().map(PathBuf::as_path);
        // A folder comes before what is in it.
        walls
            .filter(|wall| folder.starts_with(wall))
            .find(|wall| !is_above(wall))
    }

    /// Fails if the way to a file leads through a link that must not be there.
    pub(crate) fn check(&self, path: &Path) -> io::Result<()> {
        self.target(path).map(|_| ())
    }

    /// Where a file is written, for as long as this lives.
    ///
    /// # Errors
    /// One that [`link_in`] knows if a link is in the way; else as the system says.
    pub(crate) fn target(&self, path: &Path) -> io::Result<Target> {
        let real = self.walk(path)?;
        let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(ErrorKind::IsADirectory.into());
        };
        let wall = self.around(parent);
        let (mut folder, mut at) = match wall {
            Some(wall) => (Folder::open(wall)?, wall.to_owned()),
            None => nearest(parent)?,
        };
        let mut missing = Vec::new();
        for name in parent.strip_prefix(&at).unwrap_or(parent).components() {
            let name = name.as_os_str();
            if missing.is_empty() {
                match folder.enter(name) {
                    Ok(inner) => folder = inner,
                    Err(error) if error.kind() == ErrorKind::NotFound => missing.push(name.into()),
                    Err(error) => {
                        return Err(match folder.kind(name) {
                            Ok(Some(Kind::Link)) => link(&at.join(name)),
                            _ => error,
                        });
                    }
                }
            } else {
                missing.push(name.into());
            }
            at.push(name);
        }
        let target = Target {
            folder,
            missing,
            name: name.to_owned(),
            walled: wall.is_some(),
            path: real.clone(),
        };
        match target.kind()? {
            Some(Kind::Link) if target.walled => Err(link(&real)),
            kind if is_folder_name(path) && kind != Some(Kind::Folder) => {
                Err(ErrorKind::NotADirectory.into())
            }
            _ => Ok(target),
        }
    }

    /// The path of a file without links and `..`; one below a wall is an error.
    fn walk(&self, path: &Path) -> io::Result<PathBuf> {
        let mut here = if path.is_absolute() {
            PathBuf::new()
        } else {
            fs::canonicalize(".")?
        };
        let mut left = parts(path);
        let (mut links, mut missing) = (0, false);
        while let Some(part) = left.pop() {
            if part == ".." {
                if missing {
                    return Err(ErrorKind::NotFound.into());
                }
                here.pop();
                continue;
            }
            let next = here.join(&part);
            match fs::symlink_metadata(&next) {
                Ok(meta) if meta.is_symlink() => {
                    if self.around(&here).is_some() {
                        return Err(link(&next));
                    }
                    links += 1;
                    if links > LINKS {
                        return Err(fs::metadata(path).err().unwrap_or(ErrorKind::Other.into()));
                    }
                    if here.starts_with("/proc") {
                        // Not each of these says where it leads.
                        here = fs::canonicalize(&next).unwrap_or(next);
                    } else {
                        left.extend(parts(&fs::read_link(&next)?));
                    }
                }
                looked => {
                    missing |= looked.is_err();
                    here = next;
                }
            }
        }
        Ok(here)
    }
}

/// The parts of a path, the first one last. That of the topmost folder leads there from anywhere.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let parts = parts.map(|part| part.as_os_str().to_owned());
    parts.rev().collect()
}

/// Whether a path is written as that of a folder.
fn is_folder_name(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|last| std::path::is_separator(char::from(*last)))
}

/// The nearest folder above that is there, or the one itself.
fn nearest(folder: &Path) -> io::Result<(Folder, PathBuf)> {
    let mut last = ErrorKind::NotFound.into();
    for folder in folder.ancestors() {
        match Folder::open(or_here(folder)) {
            Ok(open) => return Ok((open, folder.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

fn or_here(folder: &Path) -> &Path {
    if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    }
}

/// Where a file is written: a name in a folder that is held open.
#[derive(Debug)]
pub(crate) struct Target {
    folder: Folder,
    /// The folders on the way to it that are to be made, the outermost first.
    missing: Vec<OsString>,
    name: OsString,
    /// Whether no link may be in its place.
    walled: bool,
    /// Its path, without links.
    path: PathBuf,
}

impl Target {
    /// Its path, without links as far as it exists.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its name in its folder.
    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }

    /// The entry there; none if there is none.
    pub(crate) fn kind(&self) -> io::Result<Option<Kind>> {
        if self.missing.is_empty() {
            self.folder.kind(&self.name)
        } else {
            Ok(None)
        }
    }

    /// Its folder.
    ///
    /// # Errors
    /// If that does not exist.
    pub(crate) fn folder(&self) -> io::Result<&Folder> {
        if self.missing.is_empty() {
            Ok(&self.folder)
        } else {
            Err(ErrorKind::NotFound.into())
        }
    }

    /// The nearest folder above it that exists.
    pub(crate) fn nearest(&self) -> &Folder {
        &self.folder
    }

    /// Makes the folders on the way to it, and enters them; those that were made, the outermost first, with their paths.
    pub(crate) fn make_folders(&mut self) -> io::Result<Vec<(PathBuf, Folder)>> {
        let mut made = Vec::new();
        while let Some(name) = self.missing.first() {
            let is_new = match self.folder.make(name) {
                Ok(()) => true,
                // Others were faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
                Err(error) => return Err(error),
            };
            self.folder = self.folder.enter(name)?;
            if is_new {
                let path = self.path.ancestors().nth(self.missing.len());
                let path = path.unwrap_or(&self.path).to_owned();
                made.push((path, self.folder.enter(OsStr::new("."))?));
            }
            self.missing.remove(0);
        }
        Ok(made)
    }

    /// A file without a name in its folder, for what is not whole yet.
    pub(crate) fn scratch(&self) -> io::Result<fs::File> {
        self.folder()?.scratch()
    }

    /// Writes the file, whole or not at all.
    pub(crate) fn write(&self, content: &mut dyn Read, rights: Rights<'_>) -> io::Result<()> {
        self.folder()?.replace(&self.name, content, rights)
    }

    /// Opens a device or a FIFO to write to it.
    pub(crate) fn open_device(&self) -> io::Result<fs::File> {
        match self.kind()? {
            // One that leads to what has no path, such as a pipe.
            Some(Kind::Link) => fs::OpenOptions::new().write(true).open(&self.path),
            _ => self.folder()?.open_device(&self.name),
        }
    }
}

/// A link on the way to a file that is written.
#[derive(Debug)]
struct LinkInTheWay(PathBuf);

impl fmt::Display for LinkInTheWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is a link", self.0.display())
    }
}

impl std::error::Error for LinkInTheWay {}

fn link(path: &Path) -> io::Error {
    let here = fs::canonicalize(".").unwrap_or_default();
    let shown = path.strip_prefix(here).unwrap_or(path);
    io::Error::other(LinkInTheWay(shown.to_owned()))
}

/// The link that an error is about, if it is about one.
pub(crate) fn link_in(error: &io::Error) -> Option<&Path> {
    let inner = error.get_ref()?.downcast_ref::<LinkInTheWay>()?;
    Some(&inner.0)
}
