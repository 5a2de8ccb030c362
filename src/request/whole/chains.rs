//! Requests that continue an answer: a provider has from before what they do not hold.

use super::api::Api;
use super::body::Sent;
use super::effective::Request;
use super::lane::InLane;
use super::part::{Digest, Message, Part, PartId, digest};
use super::turns::{Piece, Place, Turns};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Requests with their answers, by the ids of these: what a later request may continue.
#[derive(Debug, Default)]
pub(super) struct Chains {
    answered: BTreeMap<Digest, Answered>,
}

/// What a provider has of a request that it answered.
#[derive(Debug)]
pub(super) struct Answered {
    /// The number of the request.
    pub(super) number: usize,
    /// The conversation in which its parts stand.
    pub(super) conversation: Arc<str>,
    tools: Arc<[PartId]>,
    system: Arc<[PartId]>,
    /// The last of its messages.
    last: Option<Place>,
    output: Vec<Message<PartId>>,
    incomplete: Option<String>,
}

impl Chains {
    /// The request with an answer of this id.
    pub(super) fn get(&self, id: &str) -> Option<&Answered> {
        self.answered.get(&digest([id.as_bytes()]))
    }

    /// Remembers what was answered.
    pub(super) fn add(
        &mut self,
        id: &str,
        (number, request, place): (usize, &Request<Piece>, &InLane),
        output: &[Message<Part>],
    ) {
        let output = output.iter().map(|message| message.map(|part| part.id));
        let answered = Answered {
            number,
            conversation: place.conversation.clone(),
            tools: place.tools.clone(),
            system: place.system.clone(),
            last: place.last,
            output: output.collect(),
            incomplete: request.incomplete.clone(),
        };
        self.answered.insert(digest([id.as_bytes()]), answered);
    }
}

/// The whole request behind what was sent; `before` is what it continues, if that is known.
pub(super) fn whole(
    sent: Sent,
    time: Option<Timestamp>,
    before: Result<&Answered, &'static str>,
    turns: &Turns,
) -> Request<Piece> {
    let pieces = |parts: Vec<Part>| parts.into_iter().map(Piece::from).collect();
    let mut request: Request<Piece> = Request {
        api: sent.api,
        model: sent.model,
        time,
        settings: sent.settings,
        tools: pieces(sent.tools),
        system: pieces(sent.system),
        messages: Vec::new(),
        breakpoints: sent.breakpoints,
        incomplete: (sent.elsewhere).map(|field| format!("its `{field}` lies elsewhere")),
    };
    match (&sent.continues, before) {
        (None, _) => {}
        (Some(id), Err(why)) => {
            request.incomplete = Some(format!("it continues the answer `{id}`, which is {why}"));
        }
        (Some(_), Ok(before)) => {
            request.incomplete = request.incomplete.or(before.incomplete.clone());
            let known = |ids: &[PartId]| ids.iter().map(|id| Piece::from(*id)).collect();
            let output = before.output.iter();
            let output = output.map(|message| Arc::new(message.map(|id| Piece::from(*id))));
            request.messages = turns.to(before.last);
            request.messages.extend(output);
            // A thread keeps its tools and system text; of Responses the tools of an earlier input stay.
            if request.tools.is_empty() {
                request.tools = known(&before.tools);
            }
            if request.system.is_empty() && sent.api == Api::AnthropicMessages {
                request.system = known(&before.system);
            }
        }
    }
    let before = request.messages.len();
    let messages = sent.messages.into_iter();
    let messages = messages.map(|message| Arc::new(message.map(|part| part.clone().into())));
    request.messages.extend(messages);
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

/// The message and the block of a place in messages.
fn in_messages(at: &str) -> Option<(usize, usize)> {
    let (message, block) = at.strip_prefix("messages/")?.split_once('/')?;
    Some((message.parse().ok()?, block.parse().ok()?))
}

/// Makes messages of one role in a row one. Says of each in which it is now, and behind how many blocks.
fn merge(messages: &mut Vec<Arc<Message<Piece>>>) -> Vec<(usize, usize)> {
    let mut out: Vec<Arc<Message<Piece>>> = Vec::new();
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
