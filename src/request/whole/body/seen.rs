//! The parts of a body, read once: a request holds most of those of the one before it.

use super::Json;
use super::spelling::Spelling;
use crate::request::whole::api::Api;
use crate::request::whole::members::list;
use crate::request::whole::part::{Digest, Mark, Part, block, digest};
use crate::request::whole::recent::Recent;
use crate::request::whole::said::Said;
use std::sync::Arc;

/// The content of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holds {
    /// One part, as it is.
    One,
    /// Blocks, each perhaps with its breakpoint.
    Blocks,
    /// Blocks, with breakpoints of their own between them.
    Marked,
    /// The text of one block of this type.
    Text(&'static str),
}

/// Parts, and the breakpoints among them, each with the index of its part.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) parts: Vec<Part>,
    pub(super) marks: Vec<(usize, Mark)>,
}

/// Texts that were read lately, with what they hold.
#[derive(Debug)]
pub(in crate::request::whole) struct Seen {
    parts: Recent<(Digest, Holds, Spelling), Arc<Listed>>,
    messages: Recent<(Digest, Api), Arc<Said>>,
}

impl Default for Seen {
    fn default() -> Self {
        Self::new(32 << 20)
    }
}

impl Seen {
    /// The recently read texts, of at most so many bytes; half of them at least.
    pub(in crate::request::whole) fn new(most: usize) -> Self {
        Self {
            parts: Recent::new(most / 4),
            messages: Recent::new(most / 4),
        }
    }

    /// A cache for short times.
    pub(super) fn forgetful() -> Self {
        Self::new(0)
    }

    /// A message; `read` reads it if it was not met lately.
    pub(super) fn said(
        &mut self,
        text: &str,
        api: Api,
        read: impl FnOnce() -> Option<Said>,
    ) -> Option<Arc<Said>> {
        let key = (digest([text.as_bytes()]), api);
        if let Some(known) = self.messages.get(key) {
            return Some(known);
        }
        let said = Arc::new(read()?);
        self.messages
            .insert(key, said.clone(), weight(&said.blocks));
        Some(said)
    }

    /// A part as it is.
    pub(super) fn one(&mut self, text: &str, spelling: Spelling) -> Option<Part> {
        self.read(text, Holds::One, spelling)?
            .parts
            .first()
            .cloned()
    }

    /// The blocks of a list, with the breakpoints that they carry.
    pub(super) fn blocks(&mut self, text: &str, spelling: Spelling) -> Option<Arc<Listed>> {
        self.read(text, Holds::Blocks, spelling)
    }

    /// The blocks of a list in which a breakpoint is an item of its own, after the block that it marks.
    pub(super) fn marked(&mut self, text: &str, spelling: Spelling) -> Option<Arc<Listed>> {
        self.read(text, Holds::Marked, spelling)
    }

    /// A text as a block of this type.
    pub(super) fn text(&mut self, text: &str, kind: &'static str) -> Option<Arc<Listed>> {
        self.read(text, Holds::Text(kind), Spelling::ByName)
    }

    fn read(&mut self, text: &str, holds: Holds, spelling: Spelling) -> Option<Arc<Listed>> {
        let key = (digest([text.as_bytes()]), holds, spelling);
        if let Some(known) = self.parts.get(key) {
            return Some(known);
        }
        let listed = Arc::new(read(text, holds, spelling)?);
        self.parts
            .insert(key, listed.clone(), weight(&listed.parts));
        Some(listed)
    }
}

/// About how many bytes parts take.
fn weight(parts: &[Part]) -> usize {
    let sizes = parts.iter().map(|part| part.raw.len() + part.key.len());
    // The overhead of a part is about as large as a short text.
    sizes.map(|size| size + 200).sum::<usize>() + 200
}

fn read(text: &str, holds: Holds, spelling: Spelling) -> Option<Listed> {
    let mut out = Listed::default();
    match holds {
        Holds::One => out
            .parts
            .push(Part::new(text, &spelling.of(Json::read(text)?))),
        Holds::Text(kind) => {
            let value = Json::read(text)?;
            if value.as_text()?.is_empty() {
                return Some(out);
            }
            let one = Json::object([("type", kind.into()), ("text", value)]);
            out.parts.push(Part::new(text, &spelling.of(one)));
        }
        Holds::Blocks => {
            for (i, item) in list(text)?.into_iter().enumerate() {
                let block = block(item)?;
                out.marks.extend(block.mark.map(|mark| (i, mark)));
                out.parts
                    .push(Part::new(block.raw, &spelling.of(block.value)));
            }
        }
        Holds::Marked => {
            for item in list(text)? {
                let value = Json::read(item)?;
                match value.get("cachePoint") {
                    None => out.parts.push(Part::new(item, &spelling.of(value))),
                    Some(mark) => {
                        out.marks
                            .push((out.parts.len().saturating_sub(1), Mark::of(mark)));
                    }
                }
            }
        }
    }
    Some(out)
}
