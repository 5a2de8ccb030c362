//! The caches of two providers: one that keeps what is marked, and one that keeps blocks of tokens.

use std::collections::BTreeMap;

use crate::parts::{End, Request, Ttl};

/// The bill of a request, in tokens by the index of the bucket in `BUCKETS`, without the answer.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Bill(pub(crate) [u64; 5]);

impl Bill {
    pub(crate) fn input(&self) -> u64 {
        self.0.iter().sum()
    }

    pub(crate) fn read(&self) -> u64 {
        self.0[1]
    }

    pub(crate) fn kept(&self) -> u64 {
        self.0[1..].iter().sum()
    }
}

/// The failures at a provider when a request arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    None,
    /// The longest entry was thrown away.
    Evicted,
    /// The request came to a machine that has nothing.
    Elsewhere,
}

/// A request as a provider sees it.
pub(crate) struct View {
    pub(crate) rule: Rule,
    /// The shortest prefix that is kept.
    pub(crate) minimum: u64,
    /// The ends that it distinguishes: of parts, or of single tokens.
    pub(crate) ends: Vec<End>,
    /// The marks by how many ends are before them, the first one first.
    pub(crate) places: Vec<(usize, Ttl)>,
}

/// The cache of a provider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// The marks, and the entries found at most so many positions before a mark.
    Marks(usize),
    /// Whole blocks of so many tokens.
    Blocks(u64),
}

struct Entry {
    from: i64,
    used: i64,
    ttl: Ttl,
}

/// How many positions before a mark Anthropic looks for an entry.
pub(crate) const LOOK_BACK: usize = 20;
/// OpenAI before 5.6 keeps blocks of so many tokens.
pub(crate) const BLOCK: u64 = 128;

/// All that is kept.
#[derive(Default)]
pub(crate) struct Cache {
    entries: BTreeMap<u64, Entry>,
    /// Ends of parts of requests to a provider that keeps blocks. It forgets nothing in a day.
    seen: BTreeMap<u64, i64>,
    /// How many seconds later the answer to the next request begins: before nothing of it can be read.
    pub(crate) begins: i64,
}

impl Cache {
    /// Takes a request, and says what it costs. `now` is in seconds.
    pub(crate) fn take(&mut self, r: &Request, now: i64, fault: Fault) -> Bill {
        self.bill(&r.view(), now, fault)
    }

    pub(crate) fn bill(&mut self, v: &View, now: i64, fault: Fault) -> Bill {
        match v.rule {
            Rule::Marks(back) => self.marked(v, back, now, fault),
            Rule::Blocks(size) => self.blocks(v, size, now, fault),
        }
    }

    fn lives(&self, key: u64, now: i64) -> bool {
        let entry = self.entries.get(&key);
        entry.is_some_and(|e| e.from <= now && now - e.used <= e.ttl.seconds())
    }

    fn marked(&mut self, v: &View, back: usize, now: i64, fault: Fault) -> Bill {
        let (ends, places) = (&v.ends, &v.places);
        let found = |cache: &Self| {
            (1..=ends.len()).rev().find(|n| {
                let near = |(m, _): &(usize, Ttl)| {
                    m >= n && ends[m - 1].position - ends[n - 1].position <= back
                };
                cache.lives(ends[n - 1].key, now) && places.iter().any(near)
            })
        };
        let mut hit = found(self);
        match (fault, hit) {
            (Fault::Evicted, Some(n)) => {
                self.entries.remove(&ends[n - 1].key);
                hit = found(self);
            }
            (Fault::Elsewhere, _) => hit = None,
            _ => {}
        }
        let read = hit.map_or(0, |n| ends[n - 1].tokens);
        let mut bill = Bill::default();
        bill.0[1] = read;
        let mut at = read;
        for (n, ttl) in places {
            let end = &ends[n - 1];
            if end.tokens < v.minimum {
                continue;
            }
            bill.0[ttl.bucket()] += end.tokens.saturating_sub(at);
            at = at.max(end.tokens);
            // What is there already can be read meanwhile.
            let from = match self.entries.get(&end.key) {
                Some(e) if now - e.used <= e.ttl.seconds() => e.from,
                _ => now + self.begins,
            };
            let entry = Entry {
                from,
                used: now,
                ttl: *ttl,
            };
            self.entries.insert(end.key, entry);
        }
        // A read refreshes all that is read.
        for end in &ends[..hit.unwrap_or(0)] {
            if self.lives(end.key, now)
                && let Some(e) = self.entries.get_mut(&end.key)
            {
                e.used = now;
            }
        }
        bill.0[0] = ends.last().map_or(0, |e| e.tokens) - at;
        bill
    }

    fn blocks(&mut self, v: &View, size: u64, now: i64, fault: Fault) -> Bill {
        let ends = &v.ends;
        let readable = |e: &&End| self.seen.get(&e.key).is_some_and(|from| *from <= now);
        let same = ends.iter().rev().find(readable);
        let same = same.map_or(0, |e| e.tokens);
        let lost = match fault {
            Fault::None => same,
            // The last blocks go first.
            Fault::Evicted => same / 2,
            Fault::Elsewhere => 0,
        };
        let blocks = lost / size * size;
        let read = if blocks >= v.minimum { blocks } else { 0 };
        for e in ends {
            self.seen.entry(e.key).or_insert(now + self.begins);
        }
        let mut bill = Bill::default();
        bill.0[1] = read;
        bill.0[0] = ends.last().map_or(0, |e| e.tokens) - read;
        bill
    }
}
