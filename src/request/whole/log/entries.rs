//! A log that is not written: its entries, as a reader of its lines would have them.

use super::Entry;
use super::line::{RequestLine, ResponseLine};
use super::write::{Sink, Whole};
use crate::request::whole::effective::Request;
use crate::request::whole::lane::InLane;
use crate::request::whole::part::{Message, Part};
use crate::request::whole::turns::{Piece, Turn};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// Entries, handed on as they come. They do not name their parts by hashes.
pub(super) struct Entries<F> {
    each: F,
    /// The newest request of each lane.
    lanes: BTreeMap<Arc<str>, Arc<Request>>,
    /// The parts of each conversation, by hash: a request may go on from an answer, and only name it.
    parts: BTreeMap<Arc<str>, BTreeMap<[u8; 8], Part>>,
}

impl<F: FnMut(Entry)> Entries<F> {
    /// Hands each entry on.
    pub(super) fn new(each: F) -> Self {
        Self {
            each,
            lanes: BTreeMap::new(),
            parts: BTreeMap::new(),
        }
    }

    /// The parts of an entry; none if one does not stand in front of it.
    fn known(&mut self, pieces: &[Piece], conversation: &Arc<str>) -> Option<Vec<Part>> {
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

    fn message(&mut self, turn: &Turn, conversation: &Arc<str>) -> Option<Arc<Message>> {
        Some(Arc::new(Message {
            role: turn.message.role.clone(),
            extra: turn.message.extra.clone(),
            blocks: self.known(&turn.message.blocks, conversation)?,
        }))
    }
}

impl<F: FnMut(Entry)> Sink for Entries<F> {
    fn request(&mut self, line: RequestLine, whole: &Whole, place: &InLane) -> io::Result<()> {
        let unknown = || io::Error::other("a part does not stand in front of its request");
        let conversation = &place.conversation;
        let before = self.lanes.get(&place.lane);
        let before = before.map(|request| &request.messages[..place.kept]);
        let mut messages = before.unwrap_or_default().to_vec();
        for turn in &whole.messages[place.kept..] {
            messages.push(self.message(turn, conversation).ok_or_else(unknown)?);
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
        self.lanes.insert(place.lane.clone(), request.clone());
        (self.each)(Entry::Request(Box::new(line), request));
        Ok(())
    }

    fn response(
        &mut self,
        line: ResponseLine,
        output: &[Arc<Turn>],
        place: &InLane,
    ) -> io::Result<()> {
        let output = output.iter().filter_map(|turn| {
            let message = self.message(turn, &place.conversation)?;
            Some(Arc::unwrap_or_clone(message))
        });
        let output = output.collect();
        (self.each)(Entry::Response(Box::new(line), output));
        Ok(())
    }
}
