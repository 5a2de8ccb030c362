//! Hashes of what rows hold.

use crate::session::store::Key;
use sha2::{Digest as _, Sha256};

/// The SHA-256 hash of something.
pub(super) type Hash = [u8; 32];

/// The hash of a list of fields. Each says where it ends, so that no two lists give the same bytes.
pub(super) struct Digest(Sha256);

impl Digest {
    /// Starts that of a `kind` of thing. Things of two kinds never have the same one.
    pub(super) fn of(kind: &str) -> Self {
        Self(Sha256::new()).text("promptc store").text(kind)
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    pub(super) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub(super) fn number(mut self, number: i64) -> Self {
        self.0.update(number.to_be_bytes());
        self
    }

    pub(super) fn hash(mut self, hash: &Hash) -> Self {
        self.0.update(hash);
        self
    }

    pub(super) fn maybe(self, hash: Option<&Hash>) -> Self {
        match hash {
            None => self.number(0),
            Some(hash) => self.number(1).hash(hash),
        }
    }

    pub(super) fn end(self) -> Hash {
        self.0.finalize().into()
    }
}

/// The hash of a content.
pub(super) fn of_content(content: &str) -> Hash {
    Sha256::digest(content).into()
}

/// Hashes in a row, one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Hashes(pub(super) Vec<u8>);

impl Hashes {
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Hash> {
        self.0.as_chunks().0.iter()
    }
}

impl FromIterator<Hash> for Hashes {
    fn from_iter<I: IntoIterator<Item = Hash>>(hashes: I) -> Self {
        Self(hashes.into_iter().flatten().collect())
    }
}

/// The key that `hash` is written as.
pub(super) fn key(hash: &Hash) -> Key {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(HEX[usize::from(nibble)]);
    let digits = hash.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]);
    Key("sha256:".chars().chain(digits).collect())
}

/// The hash that `key` writes, if it is one.
pub(super) fn hash(key: &Key) -> Option<Hash> {
    let hex = key.as_str().strip_prefix("sha256:")?.as_bytes();
    let mut hash = Hash::default();
    if hex.len() != 2 * hash.len() {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(hex.chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(hash)
}
