//! The layout of the files in `data`. Their generator (`tools/token-tables`) shares this file, so that both agree; a
//! change here requires new files.
//!
//! A vocabulary: the number of slots as 8 bytes, the slots of 8 bytes each, the bytes of all tokens one after the
//! other. All numbers are little-endian. A token's slot is the first free one at or after its home, wrapping at the
//! end.
//!
//! The classes: for each block of 256 code points the number of its page, then the pages of 256 classes each.

/// Code points in a block.
pub(super) const BLOCK: usize = 256;
/// Blocks up to the last code point.
pub(super) const BLOCKS: usize = 0x11_0000 / BLOCK;

/// A token's place in the bytes, packed into 64 bits. An empty slot is 0; no token is, for none is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    /// The rank, which is also the id: 18 bits.
    pub(super) id: u32,
    /// Length in bytes: 8 bits.
    pub(super) len: usize,
    /// Where its bytes start: 21 bits.
    pub(super) start: usize,
    /// Bits of its hash, so that most other keys are distinguished without their bytes: 17 bits.
    pub(super) tag: u32,
}

impl Slot {
    /// The parts of a stored slot.
    #[must_use]
    pub(super) fn unpack(bits: u64) -> Self {
        Self {
            id: (bits & 0x3_FFFF) as u32,
            len: (bits >> 18 & 0xFF) as usize,
            start: (bits >> 26 & 0x1F_FFFF) as usize,
            tag: (bits >> 47) as u32,
        }
    }
}

/// A hash of `bytes`, equal on every machine.
#[must_use]
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let start = bytes.len() as u64;
    let state = (words.iter()).fold(start, |state, w| mix(state ^ u64::from_le_bytes(*w)));
    mix(state ^ tail(rest))
}

/// Up to seven bytes as a number; no two runs of one length have the same.
fn tail(rest: &[u8]) -> u64 {
    let wide = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    match (rest.first_chunk(), rest.last_chunk()) {
        (Some(first), Some(last)) => wide(first) | wide(last) << 32,
        _ => (rest.iter()).fold(0, |number, byte| number << 8 | u64::from(*byte)),
    }
}

fn mix(state: u64) -> u64 {
    let product = (state ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    product ^ product >> 32
}

/// Where the search for a key starts.
#[must_use]
pub(super) fn home(hash: u64, slots: usize) -> usize {
    (((hash >> 32) * slots as u64) >> 32) as usize
}

/// The bits of a hash in a slot.
#[must_use]
pub(super) fn tag(hash: u64) -> u32 {
    (hash & 0x1_FFFF) as u32
}
