//! The newest requests that begin with a text: what is found again in no more time, however many requests there were.
//!
//! It is a tree of beginnings, by their hashes. Requests that begin alike share a node as far as they do, so that one more costs what it has of its
//! own.

use super::places::Place;
use std::collections::BTreeMap;

/// The most hashes that are held. Where there are more, the requests that came first are forgotten.
const MOST_ENTRIES: usize = 65_536;

/// The most bytes of the requests that are held, about: each holds its texts.
const MOST_BYTES: usize = 32 << 20;

/// The most requests that begin with one text, while none of them can be read.
const MOST_AT_ONCE: usize = 16;

/// The newest requests, as far as something is known of them.
#[derive(Debug)]
pub(super) struct Index<T> {
    requests: Requests<T>,
    nodes: BTreeMap<u64, Node>,
    /// The node whose first hash this is: it stands for all before it, too.
    starts: BTreeMap<u64, u64>,
    /// The requests by what makes them alike.
    alike: BTreeMap<u64, Newest>,
    /// The number of the next request or node.
    next: u64,
    /// The hashes of all nodes.
    hashes: usize,
    /// The number of requests that were forgotten before their time.
    pub(super) forgotten: u64,
}

/// The numbers of requests, the newest first: up to one that could be read when the newest came, since none after it is asked for.
type Newest = Vec<u64>;

/// The beginnings that the same requests have.
#[derive(Debug)]
struct Node {
    parent: Option<u64>,
    children: usize,
    hashes: Vec<u64>,
    newest: Newest,
}

/// The requests that are held, by their numbers.
#[derive(Debug)]
struct Requests<T> {
    held: BTreeMap<u64, Held<T>>,
    bytes: usize,
}

#[derive(Debug)]
struct Held<T> {
    known: T,
    chain: u64,
    /// The last node of its beginnings.
    leaf: Option<u64>,
    alike: Vec<u64>,
    /// The lists that name it.
    uses: usize,
    bytes: usize,
}

/// A request to be held.
pub(super) struct Entry<T> {
    /// The hash of its chain.
    pub chain: u64,
    /// The hashes of what it begins with, in order.
    pub places: Vec<Place>,
    /// The hashes by which one that is alike finds it.
    pub alike: Vec<u64>,
    /// Its bytes, about.
    pub bytes: usize,
    /// What is known of it.
    pub known: T,
}

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self {
            requests: Requests {
                held: BTreeMap::new(),
                bytes: 0,
            },
            nodes: BTreeMap::new(),
            starts: BTreeMap::new(),
            alike: BTreeMap::new(),
            next: 0,
            hashes: 0,
            forgotten: 0,
        }
    }
}

impl<T> Index<T> {
    /// The requests that begin with some of these, those that begin with more first, and up to where they do.
    pub(super) fn begin_with(&self, places: &[Place]) -> impl Iterator<Item = (Place, &T)> {
        let path = self.path(places).into_iter().rev();
        path.flat_map(move |(node, count)| {
            let newest = self.nodes.get(&node).map(|node| &node.newest);
            let found = newest.into_iter().flatten();
            found.filter_map(move |own| Some((places[count - 1], self.requests.get(*own)?)))
        })
    }

    /// The requests that are alike.
    pub(super) fn alike(&self, hash: u64) -> impl Iterator<Item = &T> {
        let found = self.alike.get(&hash).into_iter().flatten();
        found.filter_map(|own| self.requests.get(*own))
    }

    /// Holds a request. `is_readable` says whether another one can be read when this one comes, and `is_over` whether it can never be any more.
    pub(super) fn add(
        &mut self,
        entry: Entry<T>,
        is_readable: impl Fn(&T) -> bool,
        is_over: impl Fn(&T) -> bool,
    ) {
        let own = self.number();
        let leaf = self.leaf(&entry);
        let alike = entry.alike.clone();
        self.requests.insert(own, leaf, entry);
        let (mut at, mut uses) = (leaf, alike.len());
        while let Some(node) = at.and_then(|at| self.nodes.get_mut(&at)) {
            self.requests.name(own, &mut node.newest, &is_readable);
            (at, uses) = (node.parent, uses + 1);
        }
        for hash in alike {
            let newest = self.alike.entry(hash).or_default();
            self.requests.name(own, newest, &is_readable);
        }
        self.requests.count(own, uses.cast_signed());
        self.drop_first(own, is_over);
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The nodes of what is held of these, and how many of them there are up to the end of each: the last one may go on otherwise.
    fn path(&self, places: &[Place]) -> Vec<(u64, usize)> {
        let (mut path, mut count) = (Vec::new(), 0);
        while let Some(at) = places
            .get(count)
            .and_then(|next| self.starts.get(&next.hash))
        {
            let Some(node) = self.nodes.get(at) else {
                break;
            };
            let own = node.hashes.iter().zip(&places[count..]);
            let own = own.take_while(|(held, own)| **held == own.hash).count();
            count += own;
            path.push((*at, count));
            if own < node.hashes.len() {
                break;
            }
        }
        path
    }

    /// The node where the beginnings of a request end, made if there is none.
    fn leaf(&mut self, entry: &Entry<T>) -> Option<u64> {
        let path = self.path(&entry.places);
        let known = path.last().map_or(0, |(_, count)| *count);
        let before = path.len().checked_sub(2).map_or(0, |at| path[at].1);
        let parent = path
            .last()
            .map(|(at, count)| self.split(*at, count - before));
        let rest = entry.places[known..].iter().map(|place| place.hash);
        let rest: Vec<u64> = rest.collect();
        if rest.is_empty() || parent.is_some_and(|at| self.extend(at, entry.chain, &rest)) {
            return parent;
        }
        let leaf = self.number();
        self.hashes += rest.len();
        self.insert(leaf, parent, rest, Newest::new());
        if let Some(parent) = parent.and_then(|at| self.nodes.get_mut(&at)) {
            parent.children += 1;
        }
        Some(leaf)
    }

    fn insert(&mut self, at: u64, parent: Option<u64>, hashes: Vec<u64>, newest: Newest) {
        self.starts.insert(hashes[0], at);
        let node = Node {
            parent,
            children: 0,
            hashes,
            newest,
        };
        self.nodes.insert(at, node);
    }

    /// The node that ends with the first `count` hashes of another one, which goes on from it then.
    fn split(&mut self, at: u64, count: usize) -> u64 {
        let upper = self.number();
        let Some(node) = self.nodes.get_mut(&at) else {
            return at;
        };
        if node.hashes.len() == count {
            return at;
        }
        let rest = node.hashes.split_off(count);
        let first = std::mem::replace(&mut node.hashes, rest);
        let parent = node.parent.replace(upper);
        self.starts.insert(node.hashes[0], at);
        let newest = node.newest.clone();
        for own in &newest {
            self.requests.count(*own, 1);
        }
        self.insert(upper, parent, first, newest);
        self.nodes
            .entry(upper)
            .and_modify(|upper| upper.children = 1);
        upper
    }

    /// Has a node that only one chain has go on, if it can: its requests are no more than the next one of the chain has.
    fn extend(&mut self, at: u64, chain: u64, rest: &[u64]) -> bool {
        let Some(node) = self.nodes.get_mut(&at).filter(|node| node.children == 0) else {
            return false;
        };
        let held = &self.requests.held;
        let mut chains = node.newest.iter().filter_map(|own| held.get(own));
        if !chains.all(|held| held.chain == chain) {
            return false;
        }
        node.hashes.extend(rest);
        self.hashes += rest.len();
        for own in &node.newest {
            self.requests.release_bytes(*own);
        }
        true
    }

    /// Drops the requests that came first: those that are over, and others as long as there are too many.
    fn drop_first(&mut self, newest: u64, is_over: impl Fn(&T) -> bool) {
        while let Some((first, held)) = self.requests.held.first_key_value() {
            let (first, is_over) = (*first, is_over(&held.known));
            let is_full =
                self.hashes + self.alike.len() > MOST_ENTRIES || self.requests.bytes > MOST_BYTES;
            if !(is_over || is_full) || first == newest {
                return;
            }
            self.forgotten += u64::from(!is_over);
            self.forget(first);
        }
    }

    /// Forgets the oldest request: what only it begins with no newer one can go on from.
    fn forget(&mut self, own: u64) {
        let Some(held) = self.requests.remove(own) else {
            return;
        };
        let mut next = held.leaf;
        while let Some((at, node)) = next.and_then(|at| Some((at, self.nodes.get_mut(&at)?))) {
            next = node.parent;
            node.newest.retain(|other| *other != own);
            if node.newest.is_empty() {
                self.hashes -= node.hashes.len();
                self.starts.remove(&node.hashes[0]);
                self.nodes.remove(&at);
                if let Some(parent) = next.and_then(|at| self.nodes.get_mut(&at)) {
                    parent.children -= 1;
                }
            }
        }
        for hash in held.alike {
            let Some(newest) = self.alike.get_mut(&hash) else {
                continue;
            };
            newest.retain(|other| *other != own);
            if newest.is_empty() {
                self.alike.remove(&hash);
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

impl<T> Requests<T> {
    fn get(&self, own: u64) -> Option<&T> {
        Some(&self.held.get(&own)?.known)
    }

    fn insert(&mut self, own: u64, leaf: Option<u64>, entry: Entry<T>) {
        self.bytes += entry.bytes;
        let held = Held {
            known: entry.known,
            chain: entry.chain,
            leaf,
            alike: entry.alike,
            uses: 0,
            bytes: entry.bytes,
        };
        self.held.insert(own, held);
    }

    /// Puts a request first in a list, and drops what is behind one that can be read.
    fn name(&mut self, own: u64, newest: &mut Newest, is_readable: impl Fn(&T) -> bool) {
        let readable = newest
            .iter()
            .position(|other| self.get(*other).is_some_and(&is_readable));
        let behind = readable.map_or(newest.len(), |at| at + 1);
        for other in newest.drain(behind..) {
            self.count(other, -1);
        }
        if newest.len() == MOST_AT_ONCE {
            // The last one will be the first that can be read.
            let other = newest.remove(0);
            self.count(other, -1);
        }
        newest.insert(0, own);
    }

    /// Counts lists that name a request, or do so no more: one that none names is let go.
    fn count(&mut self, own: u64, more: isize) {
        let Some(held) = self.held.get_mut(&own) else {
            return;
        };
        held.uses = held.uses.saturating_add_signed(more);
        if held.uses == 0 {
            self.remove(own);
        }
    }

    /// Counts no bytes of a request any more: another one has its texts.
    fn release_bytes(&mut self, own: u64) {
        if let Some(held) = self.held.get_mut(&own) {
            self.bytes -= std::mem::take(&mut held.bytes);
        }
    }

    fn remove(&mut self, own: u64) -> Option<Held<T>> {
        let held = self.held.remove(&own)?;
        self.bytes -= held.bytes;
        Some(held)
    }
}
