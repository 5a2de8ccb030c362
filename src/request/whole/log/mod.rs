//! The log of requests: JSON lines, with each part of a conversation once.

pub mod line;
mod exchanged;
mod read;
mod clean;
mod sink;
mod lines;
mod entries;
mod identity;
mod account;
mod write;

pub use account::key_in;
pub use clean::{Clean, Cleaner};
pub use exchanged::{Entry, Exchanged, OpenRequests};
pub use identity::Learnt;
pub use line::{Origin, RequestLine, ResponseLine, VERSION};
pub use read::{LastUses, LogError, LogReader};
pub(super) use write::AGENT;
use write::SESSION;
pub use write::{LogWriter, Refused};

use super::agent::Agent;
use super::answer::Answer;
use super::body::{BodyError, Sent};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A request and what is known of it, from whatever recorded it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exchange {
    /// The body.
    pub body: Body,
    /// Where it was sent: a URL, or its path.
    pub url: Option<String>,
    /// When it was sent.
    pub time: Option<Timestamp>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The answer.
    pub response: Option<Reply>,
    /// The headers, their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// When the first of its answer came.
    pub begun: Option<Timestamp>,
    /// The account, if what recorded it names one. Without a name the headers with credentials say it.
    pub account: Option<String>,
    /// The conversation, if what recorded it names one.
    pub conversation: Option<String>,
    /// Its chain, if what recorded it names one.
    pub chain: Option<String>,
    /// The id of the request, as its recorder gave it.
    pub id: Option<String>,
    /// Its id at the provider, which the header `request-id` of the answer names.
    pub request_id: Option<String>,
    /// The source of the request, if it is not the conversation itself: requests of two sources are never in one chain.
    pub source: Option<String>,
    /// Whether another recording has it first: a fork repeats the calls of the session that it goes on from.
    pub is_copy: bool,
    /// Why the whole is not known, if what recorded it says so.
    pub incomplete: Option<String>,
    /// The program that sent it, if the recording shows it.
    pub agent: Option<Agent>,
    /// The missing part of the recording.
    pub lacks: Vec<Lack>,
    /// Where it was read.
    pub origin: Option<Origin>,
}

impl Exchange {
    /// The conversation, as far as this or the session that its body names says it.
    pub(super) fn speaks_in(&self, session: Option<String>) -> Option<String> {
        let header = || self.headers.get(SESSION).cloned();
        self.conversation.clone().or_else(header).or(session)
    }
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// As it was sent.
    Text(String),
    /// The parts that a recording stores in pieces.
    Read(Result<Box<Sent>, BodyError>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A JSON body, or the text of an event stream.
    Text(String),
    /// The parts that a recording stores in pieces.
    Read(Box<Answer>),
}

/// The part of a sent request that a recording lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// Neither the system prompt nor the tools.
    SystemAndTools,
    /// The system prompt.
    System,
    /// The tools.
    Tools,
    /// Some of the messages.
    Messages,
    /// The settings and the breakpoints.
    Settings,
    /// The usage.
    Usage,
    /// A time, a status or a name that stands there and is none.
    Readable,
}

impl Lack {
    /// The missing part.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::SystemAndTools => "no system prompt and no tools",
            Self::System => "no system prompt",
            Self::Tools => "no tools",
            Self::Messages => "not all messages",
            Self::Settings => "no settings and no breakpoints",
            Self::Usage => "no usage",
            Self::Readable => "a time, a status or a name that cannot be read",
        }
    }

    /// Whether it is a part of what was sent.
    #[must_use]
    pub fn is_prompt(self) -> bool {
        !matches!(self, Self::Usage | Self::Readable)
    }
}
