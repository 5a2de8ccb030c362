//! A line, word by word.

use super::reader::Reader;
use crate::adopt::kind::{Kind, common_kind};
use crate::adopt::label;
use crate::adopt::tokens::tokens;
use crate::text::common::{Numbers, longest_common};
use std::ops::Range;

/// More places than this in a line are one place.
const MOST_IN_LINE: usize = 6;
/// At most so many unchanged words between a label and a changing value, or after it, belong to the value.
const WORDS_OF_VALUE: usize = 2;

impl Reader<'_> {
    /// Reads a line word by word.
    pub(super) fn words(&mut self, at: &[Range<usize>]) {
        let mut slots = self.changed_words(at);
        slots.dedup_by(|next, before| {
            let between = self.text(0, &(before[0].end..next[0].start));
            let is_moment = |slot: &[Range<usize>]| {
                matches!(
                    common_kind(&self.values(slot)),
                    Kind::Date | Kind::Time | Kind::Moment
                )
            };
            let near = between.len() <= 3
                && !between.contains(char::is_alphanumeric)
                && !is_moment(before)
                && !is_moment(next);
            if near {
                joined(before, next);
            }
            near
        });
        // The text of a label is no part of the value, however short it is.
        let line = self.text(0, &at[0]);
        let value = at[0].start + label::of_line(line).map_or(0, |label| label.value);
        let of_value = slots.partition_point(|slot| slot[0].start < value);
        let mut in_value = slots.split_off(of_value);
        let is_other = |slot: &Vec<Range<usize>>| common_kind(&self.values(slot)) == Kind::Other;
        let between = in_value
            .windows(2)
            .map(|two| self.text(0, &(two[0][0].end..two[1][0].start)));
        // A label's value with nothing but marks between its parts, such as a name and a date.
        let is_one = value > at[0].start
            && in_value.iter().any(is_other)
            && between
                .clone()
                .all(|text| !text.contains(char::is_alphanumeric));
        if in_value.len() > MOST_IN_LINE
            || in_value.len() > 1 && (is_one || self.says_little(at[0].len(), &in_value))
        {
            in_value.dedup_by(|next, before| {
                joined(before, next);
                true
            });
        }
        if value > at[0].start {
            self.widen(value, at[0].end, &mut in_value);
        }
        slots.append(&mut in_value);
        let mut rest = at.to_vec();
        for slot in slots {
            let both = rest.iter().zip(&slot);
            let front: Vec<Range<usize>> = both.map(|(r, s)| r.start..s.start).collect();
            self.add(&front);
            self.add(&slot);
            for (rest, slot) in rest.iter_mut().zip(&slot) {
                rest.start = slot.end;
            }
        }
        self.add(&rest);
    }

    /// The differing text between the words that all have.
    fn changed_words(&self, at: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
        let mut numbers = Numbers::default();
        let (mut words, mut sequences) = (Vec::new(), Vec::new());
        for (nth, range) in at.iter().enumerate() {
            let all = tokens(self.texts[self.who[nth]], range.clone());
            sequences.push(all.iter().map(|w| numbers.of(self.text(nth, w))).collect());
            words.push(all);
        }
        let sequences: Vec<&[u32]> = sequences.iter().map(Vec::<u32>::as_slice).collect();
        let mut out = Vec::new();
        let mut add = |gap: &[Range<usize>]| {
            let values = self.values(gap);
            if values.iter().any(|v| *v != values[0]) {
                out.push(self.peeled(gap));
            }
        };
        let mut rest = at.to_vec();
        for anchor in longest_common(&sequences) {
            let mut front = rest.clone();
            for (nth, word) in anchor.into_iter().enumerate() {
                front[nth].end = words[nth][word].start;
                rest[nth].start = words[nth][word].end;
            }
            add(&front);
        }
        add(&rest);
        out
    }

    /// Places without the marks and spaces that all begin with and end with.
    fn peeled(&self, at: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut values = self.values(at);
        let mut at = at.to_vec();
        let of_all = |values: &[&str], c: fn(&str) -> Option<char>, marks: &str| {
            let first = c(values.first()?)?;
            let alike = values.iter().all(|v| c(v) == Some(first));
            (alike && (first.is_whitespace() || marks.contains(first))).then(|| first.len_utf8())
        };
        while let Some(n) = of_all(&values, |v| v.chars().next(), "\"'`([{<*") {
            values.iter_mut().for_each(|v| *v = &v[n..]);
            at.iter_mut().for_each(|r| r.start += n);
        }
        while let Some(n) = of_all(&values, |v| v.chars().next_back(), "\"'`)]}>*.,;:!?") {
            values.iter_mut().for_each(|v| *v = &v[..v.len() - n]);
            at.iter_mut().for_each(|r| r.end -= n);
        }
        at
    }

    /// Whether the text that stays is shorter than what changes, dates and the like left aside.
    fn says_little(&self, length: usize, slots: &[Vec<Range<usize>>]) -> bool {
        let changes = slots.iter().map(|slot| slot[0].len()).sum::<usize>();
        let others = slots
            .iter()
            .filter(|slot| common_kind(&self.values(slot)) == Kind::Other);
        let longest = others.map(|slot| slot.iter().map(Range::len).max().unwrap_or_default());
        length - changes < longest.sum()
    }

    /// After a label, unchanged words around a changing value are a part of the value: a name may share some with
    /// others.
    fn widen(&self, value: usize, end: usize, slots: &mut [Vec<Range<usize>>]) {
        let is_name = |slot: &[Range<usize>]| {
            matches!(
                common_kind(&self.values(slot)),
                Kind::Other | Kind::Path | Kind::Url
            )
        };
        let few = |text: &str| {
            let plain = text
                .chars()
                .all(|c| c.is_alphanumeric() || c == ' ' || c == '-');
            plain && text.split_whitespace().count() <= WORDS_OF_VALUE
        };
        if let Some(slot) = slots.first_mut() {
            let front = self.text(0, &(value..slot[0].start));
            if is_name(slot) && few(front) {
                slot.iter_mut().for_each(|r| r.start -= front.len());
            }
        }
        if let Some(slot) = slots.last_mut() {
            let back = self.text(0, &(slot[0].end..end));
            let end = back
                .find(['<', '|', '"', '`', ')', ',', ';'])
                .unwrap_or(back.len());
            let back = back[..end].trim_end_matches([' ', '.']);
            if is_name(slot) && few(back) {
                slot.iter_mut().for_each(|r| r.end += back.len());
            }
        }
    }
}

/// Makes the places one that go from the first ones to the others.
fn joined(before: &mut [Range<usize>], next: &[Range<usize>]) {
    let both = before.iter_mut().zip(next);
    both.for_each(|(before, next)| before.end = next.end);
}
