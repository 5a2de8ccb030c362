//! Sessions of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-….jsonl`, those of sub-agents in a folder below, and the older files of one JSON object.
//!
//! Seen in real sessions of 0.61.0 against a provider of ours, which recorded the bodies; the older form and the rule with a star are from source
//! code. The rules:
//! - An answer is a line of the type `gemini` with `tokens`. It is written again, with its calls of tools, once these have ended.
//! - Its time is that at which it had ended.
//! - A session that is resumed writes all messages again (`$set`), without tokens: those that are there already count. (*) `$rewindTo` takes a message
//!   away, and all after it.
//! - There is neither a system prompt nor a tool. Attempts that failed, what routes and what compresses have no line.

use super::talk::Talk;
use super::{ImportResult, Json, Members, NO_OBJECT, lines, time};
use crate::request::whole::body::{BodyError, Sent, gemini_said};
use crate::request::whole::log::{Body, Exchange, Lack, Reply};
use crate::request::whole::members::list;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The counts of an answer, each with its name in the usage of the API.
const COUNTS: [(&str, &str); 6] = [
    ("input", "promptTokenCount"),
    ("cached", "cachedContentTokenCount"),
    ("output", "candidatesTokenCount"),
    ("thoughts", "thoughtsTokenCount"),
    ("tool", "toolUsePromptTokenCount"),
    ("total", "totalTokenCount"),
];

/// A message of a session.
struct Item<'t> {
    line: usize,
    /// The one before it.
    before: Option<usize>,
    time: Option<Timestamp>,
    message: Members<'t>,
}

/// The messages of a session.
#[derive(Default)]
struct Session<'t> {
    id: Option<String>,
    items: Vec<Item<'t>>,
    by_id: BTreeMap<String, usize>,
    newest: Option<usize>,
}

pub(super) fn read(text: &str, each: &mut dyn FnMut(usize, ImportResult)) {
    let mut session = Session::default();
    if let Some(whole) = Members::read(text).filter(|whole| whole.get("messages").is_some()) {
        session.header(&whole);
        for message in whole.list("messages") {
            session.add(1, message);
        }
    } else {
        for (number, line) in lines(text) {
            if session.line(number, line).is_none() {
                each(number, Err(NO_OBJECT));
            }
        }
    }
    let mut spoken = Spoken::default();
    for (at, item) in session.items.iter().enumerate() {
        let tokens = item.message.get("tokens").and_then(Members::read);
        if let Some(tokens) = tokens {
            each(item.line, Ok(session.exchange(at, &tokens, &mut spoken)));
        }
    }
}

/// The conversation up to an answer.
#[derive(Default)]
struct Spoken {
    path: Vec<usize>,
    talk: Talk,
}

impl<'t> Session<'t> {
    fn header(&mut self, line: &Members<'t>) {
        self.id = line.text("sessionId").or(self.id.take());
    }

    /// Notes a line. None if it is no object.
    fn line(&mut self, number: usize, text: &'t str) -> Option<()> {
        let line = Members::read(text)?;
        if let Some(id) = line.text("$rewindTo") {
            let cut = self.by_id.get(&id);
            self.newest = cut.map_or(self.newest, |at| self.items[*at].before);
        } else if let Some(set) = line.get("$set").and_then(Members::read) {
            for message in set.list("messages") {
                self.add(number, message);
            }
        } else if line.get("type").is_some() {
            self.add(number, text);
        } else {
            self.header(&line);
        }
        Some(())
    }

    /// Notes a message. One that is written again with more in it takes the place of the first.
    fn add(&mut self, line: usize, text: &'t str) -> Option<()> {
        let message = Members::read(text)?;
        let id = message.text("id")?;
        if let Some(known) = self.by_id.get(&id) {
            let known = &mut self.items[*known];
            if message.get("tokens").is_some() {
                known.message = message;
            }
            return Some(());
        }
        self.by_id.insert(id, self.items.len());
        self.items.push(Item {
            line,
            before: self.newest,
            time: message.value("timestamp").as_ref().and_then(time),
            message,
        });
        self.newest = Some(self.items.len() - 1);
        Some(())
    }

    /// The messages before an answer.
    fn sent(&self, at: usize, url: &str, spoken: &mut Spoken) -> Result<Sent, BodyError> {
        let before = |at: &usize| self.items[*at].before;
        let mut path: Vec<usize> = std::iter::successors(before(&at), before).collect();
        path.reverse();
        if !path.starts_with(&spoken.path) {
            *spoken = Spoken::default();
        }
        for at in &path[spoken.path.len()..] {
            let (role, parts) = self.items[*at].parts();
            let said = gemini_said(role, &parts).map(Arc::new);
            spoken.talk.add_to_run(said);
        }
        spoken.path = path;
        spoken
            .talk
            .sent(Sent::read(r#"{"contents":[]}"#, Some(url)))
    }

    fn exchange(&self, at: usize, tokens: &Members<'t>, spoken: &mut Spoken) -> Exchange {
        let item = &self.items[at];
        let model = item.message.text("model").unwrap_or_default();
        let url = format!("/v1beta/models/{model}:generateContent");
        let counts = COUNTS.iter().filter_map(|(name, field)| {
            let count = tokens.value(name)?;
            Some((*field, count))
        });
        let usage = Json::object(counts).canonical();
        let (_, parts) = item.parts();
        let response = format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":{parts}}},"finishReason":"STOP"}}],"usageMetadata":{usage}}}"#
        );
        Exchange {
            body: Body::Read(self.sent(at, &url, spoken).map(Box::new)),
            url: Some(url),
            time: item.time,
            response: Some(Reply::Text(response)),
            conversation: self.id.clone(),
            id: item.message.text("id"),
            lacks: vec![Lack::SystemAndTools],
            ..Exchange::default()
        }
    }
}

impl Item<'_> {
    /// Its role, and its parts as a list of JSON: a text, or a list; and the calls of tools.
    fn parts(&self) -> (&'static str, String) {
        let is_answer = self.message.text("type").as_deref() == Some("gemini");
        let mut parts: Vec<String> = Vec::new();
        if let Some(content) = self.message.get("content") {
            match list(content) {
                Some(all) => parts.extend(all.into_iter().map(str::to_owned)),
                None if content != "\"\"" => parts.push(format!(r#"{{"text":{content}}}"#)),
                None => {}
            }
        }
        for call in self.message.list("toolCalls") {
            let call = Members::read(call).unwrap_or_default();
            let [name, args] = ["name", "args"].map(|key| call.get(key).unwrap_or("null"));
            parts.push(format!(
                r#"{{"functionCall":{{"name":{name},"args":{args}}}}}"#
            ));
        }
        let role = if is_answer { "model" } else { "user" };
        (role, format!("[{}]", parts.join(",")))
    }
}
