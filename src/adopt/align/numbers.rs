//! Numbers for items, which sequences are compared by.

use super::unit::Item;
use crate::text::common::{Numbers, longest_common};
use std::ops::Range;

/// Numbers for items, the same for those with the same key.
pub(super) fn numbered<'t, K: Ord>(
    items: &[Vec<Item<'t>>],
    mut key: impl FnMut(&Item<'t>) -> K,
) -> Vec<Vec<u32>> {
    let mut numbers = Numbers::default();
    let all = items.iter();
    all.map(|items| items.iter().map(|item| numbers.of(key(item))).collect())
        .collect()
}

/// The common bodies of the dumps in `who` inside of `ranges`: for each the body of every dump.
pub(super) fn anchors(
    numbers: &[Vec<u32>],
    who: &[usize],
    ranges: &[Range<usize>],
) -> Vec<Vec<usize>> {
    let sequences: Vec<&[u32]> = who
        .iter()
        .map(|d| &numbers[*d][ranges[*d].clone()])
        .collect();
    let mut found = longest_common(&sequences);
    for item in &mut found {
        for (at, dump) in item.iter_mut().zip(who) {
            *at += ranges[*dump].start;
        }
    }
    found
}

/// The beginning of a body: its first line up to a value, with every number as 0.
pub(super) fn key(text: &str) -> String {
    let line = text
        .trim_start()
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end();
    let tag = line
        .starts_with('<')
        .then(|| line.find([' ', '>']))
        .flatten();
    let label = line.find(": ").filter(|at| *at <= 40);
    let end = tag.or(label).unwrap_or(line.len());
    let mut out = String::new();
    for c in line[..end].chars().take(60) {
        match c.is_ascii_digit() {
            true if out.ends_with('0') => {}
            true => out.push('0'),
            false => out.push(c),
        }
    }
    out
}
