//! The requests of a log with what is around them: the one walk from which comparison, bills, frequency and pages read.

use super::line::{RequestLine, ResponseLine};
use crate::request::whole::AnswerState;
use crate::request::whole::chain::MOST_OPEN;
use crate::request::whole::effective::Request;
use crate::request::whole::part::Message;
use crate::text::Json;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

/// The content of a log.
#[derive(Debug)]
pub enum Entry {
    /// A request with its answer, and the one before it, which it is compared with.
    Request(Arc<Exchanged>, Option<Arc<Exchanged>>),
    /// The last line of a conversation was read: none of it is needed any more.
    Closed(String),
}

/// A request with its answer.
#[derive(Debug, Clone)]
pub struct Exchanged {
    /// Its line in the log.
    pub line: RequestLine,
    /// The request as its model saw it.
    pub request: Arc<Request>,
    /// The line of its answer; none if the log has none.
    pub answer: Option<ResponseLine>,
    /// The messages that the answer wrote.
    pub output: Vec<Message>,
}

impl Exchanged {
    /// Whether its provider did not process it: no later request is compared with it, and no cache has it.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        let answer = self.answer.as_ref();
        answer.is_some_and(|answer| {
            answer.state == AnswerState::Error.name() && answer.usage.is_none()
        })
    }

    /// The server's own edits of the request, as its answer reports them.
    #[must_use]
    pub fn edits(&self) -> &[Json] {
        let edits = self.answer.as_ref().and_then(|a| a.edits.as_ref());
        let edits = edits.and_then(|edits| edits.get("applied_edits"));
        edits.map(Json::items).unwrap_or_default()
    }

    /// The provider and model to which a router gave the request, if its answer says it.
    #[must_use]
    pub fn route(&self) -> Option<String> {
        let answer = self.answer.as_ref()?;
        let provider = answer.provider.as_ref()?;
        let model = answer.model.iter().map(|model| format!(", {model}"));
        Some(format!("{provider}{}", model.collect::<String>()))
    }
}

/// What is known of the requests that a later one may extend: the newest ones of each chain.
#[derive(Debug, Clone)]
pub struct OpenRequests<T>(BTreeMap<String, VecDeque<Open<T>>>);

#[derive(Debug, Clone)]
struct Open<T> {
    number: usize,
    /// Whether it stays after the next one of its chain came.
    forks: bool,
    known: T,
}

impl<T> Default for OpenRequests<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> OpenRequests<T> {
    /// What is known of the request before another one; none if that is the first of its chain.
    pub fn before(&self, line: &RequestLine) -> Option<&T> {
        let parent = line.parent?;
        let own = self.0.get_key_value(&line.chain);
        let own = own.map(|(chain, open)| (chain.as_str(), open));
        let conversation = line.conversation.as_str();
        // One that another request extends too is in that one's chain.
        let others = std::iter::once_with(|| self.of(conversation)).flatten();
        let mut open = own.into_iter().chain(others);
        open.find_map(|(_, open)| {
            let mut newest_first = open.iter().rev();
            let found = newest_first.find(|open| open.number == parent)?;
            Some(&found.known)
        })
    }

    /// Notes what is known of a request that did not fail.
    pub fn add(&mut self, line: &RequestLine, known: T) {
        let open = match self.0.get_mut(&line.chain) {
            Some(open) => open,
            None => self.0.entry(line.chain.clone()).or_default(),
        };
        // What is known of the one before it is asked for until the next one comes.
        open.retain(|known| known.forks || Some(known.number) == line.parent);
        open.push_back(Open {
            number: line.number,
            forks: line.forks,
            known,
        });
        if open.len() > MOST_OPEN {
            open.pop_front();
        }
    }

    /// The newest request of a chain.
    pub fn newest(&self, chain: &str) -> Option<&T> {
        Some(&self.0.get(chain)?.back()?.known)
    }

    /// The newest request of each chain of a conversation.
    pub fn newest_of<'l, 'c>(
        &'l self,
        conversation: &'c str,
    ) -> impl Iterator<Item = (&'l str, &'l T)> + use<'l, 'c, T> {
        let all = self.of(conversation);
        all.filter_map(|(chain, open)| Some((chain, &open.back()?.known)))
    }

    fn of<'l, 'c>(
        &'l self,
        conversation: &'c str,
    ) -> impl Iterator<Item = (&'l str, &'l VecDeque<Open<T>>)> + use<'l, 'c, T> {
        let from = (Bound::Included(conversation), Bound::Unbounded);
        let begins = self.0.range::<str, _>(from);
        let begins = begins.take_while(move |(chain, _)| chain.starts_with(conversation));
        let all = begins.filter(move |(chain, _)| {
            let next = chain.as_bytes().get(conversation.len());
            matches!(next, None | Some(b'/'))
        });
        all.map(|(chain, open)| (chain.as_str(), open))
    }

    /// Forgets a conversation that has ended.
    pub fn close(&mut self, conversation: &str) {
        let chains = self.of(conversation).map(|(chain, _)| chain.to_owned());
        let chains: Vec<String> = chains.collect();
        for chain in chains {
            self.0.remove(&chain);
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl OpenRequests<Arc<Exchanged>> {
    /// The next entry: a request with its answer.
    pub(super) fn entry(&mut self, exchanged: Exchanged) -> Entry {
        let now = Arc::new(exchanged);
        let before = self.before(&now.line).cloned();
        if !now.is_failed() {
            self.add(&now.line, now.clone());
        }
        Entry::Request(now, before)
    }
}
