//! A stretch, line by line.

use super::part::BodyPart;
use super::reader::Reader;
use crate::adopt::align::{Unit, align_lines};
use crate::adopt::lines::{Line, lines};
use crate::text::common::{Numbers, longest_common};
use std::ops::Range;

impl Reader<'_> {
    /// Reads a stretch line by line; none if lines that only some have do not end as others do.
    pub(super) fn lines(&mut self, at: &[Range<usize>], is_trimmed: bool) -> Option<()> {
        let all: Vec<Vec<Line>> = at
            .iter()
            .enumerate()
            .map(|(nth, range)| lines(self.texts[self.who[nth]], range.clone()))
            .collect();
        let contents: Vec<Vec<&str>> = all
            .iter()
            .enumerate()
            .map(|(nth, lines)| {
                lines
                    .iter()
                    .map(|line| self.text(nth, &line.content))
                    .collect()
            })
            .collect();
        let mut units = align_lines(&contents).into_iter().peekable();
        while let Some(unit) = units.next() {
            if unit.is_everywhere() {
                self.block(&all, &unit, is_trimmed)?;
                continue;
            }
            // Lines that the same dumps have go together.
            let there: Vec<usize> = unit.present().collect();
            let mut inner =
                Reader::new(self.texts, there.iter().map(|nth| self.who[*nth]).collect());
            let mut whole: Vec<Range<usize>> = Vec::new();
            let mut next = Some(unit);
            while let Some(unit) = next {
                let own = Unit {
                    is_list: unit.is_list,
                    at: there.iter().map(|nth| unit.at[*nth].clone()).collect(),
                };
                let lines: Vec<Vec<Line>> = there.iter().map(|nth| all[*nth].clone()).collect();
                inner.block(&lines, &own, is_trimmed)?;
                let ranges = own.at.iter().zip(&lines).map(|(at, lines)| {
                    lines[at.start].content.start..lines[at.end - 1].content.end
                });
                if whole.is_empty() {
                    whole = ranges.collect()
                } else {
                    whole
                        .iter_mut()
                        .zip(ranges)
                        .for_each(|(whole, range)| whole.end = range.end)
                }
                next = units.next_if(|unit| unit.present().eq(there.iter().copied()));
            }
            let ended =
                matches!(inner.out.last(), Some(BodyPart::Text(text)) if text.ends_with('\n'));
            if !ended {
                return None;
            }
            let at = inner.of_all(&whole);
            self.push(BodyPart::Lines(at, inner.out));
        }
        Some(())
    }

    /// A line that all have, or lines that are different in each; none if their ends differ.
    fn block(&mut self, all: &[Vec<Line>], unit: &Unit, is_trimmed: bool) -> Option<()> {
        let of_unit = || {
            all.iter()
                .zip(&unit.at)
                .map(|(lines, at)| &lines[at.clone()])
        };
        let at: Vec<Range<usize>> = of_unit()
            .map(|l| l[0].content.start..l[l.len() - 1].content.end)
            .collect();
        let are_lines = of_unit().all(|lines| lines.len() == 1);
        if are_lines || !unit.is_list && self.is_similar(&at) {
            self.words(&at);
        } else {
            self.add(&at);
        }
        let end_at: Vec<Range<usize>> = of_unit()
            .map(|l| l[l.len() - 1].content.end..l[l.len() - 1].end)
            .collect();
        let ends = self.values(&end_at);
        let usual = ends
            .iter()
            .find(|end| !end.is_empty())
            .copied()
            .unwrap_or(if is_trimmed { "\n" } else { "" });
        let ends_alike = |end: &&str| *end == usual || is_trimmed && end.is_empty();
        // The last line of a dump may end with nothing.
        let mut whole = end_at.iter().zip(&self.who);
        if !is_trimmed && whole.all(|(end, dump)| end.end == self.texts[*dump].len()) {
            self.add(&end_at);
            return Some(());
        }
        ends.iter().all(ends_alike).then(|| self.add_text(usual))
    }

    /// Whether texts have two words of five in common.
    fn is_similar(&self, at: &[Range<usize>]) -> bool {
        let mut numbers = Numbers::default();
        let values = self.values(at);
        let words: Vec<Vec<u32>> = values
            .iter()
            .map(|v| v.split_whitespace().map(|w| numbers.of(w)).collect())
            .collect();
        let words: Vec<&[u32]> = words.iter().map(Vec::as_slice).collect();
        let most = words.iter().map(|w| w.len()).max().unwrap_or_default();
        longest_common(&words).len() * 5 >= most * 2
    }
}
