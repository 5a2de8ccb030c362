//! Conversations and their lanes: which request a request grew out of.

use super::effective::Request;
use super::part::{Message, Part};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whose request it is, as far as what was sent says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Speaker {
    /// The conversation.
    pub conversation: Option<String>,
    /// The agent, if it is one that another one started.
    pub agent: Option<String>,
    /// What asked for it, if that is not the talk itself.
    pub source: Option<String>,
    /// The number of the request whose answer it continues.
    pub continues: Option<usize>,
}

/// The lanes of a log.
#[derive(Debug, Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    /// The lane of each request, by its number.
    of: Vec<usize>,
    /// The lanes of agents, by conversation and name.
    agents: BTreeMap<(Option<String>, String), usize>,
    /// How many lanes a conversation has.
    counts: BTreeMap<Option<String>, usize>,
}

#[derive(Debug)]
struct Lane {
    name: String,
    /// The conversation, if something named it.
    conversation: Option<String>,
    is_agent: bool,
    source: Option<String>,
    last: (usize, Arc<Request>),
}

/// Where a request is.
#[derive(Debug, Clone, PartialEq)]
pub struct InLane {
    /// The conversation.
    pub conversation: String,
    /// The lane.
    pub lane: String,
    /// The request before it, and its number; none for the first.
    pub before: Option<(usize, Arc<Request>)>,
}

impl Lanes {
    /// Finds the lane of the next request; its number is one more than that of the one before.
    pub fn add(&mut self, request: &Arc<Request>, speaker: &Speaker) -> InLane {
        let number = self.of.len();
        let found = self.find(request, speaker);
        let (at, before) = match found {
            Some(at) => {
                let last = (number, request.clone());
                let before = std::mem::replace(&mut self.lanes[at].last, last);
                (at, Some(before))
            }
            None => (self.open(number, request, speaker), None),
        };
        self.of.push(at);
        let lane = &self.lanes[at];
        let conversation = lane.conversation.as_deref();
        InLane {
            conversation: conversation.unwrap_or(&lane.name).to_owned(),
            lane: lane.name.clone(),
            before,
        }
    }

    fn find(&self, request: &Request, speaker: &Speaker) -> Option<usize> {
        if let Some(agent) = &speaker.agent {
            let key = (speaker.conversation.clone(), agent.clone());
            return self.agents.get(&key).copied();
        }
        if let Some(before) = speaker.continues {
            return self.of.get(before).copied();
        }
        let same = |lane: &&(usize, &Lane)| {
            lane.1.conversation == speaker.conversation
                && !lane.1.is_agent
                && lane.1.source == speaker.source
                && lane.1.last.1.api == request.api
        };
        let lanes: Vec<(usize, &Lane)> = self.lanes.iter().enumerate().collect();
        let lanes: Vec<&(usize, &Lane)> = lanes.iter().filter(same).collect();
        let best = (lanes.iter())
            .map(|(at, lane)| {
                (
                    shared(&lane.last.1.messages, &request.messages),
                    lane.last.0,
                    *at,
                )
            })
            .max()?;
        let (most, _, at) = best;
        let shorter = |lane: &Lane| lane.last.1.messages.len().min(request.messages.len());
        if most > 0 && 2 * most >= shorter(&self.lanes[at]) {
            return Some(at);
        }
        let begins_like = |lane: &&&(usize, &Lane)| {
            let before = &lane.1.last.1;
            let has_any = !before.tools.is_empty() || !before.system.is_empty();
            has_any && before.tools == request.tools && before.system == request.system
        };
        let newest = (lanes.iter().filter(begins_like)).max_by_key(|(_, lane)| lane.last.0);
        newest
            .filter(|_| speaker.conversation.is_some())
            .map(|(at, _)| *at)
    }

    fn open(&mut self, number: usize, request: &Arc<Request>, speaker: &Speaker) -> usize {
        let count = self.counts.entry(speaker.conversation.clone()).or_default();
        *count += 1;
        let name = match (&speaker.conversation, &speaker.agent) {
            (Some(conversation), Some(agent)) => format!("{conversation}/{agent}"),
            (Some(conversation), None) => format!("{conversation}/{count}"),
            (None, _) => format!("lane-{count}"),
        };
        let at = self.lanes.len();
        if let Some(agent) = &speaker.agent {
            self.agents
                .insert((speaker.conversation.clone(), agent.clone()), at);
        }
        self.lanes.push(Lane {
            name,
            conversation: speaker.conversation.clone(),
            is_agent: speaker.agent.is_some(),
            source: speaker.source.clone(),
            last: (number, request.clone()),
        });
        at
    }
}

/// How many messages two requests share, wherever they are. The last of `a` counts where `b` goes on in it.
fn shared(a: &[Arc<Message>], b: &[Arc<Message>]) -> usize {
    let mut left: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    for message in a {
        *left.entry(key(message)).or_default() += 1;
    }
    let mut count = 0;
    for message in b {
        if let Some(left) = left.get_mut(&key(message)).filter(|left| **left > 0) {
            *left -= 1;
            count += 1;
        }
    }
    let goes_on = (a.last().zip(b.get(a.len().wrapping_sub(1))))
        .is_some_and(|(last, now)| last != now && last.begins(now));
    count + usize::from(goes_on)
}

type Key<'m> = (&'m str, &'m str, Vec<&'m str>);

fn key(message: &Message) -> Key<'_> {
    let blocks = message.blocks.iter().map(|part: &Part| &*part.key);
    (&message.role, &message.extra, blocks.collect())
}
