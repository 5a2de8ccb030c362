//! Hashes as artifacts and snapshots write them.

use sha2::{Digest, Sha256};

/// `sha256:` and the hex digest of `bytes`.
#[must_use]
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    let mut hash = PrefixHash::default();
    hash.extend(bytes.as_ref());
    hash.so_far()
}

/// The hash of a text that grows.
#[derive(Debug, Clone, Default)]
pub struct PrefixHash(Sha256);

impl PrefixHash {
    /// Appends bytes to the text.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// `sha256:` and the hex digest of all bytes so far.
    #[must_use]
    pub fn so_far(&self) -> String {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0.clone().finalize()) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        // Digits are always UTF-8.
        ["sha256:", std::str::from_utf8(&hex).unwrap_or_default()].concat()
    }
}
