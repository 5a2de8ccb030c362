//! Writing a log.

use super::Exchange;
use super::line::{
    Basis, BreakpointLine, HeadLine, LogWord, MessageLine, MessagesLine, PartLine, PartWord,
    RequestLine, RequestWord, ResponseLine, ResponseWord, SettingLine, VERSION,
};
use crate::request::json::Json;
use crate::request::whole::agent::Agent;
use crate::request::whole::answer::Answer;
use crate::request::whole::api::Api;
use crate::request::whole::body::{BodyError, Seen, Sent};
use crate::request::whole::chains::{Chains, whole};
use crate::request::whole::effective::Request;
use crate::request::whole::lane::{InLane, Lanes, Speaker};
use crate::request::whole::part::{Digest, Message, Part, digest};
use crate::request::whole::recent::Recent;
use crate::request::whole::redact::Redactor;
use crate::request::whole::turns::Piece;
use data_encoding::HEXLOWER as HEX;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
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

/// How many parts are remembered that need no cleaning, and bytes of those that did.
const CLEANED: usize = 1 << 22;

/// A log that is being written. It keeps no text but what may come again soon.
pub struct LogWriter<'w> {
    out: &'w mut dyn FnMut(&[u8]) -> io::Result<()>,
    redactor: Redactor,
    seen: Seen,
    chains: Chains,
    lanes: Lanes,
    /// The parts that stand in the log, by conversation.
    parts: BTreeMap<Arc<str>, BTreeSet<[u8; 8]>>,
    /// What became of parts, by what was sent and what is compared; none if nothing had to be replaced.
    cleaned: Recent<([u8; 8], Digest), Option<Part>>,
    /// The ids of requests and answers that were met.
    met: BTreeSet<Digest>,
    count: usize,
    /// Whether the first line is written.
    begun: bool,
}

impl<'w> LogWriter<'w> {
    /// A log that begins with its first request.
    #[must_use]
    pub fn new(out: &'w mut dyn FnMut(&[u8]) -> io::Result<()>, redactor: Redactor) -> Self {
        Self {
            out,
            redactor,
            seen: Seen::default(),
            chains: Chains::default(),
            lanes: Lanes::default(),
            parts: BTreeMap::new(),
            cleaned: Recent::new(CLEANED),
            met: BTreeSet::new(),
            count: 0,
            begun: false,
        }
    }

    /// Writes the first line, which comes before the first request if it is not asked for.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn begin(&mut self) -> io::Result<()> {
        self.begun = true;
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
        let url = exchange.url.as_deref();
        let sent = Sent::read_again(&exchange.body, url, &mut self.seen).map_err(Refused::Body)?;
        let answer = exchange.response.as_ref();
        let answer = answer.and_then(|text| Answer::read(text, sent.api));
        let ids = [&exchange.id, &answer.as_ref().and_then(|a| a.id.clone())].map(|id| {
            let id = id.as_ref()?;
            Some(digest([id.as_bytes()]))
        });
        if ids.iter().flatten().any(|id| self.met.contains(id)) {
            return Err(Refused::Twice);
        }
        self.met.extend(ids.into_iter().flatten());
        let speaker = self.speaker(exchange, &sent);
        let continues = sent.continues.clone();
        let agent = Agent::of_headers(&exchange.headers).or_else(|| sent.agent.clone());
        let agent = agent.or_else(|| exchange.agent.clone());
        let mut request = self.whole(sent, exchange.time, &speaker);
        let lack = exchange.lacks.iter().find(|lack| lack.is_prompt());
        let lack = lack.map(|lack| format!("its recording has {}", lack.what()));
        let told = exchange.incomplete.clone().or(lack);
        request.incomplete = request.incomplete.or(told);
        let place = self.lanes.add(&request, &speaker);
        if !self.begun {
            self.begin().map_err(Refused::Output)?;
        }
        self.count += 1;
        let continues = continues.map(|id| self.redactor.text(&id).into_owned());
        let line = self.request(exchange, &request, &place, continues, agent);
        let line = line.map_err(Refused::Output)?;
        self.line(&line).map_err(Refused::Output)?;
        if let Some(answer) = &answer {
            let output = answer
                .output
                .iter()
                .map(|message| self.clean_message(message));
            let output: Vec<Message> = output.collect();
            if let Some(id) = &answer.id {
                let request = (self.count - 1, &request, &place);
                self.chains.add(id, request, &output);
            }
            let context = (exchange.status, &output[..]);
            self.response(answer, &place.conversation, context, request.api)
                .map_err(Refused::Output)?;
        }
        Ok(())
    }

    fn speaker(&self, exchange: &Exchange, sent: &Sent) -> Speaker {
        let header = |name: &str| exchange.headers.get(name).cloned();
        let continued = (sent.continues.as_ref()).and_then(|id| self.chains.get(id));
        let conversation = exchange.conversation.clone();
        let conversation = conversation.or_else(|| header(SESSION));
        let conversation = conversation.or_else(|| sent.session.clone());
        Speaker {
            conversation: conversation.map(|id| format!("c-{}", self.redactor.hash(&id))),
            agent: header(AGENT).map(|id| format!("a-{}", self.redactor.hash(&id))),
            lane: exchange.lane.clone(),
            source: exchange.source.clone(),
            continues: continued.map(|before| before.number),
        }
    }

    /// The whole request, without what must not be written.
    fn whole(
        &mut self,
        mut sent: Sent,
        time: Option<Timestamp>,
        speaker: &Speaker,
    ) -> Request<Piece> {
        for setting in &mut sent.settings {
            setting.value = match IDS.contains(&&*setting.name) {
                true => Json::Text(self.redactor.hash(&setting.value)).canonical(),
                false => self.redactor.json(&setting.value).into_owned(),
            };
        }
        for part in sent.tools.iter_mut().chain(&mut sent.system) {
            self.clean(part);
        }
        for message in &mut sent.messages {
            *message = self.clean_message(message);
        }
        let before = sent.continues.as_ref().and_then(|id| self.chains.get(id));
        // The parts of a request stand in its own conversation.
        let before = match before {
            None => Err("not here"),
            Some(b) if !self.lanes.is_in(&b.conversation, speaker) => {
                Err("of another conversation")
            }
            Some(before) => Ok(before),
        };
        whole(sent, time, before, &self.lanes.turns)
    }

    fn clean_message(&mut self, message: &Message) -> Message {
        let mut clean = message.clone();
        if let Cow::Owned(extra) = self.redactor.json(&message.extra) {
            clean.extra = extra;
        }
        for part in &mut clean.blocks {
            self.clean(part);
        }
        clean
    }

    fn clean(&mut self, part: &mut Part) {
        let key = (part.id.name, part.id.digest());
        let clean = self.cleaned.get(key).unwrap_or_else(|| {
            let clean = self.cleaned_now(part);
            // What is around them is about that large.
            let weight = clean.as_ref().map_or(0, |p| p.raw.len() + p.key.len()) + 100;
            self.cleaned.insert(key, clean.clone(), weight);
            clean
        });
        if let Some(clean) = clean {
            *part = clean;
        }
    }

    /// A part without what must not be written; none if that is the part itself.
    fn cleaned_now(&self, part: &Part) -> Option<Part> {
        if self.redactor.lines {
            let value = self.redactor.hashed(&self.redactor.value(&part.value()));
            return Some(Part::new(value.canonical(), &value));
        }
        match (self.redactor.json(&part.raw), self.redactor.json(&part.key)) {
            (Cow::Borrowed(_), Cow::Borrowed(_)) => None,
            (raw, key) => Some(Part::new(&*raw, &Json::read(&key).unwrap_or(Json::Null))),
        }
    }

    fn request(
        &mut self,
        exchange: &Exchange,
        request: &Request<Piece>,
        place: &InLane,
        continues: Option<String>,
        agent: Option<Agent>,
    ) -> io::Result<RequestLine> {
        let conversation = &place.conversation;
        let mut add = Vec::new();
        for message in &request.messages[place.kept..] {
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
            conversation: conversation.to_string(),
            lane: place.lane.to_string(),
            parent: place.before.map(|number| number + 1),
            api: request.api,
            provider: exchange.url.as_deref().and_then(provider),
            agent,
            model: self.redactor.text(&request.model).into_owned(),
            settings: settings.collect(),
            headers: self.headers(exchange),
            tools: self.parts(&request.tools, conversation)?,
            system: self.parts(&request.system, conversation)?,
            messages: MessagesLine {
                keep: place.kept,
                add,
            },
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
        conversation: &Arc<str>,
        (status, written): (Option<u16>, &[Message]),
        api: Api,
    ) -> io::Result<()> {
        let mut output = Vec::new();
        for message in written {
            let message = message.map(|part| Piece::from(part.clone()));
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
            conversation: conversation.to_string(),
            id: text(&answer.id),
            provider: text(&answer.provider),
            model: text(&answer.model),
            state: answer.state.name().to_owned(),
            status,
            output,
            usage,
            basis: answer.usage.as_ref().and_then(|_| Basis::of(api)),
            edits,
            diagnostics,
        })
    }

    fn message(
        &mut self,
        message: &Message<Piece>,
        conversation: &Arc<str>,
    ) -> io::Result<MessageLine> {
        Ok(MessageLine {
            role: message.role.clone(),
            extra: Json::read(&message.extra),
            parts: self.parts(&message.blocks, conversation)?,
        })
    }

    /// The hashes of parts; those that are new in this conversation are written.
    fn parts(&mut self, pieces: &[Piece], conversation: &Arc<str>) -> io::Result<Vec<String>> {
        let mut hashes = Vec::new();
        for piece in pieces {
            let hash = HEX.encode(&piece.id.name);
            let known = match self.parts.get_mut(conversation) {
                Some(known) => known,
                None => self.parts.entry(conversation.clone()).or_default(),
            };
            if let Some(part) = &piece.part
                && known.insert(piece.id.name)
            {
                let plain = Json::read(&part.raw).map(|value| value.canonical());
                let key = match plain.as_deref() == Some(&*part.key) {
                    true => None,
                    false => Some(raw(&part.key)?),
                };
                self.line(&PartLine {
                    kind: PartWord::Part,
                    conversation: conversation.to_string(),
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
    Ok(RawValue::from_string(text.to_owned())?)
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
