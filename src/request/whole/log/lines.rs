//! A log as the lines of a file.

use super::line::{
    HeadLine, LogWord, MessageLine, PartLine, PartWord, RequestLine, ResponseLine, VERSION,
};
use super::sink::{Sink, Whole};
use crate::request::whole::chain::InChain;
use crate::request::whole::turns::{SentPart, Turn};
use crate::text::Json;
use data_encoding::HEXLOWER as HEX;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

/// A log. Each part of a conversation is written once.
pub(super) struct Lines<'w> {
    out: &'w mut dyn FnMut(&[u8]) -> io::Result<()>,
    begun: bool,
    /// The parts that are in the log, by conversation.
    parts: BTreeMap<Arc<str>, BTreeSet<[u8; 8]>>,
}

impl<'w> Lines<'w> {
    /// A log that goes there.
    pub(super) fn new(out: &'w mut dyn FnMut(&[u8]) -> io::Result<()>) -> Self {
        Self {
            out,
            begun: false,
            parts: BTreeMap::new(),
        }
    }

    fn message(&mut self, turn: &Turn, conversation: &Arc<str>) -> io::Result<MessageLine> {
        let message = &turn.message;
        Ok(MessageLine {
            role: message.role.clone(),
            extra: Json::read(&message.extra),
            parts: self.parts(&message.blocks, conversation)?,
        })
    }

    /// The hashes of parts; those that are new in this conversation are written.
    fn parts(&mut self, pieces: &[SentPart], conversation: &Arc<str>) -> io::Result<Vec<String>> {
        let mut hashes = Vec::new();
        for piece in pieces {
            let hash = HEX.encode(&piece.id.name);
            let known = match self.parts.get_mut(conversation) {
                Some(known) => known,
                None => self.parts.entry(conversation.clone()).or_default(),
            };
            if let Some(part) = &piece.part
                && known.insert(piece.id.name)
            {
                let plain = Json::read(&part.raw).map(|value| value.canonical());
                let key = if plain.as_deref() == Some(&*part.key) {
                    None
                } else {
                    Some(raw(&part.key)?)
                };
                self.line(&PartLine {
                    kind: PartWord::Part,
                    conversation: conversation.to_string(),
                    hash: hash.clone(),
                    json: raw(&part.raw)?,
                    key,
                })?;
            }
            hashes.push(hash);
        }
        Ok(hashes)
    }

    fn line<T: Serialize>(&mut self, line: &T) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        (self.out)(&bytes)
    }
}

impl Sink for Lines<'_> {
    fn begin(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        self.line(&HeadLine {
            kind: LogWord::Log,
            version: VERSION,
            promptc: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    fn add(
        &mut self,
        mut line: RequestLine,
        request: &Whole,
        place: &InChain,
        answer: Option<(ResponseLine, &[Arc<Turn>])>,
    ) -> io::Result<()> {
        self.begin()?;
        for turn in &request.messages[place.kept..] {
            let message = self.message(turn, &place.conversation)?;
            line.messages.add.push(message);
        }
        line.tools = self.parts(&request.tools, &place.conversation)?;
        line.system = self.parts(&request.system, &place.conversation)?;
        self.line(&line)?;
        let Some((mut line, output)) = answer else {
            return Ok(());
        };
        for turn in output {
            let message = self.message(turn, &place.conversation)?;
            line.output.push(message);
        }
        self.line(&line)
    }

    fn close(&mut self, conversation: &str) {
        self.parts.remove(conversation);
    }
}

fn raw(text: &str) -> io::Result<Box<RawValue>> {
    Ok(RawValue::from_string(text.to_owned())?)
}
