//! Byte pair encoding of one pre-token: of all neighbours that make a token together, those with the lowest rank are
//! joined first, of equals the leftmost.

use super::table::Table;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The mark of neighbours that form no token; above every rank.
const NONE: u32 = u32::MAX;

/// Up to this many bytes, looking through all neighbours is faster than a heap.
const SHORT: usize = 64;

/// A token of a piece: its id and its length in bytes.
pub(super) type Part = (u32, usize);

/// The buffers of merging, reused from piece to piece.
#[derive(Debug, Clone, Default)]
pub(super) struct Merger {
    /// Where each part starts, and at last where the piece ends.
    starts: Vec<usize>,
    /// The rank of each part together with the next one.
    ranks: Vec<u32>,
}

impl Merger {
    /// The tokens of `piece`, in order.
    pub(super) fn parts(&mut self, table: &Table, piece: &[u8], mut out: impl FnMut(Part)) {
        // A token is found by its bytes even where merging would not arrive at it.
        if let Some(id) = table.id(piece) {
            return out((id, piece.len()));
        }
        if piece.len() <= SHORT {
            self.merge_short(table, piece);
        } else {
            self.merge_long(table, piece);
        }
        for ends in self.starts.windows(2) {
            let token = &piece[ends[0]..ends[1]];
            // Every byte is a token, and joined parts are one, so this finds all.
            out((table.id(token).unwrap_or(NONE), token.len()));
        }
    }

    fn merge_short(&mut self, table: &Table, piece: &[u8]) {
        self.starts.clear();
        self.starts.extend(0..=piece.len());
        self.ranks.clear();
        self.ranks.extend(piece.windows(2).map(|p| rank(table, p)));
        // `ranks[i]` belongs to the parts that start at `starts[i]` and `starts[i + 1]`.
        while let Some(at) = least(&self.ranks) {
            self.starts.remove(at + 1);
            self.ranks.remove(at);
            let rank_at = |at: usize| rank(table, &piece[self.starts[at]..self.starts[at + 2]]);
            if at < self.ranks.len() {
                self.ranks[at] = rank_at(at);
            }
            if at > 0 {
                self.ranks[at - 1] = rank_at(at - 1);
            }
        }
    }

    /// Merges with a heap, in n log n steps and with at most 36 bytes of memory for each byte.
    fn merge_long(&mut self, table: &Table, piece: &[u8]) {
        let mut list = List::new(table, piece);
        let mut heap: BinaryHeap<_> = (0..piece.len()).filter_map(|at| list.pair(at)).collect();
        while let Some(Reverse(pair)) = heap.pop() {
            let at = pair.at();
            // Pairs that were merged meanwhile are still in the heap with their old rank.
            if list.ranks[at] == pair.rank() {
                let before = list.join(table, piece, at);
                heap.extend(list.pair(at));
                heap.extend(before.and_then(|at| list.pair(at)));
            }
        }
        self.starts.clear();
        self.starts.extend(list.starts());
    }
}

/// The parts of a piece, linked; a part is known by where it starts.
struct List {
    /// The rank of the part together with the next one.
    ranks: Vec<u32>,
    /// Where the next part starts.
    next: Vec<usize>,
    /// Where the part before starts; the first part's is not used.
    before: Vec<usize>,
}

impl List {
    /// Every byte a part.
    fn new(table: &Table, piece: &[u8]) -> Self {
        let mut ranks: Vec<u32> = piece.windows(2).map(|p| rank(table, p)).collect();
        ranks.push(NONE);
        Self {
            ranks,
            next: (1..=piece.len()).collect(),
            before: (0..piece.len()).map(|at| at.saturating_sub(1)).collect(),
        }
    }

    /// The part at `at` with the next one, if they make a token.
    fn pair(&self, at: usize) -> Option<Reverse<Pair>> {
        (self.ranks[at] != NONE).then(|| Reverse(Pair::new(self.ranks[at], at)))
    }

    /// Joins the part at `at` with the next one; the part before, if there is one, has another rank then too.
    fn join(&mut self, table: &Table, piece: &[u8], at: usize) -> Option<usize> {
        let joined = self.next[at];
        let end = self.next[joined];
        self.ranks[joined] = NONE;
        self.next[at] = end;
        if end < piece.len() {
            self.before[end] = at;
        }
        self.rank_again(table, piece, at);
        let before = (at > 0).then(|| self.before[at]);
        if let Some(before) = before {
            self.rank_again(table, piece, before);
        }
        before
    }

    fn rank_again(&mut self, table: &Table, piece: &[u8], at: usize) {
        let end = self.next.get(self.next[at]);
        self.ranks[at] = end.map_or(NONE, |end| rank(table, &piece[at..*end]));
    }

    /// Where the parts start, and where the last one ends.
    fn starts(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(0), |at| self.next.get(*at).copied())
    }
}

/// A rank and a place in one number, in the order in which pairs are joined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair(u64);

impl Pair {
    /// Bits of the place; a rank has 18.
    const PLACE: u32 = 46;

    fn new(rank: u32, at: usize) -> Self {
        Self(u64::from(rank) << Self::PLACE | at as u64)
    }

    fn rank(self) -> u32 {
        (self.0 >> Self::PLACE) as u32
    }

    fn at(self) -> usize {
        (self.0 & ((1 << Self::PLACE) - 1)) as usize
    }
}

/// The rank of `bytes` as one token.
fn rank(table: &Table, bytes: &[u8]) -> u32 {
    table.id(bytes).unwrap_or(NONE)
}

/// The place of the least rank, the leftmost of equals.
fn least(ranks: &[u32]) -> Option<usize> {
    let least = ranks.iter().min().filter(|r| **r != NONE)?;
    ranks.iter().position(|r| r == least)
}
