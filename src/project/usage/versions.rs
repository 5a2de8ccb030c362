//! The versions of files as they were loaded, by the commits that have them.

use crate::request::usage::{Key, Table};
use crate::request::whole::version;
use crate::text::frontmatter::{self, Close};
use crate::text::markdown;
use crate::world::git::{Blobs, Repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The most versions of a file that are looked at, and the most bytes of one.
const MOST: usize = 1000;
const LARGEST: u64 = 1 << 20;

/// The most files that are looked up: the history is read for each.
const MOST_FILES: usize = 100;

/// The most folders above a file that count: a log of another machine has the path on that.
const DEEPEST: usize = 4;

/// The digits of a commit.
const DIGITS: usize = 12;

/// Names versions by the newest commits that have them, in the repository around a folder; others by digits of their text.
pub(super) fn name(tables: &mut [Table], folder: Option<&Path>) {
    let place = |table: &Table, wanted| table.by.iter().position(|key| *key == wanted);
    let mut asked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for table in &*tables {
        let places = place(table, Key::File).zip(place(table, Key::Version));
        for (row, (file, version)) in table.rows.keys().filter_map(|row| Some((row, places?))) {
            if !row[version].is_empty() {
                let versions = asked.entry(row[file].clone()).or_default();
                versions.insert(row[version].clone());
            }
        }
    }
    let folder = folder.unwrap_or(Path::new("."));
    let mut commits = BTreeMap::new();
    let repository = Repository::open(folder).ok().filter(|_| !asked.is_empty());
    if let Some(repository) = repository
        && let Ok(mut blobs) = repository.blobs()
    {
        for (file, versions) in asked.iter().take(MOST_FILES) {
            commits.extend(found(&repository, &mut blobs, (file, versions)));
        }
    }
    for table in tables {
        let file = place(table, Key::File);
        if let Some(version) = place(table, Key::Version) {
            table.rename(|row| {
                let file = file.map(|file| row[file].clone());
                let key = (file.unwrap_or_default(), row[version].clone());
                row[version] = match commits.get(&key) {
                    Some(commit) => commit.clone(),
                    None if key.1.is_empty() => String::new(),
                    None => format!("text:{}", key.1),
                };
            });
        }
    }
}

/// The commits of versions of a file, by its name and the version.
fn found(
    repository: &Repository,
    blobs: &mut Blobs,
    (file, wanted): (&str, &BTreeSet<String>),
) -> BTreeMap<(String, String), String> {
    let mut out = BTreeMap::new();
    for path in paths(repository, file) {
        let versions = repository.versions(&path, MOST).unwrap_or_default();
        for known in versions {
            let names = names(blobs, &known.object);
            for name in names.into_iter().filter(|name| wanted.contains(name)) {
                let commit: String = known.commit.chars().take(DIGITS).collect();
                out.entry((file.to_owned(), name)).or_insert(commit);
            }
        }
        if !out.is_empty() {
            break;
        }
    }
    out
}

/// Where a file may be in a repository: it is below, or the end of its path is.
fn paths(repository: &Repository, file: &str) -> Vec<PathBuf> {
    let file = file.replace('\\', "/");
    let inside = Path::new(&file).strip_prefix(repository.top());
    if let Ok(inside) = inside {
        return vec![inside.to_owned()];
    }
    let parts: Vec<&str> = file.split('/').filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| [".", ".."].contains(part)) {
        return Vec::new();
    }
    let from = parts.len().saturating_sub(DEEPEST);
    let ends = (from..parts.len()).map(|at| parts[at..].iter().collect());
    ends.collect()
}

/// The names of what agents print of a content: all of it, without its front matter, and without comments.
fn names(blobs: &mut Blobs, object: &str) -> Vec<String> {
    let Ok(bytes) = blobs.read(object, LARGEST) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&bytes);
    let body = frontmatter::split(&text, Close::Line).map(|front| &text[front.body]);
    let plain = |text: &str| {
        let gone = markdown::comments(text).ok()?;
        let kept = markdown::without(text, &gone);
        Some(
            kept.into_iter()
                .map(|range| &text[range])
                .collect::<String>(),
        )
    };
    let mut names = Vec::new();
    for text in [Some(&*text), body].into_iter().flatten() {
        names.push(version(text.lines()));
        names.extend(plain(text).map(|text| version(text.lines())));
    }
    names
}
