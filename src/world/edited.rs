//! A world in which one file has another text.

use super::{World, as_in, limited};
use std::io;
use std::path::{Path, PathBuf};

/// Another world, in which one file that exists has another text: that of an editor's buffer, or an edit that is tried out.
pub struct EditedWorld<W> {
    world: W,
    /// The file, links resolved.
    place: PathBuf,
    text: Vec<u8>,
}

impl<W: World> EditedWorld<W> {
    /// `world`, in which the file at `path` has this text.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn new(world: W, path: &Path, text: impl Into<Vec<u8>>) -> io::Result<Self> {
        Ok(Self {
            place: world.canonical(path)?,
            text: text.into(),
            world,
        })
    }
}

impl<W: World> World for EditedWorld<W> {
    as_in!(self => self.world; kind kind_of_name canonical stream list env home now stdin);

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if self.world.canonical(path)? == self.place {
            Ok(limited(&self.text, limit))
        } else {
            self.world.read(path, limit)
        }
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if path == self.place {
            Ok(limited(&self.text, limit))
        } else {
            self.world.read_found(path, limit)
        }
    }
}
