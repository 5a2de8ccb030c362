//! The list of shards.
//!
//! The one row that must always exist: with it, a missing shard is known to be lost, or never to have existed.

use super::digest::{Digest, Hash};
use super::failure::{Result, damaged};
use rusqlite::{Connection, OptionalExtension};

/// The most shards.
pub(super) const SHARDS: i64 = 8192;

/// One bit for each shard.
pub(super) struct Root(Vec<u8>);

impl Default for Root {
    fn default() -> Self {
        Self(vec![0; SHARDS as usize / 8])
    }
}

impl Root {
    pub(super) fn read(tx: &Connection, version: i64) -> Result<Self> {
        let sql = "SELECT shards, digest FROM root WHERE one = 1 AND version = ?1";
        let row = tx.query_row(sql, [version], |r| {
            Ok((r.get::<_, Vec<u8>>(0)?, r.get::<_, Hash>(1)?))
        });
        let root = row.optional()?.map(|(shards, sum)| (Self(shards), sum));
        match root {
            Some((root, sum)) if root.digest(version) == sum => Ok(root),
            _ => Err(damaged("the list of its shards")),
        }
    }

    pub(super) fn write(&self, tx: &Connection, version: i64) -> Result<()> {
        let sql =
            "INSERT OR REPLACE INTO root (one, version, shards, digest) VALUES (1, ?1, ?2, ?3)";
        tx.execute(sql, (version, &self.0, self.digest(version)))?;
        Ok(())
    }

    pub(super) fn has(&self, shard: i64) -> bool {
        let (byte, bit) = place(shard);
        self.0.get(byte).is_some_and(|b| b & bit != 0)
    }

    pub(super) fn add(&mut self, shard: i64) {
        let (byte, bit) = place(shard);
        if let Some(byte) = self.0.get_mut(byte) {
            *byte |= bit;
        }
    }

    fn digest(&self, version: i64) -> Hash {
        Digest::of("root").number(version).bytes(&self.0).end()
    }
}

fn place(shard: i64) -> (usize, u8) {
    let shard = usize::try_from(shard).unwrap_or(usize::MAX);
    (shard / 8, 1 << (shard % 8))
}
