//! The places at which a layer begins, by the structure of the text.

use super::lines::lines;
use super::shape::ShapedUnit;
use super::split::Split;
use crate::text::normalise::is_space;
use std::collections::BTreeSet;

/// A text is divided at the highest parts of which there are so many.
const FEWEST: usize = 3;
/// Smaller parts are drawn together if there are more.
const MOST: usize = 40;
/// A part with more bytes is divided further.
const LARGE: usize = 16_000;
/// Into how many parts a text without any structure is divided, if they are not too small.
const WITHOUT_STRUCTURE: usize = 12;
/// The smallest part of such a text, in bytes.
const SMALL: usize = 600;

/// The properties of a place.
struct Sight {
    /// The rank of the part that begins here.
    rank: Option<u8>,
    /// Whether a blank line comes before it.
    is_paragraph: bool,
    bytes: usize,
    /// Whether it is one line.
    is_line: bool,
}

/// By place, whether a layer begins there.
pub(super) fn beginnings(split: &Split<'_>, places: &[ShapedUnit]) -> Vec<bool> {
    let sights: Vec<Sight> = places.iter().map(|place| sight(split, place)).collect();
    let mut out = match level(&sights, FEWEST) {
        Some(level) => at_level(&sights, level),
        None => by_size(&sights, WITHOUT_STRUCTURE, SMALL),
    };
    divide_large(&sights, &mut out);
    keep_headings(&sights, &mut out);
    if out.iter().filter(|b| **b).count() > MOST {
        draw_together(&sights, &mut out);
    }
    if let Some(first) = out.first_mut() {
        *first = true;
    }
    out
}

fn sight(split: &Split<'_>, place: &ShapedUnit) -> Sight {
    let dump = place.unit.present().next().unwrap_or_default();
    let bodies = &place.unit.at[dump];
    let text = place.text(split);
    let start = split.bytes(dump, bodies).unwrap_or_default().start;
    let whole = split.texts[dump];
    let front = whole[..start].trim_end_matches(is_space).len();
    let first = text.len() - text.trim_start_matches(is_space).len();
    Sight {
        rank: place.mark(split).map(|m| m.rank),
        is_paragraph: lines(whole, front..start + first).len() > 1,
        bytes: text.len(),
        is_line: !text.trim().contains(['\n', '\r']),
    }
}

/// The highest rank that divides the places into at least `fewest` parts, or else the lowest that divides them at all.
fn level(sights: &[Sight], fewest: usize) -> Option<u8> {
    let inner = sights.get(1..).unwrap_or_default();
    let ranks: BTreeSet<u8> = inner.iter().filter_map(|s| s.rank).collect();
    let parts = |level: u8| {
        1 + inner
            .iter()
            .filter(|s| s.rank.is_some_and(|r| r <= level))
            .count()
    };
    let enough = ranks.iter().copied().find(|r| parts(*r) >= fewest);
    enough.or(ranks.last().copied())
}

fn at_level(sights: &[Sight], level: u8) -> Vec<bool> {
    sights
        .iter()
        .map(|s| s.rank.is_some_and(|r| r <= level))
        .collect()
}

/// At paragraphs, as soon as a part is large enough for `parts` of them and for `smallest`.
fn by_size(sights: &[Sight], parts: usize, smallest: usize) -> Vec<bool> {
    let whole: usize = sights.iter().map(|s| s.bytes).sum();
    let enough = (whole / parts).max(smallest);
    let mut bytes = 0;
    let begins = |sight: &Sight| {
        let begins = bytes >= enough && sight.is_paragraph;
        bytes = sight.bytes + if begins { 0 } else { bytes };
        begins
    };
    sights.iter().map(begins).collect()
}

/// Divides parts that are large at the highest rank inside of them, as long as there are not too many.
fn divide_large(sights: &[Sight], out: &mut [bool]) {
    for (from, to) in parts(out) {
        let part = &sights[from..to];
        let large = part.iter().map(|s| s.bytes).sum::<usize>() > LARGE;
        let Some(level) = level(part, 2).filter(|_| large) else {
            continue;
        };
        let more = at_level(&part[1..], level);
        let sum = more.iter().chain(&*out).filter(|b| **b).count();
        if sum <= MOST {
            out[from + 1..to].copy_from_slice(&more);
        }
    }
}

/// A heading without text of its own goes with the text below it.
fn keep_headings(sights: &[Sight], out: &mut [bool]) {
    for at in 1..sights.len() {
        let (heading, next) = (&sights[at - 1], &sights[at]);
        let deeper = match (heading.rank, next.rank) {
            (Some(above), Some(below)) => above < below,
            _ => false,
        };
        let begins = at == 1 || out[at - 1];
        if begins && deeper && heading.is_line {
            out[at] = false;
        }
    }
}

/// Takes beginnings away, so that parts are not small and not too many are left.
fn draw_together(sights: &[Sight], out: &mut [bool]) {
    let whole: usize = sights.iter().map(|s| s.bytes).sum();
    let enough = whole / MOST * 4 / 3;
    let mut bytes = 0;
    for (sight, begins) in sights.iter().zip(out) {
        *begins &= bytes >= enough;
        bytes = sight.bytes + if *begins { 0 } else { bytes };
    }
}

/// The index of the first place of each part, and the one after its last.
fn parts(begins: &[bool]) -> Vec<(usize, usize)> {
    let mut starts: Vec<usize> = (1..begins.len()).filter(|at| begins[*at]).collect();
    starts.insert(0, 0);
    starts.push(begins.len());
    starts.windows(2).map(|w| (w[0], w[1])).collect()
}
