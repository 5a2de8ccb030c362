//! The places of a request where a beginning that it shares with another one may end: the ends of its blocks, and of the lines in those that stand
//! before the first answer.
//!
//! Later blocks are known by their ends alone: a conversation has thousands of lines, and what others share with it is in front.

use super::flat::Flat;
use crate::request::whole::{Part, Recent, Request, lines_of, mixed, tool_name};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The number of line hashes by which similar system prompts are found.
const SKETCH: usize = 16;

/// The bytes of what is remembered of blocks that were met before, about.
const REMEMBERED: usize = 4 << 20;

/// A place where a shared beginning may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The hash of all up to here, and of what shares no cache.
    pub hash: u64,
    /// The bytes up to here, in canonical form.
    pub bytes: u64,
}

/// The places of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// All of them, in order.
    pub all: Vec<Place>,
    /// By which a request with the same tool names and some lines of its system prompt is found.
    pub sketch: Vec<u64>,
    /// The hashes of the lines of the system prompt, each once, sorted.
    pub lines: Arc<[u64]>,
}

/// A line of a block.
#[derive(Debug, Clone, Copy)]
struct Line {
    hash: u64,
    bytes: u64,
}

/// Finds the places of requests. A block that recurs is cut into its lines once.
#[derive(Debug)]
pub(super) struct Surveyor {
    lines: Recent<[u8; 16], Arc<[Line]>>,
    names: Recent<[u8; 16], u64>,
}

impl Default for Surveyor {
    fn default() -> Self {
        Self {
            lines: Recent::new(REMEMBERED),
            names: Recent::new(REMEMBERED / 8),
        }
    }
}

impl Surveyor {
    /// The places of a request; `group` is the hash of what shares a cache.
    pub(super) fn places(&mut self, request: &Request, flat: &Flat, group: u64) -> Places {
        let begin = request.messages.first();
        let begin = begin.into_iter().flat_map(|message| &message.blocks);
        let mut head = request.tools.iter().chain(&request.system).chain(begin);
        let (mut all, mut own) = (Vec::with_capacity(flat.ends.len()), Vec::new());
        for (at, end) in flat.ends.iter().enumerate() {
            if let Some(part) = head.next().filter(|part| part.is_text()) {
                let lines = self.lines(part);
                let bytes = end.bytes - part.key.len() as u64;
                all.extend(inner(mixed(group, flat.before(at)), bytes, &lines));
                if (flat.tools..flat.system).contains(&at) {
                    own.extend(lines.iter().map(|line| line.hash));
                }
            }
            all.push(Place {
                hash: mixed(group, end.hash),
                bytes: end.bytes,
            });
        }
        own.sort_unstable();
        own.dedup();
        let names = request.tools.iter().map(|tool| self.name(tool));
        let mut names: Vec<u64> = names.collect();
        names.sort_unstable();
        let alike = names.into_iter().fold(!group, mixed);
        let sketch = own.iter().take(SKETCH).map(|line| mixed(alike, *line));
        // Without any line the names of the tools are all that two can have in common.
        let sketch = sketch.chain((!request.tools.is_empty()).then_some(alike));
        Places {
            all,
            sketch: sketch.collect(),
            lines: own.into(),
        }
    }

    fn lines(&mut self, part: &Part) -> Arc<[Line]> {
        let key = part.id.digest();
        self.lines.get(key).unwrap_or_else(|| {
            let lines = lines_of(&part.key).map(|line| Line {
                hash: hash_of(line),
                bytes: line.len() as u64,
            });
            let lines: Arc<[Line]> = lines.collect();
            // The overhead of an entry is about that large.
            let weight = size_of_val(&*lines) + 100;
            self.lines.insert(key, lines.clone(), weight);
            lines
        })
    }

    fn name(&mut self, tool: &Part) -> u64 {
        let key = tool.id.digest();
        self.names.get(key).unwrap_or_else(|| {
            let name = hash_of(&tool_name(tool));
            self.names.insert(key, name, 100);
            name
        })
    }
}

/// The ends of the lines of a block that are not its end.
fn inner(mut hash: u64, mut bytes: u64, lines: &[Line]) -> impl Iterator<Item = Place> {
    let lines = lines.iter().take(lines.len().saturating_sub(1));
    lines.map(move |line| {
        (hash, bytes) = (mixed(hash, line.hash), bytes + line.bytes);
        Place { hash, bytes }
    })
}

/// The hash of a value.
pub(super) fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
