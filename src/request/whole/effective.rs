//! The whole request, from what was sent and what a provider had from before.

use super::answer::Answer;
use super::api::Api;
use super::body::Sent;
use super::part::{Breakpoint, Message, Part, Setting};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A request as its model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its API.
    pub api: Api,
    /// Its model.
    pub model: String,
    /// When it was sent.
    pub time: Option<Timestamp>,
    /// The settings that a cache depends on.
    pub settings: Vec<Setting>,
    /// The tools.
    pub tools: Vec<Part>,
    /// The blocks of the system text.
    pub system: Vec<Part>,
    /// The messages; of Anthropic and Bedrock those of one role in a row are one.
    pub messages: Vec<Arc<Message>>,
    /// The places up to which the provider is asked to keep it.
    pub breakpoints: Vec<Breakpoint>,
    /// Why the whole is not known; none if it is.
    pub incomplete: Option<String>,
}

/// Requests with their answers, by the ids of these: what a later request may continue.
#[derive(Debug, Default)]
pub struct Chains {
    answered: BTreeMap<String, (Arc<Request>, Vec<Arc<Message>>)>,
}

impl Chains {
    /// The whole request behind what was sent.
    #[must_use]
    pub fn whole(&self, sent: Sent, time: Option<Timestamp>) -> Request {
        let mut request = Request {
            api: sent.api,
            model: sent.model,
            time,
            settings: sent.settings,
            tools: sent.tools,
            system: sent.system,
            messages: Vec::new(),
            breakpoints: sent.breakpoints,
            incomplete: sent
                .elsewhere
                .map(|field| format!("its `{field}` lies elsewhere")),
        };
        if let Some(id) = &sent.continues {
            match self.answered.get(id) {
                None => {
                    let reason = format!("it continues the answer `{id}`, which is not here");
                    request.incomplete = Some(reason);
                }
                Some((before, answer)) => {
                    request.incomplete = request.incomplete.or(before.incomplete.clone());
                    request.messages = [before.messages.as_slice(), answer].concat();
                    // A thread keeps its tools and system text; of Responses the tools of an earlier input stay.
                    if request.tools.is_empty() {
                        request.tools.clone_from(&before.tools);
                    }
                    if request.system.is_empty() && sent.api == Api::AnthropicMessages {
                        request.system.clone_from(&before.system);
                    }
                }
            }
        }
        let before = request.messages.len();
        request
            .messages
            .extend(sent.messages.into_iter().map(Arc::new));
        let places = match sent.api.merges_turns() {
            true => merge(&mut request.messages),
            false => (0..request.messages.len()).map(|at| (at, 0)).collect(),
        };
        for mark in &mut request.breakpoints {
            if let Some((message, block)) = in_messages(&mark.at)
                && let Some((to, behind)) = places.get(before + message)
            {
                mark.at = format!("messages/{to}/{}", behind + block);
            }
        }
        request
    }

    /// Remembers what was answered.
    pub fn answered(&mut self, request: &Arc<Request>, answer: &Answer) {
        if let Some(id) = &answer.id {
            let output = answer.output.iter().cloned().map(Arc::new);
            let kept = (request.clone(), output.collect());
            self.answered.insert(id.clone(), kept);
        }
    }
}

/// The message and the block of a place in messages.
fn in_messages(at: &str) -> Option<(usize, usize)> {
    let (message, block) = at.strip_prefix("messages/")?.split_once('/')?;
    Some((message.parse().ok()?, block.parse().ok()?))
}

/// Makes messages of one role in a row one. Says of each in which it is now, and behind how many blocks.
fn merge(messages: &mut Vec<Arc<Message>>) -> Vec<(usize, usize)> {
    let mut out: Vec<Arc<Message>> = Vec::new();
    let mut places = Vec::new();
    for message in std::mem::take(messages) {
        match out.last_mut() {
            Some(last)
                if last.role == message.role
                    && last.extra.is_empty()
                    && message.extra.is_empty() =>
            {
                let behind = last.blocks.len();
                let blocks = message.blocks.iter().cloned();
                Arc::make_mut(last).blocks.extend(blocks);
                places.push((out.len() - 1, behind));
            }
            _ => {
                out.push(message);
                places.push((out.len() - 1, 0));
            }
        }
    }
    *messages = out;
    places
}
