//! The exchanges of a WebSocket: the requests that a client sent, each with the events that answered it.

use super::Members;
use crate::request::whole::log::{Exchange, Reply};

/// The events that end an answer.
const LAST: [&str; 5] = [
    "response.completed",
    "response.incomplete",
    "response.failed",
    "response.done",
    "error",
];

/// The exchanges of one WebSocket so far.
#[derive(Default)]
pub(super) struct Socket {
    sent: Vec<Exchange>,
    /// The answers, each as the text of an event stream.
    answers: Vec<String>,
    /// The answer that has not come to its end.
    open: String,
}

/// Whether a message of a client is a request.
pub(super) fn is_request(message: &str) -> bool {
    kind(message).as_deref() == Some("response.create")
}

fn kind(message: &str) -> Option<String> {
    Members::read(message)?.text("type")
}

impl Socket {
    /// Adds a request.
    pub(super) fn send(&mut self, request: Exchange) {
        self.sent.push(request);
    }

    /// Adds an event of the server.
    pub(super) fn receive(&mut self, event: &str) {
        let Some(kind) = kind(event) else { return };
        // A line break between two members would end the line of a stream.
        let event = event.replace('\n', " ");
        self.open.push_str(&format!("data: {event}\n\n"));
        if LAST.contains(&kind.as_str()) {
            self.answers.push(std::mem::take(&mut self.open));
        }
    }

    /// The requests, each with its answer. A server answers one after the other.
    pub(super) fn exchanges(self) -> impl Iterator<Item = Exchange> {
        let open = Some(self.open).filter(|open| !open.is_empty());
        let answers = self.answers.into_iter().chain(open).map(Some);
        let answers = answers.chain(std::iter::repeat(None));
        let both = self.sent.into_iter().zip(answers);
        both.map(|(request, answer)| Exchange {
            response: answer.map(Reply::Text),
            ..request
        })
    }
}
