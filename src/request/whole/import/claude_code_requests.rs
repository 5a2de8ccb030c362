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
use crate::request::whole::members::list;
use data_encoding::HEXLOWER as HEX;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The requests of a transcript. Names and hashes are in quotes, as they are written.
#[derive(Default)]
pub(super) struct Requests<'t> {
    shapes: BTreeMap<&'t str, &'t str>,
    messages: BTreeMap<String, String>,
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

/// A request with all that was sent.
pub(super) struct Whole {
    pub(super) body: String,
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
                let message = line.get("message")?.to_owned();
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
        if let Some(Json::Text(text)) = spelled.get("content") {
            let block = Json::object([("type", "text".into()), ("text", text.as_str().into())]);
            let content = Json::List(vec![block]);
            spelled = Json::object([("role", role.into()), ("content", content)]);
        }
        sort(&mut spelled);
        let hash = HEX.encode(&Sha256::digest(spelled.canonical()));
        let known = self.messages.entry(format!("\"{hash}\""));
        known.or_insert(message);
        Some(())
    }

    /// The request of an id. None if not all of it is there.
    pub(super) fn whole(&self, id: &str) -> Option<Whole> {
        let kept = &self.all[*self.by_id.get(id)?];
        let messages = self.hashes(kept)?.into_iter();
        let messages: Option<Vec<&str>> = messages.map(|hash| self.message(hash)).collect();
        let messages = messages?.join(",");
        let inside = |object: &str| {
            object
                .strip_prefix('{')?
                .strip_suffix('}')
                .map(str::to_owned)
        };
        let params = inside(kept.params)?;
        let shape = inside(self.shapes.get(kept.shape)?)?;
        let body = format!(r#"{{{params},{shape},"messages":[{messages}]}}"#);
        Some(Whole {
            body: marked(body, kept.marks)?,
            time: kept.time,
            source: kept.source.clone(),
        })
    }

    fn message(&self, hash: &str) -> Option<&str> {
        self.messages.get(hash).map(String::as_str)
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

/// A body with its breakpoints. None if one of them has no place in it.
fn marked(body: String, marks: Option<&str>) -> Option<String> {
    let marks = marks.and_then(list).unwrap_or_default();
    if marks.is_empty() {
        return Some(body);
    }
    let mut whole = Json::read(&body)?;
    for mark in marks {
        let mark = Json::read(mark)?;
        let mut at = &mut whole;
        for step in mark.get("path")?.items() {
            at = inner(at, step)?;
        }
        let Json::Object(members) = at else {
            return None;
        };
        members.push(("cache_control".to_owned(), mark.get("value")?.clone()));
    }
    Some(whole.canonical())
}

/// The value at a step of a path. A text is a list of one block.
fn inner<'j>(value: &'j mut Json, step: &Json) -> Option<&'j mut Json> {
    if let Json::Text(text) = value {
        let block = Json::object([("type", "text".into()), ("text", text.as_str().into())]);
        *value = Json::List(vec![block]);
    }
    match (value, step) {
        (Json::Object(members), Json::Text(key)) => {
            let found = members.iter_mut().rfind(|(k, _)| k == key);
            found.map(|(_, value)| value)
        }
        (Json::List(items), Json::Number(index)) => {
            items.get_mut(usize::try_from(index.as_u64()?).ok()?)
        }
        _ => None,
    }
}

/// Puts the keys of all objects in order.
fn sort(value: &mut Json) {
    match value {
        Json::Object(members) => {
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            members.iter_mut().for_each(|(_, value)| sort(value));
        }
        Json::List(items) => items.iter_mut().for_each(sort),
        _ => {}
    }
}
