//! Exchanges, read and without what must not be written.

use super::{Body, Exchange, Reply};
use crate::request::whole::answer::{Answer, AnswerState};
use crate::request::whole::body::{BodyError, Seen, Sent};
use crate::request::whole::part::{Digest, Message, Part};
use crate::request::whole::recent::Recent;
use crate::request::whole::redact::{IDS, Redactor};
use crate::request::whole::said::Said;
use crate::request::whole::turns::Turn;
use crate::text::Json;
use std::borrow::Cow;
use std::sync::Arc;

/// An exchange, read and cleaned.
#[derive(Debug)]
pub struct Clean {
    /// The data about it; its body and its answer are not included.
    pub(super) exchange: Exchange,
    pub(super) sent: Sent,
    pub(super) messages: Vec<Arc<Turn>>,
    pub(super) answer: Option<Answer>,
    pub(super) output: Vec<Arc<Turn>>,
}

/// Reads and cleans exchanges. Repeated text is cleaned once.
pub struct Cleaner {
    redactor: Redactor,
    seen: Seen,
    /// The new parts, by the sent and the compared form; none if nothing had to be replaced.
    cleaned: Recent<([u8; 8], Digest), Option<Part>>,
}

impl Cleaner {
    /// A cleaner that replaces what the redactor finds, and remembers at most so many bytes of what it met.
    #[must_use]
    pub fn new(redactor: Redactor, most: usize) -> Self {
        let cleaned = most / 5;
        Self {
            redactor,
            seen: Seen::new(most - cleaned),
            cleaned: Recent::new(cleaned / 2),
        }
    }

    /// Reads and cleans an exchange.
    ///
    /// # Errors
    /// When its body cannot be read.
    pub fn clean(&mut self, mut exchange: Exchange) -> Result<Clean, BodyError> {
        let url = exchange.url.as_deref();
        let mut sent = match std::mem::take(&mut exchange.body) {
            Body::Text(body) => Sent::read_again(&body, url, &mut self.seen)?,
            Body::Read(sent) => *sent?,
        };
        for setting in &mut sent.settings {
            setting.value = if IDS.contains(&&*setting.name) {
                Json::text(self.redactor.hash(&setting.value)).canonical()
            } else {
                self.redactor.json(&setting.value).into_owned()
            };
        }
        for part in sent.tools.iter_mut().chain(&mut sent.system) {
            if let Some(clean) = self.part(part) {
                *part = clean;
            }
        }
        let messages = std::mem::take(&mut sent.messages);
        let messages = messages.iter().map(|said| self.turn(said)).collect();
        let mut answer = match exchange.response.take() {
            None => None,
            Some(Reply::Text(text)) => Answer::read(&text, sent.api),
            Some(Reply::Read(answer)) => Some(*answer),
        };
        if exchange.status.is_some_and(|status| status >= 400) {
            // Its text may be anything, or nothing.
            answer.get_or_insert_default().state = AnswerState::Error;
        }
        let mut output = Vec::new();
        if let Some(answer) = &mut answer {
            let said = std::mem::take(&mut answer.output);
            output.extend(said.iter().map(|said| self.turn(said)));
            for value in [
                &mut answer.usage,
                &mut answer.edits,
                &mut answer.diagnostics,
            ] {
                *value = value.as_ref().map(|value| self.redactor.value(value));
            }
        }
        Ok(Clean {
            exchange,
            sent,
            messages,
            answer,
            output,
        })
    }

    fn turn(&mut self, said: &Said) -> Arc<Turn> {
        said.clean(|message| {
            let extra = match self.redactor.json(&message.extra) {
                Cow::Owned(extra) => Some(extra),
                Cow::Borrowed(_) => None,
            };
            let parts = message.blocks.iter();
            let parts: Vec<Option<Part>> = parts.map(|part| self.part(part)).collect();
            if extra.is_none() && parts.iter().all(Option::is_none) {
                return None;
            }
            let blocks = parts.into_iter().zip(&message.blocks);
            Some(Message {
                role: message.role.clone(),
                extra: extra.unwrap_or_else(|| message.extra.clone()),
                blocks: blocks
                    .map(|(clean, part)| clean.unwrap_or_else(|| part.clone()))
                    .collect(),
            })
        })
    }

    /// A part without what must not be written; none if that is the part itself.
    fn part(&mut self, part: &Part) -> Option<Part> {
        let key = (part.id.name, part.id.digest());
        self.cleaned.get(key).unwrap_or_else(|| {
            let clean = self.cleaned_now(part);
            // The overhead of a text is about that large.
            let weight = clean.as_ref().map_or(0, |p| p.raw.len() + p.key.len()) + 100;
            self.cleaned.insert(key, clean.clone(), weight);
            clean
        })
    }

    fn cleaned_now(&self, part: &Part) -> Option<Part> {
        if self.redactor.lines {
            let value = self.redactor.hashed(&self.redactor.value(&part.value()));
            return Some(Part::new(value.canonical(), &value));
        }
        // The compared form has no text that is not in the sent one.
        let Cow::Owned(raw) = self.redactor.json(&part.raw) else {
            return None;
        };
        let key = self.redactor.json(&part.key);
        Some(Part::new(raw, &Json::read(&key).unwrap_or(Json::Null)))
    }
}
