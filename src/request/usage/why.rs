//! Why each token of an input is there: read, new, or lost, and by what.

use super::rates::{FIVE_MINUTES, HOUR, Rule};
use super::record::Told;
use super::step::Step;
use super::tokens::{Tokens, share};
use crate::request::provider::Match;
use crate::request::whole::log::Exchanged;
use crate::request::whole::{Cause, Request, not_reused};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Why tokens were billed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Read from the cache.
    Reused,
    /// The request before did not have them.
    New,
    /// Of the first request of a chain, which has nothing to share yet.
    Cold,
    /// The answer to the other request had not begun.
    Concurrent,
    /// The time to live was over.
    Expired,
    /// The request before was too short to be cached.
    BelowMinimum,
    /// After all that the request before asked to cache.
    NoBreakpoint,
    /// After a change of the model, a setting, the tools or the system prompt.
    Changed,
    /// After a change of the messages.
    Rewritten,
    /// After the first difference from a request of another chain, which has them too.
    Diverged,
    /// The provider should have had them.
    Evicted,
    /// The recording does not say why.
    Unknown,
    /// Of the answer.
    Output,
}

impl Why {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 13] = [
        Self::Reused,
        Self::New,
        Self::Cold,
        Self::Concurrent,
        Self::Expired,
        Self::BelowMinimum,
        Self::NoBreakpoint,
        Self::Changed,
        Self::Rewritten,
        Self::Diverged,
        Self::Evicted,
        Self::Unknown,
        Self::Output,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reused => "reused",
            Self::New => "new",
            Self::Cold => "cold",
            Self::Concurrent => "concurrent",
            Self::Expired => "expired",
            Self::BelowMinimum => "below-minimum",
            Self::NoBreakpoint => "no-breakpoint",
            Self::Changed => "changed",
            Self::Rewritten => "rewritten",
            Self::Diverged => "diverged",
            Self::Evicted => "evicted",
            Self::Unknown => "unknown",
            Self::Output => "output",
        }
    }

    /// Whether the same requests with the same times to live, and no byte of the prefix changed, would read these tokens.
    #[must_use]
    pub fn is_avoidable(self) -> bool {
        matches!(
            self,
            Self::Changed | Self::Rewritten | Self::Diverged | Self::Evicted | Self::Unknown
        )
    }
}

/// A request with a known usage, as the predecessor of the next of its chain.
#[derive(Debug, Clone)]
pub(super) struct Before {
    /// The request with its answer.
    pub exchanged: Arc<Exchanged>,
    /// Its turn in its chain, from 1.
    pub turn: usize,
    /// The bill.
    pub tokens: Tokens,
    kept: Kept,
    /// Whether it is known how much of it was cached.
    is_told: bool,
    /// Whether it was too short to be cached.
    short: bool,
}

/// The cached part of a request, in tokens from its start.
#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    /// All of it.
    all: u64,
    /// Its lifetime in seconds; none if it is not known.
    ttl: Option<u64>,
    /// The part with a time to live of an hour, and when it was last written or read.
    hour: u64,
    hour_at: Option<Timestamp>,
}

impl Before {
    /// A request and its bill, after the one before it in its chain.
    #[must_use]
    pub(super) fn new(
        exchanged: Arc<Exchanged>,
        (tokens, told): (Tokens, Told),
        before: Option<&Self>,
        rule: Rule,
    ) -> Self {
        let request = &exchanged.request;
        let stays = before.map(|before| before.kept).filter(|kept| {
            let over = |at: Timestamp| {
                (request.time).is_some_and(|now| now.duration_since(at).as_secs_f64() > HOUR as f64)
            };
            !kept.hour_at.is_some_and(over)
        });
        let stays = stays.unwrap_or_default().hour.min(tokens.read);
        let hour = match tokens.write_1h {
            0 => stays,
            written => tokens.read + written,
        };
        let breakpoints = rule.rule == Match::Breakpoint;
        let is_told = is_cache_told(told, request, rule);
        let all = match breakpoints {
            true if is_told => tokens.read + tokens.written(),
            _ if tokens.input() < rule.min => 0,
            true => tokens.input(),
            false if rule.rule == Match::BlockFloor => tokens.input() - tokens.input() % rule.block,
            false => tokens.input(),
        };
        let marked = request.breakpoints.iter().map(|mark| mark.seconds()).max();
        let ttl = match tokens {
            _ if hour >= all && hour > 0 => Some(HOUR),
            Tokens { write_5m: 1.., .. } => Some(FIVE_MINUTES),
            Tokens {
                write_other: 1.., ..
            } => marked.or(rule.ttl),
            // It wrote nothing: what it read lives on as it did.
            _ if breakpoints => before.map_or(rule.ttl, |before| before.kept.ttl),
            _ => rule.ttl,
        };
        Self {
            kept: Kept {
                all,
                ttl,
                hour,
                hour_at: request.time,
            },
            is_told,
            short: all == 0 && tokens.input() < rule.min,
            turn: turn(&exchanged, before),
            tokens,
            exchanged,
        }
    }

    /// A request without a bill.
    #[must_use]
    pub(super) fn unbilled(exchanged: Arc<Exchanged>, rule: Rule) -> Self {
        let request = &exchanged.request;
        let marked = request.breakpoints.iter().map(|mark| mark.seconds()).max();
        let ttl = marked.filter(|_| request.api.needs_breakpoints());
        Self {
            kept: Kept {
                ttl: ttl.or(rule.ttl),
                ..Kept::default()
            },
            is_told: true,
            short: false,
            turn: 1,
            tokens: Tokens::default(),
            exchanged,
        }
    }

    /// It, after another turn that was not billed.
    pub(super) fn with_turn(self) -> Self {
        let turn = self.turn + 1;
        Self { turn, ..self }
    }

    /// The request.
    pub(super) fn request(&self) -> &Arc<Request> {
        &self.exchanged.request
    }

    /// The time from its start to that of another request, in seconds.
    pub(super) fn gap(&self, next: &Request) -> Option<f64> {
        let times = self.request().time.zip(next.time);
        times.map(|(a, b)| b.duration_since(a).as_secs_f64())
    }

    /// How long the longest part of it lives, in seconds; none if that is not known.
    pub(super) fn lifetime(&self) -> Option<u64> {
        let hour = (self.kept.hour > 0).then_some(HOUR);
        self.kept.ttl.map(|ttl| ttl.max(hour.unwrap_or(0)))
    }

    /// Whether its answer had begun when another request started; none if the time of one of them is not known.
    pub(super) fn has_begun(&self, next: &Request) -> Option<bool> {
        let begun = self.exchanged.answer.as_ref()?.begun?;
        Some(begun <= next.time?)
    }

    /// Whether nothing says if its answer had begun, when that of requests which started up to a time had. Without times only a request with more
    /// messages shows it.
    pub(super) fn is_unsettled(&self, settled: Option<Timestamp>, next: &Exchanged) -> bool {
        let answer = self.exchanged.answer.as_ref();
        let begun = answer.and_then(|answer| answer.begun);
        let times = self.request().time.zip(settled);
        let messages = |of: &Exchanged| of.request.messages.len();
        let goes_on = next.line.parent.is_some() && messages(next) > messages(&self.exchanged);
        begun.is_none() && times.map_or(!goes_on, |(at, settled)| at > settled)
    }

    /// Whether something of it lives when another request starts.
    pub(super) fn is_kept(&self, next: &Request) -> bool {
        self.lives(self.gap(next)) > 0
    }

    /// The part with a time to live of an hour, in tokens.
    #[must_use]
    pub(super) fn hour(&self) -> u64 {
        self.kept.hour
    }

    /// The tokens of it that are still cached when another request starts.
    fn lives(&self, gap: Option<f64>) -> u64 {
        let within = |ttl: Option<u64>| match (gap, ttl) {
            (Some(gap), Some(ttl)) => gap <= ttl as f64,
            _ => true,
        };
        match (within(self.kept.ttl), within(Some(HOUR))) {
            (true, _) => self.kept.all,
            (false, true) => self.kept.hour,
            (false, false) => 0,
        }
    }
}

/// Whether it is known how much of a request was cached: its usage may not say what was written. Where no breakpoint asks for it nothing is, and
/// without breakpoints all is.
pub(super) fn is_cache_told(told: Told, request: &Request, rule: Rule) -> bool {
    let is_asked = !request.breakpoints.is_empty() || !request.api.needs_breakpoints();
    let is_written = rule.rule == Match::Breakpoint && (is_asked || request.incomplete.is_some());
    told.write || !is_written
}

/// The turn of a request in its chain, from 1.
pub(super) fn turn(now: &Exchanged, before: Option<&Before>) -> usize {
    let before = before.filter(|_| now.line.parent.is_some());
    1 + before.map_or(0, |before| before.turn)
}

/// The time after which an answer has begun in any case: no model takes longer to read its input.
const BEGINS_WITHIN: SignedDuration = SignedDuration::from_secs(60);

/// When the last request started whose answer had begun when `now` did, as far as the two show it; none without a time. `before` is the one before it in
/// its chain: a request with more messages comes after the answer to that.
pub(super) fn settled(before: Option<&Before>, now: &Request) -> Option<Timestamp> {
    let at = now.time?;
    let before = before.map(Before::request);
    let answered = before.filter(|before| now.messages.len() > before.messages.len());
    let answered = answered.and_then(|before| before.time);
    let long_ago = at.saturating_sub(BEGINS_WITHIN).unwrap_or(at);
    Some(answered.map_or(long_ago, |answered| answered.max(long_ago)))
}

/// Where and by what a request is another than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// It grew at its end, or is the same.
    None,
    /// At so many tokens.
    At(u64, Why),
    /// Nothing says it.
    Unknown,
}

/// A part of an input, and why it is there.
pub(super) type ExplainedRange = (Why, Range<u64>);

/// The prediction of a provider's rule for a request.
pub(super) struct Ruled<'a> {
    /// Whether nothing says if the request before could be read yet.
    pub(super) is_unsettled: bool,
    /// The rule.
    pub(super) rule: Rule,
    /// The predicted tokens that the request reads, if the rule gives them.
    pub(super) read: Option<u64>,
    /// The billed count of so many of its first parts, if it is known.
    pub(super) known: &'a dyn Fn(usize) -> Option<u64>,
    /// The changes since the request before, if both are complete.
    pub(super) step: Option<&'a Step>,
    /// The counts that the usage of the request has.
    pub(super) told: Told,
}

/// Why each token of the input of B is there, in order, and the first change, if there is one.
#[must_use]
pub(super) fn why(
    a: Option<&Before>,
    b: &Request,
    billed: &Tokens,
    ruled: &Ruled<'_>,
) -> (Vec<ExplainedRange>, Option<Cause>) {
    let input = billed.input();
    let read = billed.read;
    let Some(a) = a else {
        let stretches = vec![(Why::Reused, 0..read), (Why::Cold, read..input)];
        return (filled(stretches), None);
    };
    let (change, common, first) = change(a, b, billed, ruled);
    let lives = a.lives(a.gap(b));
    let kept = a.kept.all;
    let breakpoints = ruled.rule.rule == Match::Breakpoint;
    let is_settled = !ruled.is_unsettled;
    if !ruled.told.read {
        let stretches = vec![(Why::Unknown, 0..common), (Why::New, common..input)];
        return (filled(stretches), first);
    }
    // The first of these that reaches a position is its cause.
    let mut causes: Vec<ExplainedRange> = vec![(Why::Expired, lives..kept)];
    if a.has_begun(b) == Some(false) {
        causes.push((Why::Concurrent, 0..kept));
    }
    if a.short {
        causes.push((Why::BelowMinimum, 0..common));
    }
    if breakpoints {
        let asks = !b.breakpoints.is_empty() || !b.api.needs_breakpoints();
        let asks = asks || b.incomplete.is_some();
        causes.push((Why::NoBreakpoint, if asks { kept } else { 0 }..common));
    } else {
        // The rest of a block is never cached.
        causes.push((Why::New, kept..common));
    }
    let reads = ruled.read.unwrap_or(0);
    match (change, ruled.read) {
        (Change::At(at, why), _) => {
            let from = ruled.read.filter(|_| is_settled).unwrap_or(at);
            let to = if is_settled { common } else { common.min(kept) };
            causes.push((why, from..to));
        }
        (Change::None, Some(_)) if ruled.is_unsettled => {}
        (Change::None, Some(_)) if breakpoints => causes.push((Why::NoBreakpoint, reads..common)),
        (Change::None, Some(_)) => causes.push((Why::New, reads..common)),
        (Change::None | Change::Unknown, None) | (Change::Unknown, Some(_)) => {}
    }
    // What was not told may not have been stored.
    if is_settled && a.is_told {
        causes.push((Why::Evicted, 0..reads));
    }
    causes.push((Why::Unknown, 0..common));
    let mut out = vec![(Why::Reused, 0..read)];
    out.extend(first_of(read..common.max(read), &causes));
    out.push((Why::New, common.max(read)..input));
    (filled(out), first)
}

/// Stretches that are not empty.
fn filled(mut stretches: Vec<ExplainedRange>) -> Vec<ExplainedRange> {
    stretches.retain(|(_, range)| !range.is_empty());
    stretches
}

/// Cuts a range where a cause begins or ends; each piece has the first cause that it lies in.
fn first_of(range: Range<u64>, causes: &[ExplainedRange]) -> Vec<ExplainedRange> {
    let ends = causes.iter().flat_map(|(_, r)| [r.start, r.end]);
    let mut cuts: Vec<u64> = ends.filter(|at| range.contains(at)).collect();
    cuts.extend([range.start, range.end]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut out: Vec<ExplainedRange> = Vec::new();
    for pair in cuts.windows(2) {
        let found = causes.iter().find(|(_, r)| r.contains(&pair[0]));
        let why = found.map_or(Why::Unknown, |(why, _)| *why);
        match out.last_mut() {
            Some((last, r)) if *last == why => r.end = pair[1],
            _ => out.push((why, pair[0]..pair[1])),
        }
    }
    out
}

/// Where the request changed, and how much of it the request before has too, as if that came first.
fn change(
    a: &Before,
    b: &Request,
    billed: &Tokens,
    ruled: &Ruled<'_>,
) -> (Change, u64, Option<Cause>) {
    let input = billed.input();
    let shorter = a.tokens.input().min(input);
    let Some(step) = ruled.step else {
        return (by_messages(a.request(), b), shorter, None);
    };
    let reused = step.reused;
    let known = (ruled.known)(reused.segments).filter(|at| *at <= input);
    if let Some(both) = &step.in_common {
        let first = step.first.clone();
        let (front, bytes) = known.map_or((0, 0), |at| (at, reused.bytes as u64));
        let (at, common) = if step.is_sized {
            let at = front + share(input - front, both.begun - bytes, both.all - bytes);
            let after = share(input - at, both.after, both.all - both.begun);
            (at, at + after)
        } else {
            let at = billed.read.min(shorter);
            (at, if first.is_some() { shorter } else { at })
        };
        let change = first.as_ref().map(|_| Change::At(at, Why::Diverged));
        return (change.unwrap_or(Change::None), common.min(shorter), first);
    }
    let Some(first) = step.first.clone() else {
        return (Change::None, shorter, None);
    };
    let why = match first.at.split('/').next() {
        Some("messages") => Why::Rewritten,
        _ => Why::Changed,
    };
    if !step.is_sized {
        // A share of what has no known size is none: what was not read comes after the change.
        let at = known.unwrap_or(billed.read).min(shorter);
        return (Change::At(at, why), shorter, Some(first));
    }
    let after = not_reused(Some(a.request()), b, reused);
    let rest = after.rewritten + after.new;
    let at =
        known.unwrap_or_else(|| share(input, reused.bytes as u64, (reused.bytes + rest) as u64));
    // Only a setting changed: the bill of A says how much it is.
    let is_whole = reused.segments == 0 && a.request().model == b.model && {
        let (mut before, mut now) = (a.request().parts(), b.parts());
        before.all(|part| now.next().is_some_and(|next| next.id == part.id))
    };
    let common = at + share(input - at, after.rewritten as u64, rest as u64);
    let common = if is_whole {
        shorter
    } else {
        common.min(shorter)
    };
    (Change::At(at, why), common, Some(first))
}

/// The change between requests of which only the messages are known.
fn by_messages(a: &Request, b: &Request) -> Change {
    if a.model != b.model {
        return Change::At(0, Why::Changed);
    }
    let (before, now) = (&a.messages, &b.messages);
    let grew = match before.split_last() {
        None => true,
        Some((last, rest)) => {
            now.starts_with(rest) && now.get(rest.len()).is_some_and(|next| last.begins(next))
        }
    };
    if grew {
        Change::Unknown
    } else {
        Change::At(0, Why::Rewritten)
    }
}
