//! The content of a request, part by part, with the tokens of each: the counts of the provider, which the program does
//! not see.

use crate::cache::{BLOCK, LOOK_BACK, Rule, View};
use crate::money::price;
use crate::pictures::Picture;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Api {
    Anthropic,
    Chat,
    Responses,
    Bedrock,
}

impl Api {
    /// Whether its provider keeps what is marked, and nothing else.
    pub(crate) fn marked(self) -> bool {
        matches!(self, Self::Anthropic | Self::Bedrock)
    }

    /// Its models in the traffic.
    pub(crate) fn models(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => &[
                "claude-opus-5-5",
                "claude-sonnet-5-5",
                "claude-sonnet-4-6",
                "claude-fable-5-2",
            ],
            Self::Bedrock => &["anthropic.claude-opus-5-5", "us.anthropic.claude-opus-5-5"],
            Self::Chat => &["gpt-5.5", "gpt-4.1", "gpt-4o"],
            Self::Responses => &["gpt-5.5", "gpt-5.4-mini"],
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Tool,
    System,
    Text,
    Call,
    Outcome,
    /// No text but a picture.
    Picture,
}

/// A tool, a block of the system prompt or a block of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    /// No two that differ have the same.
    pub(crate) id: u64,
    pub(crate) text: String,
    /// Those of its text.
    pub(crate) tokens: u64,
    pub(crate) picture: Option<Picture>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    pub(crate) user: bool,
    pub(crate) parts: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ttl {
    Minutes,
    /// The caching of OpenAI from 5.6 on.
    HalfHour,
    Hour,
}

impl Ttl {
    pub(crate) fn seconds(self) -> i64 {
        match self {
            Self::Minutes => 300,
            Self::HalfHour => 1800,
            Self::Hour => 3600,
        }
    }

    /// The one that lives longer.
    pub(crate) fn longer(self, other: Self) -> Self {
        if self.seconds() < other.seconds() {
            other
        } else {
            self
        }
    }

    /// Where a token is counted that is written to live so long, as a place in `BUCKETS`.
    pub(crate) fn bucket(self) -> usize {
        match self {
            Self::Minutes => 2,
            Self::HalfHour => 4,
            Self::Hour => 3,
        }
    }
}

/// The marks of a request: after its tools, its system prompt and its last part.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Marks {
    pub(crate) tools: Option<Ttl>,
    pub(crate) system: Option<Ttl>,
    pub(crate) last: Option<Ttl>,
    /// How many messages before the last one that mark is left.
    pub(crate) back: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) api: Api,
    pub(crate) model: &'static str,
    /// Settings that count from the start, from the system prompt and from the messages: values by number, 0 for none.
    pub(crate) settings: [u8; 3],
    /// The key by which OpenAI sends requests to one cache, by number, 0 for none. It counts from the start.
    pub(crate) key: u64,
    pub(crate) tools: Vec<Part>,
    pub(crate) system: Vec<Part>,
    pub(crate) messages: Vec<Message>,
    pub(crate) marks: Marks,
}

/// The end of a part in a request.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// The part.
    pub(crate) id: u64,
    /// All that a provider distinguishes up to here.
    pub(crate) key: u64,
    /// From the start up to here.
    pub(crate) tokens: u64,
    pub(crate) bytes: u64,
    /// A run of calls is one position, and so is a run of outcomes.
    pub(crate) position: usize,
}

/// One more step of a key. Keys of 64 bits are enough to distinguish some thousand prefixes.
pub(crate) fn mix(key: u64, with: u64) -> u64 {
    let x = (key ^ with)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(29);
    x.wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (x >> 31)
}

impl Request {
    /// Whether it asks for fast mode.
    pub(crate) fn is_fast(&self) -> bool {
        self.api == Api::Anthropic && self.settings[1] > 0
    }

    /// The ends of all its parts, in the order of the provider.
    pub(crate) fn ends(&self) -> Vec<End> {
        let mut key = self
            .model
            .bytes()
            .fold(u64::from(self.settings[0]) ^ self.key << 8, |k, b| {
                mix(k, b.into())
            });
        let mut out: Vec<End> = Vec::new();
        let mut last: Option<(Kind, bool)> = None;
        let mut add = |key: u64, p: &Part, user: bool| {
            let run = matches!(p.kind, Kind::Call | Kind::Outcome) && last == Some((p.kind, user));
            last = Some((p.kind, user));
            let before = out.last();
            out.push(End {
                id: p.id,
                key,
                tokens: before.map_or(0, |e| e.tokens) + p.tokens_of(self.model),
                bytes: before.map_or(0, |e| e.bytes) + p.bytes(self.model),
                position: before.map_or(0, |e| e.position + usize::from(!run)),
            });
        };
        for p in &self.tools {
            key = mix(key, p.id);
            add(key, p, false);
        }
        key = mix(key, 1000 + u64::from(self.settings[1]));
        for p in &self.system {
            key = mix(key, p.id);
            add(key, p, false);
        }
        key = mix(key, 2000 + u64::from(self.settings[2]));
        for m in &self.messages {
            for p in &m.parts {
                key = mix(mix(key, m.user.into()), p.id);
                add(key, p, m.user);
            }
        }
        out
    }

    /// The marks by how many parts are before them, the first one first.
    pub(crate) fn places(&self) -> Vec<(usize, Ttl)> {
        let tools = self.tools.len();
        let system = tools + self.system.len();
        let all = system + self.messages.iter().map(|m| m.parts.len()).sum::<usize>();
        let m = self.marks;
        let messages = self.messages.iter().rev();
        let behind: usize = messages.take(m.back).map(|m| m.parts.len()).sum();
        let marks = if self.api.marked() {
            [(tools, m.tools), (system, m.system), (all - behind, m.last)]
        } else {
            // Some of OpenAI's models set one themselves, at the end.
            let own = self.marked().then_some(Ttl::HalfHour);
            [(0, None), (0, None), (all, own)]
        };
        marks
            .into_iter()
            .filter_map(|(n, t)| t.map(|t| (n, t)))
            .filter(|(n, _)| *n > 0)
            .collect()
    }

    /// Whether it has something whose size the recording does not say.
    pub(crate) fn is_unsized(&self) -> bool {
        let mut parts = self.messages.iter().flat_map(|m| &m.parts);
        parts.any(|p| p.picture.is_some_and(|p| !p.sized()))
    }

    /// Whether its provider keeps what is marked, and nothing else.
    pub(crate) fn marked(&self) -> bool {
        self.api.marked() || self.model.starts_with("gpt-6")
    }

    /// The key of the end of which its bill says how many tokens it has: its last mark, if that is kept, or all of it.
    pub(crate) fn told_end(&self) -> Option<u64> {
        let ends = self.ends();
        if !self.marked() {
            return ends.last().map(|e| e.key);
        }
        let kept = |(n, _): &(usize, Ttl)| ends[n - 1].tokens >= self.minimum();
        let places = self.places();
        places
            .iter()
            .rfind(|p| kept(p))
            .map(|(n, _)| ends[n - 1].key)
    }

    pub(crate) fn minimum(&self) -> u64 {
        price(self.model).minimum
    }

    pub(crate) fn view(&self) -> View {
        View {
            rule: if self.api.marked() {
                Rule::Marks(LOOK_BACK)
            } else if self.marked() {
                // OpenAI looks 80 marks back: further than any conversation here.
                Rule::Marks(usize::MAX)
            } else {
                Rule::Blocks(BLOCK)
            },
            minimum: self.minimum(),
            ends: self.ends(),
            places: self.places(),
        }
    }
}

impl Part {
    /// The tokens that a model has of it.
    pub(crate) fn tokens_of(&self, model: &str) -> u64 {
        self.tokens + self.picture.map_or(0, |p| p.tokens(model))
    }

    /// About what its JSON has; of a picture what so many tokens of text have.
    pub(crate) fn bytes(&self, model: &str) -> u64 {
        let around = match self.kind {
            Kind::System | Kind::Text => 26,
            Kind::Picture => 0,
            _ => 110,
        };
        let picture = self.picture.map_or(0, |p| p.tokens(model));
        self.text.len() as u64 + around + 4 * picture
    }
}
