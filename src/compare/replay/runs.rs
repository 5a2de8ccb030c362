//! Two sequences as one with choices: each differing run of items is a leaf.

use super::leaves::Mix;
use crate::text::common::{Numbers, pairs};
use std::ops::Range;

/// A stretch of two sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    /// The items of each side.
    pub(super) a: Range<usize>,
    pub(super) b: Range<usize>,
    /// Its leaf; none if both have the same.
    leaf: Option<usize>,
}

/// The stretches of two sequences, in order. `leaf` gives the number of a leaf for items that differ.
pub(super) fn runs<T: Ord>(
    [a, b]: [&[T]; 2],
    leaf: &mut dyn FnMut(Range<usize>, Range<usize>) -> usize,
) -> Vec<Run> {
    let mut numbers = Numbers::default();
    let [x, y] = [a, b].map(|all| all.iter().map(|item| numbers.of(item)).collect());
    let (x, y): (Vec<u32>, Vec<u32>) = (x, y);
    let mut out: Vec<Run> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (p, q) in pairs(&x, &y).into_iter().chain([(x.len(), y.len())]) {
        if i < p || j < q {
            let leaf = Some(leaf(i..p, j..q));
            out.push(Run {
                a: i..p,
                b: j..q,
                leaf,
            });
        }
        match out.last_mut().filter(|last| last.leaf.is_none()) {
            Some(last) if p < x.len() => (last.a.end, last.b.end) = (p + 1, q + 1),
            None if p < x.len() => out.push(Run {
                a: p..p + 1,
                b: q..q + 1,
                leaf: None,
            }),
            _ => {}
        }
        (i, j) = (p + 1, q + 1);
    }
    out
}

/// The stretches of two sequences in which each differing item is a leaf of its own; `leaf` gives the number of one.
pub(super) fn items<T: Ord>(
    sides: [&[T]; 2],
    leaf: &mut dyn FnMut(Option<usize>, Option<usize>) -> usize,
) -> Vec<Run> {
    let mut out = Vec::new();
    for run in runs(sides, &mut |_, _| 0) {
        if run.leaf.is_none() {
            out.push(run);
            continue;
        }
        let Run { a, b, .. } = run;
        let both = if a.len() == b.len() { a.len() } else { 0 };
        let pairs = (0..both).map(|at| (Some(a.start + at), Some(b.start + at)));
        let gone = (a.start + both..a.end).map(|at| (Some(at), None));
        let came = (b.start + both..b.end).map(|at| (None, Some(at)));
        for (x, y) in pairs.chain(gone).chain(came) {
            let one = |at: Option<usize>| at.map_or(0..0, |at| at..at + 1);
            out.push(Run {
                a: one(x),
                b: one(y),
                leaf: Some(leaf(x, y)),
            });
        }
    }
    out
}

/// The sequence of a mix.
pub(super) fn mixed<'s, T>(
    runs: &'s [Run],
    [a, b]: [&'s [T]; 2],
    mix: &'s Mix,
) -> impl Iterator<Item = &'s T> {
    runs.iter().flat_map(move |run| {
        let is_b = run.leaf.is_none_or(|leaf| mix.contains(&leaf));
        if is_b {
            &b[run.b.clone()]
        } else {
            &a[run.a.clone()]
        }
    })
}

/// The lines of a text with their ends; CRLF, LF and a lone CR end one.
pub(super) fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let end = end.map_or(rest.len(), |at| {
            at + if rest[at..].starts_with(b"\r\n") {
                2
            } else {
                1
            }
        });
        let (line, behind) = rest.split_at(end);
        out.push(line);
        rest = behind;
    }
    out
}
