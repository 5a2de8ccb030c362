//! The changes that may change the prompt: those of the names that a build looked up, including their parent
//! folders, and those in folders that it listed.
#![allow(
    clippy::disallowed_methods,
    reason = "links are followed one by one, which no World does"
)]

use crate::world::Looks;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The prefix of temporary files that are written next to an output and then replace it.
const OURS: &str = ".promptc-";

/// The most links that a path may lead through; the system also counts to 40.
const LINKS: usize = 40;

/// The inputs of a build. All paths are absolute and without links to folders, as the system reports them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// Each name that was looked up, including those of parent folders and links, existing or not.
    names: BTreeSet<PathBuf>,
    /// Folders in which each name counts.
    lists: BTreeSet<PathBuf>,
    /// The folders around all these names.
    folders: BTreeSet<PathBuf>,
    /// The output, which is no input.
    output: Option<PathBuf>,
}

impl Scope {
    /// The inputs of a build with these accesses.
    pub(super) fn of(looks: &Looks, output: Option<&Path>) -> Self {
        let here = fs::canonicalize(".").unwrap_or_default();
        let mut way = Way::default();
        let output = output.and_then(|path| way.walk(&here.join(path)));
        way.names.clear();
        for name in &looks.names {
            way.walk(&here.join(name));
        }
        let lists = looks.lists.iter();
        let lists = lists.filter_map(|list| way.walk(&here.join(list)));
        let lists: BTreeSet<PathBuf> = lists.collect();
        let around = way.names.iter().filter_map(|name| name.parent());
        let folders = around.map(Path::to_owned).chain(lists.iter().cloned());
        Self {
            folders: folders.collect(),
            lists,
            names: way.names,
            output,
        }
    }

    /// The folders whose names have to be watched.
    pub(super) fn folders(&self) -> &BTreeSet<PathBuf> {
        &self.folders
    }

    /// Whether a change at `path` may change the prompt.
    pub(super) fn concerns(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        if Some(path) == self.output.as_deref() {
            return false;
        }
        let name = name.to_string_lossy();
        let ours = name.starts_with(OURS) || is_unnamed(&name) && !path.exists();
        let listed = |folder: &Path| self.lists.contains(folder);
        self.names.contains(path) || !ours && path.parent().is_some_and(listed)
    }

    /// Whether documents are looked up in `folder` itself, not only subfolders.
    pub(super) fn reads_in(&self, folder: &Path) -> bool {
        let inside = |name: &&PathBuf| name.parent() == Some(folder);
        let mut names = self.names.iter().filter(inside);
        let on_the_way = |name: &PathBuf| {
            let behind = self.names.range(name.clone()..).nth(1);
            behind.is_some_and(|behind| behind.starts_with(name))
        };
        self.lists.contains(folder) || names.any(|name| !on_the_way(name))
    }
}

/// Whether Linux calls a file so that has no name: a number sign and the number of its inode.
fn is_unnamed(name: &str) -> bool {
    let number = name.strip_prefix('#').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stands {
    Folder,
    Link(PathBuf),
    /// Nothing, or an entry that cannot contain others.
    End,
}

/// Paths that are followed from the top, each name once.
#[derive(Debug, Default)]
struct Way {
    names: BTreeSet<PathBuf>,
    known: BTreeMap<PathBuf, Stands>,
}

impl Way {
    /// Snapshots each name of `path`; returns its real path, if it exists.
    fn walk(&mut self, path: &Path) -> Option<PathBuf> {
        let mut at = PathBuf::new();
        let mut todo: Vec<OsString> = Vec::new();
        push(path, &mut at, &mut todo);
        let mut links = 0;
        while let Some(name) = todo.pop() {
            if name == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&name);
            let stands = self.stands(&next);
            // Entries of the topmost folder are neither moved nor removed while programs run on it.
            if at.parent().is_some() || stands != Stands::Folder {
                self.names.insert(next.clone());
            }
            match stands {
                Stands::Link(target) => {
                    links += 1;
                    if links > LINKS {
                        return None;
                    }
                    push(&target, &mut at, &mut todo);
                }
                Stands::Folder => at = next,
                Stands::End if todo.is_empty() => at = next,
                Stands::End => return None,
            }
        }
        Some(at)
    }

    fn stands(&mut self, path: &Path) -> Stands {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let stands = match fs::symlink_metadata(path) {
            Ok(meta) if meta.is_dir() => Stands::Folder,
            Ok(meta) if meta.is_symlink() => fs::read_link(path).map_or(Stands::End, Stands::Link),
            _ => Stands::End,
        };
        self.known.insert(path.to_owned(), stands.clone());
        stands
    }
}

/// Puts the names of `path` before the remaining ones; an absolute path starts at its root.
fn push(path: &Path, at: &mut PathBuf, todo: &mut Vec<OsString>) {
    for part in path.components() {
        match part {
            // On Windows a path begins with a prefix, and the top follows it.
            Component::Prefix(_) => *at = PathBuf::from(part.as_os_str()),
            Component::RootDir => at.push(part.as_os_str()),
            Component::CurDir | Component::Normal(_) | Component::ParentDir => {}
        }
    }
    todo.extend(path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    }));
}
