//! Contents, each stored once, by its hash.

use super::digest::{self, Hash, Hashes, key, of_content};
use super::failure::{Failure, Result, damaged};
use crate::session::store::Key;
use rusqlite::{Connection, OptionalExtension};

/// The hash that is the name of a content.
pub(super) fn hash(key: &Key) -> Result<Hash> {
    digest::hash(key).ok_or_else(|| damaged("the name of a content"))
}

/// Reads a content, if it exists.
pub(super) fn read(tx: &Connection, hash: &Hash) -> Result<Option<String>> {
    let sql = "SELECT text FROM content WHERE hash = ?1";
    let text: Option<String> = tx.query_row(sql, [hash], |r| r.get(0)).optional()?;
    match text {
        Some(text) if of_content(&text) != *hash => Err(changed(hash)),
        text => Ok(text),
    }
}

/// Reads a content that something refers to.
pub(super) fn needed(tx: &Connection, hash: &Hash) -> Result<String> {
    read(tx, hash)?.ok_or_else(|| missing(hash))
}

/// Stores a content, if it is not stored yet.
pub(super) fn add(tx: &Connection, content: &str) -> Result<Hash> {
    let hash = of_content(content);
    let sql = "SELECT text FROM content WHERE hash = ?1";
    let mut kept = tx.prepare(sql)?;
    let mut rows = kept.query([hash])?;
    match rows.next()? {
        Some(row) if row.get_ref(0)?.as_bytes().ok() == Some(content.as_bytes()) => {}
        // A new build must not rest on a text that cannot be read.
        Some(_) => return Err(changed(&hash)),
        None => {
            let sql = "INSERT INTO content (hash, text) VALUES (?1, ?2)";
            tx.execute(sql, (hash, content))?;
        }
    }
    Ok(hash)
}

/// Stores contents, each if it is not stored yet.
pub(super) fn add_all(tx: &Connection, contents: &[String]) -> Result<Hashes> {
    contents.iter().map(|content| add(tx, content)).collect()
}

/// The failure that the text of a hash differs.
pub(super) fn changed(hash: &Hash) -> Failure {
    damaged(format!("the content {}", key(hash).as_str()))
}

/// The failure that a referenced hash has no content.
pub(super) fn missing(hash: &Hash) -> Failure {
    damaged(format!("the content {} is missing", key(hash).as_str()))
}
