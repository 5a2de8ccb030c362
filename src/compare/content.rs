//! A comparison of what two layers show of one document: whether and where a byte of it was edited, or only the cut
//! moved.

use super::excerpt::FirstDifference;
use super::rows::OwnedRun;
use super::side::Side;
use crate::prompt::{Ingredient, Span};
use crate::text::prefix;
use std::ops::Range;

/// The parts of one document in a piece, run by run.
#[derive(Debug, Default)]
pub(super) struct Shown<'p> {
    /// The text of the runs, without the text between them.
    text: String,
    stretches: Vec<VisibleRun<'p>>,
    /// Whether a budget took something of the document.
    cut: bool,
    /// The size of the document in bytes.
    whole: usize,
    /// Whether the document continues after another one that it imports.
    goes_on: bool,
}

/// A run of bytes that are adjacent in the document.
#[derive(Debug)]
struct VisibleRun<'p> {
    /// Bytes into the document.
    offset: usize,
    line: Option<usize>,
    text: &'p str,
    /// Where it begins in [`Shown::text`].
    start: usize,
}

impl VisibleRun<'_> {
    /// The position in the document of a byte of [`Shown::text`]: at a whole character, and not after its end.
    fn at(&self, byte: usize) -> usize {
        let at = byte.saturating_sub(self.start).min(self.text.len());
        (0..=at)
            .rev()
            .find(|at| self.text.is_char_boundary(*at))
            .unwrap_or(0)
    }
}

/// As much white space as a document may have at its end, where it is trimmed.
const FEEDS: &str = "\n\n\n\n";

/// Why two pieces of one document differ.
#[derive(Debug)]
pub(super) enum Verdict {
    /// A byte that is shown was edited, here.
    Edited(FirstDifference),
    /// The bytes are in both documents, and only a cut moved.
    Cut,
    /// The bytes were made from the document, so that it cannot be said.
    Unknown,
}

impl<'p> Shown<'p> {
    /// The parts of a document in one piece.
    pub(super) fn of(side: &Side<'p>, piece: &OwnedRun<'p>, cut: bool) -> Self {
        let spans = side.spans().get(piece.spans.clone()).unwrap_or_default();
        let rest = side.spans().get(piece.spans.end..).unwrap_or_default();
        let own = spans.first().and_then(|s| s.ingredient);
        let next = rest.iter().find(|s| s.ingredient == own);
        let from = spans.last().and_then(|s| s.offset);
        let mut out = Self {
            cut,
            goes_on: !cut && next.is_some_and(|s| s.offset > from),
            ..Self::default()
        };
        spans.iter().for_each(|span| out.add(side, span));
        out
    }

    /// The parts of one shown reading of a document in a layer; a document can be printed several times.
    pub(super) fn once(side: &Side<'p>, spans: &[&Span], cut: bool) -> Self {
        let mut out = Self {
            cut,
            ..Self::default()
        };
        let first = spans.first().and_then(|s| s.ingredient);
        for span in spans.iter().filter(|s| s.ingredient == first) {
            let ends = out.stretches.last().map_or(0, |s| s.offset + s.text.len());
            if span.offset.is_some_and(|offset| offset < ends) {
                break;
            }
            out.add(side, span);
        }
        out
    }

    fn add(&mut self, side: &Side<'p>, span: &Span) {
        if let Some(Ingredient::Document { bytes, .. }) = side.ingredient(span.ingredient) {
            self.whole = *bytes;
        }
        let Some(offset) = span.offset else { return };
        let text = side.bytes(span);
        self.stretches.push(VisibleRun {
            // Leaves room after it, whatever an artifact says.
            offset: offset.min(usize::MAX - text.len()),
            line: span.line,
            text,
            start: self.text.len(),
        });
        self.text.push_str(text);
    }

    /// The line feeds at the end of an uncut document, which are trimmed.
    fn trimmed(&self) -> Option<VisibleRun<'static>> {
        let ends = self.stretches.last().filter(|_| !self.cut);
        let offset = ends.map(|s| s.offset + s.text.len())?;
        let text = FEEDS.get(..self.whole.checked_sub(offset)?)?;
        Some(VisibleRun {
            offset,
            line: None,
            text,
            start: self.text.len(),
        })
    }

    /// The first byte from one on that is no line feed, if there is one: text that was added after a line
    /// starts with its line feed.
    fn after_line_feeds(&self, byte: usize) -> usize {
        let rest = self.text.as_bytes().get(byte..).unwrap_or_default();
        let feeds = rest.iter().position(|b| *b != b'\n');
        byte + feeds.unwrap_or(0)
    }

    fn at(&self, byte: usize) -> Option<&VisibleRun<'p>> {
        let index = self
            .stretches
            .partition_point(|s| s.start + s.text.len() <= byte);
        self.stretches.get(index)
    }

    /// Bytes into the document of a byte that is shown.
    fn offset(&self, byte: usize) -> Option<usize> {
        let stretch = self.at(byte)?;
        Some(stretch.offset + (byte - stretch.start))
    }

    /// The byte at `len` of a document that is shown from its beginning up to there; where an uncut one ends, a trimmed line feed or
    /// nothing. None if that is not known.
    fn next_from_start(&self, len: usize) -> Option<Option<u8>> {
        let first = self.stretches.first().filter(|s| s.offset == 0)?;
        if let Some(byte) = first.text.as_bytes().get(len) {
            return Some(Some(*byte));
        }
        let ends = first.text.len() == len && self.stretches.len() == 1;
        let trimmed = self.trimmed().filter(|_| ends && !self.goes_on)?;
        Some(trimmed.text.bytes().next())
    }

    /// The line of a byte in the document.
    fn line(&self, byte: usize) -> Option<usize> {
        let stretch = self.at(byte).or(self.stretches.last())?;
        let upto = stretch.at(byte);
        let breaks = stretch.text.as_bytes()[..upto]
            .iter()
            .filter(|b| **b == b'\n');
        Some(stretch.line? + breaks.count())
    }

    /// The line around a byte, as far as it is shown; after the last byte, the line that continues there.
    fn words(&self, byte: usize) -> Option<&str> {
        let stretch = self.at(byte).or(self.stretches.last())?;
        let at = stretch.at(byte);
        let start = stretch.text[..at].rfind('\n').map_or(0, |n| n + 1);
        let rest = &stretch.text[at..];
        let line = &stretch.text[start..at + rest.find('\n').unwrap_or(rest.len())];
        (!line.is_empty()).then_some(line)
    }
}

/// The aligned texts that two layers show of one document: how much of it at most is unchanged in both, from its
/// beginning and from its end. An edit is one range, so the text between needs no guess.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlignedText {
    front: usize,
    back: usize,
    /// The sizes of the document in bytes.
    wholes: [usize; 2],
}

impl AlignedText {
    /// Lays all that is shown of a document on each other.
    pub(super) fn of(x: &Shown<'_>, y: &Shown<'_>) -> Self {
        let wholes = [x, y].map(|shown| {
            let ends = shown.stretches.iter().map(|s| s.offset + s.text.len());
            ends.max().unwrap_or(0).max(shown.whole)
        });
        let least = wholes[0].min(wholes[1]);
        let [front, back] = [false, true].map(|from_end| {
            let place = |side: usize, s: &VisibleRun<'_>| {
                if from_end {
                    wholes[side] - s.offset - s.text.len()
                } else {
                    s.offset
                }
            };
            let rows = [(0, x), (1, y)].map(|(side, shown)| {
                let mut row: Vec<_> = (shown.stretches.iter())
                    .chain(&shown.trimmed())
                    .map(|s| (place(side, s), s.text.as_bytes()))
                    .collect();
                row.sort_by_key(|(at, _)| *at);
                row
            });
            differs(&rows[0], &rows[1], from_end).unwrap_or(usize::MAX)
        });
        Self {
            front: front.min(least),
            back: back.min(least),
            wholes,
        }
    }

    /// The range of a side that was certainly edited.
    fn edited(&self, side: usize) -> Range<usize> {
        self.front..self.wholes[side] - self.back
    }

    /// Whether bytes of A and of B may both be unchanged in the document.
    fn may_stay(&self, places: [Option<usize>; 2]) -> bool {
        let least = self.wholes[0].min(self.wholes[1]);
        // Each is before the edit or after it.
        (0..4).any(|ways| {
            let (mut front, mut back) = (0, 0);
            for (side, place) in places.iter().enumerate() {
                let Some(place) = place else { continue };
                match ways >> side & 1 {
                    0 => front = front.max(place.saturating_add(1)),
                    _ => back = back.max(self.wholes[side].saturating_sub(*place)),
                }
            }
            front <= self.front && back <= self.back && front.saturating_add(back) <= least
        })
    }

    /// The first shown byte of a side that was certainly edited; text that was added after a line starts with
    /// its line feed.
    fn seen(&self, side: usize, shown: &Shown<'_>) -> Option<usize> {
        let edited = self.edited(side);
        let bytes = shown.stretches.iter().filter_map(|s| {
            let from = edited.start.max(s.offset);
            let to = edited.end.min(s.offset + s.text.len());
            (from < to).then(|| s.start + from - s.offset..s.start + to - s.offset)
        });
        let mut first = None;
        for range in bytes {
            let text = &shown.text.as_bytes()[range.clone()];
            first = first.or(Some(range.start));
            if let Some(at) = text.iter().position(|b| *b != b'\n') {
                return Some(range.start + at);
            }
        }
        first
    }

    /// Where an edited byte is shown first.
    pub(super) fn place(&self, x: &Shown<'_>, y: &Shown<'_>) -> Option<FirstDifference> {
        if x.stretches.is_empty() || y.stretches.is_empty() {
            return None;
        }
        let (old, new) = (self.seen(0, x), self.seen(1, y));
        let same = old.and_then(|at| x.offset(at)) == new.and_then(|at| y.offset(at));
        Some(match (old, new) {
            (None, None) => return None,
            (_, Some(at)) => {
                let before = old.filter(|_| same).and_then(|at| x.words(at));
                FirstDifference::new(y.line(at), [before, y.words(at)])
            }
            (Some(at), None) => FirstDifference::new(x.line(at), [x.words(at), None]),
        })
    }
}

/// The first byte, from one end, at which both rows show something and differ.
fn differs(x: &[(usize, &[u8])], y: &[(usize, &[u8])], from_end: bool) -> Option<usize> {
    let (mut i, mut j) = (0, 0);
    while let (Some((at, a)), Some((to, b))) = (x.get(i), y.get(j)) {
        let start = *at.max(to);
        let end = (at + a.len()).min(to + b.len());
        let byte = |from: usize, text: &[u8], place: usize| {
            if from_end {
                text[text.len() - 1 - (place - from)]
            } else {
                text[place - from]
            }
        };
        let mut places = start..end;
        if let Some(found) = places.find(|place| byte(*at, a, *place) != byte(*to, b, *place)) {
            // Down to whole characters.
            let inside = |place: &usize| {
                let last = place - usize::from(from_end);
                [byte(*at, a, last), byte(*to, b, last)]
                    .iter()
                    .any(|b| b & 0xC0 == 0x80)
            };
            let mut down = (start + 1..=found).rev();
            return Some(down.find(|place| !inside(place)).unwrap_or(start));
        }
        if at + a.len() <= to + b.len() {
            i += 1
        } else {
            j += 1
        }
    }
    None
}

/// Compares what two pieces show of a document that has other bytes now, or the same if not `edited`; `aligned` is all that is shown
/// of it.
pub(super) fn compare(
    x: &Shown<'_>,
    y: &Shown<'_>,
    aligned: &AlignedText,
    edited: bool,
) -> Verdict {
    if x.stretches.is_empty() || y.stretches.is_empty() {
        return Verdict::Unknown;
    }
    let cut = x.cut || y.cut;
    if !edited {
        return if cut { Verdict::Cut } else { Verdict::Unknown };
    }
    let at = prefix::common(&x.text, &y.text);
    let places = [x.offset(at), y.offset(at)];
    let next = [
        x.offset(x.after_line_feeds(at)),
        y.offset(y.after_line_feeds(at)),
    ];
    // Of what is shown from the beginning the first byte that differs was edited, whatever else may have been.
    let from_start = [x, y].map(|shown| shown.next_from_start(at));
    let shows = places.iter().any(Option::is_some);
    let first = match (from_start, places) {
        ([Some(_), Some(_)], [Some(_), Some(_)]) => true,
        ([Some(old), Some(new)], _) => shows && old != new,
        _ => false,
    };
    if cut && !first && aligned.may_stay(places) && aligned.may_stay(next) {
        return Verdict::Cut;
    }
    // Front matter that shows on one side only exists on the other side too, where it is removed.
    let front = |own: &Shown<'_>, other: &Shown<'_>| {
        own.text.starts_with("---\n") && other.offset(0) > own.offset(0)
    };
    Verdict::Edited(match at == 0 && (front(x, y) || front(y, x)) {
        true => FirstDifference::default(),
        // Two places in the document.
        false if cut && !first && places[0] != places[1] => {
            let is_edited = |side: usize| {
                let edited = aligned.edited(side);
                places[side].is_some_and(|place| edited.contains(&place))
            };
            match is_edited(1) {
                true => FirstDifference::new(y.line(at), [None, y.words(at)]),
                false if is_edited(0) => FirstDifference::new(x.line(at), [x.words(at), None]),
                false => FirstDifference::default(),
            }
        }
        false => found(x, y, at),
    })
}

fn found(x: &Shown<'_>, y: &Shown<'_>, at: usize) -> FirstDifference {
    // Where one ends with a line and the other goes on, the change is in the next line.
    let next = |own: &Shown<'_>, other: &Shown<'_>| {
        let rest = own.text.get(at..).unwrap_or_default();
        let lines = rest.len() - rest.trim_start_matches('\n').len();
        let ends = at == other.text.len() && !other.goes_on && lines < rest.len();
        at + if ends { lines } else { 0 }
    };
    let (of_x, of_y) = (next(x, y), next(y, x));
    let goes_on = |own: &Shown<'_>, byte: usize, other: &Shown<'_>, there: usize| {
        // The line has nothing there if the other side begins a new one.
        let new = byte >= own.text.len() && (there > at || other.text[..there].ends_with('\n'));
        !new
    };
    let new = y.words(of_y).filter(|_| goes_on(y, of_y, x, of_x));
    let line = if new.is_some() || of_y < y.text.len() || y.goes_on {
        y.line(of_y)
    } else {
        x.line(of_x)
    };
    let old = x.words(of_x).filter(|_| goes_on(x, of_x, y, of_y));
    FirstDifference::new(line, [old, new])
}
