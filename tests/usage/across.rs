//! The earlier request of another chain that one which begins a chain is compared with, by the rules of docs/usage.md.

use std::collections::BTreeSet;

use crate::parts::{Api, Request};
use crate::traffic::Event;
use crate::truth::{Chain, Sent, in_common};

/// A request that was billed, as one that a later one may share a cache with.
pub(crate) struct Candidate {
    account: u64,
    timeless: bool,
    /// Its chain, which ends with it.
    pub(crate) chain: Chain,
}

/// How a candidate stands when another request starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Standing {
    Alive,
    Concurrent,
    Expired,
}

impl Candidate {
    pub(crate) fn new(e: &Event, chain: Chain) -> Self {
        Self {
            account: e.more.account,
            timeless: e.more.timeless,
            chain,
        }
    }

    fn standing(&self, event: &Event) -> Option<Standing> {
        let last = self.chain.last()?;
        let gap = if self.timeless || event.more.timeless {
            0
        } else {
            event.time - last.time
        };
        // What has no time to live is found for an hour, all else for two times to live.
        let lives = self.chain.lifetime();
        match lives {
            _ if gap > lives.map_or(3600, |s| 2 * s) => None,
            Some(s) if gap > s => Some(Standing::Expired),
            _ if last.begun.is_some_and(|b| b > event.time) => Some(Standing::Concurrent),
            // Where nobody says it, its answer may have begun.
            _ => Some(Standing::Alive),
        }
    }
}

/// The request that one is compared with, of those before it.
pub(crate) fn find<'c>(all: &'c [Candidate], event: &Event, b: &Sent) -> Option<&'c Candidate> {
    let mut found = Vec::new();
    for (n, candidate) in all.iter().enumerate() {
        let a = candidate.chain.last()?;
        let (x, y) = (&a.request, &b.request);
        let alike = (x.api, x.model, x.key) == (y.api, y.model, y.key);
        if !alike || candidate.account != event.more.account {
            continue;
        }
        if let Some(standing) = candidate.standing(event) {
            found.push((n, candidate, standing));
        }
    }
    let least = b.request.minimum();
    let begin = |c: &Candidate| begins(&c.chain, b);
    let longest = |which: Standing| {
        let mine = found.iter().filter(|(_, _, s)| *s == which);
        let mine = mine.filter(|(_, c, _)| begin(c) >= least);
        mine.max_by_key(|(n, c, _)| (begin(c), *n)).map(|f| f.1)
    };
    let [alive, concurrent, expired] =
        [Standing::Alive, Standing::Concurrent, Standing::Expired].map(longest);
    alive.or(concurrent).or(expired).or_else(|| {
        let live = found.iter().filter(|(_, _, s)| *s == Standing::Alive);
        let same = live.filter_map(|(n, c, _)| {
            let a = &c.chain.last()?.request;
            let (old, new) = (lines(a), lines(&b.request));
            let equal = old.intersection(&new).count();
            let shorter = old.len().min(new.len());
            let fits = names(a) == names(&b.request) && 2 * equal >= shorter;
            // No provider keeps less.
            let fits = fits && in_common(a, b) >= least;
            fits.then_some((equal, *n, *c))
        });
        same.max_by_key(|(equal, n, _)| (*equal, *n)).map(|f| f.2)
    })
}

/// The tokens of the beginning that both have, as a share of bytes.
fn begins(a: &Chain, b: &Sent) -> u64 {
    let Some(last) = a.last() else { return 0 };
    let (mine, theirs) = (b.request.ends(), last.request.ends());
    let same = mine.iter().zip(&theirs).take_while(|(m, t)| m.key == t.key);
    let bytes = same.last().map_or(0, |(m, _)| m.bytes);
    let all = mine.last().map_or(1, |e| e.bytes.max(1));
    b.bill.input() * bytes / all
}

fn names(r: &Request) -> BTreeSet<u64> {
    r.tools.iter().map(|p| p.id).collect()
}

/// The lines of a system prompt: the first and the last one of a block are its own.
fn lines(r: &Request) -> BTreeSet<String> {
    let texts: Vec<&str> = r.system.iter().map(|p| p.text.as_str()).collect();
    let joined = texts.join("\n");
    let blocks = match r.api {
        Api::Responses => vec![joined.as_str()],
        _ => texts,
    };
    let mut out = BTreeSet::new();
    for block in blocks {
        let all: Vec<&str> = block.split('\n').collect();
        for (n, line) in all.iter().enumerate() {
            let (first, last) = (n == 0, n + 1 == all.len());
            out.insert(format!("{first} {last} {line}"));
        }
    }
    out
}
