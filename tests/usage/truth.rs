//! Why each token was billed: the rules of docs/usage.md, with the tokens of each part in the place of shares in bytes.
//!
//! Where the page leaves a choice, what the provider's rule says decides: what the rule would not have read is no eviction.

use std::collections::BTreeMap;

use crate::cache::{BLOCK, Bill};
use crate::money::price_of;
use crate::parts::{Request, Ttl};
use crate::program::Row;

/// Tokens and dollars by cause.
pub(crate) type Causes = BTreeMap<&'static str, Row>;

/// A request with what it was billed, and what the rule of its provider would have read.
#[derive(Clone)]
pub(crate) struct Sent {
    pub(crate) request: Request,
    pub(crate) time: i64,
    pub(crate) bill: Bill,
    /// The bill as the answer tells it: fields can be missing.
    pub(crate) told: Bill,
    pub(crate) rule: u64,
    /// Whether the page has a prediction: not by shares where the size of a part is unknown.
    pub(crate) predicted: bool,
    /// When its answer began; none if the recording does not say it.
    pub(crate) begun: Option<i64>,
}

/// Whether a request could read what the one that it is compared with had stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Could {
    Read,
    /// The answer had not begun.
    NotRead,
    /// Nobody says when it began, and nothing else settles it.
    Unsettled,
}

/// How a request is compared with an earlier one.
#[derive(Clone, Copy)]
pub(crate) struct Compared {
    /// With one of another chain.
    pub(crate) across: bool,
    pub(crate) could: Could,
}

/// The state of a chain.
#[derive(Clone, Default)]
pub(crate) struct Chain {
    last: Option<Sent>,
    /// The part with a time to live of an hour: its end, and when it was last read or written.
    hour: Option<(u64, i64)>,
    /// The tokens up to places where an entry of the chain ends.
    places: BTreeMap<u64, u64>,
}

/// How the place of a change and the common part are measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Tokens,
    /// As the page says it, for who does not see the tokens of a part.
    Bytes,
}

/// What is `unknown` since the page has no prediction.
const UNPREDICTED: &str = "unpredicted";

/// Where a request differs from the one before it.
struct Change {
    cause: &'static str,
    at: u64,
    common: u64,
}

fn share(whole: u64, part: u64, of: u64) -> u64 {
    let n = u128::from(whole) * u128::from(part) / u128::from(of.max(1));
    u64::try_from(n).unwrap_or(0)
}

fn change(a: &Request, b: &Request, by: By, places: &BTreeMap<u64, u64>) -> Option<Change> {
    let (mine, theirs) = (b.ends(), a.ends());
    let same = mine.iter().zip(&theirs).take_while(|(m, t)| m.key == t.key);
    let same = same.count();
    if same == theirs.len() {
        return None;
    }
    let prefix = a.model != b.model
        || a.settings != b.settings
        || a.key != b.key
        || a.tools != b.tools
        || a.system != b.system;
    let mut left: BTreeMap<u64, usize> = BTreeMap::new();
    for t in &theirs[same..] {
        *left.entry(t.id).or_default() += 1;
    }
    let (mut tokens, mut bytes) = (0, 0);
    for n in same..mine.len() {
        let before = n
            .checked_sub(1)
            .map_or((0, 0), |n| (mine[n].tokens, mine[n].bytes));
        if let Some(count) = left.get_mut(&mine[n].id).filter(|c| **c > 0) {
            *count -= 1;
            tokens += mine[n].tokens - before.0;
            bytes += mine[n].bytes - before.1;
        }
    }
    let end = |n: usize| n.checked_sub(1).map(|n| &mine[n]);
    let at = end(same).map_or((0, 0), |e| (e.tokens, e.bytes));
    let all = end(mine.len()).map_or((0, 0), |e| (e.tokens, e.bytes));
    let (at, common) = match by {
        By::Tokens => (at.0, at.0 + tokens),
        By::Bytes => {
            let known = end(same).and_then(|e| places.get(&e.key)).copied();
            let d = known.unwrap_or_else(|| share(all.0, at.1, all.1));
            (d, d + share(all.0 - d, bytes, all.1 - at.1))
        }
    };
    Some(Change {
        cause: if prefix { "changed" } else { "rewritten" },
        at,
        common,
    })
}

/// The tokens that two requests have in common, as a share of bytes.
pub(crate) fn in_common(a: &Request, b: &Sent) -> u64 {
    let change = change(a, &b.request, By::Bytes, &BTreeMap::new());
    change.map_or(b.bill.input(), |c| c.common)
}

impl Chain {
    pub(crate) fn last(&self) -> Option<&Sent> {
        self.last.as_ref()
    }

    /// How many seconds the longest part of its last request lives; none where nothing is ever over.
    pub(crate) fn lifetime(&self) -> Option<i64> {
        let request = &self.last.as_ref()?.request;
        if !request.marked() {
            return None;
        }
        let places = request.places();
        let shortest = places.iter().map(|(_, t)| t.seconds()).min();
        // Without a mark it is the shortest of its provider.
        let shortest = shortest.unwrap_or(300);
        Some(self.hour.map_or(shortest, |_| shortest.max(3600)))
    }

    /// Why the tokens of the next request of the chain were billed, or of the first one of another chain.
    pub(crate) fn causes(&self, b: &Sent, by: By, compared: Compared) -> Causes {
        let mut out = Causes::new();
        let read = b.bill.read();
        give(&mut out, b, "reused", 0, read);
        let input = b.bill.input();
        let Some(a) = &self.last else {
            give(&mut out, b, "cold", read, input);
            return out;
        };
        let mut change = change(&a.request, &b.request, by, &self.places);
        let whole = a.bill.input().min(input);
        // What a request has in common with a shorter one is no more than that has.
        let mut common = change.as_ref().map_or(whole, |c| c.common.min(whole));
        let is_unsized = a.request.is_unsized() || b.request.is_unsized();
        if let Some(c) = change.as_mut().filter(|_| is_unsized) {
            c.at = read;
            common = whole;
        }
        if let (Some(c), true) = (&mut change, compared.across) {
            c.cause = "diverged";
            if common.saturating_sub(c.at) < b.request.minimum() {
                // They only begin alike.
                common = c.at;
                change = None;
            }
        }
        let common = common.max(read);
        let concurrent = compared.could == Could::NotRead;
        let unsettled = compared.could == Could::Unsettled;
        let (kept, lives) = self.kept(a, b.time);
        // The end of what it is predicted to read.
        let ruled = if b.predicted { b.rule } else { 0 };
        let short = kept == 0 && a.bill.input() < a.request.minimum();
        let cause = |p: u64| match &change {
            _ if lives <= p && p < kept => "expired",
            _ if concurrent && p < kept => "concurrent",
            _ if short => "below-minimum",
            _ if p >= kept => "no-breakpoint",
            // Nothing is kept for it, whatever it changed.
            _ if b.request.marked() && b.request.places().is_empty() => "no-breakpoint",
            Some(c) if p >= c.at.max(ruled) => c.cause,
            _ if unsettled => "unknown",
            _ if p < ruled => "evicted",
            Some(c) => c.cause,
            None if !b.predicted => UNPREDICTED,
            // The rule does not find it: the next request has no breakpoint near enough.
            None => "no-breakpoint",
        };
        let at = change.as_ref().map_or(common, |c| c.at);
        let mut cuts = vec![read, common, kept, lives, at, b.rule];
        cuts.retain(|c| read <= *c && *c <= common);
        cuts.sort_unstable();
        for w in cuts.windows(2).filter(|w| w[0] < w[1]) {
            give(&mut out, b, cause(w[0]), w[0], w[1]);
        }
        give(&mut out, b, "new", common, input);
        out
    }

    /// Up to where `a` was kept, and up to where that lives.
    fn kept(&self, a: &Sent, now: i64) -> (u64, u64) {
        if !a.request.marked() {
            let input = a.bill.input();
            let kept = if input >= a.request.minimum() {
                input / BLOCK * BLOCK
            } else {
                0
            };
            return (kept, kept);
        }
        let kept = a.bill.kept();
        let places = a.request.places();
        let shortest = places.iter().map(|(_, t)| t.seconds()).min();
        if shortest.is_some_and(|t| now - a.time <= t) {
            return (kept, kept);
        }
        let hour = self.hour.filter(|(_, used)| now - used <= 3600);
        (kept, hour.map_or(0, |h| h.0).min(kept))
    }

    /// The request is the last one now.
    pub(crate) fn push(&mut self, b: Sent) {
        let ends = b.request.ends();
        let places = b.request.places();
        let valid = |n: usize| ends[n - 1].tokens >= b.request.minimum();
        let mut hours = places.iter().filter(|(n, t)| *t == Ttl::Hour && valid(*n));
        // All marks that are kept are written or read by the request itself.
        if let Some((n, _)) = hours.next_back() {
            self.hour = Some((ends[n - 1].tokens, b.time));
        } else if let Some(hour) = self.hour.as_mut().filter(|h| b.bill.read() >= h.0) {
            hour.1 = b.time;
        }
        if let Some((n, _)) = places.iter().rfind(|(n, _)| valid(*n)) {
            self.places.insert(ends[n - 1].key, ends[n - 1].tokens);
        }
        self.last = Some(b);
    }
}

/// The tokens of a request from one place to another, for a cause.
fn give(out: &mut Causes, b: &Sent, cause: &'static str, from: u64, to: u64) {
    if from >= to {
        return;
    }
    let price = price_of(&b.request);
    // What is unsettled is unknown, too: to send it later would be no change of the prefix.
    let (cause, lost) = match cause {
        UNPREDICTED => ("unknown", true),
        c => (
            c,
            ["changed", "rewritten", "diverged", "evicted"].contains(&c),
        ),
    };
    let row = out.entry(cause).or_default();
    row.requests = 1;
    let mut start = 0;
    for bucket in [1, 3, 2, 4, 0] {
        let end = start + b.told.0[bucket];
        let n = end.min(to).saturating_sub(start.max(from));
        start = end;
        row.tokens[bucket] += n;
        row.billed += i128::from(n) * price.token(bucket);
        if lost {
            row.avoidable += i128::from(n) * (price.token(bucket) - price.token(1));
        }
    }
}
