//! `file A B …`: the first name that exists as a regular file.

use super::kind::{Makes, Names, ReadRequest, SourceKind};
use super::place::{BoundRoot, Raw, Read, Wanted, join, nameable};
use super::wall::Obstacle;
use crate::prompt::UnusedReason;
use crate::text::document::MANIFEST;

pub(super) static KIND: SourceKind = SourceKind {
    word: "file",
    one: "document",
    names: Names::Files,
    between: None,
    many: false,
    read,
    existing,
    makes: Makes::Document,
};

/// Looks for the names in the folders of the root. The first existing name in the first folder wins; in a root with
/// layered folders, the first name that any of them has; but a folder next to an overlay comes before those next to bases with
/// all names, so that no file of a base takes the place of one of the overlay. Other existing files are reported as unused.
///
/// # Errors
/// When a wall forbids a name, or a file cannot be read.
pub(super) fn read(wish: &ReadRequest<'_>) -> Result<Read, Obstacle> {
    let ReadRequest {
        world,
        root,
        level,
        names,
        ..
    } = *wish;
    let mut out = Read::default();
    for (root_index, name) in places(root, names) {
        let folder = &root.folders[root_index];
        let path = join(level, name);
        if let Some(found) = out.found.first() {
            let hidden = root.overlaid && found.path == path;
            if !hidden && folder.has(world, &path).unwrap_or(false) {
                out.unused.push(root.unused(&path, UnusedReason::NotFirst));
            }
        } else if let Some(bytes) = folder.read(world, &path)? {
            out.found.push(Raw {
                root: root.name.clone(),
                root_index,
                path,
                bytes,
            });
        }
    }
    let Some(found) = out.found.first() else {
        let missing = names.iter().map(|name| root.missing(name.shown()));
        out.unused.extend(missing);
        out.missing.extend(nameable(names).map(|(at, _)| at));
        return Ok(out);
    };
    // The names that were tried before the search failed.
    let paths = names.iter().map(|name| join(level, name.shown()));
    let tried = paths.take_while(|path| *path != found.path);
    let there = |path: &String| out.unused.iter().any(|u| u.path == *path);
    let missing: Vec<String> = tried.filter(|path| !there(path)).collect();
    let passed = nameable(names).filter(|(_, name)| missing.contains(&join(level, name)));
    out.passed.extend(passed.map(|(at, _)| at));
    out.unused
        .extend(missing.iter().map(|path| root.missing(path)));
    Ok(out)
}

/// Folder and name of each file that is looked for, in order.
fn places<'a>(root: &BoundRoot, names: &'a [Wanted]) -> Vec<(usize, &'a str)> {
    let folders = 0..root.folders.len();
    let names = names.iter().filter_map(Wanted::file);
    if root.overlaid && &*root.name != MANIFEST {
        let in_folders = |name| folders.clone().map(move |folder| (folder, name));
        names.flat_map(in_folders).collect()
    } else {
        let all = |folder| names.clone().map(move |name| (folder, name));
        folders.flat_map(all).collect()
    }
}

/// The paths of the names that exist as regular files; what cannot be looked at is left out.
pub(super) fn existing(wish: &ReadRequest<'_>) -> Vec<String> {
    let has = |path: &String| {
        let mut folders = wish.root.folders.iter();
        folders.any(|f| f.has(wish.world, path).unwrap_or(false))
    };
    let paths = wish.named().map(|name| join(wish.level, name));
    paths.filter(has).collect()
}
