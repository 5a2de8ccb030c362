//! The messages of all requests of a log, without their texts.

use super::part::{Digest, Message, Part, PartId, digest};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A part of a request; its text, if it was sent with this one.
#[derive(Debug, Clone)]
pub(super) struct SentPart {
    /// Its identity.
    pub(super) id: PartId,
    /// The part; none if a provider has it from before.
    pub(super) part: Option<Part>,
}

impl From<Part> for SentPart {
    fn from(part: Part) -> Self {
        let id = part.id;
        let part = Some(part);
        Self { id, part }
    }
}

impl From<PartId> for SentPart {
    fn from(id: PartId) -> Self {
        Self { id, part: None }
    }
}

impl Eq for SentPart {}

impl PartialEq for SentPart {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<P> Message<P> {
    /// The message with its blocks in another form.
    pub(super) fn map<Q>(&self, block: impl FnMut(&P) -> Q) -> Message<Q> {
        Message {
            role: self.role.clone(),
            extra: self.extra.clone(),
            blocks: self.blocks.iter().map(block).collect(),
        }
    }
}

/// The roles of messages that no model said.
const CALLERS: &[&str] = &["user", "system", "developer", "tool", "function"];

/// A text, as chains are found by it: a part of its digest.
pub(super) fn mark(text: &Digest) -> u64 {
    let (first, _) = text.as_chunks();
    u64::from_le_bytes(first[0])
}

/// Mixes a hash into another one.
pub(in crate::request) fn mixed(hash: u64, own: u64) -> u64 {
    // FxHash with a second multiplication, so that high bits come down again.
    let mixed = (hash.rotate_left(5) ^ own).wrapping_mul(0x517c_c1b7_2722_0a95);
    (mixed ^ (mixed >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A message of a request, with what is worked out of it once, however many requests hold it.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) message: Message<SentPart>,
    /// Its compared form.
    pub(super) key: Digest,
    /// Its unique identity.
    pub(super) serial: u64,
    /// The hash of its role and its first block.
    pub(super) begun: u64,
    /// Whether no model said it: what is not a message of a role is a call of a tool or its output.
    pub(super) is_of_caller: bool,
    /// Whether a part of it replaces everything before it.
    pub(super) compacts: bool,
}

impl Turn {
    /// A message of these pieces.
    pub(super) fn new(message: Message<SentPart>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let blocks = message.blocks.iter().flat_map(|piece| piece.id.digest());
        let blocks: Vec<u8> = blocks.collect();
        let first = &blocks[..blocks.len().min(size_of::<Digest>())];
        Self {
            key: digest([message.role.as_bytes(), message.extra.as_bytes(), &blocks]),
            begun: mark(&digest([message.role.as_bytes(), first])),
            is_of_caller: CALLERS.contains(&&*message.role) || message.role.ends_with("_output"),
            serial: NEXT.fetch_add(1, Ordering::Relaxed),
            compacts: message.blocks.iter().any(|piece| piece.id.is_compaction),
            message,
        }
    }

    /// Messages of one role as one; none if there are none.
    pub(super) fn joined(run: &[Arc<Self>]) -> Option<Arc<Self>> {
        let (first, rest) = run.split_first()?;
        if rest.is_empty() {
            return Some(first.clone());
        }
        let more = rest.iter().map(|turn| &turn.message);
        Some(Arc::new(Self::new(first.message.with(more))))
    }

    /// A message of which only this is known.
    pub(super) fn known(message: &Message<PartId>) -> Self {
        Self::new(message.map(|id| SentPart::from(*id)))
    }
}

/// A message of a request after those before it: requests with a common beginning share it.
#[derive(Debug)]
pub(super) struct Placed {
    before: Option<Arc<Self>>,
    pub(super) message: Message<PartId>,
    /// The number of messages up to it.
    pub(super) count: usize,
    /// The hash of all of them, in their compared form.
    pub(super) upto: u64,
}

impl Placed {
    /// A message after another one.
    pub(super) fn after(before: Option<Arc<Self>>, turn: &Turn) -> Arc<Self> {
        let (count, hash) = before.as_deref().map_or((0, 0), |at| (at.count, at.upto));
        Arc::new(Self {
            before,
            message: turn.message.map(|piece| piece.id),
            count: count + 1,
            upto: upto(hash, turn),
        })
    }

    /// The hash of the messages before it.
    pub(super) fn upto_before(&self) -> u64 {
        self.before.as_deref().map_or(0, |before| before.upto)
    }
}

impl Drop for Placed {
    /// One after the other: a conversation may be longer than the stack is deep.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut last) = next.and_then(Arc::into_inner) {
            next = last.before.take();
        }
    }
}

/// The hash of messages, of which this is the last one.
pub(super) fn upto(before: u64, last: &Turn) -> u64 {
    mixed(before, mark(&last.key))
}

/// The messages behind the first ones of those that end with a message, in order.
pub(super) fn behind(first: usize, end: Option<&Arc<Placed>>) -> Vec<&Arc<Placed>> {
    let mut out = Vec::new();
    let mut next = end;
    while let Some(at) = next.filter(|at| at.count > first) {
        out.push(at);
        next = at.before.as_ref();
    }
    out.reverse();
    out
}

/// The messages that end with one, as a request holds them.
pub(super) fn known(end: Option<&Arc<Placed>>) -> Vec<Arc<Turn>> {
    let all = behind(0, end).into_iter();
    all.map(|at| Arc::new(Turn::known(&at.message))).collect()
}

/// Whether a message was sent as before, byte by byte.
pub(super) fn is_as_sent(before: &Message<PartId>, now: &Message<SentPart>) -> bool {
    before.role == now.role
        && before.extra == now.extra
        && before.blocks.len() == now.blocks.len()
        && (before.blocks.iter().zip(&now.blocks)).all(|(a, b)| a.is_as_sent(&b.id))
}
