//! The files further down: instruction files in folders, found without leaving the top one.

use super::LeftOut;
use super::ignored::{self, Ignored};
use super::known::NESTED;
use crate::source::wall::{self, Folder};
use crate::world::{Entry, Kind, World, is_missing};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// The most names that are looked at.
const MOST_NAMES: usize = 50_000;
/// The most folders above a file.
const DEEPEST: usize = 12;
/// Folders that hold what others wrote, or very many files.
const PASSED_OVER: [&str; 2] = ["target", "node_modules"];

/// The files that were found.
#[derive(Debug, Default)]
pub(super) struct Nested {
    /// The paths of files whose name is used in any folder, the outer folders first.
    pub(super) files: Vec<String>,
    /// The reason why a folder cannot be read.
    pub(super) left_out: Vec<LeftOut>,
    /// The number of names that were looked at.
    pub(super) names: usize,
    /// Whether these are all.
    pub(super) whole: bool,
}

/// Searches the folders below `root`, whose canonical path is `top`. The content of files is not read.
pub(super) fn nested(
    world: &dyn World,
    (root, top): (&Folder, &Path),
    ignored: &mut Ignored,
) -> Nested {
    let mut found = Nested {
        whole: true,
        ..Nested::default()
    };
    let mut open = VecDeque::from([(String::new(), 0)]);
    while let Some((inner, depth)) = open.pop_front() {
        let entries = match listed(world, top, &inner) {
            Ok(entries) => entries,
            Err(reason) => {
                let path = if inner.is_empty() { "." } else { &inner };
                found.left_out.push(LeftOut::new(path, reason));
                continue;
            }
        };
        if entries.iter().any(|entry| entry.name == ignored::FILE) {
            read_ignored(world, root, &inner, ignored);
        }
        for entry in entries {
            if found.names == MOST_NAMES {
                found.whole = false;
                return found;
            }
            found.names += 1;
            let Some(name) = entry.name.to_str().filter(|name| is_plain(name)) else {
                continue;
            };
            let path = joined(&inner, name);
            match entry.kind {
                Kind::Folder if is_entered(name) && !ignored.itself(&path, true) => {
                    if depth < DEEPEST {
                        open.push_back((path, depth + 1))
                    } else {
                        found.whole = false
                    }
                }
                Kind::File | Kind::Link
                    if depth > 0 && NESTED.contains(&name) && !ignored.itself(&path, false) =>
                {
                    file(world, root, path, &mut found);
                }
                _ => {}
            }
        }
    }
    found
}

/// Notes a file, if it is one inside of the root.
fn file(world: &dyn World, root: &Folder, path: String, found: &mut Nested) {
    match wall::find(world, root, &path) {
        Ok(Some(_)) => found.files.push(path),
        Ok(None) => {}
        Err(obstacle) => {
            let reason = obstacle.to_string();
            found.left_out.push(LeftOut::new(&path, reason));
        }
    }
}

/// The entries of a folder, in order. An unreadable folder is reported.
fn listed(world: &dyn World, top: &Path, inner: &str) -> Result<Vec<Entry>, String> {
    // A link may have come into the place of a folder since it was listed.
    let path: PathBuf = match world.canonical(&top.join(inner)) {
        Ok(path) if path.starts_with(top) => path,
        Ok(_) => return Ok(Vec::new()),
        Err(error) if is_missing(&error) => return Ok(Vec::new()),
        Err(error) => return Err(format!("the folder cannot be read: {}", error.kind())),
    };
    let mut entries = world
        .list(&path)
        .map_err(|error| format!("the folder cannot be read: {}", error.kind()))?;
    entries.sort_unstable_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
    Ok(entries)
}

/// Adds what the `.gitignore` in a folder says; one that cannot be read says nothing.
pub(super) fn read_ignored(world: &dyn World, root: &Folder, inner: &str, ignored: &mut Ignored) {
    let path = joined(inner, ignored::FILE);
    let Ok(Some(file)) = wall::find(world, root, &path) else {
        return;
    };
    if let Ok(bytes) = world.read_found(&file, ignored::LARGEST)
        && bytes.len() as u64 <= ignored::LARGEST
    {
        ignored.add(inner, &String::from_utf8_lossy(&bytes));
    }
}

/// The files of a folder of the root whose names end so, in order.
pub(super) fn files(world: &dyn World, top: &Path, folder: &str, end: &str) -> Vec<String> {
    let entries = listed(world, top, folder).unwrap_or_default();
    let names = entries.iter().filter_map(|entry| {
        let name = entry.name.to_str().filter(|name| is_plain(name))?;
        let fits = name.ends_with(end) && !name.starts_with('.');
        (fits && matches!(entry.kind, Kind::File | Kind::Link)).then(|| joined(folder, name))
    });
    names.collect()
}

fn is_entered(name: &str) -> bool {
    !name.starts_with('.') && !PASSED_OVER.contains(&name)
}

/// Whether a name can be written in a manifest and a message as it is.
fn is_plain(name: &str) -> bool {
    !name.contains(char::is_control) && !name.contains('\\')
}

fn joined(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}
