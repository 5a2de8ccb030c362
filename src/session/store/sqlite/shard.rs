//! Sets of rows that no row can leave unseen.
//!
//! A name belongs to one of 4096 shards. The row of a shard holds a hash over all rows of its members, so that to read a
//! name is to list its shard, to compare the hash and to look into the list. Whatever a changed byte does to the trees that
//! rows are found by, a row that is missing, doubled, changed or outdated shows in the hash.

use super::digest::{Digest, Hash};
use super::failure::{Failure, Result, damaged};
use super::root::Root;
use super::schema::NEWEST;
use rusqlite::{Connection, OptionalExtension, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How many shards members of a kind are spread over: few members each in a store of ten thousand, and few kilobytes if all
/// of them have a row.
const SHARDS: i64 = 4096;

/// A row of a shard, with a name.
pub(super) trait Member: Sized {
    /// The name of such rows in messages.
    const NAME: &'static str;
    /// Shards of kinds are numbered on from each other: which kind it is.
    const KIND: i64;
    /// All of a shard, in order of their names.
    const LIST: &'static str;
    /// All, in order of their shards and names.
    const LIST_ALL: &'static str;
    /// The numbers of all shards that have members.
    const LIST_SHARDS: &'static str;
    /// One, by its shard and name.
    const REMOVE: &'static str;

    fn id(&self) -> &str;
    fn digest(&self) -> Hash;
    fn from_row(row: &Row) -> rusqlite::Result<Self>;
    /// Adds or replaces its row.
    fn write(&self, tx: &Connection, shard: i64) -> Result<()>;
}

/// The members of one shard, as they were read or written last.
pub(super) struct Shard<M> {
    number: i64,
    /// Whether it has a row.
    known: bool,
    members: Vec<M>,
}

impl<M: Member> Shard<M> {
    /// The shard that `id` belongs to.
    pub(super) fn of(tx: &Connection, id: &str) -> Result<Self> {
        Self::read(tx, number_of::<M>(id))
    }

    /// The shard of a number.
    pub(super) fn read(tx: &Connection, number: i64) -> Result<Self> {
        let sql = "SELECT digest FROM shard WHERE number = ?1";
        let digest = tx.query_row(sql, [number], |r| r.get(0)).optional()?;
        let mut list = tx.prepare(M::LIST)?;
        let members = list.query_map([number], M::from_row)?;
        let shard = Self {
            number,
            known: digest.is_some(),
            members: members.collect::<rusqlite::Result<_>>()?,
        };
        if !shard.known && Root::read(tx, NEWEST)?.has(number) {
            return Err(lost::<M>(number));
        }
        shard.checked(digest)
    }

    /// The shards that were ever used, in order.
    pub(super) fn all(tx: &Connection) -> Result<Vec<Self>> {
        let digests = digests::<M>(tx)?;
        let mut shards: BTreeMap<i64, Vec<M>> =
            digests.keys().map(|shard| (*shard, Vec::new())).collect();
        let mut list = tx.prepare(M::LIST_ALL)?;
        let mut rows = list.query([])?;
        while let Some(row) = rows.next()? {
            let number = row.get("shard")?;
            let members = shards.get_mut(&number);
            members
                .ok_or_else(|| lost::<M>(number))?
                .push(M::from_row(row)?);
        }
        let shards = shards.into_iter().map(|(number, members)| {
            let known = true;
            let shard = Self {
                number,
                known,
                members,
            };
            shard.checked(digests.get(&number).copied())
        });
        shards.collect()
    }

    /// It, if its members are those that the hash in its row is over.
    fn checked(self, digest: Option<Hash>) -> Result<Self> {
        let fits = match digest {
            Some(digest) => digest == self.digest(),
            None => self.members.is_empty(),
        };
        if fits {
            Ok(self)
        } else {
            Err(lost::<M>(self.number))
        }
    }

    pub(super) fn members(&self) -> &[M] {
        &self.members
    }

    pub(super) fn into_members(self) -> Vec<M> {
        self.members
    }

    pub(super) fn find(&self, id: &str) -> Option<&M> {
        self.place(id).ok().map(|at| &self.members[at])
    }

    /// Adds a member, in the place of one of the same name.
    pub(super) fn put(&mut self, tx: &Connection, member: M) -> Result<()> {
        member.write(tx, self.number)?;
        match self.place(member.id()) {
            Ok(at) => self.members[at] = member,
            Err(at) => self.members.insert(at, member),
        }
        self.seal(tx)
    }

    /// Removes a member; whether there was one.
    pub(super) fn remove(&mut self, tx: &Connection, id: &str) -> Result<bool> {
        let Ok(at) = self.place(id) else {
            return Ok(false);
        };
        if tx.execute(M::REMOVE, (self.number, id))? != 1 {
            return Err(lost::<M>(self.number));
        }
        self.members.remove(at);
        self.seal(tx)?;
        Ok(true)
    }

    /// Writes the hash over the members.
    fn seal(&mut self, tx: &Connection) -> Result<()> {
        let sql = if self.known {
            "UPDATE shard SET digest = ?2 WHERE number = ?1"
        } else {
            let mut root = Root::read(tx, NEWEST)?;
            root.add(self.number);
            root.write(tx, NEWEST)?;
            "INSERT INTO shard (number, digest) VALUES (?1, ?2)"
        };
        if tx.execute(sql, (self.number, self.digest()))? != 1 {
            return Err(lost::<M>(self.number));
        }
        self.known = true;
        Ok(())
    }

    fn place(&self, id: &str) -> std::result::Result<usize, usize> {
        self.members.binary_search_by(|m| m.id().cmp(id))
    }

    fn digest(&self) -> Hash {
        let digests = self.members.iter().map(M::digest);
        let open = Digest::of("shard").number(self.number);
        digests.fold(open, |all, one| all.hash(&one)).end()
    }
}

/// The rows of all shards of a kind, which are those that the root has.
fn digests<M: Member>(tx: &Connection) -> Result<BTreeMap<i64, Hash>> {
    let digests = rows::<M>(tx)?;
    let root = Root::read(tx, NEWEST)?;
    match range::<M>().find(|n| root.has(*n) != digests.contains_key(n)) {
        None => Ok(digests),
        Some(number) => Err(lost::<M>(number)),
    }
}

/// The rows of all shards of a kind, whatever the root has.
fn rows<M: Member>(tx: &Connection) -> Result<BTreeMap<i64, Hash>> {
    let Range { start, end } = range::<M>();
    let sql = "SELECT number, digest FROM shard WHERE number >= ?1 AND number < ?2";
    let mut list = tx.prepare(sql)?;
    let rows = list.query_map([start, end], |r| Ok((r.get(0)?, r.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The numbers of all shards of a kind of which there is any trace.
pub(super) fn traces<M: Member>(tx: &Connection, root: &Root) -> Result<BTreeSet<i64>> {
    let mut numbers: BTreeSet<i64> = rows::<M>(tx)?.into_keys().collect();
    numbers.extend(range::<M>().filter(|n| root.has(*n)));
    let mut list = tx.prepare(M::LIST_SHARDS)?;
    for number in list.query_map([], |r| r.get(0))? {
        numbers.insert(number?);
    }
    Ok(numbers)
}

/// The numbers that shards of a kind have.
fn range<M: Member>() -> Range<i64> {
    M::KIND * SHARDS..(M::KIND + 1) * SHARDS
}

/// The shard of a name.
fn number_of<M: Member>(id: &str) -> i64 {
    let hash = Digest::of("name").text(id).end();
    range::<M>().start + i64::from(u16::from_be_bytes([hash[0], hash[1]])) % SHARDS
}

/// The failure that the members of a shard are not those that were put into it.
pub(super) fn lost<M: Member>(shard: i64) -> Failure {
    damaged(format!("the {} of shard {shard}", M::NAME))
}
