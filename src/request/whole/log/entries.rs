//! A log that is not written: its entries, as a reader of its lines would have them.
//!
//! Incomplete requests are only compared, so their messages have no texts.

use super::exchanged::{Entry, Exchanged, OpenRequests};
use super::line::{RequestLine, ResponseLine};
use super::sink::{Sink, Whole};
use crate::request::whole::chain::InChain;
use crate::request::whole::effective::Request;
use crate::request::whole::part::{Message, Part};
use crate::request::whole::turns::{SentPart, Turn};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// The most bytes of requests that are held because a later one may go on from them and none has yet, about. An app each of whose conversations has
/// one turn would have all of them held, since nothing says where an unnamed conversation ends.
const MOST_BYTES: usize = 32 << 20;

/// The conversations of one request, by its number: their names and bytes.
#[derive(Debug, Default)]
struct Singles {
    by_number: BTreeMap<usize, (String, usize)>,
    numbers: BTreeMap<String, usize>,
    bytes: usize,
}

impl Singles {
    fn add(&mut self, number: usize, conversation: &str, bytes: usize) {
        self.bytes += bytes;
        self.numbers.insert(conversation.to_owned(), number);
        self.by_number
            .insert(number, (conversation.to_owned(), bytes));
    }

    fn remove(&mut self, conversation: &str) {
        let number = self.numbers.remove(conversation);
        let removed = number.and_then(|number| self.by_number.remove(&number));
        self.bytes -= removed.map_or(0, |(_, bytes)| bytes);
    }

    /// The one that came first, if there are too many.
    fn surplus(&self) -> Option<String> {
        let (_, (first, _)) = self.by_number.first_key_value()?;
        (self.bytes > MOST_BYTES).then(|| first.clone())
    }
}

/// Entries, handed on as they come. They do not name their parts by hashes.
pub(super) struct Entries<F> {
    each: F,
    open: OpenRequests<Arc<Exchanged>>,
    /// The parts of each conversation, by hash, where a request may continue an answer and only name it.
    parts: BTreeMap<Arc<str>, BTreeMap<[u8; 8], Part>>,
    continues: bool,
    singles: Singles,
    /// The requests that go on from one that is held no more.
    uncompared: usize,
}

impl<F: FnMut(Entry)> Entries<F> {
    /// Hands each entry on.
    pub(super) fn new(each: F, continues: bool) -> Self {
        Self {
            each,
            open: OpenRequests::default(),
            parts: BTreeMap::new(),
            continues,
            singles: Singles::default(),
            uncompared: 0,
        }
    }

    /// Holds no more than there is room for, after a request of these bytes, if it is the first of its conversation. Where a request may name parts
    /// of earlier ones, all are needed.
    fn make_room(&mut self, number: usize, conversation: &str, first: Option<usize>) {
        match first {
            _ if self.continues => {}
            Some(bytes) => self.singles.add(number, conversation, bytes),
            None => self.singles.remove(conversation),
        }
        while let Some(first) = self.singles.surplus() {
            self.close(&first);
        }
    }

    /// The parts of an entry; none if one does not come before it.
    fn known(&mut self, pieces: &[SentPart], conversation: &Arc<str>) -> Option<Vec<Part>> {
        if !self.continues {
            return pieces.iter().map(|piece| piece.part.clone()).collect();
        }
        let known = self.parts.entry(conversation.clone()).or_default();
        let parts = pieces.iter().map(|piece| match &piece.part {
            Some(part) => {
                let first = known.entry(part.id.name).or_insert_with(|| part.clone());
                Some(first.clone())
            }
            None => known.get(&piece.id.name).cloned(),
        });
        parts.collect()
    }

    fn message(&mut self, turn: &Turn, conversation: &Arc<str>) -> Option<Message> {
        Some(Message {
            role: turn.message.role.clone(),
            extra: turn.message.extra.clone(),
            blocks: self.known(&turn.message.blocks, conversation)?,
        })
    }
}

impl<F: FnMut(Entry)> Sink for Entries<F> {
    fn add(
        &mut self,
        line: RequestLine,
        whole: &Whole,
        place: &InChain,
        answer: Option<(ResponseLine, &[Arc<Turn>])>,
    ) -> io::Result<()> {
        let unknown = || io::Error::other("a part does not come before its request");
        let conversation = &place.conversation;
        let is_bare = whole.incomplete.is_some() && !whole.is_snapshot;
        let before = self.open.before(&line).map(|before| &before.request);
        self.uncompared += usize::from(before.is_none() && line.parent.is_some());
        let is_first = self.open.newest_of(&line.conversation).next().is_none();
        let before =
            before.filter(|before| is_bare || before.incomplete.is_none() || before.is_snapshot);
        let before = before.map(|request| &request.messages[..place.kept]);
        let mut messages = before.unwrap_or_default().to_vec();
        for turn in &whole.messages[messages.len()..] {
            messages.push(Arc::new(if is_bare {
                turn.message.map(|piece| Part::bare(piece.id))
            } else {
                self.message(turn, conversation).ok_or_else(unknown)?
            }));
        }
        let mut parts = |pieces| self.known(pieces, conversation).ok_or_else(unknown);
        let request = Arc::new(Request {
            api: whole.api,
            model: line.model.clone(),
            time: whole.time,
            settings: whole.settings.clone(),
            tools: parts(&whole.tools)?,
            system: parts(&whole.system)?,
            messages,
            breakpoints: whole.breakpoints.clone(),
            incomplete: line.incomplete.clone(),
            is_snapshot: line.is_snapshot,
        });
        let (answer, output) = answer.unzip();
        let output = output.into_iter().flatten();
        let output = output.filter_map(|turn| self.message(turn, conversation));
        let exchanged = Exchanged {
            output: output.collect(),
            line,
            request,
            answer,
        };
        let texts = exchanged.request.parts();
        let bytes = is_first.then(|| texts.map(|part| part.raw.len() + part.key.len()).sum());
        let number = exchanged.line.number;
        (self.each)(self.open.entry(exchanged));
        self.make_room(number, conversation, bytes);
        Ok(())
    }

    fn close(&mut self, conversation: &str) {
        self.open.close(conversation);
        self.parts.remove(conversation);
        self.singles.remove(conversation);
        (self.each)(Entry::Closed(conversation.to_owned()));
    }

    fn uncompared(&self) -> usize {
        self.uncompared
    }
}
