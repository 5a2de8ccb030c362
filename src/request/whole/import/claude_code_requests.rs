//! The requests that a transcript of Claude Code stores next to the conversation.
//!
//! Seen in real logs of 2.1.300 to 2.1.332; no documentation has them. The rules:
//! - `api-request-shape` has the system prompt and the tools, `api-request` the other settings, what was marked (`cacheControl`) and which
//!   messages were sent: the first `keep` of those of an earlier request (`base`), then `tail`, each by its hash.
//! - A message is that of an `api-request-blob`, or one that was said in the transcript. Its hash is the SHA-256 of its JSON, with the
//!   keys in order and a text as a list of one block.
//! - An answer names its request in `requestRef`.
//! - With a `thread` that goes on from an answer, what the lines hold was not seen. Before 2.1.332 none is named.

use super::{Json, Members, time};
use crate::request::whole::api::Api;
use crate::request::whole::body::{BodyError, Seen, Sent, message_said};
use crate::request::whole::members::list;
use crate::request::whole::said::Said;
use data_encoding::HEXLOWER as HEX;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The requests of a transcript. Names and hashes are in quotes, as they are written.
#[derive(Default)]
pub(super) struct Requests<'t> {
    shapes: BTreeMap<&'t str, &'t str>,
    messages: BTreeMap<String, Message>,
    all: Vec<Kept<'t>>,
    by_id: BTreeMap<&'t str, usize>,
    /// The id of the newest one, until a later line belongs to it.
    newest: Option<&'t str>,
}

/// A request as its line has it.
struct Kept<'t> {
    time: Option<Timestamp>,
    source: Option<String>,
    shape: &'t str,
    params: &'t str,
    base: Option<usize>,
    keep: usize,
    tail: Vec<&'t str>,
    marks: Option<&'t str>,
}

/// A message that requests may name: most are in many of them.
struct Message {
    text: String,
    read: OnceCell<Option<Arc<Said>>>,
}

impl Message {
    fn new(text: String) -> Self {
        Self {
            text,
            read: OnceCell::new(),
        }
    }

    fn said(&self) -> Option<Arc<Said>> {
        let read = || message_said(Api::AnthropicMessages, &self.text).map(Arc::new);
        self.read.get_or_init(read).clone()
    }
}

/// A request with all that was sent.
pub(super) struct Whole {
    pub(super) sent: Result<Sent, BodyError>,
    pub(super) time: Option<Timestamp>,
    pub(super) source: Option<String>,
}

impl<'t> Requests<'t> {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Notes a line, if it is of a request.
    pub(super) fn line(&mut self, kind: &str, line: &Members<'t>) -> Option<()> {
        match kind {
            "api-request-shape" => {
                self.shapes
                    .insert(line.get("shapeHash")?, line.get("shape")?);
            }
            "api-request-blob" => {
                let message = Message::new(line.get("message")?.to_owned());
                self.messages.insert(line.get("hash")?.to_owned(), message);
            }
            "api-request" => {
                self.newest = line.get("id");
                let thread = line.get("thread").and_then(Members::read);
                let thread = thread.and_then(|thread| thread.text("type"));
                if thread.is_some_and(|kind| !matches!(kind.as_str(), "none" | "create")) {
                    return None;
                }
                let base = line.get("base").map(|base| self.by_id.get(base).copied());
                self.by_id.insert(line.get("id")?, self.all.len());
                self.all.push(Kept {
                    time: line.value("timestamp").as_ref().and_then(time),
                    source: line.text("querySource"),
                    shape: line.get("shapeHash")?,
                    params: line.get("params")?,
                    base: base.unwrap_or_default(),
                    keep: line.get("keep")?.parse().ok()?,
                    tail: line.list("tail"),
                    marks: line.get("cacheControl"),
                });
            }
            _ => {}
        }
        Some(())
    }

    /// The id of the newest request, if nothing belongs to it yet: that of an attempt that failed, whose line does not name it.
    pub(super) fn unanswered(&mut self) -> Option<&'t str> {
        self.newest.take()
    }

    /// Notes that a line names its request.
    pub(super) fn answered(&mut self, id: Option<&str>) {
        self.newest.take_if(|newest| Some(*newest) == id);
    }

    /// Notes a message that was said.
    pub(super) fn said(&mut self, role: &str, content: &str) -> Option<()> {
        let message = format!(r#"{{"role":"{role}","content":{content}}}"#);
        let mut spelled = Json::read(&message)?;
        if let Some(text @ Json::Text(_)) = spelled.get("content") {
            let block = Json::object([("type", "text".into()), ("text", text.clone())]);
            let content = Json::list([block]);
            spelled = Json::object([("role", role.into()), ("content", content)]);
        }
        let hash = HEX.encode(&Sha256::digest(spelled.sorted().canonical()));
        let known = self.messages.entry(format!("\"{hash}\""));
        known.or_insert_with(|| Message::new(message));
        Some(())
    }

    /// Whether all of the request of an id is there.
    pub(super) fn has(&self, id: &str) -> bool {
        self.parts(id).is_some()
    }

    /// The line of a request, its shape, and its messages. None if not all of it is there.
    fn parts(&self, id: &str) -> Option<(&Kept<'t>, &'t str, Vec<&Message>)> {
        let kept = &self.all[*self.by_id.get(id)?];
        let hashes = self.hashes(kept)?.into_iter();
        let messages = hashes.map(|hash| self.messages.get(hash));
        let shape = self.shapes.get(kept.shape)?;
        Some((kept, shape, messages.collect::<Option<_>>()?))
    }

    /// The request of an id, sent to this address. None if not all of it is there.
    pub(super) fn whole(&self, id: &str, url: Option<&str>, seen: &mut Seen) -> Option<Whole> {
        let (kept, shape, messages) = self.parts(id)?;
        let inside = |object: &'t str| object.strip_prefix('{')?.strip_suffix('}');
        let (params, shape) = (inside(kept.params)?, inside(shape)?);
        let mut head = format!(r#"{{{params},{shape},"messages":[]}}"#);
        let mut marked: BTreeMap<usize, String> = BTreeMap::new();
        for mark in kept.marks.and_then(list).unwrap_or_default() {
            let mark = Members::read(mark)?;
            let (path, value) = (mark.list("path"), mark.get("value")?);
            match path.as_slice() {
                [r#""messages""#, at, path @ ..] => {
                    let at = at.parse().ok()?;
                    let message = messages.get(at)?;
                    let text = marked.get(&at).unwrap_or(&message.text);
                    let text = with_mark(text, path, value)?;
                    marked.insert(at, text);
                }
                path => head = with_mark(&head, path, value)?,
            }
        }
        let said = messages.iter().enumerate().map(|(at, message)| {
            let marked = marked.get(&at);
            marked.map_or_else(
                || message.said(),
                |text| message_said(Api::AnthropicMessages, text).map(Arc::new),
            )
        });
        let sent = Sent::read_again(&head, url, seen).and_then(|mut sent| {
            for said in said {
                sent.push(said.ok_or(BodyError::Shape)?);
            }
            // As they stand in a body that is read at once.
            sent.breakpoints.sort_by_key(|mark| mark.at == "request");
            Ok(sent)
        });
        Some(Whole {
            sent,
            time: kept.time,
            source: kept.source.clone(),
        })
    }

    /// The hashes of the messages of a request, in order.
    fn hashes(&self, kept: &Kept<'t>) -> Option<Vec<&'t str>> {
        let mut at = kept;
        let mut wanted = kept.keep.checked_add(kept.tail.len())?;
        let mut runs = Vec::new();
        // A base is an earlier line, so this ends.
        while wanted > 0 {
            let keep = at.keep.min(wanted);
            runs.push(at.tail.get(..wanted - keep)?);
            wanted = keep;
            match at.base {
                Some(base) => at = &self.all[base],
                None if wanted > 0 => return None,
                None => {}
            }
        }
        Some(runs.into_iter().rev().flatten().copied().collect())
    }
}

/// A value with a breakpoint at the end of a path; the rest stays as it is written. None if the path leads nowhere.
fn with_mark(value: &str, path: &[&str], mark: &str) -> Option<String> {
    let Some((step, path)) = path.split_first() else {
        let members = value.strip_prefix('{')?.strip_suffix('}')?;
        let comma = if members.trim().is_empty() { "" } else { "," };
        return Some(format!(r#"{{{members}{comma}"cache_control":{mark}}}"#));
    };
    let text_block;
    let value = if value.starts_with('"') {
        text_block = format!(r#"[{{"type":"text","text":{value}}}]"#);
        &text_block
    } else {
        value
    };
    let inner = match step.strip_prefix('"') {
        Some(key) => Members::read(value)?.get(key.strip_suffix('"')?)?,
        None => *list(value)?.get(step.parse::<usize>().ok()?)?,
    };
    let start = inner.as_ptr().addr() - value.as_ptr().addr();
    let (before, after) = (&value[..start], &value[start + inner.len()..]);
    Some(format!("{before}{}{after}", with_mark(inner, path, mark)?))
}
