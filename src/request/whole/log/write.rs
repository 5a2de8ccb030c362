//! Writing a log.

use super::Exchange;
use super::line::{
    Basis, BreakpointLine, HeadLine, LogWord, MessageLine, MessagesLine, PartLine, PartWord,
    RequestLine, RequestWord, ResponseLine, ResponseWord, SettingLine, VERSION,
};
use crate::request::json::Json;
use crate::request::whole::agent::Agent;
use crate::request::whole::answer::Answer;
use crate::request::whole::body::{BodyError, Sent};
use crate::request::whole::effective::{Chains, Request};
use crate::request::whole::lane::{InLane, Lanes, Speaker};
use crate::request::whole::part::{Message, Part};
use crate::request::whole::redact::Redactor;
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

/// The headers that are kept; all others are not written.
const HEADERS: &[&str] = &[
    "anthropic-beta",
    "anthropic-version",
    "openai-beta",
    "content-type",
    "user-agent",
];

/// The headers that name a session or an agent: their hash is kept.
const SESSION: &str = "x-claude-code-session-id";
pub(in crate::request::whole) const AGENT: &str = "x-claude-code-agent-id";
const PARENT_AGENT: &str = "x-claude-code-parent-agent-id";

/// Settings whose value is an id.
const IDS: &[&str] = &["prompt_cache_key"];

/// Why an exchange is not in the log.
#[derive(Debug)]
pub enum Refused {
    /// It was there already.
    Twice,
    /// Its body cannot be read.
    Body(BodyError),
    /// The log cannot be written.
    Output(io::Error),
}

/// A log that is being written.
pub struct LogWriter<'w> {
    out: &'w mut dyn FnMut(&[u8]) -> io::Result<()>,
    redactor: Redactor,
    chains: Chains,
    lanes: Lanes,
    /// The parts that stand in the log, by conversation.
    parts: BTreeMap<String, BTreeSet<String>>,
    /// What became of parts, by what was sent and what is compared: a request holds most of those of the one before.
    cleaned: BTreeMap<(Arc<str>, Arc<str>), Part>,
    /// The ids of requests and answers that were met.
    met: BTreeSet<String>,
    /// The number of the request behind the id of an answer.
    answered: BTreeMap<String, usize>,
    count: usize,
}

impl<'w> LogWriter<'w> {
    /// A log that begins with its first request.
    #[must_use]
    pub fn new(out: &'w mut dyn FnMut(&[u8]) -> io::Result<()>, redactor: Redactor) -> Self {
        Self {
            out,
            redactor,
            chains: Chains::default(),
            lanes: Lanes::default(),
            parts: BTreeMap::new(),
            cleaned: BTreeMap::new(),
            met: BTreeSet::new(),
            answered: BTreeMap::new(),
            count: 0,
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.line(&HeadLine {
            kind: LogWord::Log,
            version: VERSION,
            promptc: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// How many requests it holds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Adds a request with its answer.
    ///
    /// # Errors
    /// When it was there already or cannot be read, or the log cannot be written.
    pub fn add(&mut self, exchange: &Exchange) -> Result<(), Refused> {
        let sent = Sent::read(&exchange.body, exchange.url.as_deref()).map_err(Refused::Body)?;
        let api = sent.api;
        let answer = exchange.response.as_ref();
        let answer = answer.and_then(|text| Answer::read(text, api));
        let answer_id = answer.as_ref().and_then(|a| a.id.clone());
        let ids = [exchange.id.clone(), answer_id.clone()];
        if ids.iter().flatten().any(|id| self.met.contains(id)) {
            return Err(Refused::Twice);
        }
        self.met.extend(ids.into_iter().flatten());
        let speaker = self.speaker(exchange, &sent);
        let continues = sent.continues.clone();
        let agent = Agent::of_headers(&exchange.headers).or_else(|| sent.agent.clone());
        let agent = agent.or_else(|| exchange.agent.clone());
        let mut whole = self.chains.whole(sent, exchange.time);
        let lack = exchange.lacks.iter().find(|lack| lack.is_prompt());
        let lack = lack.map(|lack| format!("its recording has {}", lack.what()));
        whole.incomplete = whole.incomplete.or(lack);
        let whole = Arc::new(whole);
        let request = Arc::new(self.redacted((*whole).clone()));
        let place = self.lanes.add(&request, &speaker);
        if self.count == 0 {
            self.begin().map_err(Refused::Output)?;
        }
        self.count += 1;
        let continues = continues.map(|id| self.redactor.text(&id).into_owned());
        let line = self.request(exchange, &request, &place, continues, agent);
        let line = line.map_err(Refused::Output)?;
        self.line(&line).map_err(Refused::Output)?;
        if let Some(answer) = &answer {
            self.chains.answered(&whole, answer);
            if let Some(id) = answer_id {
                self.answered.insert(id, self.count - 1);
            }
            let status = exchange.status;
            self.response(answer, &place.conversation, status, &request)
                .map_err(Refused::Output)?;
        }
        Ok(())
    }

    fn speaker(&self, exchange: &Exchange, sent: &Sent) -> Speaker {
        let header = |name: &str| exchange.headers.get(name).cloned();
        let continued = (sent.continues.as_ref()).and_then(|id| self.answered.get(id).copied());
        let conversation = exchange.conversation.clone();
        let conversation = conversation.or_else(|| header(SESSION));
        let conversation = conversation.or_else(|| sent.session.clone());
        Speaker {
            conversation: conversation.map(|id| format!("c-{}", self.redactor.hash(&id))),
            agent: header(AGENT).map(|id| format!("a-{}", self.redactor.hash(&id))),
            source: exchange.source.clone(),
            continues: continued,
        }
    }

    /// The request without what must not be written.
    fn redacted(&mut self, mut request: Request) -> Request {
        for setting in &mut request.settings {
            setting.value = match IDS.contains(&&*setting.name) {
                true => Json::Text(self.redactor.hash(&setting.value)).canonical(),
                false => self.redactor.json(&setting.value).into_owned(),
            };
        }
        for part in request.tools.iter_mut().chain(&mut request.system) {
            *part = self.clean(part);
        }
        for message in &mut request.messages {
            *message = Arc::new(self.clean_message(message));
        }
        request
    }

    fn clean_message(&mut self, message: &Message) -> Message {
        Message {
            role: message.role.clone(),
            extra: self.redactor.json(&message.extra).into_owned(),
            blocks: message.blocks.iter().map(|part| self.clean(part)).collect(),
        }
    }

    fn clean(&mut self, part: &Part) -> Part {
        let sent = (part.raw.clone(), part.key.clone());
        if let Some(clean) = self.cleaned.get(&sent) {
            return clean.clone();
        }
        let clean = self.cleaned_now(part);
        self.cleaned.insert(sent, clean.clone());
        clean
    }

    fn cleaned_now(&self, part: &Part) -> Part {
        if self.redactor.lines {
            let value = self.redactor.hashed(&self.redactor.value(&part.value()));
            return Part::new(value.canonical(), &value);
        }
        match (self.redactor.json(&part.raw), self.redactor.json(&part.key)) {
            (Cow::Borrowed(_), Cow::Borrowed(_)) => part.clone(),
            (raw, key) => Part::new(&*raw, &Json::read(&key).unwrap_or(Json::Null)),
        }
    }

    fn request(
        &mut self,
        exchange: &Exchange,
        request: &Request,
        place: &InLane,
        continues: Option<String>,
        agent: Option<Agent>,
    ) -> io::Result<RequestLine> {
        let conversation = &place.conversation;
        let before = place.before.as_ref();
        let kept = before.map_or(0, |(_, before)| kept(&before.messages, &request.messages));
        let mut add = Vec::new();
        for message in &request.messages[kept..] {
            add.push(self.message(message, conversation)?);
        }
        let settings = request.settings.iter().map(|setting| SettingLine {
            name: setting.name.clone(),
            value: Json::read(&setting.value).unwrap_or(Json::Null),
        });
        let marks = request.breakpoints.iter().map(|mark| BreakpointLine {
            at: mark.at.clone(),
            ttl: mark.ttl.clone(),
        });
        Ok(RequestLine {
            kind: RequestWord::Request,
            id: exchange
                .id
                .clone()
                .unwrap_or_else(|| format!("r{}", self.count)),
            number: self.count,
            time: request.time,
            conversation: conversation.clone(),
            lane: place.lane.clone(),
            parent: before.map(|(number, _)| number + 1),
            api: request.api,
            provider: exchange.url.as_deref().and_then(provider),
            agent,
            model: self.redactor.text(&request.model).into_owned(),
            settings: settings.collect(),
            headers: self.headers(exchange),
            tools: self.parts(&request.tools, conversation)?,
            system: self.parts(&request.system, conversation)?,
            messages: MessagesLine { keep: kept, add },
            breakpoints: marks.collect(),
            continues,
            incomplete: (request.incomplete.as_ref())
                .map(|reason| self.redactor.text(reason).into_owned()),
            origin: exchange.origin.clone(),
        })
    }

    fn headers(&self, exchange: &Exchange) -> BTreeMap<String, String> {
        let all = exchange.headers.iter();
        let kept = all.filter_map(|(name, value)| {
            let value = match name.as_str() {
                SESSION | AGENT | PARENT_AGENT => self.redactor.hash(value),
                name if HEADERS.contains(&name) => self.redactor.text(value).into_owned(),
                _ => return None,
            };
            Some((name.clone(), value))
        });
        kept.collect()
    }

    fn response(
        &mut self,
        answer: &Answer,
        conversation: &str,
        status: Option<u16>,
        request: &Request,
    ) -> io::Result<()> {
        let mut output = Vec::new();
        for message in &answer.output {
            let message = self.clean_message(message);
            output.push(self.message(&message, conversation)?);
        }
        let value = |value: &Option<Json>| value.as_ref().map(|v| self.redactor.value(v));
        let (usage, edits) = (value(&answer.usage), value(&answer.edits));
        let diagnostics = value(&answer.diagnostics);
        let text = |text: &Option<String>| {
            let text = text.as_ref().map(|text| self.redactor.text(text));
            text.map(Cow::into_owned)
        };
        self.line(&ResponseLine {
            kind: ResponseWord::Response,
            request: self.count,
            conversation: conversation.to_owned(),
            id: text(&answer.id),
            provider: text(&answer.provider),
            model: text(&answer.model),
            state: answer.state.name().to_owned(),
            status,
            output,
            usage,
            basis: answer.usage.as_ref().and_then(|_| Basis::of(request.api)),
            edits,
            diagnostics,
        })
    }

    fn message(&mut self, message: &Message, conversation: &str) -> io::Result<MessageLine> {
        Ok(MessageLine {
            role: message.role.clone(),
            extra: Json::read(&message.extra),
            parts: self.parts(&message.blocks, conversation)?,
        })
    }

    /// The hashes of parts; those that are new in this conversation are written.
    fn parts(&mut self, parts: &[Part], conversation: &str) -> io::Result<Vec<String>> {
        let mut hashes = Vec::new();
        for part in parts {
            let hash = hash(part);
            let known = self.parts.entry(conversation.to_owned()).or_default();
            if known.insert(hash.clone()) {
                let plain = Json::read(&part.raw).map(|value| value.canonical());
                let key = match plain.as_deref() == Some(&*part.key) {
                    true => None,
                    false => Some(raw(&part.key)?),
                };
                self.line(&PartLine {
                    kind: PartWord::Part,
                    conversation: conversation.to_owned(),
                    hash: hash.clone(),
                    json: raw(&part.raw)?,
                    key,
                })?;
            }
            hashes.push(hash);
        }
        Ok(hashes)
    }

    fn line<T: Serialize>(&mut self, line: &T) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        (self.out)(&bytes)
    }
}

fn raw(text: &str) -> io::Result<Box<RawValue>> {
    // A line end in a value would end the line of the log.
    let one_line = match text.contains(['\n', '\r']) {
        true => serde_json::from_str::<&RawValue>(text).map(|value| flat(value.get())),
        false => Ok(text.to_owned()),
    }?;
    Ok(RawValue::from_string(one_line)?)
}

/// JSON without line ends between its tokens; in its strings there are none.
fn flat(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// What names a part: the first eight bytes of SHA-256 over what was sent and what is compared.
fn hash(part: &Part) -> String {
    let mut hash = Sha256::new();
    hash.update(part.raw.as_bytes());
    hash.update([0]);
    hash.update(part.key.as_bytes());
    hash.finalize()
        .iter()
        .take(8)
        .fold(String::new(), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}

/// How many messages of the request before stay as they were sent.
fn kept(before: &[Arc<Message>], now: &[Arc<Message>]) -> usize {
    let same = |a: &Message, b: &Message| {
        a == b && a.blocks.iter().zip(&b.blocks).all(|(x, y)| x.raw == y.raw)
    };
    let pairs = before.iter().zip(now);
    pairs.take_while(|(a, b)| same(a, b)).count()
}

/// Who serves a URL, by its host.
fn provider(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', ':', '?']).next()?;
    const HOSTS: &[(&str, &str)] = &[
        ("anthropic.com", "anthropic"),
        ("openai.com", "openai"),
        ("chatgpt.com", "openai"),
        ("openrouter.ai", "openrouter"),
        ("googleapis.com", "gemini"),
        ("amazonaws.com", "bedrock"),
        ("deepseek.com", "deepseek"),
    ];
    let of = |end: &str| host == end || host.ends_with(&format!(".{end}"));
    let known = HOSTS.iter().find(|(end, _)| of(end));
    known.map(|(_, name)| (*name).to_owned())
}
