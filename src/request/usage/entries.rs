//! The cached text of the requests so far, by the provider's rule: the prediction of what the next one reads.

use super::flat::{End, Flat};
use super::rates::{HOUR, Rule};
use super::step::Step;
use super::tokens::{Tokens, share};
use crate::request::provider::Match;
use crate::request::whole::Request;
use crate::request::whole::log::{Exchanged, OpenRequests, RequestLine};
use jiff::Timestamp;
use std::sync::Arc;

/// The tokens that a request reads, by the rule of its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// In tokens.
    pub tokens: u64,
    /// Whether the tokens are a share of bytes, in place of what was billed for the same prefix.
    pub estimated: bool,
    /// Tokens in a block.
    block: u64,
    /// The number of whole parts that it reads.
    pub(super) parts: usize,
    /// Up to when requests started whose entries it can read, if the recording does not say when their answers began.
    pub(super) settled: Timestamp,
    /// The parts before a respelled message, if there is one, and the tokens that it reads if all is another text from there on.
    pub(super) respelled: Option<(usize, u64)>,
    /// Whether nothing says if the request before could be read yet, though it stored something.
    pub(super) is_unsettled: bool,
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

    /// Whether so many tokens that were read have a respelled message in them.
    pub(super) fn has_read_respelled(&self, read: u64) -> bool {
        let is_in = |(parts, _)| self.parts > parts && self.nearest(read) <= read;
        self.respelled.is_some_and(is_in)
    }

    /// Of what was read and what the rule says: the first if they agree.
    pub(super) fn nearest(&self, read: u64) -> u64 {
        if self.agrees(read) { read } else { self.tokens }
    }
}

/// A cached prefix.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Its bill, if it is known.
    tokens: Option<u64>,
    /// From when on it can be read, by what is recorded or billed.
    begun: Option<Timestamp>,
    /// When the first request started that stored it, of those whose answer has no recorded begin.
    started: Option<Timestamp>,
    /// When it was written or read last.
    at: Timestamp,
    /// Its lifetime in seconds; none if it is unlimited.
    ttl: Option<u64>,
}

impl Entry {
    /// Whether one of the answers to those that stored it had begun when a request started.
    fn is_begun(&self, sent: &Sent<'_>) -> bool {
        let has_begun = self.begun.is_some_and(|begun| begun <= sent.at);
        has_begun || self.started.is_some_and(|started| started <= sent.settled)
    }
}

/// Cached prefixes by their hashes.
#[expect(
    clippy::disallowed_types,
    reason = "nothing depends on its order, and looking entries up is a tenth of the time of a large log"
)]
type ByHash = std::collections::HashMap<u64, Entry>;

/// The cached text of all requests so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries {
    kept: ByHash,
    /// Open requests, as they were cached.
    open: OpenRequests<Arc<AsCached>>,
    /// The most entries before those that are over are dropped.
    bound: usize,
}

/// The tokens up to each end, and the ends of which a bill says them. Text that the request before in the chain had too keeps its count. From there
/// on what was written for an hour, what was cached, and all of the input have places of their own; between these it is the share in bytes.
fn positions(
    before: Option<&AsCached>,
    flat: &Flat,
    billed: &Tokens,
    [hour, last]: [Option<usize>; 2],
) -> (Vec<u64>, Vec<usize>) {
    let ends = &flat.ends;
    let known = before
        .into_iter()
        .flat_map(|before| before.flat.ends.iter().zip(&before.upto));
    let same = known
        .zip(ends)
        .take_while(|((old, _), new)| old.hash == new.hash);
    let mut upto = Vec::with_capacity(ends.len());
    upto.extend(same.map(|((_, upto), _)| *upto));
    let told = before.into_iter().flat_map(|before| &before.told);
    let mut told: Vec<usize> = told.copied().filter(|at| *at < upto.len()).collect();
    let cached = billed.read + billed.written();
    let all = ends.len().checked_sub(1);
    let places = [
        hour.map(|hour| (hour, billed.read + billed.write_1h)),
        last.map(|last| (last, cached)),
        all.map(|all| (all, billed.input())),
    ];
    for (place, tokens) in places.into_iter().flatten() {
        let from = upto.len();
        if place < from {
            continue;
        }
        let (front, bytes_front) = match from.checked_sub(1) {
            Some(at) => (upto[at], ends[at].bytes),
            None => (0, 0),
        };
        let more = tokens.saturating_sub(front);
        let bytes = ends
            .get(place)
            .map_or(0, |end| end.bytes.saturating_sub(bytes_front));
        for end in ends.iter().take(place + 1).skip(from) {
            upto.push(front + share(more, end.bytes - bytes_front, bytes));
        }
        told.push(place);
    }
    (upto, told)
}

/// A request as it was cached.
#[derive(Debug, Clone)]
pub(super) struct AsCached {
    /// Its parts.
    pub flat: Flat,
    /// The tokens up to the end of each.
    pub upto: Vec<u64>,
    /// The ends of which a bill says the tokens, in order.
    pub told: Vec<usize>,
}

/// A request as it is played.
#[derive(Clone, Copy)]
pub(super) struct Sent<'a> {
    /// The ends of its parts.
    pub ends: &'a [End],
    /// The cached ends, and for how many seconds.
    pub marks: &'a [(usize, Option<u64>)],
    /// When it started.
    pub at: Timestamp,
    /// When its answer began, if that is recorded: what it wrote can be read then.
    pub begun: Option<Timestamp>,
    /// Up to when requests started whose entries it can read, if the recording does not say when their answers began.
    pub settled: Timestamp,
    /// The rule of its provider.
    pub rule: Rule,
    /// The tokens up to an end.
    pub upto: &'a dyn Fn(usize) -> u64,
}

/// The ends that a provider is asked to cache, and for how many seconds; none if its rule is not known.
pub(super) fn marks(
    flat: &Flat,
    request: &Request,
    rule: Rule,
) -> Option<Vec<(usize, Option<u64>)>> {
    match rule.rule {
        Match::Breakpoint if request.api.needs_breakpoints() => {
            Some(flat.marked(&request.breakpoints))
        }
        // Its provider sets one at the end by itself, or needs none.
        Match::Breakpoint | Match::BlockFloor | Match::Lcp => {
            let last = flat.ends.len().checked_sub(1)?;
            let marked = flat.marked(&request.breakpoints).into_iter();
            let marked = marked.map(|(end, _)| end).filter(|end| *end != last);
            let all = marked.chain([last]).map(|end| (end, rule.ttl));
            Some(all.collect())
        }
        Match::OpaquePrefix | Match::NamedResource | Match::Passthrough => None,
    }
}

impl Entries {
    /// Predicts how much a request reads, and caches what its provider would. None if the rule or its time is not known.
    pub(super) fn add(
        &mut self,
        now: &Exchanged,
        flat: Flat,
        ((billed, is_told), settled): ((&Tokens, bool), Option<Timestamp>),
        rule: Rule,
        (step, across): (Option<&Step>, Option<Arc<AsCached>>),
    ) -> Option<Prediction> {
        let request = &*now.request;
        let before = self.before(&now.line).cloned().or(across);
        let marks = marks(&flat, request, rule);
        let last = marks.iter().flatten().map(|(end, _)| *end).max();
        let last = last.filter(|_| rule.rule == Match::Breakpoint && is_told);
        let hours = marks.iter().flatten().filter(|(_, ttl)| *ttl == Some(HOUR));
        let hour = hours.map(|(end, _)| *end).max();
        let hour = hour.filter(|hour| billed.write_1h > 0 && last.is_some_and(|last| *hour < last));
        let is_sized = flat.is_sized();
        // What shares by unknown sizes say of its beginning is worth nothing.
        let of_before = before.as_deref().filter(|before| before.flat.is_sized());
        let (upto, told) = positions(of_before, &flat, billed, [hour, last]);
        let times = request.time.zip(settled);
        let predicted = marks.zip(times).map(|(marks, (at, settled))| {
            // First as if all answers without a recorded begin had begun; if the bill has no such reads, without those entries.
            let mut sent = Sent {
                ends: &flat.ends,
                marks: &marks,
                at,
                begun: begun(now),
                settled: at,
                rule,
                upto: &|end| upto[end],
            };
            let within = step
                .filter(|_| rule.rule != Match::Breakpoint && is_sized)
                .and_then(|step| Some((step.reused.segments, step.begun(request)?)));
            let before = before.as_deref();
            let most = self.predict(&sent, before, within);
            let has_read =
                billed.read > 0 && (most.agrees(billed.read) || most.tokens < billed.read);
            let predicted = if has_read {
                most
            } else {
                sent.settled = settled;
                self.predict(&sent, before, within)
            };
            let of = if rule.rule == Match::Breakpoint {
                before.map(|before| &before.flat)
            } else {
                Some(&flat)
            };
            let is_unsettled = of.is_some_and(|of| self.is_unsettled(of, &sent));
            let respelled = step.and_then(Step::parts_alike).map(|parts| {
                let upto = &flat.ends[..parts.min(flat.ends.len())];
                let front = Sent { ends: upto, ..sent };
                (parts, self.predict(&front, before, None).tokens)
            });
            self.keep(
                &sent,
                predicted.parts.checked_sub(1),
                Some((billed, is_told)),
            );
            Prediction {
                is_unsettled,
                respelled,
                ..predicted
            }
        });
        // A share that counts an unknown size as nothing says nothing.
        let predicted = predicted.filter(|found| !found.estimated || is_sized);
        let cached = AsCached { flat, upto, told };
        self.open.add(&now.line, Arc::new(cached));
        predicted
    }

    /// What a request reads. `within`: so many of its first parts are in common with `before`, and so many bytes of the next one.
    fn predict(
        &self,
        sent: &Sent<'_>,
        before: Option<&AsCached>,
        within: Option<(usize, usize)>,
    ) -> Prediction {
        let found = self.find(sent);
        let (mut tokens, mut estimated) =
            found.map_or((0, false), |(end, entry)| match entry.tokens {
                Some(tokens) => (tokens, false),
                None => ((sent.upto)(end), true),
            });
        let parts = found.map_or(0, |(end, _)| end + 1);
        // Without breakpoints what is in common may end inside of a part.
        let more = within.filter(|(whole, _)| *whole == parts);
        let is_kept = before.is_some_and(|before| self.is_kept(before, sent));
        if let Some((_, bytes)) = more.filter(|_| is_kept) {
            let of = |at: usize| ((sent.upto)(at), sent.ends[at].bytes);
            let (from, front) = parts.checked_sub(1).map_or((0, 0), of);
            let (to, after) = of(parts);
            let more = share(to.saturating_sub(from), bytes as u64, after - front);
            (tokens, estimated) = (tokens + more, true);
        }
        Prediction {
            tokens: sent.rule.whole(tokens),
            estimated,
            block: sent.rule.block,
            parts,
            settled: sent.settled,
            respelled: None,
            is_unsettled: false,
        }
    }

    /// Whether nothing says if the longest entry of a request could be read yet; where any beginning is one, that of what both have.
    fn is_unsettled(&self, of: &Flat, sent: &Sent<'_>) -> bool {
        let mut ends = of.ends.iter().rev();
        let entry = ends.find_map(|end| self.kept.get(&end.hash));
        entry.is_some_and(|entry| entry.started.is_some() && !entry.is_begun(sent))
    }

    /// The tokens that a request reads by the rule alone, whatever the bill; and caches what its provider would.
    pub(super) fn play(&mut self, sent: &Sent<'_>) -> u64 {
        let found = self.find(sent).map(|(end, _)| end);
        self.keep(sent, found, None);
        sent.rule.whole(found.map_or(0, sent.upto))
    }

    /// Whether the last part of a request lives.
    fn is_kept(&self, before: &AsCached, sent: &Sent<'_>) -> bool {
        let end = before.flat.ends.last();
        let entry = end.and_then(|end| self.kept.get(&end.hash));
        entry.is_some_and(|entry| lives(entry, sent))
    }

    /// The request before another one in its chain.
    pub(super) fn before(&self, line: &RequestLine) -> Option<&Arc<AsCached>> {
        self.open.before(line)
    }

    /// The newest request of a chain.
    pub(super) fn newest(&self, chain: &str) -> Option<&Arc<AsCached>> {
        self.open.newest(chain)
    }

    /// Forgets the chains of a conversation; their cached text remains.
    pub(super) fn close(&mut self, conversation: &str) {
        self.open.close(conversation);
    }

    /// Ends a log: its chains are closed.
    pub(super) fn end_of_log(&mut self) {
        self.open.clear();
    }

    /// The count of so many of the first parts of a request, which the one before it has too, if it is known. That of one which begins a chain may be
    /// a share.
    pub(super) fn known(&self, line: &RequestLine, parts: usize) -> Option<u64> {
        let last = parts.checked_sub(1)?;
        if line.parent.is_none() {
            let own = self.newest(&line.chain)?.upto.get(last).copied();
            // Nothing is written below the minimum, which says nothing of its size.
            return own.filter(|tokens| *tokens > 0);
        }
        let end = self.before(line)?.flat.ends.get(last)?;
        self.kept.get(&end.hash)?.tokens
    }

    /// The longest prefix that is cached and found.
    fn find(&self, sent: &Sent<'_>) -> Option<(usize, Entry)> {
        let mut marks: Vec<usize> = sent.marks.iter().map(|(mark, _)| *mark).collect();
        marks.sort_unstable();
        let mut nearest = None;
        let mut all = (0..sent.ends.len()).rev().filter(|at| {
            while marks.last().is_some_and(|mark| mark >= at) {
                nearest = marks.pop();
            }
            let position = |at: usize| sent.ends.get(at).map_or(usize::MAX, |end| end.position);
            let back = |mark: usize| position(mark).saturating_sub(position(*at));
            sent.rule.rule != Match::Breakpoint
                || nearest.is_some_and(|mark| back(mark) <= sent.rule.lookback)
        });
        all.find_map(|at| {
            let entry = self.kept.get(&sent.ends[at].hash)?;
            lives(entry, sent).then_some((at, *entry))
        })
    }

    /// Keeps what a request wrote, and renews what it read.
    fn keep(&mut self, sent: &Sent<'_>, read: Option<usize>, billed: Option<(&Tokens, bool)>) {
        let (at, rule) = (sent.at, sent.rule);
        let is_billed = billed.is_some();
        let billed = billed.and_then(|(billed, is_told)| is_told.then_some(billed));
        let last = sent.marks.iter().map(|(end, _)| *end).max();
        let hour = billed.and_then(|billed| {
            let hour = sent.marks.iter().filter(|(_, ttl)| *ttl == Some(HOUR));
            let hour = hour.map(|(end, _)| *end).max();
            hour.filter(|_| billed.write_1h > 0)
        });
        let whole = billed.map(|billed| match rule.rule {
            Match::Breakpoint => billed.read + billed.written(),
            _ => billed.input(),
        });
        let mut add = |end: usize, tokens: Option<u64>, ttl: Option<u64>| {
            if tokens.unwrap_or_else(|| (sent.upto)(end)) < rule.min {
                return;
            }
            let new = Entry {
                tokens,
                begun: sent.begun,
                started: sent.begun.is_none().then_some(at),
                at,
                ttl,
            };
            let entry = self.kept.entry(sent.ends[end].hash).or_insert(new);
            let is_kept = !is_over(entry, at);
            let ttl = if is_kept {
                entry.ttl.zip(ttl).map(|(old, new)| old.max(new))
            } else {
                ttl
            };
            // The first of those that stored it counts.
            let first = |old: Option<Timestamp>, new: Option<Timestamp>| {
                let old = old.filter(|_| is_kept);
                old.into_iter().chain(new).min()
            };
            *entry = Entry {
                tokens: entry.tokens.or(tokens),
                begun: first(entry.begun, new.begun),
                started: first(entry.started, new.started),
                at: entry.at.max(at),
                ttl,
            };
        };
        for (end, ttl) in sent.marks {
            let tokens = match Some(*end) {
                end if end == last => whole,
                end if end == hour => billed.map(|billed| billed.read + billed.write_1h),
                _ => None,
            };
            add(*end, tokens, *ttl);
        }
        // Without breakpoints each beginning can be found, at the ends of parts.
        if rule.rule != Match::Breakpoint {
            for end in 0..sent.ends.len() {
                add(end, None, rule.ttl);
            }
        } else if let Some(entry) = read.and_then(|end| self.kept.get_mut(&sent.ends[end].hash)) {
            entry.at = entry.at.max(at);
        }
        // A bill that has the reads shows that it could be read; so can each request after it.
        let ends = read.map_or(0, |end| end + 1);
        for end in sent.ends[..ends].iter().filter(|_| is_billed) {
            if let Some(entry) = self.kept.get_mut(&end.hash) {
                let begun = entry.begun.map_or(at, |begun| begun.min(at));
                entry.begun = Some(begun);
            }
        }
        self.drop_old(at);
    }

    /// Drops what has been over for an hour, now and then.
    fn drop_old(&mut self, now: Timestamp) {
        const FIRST: usize = 1 << 13;
        if self.kept.len() < self.bound.max(FIRST) {
            return;
        }
        self.kept.retain(|_, entry| {
            let age = now.duration_since(entry.at).as_secs_f64();
            entry
                .ttl
                .is_none_or(|ttl| age <= ttl.saturating_add(HOUR) as f64)
        });
        self.bound = self.kept.len() * 2;
    }
}

/// When the answer to a request began, if that is recorded: not before the request started.
pub(super) fn begun(now: &Exchanged) -> Option<Timestamp> {
    let begun = now.answer.as_ref()?.begun?;
    Some(now.request.time.map_or(begun, |at| begun.max(at)))
}

/// Whether a request can read an entry.
fn lives(entry: &Entry, sent: &Sent<'_>) -> bool {
    entry.is_begun(sent) && !is_over(entry, sent.at)
}

fn is_over(entry: &Entry, now: Timestamp) -> bool {
    let age = now.duration_since(entry.at).as_secs_f64();
    entry.ttl.is_some_and(|ttl| age > ttl as f64)
}
