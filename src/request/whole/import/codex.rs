//! Rollouts of Codex: `rollout-TIME-ID.jsonl`.
//!
//! Seen in real logs (0.169.0, 0.171.0), but for the rules with a star: they are from documentation, `codex-rs/protocol/src/protocol.rs`,
//! `codex-rs/rollout/src/policy.rs` and `recompute_token_usage` in `codex-rs/core` of openai/codex; for what a resume and a fork repeat,
//! `codex-rollout-topology` of roy-tong/AgentMeasure. The rules:
//! - `session_meta` has the system prompt (`base_instructions`), `turn_context` the model, `response_item` a piece of the input or output.
//!   A system prompt that is the first message as well was sent only there.
//! - A `token_usage_record` is the end of a call. (*) Without any, a `token_count` is. One whose totals are those of
//!   the one before is not: it was written again, or (*) the numbers next to the totals were estimated again. (*) Nor
//!   is one without totals, or before any item, or in a fork before any that its model wrote.
//! - One that is no call, behind what the model wrote, is the end of a stream that broke off: Codex sends what came with the next request.
//! - The model's output since the call before is the output; everything before that is the input. A result of a tool
//!   may come before the count of the call that asked for it.
//! - The tools are those of `additional_tools`, which stays first; without one, (*) only `dynamic_tools` are in the
//!   file.
//! - `compacted` puts its `replacement_history` in the place of all before it, with its own tools. The call of its
//!   `compaction_response_id` asked with a message that is not in the file.
//! - (*) A fork begins with the lines of its parent: a call is known by its turn (without one, by the session at the root) and its
//!   totals. With `history_base` it only names them.

use super::talk::Talk;
use super::{ImportResult, Members, NO_OBJECT, lines, time};
use crate::request::whole::answer::Answer;
use crate::request::whole::api::Api;
use crate::request::whole::body::{BodyError, Seen, Sent, message_said};
use crate::request::whole::log::{Body, Exchange, Lack, Reply};
use crate::request::whole::members::list;
use crate::request::whole::said::Said;
use data_encoding::HEXLOWER as HEX;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::sync::Arc;

/// Where its requests go.
const URL: &str = "/responses";

/// An item.
struct Item<'t> {
    text: &'t str,
    /// When it was written.
    time: Option<Timestamp>,
    /// Its message; none if it cannot be read.
    said: OnceCell<Option<Arc<Said>>>,
    /// The first text of the developer in it, if it is the developer's message.
    developer: OnceCell<Option<&'t str>>,
}

impl<'t> Item<'t> {
    fn new(text: &'t str, time: Option<Timestamp>) -> Self {
        Self {
            text,
            time,
            said: OnceCell::new(),
            developer: OnceCell::new(),
        }
    }

    fn said(&self) -> Option<Arc<Said>> {
        let said = || message_said(Api::OpenaiResponses, self.text).map(Arc::new);
        self.said.get_or_init(said).clone()
    }

    fn says(&self, text: &str) -> bool {
        *self.developer.get_or_init(|| developer(self.text)) == Some(text)
    }
}

#[derive(Default)]
struct Rollout<'t> {
    /// The session, and the one that it was forked from.
    session: Option<String>,
    root: Option<&'t str>,
    /// The session that started this one.
    parent: Option<&'t str>,
    /// When the session began.
    started: Option<Timestamp>,
    system: Option<&'t str>,
    dynamic: Option<&'t str>,
    turn: Option<&'t str>,
    model: Option<&'t str>,
    effort: Option<&'t str>,
    /// The tools before all items.
    tools: Vec<&'t str>,
    items: Vec<Item<'t>>,
    /// The first items, as messages.
    talk: Talk,
    /// Their number.
    talked: usize,
    /// Whether any item was there that a call needs: a compaction may leave none.
    begun: bool,
    /// The number of items at the call before.
    called: usize,
    totals: Option<&'t str>,
    /// The system prompt and tools read so far.
    seen: Seen,
    /// The id of the last answer, where answers are recorded.
    answer: Option<&'t str>,
    /// The last call: later lines may add to it.
    last: Option<(usize, Exchange)>,
    /// Whether messages are elsewhere: a compaction did not say what it left, or a fork only names its parent.
    lost: bool,
}

pub(super) fn read(text: &str, each: &mut dyn FnMut(usize, ImportResult)) {
    let mut all = Rollout::default();
    for (number, line) in lines(text) {
        let Some(line) = Members::read(line) else {
            each(number, Err(NO_OBJECT));
            continue;
        };
        if let Some((number, call)) = all.line(number, &line) {
            each(number, Ok(call));
        }
    }
    if let Some((number, call)) = all.last {
        each(number, Ok(call));
    }
}

impl<'t> Rollout<'t> {
    /// Notes a line; the call before the one that it ends, if it ends one.
    fn line(&mut self, number: usize, line: &Members<'t>) -> Option<(usize, Exchange)> {
        let raw = line.get("payload")?;
        let payload = Members::read(raw)?;
        let time = line.value("timestamp").as_ref().and_then(time);
        let said = |key: &str| payload.get(key).filter(|value| *value != "null");
        match line.text("type")?.as_str() {
            "session_meta" if self.session.is_none() => {
                self.session = payload.text("id");
                self.root = said("forked_from_id").or(said("id"));
                self.parent = parent(&payload);
                self.started = time;
                let system = said("base_instructions").and_then(Members::read);
                self.system = system.and_then(|system| system.get("text"));
                self.dynamic = said("dynamic_tools");
                self.lost = said("history_base").is_some();
            }
            // A fork, or an agent that another one started, may begin with the lines of its parent.
            "session_meta" => self.root = said("forked_from_id").or(said("id")),
            "turn_context" => {
                self.turn = said("turn_id");
                self.model = said("model");
                self.effort = said("effort");
            }
            "response_item" => match payload.text("type")?.as_str() {
                // A state of the files, for an undo.
                "ghost_snapshot" => {}
                "additional_tools" if self.items.is_empty() => self.tools.push(raw),
                _ => {
                    // A fork repeats the totals of its parent until its own model said something.
                    self.begun |= !self.lost || is_written(raw);
                    self.items.push(Item::new(raw, time));
                }
            },
            "compacted" => self.compacted(&payload, time),
            "token_usage_record" => {
                self.answer = said("response_id");
                let (totals, usage) = (said("thread_token_usage")?, said("usage"));
                return self.counted(number, totals, usage, time);
            }
            "event_msg" if payload.text("type")? == "token_count" => {
                let info = said("info").and_then(Members::read).unwrap_or_default();
                let totals = info.get("total_token_usage").filter(|t| *t != "null");
                // Where there are records, these only repeat them.
                let totals = totals.filter(|_| self.answer.is_none());
                let new = totals.filter(|totals| self.totals != Some(totals));
                let Some(totals) = new else {
                    self.broke_off();
                    return None;
                };
                return self.counted(number, totals, info.get("last_token_usage"), time);
            }
            _ => {}
        }
        None
    }

    fn compacted(&mut self, payload: &Members<'t>, time: Option<Timestamp>) {
        let said = |key: &str| payload.get(key).filter(|value| *value != "null");
        let summary = said("compaction_response_id");
        if let Some((_, call)) = self
            .last
            .as_mut()
            .filter(|_| summary.is_some() && summary == self.answer)
        {
            // Its request has a message that is not in the file.
            call.lacks.insert(0, Lack::Messages);
        }
        let left = said("replacement_history").and_then(list);
        self.lost = left.is_none();
        let mut left = left.unwrap_or_default();
        let is_message = |item: &&str| kind(item).as_deref() != Some("additional_tools");
        let message = left.iter().position(is_message).unwrap_or(left.len());
        let items = left.split_off(message);
        if !left.is_empty() {
            self.tools = left;
        }
        self.items = items
            .into_iter()
            .map(|item| Item::new(item, time))
            .collect();
        (self.talk, self.talked) = (Talk::default(), 0);
        self.called = self.items.len();
    }

    /// A count that is none of a call: what the model wrote since the call before is of a stream that broke off, and was sent with the next.
    fn broke_off(&mut self) {
        let new = &self.items[self.called..];
        if new.iter().any(|item| is_written(item.text)) {
            self.called = self.items.len();
        }
    }

    fn counted(
        &mut self,
        number: usize,
        totals: &'t str,
        usage: Option<&'t str>,
        time: Option<Timestamp>,
    ) -> Option<(usize, Exchange)> {
        if self.totals.replace(totals) == Some(totals) || !self.begun {
            return None;
        }
        let new = &self.items[self.called..];
        let first = new.iter().position(|item| is_written(item.text));
        let split = self.called + first.unwrap_or(new.len());
        let written = self.items[split..].iter();
        let written = written.filter(|item| is_written(item.text));
        let written: Option<Vec<Arc<Said>>> = written.map(Item::said).collect();
        self.called = self.items.len();
        let sent = self.items[..split].last().and_then(|item| item.time);
        let usage = usage.unwrap_or("null");
        let id = self.answer.unwrap_or("null");
        let answer = format!(r#"{{"id":{id},"output":[],"usage":{usage}}}"#);
        let answer = written.zip(Answer::read(&answer, Api::OpenaiResponses));
        let call = Exchange {
            body: Body::Read(self.sent(split).map(Box::new)),
            url: Some(URL.to_owned()),
            time: sent.or(time),
            response: answer
                .map(|(output, answer)| Reply::Read(Box::new(Answer { output, ..answer }))),
            conversation: self.session.clone(),
            id: Some(self.id(totals, time)),
            lacks: self.lacks(usage),
            ..Exchange::default()
        };
        self.last.replace((number, call))
    }

    /// A request with this number of items.
    fn sent(&mut self, input: usize) -> Result<Sent, BodyError> {
        let dynamic = self.dynamic.filter(|_| self.tools.is_empty());
        let says = |text: &str| {
            let mut tools = self.tools.iter();
            tools.any(|item| developer(item) == Some(text))
                || self.items[..input].iter().any(|item| item.says(text))
        };
        let system = self.system.filter(|text| !says(text));
        let head = format!(
            r#"{{"model":{},"instructions":{},"tools":{},"reasoning":{{"effort":{}}},"input":[{}]}}"#,
            self.model.unwrap_or("\"\""),
            system.unwrap_or("null"),
            dynamic.unwrap_or("[]"),
            self.effort.unwrap_or("null"),
            self.tools.join(",")
        );
        for item in &self.items[self.talked..input] {
            self.talk.add(item.said());
        }
        self.talked = input;
        self.talk
            .sent(Sent::read_again(&head, Some(URL), &mut self.seen))
    }

    fn lacks(&self, usage: &str) -> Vec<Lack> {
        let prompt = match (self.system.is_some(), !self.tools.is_empty()) {
            (true, true) => None,
            (true, false) => Some(Lack::Tools),
            (false, true) => Some(Lack::System),
            (false, false) => Some(Lack::SystemAndTools),
        };
        let lost = self.lost.then_some(Lack::Messages);
        let unbilled = (usage == "null").then_some(Lack::Usage);
        [lost, prompt, unbilled].into_iter().flatten().collect()
    }

    /// The identity of a call, which its copy in a fork shares.
    fn id(&self, totals: &str, time: Option<Timestamp>) -> String {
        // What is older than its session is the parent's.
        let is_older = time.zip(self.started).is_some_and(|(at, start)| at < start);
        let parent = self.parent.filter(|_| is_older);
        let whose = self.turn.or(parent).or(self.root).unwrap_or_default();
        let hash = Sha256::digest(format!("{whose} {totals}"));
        format!("call-{}", HEX.encode(&hash[..8]))
    }
}

/// The session that started this one, by any of its names, as JSON.
fn parent<'t>(meta: &Members<'t>) -> Option<&'t str> {
    let said = |of: &Members<'t>| of.get("parent_thread_id").filter(|id| *id != "null");
    let spawn = || {
        let source = Members::read(meta.get("source")?)?;
        let agent = Members::read(source.get("subagent")?)?;
        said(&Members::read(agent.get("thread_spawn")?)?)
    };
    said(meta).or_else(spawn)
}

/// The first text of the developer in an item, if it is the developer's message.
fn developer(item: &str) -> Option<&str> {
    let message = Members::read(item);
    let message = message.filter(|item| item.text("role").as_deref() == Some("developer"))?;
    Members::read(message.list("content").first()?)?.get("text")
}

fn kind(item: &str) -> Option<String> {
    Members::read(item)?.text("type")
}

/// Whether a model wrote an item.
fn is_written(item: &str) -> bool {
    match kind(item).as_deref() {
        Some("reasoning") => true,
        Some("message") => {
            let role = Members::read(item).and_then(|item| item.text("role"));
            role.as_deref() == Some("assistant")
        }
        kind => kind.is_some_and(|kind| kind.ends_with("_call")),
    }
}
