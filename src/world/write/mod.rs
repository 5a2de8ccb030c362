//! The one writer of files. A file is the old or the new one at any moment, and no link that others may have put in the way
//! is followed: [`Walls`] says where links may be, and a [`Folder`] is held open so that none can come in between.
#![allow(
    clippy::disallowed_methods,
    reason = "the commands write; World only reads"
)]

mod folder;
mod fresh;
mod walls;

pub(crate) use folder::Folder;
pub(crate) use fresh::sweep;
pub(crate) use walls::{Target, Walls, link_in};

use crate::world::Kind;
use fresh::Fresh;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek as _};

/// The permissions of a written file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rights<'a> {
    /// A new file has what the umask leaves. One that is replaced keeps its owner and mode.
    Usual,
    /// It belongs to the user who writes it, and no other user may read it, whatever the old file's mode was.
    Private,
    /// As usual, and a new file gets the owner of its folder.
    OfFolder,
    /// A new file has the owner and mode of another.
    Like(&'a Metadata),
}

impl Folder {
    /// Puts a file of that name in its place; the one that is there is replaced.
    pub(crate) fn replace(
        &self,
        name: &OsStr,
        content: &mut dyn Read,
        rights: Rights<'_>,
    ) -> io::Result<()> {
        let old = self.old(name)?;
        let fresh = self.filled(content, old.as_ref(), rights)?;
        match old {
            Some(_) => fresh.replace(name),
            None => match fresh.add(name) {
                // Others were faster, and the last one wins.
                Err((fresh, error)) if error.kind() == ErrorKind::AlreadyExists => {
                    self.old(name)?;
                    fresh.replace(name)
                }
                added => added.map_err(|(_, error)| error),
            },
        }
    }

    /// Puts a file of that name in its place, where nothing is yet.
    pub(crate) fn add(
        &self,
        name: &OsStr,
        content: &mut dyn Read,
        rights: Rights<'_>,
    ) -> io::Result<()> {
        if self.kind(name)?.is_some() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let fresh = self.filled(content, None, rights)?;
        fresh.add(name).map_err(|(_, error)| error)
    }

    /// A file without a name, which is gone with the process.
    pub(crate) fn scratch(&self) -> io::Result<File> {
        Fresh::new(self, 0o600)?.unnamed()
    }

    /// The metadata of the file of that name, if there is one. A rename would replace one that its owner has locked;
    /// opening it shows whether it may be written.
    fn old(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match self.kind(name)? {
            None => Ok(None),
            Some(Kind::File) => {
                let meta = self.open_to_append(name)?.metadata()?;
                if meta.is_file() {
                    Ok(Some(meta))
                } else {
                    Err(ErrorKind::AlreadyExists.into())
                }
            }
            Some(Kind::Folder) => Err(ErrorKind::IsADirectory.into()),
            Some(_) => Err(ErrorKind::AlreadyExists.into()),
        }
    }

    /// A file with this content that has no place yet.
    fn filled(
        &self,
        content: &mut dyn Read,
        old: Option<&Metadata>,
        rights: Rights<'_>,
    ) -> io::Result<Fresh<'_>> {
        let private = matches!(rights, Rights::Private);
        let mut fresh = Fresh::new(self, if private { 0o600 } else { 0o666 })?;
        io::copy(content, fresh.file())?;
        let file = fresh.file();
        let like = match (rights, old) {
            (Rights::Private, _) => None,
            (_, Some(old)) => Some(old),
            (Rights::Like(other), None) => Some(other),
            _ => None,
        };
        if let Some(like) = like {
            own(file, like);
            set_mode(file, like)?;
        } else if let (Rights::OfFolder, Ok(folder)) = (rights, self.metadata()) {
            own(file, &folder);
        }
        file.sync_all()?;
        file.rewind()?;
        Ok(fresh)
    }
}

/// Gives a file the mode of another.
fn set_mode(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(like.permissions())
}

/// Gives a file the owner of another, where that is allowed: what is written as root for an agent stays the agent's.
#[cfg(unix)]
pub(crate) fn own(file: &File, like: &Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let is_own = |meta: Metadata| meta.uid() == like.uid() && meta.gid() == like.gid();
    if !file.metadata().is_ok_and(is_own) {
        let _ = std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()));
    }
}

#[cfg(not(unix))]
pub(crate) fn own(_: &File, _: &Metadata) {}
