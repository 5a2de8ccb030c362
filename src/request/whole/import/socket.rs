//! The exchanges of a WebSocket: the requests that a client sent, each with the events that answered it.

use super::{ImportResult, Members, time};
use crate::request::whole::log::{Exchange, Reply};
use jiff::Timestamp;

/// The events that end an answer.
const LAST: [&str; 5] = [
    "response.completed",
    "response.incomplete",
    "response.failed",
    "response.done",
    "error",
];

/// Why a message is skipped.
const UNREADABLE: &str = "a message of a WebSocket that cannot be read";
const UNASKED: &str = "an answer in a WebSocket that answers no request";

/// The exchanges of one WebSocket so far.
#[derive(Default)]
pub(super) struct Socket {
    sent: Vec<Exchange>,
    answers: Vec<Answering>,
    /// The number of messages that could not be read.
    unread: usize,
}

/// The events of an answer so far.
#[derive(Default)]
struct Answering {
    /// The id of the answer; none of an error that came before any.
    id: Option<String>,
    /// When it began, if it says so.
    time: Option<Timestamp>,
    /// The text of an event stream.
    events: String,
    has_ended: bool,
}

impl Socket {
    /// Adds a message of the client; `exchange` is made of a request.
    pub(super) fn send(&mut self, message: &str, exchange: impl FnOnce() -> Exchange) {
        match kind(message).as_deref() {
            Some("response.create") => self.sent.push(exchange()),
            Some(_) => {}
            None => self.unread += 1,
        }
    }

    /// Adds an event of the server. One that names no answer is of the newest that has not ended.
    pub(super) fn receive(&mut self, event: &str) {
        let Some(kind) = kind(event) else {
            self.unread += 1;
            return;
        };
        let response = Members::read(event).and_then(|event| event.get("response"));
        let response = response.and_then(Members::read).unwrap_or_default();
        let id = response.text("id");
        let newest = self.answers.last();
        // An error may come before the failure that it is of.
        let is_of_error = kind == "response.failed"
            && newest.is_some_and(|newest| newest.has_ended && newest.id.is_none());
        let mut known = self.answers.iter().enumerate().rev();
        let known = match &id {
            Some(_) if is_of_error => known.next(),
            Some(_) => known.find(|(_, answer)| answer.id == id),
            None => known.find(|(_, answer)| !answer.has_ended),
        };
        let known = known.map(|(at, _)| at).unwrap_or_else(|| {
            self.answers.push(Answering::default());
            self.answers.len() - 1
        });
        let answer = &mut self.answers[known];
        answer.id = id.or(answer.id.take());
        let created = response.value("created_at").as_ref().and_then(time);
        answer.time = answer.time.or(created);
        answer.has_ended |= LAST.contains(&kind.as_str());
        // A line break between two members would end the line of a stream.
        let event = event.replace('\n', " ");
        answer.events.push_str(&format!("data: {event}\n\n"));
    }

    /// Counts a message that is none.
    pub(super) fn skip(&mut self) {
        self.unread += 1;
    }

    /// Hands the requests on, each with its answer: a server begins one after the other. A request without a time has that of its answer; where
    /// no answer says any, `closed` counts.
    pub(super) fn exchanges(self, closed: Option<Timestamp>, each: &mut dyn FnMut(ImportResult)) {
        let closed = closed.filter(|_| self.answers.iter().all(|answer| answer.time.is_none()));
        let mut answers = self.answers.into_iter();
        for request in self.sent {
            let answer = answers.next().unwrap_or_default();
            let events = Some(answer.events).filter(|events| !events.is_empty());
            each(Ok(Exchange {
                time: request.time.or(answer.time).or(closed),
                response: events.map(Reply::Text),
                ..request
            }));
        }
        answers.for_each(|_| each(Err(UNASKED)));
        (0..self.unread).for_each(|_| each(Err(UNREADABLE)));
    }
}

fn kind(message: &str) -> Option<String> {
    Members::read(message)?.text("type")
}
