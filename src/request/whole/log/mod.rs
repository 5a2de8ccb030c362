//! The log of requests: JSON lines, in which each part of a conversation stands once.

pub mod line;
mod read;
mod write;

pub use line::{Origin, RequestLine, ResponseLine, VERSION};
pub use read::{Entry, LastLines, LogError, LogReader, close, lanes_of};
pub(super) use write::AGENT;
pub use write::{LogWriter, Refused};

use super::agent::Agent;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A request and what is known of it, from whatever recorded it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exchange {
    /// The body, as it was sent.
    pub body: String,
    /// Where it was sent: a URL, or its path.
    pub url: Option<String>,
    /// When it was sent.
    pub time: Option<Timestamp>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The answer: a JSON body, or the text of an event stream.
    pub response: Option<String>,
    /// The headers, their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The conversation, if what recorded it names one.
    pub conversation: Option<String>,
    /// Its lane, if what recorded it names one.
    pub lane: Option<String>,
    /// The id of the request.
    pub id: Option<String>,
    /// What asked for it, if that is not the talk itself: requests of two sources are never in one lane.
    pub source: Option<String>,
    /// Whether another recording has it first: a fork repeats the calls of the session that it goes on from.
    pub is_copy: bool,
    /// Why the whole is not known, if what recorded it says so.
    pub incomplete: Option<String>,
    /// The program that sent it, if that is known by whose recording it is.
    pub agent: Option<Agent>,
    /// What the recording does not have.
    pub lacks: Vec<Lack>,
    /// Where it was read.
    pub origin: Option<Origin>,
}

/// What a recording does not have of a request that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// Neither the system text nor the tools.
    SystemAndTools,
    /// The system text.
    System,
    /// The tools.
    Tools,
    /// Some of the messages.
    Messages,
    /// What was billed.
    Usage,
}

impl Lack {
    /// What is not there.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::SystemAndTools => "no system text and no tools",
            Self::System => "no system text",
            Self::Tools => "no tools",
            Self::Messages => "not all messages",
            Self::Usage => "no usage",
        }
    }

    /// Whether it is a part of what was sent.
    #[must_use]
    pub fn is_prompt(self) -> bool {
        self != Self::Usage
    }
}
