//! The newest requests that begin with a text, by the hash of that text: what is found again in no more time, however many requests there were.

use std::collections::BTreeMap;

/// The most hashes that are held. Where there are more, the requests that came first are forgotten.
pub(super) const MOST_ENTRIES: usize = 65_536;

/// The most bytes of the requests that are held, about: each holds its texts.
const MOST_BYTES: usize = 32 << 20;

/// The newest requests, as far as something is known of them.
#[derive(Debug)]
pub(super) struct Index<T> {
    /// Those of one chain, each of which begins with the one before it, are one strand; by the order in which strands began.
    strands: BTreeMap<u64, Strand<T>>,
    /// The strand of a chain.
    chains: BTreeMap<String, u64>,
    /// The strands that begin with a text, the newest first: up to one that could be read when the newest came.
    slots: BTreeMap<u64, Vec<u64>>,
    next: u64,
    /// The strand of the newest request: all its slots have it.
    last: Option<u64>,
    bytes: usize,
    /// The number of requests that were forgotten before their time.
    pub(super) forgotten: u64,
}

#[derive(Debug)]
struct Strand<T> {
    chain: String,
    newest: T,
    /// The newest one that could be read when the newest of all came.
    readable: Option<T>,
    hashes: Vec<u64>,
    /// The slots that have it.
    uses: usize,
    bytes: usize,
}

impl<T> Strand<T> {
    /// Its requests, the newest first.
    fn requests(&self) -> impl Iterator<Item = &T> {
        [&self.newest].into_iter().chain(&self.readable)
    }
}

/// The most strands that begin with one text, while none of them can be read.
const MOST_AT_ONCE: usize = 16;

/// A request to be held.
pub(super) struct Entry<T> {
    /// Its chain.
    pub chain: String,
    /// The hashes by which it is found, in order.
    pub hashes: Vec<u64>,
    /// Its bytes, about.
    pub bytes: usize,
    /// What is known of it.
    pub known: T,
}

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self {
            strands: BTreeMap::new(),
            chains: BTreeMap::new(),
            slots: BTreeMap::new(),
            next: 0,
            last: None,
            bytes: 0,
            forgotten: 0,
        }
    }
}

impl<T: Clone> Index<T> {
    /// The requests that begin with a text: the newest ones, up to one that could be read when the newest came.
    pub(super) fn at(&self, hash: u64) -> impl Iterator<Item = &T> {
        let strands = self.slots.get(&hash).into_iter().flatten();
        let strands = strands.filter_map(|strand| self.strands.get(strand));
        strands.flat_map(Strand::requests)
    }

    /// Holds a request. `is_readable` says whether another one can be read when this one comes, and `is_over` whether it can never be any more.
    pub(super) fn add(
        &mut self,
        entry: Entry<T>,
        is_readable: impl Fn(&T) -> bool,
        is_over: impl Fn(&T) -> bool,
    ) {
        let own = self.chains.get(&entry.chain).copied();
        let known = own.and_then(|own| Some((own, self.strands.get_mut(&own)?)));
        let goes_on = |strand: &Strand<T>| entry.hashes.starts_with(&strand.hashes);
        let (own, from) = match known.filter(|(_, strand)| goes_on(strand)) {
            Some((own, strand)) => {
                let before = std::mem::replace(&mut strand.newest, entry.known);
                if is_readable(&before) {
                    strand.readable = Some(before);
                }
                // All slots of the newest strand have it already.
                let known = strand.hashes.len();
                let from = if self.last == Some(own) { known } else { 0 };
                self.bytes += entry.bytes - strand.bytes.min(entry.bytes);
                strand.bytes = strand.bytes.max(entry.bytes);
                strand.hashes = entry.hashes;
                (own, from)
            }
            None => (self.begin(entry), 0),
        };
        self.last = Some(own);
        self.point(own, from, is_readable);
        self.drop_first(is_over);
    }

    /// Begins a strand.
    fn begin(&mut self, entry: Entry<T>) -> u64 {
        let own = self.next;
        self.next += 1;
        self.bytes += entry.bytes;
        self.chains.insert(entry.chain.clone(), own);
        let strand = Strand {
            chain: entry.chain,
            newest: entry.known,
            readable: None,
            hashes: entry.hashes,
            uses: 0,
            bytes: entry.bytes,
        };
        self.strands.insert(own, strand);
        own
    }

    /// Has the slots of a strand, but for so many of the first, name it.
    fn point(&mut self, own: u64, from: usize, is_readable: impl Fn(&T) -> bool) {
        let Some(strand) = self.strands.get(&own) else {
            return;
        };
        let (mut more, mut released) = (0, Vec::new());
        for hash in &strand.hashes[from..] {
            let named = self.slots.entry(*hash).or_default();
            match named.iter().position(|other| *other == own) {
                Some(at) => _ = named.remove(at),
                None => more += 1,
            }
            // Behind one that can be read none is asked for.
            let readable = named.iter().position(|other| {
                let strand = self.strands.get(other);
                strand.is_some_and(|strand| strand.requests().any(&is_readable))
            });
            released.extend(named.drain(readable.map_or(named.len(), |at| at + 1)..));
            if named.len() == MOST_AT_ONCE {
                // The last one will be the first that can be read.
                released.push(named.remove(0));
            }
            named.insert(0, own);
        }
        self.count(own, more);
        for strand in released {
            self.count(strand, -1);
        }
    }

    /// Counts slots that name a strand, or do so no more: one that none names is forgotten.
    fn count(&mut self, strand: u64, more: isize) {
        let Some(found) = self.strands.get_mut(&strand) else {
            return;
        };
        found.uses = found.uses.saturating_add_signed(more);
        if found.uses == 0 {
            self.forget(strand);
        }
    }

    fn forget(&mut self, strand: u64) -> Option<Strand<T>> {
        let found = self.strands.remove(&strand)?;
        self.bytes -= found.bytes;
        if self.chains.get(&found.chain) == Some(&strand) {
            self.chains.remove(&found.chain);
        }
        Some(found)
    }

    /// Drops the strands that began first: those that are over, and others as long as there are too many.
    fn drop_first(&mut self, is_over: impl Fn(&T) -> bool) {
        while let Some((first, strand)) = self.strands.first_key_value() {
            let (first, is_over) = (*first, is_over(&strand.newest));
            let is_full = self.slots.len() > MOST_ENTRIES || self.bytes > MOST_BYTES;
            if !(is_over || is_full) || self.last == Some(first) {
                return;
            }
            self.forgotten += u64::from(!is_over);
            let Some(strand) = self.forget(first) else {
                return;
            };
            for hash in strand.hashes {
                self.unname(hash, first);
            }
        }
    }

    /// Takes a forgotten strand out of a slot.
    fn unname(&mut self, hash: u64, strand: u64) {
        let Some(named) = self.slots.get_mut(&hash) else {
            return;
        };
        named.retain(|other| *other != strand);
        if named.is_empty() {
            self.slots.remove(&hash);
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        *self = Self {
            forgotten: self.forgotten,
            ..Self::default()
        };
    }
}
