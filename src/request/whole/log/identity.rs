//! Which exchanges are one request: a recording may have a request twice, and two recordings may have the same one.

use super::{Exchange, Lack};
use crate::request::whole::body::Sent;
use crate::request::whole::part::{Digest, Part, digest};
use crate::request::whole::turns::Turn;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The exchanges that were met.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// The ids of requests.
    requests: BTreeSet<Digest>,
    /// By the id of the answer.
    answers: BTreeMap<Digest, Answered>,
}

/// The first request with an answer of some id.
#[derive(Debug, Clone, Copy)]
struct Answered {
    request: Content,
    has_id: bool,
    /// Whether another request has an answer of the same id, as test servers give it: then it identifies none.
    is_shared: bool,
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
    fn of(lacks: &[Lack], sent: &Sent, messages: &[Arc<Turn>]) -> Self {
        let has = |lacking: &[Lack]| !lacks.iter().any(|lack| lacking.contains(lack));
        let front = || {
            let mut hasher = DefaultHasher::new();
            (sent.api, &sent.model, &sent.continues).hash(&mut hasher);
            for setting in &sent.settings {
                (&setting.name, &setting.value).hash(&mut hasher);
            }
            let digests = |parts: &[Part]| -> Vec<Digest> {
                parts.iter().map(|part| part.id.digest()).collect()
            };
            (digests(&sent.tools), digests(&sent.system)).hash(&mut hasher);
            hasher.finish()
        };
        let said = || {
            let mut hasher = DefaultHasher::new();
            messages.iter().for_each(|turn| turn.key.hash(&mut hasher));
            hasher.finish()
        };
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
    /// Notes an exchange; whether it was met before.
    ///
    /// Two are one if their requests have one id. Where either has none they are one if their answers have one id and the requests are the same,
    /// unless another request has an answer of that id too. A copy names the answer that it repeats.
    pub(super) fn note(
        &mut self,
        exchange: &Exchange,
        (sent, messages): (&Sent, &[Arc<Turn>]),
        answer: Option<&str>,
    ) -> bool {
        let id = |id: &str| digest([id.as_bytes()]);
        let has_id = exchange.id.is_some();
        if let Some(request) = &exchange.id
            && !self.requests.insert(id(request))
        {
            return true;
        }
        let Some(answer) = answer else { return false };
        let request = Content::of(&exchange.lacks, sent, messages);
        match self.answers.entry(id(answer)) {
            Entry::Vacant(place) => {
                place.insert(Answered {
                    request,
                    has_id,
                    is_shared: false,
                });
                false
            }
            Entry::Occupied(_) if exchange.is_copy => true,
            Entry::Occupied(mut met) => {
                let met = met.get_mut();
                met.is_shared |= !met.request.is(&request);
                !(met.is_shared || has_id && met.has_id)
            }
        }
    }
}
