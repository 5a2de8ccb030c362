//! Cuts dumps into bodies: pieces that give the text again when they are joined.

use super::lines::{Gap, gaps};
use super::structure::Mark;
use std::collections::BTreeMap;
use std::ops::Range;

/// A body that has more bytes is cut at its lines, where that is possible.
const LARGE: usize = 16_000;

/// Dumps that were cut. The text of each is its bodies with `join` between them; no body is blank.
#[derive(Debug, Clone)]
pub(super) struct Split<'t> {
    /// The dumps.
    pub(super) texts: &'t [&'t str],
    /// Where parts begin in each.
    pub(super) marks: &'t [Vec<Mark>],
    /// The text between bodies.
    pub(super) join: String,
    /// The bodies of each dump, in order.
    pub(super) bodies: Vec<Vec<Range<usize>>>,
}

impl<'t> Split<'t> {
    /// Cuts where `join` precedes a line; without a join at blank lines and where a part begins.
    pub(super) fn new(texts: &'t [&'t str], marks: &'t [Vec<Mark>], join: &str) -> Self {
        let both = texts.iter().zip(marks);
        let bodies = both.map(|(text, marks)| match join {
            "" => exact(text, marks),
            join => joined(text, join),
        });
        Self {
            texts,
            marks,
            join: join.to_owned(),
            bodies: bodies.collect(),
        }
    }

    /// The bytes of some bodies of a dump; none of no bodies.
    pub(super) fn bytes(&self, dump: usize, bodies: &Range<usize>) -> Option<Range<usize>> {
        let of = self.bodies[dump].get(bodies.clone())?;
        Some(of.first()?.start..of.last()?.end)
    }

    /// The text of some bodies of a dump.
    pub(super) fn text(&self, dump: usize, bodies: &Range<usize>) -> &'t str {
        let bytes = self.bytes(dump, bodies).unwrap_or_default();
        &self.texts[dump][bytes]
    }

    /// The part that a body begins, if any.
    pub(super) fn mark(&self, dump: usize, body: usize) -> Option<&'t Mark> {
        let range = self.bodies[dump].get(body)?;
        let text = &self.texts[dump][range.clone()];
        let first = range.start + (text.len() - text.trim_start().len());
        let marks = &self.marks[dump];
        let at = marks.binary_search_by_key(&first, |m| m.at).ok()?;
        marks.get(at)
    }

    /// The share of the parts' beginnings that no body begins with is more than a third.
    pub(super) fn loses_parts(&self) -> bool {
        let all: usize = self.marks.iter().map(Vec::len).sum();
        let kept: usize = (0..self.texts.len())
            .map(|dump| {
                let bodies = 0..self.bodies[dump].len();
                bodies.filter(|b| self.mark(dump, *b).is_some()).count()
            })
            .sum();
        kept * 3 < all * 2
    }
}

fn joined(text: &str, join: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for gap in gaps(text) {
        if text[gap.range.clone()].ends_with(join) {
            out.push(start..gap.range.end - join.len());
            start = gap.range.end;
        }
    }
    out.push(start..text.len());
    out
}

fn exact(text: &str, marks: &[Mark]) -> Vec<Range<usize>> {
    let gaps = gaps(text);
    let begins = |gap: &&Gap| {
        let part = marks.binary_search_by_key(&gap.range.end, |m| m.at).is_ok();
        gap.ends > 1 || part
    };
    let mut out = Vec::new();
    let mut start = 0;
    let mut add = |end: usize, start: &mut usize| {
        if end - *start > LARGE {
            let inside = gaps.partition_point(|g| g.range.end <= *start);
            for gap in gaps[inside..].iter().take_while(|g| g.range.end < end) {
                out.push(*start..gap.range.end);
                *start = gap.range.end;
            }
        }
        out.push(*start..end);
        *start = end;
    };
    for gap in gaps.iter().filter(begins) {
        add(gap.range.end, &mut start);
    }
    add(text.len(), &mut start);
    out
}

/// The most frequent join before a part, or else between paragraphs; the shorter of equals.
pub(super) fn usual_join(texts: &[&str], marks: &[Vec<Mark>]) -> Option<String> {
    let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut paragraphs: BTreeMap<&str, usize> = BTreeMap::new();
    for (text, marks) in texts.iter().zip(marks) {
        for gap in gaps(text) {
            let between = &text[gap.range.clone()];
            if marks.binary_search_by_key(&gap.range.end, |m| m.at).is_ok() {
                *parts.entry(between).or_default() += 1;
            }
            if gap.ends > 1 {
                *paragraphs.entry(between).or_default() += 1;
            }
        }
    }
    let votes = if parts.values().sum::<usize>() >= 3 {
        parts
    } else {
        paragraphs
    };
    let winner = votes
        .into_iter()
        .min_by_key(|(between, n)| (usize::MAX - n, between.len(), *between));
    winner.map(|(between, _)| between.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Split, usual_join};
    use crate::adopt::structure::marks;

    fn pieces(text: &str, join: &str) -> Vec<String> {
        let marks = [marks(text)];
        let texts = [text];
        let split = Split::new(&texts, &marks, join);
        let bodies: Vec<String> = split.bodies[0]
            .iter()
            .map(|b| text[b.clone()].into())
            .collect();
        assert_eq!(bodies.join(join), text);
        bodies
    }

    #[test]
    fn bodies_make_up_the_text() {
        let text = "\n# A\n\nx\n\n\ny\n  \nz\n\n  w\n";
        assert_eq!(pieces(text, "\n\n"), ["\n# A", "x\n", "y\n  \nz\n\n  w\n"]);
        assert_eq!(
            pieces(text, ""),
            ["\n# A\n\n", "x\n\n\n", "y\n  \n", "z\n\n  w\n"]
        );
        assert_eq!(pieces("a\n# b\nc", ""), ["a\n", "# b\nc"]);
    }

    #[test]
    fn large_bodies_are_cut_at_lines() {
        let line = "word ".repeat(2_000);
        let text = format!("{line}\n{line}\n{line}\n\nend");
        assert_eq!(pieces(&text, "").len(), 4);
    }

    #[test]
    fn the_usual_join_is_that_of_parts() {
        let join = |text: &str| usual_join(&[text], &[marks(text)]);
        assert_eq!(
            join("# a\n\n\nx\n\n\n# b\n\n\n# c\n\n\n# d").as_deref(),
            Some("\n\n\n")
        );
        assert_eq!(
            join("# a\nx\n# b\ny\n# c\n# d\n\nz\n\nw").as_deref(),
            Some("\n")
        );
        assert_eq!(join("a\r\n\r\nb").as_deref(), Some("\r\n\r\n"));
        assert_eq!(join("a\nb"), None);
    }
}
