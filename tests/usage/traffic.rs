//! Days of requests of many conversations, with changes that are known.

use std::collections::{BTreeMap, BTreeSet};

use crate::across::{Candidate, find};
use crate::apps::{APPS, TENANTS};
use crate::cache::{Bill, Cache, Fault, Reader};
use crate::class::{Class, Field, More, without_times};
use crate::parts::{Api, Kind, Marks, Message, Part, Request, Ttl};
use crate::pictures::{Ends, Predicted};
use crate::random::Random;
use crate::truth::{By, Causes, Chain, Compared, Could, Sent};
use crate::wire::{FIRST_DAY, OUTCOME, line, told};

/// The possible content of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mode {
    /// Conversations begin alike, requests have several marks, and anything may change. Without it, all that a prediction needs is exact.
    pub(crate) full: bool,
    /// Providers lose what they have.
    pub(crate) noise: bool,
    /// What else a recording of the field holds; nothing, if there is no class.
    pub(crate) class: Option<Class>,
}

/// A request of a chain.
pub(crate) struct Event {
    /// By the order in which they are made, and the one that this one follows.
    pub(crate) id: usize,
    pub(crate) after: Option<usize>,
    pub(crate) more: More,
    pub(crate) time: i64,
    pub(crate) conversation: String,
    /// The chain in its conversation.
    pub(crate) chain: usize,
    pub(crate) agent: Option<String>,
    pub(crate) request: Request,
    /// The deliberate changes.
    pub(crate) change: &'static str,
}

/// A request with what was billed and why.
pub(crate) struct Billed {
    pub(crate) event: Event,
    pub(crate) bill: Bill,
    /// The tokens that would have been read by the rule of the provider.
    pub(crate) rule: u64,
    pub(crate) predicted: Predicted,
    /// It reads an entry whose time is over, unless that started again when a longer one was read.
    pub(crate) open: bool,
    /// The output that the answer tells.
    pub(crate) output: u64,
    /// By the tokens of each part, and by its bytes.
    pub(crate) causes: Causes,
    pub(crate) estimate: Causes,
    /// Whether it is compared with a request of another chain.
    pub(crate) across: bool,
    pub(crate) line: String,
}

pub(crate) struct Maker {
    pub(crate) r: Random,
    /// What is drawn for a class, so that days without one are what they were.
    pub(crate) more_r: Random,
    pub(crate) seed: u64,
    pub(crate) next: u64,
    pub(crate) mode: Mode,
    /// What is true of all requests of this conversation.
    pub(crate) more: More,
    /// The request that the next one follows.
    pub(crate) before: Option<usize>,
    /// How conversations of an API begin alike.
    alike: BTreeMap<Api, Request>,
    pub(crate) out: Vec<Event>,
    taken: BTreeSet<i64>,
}

const WORDS: &[&str] = &[
    "tide", "ferry", "lamp", "count", "bow", "the", "of", "at dawn", "harbour", "nets", "and",
    "two", "never", "list",
];

/// Some days in a row, one for each seed, in the order of their requests.
pub(crate) fn days(seeds: &[u64], mode: Mode) -> Vec<Billed> {
    let mut m = Maker {
        r: Random::new(0),
        more_r: Random::new(0),
        seed: 0,
        next: 0,
        mode,
        more: More::default(),
        before: None,
        alike: BTreeMap::new(),
        out: Vec::new(),
        taken: BTreeSet::new(),
    };
    for (n, seed) in seeds.iter().enumerate() {
        m.r = Random::new(seed.wrapping_mul(4) + u64::from(mode.full) * 2 + u64::from(mode.noise));
        m.more_r = Random::new(seed.wrapping_mul(31) + 5);
        m.seed = *seed;
        let start = (FIRST_DAY + i64::try_from(n).unwrap_or(0)) * 86_400;
        if mode.class == Some(Class::Apps) {
            for (at, app) in (0..).zip(APPS) {
                let apis = [Api::Anthropic, Api::Chat, Api::Responses, Api::Bedrock];
                let api = apis[m.more_r.below(apis.len())];
                m.app(*app, api, start + at * 9_000, TENANTS);
            }
            continue;
        }
        for api in [
            Api::Anthropic,
            Api::Anthropic,
            Api::Anthropic,
            Api::Chat,
            Api::Responses,
            Api::Bedrock,
        ] {
            m.conversation(api, start);
        }
    }
    let mut events = m.out;
    events.sort_by_key(|e| e.time);
    without_times(&mut events, &mut m.more_r);
    let mut r = Random::new(seeds.first().copied().unwrap_or(0) + 77);
    bill(events, mode, &mut r)
}

/// The cache of a provider, and its rule as who reads the bills plays it.
#[derive(Default)]
struct Played {
    real: Cache,
    rule: Cache,
    /// The rule, if a read of an entry is none of the shorter ones inside it.
    alone: Cache,
}

impl Played {
    /// The bill of a request, and what it would read by the rule, played in both ways.
    fn take(&mut self, e: &Event, fault: Fault, answered: Option<i64>) -> (Bill, u64, u64) {
        self.real.begins = e.more.begins;
        let bill = self.real.take(&e.request, e.time, fault);
        let read = bill.read();
        self.alone.alone = true;
        let [rule, alone] = [&mut self.rule, &mut self.alone].map(|cache| {
            cache.begins = e.more.begins;
            cache.untold = !e.more.tells_begin;
            cache.reader = Reader { answered, read };
            cache.take(&e.request, e.time, Fault::None).read()
        });
        (bill, rule, alone)
    }
}

/// Has the providers bill some requests.
fn bill(events: Vec<Event>, mode: Mode, r: &mut Random) -> Vec<Billed> {
    let mut caches: BTreeMap<(bool, u64), Played> = BTreeMap::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    // The chain that ends with a request: two requests can follow it.
    let mut chains: BTreeMap<usize, Chain> = BTreeMap::new();
    let mut known = Ends::default();
    // When a request was sent, and how many messages it had.
    let mut starts: BTreeMap<usize, (i64, usize)> = BTreeMap::new();
    let mut out: Vec<Billed> = Vec::new();
    for event in events {
        if event.more.failed.is_some() {
            out.push(unbilled(event, out.len()));
            continue;
        }
        let provider = (event.request.api == Api::Bedrock, event.more.account);
        let played = caches.entry(provider).or_default();
        let answered = answered(&mut starts, &event);
        let fault = match mode.noise {
            true if r.one_in(12) => Fault::Evicted,
            true if r.one_in(20) => Fault::Elsewhere,
            _ => Fault::None,
        };
        let (bill, promised, read_alone) = played.take(&event, fault, answered);
        let rule = &played.rule;
        let predicted = known.take(&event.request, rule.hit, &bill);
        let full = r.from(5, 800) as u64;
        let (told, output) = told(&event, &bill, full);
        let before = event.after.and_then(|a| chains.get(&a));
        let mut chain = before.cloned().unwrap_or_default();
        let begins = event.after.is_none();
        if event.more.missing == Some(Field::All) {
            // The provider has seen it, and nobody knows what it cost.
            chains.insert(event.id, chain);
            out.push(unbilled(event, out.len()));
            continue;
        }
        let sent = Sent {
            request: event.request.clone(),
            time: event.time,
            bill,
            told,
            rule: promised,
            predicted: predicted != Predicted::Not,
            begun: event
                .more
                .tells_begin
                .then(|| event.time + event.more.begins),
        };
        let other = begins.then(|| find(&candidates, &event, &sent)).flatten();
        let with = other.map_or(&chain, |other| &other.chain);
        let across = other.is_some();
        let compared = Compared {
            across,
            could: could(rule, with.last(), &sent),
        };
        let causes = with.causes(&sent, By::Tokens, compared);
        let estimate = with.causes(&sent, By::Bytes, compared);
        chain.push(sent);
        candidates.push(Candidate::new(&event, chain.clone()));
        chains.insert(event.id, chain);
        out.push(Billed {
            line: line(&event, out.len(), &bill, full).to_string(),
            event,
            bill,
            rule: promised,
            predicted,
            open: read_alone != promised,
            output,
            causes,
            estimate,
            across,
        });
    }
    out
}

/// The start of the request before one in its chain, if that has been answered: this one has more messages.
fn answered(starts: &mut BTreeMap<usize, (i64, usize)>, event: &Event) -> Option<i64> {
    let mine = (event.time, event.request.messages.len());
    starts.insert(event.id, mine);
    let before = event.after.and_then(|a| starts.get(&a));
    before.filter(|b| b.1 < mine.1).map(|b| b.0)
}

/// Whether a request could read what the one that it is compared with had stored.
fn could(rule: &Cache, a: Option<&Sent>, b: &Sent) -> Could {
    match a {
        Some(Sent {
            begun: Some(begun), ..
        }) if *begun > b.time => Could::NotRead,
        Some(a) if a.begun.is_some() || rule.reader.follows(a.time, b.time) => Could::Read,
        Some(a) if !rule.settled(&a.request, &b.request, b.time) => Could::Unsettled,
        _ => Could::Read,
    }
}

/// A request without a bill.
fn unbilled(event: Event, number: usize) -> Billed {
    Billed {
        line: line(&event, number, &Bill::default(), 0).to_string(),
        event,
        bill: Bill::default(),
        rule: 0,
        predicted: Predicted::Not,
        open: false,
        output: 0,
        causes: Causes::new(),
        estimate: Causes::new(),
        across: false,
    }
}

impl Maker {
    pub(crate) fn part(&mut self, kind: Kind, tokens: usize) -> Part {
        self.next += 1;
        let id = self.next;
        // Two texts differ from their first letters on.
        let mut text = format!("{:08x}", (id.wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 32);
        // A token has three to five bytes: a share in bytes is none in tokens.
        let around = if matches!(kind, Kind::System | Kind::Text) {
            30
        } else {
            114
        };
        let mut long = tokens * self.r.from(300, 500) / 100;
        // Where it has four, a share in bytes is one in tokens, and pictures alone can make it wrong.
        let even = matches!(self.mode.class, Some(Class::Images | Class::SmallImages));
        if even {
            long = tokens * 4;
        }
        while text.len() + around < long {
            text.push_str(if self.r.one_in(9) { "\n" } else { " " });
            text.push_str(self.r.pick::<&str>(WORDS));
        }
        let mut part = Part {
            kind,
            id,
            text,
            tokens: tokens as u64,
            picture: None,
        };
        if even {
            part.tokens = part.bytes("") / 4;
        }
        part
    }

    pub(crate) fn message(&mut self, user: bool, parts: usize) -> Message {
        let parts = (0..parts)
            .map(|_| {
                let tokens = self.r.from(40, 260);
                self.part(Kind::Text, tokens)
            })
            .collect();
        Message { user, parts }
    }

    fn marks(&mut self) -> Marks {
        let (five, hour) = (Some(Ttl::Minutes), Some(Ttl::Hour));
        let of = |tools, system, last| Marks {
            tools,
            system,
            last,
            back: 0,
        };
        if self.r.one_in(12) {
            return Marks::default();
        }
        if !self.mode.full {
            return of(None, None, *self.r.pick(&[five, five, hour]));
        }
        *self.r.pick(&[
            of(None, None, five),
            of(None, five, five),
            of(None, hour, five),
            of(None, hour, five),
            of(hour, hour, five),
            of(None, None, hour),
            of(None, five, None),
        ])
    }

    /// A model of an API, another than the one that is given.
    fn model(&mut self, api: Api, not: Option<&str>) -> &'static str {
        let others = self.models(api).iter().filter(|m| Some(**m) != not);
        let others: Vec<&'static str> = others.copied().collect();
        others[self.r.below(others.len())]
    }

    /// The models of an API, of which the page says the tokens of images where there are some.
    fn models(&self, api: Api) -> &'static [&'static str] {
        match (self.mode.class, api) {
            (Some(Class::Images | Class::SmallImages), Api::Chat) => {
                &["gpt-4o", "gpt-4.1", "gpt-5", "gpt-4.1-mini", "gpt-5-mini"]
            }
            (Some(Class::Images | Class::SmallImages), Api::Responses) => {
                &["gpt-4o", "gpt-5", "gpt-5-nano"]
            }
            _ => api.models(),
        }
    }

    /// The first request of a chain.
    pub(crate) fn first(&mut self, api: Api, agent: bool) -> Request {
        let small = self.r.one_in(6);
        let (low, high) = if small { (40, 90) } else { (350, 900) };
        let tools = if agent { 1 } else { self.r.from(1, 3) };
        let tools = (0..tools)
            .map(|_| self.part(Kind::Tool, if small { 60 } else { 150 }))
            .collect();
        let blocks = if api == Api::Responses || small {
            1
        } else {
            self.r.from(1, 3)
        };
        let system = (0..blocks)
            .map(|_| {
                let n = self.r.from(low, high);
                self.part(Kind::System, n)
            })
            .collect();
        let mut out = Request {
            api,
            model: self.model(api, None),
            settings: [0; 3],
            key: 0,
            tools,
            system,
            messages: vec![self.message(true, 1)],
            marks: self.marks(),
        };
        let always = self.mode.class == Some(Class::Unsized);
        self.show(api, &mut out.messages[0], always);
        out
    }

    fn conversation(&mut self, api: Api, start: i64) {
        let conversation = format!("chat-{}-{}", self.seed, self.out.len());
        self.more = self.conversation_more(api);
        let mut main = self.first(api, false);
        if self.mode.full && !self.r.one_in(3) {
            let messages = main.messages.clone();
            if self.r.one_in(2) {
                main.marks = Marks {
                    tools: None,
                    system: Some(Ttl::Hour),
                    last: Some(Ttl::Minutes),
                    back: 0,
                };
            }
            main = self.alike.entry(api).or_insert(main).clone();
            main.messages = messages;
            if self.r.one_in(4) {
                main.model = self.model(api, None);
            }
        }
        let mut time = start + i64::try_from(self.r.below(70_000)).unwrap_or(0);
        let steps = self.r.from(3, 14);
        let agent = self.mode.full && self.r.one_in(3);
        if agent {
            let request = self.first(api, true);
            let name = format!("agent-{}", self.next);
            self.before = None;
            self.chain(
                &conversation,
                1,
                Some(name),
                request,
                time + 7,
                steps.min(5),
            );
        }
        time = self.time(time);
        self.fit(&mut main);
        self.before = None;
        let (main, end) = self.chain(&conversation, 0, None, main, time, steps);
        if self.more.class == Some(Class::Agents) {
            self.twins(&conversation, main, end);
            self.agents(&conversation, api, time + 3);
        }
    }

    /// A second that no other request has.
    pub(crate) fn time(&mut self, from: i64) -> i64 {
        let mut time = from;
        while !self.taken.insert(time) {
            time += 1;
        }
        time
    }

    /// A chain, and its last request.
    pub(crate) fn chain(
        &mut self,
        name: &str,
        chain: usize,
        agent: Option<String>,
        first: Request,
        from: i64,
        steps: usize,
    ) -> (Request, i64) {
        let mut request = first;
        let mut time = from;
        let marks = request.marks;
        let mut change = "first";
        for n in 0..steps {
            if n > 0 {
                let gap = match self.r.below(12) {
                    0 => self.r.from(301, 3500),
                    1 => self.r.from(3602, 5000),
                    2 => self.r.from(295, 300),
                    _ => self.r.from(4, 200),
                };
                time = self.time(time + i64::try_from(gap).unwrap_or(0));
                request.marks = marks;
                change = self.step(&mut request);
            }
            let agent = agent.clone().filter(|_| request.api == Api::Anthropic);
            let (id, after, more) = (self.out.len(), self.before, self.more.clone());
            self.push(Event {
                id,
                after,
                more,
                time,
                conversation: name.to_owned(),
                chain,
                agent,
                request: request.clone(),
                change,
            });
        }
        (request, time)
    }

    /// An answer, and what the user or a tool says to it.
    pub(crate) fn grow(&mut self, r: &mut Request) {
        let mut answer = self.message(false, 1);
        let mut turn = self.message(true, 1);
        if self.r.one_in(2) {
            let calls = self.r.from(1, 3);
            let mut outcomes = Vec::new();
            for _ in 0..calls {
                let n = self.r.from(30, 80);
                let call = self.part(Kind::Call, n);
                let n = self.r.from(60, 500);
                let mut outcome = self.part(Kind::Outcome, n);
                outcome.id = call.id + OUTCOME;
                answer.parts.push(call);
                outcomes.push(outcome);
            }
            turn.parts = outcomes;
        }
        self.show(r.api, &mut turn, false);
        r.messages.extend([answer, turn]);
    }

    fn step(&mut self, r: &mut Request) -> &'static str {
        if self.more.steady {
            self.grow(r);
            return "none";
        }
        if !self.mode.full {
            // Another model has the same request again, so that all of it is known.
            if self.r.one_in(8) {
                r.model = self.model(r.api, Some(r.model));
                return "model";
            }
            self.grow(r);
            return "none";
        }
        if self.r.one_in(20) {
            return "same";
        }
        self.grow(r);
        if !self.r.one_in(3) {
            return "none";
        }
        match self.r.below(12) {
            0 | 1 => self.system(r),
            2 | 3 => self.tool(r),
            4 => {
                r.model = self.model(r.api, Some(r.model));
                "model"
            }
            5 => {
                let level = match r.api {
                    Api::Anthropic => self.r.from(1, 2),
                    Api::Bedrock => 2,
                    _ => 0,
                };
                r.settings[level] = 1 - r.settings[level];
                "setting"
            }
            6..=9 => self.rewrite(r),
            10 => {
                r.marks = if self.r.one_in(2) {
                    Marks::default()
                } else {
                    Marks {
                        last: None,
                        ..r.marks
                    }
                };
                "unmarked"
            }
            _ => {
                let more = self.message(true, 26);
                if let Some(m) = r.messages.last_mut() {
                    m.parts.extend(more.parts);
                }
                "long"
            }
        }
    }

    fn system(&mut self, r: &mut Request) -> &'static str {
        let n = self.r.below(r.system.len());
        let tokens = usize::try_from(r.system[n].tokens).unwrap_or(0);
        r.system[n] = self.part(Kind::System, tokens);
        "system"
    }

    fn tool(&mut self, r: &mut Request) -> &'static str {
        let n = self.r.below(r.tools.len());
        match self.r.below(3) {
            0 if r.tools.len() > 1 => {
                r.tools.remove(n);
            }
            1 => {
                let new = self.part(Kind::Tool, 150);
                r.tools.insert(n, new);
            }
            _ => r.tools[n] = self.part(Kind::Tool, 160),
        }
        "tool"
    }

    fn rewrite(&mut self, r: &mut Request) -> &'static str {
        let long = r.messages.len();
        // What is left of fewer goes on from the first request, and changes nothing.
        let is_unsized = self.mode.class == Some(Class::Unsized);
        let least = if is_unsized { 7 } else { 5 };
        match self.r.below(3) {
            0 if long >= least => {
                r.messages.drain(1..3);
                "dropped"
            }
            1 if long >= 5 => {
                let mut summary = self.message(true, 1);
                summary.parts.extend(self.message(true, 1).parts);
                r.messages = vec![summary];
                "summary"
            }
            _ => {
                let at = self.r.below(long - 1);
                let m = &r.messages[at];
                let text = m.parts.iter().position(|p| p.kind == Kind::Text);
                if let Some(n) = text {
                    r.messages[at].parts[n] = self.part(Kind::Text, 120);
                    return "edited";
                }
                "none"
            }
        }
    }
}
