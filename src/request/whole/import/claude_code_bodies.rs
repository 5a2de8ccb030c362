//! The folder of bodies that Claude Code writes (`OTEL_LOG_RAW_API_BODIES=file:FOLDER`).
//!
//! Seen in a real log (2.1.332), but for the rules with a star: they are from documentation,
//! `docs/en/adapters/claude-code-provider-bodies.md` of apache/skywalking-ai-sessionizer. The rules:
//! - A body is `UUID.request.json`, an answer `REQUEST-ID.response.json`. A file may be half written.
//! - (*) From 2.1.274 on: `index.jsonl` has the pairs, their time, session and source (`query_source`).
//! - (*) Without it only the next request of a talk names the one before, in the first block of its system prompt: `cc_prev_req=REQUEST-ID`.
//! - The source of the conversation itself is (*) `repl_main_thread`, with or without a suffix, or `sdk`.

use super::{ImportResult, Json, Members, time};
use crate::request::whole::body::Sent;
use crate::request::whole::log::Exchange;
use crate::request::whole::part::Message;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the file that says what belongs together.
pub const INDEX: &str = "index.jsonl";

/// The suffix of the name of a body.
pub const REQUEST: &str = ".request.json";

/// The suffix of the name of an answer.
pub const RESPONSE: &str = ".response.json";

/// A body in a folder.
#[derive(Debug, Default)]
pub struct Stored {
    /// The name of its file.
    pub request: String,
    /// The name of the file of its answer.
    pub response: Option<String>,
    /// The other data about it; its body is not known.
    pub exchange: Exchange,
}

/// The body of a file.
pub(super) fn read(text: &str) -> ImportResult {
    let whole = Members::read(text).ok_or("a body that was not written to its end")?;
    super::whole_or_cut(super::bodies::read(&whole, text))
}

/// The lines of an index, in order; a line that cannot be read is an error.
pub fn index(text: &str) -> impl Iterator<Item = Result<Stored, &'static str>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| {
        let line = Members::read(line).ok_or(super::NO_OBJECT)?;
        let file = |key: &str| Some(line.text(key)?.rsplit('/').next()?.to_owned());
        Ok(Stored {
            request: file("request_file").ok_or("a line of an index without a request")?,
            response: file("response_file"),
            exchange: Exchange {
                time: line.value("timestamp").as_ref().and_then(time),
                conversation: line.text("session_id"),
                id: line.text("request_id"),
                source: line.text("query_source").and_then(source),
                ..Exchange::default()
            },
        })
    })
}

/// The source of the request, if it is not the conversation itself.
pub(super) fn source(query: String) -> Option<String> {
    let is_talk = query.starts_with("repl_main_thread") || query == "sdk";
    (!is_talk).then_some(query)
}

/// Bodies that no index names, joined by the references of each to the one before it. One that continues another comes
/// after it.
#[derive(Debug, Default)]
pub struct Bodies {
    bodies: Vec<Link>,
    /// The bodies that hold just these messages.
    by_messages: BTreeMap<Hash, Vec<usize>>,
}

type Hash = [u8; 32];

#[derive(Debug)]
struct Link {
    file: String,
    /// The id of the request before.
    before: Option<String>,
    /// Its first messages: one, two, and so on; in a session.
    begins: Vec<Hash>,
}

impl Bodies {
    /// Adds a body.
    pub fn add(&mut self, file: &str, body: &str) {
        let before = before(body);
        let sent = Sent::read(body, Some("/v1/messages")).ok();
        let mut hash: Hash = Sha256::digest(
            sent.as_ref()
                .and_then(|sent| sent.session.as_ref())
                .map_or("", |session| &session.id),
        )
        .into();
        let messages = sent.iter().flat_map(|sent| &sent.messages);
        let begins = messages.map(|message| {
            hash = hashed(&hash, message);
            hash
        });
        let begins: Vec<Hash> = begins.collect();
        if let Some(whole) = begins.last() {
            let same = self.by_messages.entry(*whole).or_default();
            same.push(self.bodies.len());
        }
        self.bodies.push(Link {
            file: file.to_owned(),
            before,
            begins,
        });
    }

    /// The bodies, each with the file of its answer, as far as the next one shows it.
    #[must_use]
    pub fn finish(self) -> Vec<Stored> {
        let mut ids: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); self.bodies.len()];
        let mut depths = vec![0; self.bodies.len()];
        let mut order: Vec<usize> = (0..self.bodies.len()).collect();
        order.sort_by_key(|at| self.bodies[*at].begins.len());
        for at in &order {
            let link = &self.bodies[*at];
            let Some(before) = self.parent(link) else {
                continue;
            };
            depths[*at] = depths[before] + 1;
            ids[before].extend(link.before.as_deref());
        }
        order.sort_by_key(|at| (depths[*at], &self.bodies[*at].file));
        let stored = order.into_iter().map(|at| {
            let mut reported = ids[at].iter().map(|id| (*id).to_owned());
            // Of two names neither is known to be right.
            let id = reported.next().filter(|_| ids[at].len() == 1);
            Stored {
                request: self.bodies[at].file.clone(),
                response: id.as_ref().map(|id| format!("{id}{RESPONSE}")),
                exchange: Exchange {
                    id,
                    ..Exchange::default()
                },
            }
        });
        stored.collect()
    }

    /// The body that begins this one with the most messages; none if several do.
    fn parent(&self, link: &Link) -> Option<usize> {
        link.before.as_ref()?;
        let (_, before) = link.begins.split_last()?;
        let same = before
            .iter()
            .rev()
            .find_map(|hash| self.by_messages.get(hash))?;
        match same[..] {
            [one] => Some(one),
            _ => None,
        }
    }
}

/// The id of the request before, which the first block of the system prompt names.
fn before(body: &str) -> Option<String> {
    let system = Members::read(body)?.value("system")?;
    let first = system
        .items()
        .first()?
        .get("text")
        .and_then(Json::as_text)?;
    let (_, id) = first.split_once("cc_prev_req=")?;
    let id = id.split([';', ' ', '\n']).next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (!id.is_empty() && id.chars().all(is_name)).then(|| id.to_owned())
}

fn hashed(before: &Hash, message: &Message) -> Hash {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(message.role.as_bytes());
    for part in &message.blocks {
        hash.update([0]);
        hash.update(part.key.as_bytes());
    }
    hash.finalize().into()
}
