//! Which exchanges are one request: a recording may have a request twice, and two recordings may have the same one.

use super::{Clean, Lack};
use crate::request::whole::part::{Digest, Part, digest};
use crate::request::whole::turns::upto;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The most bytes of copies that are kept until it shows whether the ids of their answers identify them.
const MOST_HELD: usize = 16 << 20;

/// The exchanges that were met.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// The ids of requests.
    requests: BTreeSet<Digest>,
    /// By the id of the answer.
    answers: BTreeMap<Digest, Answered>,
    /// The bytes of the copies that are held.
    held: usize,
}

/// The first request with an answer of some id.
#[derive(Debug)]
struct Answered {
    request: Content,
    /// Whether it, or a copy of it, has an id of its own.
    has_id: bool,
    /// Whether another request has an answer of the same id, as test servers give it: then it identifies none.
    is_shared: bool,
    /// The copies of it: they are requests of their own if the id identifies none.
    copies: Vec<Clean>,
}

/// A request, as far as its recording has it.
#[derive(Debug, Clone, Copy)]
struct Content {
    /// The hash of all before the messages; none if the recording lacks some of it.
    front: Option<u64>,
    /// The hash of the messages; none if the recording lacks some of them.
    messages: Option<u64>,
}

impl Content {
    fn of(clean: &Clean) -> Self {
        let sent = &clean.sent;
        let has = |lacking: &[Lack]| {
            let mut lacks = clean.exchange.lacks.iter();
            !lacks.any(|lack| lacking.contains(lack))
        };
        let front = || {
            let mut hasher = DefaultHasher::new();
            (sent.api, &sent.model, &sent.continues, &sent.terms).hash(&mut hasher);
            for setting in &sent.settings {
                (&setting.name, &setting.value).hash(&mut hasher);
            }
            let digests = |parts: &[Part]| -> Vec<Digest> {
                parts.iter().map(|part| part.id.digest()).collect()
            };
            (digests(&sent.tools), digests(&sent.system)).hash(&mut hasher);
            hasher.finish()
        };
        let said = || clean.messages.iter().fold(0, |hash, turn| upto(hash, turn));
        let is_whole = has(&[Lack::SystemAndTools, Lack::System, Lack::Tools]);
        Self {
            front: is_whole.then(front),
            messages: has(&[Lack::Messages]).then(said),
        }
    }

    /// Whether all that both recordings have is the same.
    fn is(&self, other: &Self) -> bool {
        let differ = |a: Option<u64>, b: Option<u64>| a.zip(b).is_some_and(|(a, b)| a != b);
        !differ(self.front, other.front) && !differ(self.messages, other.messages)
    }
}

impl Met {
    /// Notes an exchange. Returns what is new with it: nothing if it was met before, else it, behind the copies that it shows to be none.
    ///
    /// Two are one if their requests have one id. Where either has none they are one if their answers have one id and the requests are the same,
    /// unless another request has an answer of that id too. A copy names the answer that it repeats.
    pub(super) fn note(&mut self, clean: Clean) -> Vec<Clean> {
        let id = |id: &String| digest([id.as_bytes()]);
        let exchange = &clean.exchange;
        let has_id = exchange.id.is_some();
        if let Some(request) = &exchange.id
            && !self.requests.insert(id(request))
        {
            return Vec::new();
        }
        let answer = clean.answer.as_ref().and_then(|answer| answer.id.as_ref());
        let Some(answer) = answer.map(id) else {
            return vec![clean];
        };
        let request = Content::of(&clean);
        let met = match self.answers.entry(answer) {
            Entry::Vacant(place) => {
                place.insert(Answered {
                    request,
                    has_id,
                    is_shared: false,
                    copies: Vec::new(),
                });
                return vec![clean];
            }
            Entry::Occupied(met) => met.into_mut(),
        };
        if exchange.is_copy {
            return Vec::new();
        }
        met.is_shared |= !met.request.is(&request);
        if met.is_shared {
            let mut new = std::mem::take(&mut met.copies);
            self.held -= new.iter().map(weight).sum::<usize>();
            new.push(clean);
            return new;
        }
        if has_id && met.has_id {
            return vec![clean];
        }
        met.has_id |= has_id;
        let weight = weight(&clean);
        if self.held + weight <= MOST_HELD {
            self.held += weight;
            met.copies.push(clean);
        }
        Vec::new()
    }
}

/// About the bytes of an exchange.
fn weight(clean: &Clean) -> usize {
    let front = clean.sent.tools.iter().chain(&clean.sent.system);
    let front = front.map(|part| part.raw.len() + part.key.len());
    let messages = clean.messages.iter().chain(&clean.output);
    let pieces = messages.flat_map(|turn| &turn.message.blocks);
    let parts = pieces.filter_map(|piece| piece.part.as_ref());
    let parts = parts.map(|part| part.raw.len() + part.key.len());
    // The overhead of an exchange is about that large.
    4_096 + front.chain(parts).sum::<usize>()
}
