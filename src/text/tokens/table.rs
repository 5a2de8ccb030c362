//! A vocabulary in the program: looked up in place, nothing is built or read when the program starts.

use super::layout::{Slot, hash, home, tag};

/// The tokens of a vocabulary.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) slots: &'static [[u8; 8]],
    pub(super) bytes: &'static [u8],
}

pub(super) static O200K: Table = Table::new(include_bytes!("data/o200k.bin"));
pub(super) static CL100K: Table = Table::new(include_bytes!("data/cl100k.bin"));

impl Table {
    /// Splits a file. This runs when promptc is compiled, so a file that is too short does not compile.
    const fn new(file: &'static [u8]) -> Self {
        let Some((count, rest)) = file.split_first_chunk::<8>() else {
            panic!("a table starts with the number of its slots");
        };
        let (slots, bytes) = rest.split_at(u64::from_le_bytes(*count) as usize * 8);
        let (slots, _) = slots.as_chunks::<8>();
        Self { slots, bytes }
    }

    /// The id of the token with these bytes.
    pub(super) fn id(&self, token: &[u8]) -> Option<u32> {
        let hash = hash(token);
        let tag = tag(hash);
        let mut at = home(hash, self.slots.len());
        loop {
            let bits = u64::from_le_bytes(self.slots[at]);
            if bits == 0 {
                return None;
            }
            let slot = Slot::unpack(bits);
            if slot.tag == tag && &self.bytes[slot.start..][..slot.len] == token {
                return Some(slot.id);
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }
}
