//! Which exchanges are one request: a recording may have a request twice, and two recordings may have the same one.

use super::{Clean, Lack};
use crate::request::whole::part::{Digest, Part, digest};
use crate::request::whole::turns::upto;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;

/// The most bytes of copies that are kept until it shows whether the ids of their answers identify them.
const MOST_HELD: usize = 16 << 20;

/// What a first look at exchanges shows too late: it is known from the start where they are looked at again.
#[derive(Debug, Clone, Default)]
pub struct Learnt {
    /// The ids of providers that identify no request, though they made one pass for another one.
    shared: BTreeSet<Digest>,
    /// The most that an exchange says of the request of an id, where the first one says less.
    told: BTreeMap<Digest, Told>,
}

impl Learnt {
    /// Whether nothing has to be looked at again.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.told.is_empty()
    }

    /// Notes that an exchange which is taken for a copy says more than the first one.
    fn compare(&mut self, id: Digest, first: &mut Told, told: Told) {
        if told > *first {
            *first = told;
            self.told.insert(id, told);
        }
    }
}

/// What an exchange says of its request, and of what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Nothing,
    Answer,
    Usage,
    /// The usage, and all that was sent but settings and breakpoints.
    Whole,
}

impl Told {
    fn of(clean: &Clean) -> Self {
        match &clean.answer {
            None => Self::Nothing,
            Some(answer) if answer.usage.is_none() => Self::Answer,
            Some(_) => {
                let lacks = &clean.exchange.lacks;
                let mut prompt = lacks.iter().filter(|lack| lack.is_prompt());
                if prompt.all(|lack| *lack == Lack::Settings) {
                    Self::Whole
                } else {
                    Self::Usage
                }
            }
        }
    }
}

/// The ids of an exchange, each with its kind in it.
#[derive(Debug, Clone, Copy)]
struct Ids {
    /// That of its recorder.
    own: Option<Digest>,
    /// That of its provider.
    request: Option<Digest>,
    /// That of its answer.
    answer: Option<Digest>,
}

impl Ids {
    fn of(clean: &Clean) -> Self {
        let id = |kind: &'static str, id: &Option<String>| {
            let id = id.as_ref()?;
            Some(digest([kind.as_bytes(), id.as_bytes()]))
        };
        Self {
            own: id("own", &clean.exchange.id),
            request: id("request", &clean.exchange.request_id),
            answer: clean.answer.as_ref().and_then(|a| id("answer", &a.id)),
        }
    }
}

/// A short hash of an id or a content: enough to see that two differ. A log of a million requests keeps several for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShortHash(NonZeroU64);

impl ShortHash {
    fn new(hash: u64) -> Self {
        Self(NonZeroU64::new(hash).unwrap_or(NonZeroU64::MIN))
    }

    fn of(id: Digest) -> Self {
        let half = id.first_chunk();
        Self::new(half.map_or(0, |half| u64::from_be_bytes(*half)))
    }
}

/// Whether both are known, and differ.
fn differ<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a != b)
}

/// The exchanges that were met.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// By the id of the recorder.
    own: BTreeMap<Digest, Told>,
    /// By the id of the request.
    requests: BTreeMap<Digest, Requested>,
    /// By the id of the answer.
    answers: BTreeMap<Digest, Answered>,
    /// By the id of the answer, the copies of the first request with it, as far as there is room: they are requests of their own if the id
    /// identifies none.
    copies: BTreeMap<Digest, Vec<Clean>>,
    /// The bytes of the copies that are held.
    held: usize,
    /// What an earlier look at all of them showed.
    known: Learnt,
    /// What this one shows.
    pub(super) learnt: Learnt,
}

/// The first request with some id of its provider.
#[derive(Debug)]
struct Requested {
    request: Content,
    answer: Option<ShortHash>,
    told: Told,
    has_copies: bool,
    /// Whether another request has that id too: then it identifies none.
    is_shared: bool,
}

impl Requested {
    /// Whether another exchange with its id is one of another request: all of both is known and not the same, or there are two answers.
    fn is_other(&self, request: &Content, answer: Option<ShortHash>) -> bool {
        let is_whole = self.request.front.is_some() && request.front.is_some();
        (is_whole && !self.request.is(request)) || differ(self.answer, answer)
    }
}

/// The first request with an answer of some id.
#[derive(Debug)]
struct Answered {
    request: Content,
    /// The ids that it, or a copy of it, has.
    own: Option<ShortHash>,
    id: Option<ShortHash>,
    told: Told,
    /// Whether another request has an answer of the same id, as test servers give it: then it identifies none.
    is_shared: bool,
    has_copies: bool,
}

/// A request, as far as its recording has it.
#[derive(Debug, Clone, Copy)]
struct Content {
    /// All before the messages; none if the recording lacks some of it.
    front: Option<ShortHash>,
    /// The messages; none if the recording lacks some of them.
    messages: Option<ShortHash>,
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
            ShortHash::new(hasher.finish())
        };
        let said = || ShortHash::new(clean.messages.iter().fold(0, |hash, turn| upto(hash, turn)));
        let is_whole = has(&[
            Lack::SystemAndTools,
            Lack::System,
            Lack::Tools,
            Lack::Settings,
        ]);
        Self {
            front: is_whole.then(front),
            messages: has(&[Lack::Messages]).then(said),
        }
    }

    /// Whether all that both recordings have is the same.
    fn is(&self, other: &Self) -> bool {
        !differ(self.front, other.front) && !differ(self.messages, other.messages)
    }
}

impl Met {
    /// None yet, of exchanges that were looked at before.
    pub(super) fn knowing(known: Learnt) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// Notes an exchange. Returns what is new with it: nothing if it was met before, else it, behind the copies that it shows to be none.
    ///
    /// Two are one if their recorder gave them one id, or their provider, unless that gave it to another request too. Where either has no id of
    /// the provider they are one if their answers have one id and the requests are the same, unless another request has an answer of that id too.
    pub(super) fn note(&mut self, clean: Clean) -> Vec<Clean> {
        let (ids, told) = (Ids::of(&clean), Told::of(&clean));
        if ids.own.is_some_and(|own| self.is_own_copy(own, told)) {
            return Vec::new();
        }
        if ids.request.is_none() && ids.answer.is_none() {
            return vec![clean];
        }
        let request = Content::of(&clean);
        let answer = ids.answer.map(ShortHash::of);
        let is_copy = |id| self.is_copy(id, (request, answer, told));
        if ids.request.is_some_and(is_copy) {
            return Vec::new();
        }
        match ids.answer {
            Some(answer) => self.answered(answer, (ids, request, told), clean),
            None => vec![clean],
        }
    }

    /// Whether another exchange says more of the request of an id.
    fn is_less(&self, id: &Digest, told: Told) -> bool {
        self.known.told.get(id).is_some_and(|most| told < *most)
    }

    /// Whether an exchange with this id of its recorder was met.
    fn is_own_copy(&mut self, own: Digest, told: Told) -> bool {
        if self.is_less(&own, told) {
            return true;
        }
        match self.own.entry(own) {
            Entry::Vacant(place) => {
                place.insert(told);
                false
            }
            Entry::Occupied(mut first) => {
                self.learnt.compare(own, first.get_mut(), told);
                true
            }
        }
    }

    /// Whether a request with this id of its provider was met.
    fn is_copy(
        &mut self,
        id: Digest,
        (request, answer, told): (Content, Option<ShortHash>, Told),
    ) -> bool {
        let is_shared = self.known.shared.contains(&id);
        if !is_shared && self.is_less(&id, told) {
            return true;
        }
        let first = match self.requests.entry(id) {
            Entry::Vacant(place) => {
                place.insert(Requested {
                    request,
                    answer,
                    told,
                    has_copies: false,
                    is_shared,
                });
                return false;
            }
            Entry::Occupied(first) => first.into_mut(),
        };
        if !first.is_shared && first.is_other(&request, answer) {
            first.is_shared = true;
            self.learnt.shared.extend(first.has_copies.then_some(id));
        }
        if first.is_shared {
            return false;
        }
        first.has_copies = true;
        first.answer = first.answer.or(answer);
        self.learnt.compare(id, &mut first.told, told);
        true
    }

    /// What is new with an exchange that has an answer with an id.
    fn answered(
        &mut self,
        answer: Digest,
        (ids, request, told): (Ids, Content, Told),
        clean: Clean,
    ) -> Vec<Clean> {
        let is_shared = self.known.shared.contains(&answer);
        if !is_shared && self.is_less(&answer, told) {
            return Vec::new();
        }
        let [own, id] = [ids.own, ids.request].map(|id| id.map(ShortHash::of));
        let first = match self.answers.entry(answer) {
            Entry::Vacant(place) => {
                place.insert(Answered {
                    request,
                    own,
                    id,
                    told,
                    is_shared,
                    has_copies: false,
                });
                return vec![clean];
            }
            Entry::Occupied(first) => first.into_mut(),
        };
        let is_apart = differ(first.own, own) || differ(first.id, id);
        // It names the answer that it repeats.
        if clean.exchange.is_copy && !is_apart {
            return Vec::new();
        }
        if !first.is_shared && !first.request.is(&request) {
            first.is_shared = true;
            self.learnt
                .shared
                .extend(first.has_copies.then_some(answer));
        }
        if first.is_shared {
            let mut new = self.copies.remove(&answer).unwrap_or_default();
            self.held -= new.iter().map(weight).sum::<usize>();
            new.push(clean);
            return new;
        }
        if is_apart {
            return vec![clean];
        }
        first.own = first.own.or(own);
        first.id = first.id.or(id);
        first.has_copies = true;
        self.learnt.compare(answer, &mut first.told, told);
        let weight = weight(&clean);
        if self.held + weight <= MOST_HELD {
            self.held += weight;
            self.copies.entry(answer).or_default().push(clean);
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
