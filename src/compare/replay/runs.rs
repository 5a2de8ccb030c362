//! Two sequences as one with choices: each differing run of items is a leaf, or each item of it.

use super::leaves::Mix;
use crate::text::common::pairs;
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

/// The items of a stretch on both sides.
type Sides = [Range<usize>; 2];

/// The stretches of two sequences, in order. The items of a differing one are leaves as `cut` pairs them; `leaf` gives the number of one.
pub(super) fn runs<T: Ord>(
    [a, b]: [&[T]; 2],
    cut: fn(&Range<usize>, &Range<usize>) -> Vec<Sides>,
    leaf: &mut dyn FnMut(Range<usize>, Range<usize>) -> usize,
) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (p, q) in pairs(a, b).into_iter().chain([(a.len(), b.len())]) {
        if i < p || j < q {
            out.extend(cut(&(i..p), &(j..q)).into_iter().map(|[a, b]| Run {
                leaf: Some(leaf(a.clone(), b.clone())),
                a,
                b,
            }));
        }
        match out.last_mut().filter(|last| last.leaf.is_none()) {
            Some(last) if p < a.len() => (last.a.end, last.b.end) = (p + 1, q + 1),
            None if p < a.len() => out.push(Run {
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

/// The stretch as it is.
pub(super) fn whole(a: &Range<usize>, b: &Range<usize>) -> Vec<Sides> {
    vec![[a.clone(), b.clone()]]
}

/// Item for item, if both sides have as many; else as it is, since one of them alone may be no text of its kind.
pub(super) fn level(a: &Range<usize>, b: &Range<usize>) -> Vec<Sides> {
    if a.len() == b.len() {
        each(a, b)
    } else {
        whole(a, b)
    }
}

/// Item for item if both sides have as many, else each that is gone and each that came.
pub(super) fn each(a: &Range<usize>, b: &Range<usize>) -> Vec<Sides> {
    let both = if a.len() == b.len() { a.len() } else { 0 };
    let one = |at: usize| at..at + 1;
    let pairs = (0..both).map(|at| [one(a.start + at), one(b.start + at)]);
    let gone = (a.start + both..a.end).map(|at| [one(at), 0..0]);
    let came = (b.start + both..b.end).map(|at| [0..0, one(at)]);
    pairs.chain(gone).chain(came).collect()
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
    let ends = text.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    pieces(text, ends.map(|(at, _)| at + 1))
}

/// The parts of a text that begin with a delimiter, and the one before the first. A line end at the end of the text is a part of its own,
/// so that an entry is the same wherever it stands.
pub(super) fn entries<'t>(text: &'t [u8], delimiter: &[u8]) -> Vec<&'t [u8]> {
    let end = text.len() - usize::from(text.ends_with(b"\n"));
    let starts = memchr::memmem::find_iter(&text[..end], delimiter);
    pieces(text, starts.chain([end]))
}

/// The parts of a JSON text: each bracket, and each member with the comma before it. One that is none is cut as well.
pub(super) fn members(text: &[u8]) -> Vec<&[u8]> {
    let mut cuts = Vec::new();
    let (mut is_text, mut is_escaped) = (false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => cuts.push(at + 1),
            b',' | b'}' | b']' => cuts.push(text[..at].trim_ascii_end().len()),
            _ => {}
        }
    }
    pieces(text, cuts.into_iter())
}

/// A text cut at some places.
fn pieces(text: &[u8], cuts: impl Iterator<Item = usize>) -> Vec<&[u8]> {
    let mut out = Vec::new();
    let mut start = 0;
    for cut in cuts.chain([text.len()]).filter(|cut| *cut > 0) {
        if cut > start {
            out.push(&text[start..cut]);
            start = cut;
        }
    }
    out
}
