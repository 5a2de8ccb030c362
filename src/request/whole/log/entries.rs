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

/// Entries, handed on as they come. They do not name their parts by hashes.
pub(super) struct Entries<F> {
    each: F,
    open: OpenRequests<Arc<Exchanged>>,
    /// The parts of each conversation, by hash, where a request may continue an answer and only name it.
    parts: BTreeMap<Arc<str>, BTreeMap<[u8; 8], Part>>,
    continues: bool,
}

impl<F: FnMut(Entry)> Entries<F> {
    /// Hands each entry on.
    pub(super) fn new(each: F, continues: bool) -> Self {
        Self {
            each,
            open: OpenRequests::default(),
            parts: BTreeMap::new(),
            continues,
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
        let is_bare = whole.incomplete.is_some();
        let before = self.open.before(&line).map(|before| &before.request);
        let before = before.filter(|before| is_bare || before.incomplete.is_none());
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
        (self.each)(self.open.entry(exchanged));
        Ok(())
    }

    fn close(&mut self, conversation: &str) {
        self.open.close(conversation);
        self.parts.remove(conversation);
        (self.each)(Entry::Closed(conversation.to_owned()));
    }
}
