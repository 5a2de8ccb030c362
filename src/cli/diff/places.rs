//! Where the files that causes name stand on the disk, for those who link to them.

use super::Args;
use crate::diagnostic::Diagnostics;
use crate::diff::Cause;
use crate::manifest::{self, Manifest};
use crate::span::Files;
use crate::world::{DiskWorld, Kind, World as _};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders of the manifest's roots, as far as it writes them.
#[derive(Default)]
pub(super) struct Places {
    /// The manifest's folder.
    folder: PathBuf,
    /// By the root's name; a scenario's too.
    roots: BTreeMap<String, Vec<String>>,
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
        let inside: Vec<&str> = match &cause.root {
            Some(root) => {
                let folders = self.roots.get(root).into_iter().flatten();
                folders.map(String::as_str).chain([""]).collect()
            }
            None => vec!["", "templates"],
        };
        let mut places = inside.iter().map(|f| self.folder.join(f).join(path));
        let found = places.find(|p| DiskWorld.kind(p).is_ok_and(|k| k == Kind::File));
        Some(match found {
            Some(place) => manifest::shown(&DiskWorld, &place),
            None => path.to_owned(),
        })
    }
}

fn roots(manifest: &Manifest) -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for root in &manifest.roots {
        // A folder inside of another root stands below that one's folders.
        let around: Vec<String> = match &root.within {
            Some(within) => out.get(&within.value).cloned().unwrap_or_default(),
            None => vec![String::new()],
        };
        let own = root.default.iter().flat_map(|default| {
            let below = |folder: &String| match folder.is_empty() {
                true => default.value.clone(),
                false => format!("{folder}/{}", default.value),
            };
            around.iter().map(below).collect::<Vec<_>>()
        });
        let own: Vec<String> = own.collect();
        out.entry(root.name.value.clone()).or_default().extend(own);
    }
    for (name, folders) in manifest.scenarios.iter().flat_map(|s| &s.roots) {
        let folders = folders.iter().map(|f| f.value.clone());
        out.entry(name.value.clone()).or_default().extend(folders);
    }
    out
}
