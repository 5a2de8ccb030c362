//! Conversations and their chains: which request a request grew out of.

use super::api::Api;
use super::effective::Request;
use super::part::{Digest, PartId};
use super::turns::{SentPart, Turn, TurnIndex, Turns, is_as_sent};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The speaker of a request, as far as its content shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Speaker {
    /// The conversation.
    pub(super) conversation: Option<String>,
    /// The agent, if it is one that another one started.
    pub(super) agent: Option<String>,
    /// The chain, if that is named.
    pub(super) chain: Option<String>,
    /// The source of the request, if it is not the conversation itself.
    pub(super) source: Option<String>,
    /// The number of the request whose answer it continues.
    pub(super) continues: Option<usize>,
}

/// The chains of a log. Of the last request of each, only its identity is kept, not its texts.
#[derive(Debug, Default)]
pub(super) struct Chains {
    chains: Vec<Chain>,
    /// The chain of each request, by its number.
    of: Vec<u32>,
    /// The chains that have a name of their own, or that of an agent; by conversation.
    named: BTreeMap<(Option<String>, Name), usize>,
    /// The chains of a conversation.
    by_conversation: BTreeMap<Option<String>, Vec<usize>>,
    /// The messages of all requests that may be met again.
    pub(super) turns: Turns,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Chain(String),
    Agent(String),
}

impl Speaker {
    /// The name of the chain, with the conversation.
    fn name(&self) -> Option<(Option<String>, Name)> {
        let chain = self.chain.clone().map(Name::Chain);
        let name = chain.or_else(|| self.agent.clone().map(Name::Agent))?;
        Some((self.conversation.clone(), name))
    }
}

#[derive(Debug)]
struct Chain {
    name: Arc<str>,
    /// The conversation: what was named, or the chain itself.
    conversation: Arc<str>,
    is_agent: bool,
    source: Option<String>,
    /// Whether a request may continue one that is not the last.
    is_kept: bool,
    last: Last,
}

/// The last request of a chain.
#[derive(Debug)]
struct Last {
    number: usize,
    api: Api,
    tools: Arc<[PartId]>,
    system: Arc<[PartId]>,
    messages: Vec<TurnIndex>,
    /// The identity of each of its messages, beyond equality of memory addresses.
    serials: Vec<u64>,
    keys: Keys,
}

/// The compared form of the messages of a request.
#[derive(Debug, Default)]
struct Keys {
    all: Vec<Digest>,
    sorted: OnceCell<Vec<Digest>>,
}

impl Keys {
    fn of(request: &Request<SentPart, Turn>) -> Self {
        Self {
            all: request.messages.iter().map(|turn| turn.key).collect(),
            sorted: OnceCell::new(),
        }
    }

    /// The number of those in both, wherever they are.
    fn shared(&self, other: &Self) -> usize {
        let sorted = |keys: &'_ Self| {
            let mut sorted = keys.all.clone();
            sorted.sort_unstable();
            sorted
        };
        let mut a = self.sorted.get_or_init(|| sorted(self)).iter().peekable();
        let mut b = other.sorted.get_or_init(|| sorted(other)).iter().peekable();
        let mut count = 0;
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
        count
    }
}

/// Where a request is.
#[derive(Debug, Clone)]
pub(super) struct InChain {
    /// The conversation.
    pub(super) conversation: Arc<str>,
    /// The chain.
    pub(super) chain: Arc<str>,
    /// The number of the request before it; none for the first.
    pub(super) before: Option<usize>,
    /// The number of messages of the request before that stay as they were sent.
    pub(super) kept: usize,
    /// The last of its messages.
    pub(super) last: Option<TurnIndex>,
    pub(super) tools: Arc<[PartId]>,
    pub(super) system: Arc<[PartId]>,
}

impl Chains {
    /// Finds the chain of the next request; its number is one more than that of the one before. `is_kept` says whether a request may
    /// continue its answer.
    pub(super) fn add(
        &mut self,
        request: &Request<SentPart, Turn>,
        speaker: &Speaker,
        is_kept: bool,
    ) -> InChain {
        let number = self.of.len();
        let keys = Keys::of(request);
        let found = self.find(request, &keys, speaker);
        let before = found.map(|at| &self.chains[at].last);
        let kept = before.map_or(0, |last| self.kept(last, request));
        let mut messages = before.map_or(&[][..], |last| &last.messages)[..kept].to_vec();
        let last = Last {
            number,
            api: request.api,
            tools: shared_ids(&request.tools, before.map(|b| &b.tools)),
            system: shared_ids(&request.system, before.map(|b| &b.system)),
            messages: Vec::new(),
            serials: request.messages.iter().map(|turn| turn.serial).collect(),
            keys,
        };
        let before = before.map(|last| last.number);
        for turn in &request.messages[kept..] {
            let place = self.turns.add(messages.last().copied(), &turn.message);
            messages.push(place);
        }
        let last = Last { messages, ..last };
        let at = match found {
            Some(at) => {
                let before = std::mem::replace(&mut self.chains[at].last, last);
                if !self.chains[at].is_kept {
                    self.turns.free(&before.messages[kept..]);
                }
                at
            }
            None => self.open(last, speaker),
        };
        self.of.push(u32::try_from(at).unwrap_or(u32::MAX));
        self.chains[at].is_kept |= is_kept;
        let chain = &self.chains[at];
        InChain {
            conversation: chain.conversation.clone(),
            chain: chain.name.clone(),
            before,
            kept,
            last: chain.last.messages.last().copied(),
            tools: chain.last.tools.clone(),
            system: chain.last.system.clone(),
        }
    }

    /// The number of messages of a request that stay as they were sent.
    fn kept(&self, last: &Last, request: &Request<SentPart, Turn>) -> usize {
        let same = same(last, request);
        let pairs = last.messages[same..].iter().zip(&request.messages[same..]);
        let is_as_sent = |at: TurnIndex, now: &Turn| {
            let before = self.turns.at(at);
            before.is_some_and(|before| is_as_sent(before, &now.message))
        };
        same + pairs.take_while(|(at, now)| is_as_sent(**at, now)).count()
    }

    /// Forgets a conversation that has ended.
    pub(super) fn close(&mut self, conversation: &str) {
        let conversation = Some(conversation.to_owned());
        for at in self
            .by_conversation
            .remove(&conversation)
            .unwrap_or_default()
        {
            let last = &mut self.chains[at].last;
            self.turns.free(&std::mem::take(&mut last.messages));
            (last.serials, last.keys) = (Vec::new(), Keys::default());
            (last.tools, last.system) = (Arc::default(), Arc::default());
        }
        let first = (conversation.clone(), Name::Chain(String::new()));
        let named = self.named.range(first..).map(|(name, _)| name);
        let named = named.take_while(|(of, _)| *of == conversation);
        let named: Vec<_> = named.cloned().collect();
        for name in named {
            self.named.remove(&name);
        }
    }

    /// Whether the next request of a speaker will be in this conversation, whatever its content.
    pub(super) fn is_in(&self, conversation: &str, speaker: &Speaker) -> bool {
        let Some(name) = speaker.name() else {
            // It is in the chain of the one that it continues.
            return true;
        };
        match self.named.get(&name) {
            Some(at) => *self.chains[*at].conversation == *conversation,
            None => speaker.conversation.as_deref() == Some(conversation),
        }
    }

    fn find(
        &self,
        request: &Request<SentPart, Turn>,
        keys: &Keys,
        speaker: &Speaker,
    ) -> Option<usize> {
        if let Some(name) = speaker.name() {
            return self.named.get(&name).copied();
        }
        if let Some(before) = speaker.continues {
            return self.of.get(before).map(|at| *at as usize);
        }
        let same = |chain: &Chain| {
            !chain.is_agent && chain.source == speaker.source && chain.last.api == request.api
        };
        let chains = self.by_conversation.get(&speaker.conversation)?.iter();
        let chains = chains.map(|at| (*at, &self.chains[*at]));
        let chains: Vec<(usize, &Chain)> = chains.filter(|(_, chain)| same(chain)).collect();
        let (most, _, at) = self.most_shared(&chains, request, keys)?;
        let shorter = keys.all.len().min(self.chains[at].last.messages.len());
        if most > 0 && 2 * most >= shorter {
            return Some(at);
        }
        let alike = |ids: &[PartId], now: &[SentPart]| ids.iter().eq(now.iter().map(|p| &p.id));
        let begins_like = |last: &Last| {
            let [mut old, mut new] = [last.system.len(), request.system.len()];
            if request.api == Api::OpenaiResponses {
                // Codex moves messages of the developer behind others when it compacts.
                [old, new] = [old.min(new); 2];
            }
            let has_any = !last.tools.is_empty() || new > 0;
            has_any
                && alike(&last.tools, &request.tools)
                && alike(&last.system[..old], &request.system[..new])
        };
        let newest = (chains.iter().filter(|(_, chain)| begins_like(&chain.last)))
            .max_by_key(|(_, chain)| chain.last.number);
        newest
            .filter(|_| speaker.conversation.is_some())
            .map(|(at, _)| *at)
    }

    /// The chain whose last request shares most messages, the newest of these: the count, its number, and the chain.
    fn most_shared(
        &self,
        chains: &[(usize, &Chain)],
        request: &Request<SentPart, Turn>,
        keys: &Keys,
    ) -> Option<(usize, usize, usize)> {
        // A last request that is the beginning of this one shares all of itself. Others need not be counted if they
        // cannot share more.
        let begin = chains.iter().filter_map(|(at, chain)| {
            let whole = chain.last.messages.len();
            (same(&chain.last, request) == whole).then_some((whole, chain.last.number, *at))
        });
        let begin = begin.max();
        let others = chains.iter().filter_map(|(at, chain)| {
            let last = &chain.last;
            let most = last.messages.len().min(keys.all.len()) + 1;
            let may_be =
                begin.is_none_or(|begin| *at != begin.2 && (most, last.number, *at) > begin);
            may_be.then(|| (self.shared(last, request, keys), last.number, *at))
        });
        others.chain(begin).max()
    }

    /// The number of messages that the last request of a chain shares, wherever they are. Its last one counts where the other goes on in it.
    fn shared(&self, last: &Last, request: &Request<SentPart, Turn>, keys: &Keys) -> usize {
        let end = last.messages.last().and_then(|at| self.turns.at(*at));
        let now = request.messages.get(last.messages.len().wrapping_sub(1));
        let goes_on = end.zip(now).is_some_and(|(end, now)| {
            let now = now.message.map(|piece| piece.id);
            *end != now && end.begins(&now)
        });
        last.keys.shared(keys) + usize::from(goes_on)
    }

    fn open(&mut self, last: Last, speaker: &Speaker) -> usize {
        let at = self.chains.len();
        let chains = self.by_conversation.entry(speaker.conversation.clone());
        let chains = chains.or_default();
        chains.push(at);
        let count = chains.len();
        let name: Arc<str> = match (&speaker.conversation, &speaker.agent) {
            (Some(conversation), Some(agent)) => format!("{conversation}/{agent}"),
            (Some(conversation), None) => format!("{conversation}/{count}"),
            (None, _) => format!("chain-{count}"),
        }
        .into();
        if let Some(name) = speaker.name() {
            self.named.insert(name, at);
        }
        let conversation = speaker.conversation.as_deref().map(Arc::from);
        self.chains.push(Chain {
            conversation: conversation.unwrap_or_else(|| name.clone()),
            name,
            is_agent: speaker.agent.is_some(),
            source: speaker.source.clone(),
            is_kept: false,
            last,
        });
        at
    }
}

/// The number of messages of a request that are, in memory, the first ones of the last request of a chain.
fn same(last: &Last, request: &Request<SentPart, Turn>) -> usize {
    let pairs = last.serials.iter().zip(&request.messages);
    pairs
        .take_while(|(serial, turn)| **serial == turn.serial)
        .count()
}

/// The ids of parts; those of the request before, if they are the same.
fn shared_ids(now: &[SentPart], before: Option<&Arc<[PartId]>>) -> Arc<[PartId]> {
    let same = |before: &&Arc<[PartId]>| {
        before.len() == now.len() && before.iter().zip(now).all(|(a, b)| a.is_as_sent(&b.id))
    };
    match before.filter(same) {
        Some(before) => before.clone(),
        None => now.iter().map(|piece| piece.id).collect(),
    }
}
