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
    slots: BTreeMap<u64, Slot>,
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

/// The strands that begin with a text.
#[derive(Debug, Clone, Copy)]
struct Slot {
    newest: u64,
    /// The newest one with a request that could be read when the newest of all came.
    readable: Option<u64>,
}

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
    /// The requests that begin with a text: the newest one, and the newest one that could be read when that came.
    pub(super) fn at(&self, hash: u64) -> impl Iterator<Item = &T> {
        let slot = self.slots.get(&hash);
        let strands = slot.into_iter().flat_map(|slot| {
            let readable = slot.readable.filter(|other| *other != slot.newest);
            [Some(slot.newest), readable].into_iter().flatten()
        });
        let strands = strands.filter_map(|strand| self.strands.get(&strand));
        strands.flat_map(|strand| [&strand.newest].into_iter().chain(&strand.readable))
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
                let from = match self.last == Some(own) {
                    true => strand.hashes.len(),
                    false => 0,
                };
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
        let hashes = self.strands.get(&own).map(|strand| &strand.hashes[from..]);
        for hash in hashes.unwrap_or_default().to_vec() {
            let known = self.slots.get(&hash).copied();
            let readable = known.and_then(|slot| {
                let strand = self.strands.get(&slot.newest).filter(|_| slot.newest != own);
                let mut requests = strand.into_iter().flat_map(|strand| {
                    let newest = [&strand.newest].into_iter();
                    newest.chain(&strand.readable)
                });
                match requests.any(&is_readable) {
                    true => Some(slot.newest),
                    false => slot.readable,
                }
            });
            let newest = own;
            self.slots.insert(hash, Slot { newest, readable });
            let before = known.into_iter();
            let before = before.flat_map(|slot| [Some(slot.newest), slot.readable]);
            let (old, new) = (before.flatten(), [Some(newest), readable]);
            new.into_iter().flatten().for_each(|used| self.count(used, true));
            old.for_each(|used| self.count(used, false));
        }
    }

    /// Counts that a slot names a strand, or no more: one that none names is forgotten.
    fn count(&mut self, strand: u64, is_more: bool) {
        let Some(found) = self.strands.get_mut(&strand) else {
            return;
        };
        match is_more {
            true => found.uses += 1,
            false => found.uses -= 1,
        }
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
        let Some(slot) = self.slots.get_mut(&hash) else {
            return;
        };
        slot.readable = slot.readable.filter(|other| *other != strand);
        if slot.newest == strand {
            match slot.readable.take() {
                // It was counted as that once, and is named once more.
                Some(other) => slot.newest = other,
                None => _ = self.slots.remove(&hash),
            }
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
