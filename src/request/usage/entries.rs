//! What a provider keeps of the requests that were read, by its rule: the prediction of what the next one reads.

use super::rates::{HOUR, Rule};
use super::tokens::Tokens;
use crate::request::provider::Match;
use crate::request::whole::log::close;
use crate::request::whole::{Breakpoint, From, Message, Part, Request};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a request reads, by the rule of its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// In tokens.
    pub tokens: u64,
    /// Whether the tokens are a share of bytes, in place of what was billed for the same prefix.
    pub estimated: bool,
    /// Tokens in a block.
    block: u64,
}

impl Prediction {
    /// Whether so many tokens are what the rule says. Estimates may be off by a tenth, or a block.
    #[must_use]
    pub fn agrees(&self, read: u64) -> bool {
        let most = if self.estimated {
            (self.tokens / 10).max(self.block)
        } else {
            0
        };
        self.tokens.abs_diff(read) <= most
    }
}

/// The end of a part of a request.
#[derive(Debug, Clone, Copy)]
struct End {
    /// The hash of all up to here.
    hash: u64,
    /// The bytes up to here.
    bytes: u64,
    /// The positions up to here, as a look-back counts them.
    position: usize,
    /// The kind of the part, if several in a row are one position.
    row: Option<usize>,
}

/// A prefix that is kept.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// What was billed for it, if it is known.
    tokens: Option<u64>,
    /// When it was written or read last.
    at: Timestamp,
    /// How long it lives, in seconds; none for as long as one likes.
    ttl: Option<u64>,
}

/// What is kept of all requests that were read.
#[derive(Debug, Default)]
pub(super) struct Entries {
    kept: BTreeMap<u64, Entry>,
    /// The newest request of each lane, flattened.
    lanes: BTreeMap<String, Flat>,
    /// How many entries there may be before those that are over are dropped.
    bound: usize,
}

/// A request as the ends of its parts, in the order in which the provider reads.
#[derive(Debug, Default)]
struct Flat {
    /// The hash of all in front of the messages.
    head: u64,
    ends: Vec<End>,
    /// Each message, and how many ends there are with it.
    messages: Vec<(Arc<Message>, usize)>,
    tools: usize,
    system: usize,
}

impl Entries {
    /// Predicts what a request reads, and keeps what its provider would. None where the rule or a part of the request is not known.
    pub(super) fn add(
        &mut self,
        lane: &str,
        request: &Request,
        billed: &Tokens,
        rule: Rule,
    ) -> Option<Prediction> {
        let at = request.time?;
        if request.incomplete.is_some() {
            self.lanes.remove(lane);
            return None;
        }
        let flat = Flat::of(request, self.lanes.remove(lane));
        let all = flat.ends.last().map_or(0, |end| end.bytes);
        let input = billed.input();
        let share = |end: &End| match all {
            0 => 0,
            _ => (u128::from(input) * u128::from(end.bytes) / u128::from(all)) as u64,
        };
        let marks = match rule.rule {
            Match::Breakpoint if request.api.needs_breakpoints() => {
                flat.marked(&request.breakpoints)
            }
            // Its provider sets one at the end by itself.
            Match::Breakpoint => vec![(flat.ends.len().checked_sub(1)?, rule.ttl)],
            Match::BlockFloor | Match::Lcp => vec![(flat.ends.len().checked_sub(1)?, rule.ttl)],
            Match::OpaquePrefix | Match::NamedResource | Match::Passthrough => {
                self.lanes.insert(lane.to_owned(), flat);
                return None;
            }
        };
        let found = self.find(&flat, &marks, at, rule);
        let mut predicted = found.map_or((0, false), |(end, entry)| match entry.tokens {
            Some(tokens) => (tokens, false),
            None => (share(&flat.ends[end]), true),
        });
        if rule.rule == Match::BlockFloor {
            predicted.0 -= predicted.0 % rule.block;
        }
        if predicted.0 < rule.min {
            predicted.0 = 0;
        }
        self.keep(
            &flat,
            &marks,
            found.map(|(end, _)| end),
            (at, rule),
            (billed, &share),
        );
        self.lanes.insert(lane.to_owned(), flat);
        let (tokens, estimated) = predicted;
        let block = rule.block;
        Some(Prediction {
            tokens,
            estimated,
            block,
        })
    }

    /// Forgets the lanes of a conversation; what was kept of them is still there.
    pub(super) fn close(&mut self, conversation: &str) {
        close(&mut self.lanes, conversation);
    }

    /// Ends a log: its lanes are closed.
    pub(super) fn end_of_log(&mut self) {
        self.lanes.clear();
    }

    /// What was billed for so many of the first parts of the newest request of a lane, if that is known.
    pub(super) fn known(&self, lane: &str, parts: usize) -> Option<u64> {
        let end = self.lanes.get(lane)?.ends.get(parts.checked_sub(1)?)?;
        self.kept.get(&end.hash)?.tokens
    }

    /// The longest prefix that is kept and found.
    fn find(
        &self,
        flat: &Flat,
        marks: &[(usize, Option<u64>)],
        now: Timestamp,
        rule: Rule,
    ) -> Option<(usize, Entry)> {
        let is_seen = |at: usize| match rule.rule {
            Match::Breakpoint => marks.iter().any(|(mark, _)| {
                let back = flat.ends[*mark]
                    .position
                    .checked_sub(flat.ends[at].position);
                at <= *mark && back.is_some_and(|back| back <= rule.lookback)
            }),
            _ => true,
        };
        let mut all = (0..flat.ends.len()).rev();
        all.find_map(|at| {
            let entry = self.kept.get(&flat.ends[at].hash)?;
            (lives(entry, now) && is_seen(at)).then_some((at, *entry))
        })
    }

    /// Keeps what a request wrote, and renews what it read.
    fn keep(
        &mut self,
        flat: &Flat,
        marks: &[(usize, Option<u64>)],
        read: Option<usize>,
        (at, rule): (Timestamp, Rule),
        (billed, share): (&Tokens, &dyn Fn(&End) -> u64),
    ) {
        let last = marks.iter().map(|(end, _)| *end).max();
        let hour = marks.iter().filter(|(_, ttl)| *ttl == Some(HOUR));
        let hour = hour
            .map(|(end, _)| *end)
            .max()
            .filter(|_| billed.write_1h > 0);
        let whole = match rule.rule {
            Match::Breakpoint => billed.read + billed.written(),
            _ => billed.input(),
        };
        let mut add = |end: usize, tokens: Option<u64>, ttl: Option<u64>| {
            let long = tokens.unwrap_or_else(|| share(&flat.ends[end]));
            if long < rule.min {
                return;
            }
            let new = Entry { tokens, at, ttl };
            let entry = self.kept.entry(flat.ends[end].hash).or_insert(new);
            let ttl = match lives(entry, at) {
                true => entry.ttl.zip(ttl).map(|(old, new)| old.max(new)),
                false => ttl,
            };
            *entry = Entry {
                tokens: entry.tokens.or(tokens),
                at: entry.at.max(at),
                ttl,
            };
        };
        for (end, ttl) in marks {
            let tokens = match Some(*end) {
                end if end == last => Some(whole),
                end if end == hour => Some(billed.read + billed.write_1h),
                _ => None,
            };
            add(*end, tokens, *ttl);
        }
        // Without breakpoints each beginning can be found, at the ends of parts.
        if rule.rule != Match::Breakpoint {
            for end in 0..flat.ends.len() {
                add(end, None, rule.ttl);
            }
        } else if let Some(entry) = read.and_then(|end| self.kept.get_mut(&flat.ends[end].hash)) {
            entry.at = entry.at.max(at);
        }
        self.drop_old(at);
    }

    /// Drops what has been over for an hour, now and then.
    fn drop_old(&mut self, now: Timestamp) {
        const FIRST: usize = 1 << 16;
        if self.kept.len() < self.bound.max(FIRST) {
            return;
        }
        self.kept.retain(|_, entry| {
            let age = now.duration_since(entry.at).as_secs_f64();
            entry.ttl.is_none_or(|ttl| age <= (ttl + HOUR) as f64)
        });
        self.bound = self.kept.len() * 2;
    }
}

fn lives(entry: &Entry, now: Timestamp) -> bool {
    let age = now.duration_since(entry.at).as_secs_f64();
    entry.ttl.is_none_or(|ttl| age <= ttl as f64)
}

/// The kinds of blocks that count as one position if they are in a row, as they begin or are written in canonical form.
const IN_A_ROW: &[&str] = &[
    r#""type":"tool_use""#,
    r#""type":"tool_result""#,
    r#"{"toolUse":"#,
    r#"{"toolResult":"#,
];

impl Flat {
    /// Flattens a request; what it has in common with the one before it in its lane is taken over.
    fn of(request: &Request, before: Option<Self>) -> Self {
        let mut flat = Self::default();
        let mut hasher = DefaultHasher::new();
        let settings = |from: From, hasher: &mut DefaultHasher| {
            for setting in request.settings.iter().filter(|s| s.from == from) {
                (&setting.name, &setting.value).hash(hasher);
            }
        };
        request.model.hash(&mut hasher);
        settings(From::Start, &mut hasher);
        request
            .tools
            .iter()
            .for_each(|part| flat.part(part, &mut hasher));
        flat.tools = flat.ends.len();
        settings(From::System, &mut hasher);
        "system".hash(&mut hasher);
        request
            .system
            .iter()
            .for_each(|part| flat.part(part, &mut hasher));
        flat.system = flat.ends.len();
        settings(From::Messages, &mut hasher);
        flat.head = hasher.finish();
        let mut from = 0;
        if let Some(before) = before.filter(|before| before.head == flat.head) {
            let same = before.messages.iter().zip(&request.messages);
            from = same
                .take_while(|((a, _), b)| Arc::ptr_eq(a, b) || a == *b)
                .count();
            let ends = from
                .checked_sub(1)
                .map_or(flat.system, |at| before.messages[at].1);
            flat.ends = before.ends[..ends].to_vec();
            flat.messages = before.messages[..from].to_vec();
        }
        for message in &request.messages[from..] {
            let mut hasher = DefaultHasher::new();
            flat.ends
                .last()
                .map_or(flat.head, |end| end.hash)
                .hash(&mut hasher);
            if flat.ends.len() == flat.system {
                flat.head.hash(&mut hasher);
            }
            (&message.role, &message.extra).hash(&mut hasher);
            message
                .blocks
                .iter()
                .for_each(|part| flat.part(part, &mut hasher));
            flat.messages.push((message.clone(), flat.ends.len()));
        }
        flat
    }

    fn part(&mut self, part: &Part, hasher: &mut DefaultHasher) {
        part.id.digest().hash(hasher);
        let row = IN_A_ROW.iter().position(|kind| part.key.contains(kind));
        let last = self.ends.last();
        let in_row = row.is_some() && last.is_some_and(|end| end.row == row);
        let (bytes, position) = last.map_or((0, 0), |end| (end.bytes, end.position));
        self.ends.push(End {
            hash: hasher.finish(),
            bytes: bytes + part.key.len() as u64,
            position: position + usize::from(!in_row),
            row,
        });
    }

    /// The ends that breakpoints are at, and how long they are to live.
    fn marked(&self, breakpoints: &[Breakpoint]) -> Vec<(usize, Option<u64>)> {
        let place = |mark: &Breakpoint| {
            let mut words = mark.at.split('/');
            let part = words.next()?;
            let mut number = || words.next()?.parse::<usize>().ok();
            let end = match part {
                "tools" => number().filter(|at| *at < self.tools)?,
                "system" => Some(self.tools + number()?).filter(|at| *at < self.system)?,
                "messages" => {
                    let at = number()?;
                    let start = at.checked_sub(1).map_or(Some(self.system), |before| {
                        Some(self.messages.get(before)?.1)
                    });
                    let end = start? + number()?;
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
