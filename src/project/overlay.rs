//! A manifest with an overlay that is no file.

use super::service::answer;
use super::{Error, Project};
use crate::manifest;
use crate::syntax::write;
use crate::world::{Kind, World, as_in, limited};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the overlay in the folder of its base. No file of Windows can have the name, and none elsewhere should.
const NAME: &str = "<overlay>";

/// Another world with the overlay in a folder.
struct OverlaidWorld {
    world: Arc<dyn World + Send + Sync>,
    /// The overlay's path, links resolved.
    place: PathBuf,
    text: Vec<u8>,
}

impl OverlaidWorld {
    /// Whether the path is that of the overlay.
    fn is_overlay(&self, path: &Path) -> bool {
        path.ends_with(NAME) && self.canonical(path).is_ok_and(|path| path == self.place)
    }
}

impl World for OverlaidWorld {
    as_in!(self => self.world; stream list env home now stdin);

    fn kind(&self, path: &Path) -> io::Result<Kind> {
        if self.is_overlay(path) {
            Ok(Kind::File)
        } else {
            self.world.kind(path)
        }
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        if self.is_overlay(path) {
            Ok(Kind::File)
        } else {
            self.world.kind_of_name(path)
        }
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        match path.parent().filter(|_| path.ends_with(NAME)) {
            Some(folder) => Ok(self.world.canonical(&folder.join("."))?.join(NAME)),
            None => self.world.canonical(path),
        }
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if self.is_overlay(path) {
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

impl Project {
    /// The manifest that [`Project::open_with`] opens, with an overlay on it: what a manifest says after its `extends`. It counts as a
    /// file in the folder of its base, called `<overlay>`; snapshots and revisions have no such file.
    ///
    /// # Errors
    /// As [`Project::open`], and where what the overlay says is wrong.
    pub fn overlaid(
        name: Option<String>,
        overlay: &str,
        world: Arc<dyn World + Send + Sync>,
    ) -> Result<Self, Error> {
        let base = Self::named(name, world.clone());
        let base = answer(|run| {
            let nearest = || manifest::nearest(world.as_ref(), &mut run.diags);
            let named = base.name().map(PathBuf::from);
            let path = named.map_or_else(nearest, Ok)?;
            // Reported in the words of the base.
            base.read(run)?;
            run.diags.check()?;
            Ok(path)
        })?;
        let built_in = base
            .to_str()
            .is_some_and(|name| name.starts_with(manifest::BUILT_IN));
        let (folder, file) = match base.parent() {
            Some(folder) if !built_in => (folder, base.file_name().map(Path::new)),
            _ => (Path::new(""), None),
        };
        let file = file.unwrap_or(&base).display().to_string();
        // On one line, so that the lines of the overlay keep their numbers.
        let head = format!("promptc 1; extends {}; ", write::string(&file, ""));
        let place = world.canonical(&folder.join("."));
        let over = OverlaidWorld {
            world,
            place: place.unwrap_or_default().join(NAME),
            text: format!("{head}{overlay}").into_bytes(),
        };
        let path = folder.join(NAME).display().to_string();
        Self::open_with(Some(path), Arc::new(over))
    }
}
