//! Conversations and their lanes: which request a request grew out of.

use super::api::Api;
use super::effective::Request;
use super::part::{Digest, PartId};
use super::turns::{Piece, Place, Turns, is_as_sent, key};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whose request it is, as far as what was sent says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Speaker {
    /// The conversation.
    pub(super) conversation: Option<String>,
    /// The agent, if it is one that another one started.
    pub(super) agent: Option<String>,
    /// The lane, if that is named.
    pub(super) lane: Option<String>,
    /// What asked for it, if that is not the talk itself.
    pub(super) source: Option<String>,
    /// The number of the request whose answer it continues.
    pub(super) continues: Option<usize>,
}

/// The lanes of a log. Of the last request of each only what tells it from others is kept, not its texts.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    /// The lane of each request, by its number.
    of: Vec<u32>,
    /// The lanes that have a name of their own, or that of an agent; by conversation.
    named: BTreeMap<(Option<String>, Name), usize>,
    /// The lanes of a conversation.
    by_conversation: BTreeMap<Option<String>, Vec<usize>>,
    /// The messages of all requests.
    pub(super) turns: Turns,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Lane(String),
    Agent(String),
}

impl Speaker {
    /// The name of the lane, with the conversation.
    fn name(&self) -> Option<(Option<String>, Name)> {
        let lane = self.lane.clone().map(Name::Lane);
        let name = lane.or_else(|| self.agent.clone().map(Name::Agent))?;
        Some((self.conversation.clone(), name))
    }
}

#[derive(Debug)]
struct Lane {
    name: Arc<str>,
    /// The conversation: what was named, or the lane itself.
    conversation: Arc<str>,
    is_agent: bool,
    source: Option<String>,
    last: Last,
}

/// The last request of a lane.
#[derive(Debug)]
struct Last {
    number: usize,
    api: Api,
    tools: Arc<[PartId]>,
    system: Arc<[PartId]>,
    messages: Vec<Place>,
    /// What is compared of its messages, sorted.
    keys: Vec<Digest>,
}

/// Where a request is.
#[derive(Debug, Clone)]
pub(super) struct InLane {
    /// The conversation.
    pub(super) conversation: Arc<str>,
    /// The lane.
    pub(super) lane: Arc<str>,
    /// The number of the request before it; none for the first.
    pub(super) before: Option<usize>,
    /// How many messages of the request before stay as they were sent.
    pub(super) kept: usize,
    /// The last of its messages.
    pub(super) last: Option<Place>,
    pub(super) tools: Arc<[PartId]>,
    pub(super) system: Arc<[PartId]>,
}

impl Lanes {
    /// Finds the lane of the next request; its number is one more than that of the one before.
    pub(super) fn add(&mut self, request: &Request<Piece>, speaker: &Speaker) -> InLane {
        let number = self.of.len();
        let mut keys: Vec<Digest> = request.messages.iter().map(|m| key(m)).collect();
        keys.sort_unstable();
        let found = self.find(request, &keys, speaker);
        let before = found.map(|at| &self.lanes[at].last);
        let messages = before.map_or(&[][..], |last| &last.messages);
        let pairs = messages.iter().zip(&request.messages);
        let same = |at: Place, now| self.turns.at(at).is_some_and(|b| is_as_sent(b, now));
        let kept = pairs.take_while(|(at, now)| same(**at, now)).count();
        let mut messages = messages[..kept].to_vec();
        let last = Last {
            number,
            api: request.api,
            tools: shared_ids(&request.tools, before.map(|b| &b.tools)),
            system: shared_ids(&request.system, before.map(|b| &b.system)),
            messages: Vec::new(),
            keys,
        };
        let before = before.map(|last| last.number);
        for message in &request.messages[kept..] {
            let place = self.turns.add(messages.last().copied(), message);
            messages.push(place);
        }
        let last = Last { messages, ..last };
        let at = match found {
            Some(at) => {
                self.lanes[at].last = last;
                at
            }
            None => self.open(last, speaker),
        };
        self.of.push(u32::try_from(at).unwrap_or(u32::MAX));
        let lane = &self.lanes[at];
        InLane {
            conversation: lane.conversation.clone(),
            lane: lane.name.clone(),
            before,
            kept,
            last: lane.last.messages.last().copied(),
            tools: lane.last.tools.clone(),
            system: lane.last.system.clone(),
        }
    }

    /// Whether the next request of a speaker will stand in this conversation, whatever is in it.
    pub(super) fn is_in(&self, conversation: &str, speaker: &Speaker) -> bool {
        let Some(name) = speaker.name() else {
            // It is in the lane of the one that it continues.
            return true;
        };
        match self.named.get(&name) {
            Some(at) => *self.lanes[*at].conversation == *conversation,
            None => speaker.conversation.as_deref() == Some(conversation),
        }
    }

    fn find(&self, request: &Request<Piece>, keys: &[Digest], speaker: &Speaker) -> Option<usize> {
        if let Some(name) = speaker.name() {
            return self.named.get(&name).copied();
        }
        if let Some(before) = speaker.continues {
            return self.of.get(before).map(|at| *at as usize);
        }
        let same = |lane: &Lane| {
            !lane.is_agent && lane.source == speaker.source && lane.last.api == request.api
        };
        let lanes = self.by_conversation.get(&speaker.conversation)?.iter();
        let lanes = lanes.map(|at| (*at, &self.lanes[*at]));
        let lanes: Vec<(usize, &Lane)> = lanes.filter(|(_, lane)| same(lane)).collect();
        let best = (lanes.iter())
            .map(|(at, lane)| {
                (
                    self.shared(&lane.last, request, keys),
                    lane.last.number,
                    *at,
                )
            })
            .max()?;
        let (most, _, at) = best;
        let shorter = keys.len().min(self.lanes[at].last.messages.len());
        if most > 0 && 2 * most >= shorter {
            return Some(at);
        }
        let alike = |ids: &[PartId], now: &[Piece]| ids.iter().eq(now.iter().map(|p| &p.id));
        let begins_like = |last: &Last| {
            let has_any = !last.tools.is_empty() || !last.system.is_empty();
            has_any && alike(&last.tools, &request.tools) && alike(&last.system, &request.system)
        };
        let newest = (lanes.iter().filter(|(_, lane)| begins_like(&lane.last)))
            .max_by_key(|(_, lane)| lane.last.number);
        newest
            .filter(|_| speaker.conversation.is_some())
            .map(|(at, _)| *at)
    }

    /// How many messages the last request of a lane shares, wherever they are. Its last one counts where the other goes on in it.
    fn shared(&self, last: &Last, request: &Request<Piece>, keys: &[Digest]) -> usize {
        let (mut a, mut b, mut count) = (last.keys.iter().peekable(), keys.iter().peekable(), 0);
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => _ = a.next(),
                std::cmp::Ordering::Greater => _ = b.next(),
                std::cmp::Ordering::Equal => {
                    count += 1;
                    _ = (a.next(), b.next());
                }
            }
        }
        let end = last.messages.last().and_then(|at| self.turns.at(*at));
        let now = request.messages.get(last.messages.len().wrapping_sub(1));
        let goes_on = end.zip(now).is_some_and(|(end, now)| {
            let now = now.map(|piece| piece.id);
            *end != now && end.begins(&now)
        });
        count + usize::from(goes_on)
    }

    fn open(&mut self, last: Last, speaker: &Speaker) -> usize {
        let at = self.lanes.len();
        let lanes = self.by_conversation.entry(speaker.conversation.clone());
        let lanes = lanes.or_default();
        lanes.push(at);
        let count = lanes.len();
        let name: Arc<str> = match (&speaker.conversation, &speaker.agent) {
            (Some(conversation), Some(agent)) => format!("{conversation}/{agent}"),
            (Some(conversation), None) => format!("{conversation}/{count}"),
            (None, _) => format!("lane-{count}"),
        }
        .into();
        if let Some(name) = speaker.name() {
            self.named.insert(name, at);
        }
        let conversation = speaker.conversation.as_deref().map(Arc::from);
        self.lanes.push(Lane {
            conversation: conversation.unwrap_or_else(|| name.clone()),
            name,
            is_agent: speaker.agent.is_some(),
            source: speaker.source.clone(),
            last,
        });
        at
    }
}

/// The ids of parts; those of the request before, if they are the same.
fn shared_ids(now: &[Piece], before: Option<&Arc<[PartId]>>) -> Arc<[PartId]> {
    let same = |before: &&Arc<[PartId]>| {
        before.len() == now.len() && before.iter().zip(now).all(|(a, b)| a.is_as_sent(&b.id))
    };
    match before.filter(same) {
        Some(before) => before.clone(),
        None => now.iter().map(|piece| piece.id).collect(),
    }
}
