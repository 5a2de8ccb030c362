//! A vocabulary's table.

use crate::layout::{Slot, hash, home, tag};

/// The file for tokens in order of rank.
pub fn build(tokens: &[Vec<u8>]) -> Vec<u8> {
    // A third stays empty: runs of full slots are short, and the file is small.
    let mut slots = vec![0_u64; tokens.len() * 3 / 2];
    let mut bytes: Vec<u8> = Vec::new();
    for (id, token) in tokens.iter().enumerate() {
        let hash = hash(token);
        let slot = Slot {
            id: id as u32,
            len: token.len(),
            start: bytes.len(),
            tag: tag(hash),
        };
        let mut at = home(hash, slots.len());
        while slots[at] != 0 {
            at = (at + 1) % slots.len();
        }
        slots[at] = pack(slot);
        assert!(
            Slot::unpack(slots[at]) == slot && !token.is_empty(),
            "the vocabulary fits the layout"
        );
        bytes.extend(token);
    }
    let mut file = (slots.len() as u64).to_le_bytes().to_vec();
    file.extend(slots.iter().flat_map(|s| s.to_le_bytes()));
    file.extend(bytes);
    file
}

fn pack(slot: Slot) -> u64 {
    u64::from(slot.id)
        | (slot.len as u64) << 18
        | (slot.start as u64) << 26
        | u64::from(slot.tag) << 47
}
