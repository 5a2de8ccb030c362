//! Lays dumps side by side: which bodies are in all of them, which in some, and which changed.

use super::label;
use super::split::Split;
use crate::text::common::{Numbers, longest_common};
use crate::text::normalise::is_space;
use std::collections::BTreeSet;
use std::ops::Range;

/// With more bodies than this in a row that changed, they are one change.
const MOST_PAIRS: usize = 64;
/// The most words of two items that are compared.
const WORDS: usize = 500;
/// The most pairs of items that are compared to find what some dumps share.
const MOST_COMPARED: usize = 2_500;

/// The bodies of each dump at one place of the prompt; none for a dump without it. All units of a dump, in order, are
/// all its bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// By dump.
    pub(super) at: Vec<Range<usize>>,
    /// Whether it is the lines of a list, which are one value.
    pub(super) is_list: bool,
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

/// An item of the alignment: a body or a line.
#[derive(Debug, Clone, Default)]
pub(super) struct Item<'t> {
    /// Its text, as far as it is compared.
    pub(super) text: &'t str,
    /// Its name: its heading, tag or label.
    pub(super) label: Option<&'t str>,
    /// Whether it is a line of a list without a mark or a name, so that only the whole list says what it is.
    pub(super) is_loose: bool,
    /// Whether that is a heading, which may be nothing but another value.
    pub(super) is_heading: bool,
}

/// Lays the dumps side by side, body by body. Of a split without a join, white space that only some dumps have moves to what
/// only they have.
pub(super) fn align(split: &mut Split<'_>) -> Vec<Unit> {
    let item = |dump: usize, body: usize| {
        let text = split.text(dump, &(body..body + 1));
        let title = split.mark(dump, body).map(|m| m.title.as_str());
        let title = title.filter(|t| !t.is_empty());
        let first = text.trim_start().lines().next().unwrap_or_default();
        Item {
            text: match split.join.as_str() {
                "" => text.trim_end_matches(is_space),
                _ => text,
            },
            label: title.or_else(|| Some(label::of_line(first)?.name)),
            is_loose: false,
            is_heading: title.is_some(),
        }
    };
    let bodies = split.bodies.iter().enumerate();
    let items: Vec<Vec<Item<'_>>> = bodies
        .map(|(dump, bodies)| (0..bodies.len()).map(|body| item(dump, body)).collect())
        .collect();
    let units = Aligner::new(&items, false).run();
    if split.join.is_empty() {
        shift_space(split, &units);
    }
    units
}

/// Lays lines of the dumps side by side.
pub(super) fn align_lines<'t>(lines: &[Vec<&'t str>]) -> Vec<Unit> {
    let of_dump = |lines: &Vec<&'t str>| {
        let mut in_list = false;
        let item = |line: &&'t str| {
            let label = label::of_line(line);
            let is_loose = in_list && label.is_none() && label::is_loose(line);
            in_list = label::opens(line) || is_loose;
            Item {
                text: line,
                label: label.map(|l| l.name),
                is_loose,
                is_heading: label.is_some_and(|l| l.value == line.len()),
            }
        };
        lines.iter().map(item).collect()
    };
    let items: Vec<Vec<Item<'t>>> = lines.iter().map(of_dump).collect();
    Aligner::new(&items, true).run()
}

struct Aligner<'i, 't> {
    items: &'i [Vec<Item<'t>>],
    /// Whether the items are lines, among which lists are.
    has_lists: bool,
    /// A number for each item of each dump; equal items share it.
    same: Vec<Vec<u32>>,
    /// A number for each item of each dump; items with one name share it.
    called: Vec<Vec<u32>>,
    /// A number for each item of each dump; items with one beginning share it.
    alike: Vec<Vec<u32>>,
    at: Vec<usize>,
    out: Vec<Unit>,
}

/// The decision about a group of bodies.
type Step<'i, 't> = fn(&mut Aligner<'i, 't>, &[usize], &[Range<usize>]);

impl<'i, 't> Aligner<'i, 't> {
    fn new(items: &'i [Vec<Item<'t>>], has_lists: bool) -> Self {
        let mut none = 0;
        let label = |item: &Item<'t>| {
            none += 1;
            item.label.ok_or(none)
        };
        let mut loose = 0;
        let same = |item: &Item<'t>| {
            loose += 1;
            if item.is_loose {
                Err(loose)
            } else {
                Ok(item.text)
            }
        };
        Self {
            same: numbered(items, same),
            called: numbered(items, label),
            alike: numbered(items, |item| key(item.text)),
            at: vec![0; items.len()],
            out: Vec::new(),
            items,
            has_lists,
        }
    }

    fn run(mut self) -> Vec<Unit> {
        let who: Vec<usize> = (0..self.items.len()).collect();
        let whole: Vec<Range<usize>> = self.items.iter().map(|i| 0..i.len()).collect();
        self.all(&who, &whole);
        self.out
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
        let is_list = self.has_lists && self.is_list(who, ranges);
        self.out.push(Unit { at, is_list });
    }

    /// Items that all share that have any here, and between them what changed.
    fn all(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        let there = |dump: &usize| !ranges[*dump].is_empty();
        let who: Vec<usize> = who.iter().copied().filter(there).collect();
        if !who.is_empty() {
            let anchors = anchors(&self.same, &who, ranges);
            self.between(&who, ranges, &anchors, Self::changed);
        }
    }

    /// The bodies between and at anchors.
    fn between(
        &mut self,
        who: &[usize],
        ranges: &[Range<usize>],
        anchors: &[Vec<usize>],
        gap: Step<'i, 't>,
    ) {
        let mut rest = ranges.to_vec();
        let fill = |aligner: &mut Self, ranges: &[Range<usize>]| {
            let there = |dump: &usize| !ranges[*dump].is_empty();
            let there: Vec<usize> = who.iter().copied().filter(there).collect();
            let are_records = there.iter().all(|d| aligner.is_record(*d, &ranges[*d]));
            if aligner.is_list(who, ranges) && !are_records {
                aligner.add(&there, ranges);
            } else if there.len() < who.len() {
                aligner.all(&there, ranges);
            } else {
                gap(aligner, who, ranges);
            }
        };
        for anchor in anchors {
            let (mut front, mut own) = (rest.clone(), rest.clone());
            for (dump, at) in who.iter().zip(anchor) {
                front[*dump].end = *at;
                own[*dump] = *at..at + 1;
                rest[*dump].start = at + 1;
            }
            fill(self, &front);
            self.add(who, &own);
        }
        fill(self, &rest);
    }

    /// A stretch without an item that all share: those that are called alike are the same one, changed.
    fn changed(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        let anchors = anchors(&self.called, who, ranges);
        self.between(who, ranges, &anchors, Self::nameless);
    }

    /// A stretch without names in common: a whole list is one value; else those that begin alike are the same one.
    fn nameless(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        if self.is_list(who, ranges) {
            return self.add(who, ranges);
        }
        let anchors = anchors(&self.alike, who, ranges);
        self.between(who, ranges, &anchors, Self::different);
    }

    /// Whether there are only lines between one that opens a list and one that closes it.
    fn is_list(&self, who: &[usize], ranges: &[Range<usize>]) -> bool {
        let is_list = |dump: &usize| {
            let (lines, range) = (&self.items[*dump], &ranges[*dump]);
            let before = range.start.checked_sub(1).map(|at| lines[at].text);
            let after = lines.get(range.end).map_or("", |line| line.text);
            before.is_some_and(label::opens) && label::closes(after)
        };
        let has_some = who.iter().any(|dump| !ranges[*dump].is_empty());
        self.has_lists && has_some && who.iter().all(is_list)
    }

    /// Whether each line has a name of its own.
    fn is_record(&self, dump: usize, range: &Range<usize>) -> bool {
        let lines = &self.items[dump][range.clone()];
        let names: BTreeSet<&str> = lines.iter().filter_map(|line| line.label).collect();
        names.len() == lines.len()
    }

    /// A stretch without items that begin alike: pairs, if there are as many everywhere and they say similar things; else what
    /// some dumps share, and between that what each has of its own.
    fn different(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        let count = ranges[who[0]].len();
        let even = who.iter().all(|d| ranges[*d].len() == count) && count <= MOST_PAIRS;
        let nth = |n: usize| -> Vec<Range<usize>> {
            let one = |r: &Range<usize>| r.start + n..r.start + n + 1;
            ranges.iter().map(one).collect()
        };
        let similar = |n: usize| {
            let at = nth(n);
            let is = |dump: &usize| {
                self.is_similar((who[0], at[who[0]].start), (*dump, at[*dump].start))
            };
            who[1..].iter().all(is)
        };
        if even && (0..count).all(similar) {
            for n in 0..count {
                self.add(who, &nth(n));
            }
            return;
        }
        let columns = self.columns(who, ranges);
        let mut rest: Vec<Range<usize>> = ranges.to_vec();
        for column in columns {
            let (mut front, mut own) = (rest.clone(), rest.clone());
            for (dump, at) in &column {
                front[*dump].end = *at;
                own[*dump] = *at..at + 1;
            }
            // The text of the others continues after it.
            for dump in who.iter().filter(|d| column.iter().all(|(c, _)| c != *d)) {
                front[*dump].end = front[*dump].start;
            }
            self.apart(who, &front);
            let of_column: Vec<usize> = column.iter().map(|(dump, _)| *dump).collect();
            self.add(&of_column, &own);
            for (dump, at) in column {
                rest[dump].start = at + 1;
            }
        }
        self.apart(who, &rest);
    }

    /// Items of which each dump has others: apart from each other if they are called something, else one that is different.
    fn apart(&mut self, who: &[usize], ranges: &[Range<usize>]) {
        let there = |dump: &usize| !ranges[*dump].is_empty();
        let who: Vec<usize> = who.iter().copied().filter(there).collect();
        match self.groups(&who, ranges) {
            _ if who.is_empty() => {}
            Some(groups) => groups.iter().for_each(|who| self.all(who, ranges)),
            None => self.add(&who, ranges),
        }
    }

    /// Dumps that go on with items of the same name; none if there are items without, or the name is nothing but another value.
    fn groups(&self, who: &[usize], ranges: &[Range<usize>]) -> Option<Vec<Vec<usize>>> {
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        let mut of_headings = false;
        for dump in who {
            let first = &self.items[*dump][ranges[*dump].start];
            of_headings |= first.is_heading;
            match groups
                .iter_mut()
                .find(|(other, _)| Some(*other) == first.label)
            {
                Some((_, group)) => group.push(*dump),
                None => groups.push((first.label?, vec![*dump])),
            }
        }
        let elsewhere = |(label, group): &(&str, Vec<usize>)| {
            let others = who.iter().filter(|dump| !group.contains(dump));
            let mut items = others.flat_map(|dump| &self.items[*dump]);
            items.any(|item| item.label == Some(label))
        };
        let tells = match groups.len() {
            1 => who.len() == 1,
            2 => true,
            n => !of_headings || n < who.len() || groups.iter().any(elsewhere),
        };
        tells.then(|| groups.into_iter().map(|(_, group)| group).collect())
    }

    /// Items that two dumps or more share, in an order that is that of each dump: of each the dumps and the item there.
    fn columns(&self, who: &[usize], ranges: &[Range<usize>]) -> Vec<Vec<(usize, usize)>> {
        let mut columns: Vec<Vec<(usize, usize)>> = Vec::new();
        for dump in who {
            let items = ranges[*dump].clone();
            if columns.len() * items.len() > MOST_COMPARED {
                return Vec::new();
            }
            columns = merged(columns, *dump, items, |column, at| {
                self.worth(column, (*dump, at))
            });
        }
        columns.retain(|column| column.len() > 1);
        columns
    }

    /// The weight of the evidence that an item is the same one as those of a column.
    fn worth(&self, column: &[(usize, usize)], own: (usize, usize)) -> u32 {
        let item = |(dump, at): (usize, usize)| &self.items[dump][at];
        let own_label = item(own).label;
        if column
            .iter()
            .any(|other| item(*other).text == item(own).text)
        {
            4
        } else if own_label.is_some() {
            2 * u32::from(column.iter().any(|other| item(*other).label == own_label))
        } else {
            let first = column[0];
            u32::from(item(first).label.is_none() && self.is_similar(first, own))
        }
    }

    /// Whether two items have two words of five in common.
    fn is_similar(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        let words = |(dump, at): (usize, usize)| {
            let text = self.items[dump][at].text;
            let mut words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
            words.sort_unstable();
            words
        };
        let (first, other) = (words(a), words(b));
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
    }
}

/// Numbers for items, the same for those with the same key.
fn numbered<'t, K: Ord>(
    items: &[Vec<Item<'t>>],
    mut key: impl FnMut(&Item<'t>) -> K,
) -> Vec<Vec<u32>> {
    let mut numbers = Numbers::default();
    let all = items.iter();
    all.map(|items| items.iter().map(|item| numbers.of(key(item))).collect())
        .collect()
}

/// Columns with the items of another dump: each joins the column that it is worth most in, in order, or is a new one.
fn merged(
    columns: Vec<Vec<(usize, usize)>>,
    dump: usize,
    items: Range<usize>,
    worth: impl Fn(&[(usize, usize)], usize) -> u32,
) -> Vec<Vec<(usize, usize)>> {
    let width = items.len() + 1;
    // By the number of columns and of items that are left, what these are worth at best.
    let mut best = vec![vec![0; width]; columns.len() + 1];
    let mut own = vec![vec![0; width]; columns.len()];
    for (c, column) in columns.iter().enumerate().rev() {
        for (i, item) in items.clone().enumerate().rev() {
            own[c][i] = worth(column, item);
            let both = match own[c][i] {
                0 => 0,
                worth => worth + best[c + 1][i + 1],
            };
            best[c][i] = both.max(best[c + 1][i]).max(best[c][i + 1]);
        }
    }
    let mut out = Vec::new();
    let mut i = 0;
    for (c, mut column) in columns.into_iter().enumerate() {
        while i + 1 < width && best[c][i] > best[c + 1][i] && best[c][i] == best[c][i + 1] {
            out.push(vec![(dump, items.start + i)]);
            i += 1;
        }
        if i + 1 < width && best[c][i] > best[c + 1][i] {
            column.push((dump, items.start + i));
            i += 1;
        }
        out.push(column);
    }
    out.extend((i + 1..width).map(|i| vec![(dump, items.start + i - 1)]));
    out
}

/// The common bodies of the dumps in `who` inside of `ranges`: for each the body of every dump.
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

/// The beginning of a body: its first line up to a value, with every number as 0.
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
