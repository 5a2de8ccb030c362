//! A request as the ends of its parts, in the order in which its provider reads.

use crate::request::whole::{Breakpoint, From, Message, Part, Request, mixed};
use memchr::memmem::Finder;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// The end of a part of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// The hash of the part alone.
    pub own: u64,
    /// The hash of all up to here.
    pub hash: u64,
    /// The bytes up to here.
    pub bytes: u64,
    /// The positions up to here, as a look-back counts them.
    pub position: usize,
    /// The kind of the part, if several in a row are one position.
    row: Option<usize>,
}

/// The data between the parts of a request: settings, by where they take effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Seeds {
    start: u64,
    system: u64,
    messages: u64,
}

/// A request as the ends of its parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Flat {
    /// The ends of all parts.
    pub ends: Vec<End>,
    /// The number of those of tools.
    pub tools: usize,
    /// The number of those of tools and blocks of the system prompt.
    pub system: usize,
    seeds: Seeds,
    /// The first part of which no rule says how much it is to the model.
    without_size: Option<usize>,
    /// Each message, and how many ends there are with it.
    messages: Vec<(Arc<Message>, usize)>,
}

/// A part, before it has a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlatPart {
    /// The hash of it alone.
    pub own: u64,
    /// Its bytes; of an image those of a text with as many tokens.
    pub bytes: u64,
    row: Option<usize>,
    /// Whether a rule says how much it is.
    is_sized: bool,
}

impl FlatPart {
    /// A stretch of text.
    pub(super) fn text(own: u64, bytes: u64) -> Self {
        Self {
            own,
            bytes,
            row: None,
            is_sized: true,
        }
    }

    fn of(part: &Part, model: &str, mut hasher: DefaultHasher) -> Self {
        part.id.digest().hash(&mut hasher);
        Self {
            is_sized: part.is_sized(model),
            ..Self::text(hasher.finish(), part.size(model) as u64)
        }
    }

    fn of_message(part: &Part, model: &str, hasher: DefaultHasher) -> Self {
        // Most parts are long texts, and one search says it.
        let may_be = TOOL.find(part.key.as_bytes()).is_some();
        Self {
            row: IN_A_ROW
                .iter()
                .filter(|_| may_be)
                .position(|kind| part.key.contains(kind)),
            ..Self::of(part, model, hasher)
        }
    }
}

/// Stands in each of [`IN_A_ROW`].
static TOOL: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("tool"));

/// The kinds of blocks that count as one position if they are in a row, as they begin or are written in canonical form.
const IN_A_ROW: &[&str] = &[
    r#""type":"tool_use""#,
    r#""type":"tool_result""#,
    r#"{"toolUse":"#,
    r#"{"toolResult":"#,
];

impl Flat {
    /// Flattens a request; what it has in common with the one before it in its chain is taken over.
    pub(super) fn of(request: &Request, before: Option<&Self>) -> Self {
        let seed = |from: From| {
            let mut hasher = DefaultHasher::new();
            for setting in request.settings.iter().filter(|s| s.from == from) {
                (&setting.name, &setting.value).hash(&mut hasher);
            }
            if from == From::Start {
                request.model.hash(&mut hasher);
            }
            hasher.finish()
        };
        let seeds = Seeds {
            start: seed(From::Start),
            system: seed(From::System),
            messages: seed(From::Messages),
        };
        let pieces = |of: &[Part]| -> Vec<FlatPart> {
            let pieces = of
                .iter()
                .map(|part| FlatPart::of(part, &request.model, DefaultHasher::new()));
            pieces.collect()
        };
        let heads = [&request.tools, &request.system].map(|parts| pieces(parts));
        let blocks = request.messages.iter().map(|message| message.blocks.len());
        let mut flat = Self::begun(seeds, &heads[0], &heads[1], blocks.sum());
        let mut from = 0;
        if let Some(before) = before.filter(|before| before.head() == flat.head()) {
            let same = before.messages.iter().zip(&request.messages);
            from = same
                .take_while(|((a, _), b)| Arc::ptr_eq(a, b) || a == *b)
                .count();
            let ends = from
                .checked_sub(1)
                .map_or(flat.system, |at| before.messages[at].1);
            flat.ends.clear();
            flat.ends.extend(&before.ends[..ends]);
            flat.without_size = before.without_size.filter(|at| *at < ends);
            flat.messages.extend_from_slice(&before.messages[..from]);
        }
        flat.messages.reserve(request.messages.len() - from);
        for message in &request.messages[from..] {
            let mut hasher = DefaultHasher::new();
            (&message.role, &message.extra).hash(&mut hasher);
            for part in &message.blocks {
                flat.push(FlatPart::of_message(part, &request.model, hasher));
                hasher = DefaultHasher::new();
            }
            flat.messages.push((message.clone(), flat.ends.len()));
        }
        flat
    }

    /// A request with tools and a system prompt, and no message; so many parts will come.
    fn begun(seeds: Seeds, tools: &[FlatPart], system: &[FlatPart], more: usize) -> Self {
        let mut flat = Self {
            ends: Vec::with_capacity(tools.len() + system.len() + more),
            seeds,
            tools: tools.len(),
            system: tools.len() + system.len(),
            ..Self::default()
        };
        let all = tools.iter().chain(system);
        all.for_each(|piece| flat.push(*piece));
        flat
    }

    /// These messages after other tools and another system prompt, with more messages at their end.
    pub(super) fn with(&self, tools: &[FlatPart], system: &[FlatPart], after: &[FlatPart]) -> Self {
        let more = self.ends.len() - self.system + after.len();
        let mut flat = Self::begun(self.seeds, tools, system, more);
        self.pieces(self.system..self.ends.len())
            .for_each(|piece| flat.push(piece));
        after.iter().for_each(|piece| flat.push(*piece));
        flat
    }

    /// Parts of it.
    pub(super) fn pieces(&self, parts: Range<usize>) -> impl Iterator<Item = FlatPart> {
        let mut bytes = parts
            .start
            .checked_sub(1)
            .map_or(0, |at| self.ends[at].bytes);
        self.ends[parts].iter().map(move |end| {
            let front = std::mem::replace(&mut bytes, end.bytes);
            FlatPart {
                own: end.own,
                bytes: end.bytes - front,
                row: end.row,
                is_sized: true,
            }
        })
    }

    /// Whether rules say how much all of its parts are to the model.
    pub(super) fn is_sized(&self) -> bool {
        self.without_size.is_none()
    }

    /// The hash of everything before the messages.
    fn head(&self) -> u64 {
        mixed(mixed(self.last(), self.seeds.system), self.seeds.messages)
    }

    fn last(&self) -> u64 {
        self.ends.last().map_or(self.seeds.start, |end| end.hash)
    }

    /// The hash of all before a part.
    pub(super) fn before(&self, at: usize) -> u64 {
        let last = at.checked_sub(1).and_then(|last| self.ends.get(last));
        let mut hash = last.map_or(self.seeds.start, |end| end.hash);
        if at == self.tools {
            hash = mixed(hash, self.seeds.system);
        }
        if at == self.system {
            hash = mixed(hash, self.seeds.messages);
        }
        hash
    }

    fn push(&mut self, piece: FlatPart) {
        if !piece.is_sized {
            self.without_size.get_or_insert(self.ends.len());
        }
        let hash = self.before(self.ends.len());
        let last = self.ends.last();
        let in_row = piece.row.is_some() && last.is_some_and(|end| end.row == piece.row);
        let (bytes, position) = last.map_or((0, 0), |end| (end.bytes, end.position));
        self.ends.push(End {
            own: piece.own,
            hash: mixed(hash, piece.own),
            bytes: bytes + piece.bytes,
            position: position + usize::from(!in_row),
            row: piece.row,
        });
    }

    /// The ends that breakpoints are at, and how long they are to live, in seconds.
    pub(super) fn marked(&self, breakpoints: &[Breakpoint]) -> Vec<(usize, Option<u64>)> {
        let place = |mark: &Breakpoint| {
            let mut words = mark.at.split('/');
            let part = words.next()?;
            let mut number = || words.next()?.parse::<usize>().ok();
            let end = match part {
                "tools" => number().filter(|at| *at < self.tools)?,
                "system" => self
                    .tools
                    .checked_add(number()?)
                    .filter(|at| *at < self.system)?,
                "messages" => {
                    let at = number()?;
                    let start = at.checked_sub(1).map_or(Some(self.system), |before| {
                        Some(self.messages.get(before)?.1)
                    });
                    let end = start?.checked_add(number()?)?;
                    (end < self.messages.get(at)?.1).then_some(end)?
                }
                "request" => self.ends.len().checked_sub(1)?,
                _ => return None,
            };
            Some((end, Some(mark.seconds())))
        };
        breakpoints.iter().filter_map(place).collect()
    }
}
