//! The places of a request where a beginning that it shares with another one may end: the ends of its blocks, and of the lines in those that stand
//! before the first answer.
//!
//! Later blocks are known by their ends alone: a conversation has thousands of lines, and what others share with it is in front.

use crate::request::whole::{From, LINE_END, Part, Recent, Request, mixed, tool_name};
use memchr::memmem::Finder;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

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
    pub(super) fn places(&mut self, request: &Request, group: u64) -> Places {
        let seed = |from: From| {
            let settings = request.settings.iter().filter(|s| s.from == from);
            hash_of(&settings.map(|s| (&s.name, &s.value)).collect::<Vec<_>>())
        };
        let mut out = Walk {
            hash: mixed(group, seed(From::Start)),
            ..Walk::default()
        };
        let mut names = Vec::new();
        for part in &request.tools {
            out.block(part, &self.lines(part));
            names.push(self.name(part));
        }
        out.hash = mixed(out.hash, seed(From::System));
        let mut own = Vec::new();
        for part in &request.system {
            let lines = self.lines(part);
            out.block(part, &lines);
            own.extend(lines.iter().map(|line| line.hash));
        }
        out.hash = mixed(out.hash, seed(From::Messages));
        for (at, message) in request.messages.iter().enumerate() {
            out.hash = mixed(out.hash, hash_of(&(&message.role, &message.extra)));
            for part in &message.blocks {
                match at {
                    0 => out.block(part, &self.lines(part)),
                    _ => out.block(part, &[]),
                }
            }
        }
        own.sort_unstable();
        own.dedup();
        names.sort_unstable();
        let alike = names.into_iter().fold(!group, mixed);
        let sketch = own.iter().take(SKETCH).map(|line| mixed(alike, *line));
        // Without any line the names of the tools are all that two can have in common.
        let sketch = sketch.chain((!request.tools.is_empty()).then_some(alike));
        Places {
            all: out.all,
            sketch: sketch.collect(),
            lines: own.into(),
        }
    }

    fn lines(&mut self, part: &Part) -> Arc<[Line]> {
        static END: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(LINE_END));
        let key = part.id.digest();
        self.lines.get(key).unwrap_or_else(|| {
            let (text, mut from) = (part.key.as_bytes(), 0);
            let ends = END.find_iter(text).map(|at| at + LINE_END.len());
            let lines = ends.chain([text.len()]).map(|end| {
                let line = &text[std::mem::replace(&mut from, end)..end];
                Line {
                    hash: hash_of(line),
                    bytes: line.len() as u64,
                }
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

#[derive(Default)]
struct Walk {
    all: Vec<Place>,
    hash: u64,
    bytes: u64,
}

impl Walk {
    /// Goes over a block of these lines, or of none that are known.
    fn block(&mut self, part: &Part, lines: &[Line]) {
        let (mut hash, mut bytes) = (self.hash, self.bytes);
        for line in lines.iter().take(lines.len().saturating_sub(1)) {
            (hash, bytes) = (mixed(hash, line.hash), bytes + line.bytes);
            self.all.push(Place { hash, bytes });
        }
        self.hash = mixed(self.hash, hash_of(&part.id.digest()));
        self.bytes += part.key.len() as u64;
        self.all.push(Place {
            hash: self.hash,
            bytes: self.bytes,
        });
    }
}

/// The hash of a value.
pub(super) fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The number of lines that two requests have in common.
pub(super) fn in_common(a: &[u64], b: &[u64]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
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
