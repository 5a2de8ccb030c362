//! A request with something of it changed.

use super::cut::Cut;
use crate::request::usage::flat::{Flat, FlatPart};
use crate::request::usage::ledger::Change;
use crate::request::usage::rates::{FIVE_MINUTES, HOUR};
use crate::request::usage::tokens::share;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most breakpoints of a request: Anthropic and Bedrock take four.
const MOST_MARKS: usize = 4;

/// The seconds for which a breakpoint caches the text before it; none if unknown.
pub(super) type Ttl = Option<u64>;

/// Something that is changed in each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The breakpoints of tools and system prompt have a time to live of an hour; with `all` those of messages too.
    Hour { all: bool },
    /// All breakpoints have a time to live of five minutes.
    FiveMinutes,
    /// A breakpoint at the end; with `all` also those that `promptc emit` sets before.
    Breakpoints { all: bool },
    /// The tools in the order of their names.
    ToolsInOrder,
    /// Lines of the system prompt move to its end.
    ToEnd(BTreeSet<usize>),
    /// They move to the last message, and are not in the history of later requests.
    ToMessage(BTreeSet<usize>),
}

/// A step that changed something.
#[derive(Debug, Clone, Copy)]
pub(super) enum Did {
    Hour { all: bool },
    FiveMinutes,
    Breakpoints { all: bool },
    ToolsInOrder,
    ToEnd(usize),
    ToMessage(usize),
}

impl Did {
    /// The change that it is; candidates have these names.
    pub(super) fn change(self, names: &[String]) -> Change {
        match self {
            Self::Hour { all: true } => Change::Hour,
            Self::Hour { all: false } => Change::PrefixHour,
            Self::FiveMinutes => Change::FiveMinutes,
            Self::Breakpoints { all: true } => Change::Breakpoints,
            Self::Breakpoints { all: false } => Change::Breakpoint,
            Self::ToolsInOrder => Change::ToolsInOrder,
            Self::ToEnd(of) => Change::ToEnd(names[of].clone()),
            Self::ToMessage(of) => Change::ToMessage(names[of].clone()),
        }
    }
}

/// A part, its tokens and its breakpoint.
#[derive(Debug, Clone, Copy)]
struct Set {
    piece: FlatPart,
    tokens: u64,
    mark: Option<Ttl>,
}

/// The data needed to change a request.
pub(super) struct Original<'a> {
    pub flat: &'a Flat,
    /// The tokens up to each end.
    pub upto: &'a [u64],
    pub marks: &'a [(usize, Ttl)],
    /// Whether its provider caches up to breakpoints, and whether it needs them in the request: else it sets one at the
    /// end by itself.
    pub breakpoints: bool,
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
    /// The changes that were made.
    pub did: Vec<Did>,
}

/// A request while it is changed.
struct Shape<'a> {
    original: &'a Original<'a>,
    tools: Vec<Set>,
    system: Vec<Set>,
    /// The breakpoints of messages: how many ends are before each, from the first of a message on.
    marks: Vec<(usize, Ttl)>,
    after: Vec<Set>,
    did: Vec<Did>,
}

impl Original<'_> {
    /// The lifetime of a breakpoint that the provider sets by itself.
    fn own_ttl(&self) -> Ttl {
        self.marks.last().and_then(|(_, ttl)| *ttl)
    }

    /// The request with these changes; none if they change nothing of it.
    pub(super) fn vary(&self, steps: &[Step]) -> Option<Varied> {
        let mut shape = Shape::of(self);
        for step in steps {
            shape.apply(step);
        }
        (!shape.did.is_empty()).then(|| shape.finish())
    }
}

impl<'a> Shape<'a> {
    fn of(original: &'a Original<'a>) -> Self {
        let flat = original.flat;
        // The provider's own breakpoints are not the request's.
        let own = |end: usize| original.needs_breakpoints || end + 1 < flat.ends.len();
        let mut upto = 0;
        let mut sets = flat.pieces(0..flat.system).enumerate().map(|(at, piece)| {
            let tokens = original.upto[at] - upto;
            upto = original.upto[at];
            let mark = original
                .marks
                .iter()
                .find(|(end, _)| *end == at && own(*end));
            Set {
                piece,
                tokens,
                mark: mark.map(|(_, ttl)| *ttl),
            }
        });
        let tools = sets.by_ref().take(flat.tools).collect();
        let marks = original.marks.iter().filter(|(end, _)| own(*end));
        let marks = marks.filter_map(|(end, ttl)| Some((end.checked_sub(flat.system)?, *ttl)));
        Self {
            original,
            tools,
            system: sets.collect(),
            marks: marks.collect(),
            after: Vec::new(),
            did: Vec::new(),
        }
    }

    fn apply(&mut self, step: &Step) {
        let asks = self.original.needs_breakpoints;
        let (changed, did) = match *step {
            Step::Hour { all } => (asks && self.keep_for(HOUR, all), Did::Hour { all }),
            Step::FiveMinutes => (asks && self.keep_for(FIVE_MINUTES, true), Did::FiveMinutes),
            Step::Breakpoints { all } => {
                let takes = self.original.breakpoints && (all || asks);
                let changed = takes && self.set_breakpoints(all);
                (changed, Did::Breakpoints { all })
            }
            Step::ToolsInOrder => (self.order_tools(), Did::ToolsInOrder),
            Step::ToEnd(ref moved) => return self.move_lines(moved, true),
            Step::ToMessage(ref moved) => return self.move_lines(moved, false),
        };
        self.did.extend(changed.then_some(did));
    }

    fn keep_for(&mut self, seconds: u64, all: bool) -> bool {
        let prefix = self.tools.iter_mut().chain(&mut self.system);
        let prefix = prefix.filter_map(|set| set.mark.as_mut());
        let messages = self.marks.iter_mut().map(|(_, ttl)| ttl);
        let mut changed = false;
        for ttl in prefix.chain(messages.filter(|_| all)) {
            changed |= *ttl != Some(seconds);
            *ttl = Some(seconds);
        }
        changed
    }

    fn set_breakpoints(&mut self, all_of_them: bool) -> bool {
        let prefix = || self.tools.iter().chain(&self.system);
        let marked = prefix().filter_map(|set| set.mark);
        let messages = self.marks.iter().map(|(_, ttl)| *ttl);
        let all: Vec<Ttl> = marked.chain(messages).collect();
        let least = if self.original.needs_breakpoints {
            Some(FIVE_MINUTES)
        } else {
            self.original.own_ttl()
        };
        let ttl = all.iter().copied().max().unwrap_or(least);
        let room = MOST_MARKS.saturating_sub(all.len());
        let mut left = room;
        let last = self.original.flat.ends.len() - self.original.flat.system;
        if let Some(last) = last.checked_sub(1)
            && self.original.needs_breakpoints
            && left > 0
            && !self.marks.iter().any(|(end, _)| *end == last)
        {
            self.marks.push((last, ttl));
            left -= 1;
        }
        for part in [&mut self.system, &mut self.tools] {
            let free = part.last_mut().filter(|set| set.mark.is_none());
            if let Some(set) = free.filter(|_| all_of_them && left > 0) {
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

    fn move_lines(&mut self, moved: &BTreeSet<usize>, to_end: bool) {
        let blocks: Vec<FlatPart> = self.system.iter().map(|set| set.piece).collect();
        let Some(cut) = self.original.cut else { return };
        let Some((stay, go)) = cut.apart(&blocks, moved) else {
            return;
        };
        self.did.extend(cut.of(moved).map(|of| {
            if to_end {
                Did::ToEnd(of)
            } else {
                Did::ToMessage(of)
            }
        }));
        let marks = self.system.iter().filter_map(|set| set.mark).max();
        let count = self.marks.len() + self.tools.iter().filter(|set| set.mark.is_some()).count();
        let (mut gone, mut stays) = (0, Vec::new());
        for (set, piece) in self.system.iter().zip(stay) {
            let rest = piece.map_or(0, |piece| share(set.tokens, piece.bytes, set.piece.bytes));
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
            let tokens = if at == last {
                left
            } else {
                share(gone, piece.bytes, bytes)
            };
            left -= tokens;
            let marked = to_end && at == last && count < MOST_MARKS;
            let mark = marks.filter(|_| marked);
            let set = Set {
                piece,
                tokens,
                mark,
            };
            if to_end {
                stays.push(set)
            } else {
                self.after.push(set)
            }
        }
        self.system = stays;
    }

    fn finish(self) -> Varied {
        let pieces = |sets: &[Set]| -> Vec<FlatPart> { sets.iter().map(|set| set.piece).collect() };
        let old = self.original.flat;
        let flat = old.with(
            &pieces(&self.tools),
            &pieces(&self.system),
            &pieces(&self.after),
        );
        let front = self.tools.iter().chain(&self.system);
        let messages = (old.system..old.ends.len()).map(|at| {
            let before = at
                .checked_sub(1)
                .map_or(0, |before| self.original.upto[before]);
            self.original.upto[at] - before
        });
        let all = front.clone().map(|set| set.tokens).chain(messages);
        let all = all.chain(self.after.iter().map(|set| set.tokens));
        let mut upto = Vec::with_capacity(flat.ends.len());
        upto.extend(all.scan(0, |sum, tokens| {
            *sum += tokens;
            Some(*sum)
        }));
        let front = front
            .enumerate()
            .filter_map(|(at, set)| Some((at, set.mark?)));
        let after = self.marks.iter().map(|(at, ttl)| (flat.system + at, *ttl));
        let own = flat.ends.len().checked_sub(1);
        let own = own.filter(|_| !self.original.needs_breakpoints);
        let own = own.map(|last| (last, self.original.own_ttl()));
        let marks = front.chain(after).chain(own).collect();
        Varied {
            did: self.did,
            upto,
            flat,
            marks,
        }
    }
}
