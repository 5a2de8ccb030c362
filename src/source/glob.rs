//! `glob PATTERN …`: every regular file that matches, in byte order of the path.

use super::exclude::Rules;
use super::found::{self, FoundFiles};
use super::kind::{Makes, Names, ReadRequest, SourceKind};
use super::pattern::Pattern;
use super::place::{Read, RootFolder, nameable};
use super::walk::{self, Hit};
use super::wall::Obstacle;

pub(super) static KIND: SourceKind = SourceKind {
    word: "glob",
    one: "document",
    names: Names::Patterns,
    between: None,
    many: true,
    read,
    existing,
    makes: Makes::Document,
};

/// The files that match below the level: pattern by pattern, folder by folder, in byte order of the path. Excluded folders
/// are not entered.
///
/// # Errors
/// When a pattern is not well formed, there are more than 2,000 hits, or a file cannot be read.
fn read(wish: &ReadRequest<'_>) -> Result<Read, Obstacle> {
    let mut out = Read::default();
    for (at, pattern) in nameable(wish.names) {
        let found = FoundFiles::of(wish.root, &mut |folder| matches(wish, folder, pattern))?;
        if !found.read(wish.world, wish.root, &mut out)? {
            out.missing.push(at);
            out.unused.push(wish.root.missing(pattern));
        }
    }
    Ok(out)
}

fn matches(
    wish: &ReadRequest<'_>,
    folder: &RootFolder,
    pattern: &str,
) -> Result<Vec<Hit>, Obstacle> {
    let pattern = Pattern::parse(pattern)?;
    let exclude = Rules::parse(wish.exclude)?;
    walk::glob(
        folder.world(wish.world),
        &folder.folder,
        &pattern,
        &exclude,
        wish.level,
    )
}

/// The paths that match, unread; what cannot be looked at is left out.
fn existing(wish: &ReadRequest<'_>) -> Vec<String> {
    let find = |folder: &RootFolder, pattern: &str| matches(wish, folder, pattern);
    found::paths(wish.root, wish.named(), find)
}
