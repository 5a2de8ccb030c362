//! What stays and what changes inside a body that all dumps have: first by lines, then by words.

use super::kind::{Kind, common_kind, moment};
use super::lines::lines;
use crate::text::common::{Numbers, longest_common};
use crate::text::normalise::is_blank;
use std::ops::Range;

/// More places than this in a line are one place.
const MOST_IN_LINE: usize = 3;
/// How much text that stays, in bytes, may stand between two places of many lines that are then one.
const NEAR: usize = 200;

/// A piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BodyPart {
    /// The same in all dumps: its bytes in the first.
    Text(Range<usize>),
    /// Something else in each: its bytes in every dump.
    Slot(Vec<Range<usize>>),
}

/// The pieces of a body that stands at `at` in each text.
pub(super) fn pieces(texts: &[&str], at: &[Range<usize>]) -> Vec<BodyPart> {
    let mut reader = Reader {
        texts,
        out: Vec::new(),
    };
    reader.lines(at);
    reader.out
}

struct Reader<'t> {
    texts: &'t [&'t str],
    out: Vec<BodyPart>,
}

impl<'t> Reader<'t> {
    fn text(&self, dump: usize, range: &Range<usize>) -> &'t str {
        &self.texts[dump][range.clone()]
    }

    fn values(&self, at: &[Range<usize>]) -> Vec<&'t str> {
        let both = at.iter().enumerate();
        both.map(|(dump, range)| self.text(dump, range)).collect()
    }

    /// Adds a place; if it is the same everywhere, as text.
    fn add(&mut self, at: &[Range<usize>]) {
        let values = self.values(at);
        if values.iter().any(|v| *v != values[0]) {
            self.push(BodyPart::Slot(at.to_vec()));
        } else if !at[0].is_empty() {
            self.push(BodyPart::Text(at[0].clone()));
        }
    }

    /// Adds a piece; it joins the one before if that is of its kind.
    fn push(&mut self, piece: BodyPart) {
        match (self.out.last_mut(), piece) {
            (Some(BodyPart::Text(before)), BodyPart::Text(range)) => before.end = range.end,
            (Some(BodyPart::Slot(before)), BodyPart::Slot(at)) => {
                for (before, range) in before.iter_mut().zip(at) {
                    before.end = range.end;
                }
            }
            (_, piece) => self.out.push(piece),
        }
    }

    fn lines(&mut self, at: &[Range<usize>]) {
        let all: Vec<Vec<Range<usize>>> = at
            .iter()
            .zip(self.texts)
            .map(|(range, text)| contents(text, range.clone()))
            .collect();
        self.between(at, &all, Self::changed_lines);
        self.join_long();
    }

    /// Matches `all`, the parts of each dump's range that count; what stands between those that match goes to `gap`.
    fn between(
        &mut self,
        at: &[Range<usize>],
        all: &[Vec<Range<usize>>],
        gap: fn(&mut Self, &[Range<usize>]),
    ) {
        let mut numbers = Numbers::default();
        let sequences: Vec<Vec<u32>> = all
            .iter()
            .enumerate()
            .map(|(dump, parts)| {
                parts
                    .iter()
                    .map(|p| numbers.of(self.text(dump, p)))
                    .collect()
            })
            .collect();
        let sequences: Vec<&[u32]> = sequences.iter().map(Vec::as_slice).collect();
        let mut rest = at.to_vec();
        for anchor in longest_common(&sequences) {
            let mut front = rest.clone();
            let mut own = rest.clone();
            for (dump, part) in anchor.into_iter().enumerate() {
                own[dump] = all[dump][part].clone();
                front[dump].end = own[dump].start;
                rest[dump].start = own[dump].end;
            }
            gap(self, &front);
            self.add(&own);
        }
        gap(self, &rest);
    }

    /// What stands between two lines that stay.
    fn changed_lines(&mut self, at: &[Range<usize>]) {
        let [front, inner, back] = self.peel(
            at,
            |c| matches!(c, '\n' | '\r'),
            |c| matches!(c, '\n' | '\r'),
        );
        self.add(&front);
        let all: Vec<Vec<Range<usize>>> = inner
            .iter()
            .zip(self.texts)
            .map(|(range, text)| contents(text, range.clone()))
            .collect();
        let count = all[0].len();
        if count > 0 && all.iter().all(|l| l.len() == count) {
            let mut rest = inner;
            for n in 0..count {
                let line: Vec<Range<usize>> = all.iter().map(|l| l[n].clone()).collect();
                let ends: Vec<Range<usize>> = rest
                    .iter()
                    .zip(&line)
                    .map(|(r, l)| r.start..l.start)
                    .collect();
                self.add(&ends);
                self.words(&line);
                for (rest, line) in rest.iter_mut().zip(&line) {
                    rest.start = line.end;
                }
            }
            self.add(&rest);
        } else {
            self.add(&inner);
        }
        self.add(&back);
    }

    /// Takes off what all begin with and end with, as far as it is of some characters: front, rest and back.
    fn peel(
        &self,
        at: &[Range<usize>],
        front: impl Fn(char) -> bool,
        back: impl Fn(char) -> bool,
    ) -> [Vec<Range<usize>>; 3] {
        let mut values = self.values(at);
        let mut taken = (0, 0);
        let of_all = |values: &[&str], c: fn(&str) -> Option<char>| {
            let first = c(values.first()?)?;
            values.iter().all(|v| c(v) == Some(first)).then_some(first)
        };
        while let Some(c) = of_all(&values, |v| v.chars().next()).filter(|c| front(*c)) {
            taken.0 += c.len_utf8();
            values.iter_mut().for_each(|v| *v = &v[c.len_utf8()..]);
        }
        while let Some(c) = of_all(&values, |v| v.chars().next_back()).filter(|c| back(*c)) {
            taken.1 += c.len_utf8();
            values
                .iter_mut()
                .for_each(|v| *v = &v[..v.len() - c.len_utf8()]);
        }
        let cut = |from: fn(&Range<usize>, (usize, usize)) -> Range<usize>| {
            at.iter().map(|r| from(r, taken)).collect()
        };
        [
            cut(|r, t| r.start..r.start + t.0),
            cut(|r, t| r.start + t.0..r.end - t.1),
            cut(|r, t| r.end - t.1..r.end),
        ]
    }

    fn words(&mut self, at: &[Range<usize>]) {
        let all: Vec<Vec<Range<usize>>> = at
            .iter()
            .zip(self.texts)
            .map(|(range, text)| tokens(text, range.clone()))
            .collect();
        let mut line = Reader {
            texts: self.texts,
            out: Vec::new(),
        };
        line.between(at, &all, Self::changed_words);
        line.join_near();
        let slots = line
            .out
            .iter()
            .filter(|p| matches!(p, BodyPart::Slot(_)))
            .count();
        if slots > MOST_IN_LINE || slots > 1 && line.says_little() {
            line.join(0, line.out.len());
        }
        for piece in line.out {
            self.push(piece);
        }
    }

    fn changed_words(&mut self, at: &[Range<usize>]) {
        let space = char::is_whitespace;
        let [front, inner, back] = self.peel(
            at,
            |c| space(c) || "\"'`([{<*".contains(c),
            |c| space(c) || "\"'`)]}>*.,;:!?".contains(c),
        );
        self.add(&front);
        self.add(&inner);
        self.add(&back);
    }

    /// Whether the text that stays is shorter than what changes, dates and the like left aside.
    fn says_little(&self) -> bool {
        let (mut stays, mut changes) = (0, 0);
        for piece in &self.out {
            match piece {
                BodyPart::Text(range) => stays += range.len(),
                BodyPart::Slot(at) if self.is_of_a_kind(at) => {}
                BodyPart::Slot(at) => {
                    changes += at.iter().map(Range::len).max().unwrap_or_default()
                }
            }
        }
        stays < changes
    }

    /// Whether all values are dates, or all paths, and so on.
    fn is_of_a_kind(&self, at: &[Range<usize>]) -> bool {
        common_kind(&self.values(at)) != Kind::Other
    }

    /// Makes one place of those between which no word stands.
    fn join_near(&mut self) {
        let mut at = 0;
        while at + 2 < self.out.len() {
            let joined = match &self.out[at..at + 3] {
                [
                    BodyPart::Slot(_),
                    BodyPart::Text(between),
                    BodyPart::Slot(_),
                ] => {
                    let text = self.text(0, between);
                    text.len() <= 3 && !text.chars().any(char::is_alphanumeric)
                }
                _ => false,
            };
            if joined {
                self.join(at, at + 3);
            } else {
                at += 1;
            }
        }
    }

    /// Makes one place of those of many lines between which only little stands.
    fn join_long(&mut self) {
        let mut at = 0;
        while at + 2 < self.out.len() {
            let joined = match &self.out[at..at + 3] {
                [
                    BodyPart::Slot(a),
                    BodyPart::Text(between),
                    BodyPart::Slot(b),
                ] => {
                    let text = self.text(0, between);
                    let few = text.len() <= NEAR && !text.lines().skip(1).any(is_blank);
                    few && self.has_lines(a) && self.has_lines(b)
                }
                _ => false,
            };
            if joined {
                self.join(at, at + 3);
            } else {
                at += 1;
            }
        }
    }

    fn has_lines(&self, at: &[Range<usize>]) -> bool {
        self.values(at).iter().any(|v| v.contains(['\n', '\r']))
    }

    /// Makes one place of the pieces from the first to the last place in a range of them.
    fn join(&mut self, from: usize, to: usize) {
        let slots: Vec<usize> = (from..to)
            .filter(|at| matches!(self.out[*at], BodyPart::Slot(_)))
            .collect();
        let (Some(first), Some(last)) = (slots.first().copied(), slots.last().copied()) else {
            return;
        };
        if let (BodyPart::Slot(a), BodyPart::Slot(b)) = (&self.out[first], &self.out[last]) {
            let whole = a.iter().zip(b).map(|(a, b)| a.start..b.end).collect();
            self.out.splice(first..=last, [BodyPart::Slot(whole)]);
        }
    }
}

fn contents(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    lines(text, range).into_iter().map(|l| l.content).collect()
}

/// Words, dates and single marks of a line; no white space.
pub(super) fn tokens(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let Some(c) = rest.chars().next() else { break };
        let length = match moment(rest) {
            Some((length, _)) => length,
            None if in_word(c) => word(rest),
            None => c.len_utf8(),
        };
        if !c.is_whitespace() {
            out.push(at..at + length);
        }
        at += length;
    }
    out
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || "_-./:+@~%#\\&?".contains(c)
}

/// The length of the word that `text` begins with, without the marks of a sentence behind it.
fn word(text: &str) -> usize {
    let end = text.find(|c| !in_word(c)).unwrap_or(text.len());
    let inner = text[..end].trim_end_matches(['.', ':', '?']).len();
    match inner {
        0 => text.chars().next().map_or(0, char::len_utf8),
        inner => inner,
    }
}

#[cfg(test)]
mod tests {
    use super::{BodyPart, pieces};

    /// The pieces as text: what changes in `[…|…]`.
    fn shown(texts: &[&str]) -> String {
        let at: Vec<_> = texts.iter().map(|t| 0..t.len()).collect();
        let show = |piece: BodyPart| match piece {
            BodyPart::Text(range) => texts[0][range].to_owned(),
            BodyPart::Slot(at) => {
                let values: Vec<&str> = at.into_iter().zip(texts).map(|(r, t)| &t[r]).collect();
                format!("[{}]", values.join("|"))
            }
        };
        pieces(texts, &at).into_iter().map(show).collect()
    }

    #[test]
    fn values_are_told_apart_from_what_is_around_them() {
        let all: &[(&[&str], &str)] = &[
            (
                &[
                    "Today is Monday, March 30, 2026.",
                    "Today is Tuesday, March 31, 2026.",
                ],
                "Today is [Monday, March 30, 2026|Tuesday, March 31, 2026].",
            ),
            (
                &[
                    "<env date=\"2026-03-30\" cwd=\"/a/b\">",
                    "<env date=\"2026-04-01\" cwd=\"/c\">",
                ],
                "<env date=\"[2026-03-30|2026-04-01]\" cwd=\"[/a/b|/c]\">",
            ),
            (&["- a\n- b", "- a\n- b\n- c"], "- a\n- b[|\n- c]"),
            (&["- a\n- c", "- a\n- b\n- c"], "- a\n[|- b\n]- c"),
            (
                &["x: 1\ny: 2", "x: 3\ny: 4", "x: 1\ny: 5"],
                "x: [1|3|1]\ny: [2|4|5]",
            ),
            (
                &[
                    "Today is Monday, March 30, 2026. The user is Ann.",
                    "Today is Wednesday, April 1, 2026. The user is Cy.",
                ],
                "Today is [Monday, March 30, 2026|Wednesday, April 1, 2026]. The user is [Ann|Cy].",
            ),
            (
                &["You have (12, 13) files.", "You have (4, 5) files."],
                "You have ([12, 13|4, 5]) files.",
            ),
            (&["é 1\r\nb", "é 2\r\nb"], "é [1|2]\r\nb"),
            (
                &["one two three", "four five six"],
                "[one two three|four five six]",
            ),
            (&["same", "same"], "same"),
            (&["a b ", "a b"], "a b[ |]"),
        ];
        for (texts, wanted) in all {
            assert_eq!(shown(texts), *wanted);
        }
    }

    #[test]
    fn a_changed_list_is_one_place() {
        let found = shown(&["- a\n- b\n- c\n- d", "- x\n- y\n- b\n- d\n- e"]);
        assert_eq!(found, "[- a\n- b\n- c\n- d|- x\n- y\n- b\n- d\n- e]");
    }
}
