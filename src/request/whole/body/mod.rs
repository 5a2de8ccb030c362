//! The body of a request, as it was sent: one file for each API.

mod spelling;
mod seen;
mod anthropic;
mod bedrock;
mod chat;
mod gemini;
mod responses;

use super::agent::Agent;
use super::api::Api;
use super::members::Members;
use super::part::{Breakpoint, From, Message, Part, Setting, settings};
use super::said::Said;
use super::terms::{self, Terms};
use crate::text::Json;
use seen::Listed;
pub(super) use seen::Seen;
use spelling::Spelling;
use std::sync::Arc;

/// A parsed body. Content that the provider has from earlier requests is not in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// The API that it is written for.
    pub api: Api,
    /// The requested model; empty if unknown.
    pub model: String,
    /// The settings that a cache depends on.
    pub settings: Vec<Setting>,
    /// What it names that changes its prices.
    pub terms: Terms,
    /// The tools, in order.
    pub tools: Vec<Part>,
    /// The blocks of the system prompt, in order.
    pub system: Vec<Part>,
    /// Of the tools and the system prompt, what is in the messages of the API.
    pub leading: Leading,
    /// The messages, in order.
    pub messages: Vec<Arc<Said>>,
    /// The places up to which the provider is asked to cache it.
    pub breakpoints: Vec<Breakpoint>,
    /// The id of the answer that it continues.
    pub continues: Option<String>,
    /// Whether its provider stores it, so that a later request may continue its answer.
    pub is_kept: bool,
    /// The field by which a part of the prompt lies elsewhere.
    pub elsewhere: Option<&'static str>,
    /// The session that the body itself names.
    pub session: Option<Session>,
    /// The program that sent it, as far as its system prompt says it.
    pub agent: Option<Agent>,
}

/// A session that a body names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub id: String,
    /// Whether that is only a key of the cache, of which an app may also draw another one for each request.
    pub is_key: bool,
}

/// The number of the last tools and blocks of the system prompt that are in the messages of the API. A request that continues its answer has them
/// too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leading {
    /// The tools.
    pub tools: usize,
    /// The blocks.
    pub system: usize,
}

impl Leading {
    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            tools: self.tools + other.tools,
            system: self.system + other.system,
        }
    }
}

/// Why a body cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BodyError {
    /// It is no object of JSON; perhaps it was cut.
    NotJson,
    /// Nothing says for which API it is.
    UnknownApi,
    /// A part that the API needs has another shape.
    Shape,
}

impl BodyError {
    /// The reason, as it is counted.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotJson => "an incomplete body of JSON",
            Self::UnknownApi => "a body of an unknown API",
            Self::Shape => "a body of another shape than its API has",
        }
    }
}

impl Sent {
    /// Reads a body; `url` is where it was sent, if that is known.
    ///
    /// # Errors
    /// When it is no body of a known API.
    pub fn read(body: &str, url: Option<&str>) -> Result<Self, BodyError> {
        Self::read_again(body, url, &mut Seen::default())
    }

    /// [`Self::read`] that takes from `seen` what it holds.
    pub(super) fn read_again(
        body: &str,
        url: Option<&str>,
        seen: &mut Seen,
    ) -> Result<Self, BodyError> {
        let members = Members::read(body).ok_or(BodyError::NotJson)?;
        let api = Api::of(url, &members).ok_or(BodyError::UnknownApi)?;
        let model = members.text("model");
        let mut sent = Self {
            model: (model.or_else(|| Api::model_of_url(url?))).unwrap_or_default(),
            terms: terms::of_request(&members),
            session: session(api, &members),
            continues: continues(api, &members),
            is_kept: is_kept(api, &members),
            ..Self::empty(api)
        };
        if members.get("model").is_none() && !sent.model.is_empty() {
            sent.settings.push(Setting {
                name: "model".to_owned(),
                value: Json::from(sent.model.as_str()).canonical(),
                from: From::Start,
            });
        }
        for (from, names) in settings(api) {
            sent.settings(&members, *from, names);
        }
        match api {
            Api::AnthropicMessages => anthropic::read(&members, url, &mut sent, seen),
            Api::OpenaiChat => chat::read(&members, &mut sent, seen),
            Api::OpenaiResponses => responses::read(&members, &mut sent, seen),
            Api::Gemini => gemini::read(&members, &mut sent, seen),
            Api::BedrockConverse => bedrock::read(&members, &mut sent, seen),
        }
        .ok_or(BodyError::Shape)?;
        sent.lead();
        let agent = sent.agent.take();
        sent.agent = agent.or_else(|| Agent::of_system(sent.system.first()?));
        Ok(sent)
    }

    /// The session that a body names, and the id of the answer that it continues. None if it is no body of a known API.
    pub(super) fn speaker(
        body: &str,
        url: Option<&str>,
    ) -> Option<(Option<Session>, Option<String>)> {
        let members = Members::read(body)?;
        let api = Api::of(url, &members)?;
        Some((session(api, &members), continues(api, &members)))
    }

    /// A body of this API with nothing in it.
    fn empty(api: Api) -> Self {
        Self {
            api,
            model: String::new(),
            settings: Vec::new(),
            terms: Terms::new(),
            tools: Vec::new(),
            system: Vec::new(),
            leading: Leading::default(),
            messages: Vec::new(),
            breakpoints: Vec::new(),
            continues: None,
            is_kept: false,
            elsewhere: None,
            session: None,
            agent: None,
        }
    }

    /// Notes the settings at these paths.
    fn settings(&mut self, body: &Members<'_>, from: From, paths: &[&str]) {
        for name in paths {
            let mut keys = name.split('.');
            let first = keys.next().unwrap_or_default();
            let rest: Vec<&str> = keys.collect();
            let value = body.value(first);
            if let Some(value) = value.as_ref().and_then(|v| v.at(&rest))
                && !matches!(value, Json::Null)
            {
                self.settings.push(Setting {
                    name: (*name).to_owned(),
                    value: value.canonical(),
                    from,
                });
            }
        }
    }

    /// The parts of a list, with their breakpoints; none if there is no list.
    fn parts(
        &mut self,
        list: Option<&str>,
        at: &str,
        spelling: Spelling,
        seen: &mut Seen,
    ) -> Option<Vec<Part>> {
        match list.filter(|list| list.starts_with('[')) {
            Some(list) => Some(self.marked(at, &seen.blocks(list, spelling)?)),
            None => Some(Vec::new()),
        }
    }

    /// The blocks of a content: a list, or a text in the place of one block of this type.
    fn content(
        &mut self,
        content: Option<&str>,
        at: &str,
        text_type: &'static str,
        spelling: Spelling,
        seen: &mut Seen,
    ) -> Option<Vec<Part>> {
        match content.filter(|c| *c != "null") {
            None => Some(Vec::new()),
            Some(list) if list.starts_with('[') => self.parts(content, at, spelling, seen),
            Some(text) => Some(seen.text(text, text_type)?.parts.clone()),
        }
    }

    /// Adds a message, its breakpoints noted; one that was read lately is not read again.
    fn add(
        &mut self,
        text: &str,
        seen: &mut Seen,
        read: impl FnOnce(&mut Self, &mut Seen) -> Option<Message>,
    ) -> Option<()> {
        self.push(seen.said(text, self.api, || said(self.api, read))?);
        Some(())
    }

    /// Adds a message with its breakpoints.
    pub(super) fn push(&mut self, said: Arc<Said>) {
        let at = self.messages.len();
        self.breakpoints.extend(said.breakpoints(at));
        self.messages.push(said);
    }

    /// Moves the first messages of the system and the developer to the system prompt, where an API has it there. Those of a request that
    /// continues an answer come after the messages before it.
    pub(super) fn lead(&mut self) {
        if !matches!(self.api, Api::OpenaiChat | Api::OpenaiResponses) || self.continues.is_some() {
            return;
        }
        let is_system = |said: &&Arc<Said>| matches!(said.role.as_str(), "system" | "developer");
        let count = self.messages.iter().take_while(is_system).count();
        let mut starts = Vec::with_capacity(count);
        for said in self.messages.drain(..count) {
            starts.push(self.system.len());
            self.system.extend(said.blocks.iter().cloned());
            self.leading.system += said.blocks.len();
        }
        for mark in &mut self.breakpoints {
            if let Some((message, block)) = mark.in_messages() {
                mark.at = match starts.get(message) {
                    Some(start) => format!("system/{}", start + block),
                    None => format!("messages/{}/{block}", message - count),
                };
            }
        }
    }

    /// The parts that were read, their breakpoints noted.
    fn marked(&mut self, at: &str, listed: &Arc<Listed>) -> Vec<Part> {
        let marks = listed.marks.iter().map(|(i, mark)| Breakpoint {
            at: format!("{at}/{i}"),
            mark: mark.clone(),
        });
        self.breakpoints.extend(marks);
        listed.parts.clone()
    }
}

/// The session that a body names.
fn session(api: Api, body: &Members<'_>) -> Option<Session> {
    let is_anthropic = api == Api::AnthropicMessages;
    let named = is_anthropic.then(|| anthropic::session(body)).flatten();
    let named = named.or(body.text("session_id"));
    let is_key = named.is_none();
    let has_key = matches!(api, Api::OpenaiChat | Api::OpenaiResponses);
    let key = || body.text("prompt_cache_key").filter(|_| has_key);
    let id = named.or_else(key)?;
    Some(Session { id, is_key })
}

/// The id of the answer that a body continues.
fn continues(api: Api, body: &Members<'_>) -> Option<String> {
    match api {
        Api::AnthropicMessages => anthropic::continues(body),
        Api::OpenaiResponses => body.text("previous_response_id"),
        Api::OpenaiChat | Api::Gemini | Api::BedrockConverse => None,
    }
}

/// Whether a later request may continue the answer to a body. Of Responses an answer that is not stored may be continued in its connection.
fn is_kept(api: Api, body: &Members<'_>) -> bool {
    match api {
        Api::AnthropicMessages => body.get("thread").is_some(),
        Api::OpenaiResponses => true,
        Api::OpenaiChat | Api::Gemini | Api::BedrockConverse => false,
    }
}

/// A block of a message of Anthropic, as it is compared.
pub(super) fn anthropic_key(value: Json) -> Json {
    spelling::anthropic(value)
}

/// A message as it is written. None if it is none of this API, or the API is Bedrock's or Gemini's.
pub(super) fn message_said(api: Api, text: &str) -> Option<Said> {
    said(api, |sent, seen| match api {
        Api::AnthropicMessages => anthropic::message(text, sent, seen),
        Api::OpenaiChat => chat::message(text, sent, seen),
        Api::OpenaiResponses => responses::message(text, sent, seen),
        Api::BedrockConverse | Api::Gemini => None,
    })
}

/// A message of Anthropic with this content.
pub(super) fn anthropic_said(role: &str, content: &str) -> Option<Said> {
    said(Api::AnthropicMessages, |sent, seen| {
        let spelling = Spelling::Anthropic;
        Some(Message {
            role: role.to_owned(),
            extra: String::new(),
            blocks: sent.content(Some(content), "messages/0", "text", spelling, seen)?,
        })
    })
}

/// A message of Gemini with these parts.
pub(super) fn gemini_said(role: &str, parts: &str) -> Option<Said> {
    said(Api::Gemini, |sent, seen| {
        Some(Message {
            role: role.to_owned(),
            extra: String::new(),
            blocks: sent.parts(Some(parts), "messages/0", Spelling::ByName, seen)?,
        })
    })
}

/// A message of its own, with its breakpoints.
fn said(api: Api, read: impl FnOnce(&mut Sent, &mut Seen) -> Option<Message>) -> Option<Said> {
    let mut sent = Sent::empty(api);
    let message = read(&mut sent, &mut Seen::forgetful())?;
    let marks = sent.breakpoints.into_iter().map(|mark| {
        let block = mark.at.rsplit('/').next().and_then(|at| at.parse().ok());
        (block.unwrap_or_default(), mark.mark)
    });
    Some(Said::new(message, marks.collect()))
}
