//! The inputs of a snapshot, with contents from the repository or from the work tree.

use crate::compare::snapshot::{InputContent, Snapshot};
use crate::prompt::{RecordedInputs, sha256};
use crate::world::git::{Blobs, Repository, top};
use crate::world::{DiskWorld, Kind, World};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place of the manifest and of what is next to it.
const PLACE: &str = "/manifest/";

/// Where the contents of a manifest's inputs may be.
pub(crate) struct InputContents {
    /// The objects of the repository around the manifest.
    blobs: Option<Blobs>,
    /// The manifest.
    manifest: PathBuf,
    /// Nothing outside of this folder is read: the work tree, else the folder of the manifest.
    within: PathBuf,
}

impl InputContents {
    /// The contents for the manifest that `world` has at `path`: the disk, or a revision.
    pub(crate) fn around(world: &dyn World, path: &Path) -> Option<Self> {
        let manifest = world.canonical(path).ok()?;
        // A revision may have it in a folder that is gone.
        let mut above = manifest.ancestors().skip(1);
        let folder = above.find(|folder| {
            let is_folder = DiskWorld.kind_of_name(folder);
            is_folder.is_ok_and(|kind| kind == Kind::Folder)
                && DiskWorld
                    .canonical(folder)
                    .is_ok_and(|real| real == *folder)
        })?;
        let repository = Repository::open(folder);
        Some(Self {
            blobs: repository.and_then(|repository| repository.blobs()).ok(),
            within: top(folder).or_else(|| manifest.parent().map(Path::to_owned))?,
            manifest,
        })
    }

    /// The inputs of a snapshot, if all their contents are found.
    pub(crate) fn inputs(&mut self, snapshot: &Snapshot) -> Option<Arc<RecordedInputs>> {
        let inputs = snapshot.inputs()?;
        let home = inputs.manifest().and_then(|name| self.home(name));
        let restored = inputs.restore(|content, most| {
            let is_it = |bytes: &Vec<u8>| sha256(bytes) == content.sha256;
            let most = most as u64;
            let object = self.object(content, most).filter(is_it);
            object.or_else(|| self.file(home.as_deref()?, content, most).filter(is_it))
        });
        restored.map(Arc::new)
    }

    /// The folder that is the place of the manifest, if the manifest has this path in it.
    fn home(&self, name: &str) -> Option<PathBuf> {
        let below = Path::new(name.strip_prefix(PLACE)?);
        let above = below.components().count();
        let home = self.manifest.ancestors().nth(above)?;
        (home.join(below) == self.manifest).then(|| home.to_owned())
    }

    fn object(&mut self, content: InputContent<'_>, most: u64) -> Option<Vec<u8>> {
        self.blobs.as_mut()?.read(content.blob?, most).ok()
    }

    /// The file of the work tree that is now at the path of a content.
    fn file(&self, home: &Path, content: InputContent<'_>, most: u64) -> Option<Vec<u8>> {
        let path = home.join(content.path.strip_prefix(PLACE)?);
        let real = DiskWorld.canonical(&path).ok()?;
        let is_within = real.starts_with(&self.within);
        is_within
            .then(|| DiskWorld.read_found(&real, most).ok())
            .flatten()
    }
}

/// The inputs of one snapshot of the manifest that `world` has at `path`.
pub(crate) fn inputs(
    world: &dyn World,
    path: &Path,
    snapshot: &Snapshot,
) -> Option<Arc<RecordedInputs>> {
    snapshot.inputs()?;
    InputContents::around(world, path)?.inputs(snapshot)
}
