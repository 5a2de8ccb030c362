//! A file on its way to its place, and what writers that were killed have left of theirs.

use super::Folder;
use crate::world::Kind;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Seek as _};

/// The prefix of the name that a file has for a moment before it takes another one's place. A number follows.
const NAME: &str = ".promptc-unfinished-";

/// The most of these names that a writer checks for leftovers of others.
const SWEPT: u32 = 8;

/// The most writers that may be about to finish in one folder at once.
const MOST: u32 = 1000;

/// A file that is not in its place yet. Where the system can do so, it has no name until it is whole, so that a writer that is
/// killed leaves nothing; and then one only between two steps that follow each other. It is locked before it has a name: who
/// finds one that is not locked knows that its writer is gone.
pub(super) struct Fresh<'f> {
    folder: &'f Folder,
    file: File,
    name: Option<OsString>,
}

impl<'f> Fresh<'f> {
    /// A new file with this mode, of which the umask takes away.
    pub(super) fn new(folder: &'f Folder, mode: u32) -> io::Result<Self> {
        sweep(folder);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if let Ok(file) = folder.create_unnamed(mode) {
            let _ = file.try_lock();
            return Ok(Self {
                folder,
                file,
                name: None,
            });
        }
        Self::named(folder, mode)
    }

    fn named(folder: &'f Folder, mode: u32) -> io::Result<Self> {
        for number in 0..MOST {
            let name = numbered(number);
            match folder.create(&name, mode) {
                Ok(file) => {
                    let locked = file.try_lock();
                    // Another writer may have taken it for one that was left, before it was locked: it is about to go, or gone.
                    let taken = matches!(locked, Err(TryLockError::WouldBlock));
                    if !taken && folder.is(&name, &file).unwrap_or(false) {
                        let name = Some(name);
                        return Ok(Self { folder, file, name });
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// The file without a name, so that it is gone with the process.
    pub(super) fn unnamed(mut self) -> io::Result<File> {
        if let Some(name) = self.name.take() {
            self.folder.remove(&name)?;
        }
        self.file.try_clone()
    }

    /// Takes the place of what has this name.
    pub(super) fn replace(mut self, name: &OsStr) -> io::Result<()> {
        let own = self.own_name()?;
        self.folder.rename(&own, name)?;
        self.name = None;
        Ok(())
    }

    /// Takes a place where nothing is.
    pub(super) fn add(mut self, name: &OsStr) -> Result<(), (Self, io::Error)> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self.name.is_none() {
            match self.folder.name(&self.file, name) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Err((self, error));
                }
                Err(_) => {}
            }
        }
        let linked = self.own_name().and_then(|own| self.folder.link(&own, name));
        linked.map_err(|error| (self, error))
    }

    /// The name that it has for a moment.
    fn own_name(&mut self) -> io::Result<OsString> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        for number in 0..MOST {
            let name = numbered(number);
            match self.folder.name(&self.file, &name) {
                Ok(()) => {
                    self.name = Some(name.clone());
                    return Ok(name);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(_) => break,
            }
        }
        // Without /proc, for one, a file cannot be given a name: another one gets its content.
        let mode = self.file.metadata()?;
        let mut other = Self::named(self.folder, 0o600)?;
        io::copy(&mut self.file, other.file())?;
        super::own(other.file(), &mode);
        super::set_mode(other.file(), &mode)?;
        other.file.sync_all()?;
        other.file.rewind()?;
        std::mem::swap(self, &mut other);
        match &self.name {
            Some(name) => Ok(name.clone()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

impl Drop for Fresh<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // While it is locked, no other process removes it or takes its name.
            let _ = self.folder.remove(name);
        }
    }
}

fn numbered(number: u32) -> OsString {
    format!("{NAME}{number}").into()
}

/// Removes what writers that were killed have left in a folder: it is no error if that cannot be done.
pub(crate) fn sweep(folder: &Folder) {
    for number in 0..SWEPT {
        let name = numbered(number);
        if matches!(folder.kind(&name), Ok(Some(Kind::File))) {
            let _ = sweep_one(folder, &name);
        }
    }
}

fn sweep_one(folder: &Folder, name: &OsStr) -> io::Result<()> {
    let left = folder.open_to_read(name)?;
    match left.try_lock() {
        // Its writer may have put it in its place meanwhile, and another one have taken the name.
        Ok(()) if folder.is(name, &left)? => folder.remove(name),
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests;
