//! The folders that a manifest writes for its roots, for those who link to documents.

use crate::diagnostic::span::Span;
use crate::manifest::{self, Manifest, Origin};
use crate::world::{DiskWorld, Kind, World as _, tidied};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The file at `path` in the first of `folders` that has it, as a path from the current directory.
pub(crate) fn find<'a>(
    folders: impl IntoIterator<Item = &'a PathBuf>,
    path: &str,
) -> Option<String> {
    let mut places = folders.into_iter().map(|f| tidied(&f.join(path)));
    let found = places.find(|p| DiskWorld.kind(p).is_ok_and(|k| k == Kind::File));
    found.map(|place| manifest::shown(&DiskWorld, &place))
}

/// The folders of each root, by its name: those that the manifest and its scenarios write.
pub(crate) fn of(manifest: &Manifest) -> BTreeMap<String, Vec<PathBuf>> {
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
        // A folder inside of another root comes below that one's folders.
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
