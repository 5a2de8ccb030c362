//! The names of objects.

use data_encoding::HEXLOWER;
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// The hash that names the objects of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    /// SHA-1, as nearly all repositories have it.
    Sha1,
    /// SHA-256.
    Sha256,
}

impl ObjectFormat {
    /// The name of the object with these bytes of a file.
    #[must_use]
    pub fn blob(self, bytes: &[u8]) -> String {
        match self {
            Self::Sha1 => blob::<Sha1>(bytes),
            Self::Sha256 => blob::<Sha256>(bytes),
        }
    }
}

fn blob<D: Digest>(bytes: &[u8]) -> String {
    let head = format!("blob {}\0", bytes.len());
    let hash = D::new().chain_update(head).chain_update(bytes).finalize();
    HEXLOWER.encode(hash.as_ref())
}

/// Whether this is the whole name of an object. Git reads any other text as an expression, or as several.
pub(super) fn is_whole(name: &str) -> bool {
    matches!(name.len(), 40 | 64)
        && (name.bytes()).all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}
