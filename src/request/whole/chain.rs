//! Conversations and their chains: which request a request grew out of.

use super::api::Api;
use super::effective::Request;
use super::part::{Digest, PartId};
use super::turns::{Placed, SentPart, Turn, behind, is_as_sent, mark, upto};
use crate::text::common::count_shared;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The most open requests of a chain.
pub(super) const MOST_OPEN: usize = 8;

/// The speaker of a request, as far as its content shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Speaker {
    /// The conversation.
    pub(super) conversation: Option<String>,
    /// Whether that is a key of the cache alone, of which an app may also draw another one for each request.
    pub(super) is_key: bool,
    /// The agent, if it is one that another one started.
    pub(super) agent: Option<String>,
    /// The chain, if that is named.
    pub(super) chain: Option<String>,
    /// The source of the request, if it is not the conversation itself.
    pub(super) source: Option<String>,
    /// The index of the request whose answer it continues.
    pub(super) continues: Option<usize>,
}

/// The chains of a log. Of open requests only their identity is kept, not their texts.
#[derive(Debug, Default)]
pub(super) struct Chains {
    chains: Vec<Chain>,
    /// The chain of each request, by its index.
    of: Vec<u32>,
    /// The chains that have a name of their own, or that of an agent; by conversation.
    named: BTreeMap<(Option<String>, Name), usize>,
    /// The chains of a conversation.
    by_conversation: BTreeMap<Option<String>, Vec<usize>>,
    /// The chains that are found by their messages: those without a conversation, and those whose conversation is a key of the cache.
    by_mark: BTreeSet<(u64, u32)>,
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
    /// The key of `by_conversation`.
    group: Option<String>,
    /// The number of chains that begin with a request of this one.
    forks: usize,
    is_agent: bool,
    is_key: bool,
    source: Option<String>,
    /// Its open requests, the newest last.
    open: VecDeque<OpenRequest>,
    /// The messages of the newest one.
    newest: Keys,
}

/// A request that a later one may extend.
#[derive(Debug)]
struct OpenRequest {
    index: usize,
    api: Api,
    tools: Arc<[PartId]>,
    system: Arc<[PartId]>,
    last: Option<Arc<Placed>>,
    /// Whether it failed: it shows whose chain this is until another one does, and nothing is compared with it.
    is_failed: bool,
}

impl OpenRequest {
    fn len(&self) -> usize {
        self.last.as_ref().map_or(0, |last| last.count)
    }

    /// Whether its messages are the first ones of another request. Its last one may go on there.
    fn is_extended(&self, request: &Request<SentPart, Turn>, keys: &Keys) -> bool {
        let Some(last) = &self.last else { return false };
        let at = last.count - 1;
        let Some(now) = request.messages.get(at) else {
            return false;
        };
        keys.upto[at] == last.upto || {
            let before = at.checked_sub(1).map_or(0, |before| keys.upto[before]);
            before == last.upto_before() && goes_on(last, now)
        }
    }

    /// Whether it has the tools and the system prompt of another request.
    fn begins_like(&self, request: &Request<SentPart, Turn>) -> bool {
        let alike = |ids: &[PartId], now: &[SentPart]| ids.iter().eq(now.iter().map(|p| &p.id));
        let [mut old, mut new] = [self.system.len(), request.system.len()];
        if request.api == Api::OpenaiResponses {
            // Codex moves messages of the developer behind others when it compacts.
            [old, new] = [old.min(new); 2];
        }
        let has_any = !self.tools.is_empty() || new > 0;
        has_any
            && alike(&self.tools, &request.tools)
            && alike(&self.system[..old], &request.system[..new])
    }
}

/// Whether a message is the beginning of another one, and not all of it.
fn goes_on(last: &Placed, now: &Turn) -> bool {
    let now = now.message.map(|piece| piece.id);
    last.message != now && last.message.begins(&now)
}

/// The compared form of the messages of a request.
#[derive(Debug, Default)]
struct Keys {
    all: Vec<Digest>,
    sorted: OnceCell<Vec<Digest>>,
    /// The hash of the messages up to each.
    upto: Vec<u64>,
    /// The identity of each message, beyond equality of memory addresses.
    serials: Vec<u64>,
    /// The positions of those that a model said.
    said: Vec<usize>,
    /// The hash of the role and the first block of each.
    begun: Vec<u64>,
}

impl Keys {
    fn of(request: &Request<SentPart, Turn>) -> Self {
        let mut hash = 0;
        let upto = request.messages.iter().map(|turn| {
            hash = upto(hash, turn);
            hash
        });
        Self {
            all: request.messages.iter().map(|turn| turn.key).collect(),
            sorted: OnceCell::new(),
            upto: upto.collect(),
            serials: request.messages.iter().map(|turn| turn.serial).collect(),
            said: (request.messages.iter().enumerate())
                .filter_map(|(at, turn)| (!turn.is_of_caller).then_some(at))
                .collect(),
            begun: request.messages.iter().map(|turn| turn.begun).collect(),
        }
    }

    /// What a later request of the same conversation has too: each message, all of them together, and the first block of the last one, which
    /// may go on.
    fn marks(&self) -> impl Iterator<Item = u64> {
        let of_each = self.all.iter().map(mark);
        let of_all = self.upto.last().copied();
        of_each.chain(of_all).chain(self.begun.last().copied())
    }

    /// The number of answers from a message on: what a model said at once may be several messages.
    fn answers(&self, from: usize) -> usize {
        let said = self.said.iter().filter(|at| **at >= from);
        let begins = |at: &&usize| **at == from || self.said.binary_search(&(**at - 1)).is_err();
        said.filter(begins).count()
    }

    /// The number of messages that both begin with.
    fn common(&self, other: &Self) -> usize {
        let pairs = self.upto.iter().zip(&other.upto);
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// The number of those in both, wherever they are.
    fn shared(&self, other: &Self) -> usize {
        let sorted = |keys: &'_ Self| {
            let mut sorted = keys.all.clone();
            sorted.sort_unstable();
            sorted
        };
        let [a, b] = [self, other].map(|keys| keys.sorted.get_or_init(|| sorted(keys)));
        count_shared(a, b)
    }
}

/// Where a request is.
#[derive(Debug, Clone)]
pub(super) struct InChain {
    /// The conversation.
    pub(super) conversation: Arc<str>,
    /// The chain.
    pub(super) chain: Arc<str>,
    /// The index of the request before it; none for the first.
    pub(super) before: Option<usize>,
    /// The number of messages of the request before that stay as they were sent.
    pub(super) kept: usize,
    /// The last of its messages.
    pub(super) last: Option<Arc<Placed>>,
    pub(super) tools: Arc<[PartId]>,
    pub(super) system: Arc<[PartId]>,
}

/// The place of an open request: its chain, and the position there.
type Opened = (usize, usize);

/// The chain of the next request.
enum Found {
    /// It opens one.
    New,
    /// It is in the chain of the request before it.
    Next(Opened),
    /// It opens one next to that of the request before it, which another one extends too.
    Fork(Opened),
}

impl Chains {
    /// Finds the chain of the next request; its index is one more than that of the one before. One that failed is not what a later one is
    /// compared with.
    pub(super) fn add(
        &mut self,
        request: &Request<SentPart, Turn>,
        speaker: &Speaker,
        is_failed: bool,
    ) -> InChain {
        let index = self.of.len();
        let keys = Keys::of(request);
        let found = match self.find(request, &keys, speaker) {
            // It takes no way of its own.
            Found::Fork(at) if is_failed => Found::Next(at),
            found => found,
        };
        let before = match found {
            Found::New => None,
            Found::Next(at) | Found::Fork(at) => Some(at),
        };
        let before = before.and_then(|(chain, at)| {
            let chain = &self.chains[chain];
            let open = chain.open.get(at).filter(|open| !open.is_failed)?;
            let is_newest = at + 1 == chain.open.len();
            let same = is_newest.then(|| same(&chain.newest, &keys));
            Some((open, same.unwrap_or_default()))
        });
        let mut kept = before.map_or(0, |(_, same)| same);
        let mut last = None;
        if let Some((open, same)) = before {
            let mut placed = behind(same.saturating_sub(1), open.last.as_ref()).into_iter();
            last = if same > 0 {
                placed.next().cloned()
            } else {
                None
            };
            for (at, turn) in placed.zip(&request.messages[same..]) {
                if !is_as_sent(&at.message, &turn.message) {
                    break;
                }
                (kept, last) = (kept + 1, Some(at.clone()));
            }
        }
        for turn in &request.messages[kept..] {
            last = Some(Placed::after(last, turn));
        }
        let open = OpenRequest {
            index,
            api: request.api,
            tools: shared_ids(&request.tools, before.map(|(open, _)| &open.tools)),
            system: shared_ids(&request.system, before.map(|(open, _)| &open.system)),
            last,
            is_failed,
        };
        let before = before.map(|(open, _)| open.index);
        let place = (open.last.clone(), open.tools.clone(), open.system.clone());
        let at = match found {
            Found::New => self.open(speaker),
            Found::Next((at, _)) => at,
            Found::Fork((at, _)) => self.fork(at, speaker),
        };
        let known = &mut self.chains[at].open;
        if !is_failed || known.iter().all(|known| known.is_failed) {
            known.retain(|known| !known.is_failed);
            self.push(at, open, keys);
        }
        self.of.push(u32::try_from(at).unwrap_or(u32::MAX));
        let chain = &self.chains[at];
        let (last, tools, system) = place;
        InChain {
            conversation: chain.conversation.clone(),
            chain: chain.name.clone(),
            before,
            kept,
            last,
            tools,
            system,
        }
    }

    /// Adds an open request to its chain.
    fn push(&mut self, at: usize, open: OpenRequest, keys: Keys) {
        let chain = &mut self.chains[at];
        if chain.is_key || chain.group.is_none() {
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            // What the newest request had is there.
            let common = chain.newest.common(&keys);
            let all = keys.all[common..].iter().map(mark);
            let rest = [keys.upto.last(), keys.begun.last()].into_iter().flatten();
            let marks = all.chain(rest.copied());
            self.by_mark.extend(marks.map(|mark| (mark, number)));
        }
        chain.open.push_back(open);
        if chain.open.len() > MOST_OPEN {
            chain.open.pop_front();
        }
        chain.newest = keys;
    }

    /// Forgets a conversation that has ended.
    pub(super) fn close(&mut self, conversation: &str) {
        let conversation = Some(conversation.to_owned());
        for at in self
            .by_conversation
            .remove(&conversation)
            .unwrap_or_default()
        {
            let chain = &mut self.chains[at];
            chain.open = VecDeque::new();
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            for mark in std::mem::take(&mut chain.newest).marks() {
                self.by_mark.remove(&(mark, number));
            }
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

    /// The chain next to which one of this name began: its name says it.
    fn beside(&self, (conversation, name): (Option<String>, Name)) -> Option<usize> {
        let Name::Chain(name) = name else { return None };
        let (from, number) = name.rsplit_once('/')?;
        number.parse::<usize>().ok()?;
        let name = Name::Chain(from.to_owned());
        self.named.get(&(conversation, name)).copied()
    }

    /// Whether a name is that of a chain without a conversation: it is also the name of the conversation.
    pub(super) fn is_alone(&self, name: &str) -> bool {
        let name = (None, Name::Chain(name.to_owned()));
        self.named.contains_key(&name)
    }

    fn find(&self, request: &Request<SentPart, Turn>, keys: &Keys, speaker: &Speaker) -> Found {
        if let Some(name) = speaker.name() {
            if let Some(at) = self.named.get(&name) {
                return Found::Next(self.within(*at, request, keys));
            }
            let beside = self.beside(name);
            let extended = beside.and_then(|at| self.extended(&[at], request, keys));
            return extended.map_or(Found::New, Found::Fork);
        }
        if let Some(before) = speaker.continues {
            return self.continued(before);
        }
        let known = self.by_conversation.get(&speaker.conversation);
        let known = known.filter(|_| speaker.conversation.is_some());
        let chains = match known {
            Some(chains) => chains.clone(),
            None => self.by_messages(keys, speaker),
        };
        let is_one = |at: &usize| {
            let chain = &self.chains[*at];
            let api = chain.open.back().map(|open| open.api);
            !chain.is_agent && chain.source == speaker.source && api == Some(request.api)
        };
        // Where all requests of a chain failed it only counts if no other one is found.
        let (failed, others): (Vec<usize>, Vec<usize>) = (chains.into_iter().filter(is_one))
            .partition(|at| self.chains[*at].open.iter().all(|open| open.is_failed));
        match self.among(others, request, keys, known.is_some()) {
            Found::New => self.among(failed, request, keys, known.is_some()),
            found => found,
        }
    }

    /// The place of a request in some chains, whose conversation may be known.
    fn among(
        &self,
        chains: Vec<usize>,
        request: &Request<SentPart, Turn>,
        keys: &Keys,
        is_known: bool,
    ) -> Found {
        let Some((most, is_extended, _, at)) = self.most_shared(&chains, request, keys) else {
            return Found::New;
        };
        if !is_extended
            && self.is_apart(at, keys, most)
            && let Some(extended) = self.extended(&chains, request, keys)
        {
            return Found::Fork(extended);
        }
        let newest = self.newest(at);
        let len = |at: usize| self.chains[at].newest.all.len();
        if most > 0 && 2 * most >= keys.all.len().min(len(at)) {
            return Found::Next(newest);
        }
        // A compaction leaves less than there was. Another first message alone is that of an agent that begins.
        let begins = request
            .messages
            .iter()
            .all(|turn| turn.message.role == "user");
        let is_compacted = |at: &usize| {
            let mut open = self.chains[*at].open.iter();
            let is_less = len(*at) > keys.all.len();
            (is_less || !begins) && open.any(|open| open.begins_like(request))
        };
        let compacted = chains.into_iter().filter(is_compacted);
        let compacted = compacted.max_by_key(|at| self.index_of_newest(*at));
        match compacted.filter(|_| is_known) {
            Some(at) => Found::Next(self.newest(at)),
            None => Found::New,
        }
    }

    /// The newest request of a chain.
    fn newest(&self, at: usize) -> Opened {
        (at, self.chains[at].open.len().saturating_sub(1))
    }

    fn index_of_newest(&self, at: usize) -> Option<usize> {
        Some(self.chains[at].open.back()?.index)
    }

    /// The request of a chain that the next one of it extends.
    fn within(&self, at: usize, request: &Request<SentPart, Turn>, keys: &Keys) -> Opened {
        let newest = self.newest(at);
        let chain = &self.chains[at];
        let is_extended = |open: &OpenRequest| open.is_extended(request, keys);
        if chain.open.back().is_none_or(is_extended) {
            return newest;
        }
        let shared = self.shared(at, request, keys);
        let apart = self.is_apart(at, keys, shared);
        let extended = apart.then(|| self.extended(&[at], request, keys));
        extended.flatten().unwrap_or(newest)
    }

    /// The place after a request whose answer is continued.
    fn continued(&self, index: usize) -> Found {
        let Some(at) = self.of.get(index).map(|at| *at as usize) else {
            return Found::New;
        };
        let newest = self.newest(at);
        let open = self.chains[at].open.iter();
        let found = open.clone().position(|open| open.index == index);
        match found.map(|found| (at, found)) {
            Some(found) if found != newest => Found::Fork(found),
            _ => Found::Next(newest),
        }
    }

    /// The chains that a request without a known conversation may be in, by its messages; of those with a message the newest. An app may
    /// draw another key of the cache for each request; then that another conversation begins with the same words is not enough.
    fn by_messages(&self, keys: &Keys, speaker: &Speaker) -> Vec<usize> {
        if speaker.conversation.is_some() && !speaker.is_key {
            return Vec::new();
        }
        let fewer = keys.upto.len().saturating_sub(usize::from(speaker.is_key));
        let of_all = keys.upto[..fewer].iter().copied();
        let of_each = keys.all.iter().map(mark).skip(usize::from(speaker.is_key));
        let begun = keys.begun.iter().copied();
        let begun = begun.take(if speaker.is_key { 0 } else { usize::MAX });
        let is_one = |at: &usize| {
            let chain = &self.chains[*at];
            (speaker.is_key && chain.is_key) || (!speaker.is_key && chain.group.is_none())
        };
        let found = of_all.chain(of_each).chain(begun).flat_map(|mark| {
            let all = self.by_mark.range((mark, 0)..=(mark, u32::MAX)).rev();
            all.map(|(_, at)| *at as usize)
                .filter(is_one)
                .take(MOST_OPEN)
        });
        let found: BTreeSet<usize> = found.collect();
        found.into_iter().collect()
    }

    /// Whether a request goes another way than the newest one of a chain, with which it has so many messages in common: from their first
    /// difference on nothing of that one is in it, and a model said no more. In one that was rewritten and goes on it did.
    fn is_apart(&self, at: usize, keys: &Keys, shared: usize) -> bool {
        let newest = &self.chains[at].newest;
        let common = newest.common(keys);
        shared == common && (common == 0 || keys.answers(common) <= newest.answers(common))
    }

    /// The open request, with most messages, that another one extends with the same tools and system prompt; the newest of these.
    fn extended(
        &self,
        chains: &[usize],
        request: &Request<SentPart, Turn>,
        keys: &Keys,
    ) -> Option<Opened> {
        let all = chains.iter().flat_map(|at| {
            let open = self.chains[*at].open.iter().enumerate();
            open.map(move |(position, open)| ((*at, position), open))
        });
        let all =
            all.filter(|(_, open)| open.is_extended(request, keys) && open.begins_like(request));
        let longest = all.max_by_key(|(_, open)| (open.len(), open.index));
        longest.map(|(at, _)| at)
    }

    /// The chain whose newest request shares most messages, of these one that is extended, the newest of these: the count, whether it is
    /// extended, the index of the request, and the chain.
    fn most_shared(
        &self,
        chains: &[usize],
        request: &Request<SentPart, Turn>,
        keys: &Keys,
    ) -> Option<(usize, bool, usize, usize)> {
        // A last request that is the beginning of this one shares all of itself. Others need not be counted if they
        // cannot share more.
        let newest = |at: usize| Some((self.chains[at].open.back()?, at));
        let newest = || chains.iter().filter_map(|at| newest(*at));
        let begin = newest().filter(|(open, _)| open.is_extended(request, keys));
        let begin = begin.map(|(open, at)| (open.len(), true, open.index, at));
        let begin = begin.max();
        let others = newest().filter_map(|(open, at)| {
            let most = open.len().min(keys.all.len()) + 1;
            let may_be =
                begin.is_none_or(|begin| at != begin.3 && (most, false, open.index, at) > begin);
            may_be.then(|| (self.shared(at, request, keys), false, open.index, at))
        });
        others.chain(begin).max()
    }

    /// The number of messages that the newest request of a chain shares, wherever they are. Its last one counts where the other goes on in it.
    fn shared(&self, at: usize, request: &Request<SentPart, Turn>, keys: &Keys) -> usize {
        let chain = &self.chains[at];
        let last = chain.open.back().and_then(|open| open.last.as_deref());
        let grown = last.is_some_and(|last| {
            let now = request.messages.get(last.count - 1);
            now.is_some_and(|now| goes_on(last, now))
        });
        chain.newest.shared(keys) + usize::from(grown)
    }

    /// Opens a chain without requests.
    fn open(&mut self, speaker: &Speaker) -> usize {
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
            group: speaker.conversation.clone(),
            forks: 0,
            is_agent: speaker.agent.is_some(),
            is_key: speaker.is_key,
            source: speaker.source.clone(),
            open: VecDeque::new(),
            newest: Keys::default(),
        });
        at
    }

    /// Opens a chain without requests in the conversation of another one.
    fn fork(&mut self, from: usize, speaker: &Speaker) -> usize {
        let at = self.chains.len();
        if let Some(name) = speaker.name() {
            self.named.insert(name, at);
        }
        let chain = &mut self.chains[from];
        chain.forks += 1;
        let fork = Chain {
            name: format!("{}/{}", chain.name, chain.forks).into(),
            conversation: chain.conversation.clone(),
            group: chain.group.clone(),
            forks: 0,
            is_agent: chain.is_agent,
            is_key: chain.is_key,
            source: chain.source.clone(),
            open: VecDeque::new(),
            newest: Keys::default(),
        };
        let group = self.by_conversation.entry(fork.group.clone());
        group.or_default().push(at);
        self.chains.push(fork);
        at
    }
}

/// The number of messages of a request that are, in memory, the first ones of the newest request of a chain.
fn same(newest: &Keys, now: &Keys) -> usize {
    let pairs = newest.serials.iter().zip(&now.serials);
    pairs.take_while(|(before, now)| before == now).count()
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
