//! A request with something of it changed.

use super::cut::Cut;
use crate::request::usage::flat::{Flat, Piece};
use crate::request::usage::rates::{FIVE_MINUTES, HOUR};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most breakpoints of a request: Anthropic and Bedrock take four.
const MOST_MARKS: usize = 4;

/// How many seconds a breakpoint keeps what is in front of it; none if nothing says it.
pub(super) type Ttl = Option<u64>;

/// Something that is changed in each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The breakpoints of tools and system text keep for an hour; with `all` those of messages too.
    Hour { all: bool },
    /// Breakpoints where `promptc emit` puts them.
    Breakpoints,
    /// The tools in the order of their names.
    ToolsInOrder,
    /// Lines of the system text stand at its end.
    ToEnd(BTreeSet<usize>),
    /// They stand in the last message, and not in the history of later requests.
    ToMessage(BTreeSet<usize>),
}

/// A part, its tokens and its breakpoint.
#[derive(Debug, Clone, Copy)]
struct Set {
    piece: Piece,
    tokens: u64,
    mark: Option<Ttl>,
}

/// What is needed to change a request.
pub(super) struct Original<'a> {
    pub flat: &'a Flat,
    /// The tokens up to each end.
    pub upto: &'a [u64],
    pub marks: &'a [(usize, Ttl)],
    /// Whether its provider needs breakpoints in the request.
    pub needs_breakpoints: bool,
    /// The names of its tools.
    pub names: &'a [Arc<str>],
    pub cut: Option<&'a Cut>,
}

/// A request as it would have been.
pub(super) struct Varied {
    pub flat: Flat,
    pub upto: Vec<u64>,
    pub marks: Vec<(usize, Ttl)>,
}

/// A request while it is changed.
struct Shape<'a> {
    original: &'a Original<'a>,
    tools: Vec<Set>,
    system: Vec<Set>,
    /// The breakpoints of messages: how many ends are in front of each, from the first of a message on.
    marks: Vec<(usize, Ttl)>,
    behind: Vec<Set>,
}

impl Original<'_> {
    /// The request with these changes; none if they change nothing of it.
    pub(super) fn vary(&self, steps: &[Step]) -> Option<Varied> {
        let mut shape = Shape::of(self);
        let mut changed = false;
        for step in steps {
            changed |= shape.apply(step);
        }
        changed.then(|| shape.finish())
    }
}

impl<'a> Shape<'a> {
    fn of(original: &'a Original<'a>) -> Self {
        let flat = original.flat;
        let mut upto = 0;
        let mut sets = flat.pieces(0..flat.system).enumerate().map(|(at, piece)| {
            let tokens = original.upto[at] - upto;
            upto = original.upto[at];
            let mark = original.marks.iter().find(|(end, _)| *end == at);
            Set {
                piece,
                tokens,
                mark: mark.map(|(_, ttl)| *ttl),
            }
        });
        let tools = sets.by_ref().take(flat.tools).collect();
        let marks = original.marks.iter();
        let marks = marks.filter_map(|(end, ttl)| Some((end.checked_sub(flat.system)?, *ttl)));
        Self {
            original,
            tools,
            system: sets.collect(),
            marks: marks.collect(),
            behind: Vec::new(),
        }
    }

    fn apply(&mut self, step: &Step) -> bool {
        match step {
            Step::Hour { all } => self.original.needs_breakpoints && self.keep_for_an_hour(*all),
            Step::Breakpoints => self.original.needs_breakpoints && self.set_breakpoints(),
            Step::ToolsInOrder => self.order_tools(),
            Step::ToEnd(moved) => self.move_lines(moved, true),
            Step::ToMessage(moved) => self.move_lines(moved, false),
        }
    }

    fn keep_for_an_hour(&mut self, all: bool) -> bool {
        let prefix = self.tools.iter_mut().chain(&mut self.system);
        let prefix = prefix.filter_map(|set| set.mark.as_mut());
        let messages = self.marks.iter_mut().map(|(_, ttl)| ttl);
        let mut changed = false;
        for ttl in prefix.chain(messages.filter(|_| all)) {
            changed |= *ttl != Some(HOUR);
            *ttl = Some(HOUR);
        }
        changed
    }

    fn set_breakpoints(&mut self) -> bool {
        let prefix = || self.tools.iter().chain(&self.system);
        let marked = prefix().filter_map(|set| set.mark);
        let messages = self.marks.iter().map(|(_, ttl)| *ttl);
        let all: Vec<Ttl> = marked.chain(messages).collect();
        let ttl = all.iter().copied().max().unwrap_or(Some(FIVE_MINUTES));
        let room = MOST_MARKS.saturating_sub(all.len());
        let mut left = room;
        let last = self.original.flat.ends.len() - self.original.flat.system;
        if let Some(last) = last.checked_sub(1)
            && left > 0
            && !self.marks.iter().any(|(end, _)| *end == last)
        {
            self.marks.push((last, ttl));
            left -= 1;
        }
        for part in [&mut self.system, &mut self.tools] {
            let free = part.last_mut().filter(|set| set.mark.is_none());
            if let Some(set) = free.filter(|_| left > 0) {
                set.mark = Some(ttl);
                left -= 1;
            }
        }
        left < room
    }

    fn order_tools(&mut self) -> bool {
        let names = self.original.names;
        if names.is_sorted() || names.len() != self.tools.len() {
            return false;
        }
        let marks: Vec<Option<Ttl>> = self.tools.iter().map(|set| set.mark).collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|at| &names[*at]);
        let tools = order.into_iter().zip(marks).map(|(at, mark)| Set {
            mark,
            ..self.tools[at]
        });
        self.tools = tools.collect();
        true
    }

    fn move_lines(&mut self, moved: &BTreeSet<usize>, to_end: bool) -> bool {
        let blocks: Vec<Piece> = self.system.iter().map(|set| set.piece).collect();
        let Some((stay, go)) = (self.original.cut).and_then(|cut| cut.apart(&blocks, moved)) else {
            return false;
        };
        let marks = self.system.iter().filter_map(|set| set.mark).max();
        let count = self.marks.len() + self.tools.iter().filter(|set| set.mark.is_some()).count();
        let (mut gone, mut stays) = (0, Vec::new());
        for (set, piece) in self.system.iter().zip(stay) {
            let rest = piece.map_or(0, |piece| {
                let share = u128::from(set.tokens) * u128::from(piece.bytes);
                (share / u128::from(set.piece.bytes.max(1))) as u64
            });
            gone += set.tokens - rest;
            stays.extend(piece.map(|piece| Set {
                piece,
                tokens: rest,
                mark: set.mark,
            }));
        }
        if let Some(last) = stays.last_mut() {
            last.mark = last.mark.or(marks);
        }
        let bytes: u64 = go.iter().map(|piece| piece.bytes).sum();
        let mut left = gone;
        let count = count + stays.iter().filter(|set| set.mark.is_some()).count();
        let last = go.len().saturating_sub(1);
        for (at, piece) in go.into_iter().enumerate() {
            let share = u128::from(gone) * u128::from(piece.bytes) / u128::from(bytes.max(1));
            let tokens = if at == last { left } else { share as u64 };
            left -= tokens;
            let marked = to_end && at == last && count < MOST_MARKS;
            let mark = marks.filter(|_| marked);
            let set = Set {
                piece,
                tokens,
                mark,
            };
            match to_end {
                true => stays.push(set),
                false => self.behind.push(set),
            }
        }
        self.system = stays;
        true
    }

    fn finish(self) -> Varied {
        let pieces = |sets: &[Set]| -> Vec<Piece> { sets.iter().map(|set| set.piece).collect() };
        let old = self.original.flat;
        let flat = old.with(
            &pieces(&self.tools),
            &pieces(&self.system),
            &pieces(&self.behind),
        );
        let front = self.tools.iter().chain(&self.system);
        let messages = (old.system..old.ends.len()).map(|at| {
            let before = at
                .checked_sub(1)
                .map_or(0, |before| self.original.upto[before]);
            self.original.upto[at] - before
        });
        let all = front.clone().map(|set| set.tokens).chain(messages);
        let all = all.chain(self.behind.iter().map(|set| set.tokens));
        let upto = all.scan(0, |sum, tokens| {
            *sum += tokens;
            Some(*sum)
        });
        let marks = match self.original.needs_breakpoints {
            true => {
                let front = front
                    .enumerate()
                    .filter_map(|(at, set)| Some((at, set.mark?)));
                let behind = self.marks.iter().map(|(at, ttl)| (flat.system + at, *ttl));
                front.chain(behind).collect()
            }
            false => {
                let ttl = self.original.marks.first().and_then(|(_, ttl)| *ttl);
                vec![(flat.ends.len() - 1, ttl)]
            }
        };
        Varied {
            upto: upto.collect(),
            flat,
            marks,
        }
    }
}
