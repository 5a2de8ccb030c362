//! A stretch in which no item of one dump equals one of all others.

use super::aligner::Aligner;
use std::ops::Range;

/// With more bodies than this in a row that changed, they are one change.
const MOST_PAIRS: usize = 64;
/// The most words of two items that are compared.
const WORDS: usize = 500;
/// The most pairs of items that are compared to find what some dumps share.
const MOST_COMPARED: usize = 2_500;

impl Aligner<'_, '_> {
    /// A stretch without items that begin alike: pairs, if there are as many everywhere and they say similar things; else what
    /// some dumps share, and between that what each has of its own.
    pub(super) fn different(&mut self, who: &[usize], ranges: &[Range<usize>]) {
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
