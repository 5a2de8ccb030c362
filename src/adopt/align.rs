//! Lays dumps side by side: which bodies stand in all of them, which in some, and which changed.

use super::split::Split;
use crate::text::common::{Numbers, longest_common};
use crate::text::normalise::is_space;
use std::collections::BTreeMap;
use std::ops::Range;

/// With more bodies than this in a row that changed, they are one change.
const MOST_PAIRS: usize = 64;
/// How many words of two bodies are compared.
const WORDS: usize = 2_000;

/// What stands at one place of the prompt: of each dump the bodies there, none if the dump has nothing there. The units
/// of a dump, one behind the other, are all its bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// By dump.
    pub(super) at: Vec<Range<usize>>,
}

impl Unit {
    /// The dumps that have something there.
    pub(super) fn present(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.at.len()).filter(|dump| !self.at[*dump].is_empty())
    }

    /// Whether all dumps have something there.
    pub(super) fn is_everywhere(&self) -> bool {
        self.present().count() == self.at.len()
    }
}

/// Lays the dumps side by side. Of a split without a join, white space that only some dumps have moves to what only they have.
pub(super) fn align(split: &mut Split<'_>) -> Vec<Unit> {
    let whole: Vec<Range<usize>> = split.bodies.iter().map(|b| 0..b.len()).collect();
    let who: Vec<usize> = (0..whole.len()).collect();
    let mut aligner = Aligner::new(split);
    aligner.all(&who, &whole);
    let units = aligner.out;
    if split.join.is_empty() {
        shift_space(split, &units);
    }
    units
}

struct Aligner<'s, 't> {
    split: &'s Split<'t>,
    /// Of each body of each dump a number that equal ones share.
    same: Vec<Vec<u32>>,
    /// The same for bodies that begin alike.
    alike: Vec<Vec<u32>>,
    at: Vec<usize>,
    out: Vec<Unit>,
}

impl<'s, 't> Aligner<'s, 't> {
    fn new(split: &'s Split<'t>) -> Self {
        let (mut texts, mut keys) = (Numbers::default(), BTreeMap::new());
        let (mut same, mut alike) = (Vec::new(), Vec::new());
        for (dump, bodies) in split.bodies.iter().enumerate() {
            let text = |body: usize| split.text(dump, &(body..body + 1));
            let compared = |text: &'t str| match split.join.as_str() {
                "" => text.trim_end_matches(is_space),
                _ => text,
            };
            same.push(
                (0..bodies.len())
                    .map(|b| texts.of(compared(text(b))))
                    .collect(),
            );
            let key = |body| {
                let next = u32::try_from(keys.len()).unwrap_or(u32::MAX);
                *keys.entry(key(text(body))).or_insert(next)
            };
            alike.push((0..bodies.len()).map(key).collect());
        }
        Self {
            split,
            same,
            alike,
            at: vec![0; split.bodies.len()],
            out: Vec::new(),
        }
    }

    /// Adds a unit of the dumps in `who`.
    fn add(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        for (dump, at) in self.at.iter_mut().enumerate() {
            if who.contains(&dump) {
                *at = ranges[dump].end;
            }
        }
        let at = ranges.iter().enumerate().map(|(dump, range)| {
            if who.contains(&dump) {
                range.clone()
            } else {
                self.at[dump]..self.at[dump]
            }
        });
        let at = at.collect();
        self.out.push(Unit { at });
    }

    /// Bodies that some dumps share, and between them what changed.
    fn all(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        let who: Vec<usize> = who
            .iter()
            .copied()
            .filter(|d| !ranges[*d].is_empty())
            .collect();
        if who.is_empty() {
            return;
        }
        let anchors = anchors(&self.same, &who, ranges);
        self.between(&who, ranges, &anchors, Self::changed);
    }

    /// What stands between and at anchors.
    fn between(
        &mut self,
        who: &[usize],
        ranges: &[Range<usize>],
        anchors: &[Vec<usize>],
        gap: fn(&mut Self, &[usize], &[Range<usize>]),
    ) {
        let mut rest = ranges.to_vec();
        for anchor in anchors {
            let (mut front, mut own) = (rest.clone(), rest.clone());
            for (dump, at) in who.iter().zip(anchor) {
                front[*dump].end = *at;
                own[*dump] = *at..at + 1;
                rest[*dump].start = at + 1;
            }
            gap(self, who, &front);
            self.add(who, &own);
        }
        gap(self, who, &rest);
    }

    /// A stretch without a body that all share: those that begin alike are the same one, changed.
    fn changed(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        if who.iter().any(|d| ranges[*d].is_empty()) {
            return self.all(who, ranges);
        }
        let anchors = anchors(&self.alike, who, ranges);
        self.between(who, ranges, &anchors, Self::different);
    }

    /// A stretch without bodies that begin alike: pairs if there are as many everywhere and they say similar things, and
    /// apart from each other if they are called differently.
    fn different(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        if who.iter().any(|d| ranges[*d].is_empty()) {
            return self.all(who, ranges);
        }
        let count = ranges[who[0]].len();
        let even = who.iter().all(|d| ranges[*d].len() == count) && count <= MOST_PAIRS;
        if even && (0..count).all(|n| self.is_similar(who, ranges, n)) {
            for n in 0..count {
                let own: Vec<Range<usize>> = ranges
                    .iter()
                    .map(|r| r.start + n..r.start + n + 1)
                    .collect();
                self.add(who, &own);
            }
            return;
        }
        match self.by_title(who, ranges) {
            Some(groups) => groups.iter().for_each(|who| self.all(who, ranges)),
            None => self.add(who, ranges),
        }
    }

    /// Dumps that go on with parts of the same name; none if such a name is nothing but another value.
    fn by_title(&self, who: &[usize], ranges: &[Range<usize>]) -> Option<Vec<Vec<usize>>> {
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        for dump in who {
            let title = self.split.mark(*dump, ranges[*dump].start)?.title.as_str();
            match groups.iter_mut().find(|(other, _)| *other == title) {
                Some((_, group)) => group.push(*dump),
                None => groups.push((title, vec![*dump])),
            }
        }
        let elsewhere = |(title, group): &(&str, Vec<usize>)| {
            let others = who.iter().filter(|dump| !group.contains(dump));
            let mut marks = others.flat_map(|dump| &self.split.marks[*dump]);
            marks.any(|mark| mark.title == *title)
        };
        let count = groups.len();
        let tells = match count {
            0 | 1 => false,
            2 => true,
            _ => count < who.len() || groups.iter().any(elsewhere),
        };
        tells.then(|| groups.into_iter().map(|(_, group)| group).collect())
    }

    /// Whether the nth bodies have two words of five in common.
    fn is_similar(&self, who: &[usize], ranges: &[Range<usize>], n: usize) -> bool {
        let words = |dump: usize| {
            let at = ranges[dump].start + n;
            let text = self.split.text(dump, &(at..at + 1));
            let mut words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
            words.sort_unstable();
            words
        };
        let first = words(who[0]);
        who[1..].iter().all(|dump| {
            let other = words(*dump);
            let mut rest = other.as_slice();
            let mut shared = 0;
            for word in &first {
                rest = &rest[rest.partition_point(|w| w < word)..];
                if rest.first() == Some(word) {
                    shared += 1;
                    rest = &rest[1..];
                }
            }
            shared * 5 >= first.len().max(other.len()) * 2
        })
    }
}

/// What the dumps in `who` have in common inside of `ranges`: for each the body of every dump.
fn anchors(numbers: &[Vec<u32>], who: &[usize], ranges: &[Range<usize>]) -> Vec<Vec<usize>> {
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

/// What a body begins with: its first line up to a value, every number as 0.
fn key(text: &str) -> String {
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

/// Where what several dumps have ends with more white space in some of them, and these go on with something that not all
/// have: the white space belongs to that.
fn shift_space(split: &mut Split<'_>, units: &[Unit]) {
    for (index, unit) in units.iter().enumerate() {
        let who: Vec<usize> = unit.present().collect();
        let space = |dump: usize| {
            let text = split.text(dump, &unit.at[dump]);
            &text[text.trim_end_matches(is_space).len()..]
        };
        let shared = shared_prefix(who.iter().map(|d| space(*d)));
        let surplus: Vec<(usize, usize)> = who
            .iter()
            .map(|dump| (*dump, space(*dump).len() - shared))
            .filter(|(_, more)| *more > 0)
            .collect();
        let goes_on = |dump: usize| {
            let next = units[index + 1..].iter().find(|u| !u.at[dump].is_empty());
            next.is_some_and(|next| who.iter().any(|d| next.at[*d].is_empty()))
        };
        if surplus.iter().all(|(dump, _)| goes_on(*dump)) {
            for (dump, more) in surplus {
                let next = unit.at[dump].end;
                split.bodies[dump][next - 1].end -= more;
                split.bodies[dump][next].start -= more;
            }
        }
    }
}

/// The bytes that all texts begin with.
fn shared_prefix<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    let mut texts = texts;
    let first = texts.next().unwrap_or_default();
    let mut length = first.len();
    for text in texts {
        let both = first.char_indices().zip(text.chars());
        let differs = both.into_iter().find(|((_, a), b)| a != b);
        let same = differs.map_or(first.len().min(text.len()), |((at, _), _)| at);
        length = length.min(same);
    }
    length
}
