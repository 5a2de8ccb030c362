//! Transcripts of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`, and `subagents/…/agent-ID.jsonl` below.
//!
//! Seen in real logs of 2.1.88 and 2.1.332, but for the rules with a star: they are from documentation, `docs/en/adapters/claude-code.md`
//! of apache/skywalking-ai-sessionizer. The rules:
//! - An answer is several lines, one for each block, (*) not always in a row: those with one `message.id` and one `requestId`
//!   are one call; without a `requestId` those between two questions. A `<synthetic>` message was no call; it was sent, unless it is an
//!   error.
//! - A line `api_error` is an attempt that failed and is tried again, a `<synthetic>` error the last attempt, if it says the status or comes
//!   after one that failed. They do not name the model. A fork repeats them with their ids and does not say whose they are.
//! - The usage is on the last of them in the file. (*) Without a `stop_reason` on any it is a stub: what was read and
//!   written is exact, and its output is at least what is counted.
//! - (*) The order is that of the file, not of the times. After `compact_boundary` a request has only the items after
//!   it, and those that it keeps (`preservedMessages`) after its summary.
//! - A file is a stream: that of an agent has its name. It says the session of the one that started it.
//! - A restarted program continues its file. A fork begins with the lines of another session: the id of the answer
//!   shows it, and since some version `requestSessionId` says which. In 2.1.88 nothing does.
//! - Without stored requests (`claude_code_requests`) there is no setting and no breakpoint, and without snapshots
//!   (`claude_code_snapshots`) no system prompt and no tool. (*) What a rewind undid is still there. The call that asks for a summary is in none.

use super::claude_code_bodies::source;
use super::claude_code_requests::Requests;
use super::claude_code_snapshots::{Head, Reminder, Snapshots, takes_system};
use super::talk::Talk;
use super::verdicts::Verdicts;
use super::{ImportResult, Members, NO_OBJECT, Reading, lines, status, time};
use crate::request::whole::answer::{Answer, AnswerState};
use crate::request::whole::api::Api;
use crate::request::whole::body::{BodyError, Seen, Sent, anthropic_said};
use crate::request::whole::log::{AGENT, Body, Exchange, Lack, Reply};
use crate::request::whole::members::list;
use crate::request::whole::said::Said;
use crate::text::Json;
use jiff::Timestamp;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The model of what the program itself wrote.
const SYNTHETIC: &str = "<synthetic>";

/// What the program says of a last attempt begins so, with the status after it.
const API_ERROR: &str = "API Error: ";

/// The most prompts in a row that what is said to the model comes before.
const MOST_PROMPTS: usize = 100;

/// The most results of tools that are sent in one message.
const MOST_RESULTS: usize = 1_000;

/// Why an attempt that failed is skipped.
const NO_MODEL: &str = "a failed attempt of which nothing names the model";

/// A call, put together from its lines.
#[derive(Default)]
struct Call<'t> {
    line: usize,
    /// The turns that it was sent.
    sent: Range<usize>,
    exchange: Exchange,
    model: &'t str,
    /// The model of its last line: in the middle of a stream another one may take over.
    ran: &'t str,
    id: &'t str,
    /// The stored request of it.
    request: Option<&'t str>,
    blocks: Vec<&'t str>,
    stop: Option<&'t str>,
    usage: Option<&'t str>,
    diagnostics: Option<&'t str>,
    /// When its last line was written.
    ended: Option<Timestamp>,
    /// What the program itself says of its miss.
    verdict: Option<Json>,
    /// Whether it says how much the model is to think in a message of the system.
    has_effort: bool,
    is_failed: bool,
}

/// A turn of the talk.
enum Turn<'t> {
    /// The content of what the user or a tool said.
    User(&'t str),
    /// The number of a call.
    Call(usize),
    /// The content of what the program said for the model.
    Synthetic(&'t str),
    /// What the program said between them.
    Reminder(Reminder<'t>),
}

/// What a line said that a compaction may keep.
#[derive(Clone, Copy)]
enum Kept<'t> {
    User(&'t str),
    Call(usize),
}

#[derive(Default)]
struct Transcript<'t> {
    turns: Vec<Turn<'t>>,
    /// Where the turns begin that are still sent.
    start: usize,
    calls: Vec<Call<'t>>,
    /// By the ids of the answer and of the request.
    by_id: BTreeMap<(&'t str, &'t str), usize>,
    /// The calls since the last question whose request has no id, by that of the answer.
    unnamed: BTreeMap<&'t str, usize>,
    /// The lines that were met, by id, and what they said: one may be written twice.
    met: BTreeMap<&'t str, Option<Kept<'t>>>,
    /// What the newest compaction keeps.
    kept: Vec<Kept<'t>>,
    /// Where the turns begin that no attachment comes before.
    open: usize,
    /// The id of the newest line of an attempt that failed.
    failed: Option<&'t str>,
    requests: Requests<'t>,
    snapshots: Snapshots<'t>,
    /// Whether lines of attachments say their role: then those of answers say whether there are messages of the system.
    has_roles: bool,
}

pub(super) fn read(text: &str, reading: Reading<'_>, each: &mut dyn FnMut(usize, ImportResult)) {
    let mut all = Transcript::default();
    for (number, line) in lines(text) {
        let read = Members::read(line).ok_or(NO_OBJECT);
        if let Err(reason) = read.and_then(|line| all.line(number, &line)) {
            each(number, Err(reason));
        }
    }
    all.said();
    all.complete();
    let agent = reading.file.strip_suffix(".jsonl").unwrap_or(reading.file);
    let agent = agent.strip_prefix("agent-");
    if agent.is_none() {
        all.judged(reading.verdicts);
    }
    let mut spoken = Spoken {
        all: &all,
        written: all.calls.iter().map(|_| OnceCell::new()).collect(),
        turns: 0..0,
        talk: Talk::default(),
        head: None,
        seen: Seen::default(),
    };
    let last = all.calls.iter().rposition(|call| !call.is_failed);
    for (at, call) in all.calls.iter().enumerate() {
        // Where nothing follows a stub, another file may have the whole of the call.
        let is_stub = last == Some(at) && call.is_stub();
        let is_open = !call.is_failed && (call.usage.is_none() || is_stub);
        let is_copy = call.exchange.is_copy || is_open;
        if call.model.is_empty() && !call.request.is_some_and(|id| all.requests.has(id)) {
            each(call.line, Err(NO_MODEL));
            continue;
        }
        let exchange = match reading.copies {
            Some(copies) if copies != is_copy => Exchange::default(),
            _ => all.exchange(at, call, agent, &mut spoken),
        };
        let exchange = Exchange {
            is_copy,
            ..exchange
        };
        each(call.line, Ok(exchange));
    }
}

/// The requests of calls, in order: each continues the one before.
struct Spoken<'a, 't> {
    all: &'a Transcript<'t>,
    /// The output of each call; none if it cannot be read.
    written: Vec<OnceCell<Option<Arc<Said>>>>,
    /// The turns that are in the talk.
    turns: Range<usize>,
    talk: Talk,
    /// The newest head, by what it is made of, and its model.
    head: Option<(HeadKey, Sent)>,
    /// What was read of heads lately.
    seen: Seen,
}

/// The snapshots that a head is made of, and its model.
type HeadKey = (Option<(usize, Option<usize>)>, String);

impl Spoken<'_, '_> {
    /// The output of a call.
    fn written(&self, call: usize) -> Option<Arc<Said>> {
        let said = || self.all.calls[call].said();
        self.written[call].get_or_init(said).clone()
    }

    /// The data about a call.
    fn sent(&mut self, at: usize, call: &Call<'_>) -> Result<Sent, BodyError> {
        if call.sent.start != self.turns.start {
            self.talk = Talk::default();
            self.turns = call.sent.start..call.sent.start;
        }
        let said = |role, content: &str| anthropic_said(role, content).map(Arc::new);
        let takes_system = self.all.takes_system(call);
        // What is of the system comes after the prompt, in one message.
        let mut held: Vec<String> = Vec::new();
        for turn in &self.all.turns[self.turns.end..call.sent.end] {
            match turn {
                Turn::Reminder(reminder) if takes_system && !reminder.is_user => {
                    held.push(reminder.bare());
                }
                Turn::Reminder(reminder) => {
                    let all = reminder.contents.iter();
                    all.for_each(|content| self.talk.add_to_run(said("user", content)));
                }
                Turn::User(content) => self.talk.add_to_run(said("user", content)),
                Turn::Call(at) => {
                    let written = self.written(*at);
                    self.talk.add_to_run(written);
                }
                Turn::Synthetic(content) => self.talk.add_to_run(said("assistant", content)),
            }
        }
        if !held.is_empty() {
            let text = Json::text(held.join("\n\n")).canonical();
            self.talk.add_to_run(said("system", &text));
        }
        self.turns.end = call.sent.end;
        let head = self.head(at, call);
        self.talk.sent(head)
    }

    /// All but the messages of a call.
    fn head(&mut self, at: usize, call: &Call<'_>) -> Result<Sent, BodyError> {
        let key = (self.all.snapshots.of(at), call.model.to_owned());
        if let Some((known, head)) = &self.head
            && *known == key
        {
            return Ok(head.clone());
        }
        let head = key.0.map(|numbers| self.all.snapshots.head(numbers));
        let parts = head.map(|Head { system, tools }| {
            let tools = tools.unwrap_or_else(|| "[]".to_owned());
            format!(r#""system":{system},"tools":{tools},"#)
        });
        let parts = parts.unwrap_or_default();
        let head = format!(r#"{{"model":{},{parts}"messages":[]}}"#, call.model);
        let head = Sent::read_again(&head, call.exchange.url.as_deref(), &mut self.seen)?;
        self.head = Some((key, head.clone()));
        Ok(head)
    }
}

/// What a line says of the request that it stands for.
fn sent(line: &Members<'_>) -> Exchange {
    Exchange {
        url: Some("/v1/messages".to_owned()),
        time: line.value("timestamp").as_ref().and_then(time),
        conversation: line.text("sessionId"),
        ..Exchange::default()
    }
}

impl<'t> Transcript<'t> {
    /// Notes a line.
    fn line(&mut self, number: usize, line: &Members<'t>) -> Result<(), &'static str> {
        let id = line.get("uuid").filter(|id| *id != "null");
        if let Some(id) = id {
            if self.met.contains_key(id) {
                return Ok(());
            }
            self.met.insert(id, None);
        }
        let message = line.get("message").and_then(Members::read);
        let kind = line.text("type").unwrap_or_default();
        match (kind.as_str(), message) {
            ("attachment", _) => {
                self.attachment(line);
            }
            ("system", _) if line.text("subtype").as_deref() == Some("compact_boundary") => {
                self.start = self.turns.len();
                self.kept = self.kept_by(line);
            }
            ("system", _) if line.text("subtype").as_deref() == Some("api_error") => {
                let error = line.get("error").and_then(Members::read);
                let error = error.unwrap_or_default();
                let request = super::id(&error, "requestId").or(super::id(&error, "requestID"));
                self.failed(number, line, status(&error, "status"), request);
            }
            ("user", Some(message)) => {
                let content = message.get("content");
                // Results of tools may come between the lines of an answer, a question not.
                if content.is_some_and(is_prompt) {
                    self.unnamed.clear();
                }
                self.turns.extend(content.map(Turn::User));
                if line.get("isCompactSummary") == Some("true") {
                    let kept = std::mem::take(&mut self.kept).into_iter();
                    self.turns.extend(kept.map(|kept| match kept {
                        Kept::User(content) => Turn::User(content),
                        Kept::Call(at) => Turn::Call(at),
                    }));
                    self.open = self.turns.len();
                }
                self.met.extend(id.map(|id| (id, content.map(Kept::User))));
            }
            ("assistant", Some(message)) => {
                let found = self.answer(number, line, &message);
                let call = found.flatten().map(Kept::Call);
                self.met.extend(id.map(|id| (id, call)));
                return found.map(|_| ()).ok_or("an answer without its id or model");
            }
            _ => {
                // Without it the answer still has what was said.
                self.requests.line(&kind, line);
            }
        }
        Ok(())
    }

    /// What a compaction keeps of the lines before it.
    fn kept_by(&self, line: &Members<'t>) -> Vec<Kept<'t>> {
        let inner = |of: &Members<'t>, key: &str| of.get(key).and_then(Members::read);
        let kept = inner(line, "compactMetadata").and_then(|of| inner(&of, "preservedMessages"));
        let ids = kept.map(|kept| kept.list("uuids")).unwrap_or_default();
        let mut calls = BTreeSet::new();
        let mut named = BTreeSet::new();
        let ids = ids.into_iter().filter(|id| named.insert(*id));
        let kept = ids.filter_map(|id| *self.met.get(id)?);
        // An answer has a line for each of its blocks.
        let kept = kept.filter(|kept| match kept {
            Kept::User(_) => true,
            Kept::Call(at) => calls.insert(*at),
        });
        kept.collect()
    }

    /// Notes what the program said to the model, or noted of its requests.
    fn attachment(&mut self, line: &Members<'t>) -> Option<()> {
        let attachment = line.get("attachment").and_then(Members::read)?;
        self.has_roles |= line.get("renderedRole").is_some();
        self.snapshots.note(&attachment, self.calls.len());
        let reminder = Reminder::read(line, &attachment)?;
        // It comes before the prompt that it follows in the file.
        let least = self.calls.last().map_or(0, |call| call.sent.end);
        let least = least.max(self.start).max(self.open);
        let least = least.max(self.turns.len().saturating_sub(MOST_PROMPTS));
        let is_before = |turn: &Turn<'_>| matches!(turn, Turn::User(content) if is_prompt(content));
        let place = self.turns[least..]
            .iter()
            .rposition(|turn| !is_before(turn));
        let place = place.map_or(least, |at| least + at + 1);
        self.turns.insert(place, Turn::Reminder(reminder));
        Some(())
    }

    /// Whether a request has messages of the system between others.
    fn takes_system(&self, call: &Call<'_>) -> bool {
        let by_name = || takes_system(call.model.trim_matches('"'));
        call.has_effort || !self.has_roles && by_name()
    }

    /// Notes what was said, where requests name it.
    fn said(&mut self) {
        if self.requests.is_empty() {
            return;
        }
        // Results that came one by one are sent in one message.
        let mut run = Vec::new();
        for turn in &self.turns {
            match turn {
                Turn::User(content) => {
                    self.requests.said("user", content);
                    run.extend(list(content).unwrap_or_default());
                    if run.len() <= MOST_RESULTS {
                        self.requests.said("user", &format!("[{}]", run.join(",")));
                    }
                }
                Turn::Call(at) => {
                    run.clear();
                    self.requests.said("assistant", &self.calls[*at].content());
                }
                Turn::Synthetic(content) => {
                    run.clear();
                    self.requests.said("assistant", content);
                }
                Turn::Reminder(_) => {}
            }
        }
    }

    /// Notes an attempt that failed.
    fn failed(
        &mut self,
        number: usize,
        line: &Members<'t>,
        status: Option<u16>,
        request: Option<String>,
    ) {
        self.failed = line.get("uuid");
        self.calls.push(Call {
            line: number,
            sent: self.start..self.turns.len(),
            exchange: Exchange {
                status,
                id: line.text("uuid").filter(|_| request.is_none()),
                request_id: request,
                ..sent(line)
            },
            request: self.requests.unanswered(),
            is_failed: true,
            ..Call::default()
        });
    }

    /// Notes the last attempt. Errors that the program finds without one, such as a prompt that is too long, are for the user alone.
    fn gave_up(&mut self, number: usize, line: &Members<'t>, message: &Members<'t>) {
        let content = message.list("content");
        let text = content
            .first()
            .and_then(|block| Members::read(block)?.text("text"));
        let told = || text?.strip_prefix(API_ERROR)?.get(..3)?.parse().ok();
        let status = status(line, "apiErrorStatus").or_else(told);
        let is_retry = self.failed.is_some() && self.failed == line.get("parentUuid");
        if status.is_some() || is_retry {
            self.failed(number, line, status, super::id(line, "requestId"));
        }
    }

    /// Gives each attempt that failed what its line does not say. The model is that of the call after it, else of the one before; a fork, which
    /// stores its own requests, repeats it from where these are.
    fn complete(&mut self) {
        let (failed, others): (Vec<usize>, Vec<usize>) =
            (0..self.calls.len()).partition(|at| self.calls[*at].is_failed);
        for at in failed {
            let next = others.partition_point(|other| *other < at);
            let near = [Some(next), next.checked_sub(1)].into_iter().flatten();
            let mut near = near.filter_map(|other| self.calls.get(*others.get(other)?));
            let model = near.clone().next().map_or("", |call| call.model);
            let is_own = self.calls[at].request.is_some();
            let origin = near.find(|call| call.exchange.is_copy && !is_own);
            let origin = origin.map(|call| call.exchange.conversation.clone());
            let call = &mut self.calls[at];
            call.model = model;
            if let Some(conversation) = origin {
                call.exchange.is_copy = true;
                call.exchange.conversation = conversation;
            }
        }
    }

    /// Gives the calls of the conversation the verdicts of its program.
    fn judged(&mut self, verdicts: &Verdicts) {
        let sessions: BTreeSet<String> = {
            let all = self.calls.iter().filter(|call| !call.is_failed);
            all.filter_map(|call| call.exchange.conversation.clone())
                .collect()
        };
        for session in sessions {
            let of_session = |call: &Call<'_>| {
                !call.is_failed && call.exchange.conversation.as_ref() == Some(&session)
            };
            let ended = (self.calls.iter().enumerate()).filter(|(_, call)| of_session(call));
            let ended = ended.filter_map(|(at, call)| Some((call.ended?, at)));
            let found = verdicts.of(&session, &ended.collect());
            for (at, verdict) in found {
                self.calls[at].verdict = Some(verdict.clone());
            }
        }
    }

    /// Adds a line of an answer to its call, and returns that; none if it was no call.
    fn answer(
        &mut self,
        number: usize,
        line: &Members<'t>,
        message: &Members<'t>,
    ) -> Option<Option<usize>> {
        if message.text("model")? == SYNTHETIC {
            match line.get("isApiErrorMessage") {
                Some("true") => self.gave_up(number, line, message),
                _ => self.turns.push(Turn::Synthetic(message.get("content")?)),
            }
            return Some(None);
        }
        let id = message.get("id")?;
        let exchange = sent(line);
        let origin = line.text("requestSessionId");
        let origin = origin.filter(|id| exchange.conversation.as_ref() != Some(id));
        // Test servers give all answers one id; then the ids of their requests differ.
        let next = self.calls.len();
        let at = match line.get("requestId").filter(|request| *request != "null") {
            Some(request) => *self.by_id.entry((id, request)).or_insert(next),
            None => *self.unnamed.entry(id).or_insert(next),
        };
        if at == self.calls.len() {
            self.calls.push(Call {
                line: number,
                sent: self.start..self.turns.len(),
                exchange: Exchange {
                    is_copy: origin.is_some(),
                    conversation: origin.or(exchange.conversation),
                    request_id: super::id(line, "requestId"),
                    ..exchange
                },
                model: message.get("model")?,
                id,
                ..Call::default()
            });
            self.turns.push(Turn::Call(at));
        }
        let request = line.get("requestRef");
        self.requests.answered(request);
        let call = &mut self.calls[at];
        call.ended = line
            .value("timestamp")
            .as_ref()
            .and_then(time)
            .or(call.ended);
        call.request = request.or(call.request);
        call.ran = message.get("model")?;
        let effort = line.get("perTurnEffort");
        call.has_effort |= effort.is_some_and(|effort| effort != "null");
        let said = |key: &str| message.get(key).filter(|value| *value != "null");
        call.usage = said("usage").or(call.usage);
        call.stop = said("stop_reason").or(call.stop);
        call.diagnostics = said("diagnostics").or(call.diagnostics);
        call.blocks.extend(message.list("content"));
        Some(Some(at))
    }

    /// A call as the bodies that its API would have.
    fn exchange(
        &self,
        at: usize,
        call: &Call<'_>,
        agent: Option<&str>,
        spoken: &mut Spoken<'_, '_>,
    ) -> Exchange {
        let mut exchange = call.exchange.clone();
        if let Some(agent) = agent {
            exchange.headers.insert(AGENT.to_owned(), agent.to_owned());
        }
        let url = call.exchange.url.as_deref();
        let whole = |id| self.requests.whole(id, url, &mut spoken.seen);
        match call.request.and_then(whole) {
            Some(whole) => {
                exchange.body = Body::Read(whole.sent.map(Box::new));
                exchange.time = whole.time.or(exchange.time);
                exchange.source = whole.source.and_then(source);
            }
            None => {
                exchange.body = Body::Read(spoken.sent(at, call).map(Box::new));
                exchange.lacks.push(match self.snapshots.of(at) {
                    Some((_, Some(_))) => Lack::Settings,
                    Some((_, None)) => Lack::Tools,
                    None => Lack::SystemAndTools,
                });
            }
        }
        if call.is_failed {
            if call.exchange.status.is_none() {
                // The provider may have begun to answer.
                exchange.lacks.push(Lack::Usage);
            }
            exchange.response = Some(Reply::Read(Box::new(Answer {
                state: AnswerState::Error,
                ..Answer::default()
            })));
            return exchange;
        }
        // What was read and written is known when a stream starts; of a stub only the output is not whole.
        let usage = call.usage;
        if usage.is_none() {
            exchange.lacks.push(Lack::Usage);
        }
        let written = spoken.written(at);
        // The output of an answer is unchanged; breakpoints are removed from the content of a request.
        let has_marks = call.blocks.iter().any(|b| b.contains("cache_control"));
        let written = written.filter(|_| !has_marks);
        let response = format!(
            r#"{{"id":{},"type":"message","role":"assistant","model":{},"content":{},{}"usage":{},"diagnostics":{}}}"#,
            call.id,
            call.ran,
            match written {
                Some(_) => "[]".to_owned(),
                None => call.content(),
            },
            if call.is_stub() {
                r#""stop_reason":null,"#
            } else {
                ""
            },
            usage.unwrap_or("null"),
            call.diagnostics.unwrap_or("null"),
        );
        let answer = Answer::read(&response, Api::AnthropicMessages);
        exchange.response = answer.map(|mut answer| {
            let written = written.filter(|said| !said.blocks.is_empty());
            answer.output.extend(written);
            answer.diagnostics = answer.diagnostics.or_else(|| call.verdict.clone());
            Reply::Read(Box::new(answer))
        });
        exchange
    }
}

/// Whether a content of the user is none of results of tools.
fn is_prompt(content: &str) -> bool {
    !content.contains("\"tool_result\"")
}

impl Call<'_> {
    /// Whether its end is not here: none of its lines says why the answer stopped.
    fn is_stub(&self) -> bool {
        self.stop.is_none()
    }

    /// The model's output.
    fn content(&self) -> String {
        format!("[{}]", self.blocks.join(","))
    }
    /// The model's output as a message.
    fn said(&self) -> Option<Arc<Said>> {
        anthropic_said("assistant", &self.content()).map(Arc::new)
    }
}
