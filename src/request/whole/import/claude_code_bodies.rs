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

/// The lines of an index with their numbers from 1, in order and without blank ones; a line that cannot be read is an error.
pub fn index(text: &str) -> impl Iterator<Item = (usize, Result<Stored, &'static str>)> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| (number, stored(line)))
}

fn stored(line: &str) -> Result<Stored, &'static str> {
    let line = Members::read(line).ok_or(super::NO_OBJECT)?;
    let file = |key: &str| Some(line.text(key)?.rsplit('/').next()?.to_owned());
    Ok(Stored {
        request: file("request_file").ok_or("a line of an index without a request")?,
        response: file("response_file"),
        exchange: Exchange {
            time: line.value("timestamp").as_ref().and_then(time),
            conversation: line.text("session_id"),
            request_id: line.text("request_id"),
            source: line.text("query_source").and_then(source),
            ..Exchange::default()
        },
    })
}

/// The source of the request, if it is not the conversation itself.
pub(super) fn source(query: String) -> Option<String> {
    let is_talk = query.starts_with("repl_main_thread") || query == "sdk";
    (!is_talk).then_some(query)
}

/// The bodies of a folder in their order. What an index does not say of one, the messages of others do: the request after it begins with
/// its messages, and names the id of the newest request that was answered.
#[derive(Debug, Default)]
pub struct Bodies {
    bodies: Vec<Link>,
    /// The bodies that hold just these messages.
    by_messages: BTreeMap<Hash, Vec<usize>>,
}

type Hash = [u8; 32];

#[derive(Debug)]
struct Link {
    stored: Stored,
    /// Whether an index names it.
    is_listed: bool,
    /// The id of the request before.
    before: Option<String>,
    /// Its first messages: one, two, and so on; in a session.
    begins: Vec<Hash>,
}

impl Bodies {
    /// Adds a body; those that an index names come first, in its order.
    pub fn add(&mut self, stored: Stored, is_listed: bool, body: &str) {
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
            stored,
            is_listed,
            before,
            begins,
        });
    }

    /// The bodies, each with the file of its answer, as far as the index or the next one shows it.
    #[must_use]
    pub fn finish(mut self) -> Vec<Stored> {
        let mut by_length: Vec<usize> = (0..self.bodies.len()).collect();
        by_length.sort_by_key(|at| self.bodies[*at].begins.len());
        let mut depths = vec![0; self.bodies.len()];
        for at in &by_length {
            let parents = self.parents(*at);
            depths[*at] = parents.last().map_or(0, |parent| depths[*parent] + 1);
        }
        self.name(&by_length);
        let link = |at: usize| &self.bodies[at];
        let mut order: Vec<usize> = (0..self.bodies.len())
            .filter(|at| link(*at).is_listed)
            .collect();
        let mut others: Vec<usize> = (0..self.bodies.len())
            .filter(|at| !link(*at).is_listed)
            .collect();
        others.sort_by_key(|at| (depths[*at], &link(*at).stored.request));
        if order.is_empty() {
            order = others;
        } else {
            for at in others {
                let place = self.place(&order, at);
                order.insert(place, at);
            }
        }
        let mut stored: Vec<Option<Stored>> = self
            .bodies
            .into_iter()
            .map(|link| Some(link.stored))
            .collect();
        order
            .into_iter()
            .filter_map(|at| stored[at].take())
            .collect()
    }

    /// Gives the ids that bodies name to those before them. One that an earlier body has already is not of an unanswered one after it.
    fn name(&mut self, by_length: &[usize]) {
        let ids = |link: &Link| link.stored.exchange.request_id.clone();
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for (at, link) in self.bodies.iter().enumerate() {
            owners.extend(ids(link).map(|id| (id, at)));
        }
        let mut named: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for at in by_length {
            let (Some(id), [parent]) = (&self.bodies[*at].before, self.parents(*at)) else {
                continue;
            };
            let is_listed = self.bodies[*parent].is_listed;
            if !is_listed && *owners.entry(id.clone()).or_insert(*parent) == *parent {
                named.entry(*parent).or_default().insert(id);
            }
        }
        // Of two names neither is known to be right.
        let named = named.into_iter().filter(|(_, ids)| ids.len() == 1);
        let named = named.map(|(at, ids)| (at, ids.into_iter().collect::<String>()));
        for (at, id) in named.collect::<Vec<_>>() {
            let stored = &mut self.bodies[at].stored;
            stored.response = Some(format!("{id}{RESPONSE}"));
            stored.exchange.request_id = Some(id);
        }
    }

    /// The bodies that begin this one with the most messages.
    fn parents(&self, at: usize) -> &[usize] {
        let Some((_, before)) = self.bodies[at].begins.split_last() else {
            return &[];
        };
        let mut same = before.iter().rev();
        let same = same.find_map(|hash| self.by_messages.get(hash));
        same.map_or(&[], Vec::as_slice)
    }

    /// The place of a body that no index names among others: after the one that begins it, or before the first one that it begins.
    fn place(&self, order: &[usize], at: usize) -> usize {
        let len = self.bodies[at].begins.len();
        let parents = self.parents(at);
        if let Some(place) = order.iter().rposition(|other| parents.contains(other)) {
            let after = &order[place + 1..];
            let is_beside = |other: &&usize| {
                let other = &self.bodies[**other];
                !other.is_listed && other.begins.len() <= len
            };
            return place + 1 + after.iter().take_while(is_beside).count();
        }
        let whole = self.bodies[at].begins.last();
        let is_begun = |other: &usize| {
            let begins = &self.bodies[*other].begins;
            whole.is_some_and(|whole| begins.contains(whole))
        };
        order.iter().position(is_begun).unwrap_or(order.len())
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
