//! The common items of several sequences, in order.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// With more items than this that may match, only those that each sequence has once are matched: what is found must not
/// depend on the machine's speed.
const MOST: usize = 20_000;

/// Gives equal things the same number.
#[derive(Debug)]
pub(crate) struct Numbers<T> {
    known: BTreeMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self {
            known: BTreeMap::new(),
        }
    }
}

impl<T: Ord> Numbers<T> {
    /// The number of `text`.
    pub(crate) fn of(&mut self, text: T) -> u32 {
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        *self.known.entry(text).or_insert(next)
    }
}

/// Texts that were met.
#[expect(
    clippy::disallowed_types,
    reason = "nothing depends on its order, and looking lines up was most of the time of a comparison"
)]
pub(crate) type Texts<'t> = std::collections::HashSet<&'t str>;

/// How many items of one sorted sequence another one has too, each as often as both have it.
pub(crate) fn count_shared<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut count = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            Ordering::Less => _ = a.next(),
            Ordering::Greater => _ = b.next(),
            Ordering::Equal => {
                count += 1;
                _ = (a.next(), b.next());
            }
        }
    }
    count
}

/// A common subsequence: for each of its items the index in every sequence.
pub(crate) fn longest_common(sequences: &[&[u32]]) -> Vec<Vec<usize>> {
    let Some((first, rest)) = sequences.split_first() else {
        return Vec::new();
    };
    let mut found: Vec<Vec<usize>> = (0..first.len()).map(|at| vec![at]).collect();
    for next in rest {
        let so_far: Vec<u32> = found.iter().map(|at| first[at[0]]).collect();
        found = numbered_pairs(&so_far, next)
            .into_iter()
            .map(|(a, b)| found[a].iter().copied().chain([b]).collect())
            .collect();
    }
    found
}

/// The longest common subsequence of two, where they are not too long: pairs of indices of equal items, both ascending.
pub(crate) fn pairs<T: Ord>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let mut numbers = Numbers::default();
    let [a, b] = [a, b].map(|all| {
        all.iter()
            .map(|item| numbers.of(item))
            .collect::<Vec<u32>>()
    });
    numbered_pairs(&a, &b)
}

/// The share of two sequences that is common, of so many parts.
pub(crate) fn shared<T: Ord>(a: &[T], b: &[T], of: usize) -> usize {
    (2 * of * pairs(a, b).len())
        .checked_div(a.len() + b.len())
        .unwrap_or(of)
}

fn numbered_pairs(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (x, y) = (&a[front..], &b[front..]);
    let back = x
        .iter()
        .rev()
        .zip(y.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (x, y) = (&x[..x.len() - back], &y[..y.len() - back]);
    let mut out: Vec<(usize, usize)> = (0..front).map(|at| (at, at)).collect();
    out.extend(
        middle(x, y)
            .into_iter()
            .map(|(i, j)| (front + i, front + j)),
    );
    out.extend((0..back).map(|at| (a.len() - back + at, b.len() - back + at)));
    out
}

fn middle(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    // Items of one side match nothing, and make a search long.
    let (in_a, in_b) = (
        a.iter().collect::<BTreeSet<_>>(),
        b.iter().collect::<BTreeSet<_>>(),
    );
    let shared = |all: &[u32], other: &BTreeSet<&u32>| -> Vec<usize> {
        let kept = (0..all.len()).filter(|at| other.contains(&all[*at]));
        kept.collect()
    };
    let (x, y) = (shared(a, &in_b), shared(b, &in_a));
    if x.len() + y.len() > MOST {
        return unique(a, b);
    }
    let old: Vec<u32> = x.iter().map(|at| a[*at]).collect();
    let new: Vec<u32> = y.iter().map(|at| b[*at]).collect();
    let mut out = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            out.extend((0..len).map(|n| (x[old_index + n], y[new_index + n])));
        }
    }
    out
}

/// The longest run of pairs, in order on both sides, of items that each side has once.
pub(crate) fn unique<T: Ord>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let (of_a, of_b) = (once(a), once(b));
    let mut found: Vec<(usize, usize)> = of_a
        .iter()
        .filter_map(|(item, at)| Some((*at, *of_b.get(item)?)))
        .collect();
    found.sort_unstable();
    longest_rise(&found)
}

/// The items that are there once, each with its index.
fn once<T: Ord>(all: &[T]) -> BTreeMap<&T, usize> {
    let mut seen: BTreeMap<&T, Vec<usize>> = BTreeMap::new();
    for (at, item) in all.iter().enumerate() {
        seen.entry(item).or_default().push(at);
    }
    let alone = seen.into_iter().filter(|(_, at)| at.len() == 1);
    alone.map(|(item, at)| (item, at[0])).collect()
}

/// The longest part of `pairs` in which the second index rises too.
fn longest_rise(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best run of each length, and for each pair its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for (index, (_, b)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *b);
        before.push(length.checked_sub(1).map(|l| ends[l]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut out = Vec::new();
    let mut at = ends.last().copied();
    while let Some(index) = at {
        out.push(pairs[index]);
        at = before[index];
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::{longest_common, longest_rise};

    #[test]
    fn common_items_are_in_all_in_order() {
        let found = longest_common(&[&[1, 2, 3, 4], &[2, 9, 3, 4], &[2, 4, 8]]);
        assert_eq!(found, [[1, 0, 0], [3, 3, 1]]);
        assert!(longest_common(&[&[1], &[]]).is_empty());
        assert_eq!(longest_common(&[&[7, 7]]), [[0], [1]]);
    }

    #[test]
    fn long_sequences_are_matched_by_unique_items() {
        let a: Vec<u32> = (0..30_000).collect();
        let mut b = a.clone();
        b.swap(10, 20_000);
        b.rotate_left(3);
        let found = longest_common(&[&a, &b]);
        assert!(found.len() > 29_900);
        assert!(
            found
                .windows(2)
                .all(|w| w[0][0] < w[1][0] && w[0][1] < w[1][1])
        );
    }

    #[test]
    fn a_rise_is_the_longest() {
        let pairs = [(0, 5), (1, 1), (2, 2), (3, 0), (4, 3)];
        assert_eq!(longest_rise(&pairs), [(1, 1), (2, 2), (4, 3)]);
    }
}
