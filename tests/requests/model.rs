//! The content of a request, apart from its form in an API.

use crate::json::{J, obj};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Api {
    Anthropic,
    /// A body of Anthropic in Bedrock.
    Invoke,
    Chat,
    Responses,
    Gemini,
    Converse,
}

impl Api {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anthropic | Self::Invoke => "anthropic-messages",
            Self::Chat => "openai-chat",
            Self::Responses => "openai-responses",
            Self::Gemini => "gemini",
            Self::Converse => "bedrock-converse",
        }
    }

    pub(crate) fn claude(self) -> bool {
        matches!(self, Self::Anthropic | Self::Invoke)
    }

    /// Whether messages in a row of the same role are one, and nothing is kept without a breakpoint.
    pub(crate) fn marked(self) -> bool {
        self.claude() || self == Self::Converse
    }

    /// Where the schema of a tool is in it, and its description.
    pub(crate) fn schema(self) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic | Self::Invoke => ("input_schema", "description"),
            Self::Chat => ("function.parameters", "function.description"),
            Self::Responses | Self::Gemini => ("parameters", "description"),
            Self::Converse => ("toolSpec.inputSchema.json", "toolSpec.description"),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Prop {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) about: String,
    pub(crate) min: Option<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) props: Vec<Prop>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct System {
    pub(crate) id: u32,
    pub(crate) text: String,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Call {
        id: String,
        name: String,
        input: J,
    },
    Outcome {
        id: String,
        name: String,
        text: String,
    },
}

/// A message; one item of the Responses API. An edited message has another `id`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Msg {
    pub(crate) id: u32,
    pub(crate) role: &'static str,
    pub(crate) blocks: Vec<Block>,
    /// The id of an item that an answer held.
    pub(crate) item: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ttl {
    Unsaid,
    Minutes,
    Hour,
}

impl Ttl {
    pub(crate) fn seconds(self) -> i64 {
        if self == Self::Hour { 3600 } else { 300 }
    }

    /// The breakpoint as a field: its key and its value.
    pub(crate) fn mark(self, api: Api) -> (&'static str, J) {
        let mut mark = obj! { "type": if api == Api::Converse { "default" } else { "ephemeral" } };
        match self {
            Self::Unsaid => {}
            Self::Minutes => mark.push("ttl", "5m"),
            Self::Hour => mark.push("ttl", "1h"),
        }
        (
            if api == Api::Converse {
                "cachePoint"
            } else {
                "cache_control"
            },
            mark,
        )
    }
}

/// A breakpoint after a tool, a block of the system prompt or a message: so many before the last one. There is none where
/// there are fewer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    pub(crate) back: usize,
    pub(crate) ttl: Ttl,
}

impl Mark {
    pub(crate) fn at_end(ttl: Ttl) -> Self {
        Self { back: 0, ttl }
    }

    /// The place among `count`, from 0.
    pub(crate) fn place(self, count: usize) -> Option<usize> {
        count.checked_sub(self.back + 1)
    }
}

/// The breakpoints of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Marks {
    pub(crate) tools: Option<Mark>,
    pub(crate) system: Option<Mark>,
    /// After a message before the last one.
    pub(crate) middle: Option<Mark>,
    pub(crate) last: Option<Ttl>,
    pub(crate) top: Option<Ttl>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Full {
    pub(crate) model: String,
    pub(crate) settings: Vec<(&'static str, J)>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) system: Vec<System>,
    pub(crate) msgs: Vec<Msg>,
    pub(crate) marks: Marks,
}

pub(crate) const NUMBERS: &[&[&str]] = &[
    &["1", "1.0", "1e0"],
    &["10", "10.0", "1e1", "1E+1"],
    &["0.5", "0.50", "5e-1"],
    &["2500", "2.5e3", "2500.0"],
];

impl Full {
    /// The breakpoint after a message.
    pub(crate) fn message_mark(&self, n: usize) -> Option<Ttl> {
        let count = self.msgs.len();
        let middle = self
            .marks
            .middle
            .filter(|m| m.place(count) == Some(n))
            .map(|m| m.ttl);
        self.marks.last.filter(|_| n + 1 == count).or(middle)
    }
}

/// The breakpoints of a request: how many parts are up to it (tools, blocks of the system prompt, blocks of messages), and
/// the time to live.
pub(crate) fn breakpoints(api: Api, f: &Full) -> Vec<(usize, Ttl)> {
    if !api.marked() {
        return Vec::new();
    }
    let place =
        |mark: Option<Mark>, count: usize| mark.and_then(|m| Some((m.place(count)? + 1, m.ttl)));
    let mut out = Vec::new();
    out.extend(place(f.marks.tools, f.tools.len()));
    let mut before = f.tools.len();
    out.extend(place(f.marks.system, f.system.len()).map(|(n, ttl)| (before + n, ttl)));
    before += f.system.len();
    for (n, m) in f.msgs.iter().enumerate() {
        before += m.blocks.len();
        out.extend(f.message_mark(n).map(|ttl| (before, ttl)));
    }
    // The provider marks the end.
    out.extend(
        f.marks
            .top
            .filter(|_| api == Api::Anthropic)
            .map(|ttl| (before, ttl)),
    );
    out
}

/// The longest time to live of the breakpoints in seconds, if there is one.
pub(crate) fn marks(api: Api, f: &Full) -> Option<i64> {
    breakpoints(api, f).iter().map(|(_, t)| t.seconds()).max()
}

/// How many parts of a request were cached at most: those up to its last breakpoint. All, if its API needs none, and also
/// if it has none: then everything counts.
pub(crate) fn cached(api: Api, f: &Full) -> usize {
    let ends = breakpoints(api, f).into_iter().map(|(end, _)| end);
    ends.max().unwrap_or(usize::MAX)
}
