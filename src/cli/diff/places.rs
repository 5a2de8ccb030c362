//! Where the files that causes name stand on the disk, for those who link to them.

use super::Args;
use crate::diagnostic::Diagnostics;
use crate::diff::Cause;
use crate::manifest::{self, Manifest, Origin};
use crate::span::{Files, Span};
use crate::world::{DiskWorld, Kind, World as _};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders of the manifest's roots, as far as it writes them.
#[derive(Default)]
pub(super) struct Places {
    /// The manifest's folder.
    folder: PathBuf,
    /// By the root's name; a scenario's too.
    roots: BTreeMap<String, Vec<PathBuf>>,
}

impl Places {
    /// Those of the manifest that is named or stands here or above; without one nothing is found.
    pub(super) fn of(args: &Args) -> Self {
        let mut unheard = Diagnostics::default();
        let path = match args.given.manifest() {
            Some(path) => PathBuf::from(path),
            None => manifest::nearest(&DiskWorld, &mut unheard).unwrap_or_default(),
        };
        let name = path.to_string_lossy();
        let mut files = Files::default();
        match manifest::open(&DiskWorld, Some(&name), &mut files, &mut unheard) {
            Ok(manifest) => Self {
                folder: path.parent().map(Path::to_owned).unwrap_or_default(),
                roots: roots(&manifest),
            },
            Err(_) => Self::default(),
        }
    }

    /// The file that a cause names, from the current directory; its path as it is if no such file is found.
    pub(super) fn find(&self, cause: &Cause) -> Option<String> {
        let path = cause.path.as_deref()?;
        let inside: Vec<PathBuf> = match &cause.root {
            Some(root) => {
                let folders = self.roots.get(root).into_iter().flatten();
                folders.chain([&self.folder]).cloned().collect()
            }
            None => vec![self.folder.clone(), self.folder.join("templates")],
        };
        let mut places = inside.iter().map(|f| manifest::tidied(&f.join(path)));
        let found = places.find(|p| DiskWorld.kind(p).is_ok_and(|k| k == Kind::File));
        Some(match found {
            Some(place) => manifest::shown(&DiskWorld, &place),
            None => path.to_owned(),
        })
    }
}

fn roots(manifest: &Manifest) -> BTreeMap<String, Vec<PathBuf>> {
    // A folder counts from the file that writes it; a built-in's from the manifest that extends it.
    let home = |at: Span| match manifest.origin_of(at.file) {
        Origin::Disk { folder } => folder.clone(),
        Origin::BuiltIn { .. } => match &manifest.origin {
            Origin::Disk { folder } => folder.clone(),
            Origin::BuiltIn { .. } => PathBuf::new(),
        },
    };
    let mut out: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for root in &manifest.roots {
        // A folder inside of another root stands below that one's folders.
        let around: Option<Vec<PathBuf>> = root
            .within
            .as_ref()
            .map(|within| out.get(&within.value).cloned().unwrap_or_default());
        let own = root.default.iter().flat_map(|default| {
            let around = around.clone().unwrap_or_else(|| vec![home(default.span)]);
            let below = around.into_iter().map(|folder| folder.join(&default.value));
            below.collect::<Vec<_>>()
        });
        let own: Vec<PathBuf> = own.collect();
        out.entry(root.name.value.clone()).or_default().extend(own);
    }
    for (name, folders) in manifest.scenarios.iter().flat_map(|s| &s.roots) {
        let folders = folders.iter().map(|f| home(f.span).join(&f.value));
        out.entry(name.value.clone()).or_default().extend(folders);
    }
    out
}
