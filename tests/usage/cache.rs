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

/// When an answer began, before which nothing of its request can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Begun {
    At(i64),
    /// Nobody says it: the request started then.
    After(i64),
}

/// What settles that a request could read an entry, where nobody says when the answer began that stored it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reader {
    /// The start of the request before it in its chain, which has been answered.
    pub(crate) answered: Option<i64>,
    /// What it was billed as read.
    pub(crate) read: u64,
}

impl Reader {
    /// Whether it could read what a request stored that started then, by the clock or by what it answers.
    pub(crate) fn follows(&self, start: i64, now: i64) -> bool {
        now - start >= MINUTE || self.answered.is_some_and(|p| p >= start)
    }

    /// Whether its bill shows that it could read so many tokens.
    fn shows(&self, gives: u64) -> bool {
        0 < gives && gives <= self.read
    }
}

struct Entry {
    /// By the requests that stored it before it could be read.
    begun: Vec<Begun>,
    used: i64,
    ttl: Ttl,
}

/// How many positions before a mark Anthropic looks for an entry.
pub(crate) const LOOK_BACK: usize = 20;
/// OpenAI before 5.6 keeps blocks of so many tokens.
pub(crate) const BLOCK: u64 = 128;
/// After so many seconds an answer has begun.
const MINUTE: i64 = 60;

/// All that is kept.
#[derive(Default)]
pub(crate) struct Cache {
    entries: BTreeMap<u64, Entry>,
    /// Ends of parts of requests to a provider that keeps blocks. It forgets nothing in a day.
    seen: BTreeMap<u64, Vec<Begun>>,
    /// How many seconds later the answer to the next request begins: before nothing of it can be read.
    pub(crate) begins: i64,
    /// Nobody says when the answer to the next request begins. A provider knows it; who plays its rule does not.
    pub(crate) untold: bool,
    /// The next request as one that reads what nobody says the begin of.
    pub(crate) reader: Reader,
    /// A read of an entry is none of the shorter ones inside it: the page leaves open whether their time starts again.
    pub(crate) alone: bool,
    /// The key of the end up to which the last request was to read.
    pub(crate) hit: Option<u64>,
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

    /// The begin of the answer to a request that is sent now.
    fn begun(&self, now: i64) -> Begun {
        if self.untold {
            Begun::After(now)
        } else {
            Begun::At(now + self.begins)
        }
    }

    /// Whether one of the requests that stored an entry had begun to be answered.
    fn readable(&self, begun: &[Begun], now: i64) -> bool {
        begun.iter().any(|b| match b {
            Begun::At(at) => *at <= now,
            Begun::After(start) => self.reader.follows(*start, now),
        })
    }

    fn lives(&self, key: u64, now: i64) -> bool {
        let entry = self.entries.get(&key);
        let alive = entry.filter(|e| now - e.used <= e.ttl.seconds());
        alive.is_some_and(|e| self.readable(&e.begun, now))
    }

    /// What a bill shows could be read, by this request and by each after it.
    fn settle(&mut self, v: &View, now: i64) {
        for end in &v.ends {
            let gives = match v.rule {
                Rule::Marks(_) => end.tokens,
                Rule::Blocks(size) => end.tokens / size * size,
            };
            if !self.reader.shows(gives) {
                continue;
            }
            let marked = self.entries.get_mut(&end.key).map(|e| &mut e.begun);
            let blocks = self.seen.get_mut(&end.key);
            for begun in marked.into_iter().chain(blocks).flatten() {
                if let Begun::After(_) = begun {
                    *begun = Begun::At(now);
                }
            }
        }
    }

    /// Whether what a request stored could be read, where nobody says when its answer began: an entry of it, or a beginning that both have. Of
    /// one that stored nothing it is certain that nothing could.
    pub(crate) fn settled(&self, a: &Request, b: &Request, now: i64) -> bool {
        let (ends, mine) = (a.ends(), b.ends());
        if a.marked() {
            let places = a.places();
            let valid = |n: usize| ends[n - 1].tokens >= a.minimum();
            let last = places.iter().rfind(|(n, _)| valid(*n));
            return last.is_none_or(|(n, _)| self.lives(ends[n - 1].key, now));
        }
        let same = ends.iter().zip(&mine).take_while(|(x, y)| x.key == y.key);
        let begun = same.last().and_then(|(end, _)| self.seen.get(&end.key));
        begun.is_some_and(|b| self.readable(b, now))
    }

    fn marked(&mut self, v: &View, back: usize, now: i64, fault: Fault) -> Bill {
        self.settle(v, now);
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
        self.hit = hit.map(|n| ends[n - 1].key);
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
            let old = self.entries.get(&end.key);
            let old = old.filter(|e| now - e.used <= e.ttl.seconds());
            let mut begun = old.map_or(Vec::new(), |e| e.begun.clone());
            // Who reads it with a mark for less time writes nothing: the time of who wrote it counts on.
            let ttl = old.map_or(*ttl, |e| e.ttl.longer(*ttl));
            if !self.readable(&begun, now) {
                begun.push(self.begun(now));
            }
            let entry = Entry {
                begun,
                used: now,
                ttl,
            };
            self.entries.insert(end.key, entry);
        }
        // A read refreshes all that is read.
        let hit = hit.unwrap_or(0);
        let first = if self.alone { hit.saturating_sub(1) } else { 0 };
        for end in &ends[first..hit] {
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
        self.settle(v, now);
        let ends = &v.ends;
        let is_begun = |b: &Vec<Begun>| self.readable(b, now);
        let readable = |e: &&End| self.seen.get(&e.key).is_some_and(is_begun);
        let same = ends.iter().rev().find(readable);
        let hit = same.map(|e| e.key);
        let same = same.map_or(0, |e| e.tokens);
        let lost = match fault {
            Fault::None => same,
            // The last blocks go first.
            Fault::Evicted => same / 2,
            Fault::Elsewhere => 0,
        };
        let blocks = lost / size * size;
        let read = if blocks >= v.minimum { blocks } else { 0 };
        let new = self.begun(now);
        let stored = ends.iter().filter(|e| !readable(e));
        let stored: Vec<u64> = stored.map(|e| e.key).collect();
        for key in stored {
            self.seen.entry(key).or_default().push(new);
        }
        self.hit = hit;
        let mut bill = Bill::default();
        bill.0[1] = read;
        bill.0[0] = ends.last().map_or(0, |e| e.tokens) - read;
        bill
    }
}
