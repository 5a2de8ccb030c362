//! Requests, put into their conversations and chains as a log has them.

use super::account::account;
use super::entries::Entries;
use super::identity::{Learnt, Met};
use super::line::{
    Basis, BreakpointLine, MessagesLine, RequestLine, RequestWord, ResponseLine, ResponseWord,
    SettingLine,
};
use super::lines::Lines;
use super::sink::{Sink, Whole};
use super::{Clean, Entry, Exchange, Lack};
use crate::request::whole::agent::Agent;
use crate::request::whole::answer::Answer;
use crate::request::whole::api::Api;
use crate::request::whole::body::{BodyError, Sent};
use crate::request::whole::chain::{Chains, InChain, Speaker};
use crate::request::whole::continued::{Continued, whole};
use crate::request::whole::host;
use crate::request::whole::redact::Redactor;
use crate::request::whole::terms::{self, Terms};
use crate::text::Json;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

/// The recorded headers; no others are written.
const HEADERS: &[&str] = &[
    "anthropic-beta",
    "anthropic-version",
    "openai-beta",
    "content-type",
    "user-agent",
];

/// The headers that name a session or an agent: their hash is recorded.
pub(super) const SESSION: &str = "x-claude-code-session-id";
pub(in crate::request::whole) const AGENT: &str = "x-claude-code-agent-id";
const PARENT_AGENT: &str = "x-claude-code-parent-agent-id";

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

/// A log that is being written. It stores no text.
pub struct LogWriter<'w> {
    to: Box<dyn Sink + 'w>,
    redactor: Redactor,
    continued: Continued,
    chains: Chains,
    met: Met,
    /// Whether each exchange happens as it is added, so that none is another one.
    is_live: bool,
    count: usize,
    /// Whether a request may continue an answer.
    continues: bool,
}

impl<'w> LogWriter<'w> {
    /// A log whose lines are written to it.
    #[must_use]
    pub fn lines(out: &'w mut dyn FnMut(&[u8]) -> io::Result<()>, redactor: Redactor) -> Self {
        Self::new(Box::new(Lines::new(out)), redactor, true)
    }

    /// The log of exchanges that happen now: none of them is another one.
    #[must_use]
    pub fn live(out: &'w mut dyn FnMut(&[u8]) -> io::Result<()>, redactor: Redactor) -> Self {
        Self {
            is_live: true,
            ..Self::lines(out, redactor)
        }
    }

    /// A log that is not written: its entries are passed on. `continues` says whether a request may continue an answer.
    #[must_use]
    pub fn entries(each: impl FnMut(Entry) + 'w, redactor: Redactor, continues: bool) -> Self {
        Self::new(Box::new(Entries::new(each, continues)), redactor, continues)
    }

    fn new(to: Box<dyn Sink + 'w>, redactor: Redactor, continues: bool) -> Self {
        Self {
            to,
            redactor,
            continued: Continued::default(),
            chains: Chains::default(),
            met: Met::default(),
            is_live: false,
            count: 0,
            continues,
        }
    }

    /// The log of exchanges that were looked at before, and what that showed.
    #[must_use]
    pub fn knowing(self, known: Learnt) -> Self {
        Self {
            met: Met::knowing(known),
            ..self
        }
    }

    /// What its exchanges show too late: where that is something, and they can be read again, another log of them has each in its place.
    #[must_use]
    pub fn learnt(&self) -> &Learnt {
        &self.met.learnt
    }

    /// Writes the first line now. Without this call it is written with the first request.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn begin(&mut self) -> io::Result<()> {
        self.to.begin()
    }

    /// The number of its requests.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of its requests that are compared with nothing, because the request before them was forgotten.
    #[must_use]
    pub fn uncompared(&self) -> usize {
        self.to.uncompared()
    }

    /// Adds a request with its answer. Returns it, behind those that were refused before and are in the log now: it shows that the id of their
    /// answers identifies none.
    ///
    /// # Errors
    /// When it was there already or cannot be read, or the log cannot be written.
    pub fn add(&mut self, clean: Result<Clean, BodyError>) -> Result<Vec<Exchange>, Refused> {
        let clean = clean.map_err(Refused::Body)?;
        let new = if self.is_live {
            vec![clean]
        } else {
            self.met.note(clean)
        };
        if new.is_empty() {
            return Err(Refused::Twice);
        }
        let written = new.into_iter().map(|clean| self.put(clean));
        written.collect::<io::Result<_>>().map_err(Refused::Output)
    }

    fn put(&mut self, clean: Clean) -> io::Result<Exchange> {
        let Clean {
            exchange,
            sent,
            messages,
            answer,
            output,
        } = clean;
        let speaker = self.speaker(&exchange, &sent);
        let continues = sent.continues.clone();
        let terms = terms::clean(&sent.terms, &self.redactor);
        let is_kept = self.continues && sent.is_kept;
        let agent = Agent::of_headers(&exchange.headers).or_else(|| sent.agent.clone());
        let agent = agent.or_else(|| exchange.agent.clone());
        let before = sent
            .continues
            .as_ref()
            .and_then(|id| self.continued.get(id));
        // The parts of a request are in its own conversation.
        let before = match before {
            None => Err("not here"),
            Some(b) if !self.chains.is_in(&b.conversation, &speaker) => {
                Err("of another conversation")
            }
            Some(before) => Ok(before),
        };
        let leading = before.map_or(sent.leading, |before| sent.leading.and(before.leading));
        let mut request = whole(sent, messages, exchange.time, before);
        let mut lacks = exchange.lacks.iter().filter(|lack| lack.is_prompt());
        request.is_snapshot = request.incomplete.is_none()
            && exchange.incomplete.is_none()
            && exchange.lacks.contains(&Lack::Settings)
            && !lacks.any(|lack| *lack != Lack::Settings);
        let lack = exchange.lacks.iter().find(|lack| lack.is_prompt());
        let lack = lack.map(|lack| format!("its recording has {}", lack.what()));
        let reported = exchange.incomplete.clone().or(lack);
        request.incomplete = request.incomplete.or(reported);
        let is_failed = answer.as_ref().is_some_and(Answer::is_failed);
        let place = self.chains.add(&request, &speaker, is_failed);
        self.count += 1;
        let continues = continues.map(|id| self.redactor.text(&id).into_owned());
        let line = self.request(&exchange, &request, &place, continues, agent);
        let line = RequestLine { terms, ..line };
        if let Some(answer) = &answer
            && let Some(id) = answer.id.as_ref().filter(|_| is_kept)
        {
            let request = (self.count - 1, &request, &place);
            self.continued.add(id, request, leading, &output);
        }
        let answer = answer.map(|answer| self.response(&answer, &place, &exchange, request.api));
        let answer = answer.map(|line| (line, &output[..]));
        self.to.add(line, &request, &place, answer)?;
        Ok(exchange)
    }

    fn speaker(&self, exchange: &Exchange, sent: &Sent) -> Speaker {
        let header = |name: &str| exchange.headers.get(name).cloned();
        let continued = (sent.continues.as_ref()).and_then(|id| self.continued.get(id));
        let session = sent.session.as_ref();
        let conversation = exchange.speaks_in(session.map(|session| session.id.clone()));
        let conversation = conversation.filter(|id| !self.chains.is_alone(id));
        let key = session.filter(|session| session.is_key);
        Speaker {
            is_key: conversation.is_some() && key.map(|key| &key.id) == conversation.as_ref(),
            conversation: conversation.map(|id| self.conversation(&id)),
            agent: header(AGENT).map(|id| format!("a-{}", self.redactor.hash(&id))),
            chain: exchange.chain.clone(),
            source: exchange.source.clone(),
            continues: continued.map(|before| before.number),
        }
    }

    /// Ends a conversation: no request of it comes any more, and none continues an answer of it.
    pub fn close(&mut self, conversation: &str) {
        let conversation = self.conversation(conversation);
        self.chains.close(&conversation);
        self.to.close(&conversation);
    }

    fn conversation(&self, id: &str) -> String {
        format!("c-{}", self.redactor.hash(id))
    }

    fn request(
        &self,
        exchange: &Exchange,
        request: &Whole,
        place: &InChain,
        continues: Option<String>,
        agent: Option<Agent>,
    ) -> RequestLine {
        let settings = request.settings.iter().map(|setting| SettingLine {
            name: setting.name.clone(),
            value: Json::read(&setting.value).unwrap_or(Json::Null),
        });
        let marks = request.breakpoints.iter().map(|mark| BreakpointLine {
            at: mark.at.clone(),
            ttl: self.clean(mark.mark.ttl.as_deref()),
            mode: self.clean(mark.mark.mode.as_deref()),
        });
        let id = exchange.id.as_ref().or(exchange.request_id.as_ref());
        let numbered = format!("r{}", self.count);
        RequestLine {
            kind: RequestWord::Request,
            is_named: id == Some(&numbered),
            id: id.cloned().unwrap_or(numbered),
            number: self.count,
            time: request.time,
            conversation: place.conversation.to_string(),
            chain: place.chain.to_string(),
            parent: place.before.map(|number| number + 1),
            api: request.api,
            provider: (exchange.url.as_deref().and_then(host::provider)).map(str::to_owned),
            account: account(exchange).map(|account| self.redactor.hash(&account)),
            agent,
            model: self.redactor.text(&request.model).into_owned(),
            settings: settings.collect(),
            terms: Terms::new(),
            headers: self.headers(exchange),
            tools: Vec::new(),
            system: Vec::new(),
            messages: MessagesLine {
                keep: place.kept,
                add: Vec::new(),
            },
            breakpoints: marks.collect(),
            continues,
            incomplete: (request.incomplete.as_ref())
                .map(|reason| self.redactor.text(reason).into_owned()),
            is_snapshot: request.is_snapshot,
            origin: exchange.origin.clone(),
            forks: true,
        }
    }

    /// A word without what must not be written.
    fn clean(&self, word: Option<&str>) -> Option<String> {
        word.map(|word| self.redactor.text(word).into_owned())
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
        &self,
        answer: &Answer,
        place: &InChain,
        exchange: &Exchange,
        api: Api,
    ) -> ResponseLine {
        let text = |text: &Option<String>| {
            let text = text.as_ref().map(|text| self.redactor.text(text));
            text.map(Cow::into_owned)
        };
        ResponseLine {
            kind: ResponseWord::Response,
            request: self.count,
            conversation: place.conversation.to_string(),
            id: text(&answer.id),
            provider: text(&answer.provider),
            model: text(&answer.model),
            state: answer.state.name().to_owned(),
            status: exchange.status,
            begun: exchange.begun,
            output: Vec::new(),
            usage: answer.usage.clone(),
            terms: terms::clean(&answer.terms, &self.redactor),
            basis: answer.usage.as_ref().and_then(|_| Basis::of(api)),
            edits: answer.edits.clone(),
            diagnostics: answer.diagnostics.clone(),
        }
    }
}
