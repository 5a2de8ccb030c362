//! What recordings of the field hold besides good requests one after the other: each is a class, which the seed of a
//! day draws.

use std::collections::BTreeMap;

use crate::parts::{Api, Kind, Marks, Request};
use crate::random::Random;
use crate::traffic::{Event, Maker};

/// A class of what a log can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// All answers have one id, as test servers and proxies that only record give it.
    ConstantId,
    /// Requests that got no answer stand between the good ones.
    Failed,
    /// OpenAI's `prompt_cache_key` is the only name of a conversation, or is new with each request.
    CacheKey,
    /// A usage lacks fields, or an answer broke off.
    Missing,
    /// A tier, a speed or a place of the inference changes the price.
    Rates,
    /// Agents with one system prompt and no id of their own, and two requests that go on from one.
    Agents,
    /// Requests are sent again at once, and both are billed.
    Retries,
    /// Some requests have no time.
    Timeless,
    /// Users and tools show images, of which each says its size.
    Images,
    /// They show OpenAI images with a short edge of less than 768 pixels, too.
    SmallImages,
    /// They show images of unknown size, and documents.
    Unsized,
    /// A client loses breakpoints, or moves them.
    LostMarkers,
    /// Apps of one-turn conversations, of several tenants.
    Apps,
    /// Each conversation is of one of these.
    Any,
}

const ALL: &[Class] = &[
    Class::ConstantId,
    Class::Failed,
    Class::Missing,
    Class::Rates,
    Class::Agents,
    Class::Retries,
    Class::Timeless,
];

/// A field of a usage, or the end of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    Read,
    Write,
    Output,
    /// The reason why the answer stopped.
    Reason,
    /// The end of a stream.
    Stop,
    /// All of the usage.
    All,
}

/// What multiplies a price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rate {
    Fast,
    Batch,
    Us,
    Flex,
    Priority,
}

impl Rate {
    /// The word by which bodies and answers name it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Batch => "batch",
            Self::Us => "geo",
            Self::Flex => "flex",
            Self::Priority => "priority",
        }
    }

    /// The multiple of every price of its model, in tenths: Opus 4.8 is twice as dear in fast mode, a batch of
    /// Anthropic costs half, and inference in the US a tenth more; OpenAI's flex costs half, and priority of
    /// GPT-5.5 two and a half times (https://openai.com/api-priority-processing/).
    pub(crate) fn tenths(self) -> i128 {
        match self {
            Self::Fast => 20,
            Self::Priority => 25,
            Self::Batch | Self::Flex => 5,
            Self::Us => 11,
        }
    }
}

/// What is true of a request besides its content.
#[derive(Clone, Default, Debug)]
pub(crate) struct More {
    pub(crate) class: Option<Class>,
    /// Requests only grow.
    pub(crate) steady: bool,
    /// Its answer has the id of all answers.
    pub(crate) constant: bool,
    /// It has an id of its own.
    pub(crate) ids: bool,
    /// How often it is there again.
    pub(crate) copies: usize,
    /// The status of a request without an answer.
    pub(crate) failed: Option<u16>,
    /// Its conversation has no name.
    pub(crate) nameless: bool,
    pub(crate) key: Key,
    /// The field that usages of the conversation lack, each or a third of them.
    pub(crate) lacks: Option<(Field, bool)>,
    pub(crate) missing: Option<Field>,
    pub(crate) rate: Option<Rate>,
    pub(crate) timeless: bool,
    /// What the client does with its breakpoints.
    pub(crate) marker: Option<Marker>,
    /// Who pays.
    pub(crate) account: u64,
    /// How many seconds later its answer begins.
    pub(crate) begins: i64,
    /// Whether the recording says when the answer began.
    pub(crate) tells_begin: bool,
}

/// The `prompt_cache_key` of the requests of a conversation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Key {
    #[default]
    None,
    /// All have this one.
    One(u64),
    /// Each has its own.
    Each,
}

/// What a client does with its breakpoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Marker {
    /// Some requests have none.
    Forgets,
    /// They stand at another place.
    Moves,
    /// Of some requests that of the system prompt is left.
    Strips,
}

const MARKERS: &[Marker] = &[Marker::Forgets, Marker::Moves, Marker::Strips];

impl Maker {
    /// What is true of all requests of a conversation.
    pub(crate) fn conversation_more(&mut self, api: Api) -> More {
        let class = match self.mode.class {
            Some(Class::Any) => Some(*self.more_r.pick(ALL)),
            class => class,
        };
        let mut more = More {
            class,
            ..More::default()
        };
        let r = &mut self.more_r;
        match class {
            Some(Class::ConstantId) => {
                // Without an id of its own, a request is known by the id of its answer, which Bedrock does not give.
                more.constant = api == Api::Bedrock || !r.one_in(3);
                more.ids = more.constant && r.one_in(2);
            }
            Some(Class::CacheKey) if matches!(api, Api::Chat | Api::Responses) => {
                // A key that all requests share is the name of the conversation, and a new one with each is no name.
                let one = Key::One(self.next + 1);
                more.key = *r.pick(&[Key::Each, Key::Each, one]);
                more.nameless = more.key != Key::Each || r.one_in(2);
            }
            Some(Class::Missing) => {
                more.steady = true;
                let field = *r.pick(fields(api));
                more.lacks = Some((field, r.one_in(2)));
            }
            Some(Class::Rates) => {
                more.steady = true;
                more.rate = *r.pick(rates(api));
            }
            Some(Class::Agents) => {
                more.steady = true;
                more.nameless = r.one_in(3);
                // An agent starts two seconds after the one before it.
                (more.begins, more.tells_begin) = (*r.pick(&[1, 3]), r.one_in(2));
            }
            Some(Class::Retries) => {
                more.steady = true;
                // A request is sent again before, or after its answer has begun.
                (more.begins, more.tells_begin) = (*r.pick(&[1, 4]), r.one_in(2));
            }
            Some(Class::LostMarkers) => more.marker = Some(*r.pick(MARKERS)),
            _ => {}
        }
        more
    }

    /// Gives the first request of a conversation the model that its class needs.
    pub(crate) fn fit(&mut self, r: &mut Request) {
        match (r.api, self.more.lacks, self.more.rate) {
            // Only newer models of OpenAI tell what they write.
            (Api::Chat, Some((Field::Write, _)), _) => r.model = "gpt-6.1-sol",
            (Api::Anthropic, _, Some(_)) => r.model = "claude-opus-4-8",
            (Api::Chat | Api::Responses, _, Some(_)) => r.model = "gpt-5.5",
            _ => {}
        }
    }

    /// Sends a request, and what its class sends with it.
    pub(crate) fn push(&mut self, mut e: Event) {
        match self.more.key {
            Key::None => {}
            Key::One(key) => e.request.key = key,
            Key::Each => {
                // That another conversation begins with the same words says nothing: the second request has the key of the first.
                let begins_again = e.after.is_some() && e.request.messages.len() == 1;
                self.next += u64::from(!begins_again);
                e.request.key = self.next;
            }
        }
        if let Some(marker) = self.more.marker {
            self.lose(marker, &mut e.request);
        }
        if let Some((field, each)) = self.more.lacks {
            e.more.missing = (each || self.more_r.one_in(3)).then_some(field);
        }
        let known = self.more.ids || !self.more.constant;
        if self.more.class == Some(Class::ConstantId) && known && self.more_r.one_in(5) {
            e.more.copies = self.more_r.from(1, 2);
        }
        let tries = match self.more.class {
            Some(Class::Failed) if self.more_r.one_in(3) => self.more_r.from(1, 2),
            _ => 0,
        };
        for _ in 0..tries {
            self.failed(&e);
        }
        e.id = self.out.len();
        self.before = Some(e.id);
        let again = self.more.class == Some(Class::Retries) && self.more_r.one_in(3);
        let again = again.then(|| self.again(&e));
        self.out.push(e);
        self.out.extend(again);
    }

    /// What a client loses of the breakpoints of a request. One that marks a single place, does so: of that the bill says the tokens.
    fn lose(&mut self, marker: Marker, r: &mut Request) {
        let Some(ttl) = r.marks.last.filter(|_| r.api.marked()) else {
            return;
        };
        let none = Marks::default();
        let of_system = Marks {
            system: Some(ttl),
            ..none
        };
        let of_tools = Marks {
            tools: Some(ttl),
            ..none
        };
        let behind = |back| Marks {
            last: Some(ttl),
            back,
            ..none
        };
        let back = self.more_r.from(1, r.messages.len().clamp(2, 6) - 1);
        let places = [behind(0), behind(0), behind(back), of_system, of_tools];
        r.marks = match marker {
            Marker::Forgets if self.more_r.one_in(3) => none,
            Marker::Strips if self.more_r.one_in(2) => of_system,
            Marker::Moves if back < r.messages.len() => *self.more_r.pick(&places),
            _ => return,
        };
    }

    /// The same request once more, some seconds later: whoever sent it did not wait for the answer.
    fn again(&mut self, of: &Event) -> Event {
        let wait = self.more_r.from(1, 2);
        let id = of.id + 1;
        self.before = Some(id);
        Event {
            id,
            after: Some(of.id),
            more: of.more.clone(),
            time: self.time(of.time + i64::try_from(wait).unwrap_or(0)),
            conversation: of.conversation.clone(),
            chain: of.chain,
            agent: of.agent.clone(),
            request: of.request.clone(),
            change: "again",
        }
    }

    /// A request that fails about when another one is sent: the same body, or one that is sent only once.
    fn failed(&mut self, of: &Event) {
        let mut request = of.request.clone();
        if self.more_r.one_in(2) {
            let n = self.more_r.below(request.system.len());
            request.system[n] = self.part(Kind::System, 200);
        } else if self.more_r.one_in(2) {
            let other = self.message(true, 1);
            request.messages.push(other);
        }
        let status = *self.more_r.pick(&[429, 500, 529, 400, 502]);
        let before = i64::try_from(self.more_r.below(3)).unwrap_or(0);
        let mut more = of.more.clone();
        more.failed = Some(status);
        let time = self.time(of.time - before);
        self.out.push(Event {
            id: self.out.len(),
            after: None,
            more,
            time,
            conversation: of.conversation.clone(),
            chain: of.chain,
            agent: of.agent.clone(),
            request,
            change: "failed",
        });
    }

    /// Two requests go on from the last one of a chain at once, and each is gone on from.
    pub(crate) fn twins(&mut self, name: &str, last: Request, end: i64) {
        let from = self.before;
        for chain in [0, 1] {
            self.before = from;
            let mut request = last.clone();
            let mut time = end;
            for _ in 0..self.more_r.from(2, 3) {
                let gap = self.more_r.from(4, 40);
                time = self.time(time + i64::try_from(gap).unwrap_or(0));
                self.grow(&mut request);
                let (after, more) = (self.before, self.more.clone());
                self.push(Event {
                    id: 0,
                    after,
                    more,
                    time,
                    conversation: name.to_owned(),
                    chain,
                    agent: None,
                    request: request.clone(),
                    change: "twin",
                });
            }
        }
    }

    /// Agents that start at once, with one system prompt, and that only their first message distinguishes.
    pub(crate) fn agents(&mut self, name: &str, api: Api, from: i64) {
        let mut first = self.first(api, true);
        if api.marked() && first.marks.last.is_some() && self.more_r.one_in(2) {
            // What they have in common can be read then.
            first.marks.system = first.marks.last;
        }
        for n in 0..self.more_r.from(2, 4) {
            let mut mine = first.clone();
            mine.messages = vec![self.message(true, 1)];
            let start = self.time(from + i64::try_from(n).unwrap_or(0) * 2);
            let steps = self.more_r.from(2, 4);
            self.before = None;
            self.chain(name, 2 + n, None, mine, start, steps);
        }
    }
}

/// The fields that a usage of an API can lack. Without what was read the input of Anthropic is not known.
fn fields(api: Api) -> &'static [Field] {
    match api {
        Api::Anthropic => &[
            Field::Read,
            Field::Write,
            Field::Output,
            Field::Reason,
            Field::Stop,
            Field::All,
        ],
        Api::Bedrock | Api::Chat => &[Field::Read, Field::Write, Field::Output, Field::All],
        Api::Responses => &[Field::Read, Field::Output, Field::All],
    }
}

fn rates(api: Api) -> &'static [Option<Rate>] {
    match api {
        Api::Anthropic => &[None, Some(Rate::Fast), Some(Rate::Batch), Some(Rate::Us)],
        Api::Chat | Api::Responses => &[Some(Rate::Flex), Some(Rate::Priority)],
        Api::Bedrock => &[None],
    }
}

/// Takes the time from some requests, where it does not matter for what lives: the requests before and after them are
/// near.
pub(crate) fn without_times(events: &mut [Event], r: &mut Random) {
    const NEAR: i64 = 120;
    let mut chains: BTreeMap<(String, usize), Vec<usize>> = BTreeMap::new();
    for (n, e) in events.iter().enumerate() {
        if e.more.class == Some(Class::Timeless) {
            let key = (e.conversation.clone(), e.chain);
            chains.entry(key).or_default().push(n);
        }
    }
    for chain in chains.values() {
        for w in chain.windows(3) {
            let near = events[w[2]].time - events[w[0]].time <= NEAR;
            if near && !events[w[0]].more.timeless && r.one_in(2) {
                events[w[1]].more.timeless = true;
            }
        }
    }
}
