//! The stable and the changing text inside of a group: first by lines, then by words.

use super::align::{Unit, align_lines};
use super::kind::{Kind, common_kind, moment};
use super::label;
use super::lines::{Line, lines};
use crate::text::common::{Numbers, longest_common};
use std::ops::Range;

/// More places than this in a line are one place.
const MOST_IN_LINE: usize = 6;
/// This many words between two values do not separate them, if one value may be missing.
const WORDS_BETWEEN: usize = 2;
/// At most so many unchanged words between a label and a changing value, or after it, belong to the value.
const WORDS_OF_VALUE: usize = 2;

/// Bytes by dump; none where a dump has nothing.
pub(super) type Places = Vec<Option<Range<usize>>>;

/// A piece of a stretch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BodyPart {
    /// A text that is equal in all dumps with the stretch.
    Text(String),
    /// Something else in each: its bytes in every dump that has it.
    Slot(Places),
    /// Lines that only some dumps have.
    Lines(Places, Vec<BodyPart>),
}

impl BodyPart {
    /// The number of places that change in it.
    pub(super) fn slots(&self) -> usize {
        match self {
            Self::Text(_) => 0,
            Self::Slot(_) => 1,
            Self::Lines(_, parts) => 1 + parts.iter().map(Self::slots).sum::<usize>(),
        }
    }

    /// Adds the places that change in it.
    pub(super) fn places(&self, out: &mut Vec<Places>) {
        match self {
            Self::Text(_) => {}
            Self::Slot(at) => out.push(at.clone()),
            Self::Lines(_, parts) => parts.iter().for_each(|part| part.places(out)),
        }
    }

    /// Whether no value in it has more bytes than `most`.
    pub(super) fn is_short(&self, most: usize) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Slot(at) => at.iter().flatten().all(|at| at.len() <= most),
            Self::Lines(_, parts) => parts.iter().all(|part| part.is_short(most)),
        }
    }
}

/// The pieces of a group, at `at` in those dumps that have it. With `is_trimmed`, white space after it is ignored: each
/// of its lines then ends with a line end.
pub(super) fn pieces(
    texts: &[&str],
    at: &[Option<Range<usize>>],
    is_trimmed: bool,
) -> Vec<BodyPart> {
    let who: Vec<usize> = (0..at.len()).filter(|dump| at[*dump].is_some()).collect();
    let at: Vec<Range<usize>> = at.iter().flatten().cloned().collect();
    let mut reader = Reader::new(texts, who);
    match reader.lines(&at, is_trimmed) {
        Some(()) => reader.whole(),
        None => vec![BodyPart::Slot(reader.of_all(&at))],
    }
}

/// The bytes of both and of the text between them, in those dumps that have any.
fn from_to(first: &[Option<Range<usize>>], last: &[Option<Range<usize>>]) -> Places {
    let both = first.iter().zip(last);
    both.map(|both| match both {
        (Some(first), Some(last)) => Some(first.start..last.end),
        (first, last) => first.clone().or(last.clone()),
    })
    .collect()
}

/// Reads a stretch in those dumps that have it; all its places are by their order.
struct Reader<'t> {
    texts: &'t [&'t str],
    who: Vec<usize>,
    out: Vec<BodyPart>,
}

impl<'t> Reader<'t> {
    fn new(texts: &'t [&'t str], who: Vec<usize>) -> Self {
        Self {
            texts,
            who,
            out: Vec::new(),
        }
    }

    fn text(&self, nth: usize, range: &Range<usize>) -> &'t str {
        &self.texts[self.who[nth]][range.clone()]
    }

    fn values(&self, at: &[Range<usize>]) -> Vec<&'t str> {
        let both = at.iter().enumerate();
        both.map(|(nth, range)| self.text(nth, range)).collect()
    }

    /// Places by dump.
    fn of_all(&self, at: &[Range<usize>]) -> Places {
        let mut out = vec![None; self.texts.len()];
        for (dump, range) in self.who.iter().zip(at) {
            out[*dump] = Some(range.clone());
        }
        out
    }

    /// Adds a place; if it is the same everywhere, as text.
    fn add(&mut self, at: &[Range<usize>]) {
        let values = self.values(at);
        if values.iter().any(|v| *v != values[0]) {
            let at = self.of_all(at);
            self.push(BodyPart::Slot(at));
        } else {
            self.add_text(values[0]);
        }
    }

    fn add_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(BodyPart::Text(text.to_owned()));
        }
    }

    /// Adds a piece; it joins the one before if both are text, or two places without anything between.
    fn push(&mut self, piece: BodyPart) {
        match (self.out.last_mut(), piece) {
            (Some(BodyPart::Text(before)), BodyPart::Text(text)) => before.push_str(&text),
            (Some(BodyPart::Slot(before)), BodyPart::Slot(at)) => {
                for (before, at) in before.iter_mut().zip(at) {
                    if let (Some(before), Some(at)) = (before, at) {
                        before.end = at.end;
                    }
                }
            }
            (_, piece) => self.out.push(piece),
        }
    }

    /// The pieces, where several that are one value or one edit are one:
    ///
    /// - lines of which each dump has some and none are in all: each dump has another text there;
    /// - a value that some dumps lack, and one close before it: a sentence with more in it;
    /// - the end of a line that differs, and lines after it that continue it.
    fn whole(self) -> Vec<BodyPart> {
        let mut out: Vec<BodyPart> = Vec::new();
        let mut rest = self.out.iter().peekable();
        while let Some(piece) = rest.next() {
            match (out.last_mut(), piece) {
                (Some(BodyPart::Text(before)), BodyPart::Text(text)) => before.push_str(text),
                _ => out.push(piece.clone()),
            }
            // A run of lines is compared as a whole.
            if matches!(rest.peek(), Some(BodyPart::Lines(..)))
                && matches!(piece, BodyPart::Lines(..))
            {
                continue;
            }
            while let Some((from, at, end)) = self.one_value(&out) {
                out.truncate(from);
                out.push(BodyPart::Slot(at));
                out.extend(end.map(BodyPart::Text));
            }
        }
        out
    }

    /// The place that the last of the pieces make together, where it begins among them, and what ends it.
    fn one_value(&self, out: &[BodyPart]) -> Option<(usize, Places, Option<String>)> {
        use BodyPart::{Lines, Slot, Text};
        let value = |dump: usize, at: &Option<Range<usize>>| self.texts[dump].get(at.clone()?);
        let lacks = |at: &Places| {
            self.who
                .iter()
                .any(|dump| value(*dump, &at[*dump]).is_some_and(|v| v.trim().is_empty()))
        };
        match out {
            [.., Slot(first), Text(between), Slot(last)] if lacks(last) || lacks(first) => {
                let few = between.split_whitespace().count() <= WORDS_BETWEEN
                    && !between.contains([':', '|', '<', '"']);
                few.then(|| (out.len() - 3, from_to(first, last), None))
            }
            [.., Slot(first), Text(end), Lines(more, inner)] if label::is_line_end(end) => {
                let goes_on = |dump: &usize| {
                    value(*dump, &more[*dump]).is_some_and(|v| v.starts_with(char::is_lowercase))
                };
                let there = self.who.iter().filter(|dump| more[**dump].is_some());
                let goes_on =
                    there.clone().count() > 0 && there.clone().all(goes_on) && !inner.is_empty();
                goes_on.then(|| (out.len() - 3, from_to(first, more), Some(end.clone())))
            }
            [.., Lines(..)] => {
                let run = out
                    .iter()
                    .rev()
                    .take_while(|piece| matches!(piece, Lines(..)))
                    .count();
                let from = out.len() - run;
                let mut at = vec![None; self.texts.len()];
                let is_list = |at: &[Option<Range<usize>>]| {
                    self.who
                        .iter()
                        .any(|dump| value(*dump, &at[*dump]).is_some_and(|v| v.contains('\n')))
                };
                // A list continues after a blank line.
                let start = match &out[..from] {
                    [.., Slot(first), Text(between)]
                        if between.trim().is_empty() && is_list(first) =>
                    {
                        let more = between.len() - 1;
                        at = first
                            .iter()
                            .map(|at| at.clone().map(|at| at.start..at.end + more))
                            .collect();
                        from - 2
                    }
                    _ if run < 2 => return None,
                    _ => from,
                };
                for piece in &out[from..] {
                    let Lines(own, inner) = piece else {
                        return None;
                    };
                    match inner.last() {
                        Some(Text(end)) if !end.ends_with("\r\n") => at = from_to(&at, own),
                        _ => return None,
                    }
                }
                // Lines that are called something stay apart.
                let is_called = |piece: &BodyPart| match piece {
                    Lines(own, _) => self.who.iter().any(|dump| {
                        value(*dump, &own[*dump]).is_some_and(|v| {
                            label::of_line(v.lines().next().unwrap_or_default()).is_some()
                        })
                    }),
                    Slot(_) | Text(_) => false,
                };
                if out[from..].iter().all(is_called) {
                    return None;
                }
                let all = self.who.iter().all(|dump| at[*dump].is_some());
                all.then(|| (start, at, Some("\n".to_owned())))
            }
            _ => None,
        }
    }

    /// Reads a stretch line by line; none if lines that only some have do not end as others do.
    fn lines(&mut self, at: &[Range<usize>], is_trimmed: bool) -> Option<()> {
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
                match whole.is_empty() {
                    true => whole = ranges.collect(),
                    false => whole
                        .iter_mut()
                        .zip(ranges)
                        .for_each(|(whole, range)| whole.end = range.end),
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

    /// Reads a line word by word.
    fn words(&mut self, at: &[Range<usize>]) {
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

/// Words, dates and single marks of a line; no white space.
pub(super) fn tokens(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let Some(c) = rest.chars().next() else { break };
        let length = match moment(rest) {
            Some((length, _)) => length,
            // Of the number of an item, its parts.
            None if at == range.start && c.is_ascii_digit() => {
                rest.bytes().take_while(u8::is_ascii_digit).count()
            }
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

/// The length of the first word of `text`, without the punctuation after it.
fn word(text: &str) -> usize {
    let digit = |at: Option<usize>| {
        at.and_then(|at| text.as_bytes().get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    // A comma between digits is one of a number.
    let goes_on = |at: usize, c: char| {
        in_word(c) || c == ',' && digit(at.checked_sub(1)) && digit(Some(at + 1))
    };
    let mut chars = text.char_indices();
    let end = chars
        .find(|(at, c)| !goes_on(*at, *c))
        .map_or(text.len(), |(at, _)| at);
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
        let at: Vec<_> = texts.iter().map(|t| Some(0..t.len())).collect();
        pieces(texts, &at, true)
            .iter()
            .map(|p| show(p, texts))
            .collect()
    }

    fn show(piece: &BodyPart, texts: &[&str]) -> String {
        let values = |at: &[Option<std::ops::Range<usize>>]| {
            let both = at.iter().zip(texts);
            let all = both.map(|(at, text)| at.clone().map_or("-", |at| &text[at]));
            all.collect::<Vec<_>>().join("|")
        };
        match piece {
            BodyPart::Text(text) => text.clone(),
            BodyPart::Slot(at) => format!("[{}]", values(at)),
            BodyPart::Lines(at, parts) => {
                let inner: String = parts.iter().map(|p| show(p, texts)).collect();
                format!("?{}{inner}?", at.iter().filter(|at| at.is_some()).count())
            }
        }
    }

    #[test]
    fn values_are_separated_from_the_text_around_them() {
        let all: &[(&[&str], &str)] = &[
            (
                &[
                    "Today is Monday, March 30, 2026.",
                    "Today is Tuesday, March 31, 2026.",
                ],
                "Today is [Monday, March 30, 2026|Tuesday, March 31, 2026].\n",
            ),
            (
                &[
                    "<env date=\"2026-03-30\" cwd=\"/a/b\">",
                    "<env date=\"2026-04-01\" cwd=\"/c\">",
                ],
                "<env date=\"[2026-03-30|2026-04-01]\" cwd=\"[/a/b|/c]\">\n",
            ),
            (&["- a\n- b", "- a\n- b\n- c"], "- a\n- b\n?1- c\n?"),
            (&["- a\n- c", "- a\n- b\n- c"], "- a\n?1- b\n?- c\n"),
            (
                &["x: 1\ny: 2", "x: 3\ny: 4", "x: 1\ny: 5"],
                "x: [1|3|1]\ny: [2|4|5]\n",
            ),
            (
                &[
                    "Today is Monday, March 30, 2026. The user is Ann.",
                    "Today is Wednesday, April 1, 2026. The user is Cy.",
                ],
                "Today is [Monday, March 30, 2026|Wednesday, April 1, 2026]. The user is [Ann|Cy].\n",
            ),
            (
                &["You have (12, 13) files.", "You have (4, 5) files."],
                "You have ([12, 13|4, 5]) files.\n",
            ),
            (&["é 1\r\nb", "é 2\r\nb"], "é [1|2]\r\nb\n"),
            (
                &["one two three", "four five six"],
                "[one two three|four five six]\n",
            ),
            (&["same", "same"], "same\n"),
            (&["a b ", "a b"], "a b[ |]\n"),
        ];
        for (texts, wanted) in all {
            assert_eq!(shown(texts), *wanted);
        }
    }

    #[test]
    fn a_list_after_its_opening_line_is_one_value() {
        let found = shown(&["Files:\nM a\nM b\n\nend", "Files:\nM c\nM b\n\nend"]);
        assert_eq!(found, "Files:\n[M a\nM b|M c\nM b]\n\nend\n");
        let found = shown(&["<m>\n- a\n- b\n</m>", "<m>\n</m>", "<m>\n- c\n</m>"]);
        assert_eq!(found, "<m>\n?2[- a\n- b|-|- c]\n?</m>\n");
    }

    #[test]
    fn lines_are_matched_by_their_labels() {
        let found = shown(&[
            "- a: 1\n- b: 2\n- z: 0",
            "- b: 3\n- c: 4\n- z: 0",
            "- a: 1\n- z: 0",
        ]);
        assert_eq!(found, "?2- a: 1\n??2- b: [2|3|-]\n??1- c: 4\n?- z: 0\n");
    }

    #[test]
    fn a_value_is_the_whole_text_after_its_label() {
        let found = shown(&[
            "Firm: Reed Ltd\nLeft: 3 days",
            "Firm: Reed & Lind Ltd\nLeft: 10 days",
        ]);
        assert_eq!(
            found,
            "Firm: [Reed Ltd|Reed & Lind Ltd]\nLeft: [3|10] days\n"
        );
    }
}
