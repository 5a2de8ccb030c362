//! A log that is not written: its entries, as a reader of its lines would have them.
//!
//! Incomplete requests are only compared, so their messages have no texts.

use super::line::{RequestLine, ResponseLine};
use super::sink::{Sink, Whole};
use super::{Entry, close};
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
    /// The newest request of each chain.
    chains: BTreeMap<Arc<str>, Arc<Request>>,
    /// The parts of each conversation, by hash, where a request may continue an answer and only name it.
    parts: BTreeMap<Arc<str>, BTreeMap<[u8; 8], Part>>,
    continues: bool,
}

impl<F: FnMut(Entry)> Entries<F> {
    /// Hands each entry on.
    pub(super) fn new(each: F, continues: bool) -> Self {
        Self {
            each,
            chains: BTreeMap::new(),
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
    fn request(&mut self, line: RequestLine, whole: &Whole, place: &InChain) -> io::Result<()> {
        let unknown = || io::Error::other("a part does not come before its request");
        let conversation = &place.conversation;
        let is_bare = whole.incomplete.is_some();
        let before = self.chains.get(&place.chain);
        let before = before.filter(|before| is_bare || before.incomplete.is_none());
        let before = before.map(|request| &request.messages[..place.kept]);
        let mut messages = before.unwrap_or_default().to_vec();
        for turn in &whole.messages[messages.len()..] {
            messages.push(Arc::new(match is_bare {
                true => turn.message.map(|piece| Part::bare(piece.id)),
                false => self.message(turn, conversation).ok_or_else(unknown)?,
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
        self.chains.insert(place.chain.clone(), request.clone());
        (self.each)(Entry::Request(Box::new(line), request));
        Ok(())
    }

    fn close(&mut self, conversation: &str) {
        close(&mut self.chains, conversation);
        self.parts.remove(conversation);
        (self.each)(Entry::Closed(conversation.to_owned()));
    }

    fn response(
        &mut self,
        line: ResponseLine,
        output: &[Arc<Turn>],
        place: &InChain,
    ) -> io::Result<()> {
        let output = output
            .iter()
            .filter_map(|turn| self.message(turn, &place.conversation));
        let output = output.collect();
        (self.each)(Entry::Response(Box::new(line), output));
        Ok(())
    }
}
