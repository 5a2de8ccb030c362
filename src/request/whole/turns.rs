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

/// A message of a request, with what is worked out of it once, however many requests hold it.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) message: Message<SentPart>,
    /// Its compared form.
    pub(super) key: Digest,
    /// Its unique identity.
    pub(super) serial: u64,
    /// Whether a part of it replaces everything before it.
    pub(super) compacts: bool,
}

impl Turn {
    /// A message of these pieces.
    pub(super) fn new(message: Message<SentPart>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let blocks = message.blocks.iter().flat_map(|piece| piece.id.digest());
        let blocks: Vec<u8> = blocks.collect();
        Self {
            key: digest([message.role.as_bytes(), message.extra.as_bytes(), &blocks]),
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

/// The position of a message after those before it.
pub(super) type TurnIndex = u32;

/// Messages, each after the one before it: requests with a common beginning share it.
#[derive(Debug, Default)]
pub(super) struct Turns {
    all: Vec<(Option<TurnIndex>, Message<PartId>)>,
    /// The positions whose messages are no longer needed.
    free: Vec<TurnIndex>,
}

impl Turns {
    /// Adds a message.
    pub(super) fn add(
        &mut self,
        before: Option<TurnIndex>,
        message: &Message<SentPart>,
    ) -> TurnIndex {
        let turn = (before, message.map(|piece| piece.id));
        if let Some(place) = self.free.pop()
            && let Some(free) = self.all.get_mut(place as usize)
        {
            *free = turn;
            return place;
        }
        // A log of that many messages would not fit into memory.
        let place = TurnIndex::try_from(self.all.len()).unwrap_or(TurnIndex::MAX);
        self.all.push(turn);
        place
    }

    /// Forgets messages that no request shares or continues any more.
    pub(super) fn free(&mut self, places: &[TurnIndex]) {
        self.free.extend(places);
    }

    /// The message at a place.
    pub(super) fn at(&self, place: TurnIndex) -> Option<&Message<PartId>> {
        Some(&self.all.get(place as usize)?.1)
    }

    /// The messages up to a place, in order.
    pub(super) fn to(&self, last: Option<TurnIndex>) -> Vec<Arc<Turn>> {
        let mut out = Vec::new();
        let mut next = last;
        while let Some((before, message)) = next.and_then(|at| self.all.get(at as usize)) {
            out.push(Arc::new(Turn::known(message)));
            next = *before;
        }
        out.reverse();
        out
    }
}

/// Whether a message was sent as before, byte by byte.
pub(super) fn is_as_sent(before: &Message<PartId>, now: &Message<SentPart>) -> bool {
    before.role == now.role
        && before.extra == now.extra
        && before.blocks.len() == now.blocks.len()
        && (before.blocks.iter().zip(&now.blocks)).all(|(a, b)| a.is_as_sent(&b.id))
}
