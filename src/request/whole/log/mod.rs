//! The log of requests: JSON lines, in which each part of a conversation stands once.

pub mod line;
mod read;
mod write;

pub use line::{Origin, RequestLine, ResponseLine, VERSION};
pub use read::{Entry, LogError, LogReader};
pub use write::{LogWriter, Refused};

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
    /// The id of the request.
    pub id: Option<String>,
    /// Where it was read.
    pub origin: Option<Origin>,
}
