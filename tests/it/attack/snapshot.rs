//! The content of a folder, and of a store.

use crate::run::Place;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// All that a folder holds, by path: bytes of a file, the target of a link; a folder's path ends with `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot(pub(super) BTreeMap<String, Vec<u8>>);

impl Snapshot {
    pub(super) fn of(top: &Path) -> Self {
        let mut found = BTreeMap::new();
        let mut open = vec![(top.to_owned(), String::new())];
        while let Some((folder, name)) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{name}{}", entry.file_name().to_string_lossy());
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    let name = name + "/";
                    found.insert(name.clone(), Vec::new());
                    open.push((entry.path(), name));
                } else if kind.is_file() {
                    found.insert(name, fs::read(entry.path()).unwrap());
                } else if let Ok(target) = fs::read_link(entry.path()) {
                    found.insert(name + " ->", target.to_string_lossy().into_owned().into());
                }
            }
        }
        Self(found)
    }

    /// The paths that differ.
    pub(super) fn changed(&self, other: &Self) -> Vec<String> {
        let paths: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let differs = |path: &&&String| self.0.get(**path) != other.0.get(**path);
        paths
            .iter()
            .filter(differs)
            .map(|path| (**path).clone())
            .collect()
    }

    /// With the content of each store in place of its files, and without the leftovers of a killed writer.
    pub(super) fn logical(mut self, top: &Path) -> Self {
        let stores: Vec<String> = self
            .0
            .keys()
            .filter(|p| p.ends_with(".db"))
            .cloned()
            .collect();
        self.0.retain(|path, _| {
            !is_of_store(path) && !is_stray(path) && !path.starts_with("work/.git/")
        });
        for path in stores.iter().filter(|path| !is_stray(path)) {
            let content = content(&top.join(path));
            // A store without a session is as good as none.
            if !content.is_empty() {
                self.0.insert(path.clone(), content.into_bytes());
            }
        }
        self
    }
}

/// Whether a path is a database, or a file next to one.
fn is_of_store(path: &str) -> bool {
    ["", "-wal", "-shm", "-journal", "-reserve"]
        .iter()
        .any(|end| path.ends_with(&format!(".db{end}")))
}

/// Whether a path is of a file that a writer had not finished.
pub(super) fn is_stray(path: &str) -> bool {
    let names = path.split('/');
    names
        .into_iter()
        .any(|name| name.starts_with(".promptc-") || name.starts_with(".store-"))
}

/// Every row of a store, or nothing if it has none. A copy is read, so that the store itself is opened by promptc alone.
fn content(store: &Path) -> String {
    let copy = Place::new();
    let name = store.file_name().unwrap().to_str().unwrap();
    for end in ["", "-wal", "-journal"] {
        let from = store.with_file_name(format!("{name}{end}"));
        if from.exists() {
            fs::copy(from, copy.path().join(format!("{name}{end}"))).unwrap();
        }
    }
    let read = || -> rusqlite::Result<String> {
        let db = Connection::open(copy.path().join(name))?;
        let mut any = false;
        let mut out: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        let mut tables =
            db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")?;
        let tables = tables
            .query_map([], |row| row.get(0))?
            .collect::<Result<Vec<String>, _>>()?;
        // Hashes are `session verify`'s to check, and a shard without members is as good as none.
        for table in tables.iter().filter(|t| *t != "root" && *t != "shard") {
            let _ = write!(out, "\n{table}");
            let mut query = db.prepare(&format!("SELECT * FROM \"{table}\" ORDER BY 1, 2"))?;
            let columns = query.column_count();
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                out.push('\n');
                for column in 0..columns {
                    // A random number is in blobs. The clock is in what was printed of directory rules.
                    match row.get(column)? {
                        Value::Text(text) => write!(out, " {text:?}"),
                        Value::Integer(number) if table != "hint" => {
                            write!(out, " {number}")
                        }
                        _ => Ok(()),
                    }
                    .unwrap();
                }
                any = true;
            }
        }
        Ok(if any { out } else { String::new() })
    };
    read().unwrap_or_else(|error| format!("the store cannot be read: {error}"))
}
