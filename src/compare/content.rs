//! What two layers show of one document: whether a byte of it was edited or only the cut stands elsewhere, and where.

use super::excerpt::{Found, around};
use super::prefix;
use super::rows::Piece;
use super::side::Side;
use crate::prompt::{Ingredient, Span};

/// What of one document stands in a piece, stretch by stretch.
#[derive(Debug, Default)]
pub(super) struct Shown<'p> {
    /// Without what stands between the stretches.
    text: String,
    stretches: Vec<Stretch<'p>>,
    /// Whether a budget took something of the document.
    cut: bool,
    /// The size of the document in bytes.
    whole: usize,
    /// Whether the document goes on behind another one that it imports.
    goes_on: bool,
}

/// So many bytes behind the last one that is shown may be white space.
const MOST_TRIMMED: usize = 4;

/// A run of bytes that stands in the document without a gap.
#[derive(Debug)]
struct Stretch<'p> {
    /// Bytes into the document.
    offset: usize,
    line: Option<usize>,
    text: &'p str,
    /// Where it begins in [`Shown::text`].
    start: usize,
}

impl Stretch<'_> {
    /// Where a byte of [`Shown::text`] stands in it: at a whole character, and not behind its end.
    fn at(&self, byte: usize) -> usize {
        let at = byte.saturating_sub(self.start).min(self.text.len());
        (0..=at)
            .rev()
            .find(|at| self.text.is_char_boundary(*at))
            .unwrap_or(0)
    }
}

/// Why two pieces of one document differ.
#[derive(Debug)]
pub(super) enum Verdict {
    /// A byte that is shown was edited, here.
    Edited(Found),
    /// The bytes stand in both documents, and a cut stands elsewhere.
    Cut,
    /// The bytes were made from the document, so that it cannot be said.
    Unknown,
}

impl<'p> Shown<'p> {
    /// What stands in one piece.
    pub(super) fn of(side: &Side<'p>, piece: &Piece<'p>, cut: bool) -> Self {
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

    /// What stands in a layer of the first reading of a document that is shown, once: it can be printed several times.
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
        self.stretches.push(Stretch {
            offset,
            line: span.line,
            text,
            start: self.text.len(),
        });
        self.text.push_str(text);
    }

    /// Whether a cut left nothing but line feeds behind a byte: in front of what was put behind a document they stood before.
    fn ends_in_feeds(&self, byte: usize) -> bool {
        let rest = self.text.get(byte..).unwrap_or_default();
        self.cut && rest.bytes().all(|b| b == b'\n')
    }

    fn at(&self, byte: usize) -> Option<&Stretch<'p>> {
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

    /// The line of a byte in the document.
    fn line(&self, byte: usize) -> Option<usize> {
        let stretch = self.at(byte).or(self.stretches.last())?;
        let upto = stretch.at(byte);
        let breaks = stretch.text.as_bytes()[..upto]
            .iter()
            .filter(|b| **b == b'\n');
        Some(stretch.line? + breaks.count())
    }

    /// The line around a byte, as far as it is shown; behind the last byte the line that it goes on.
    fn words(&self, byte: usize) -> Option<String> {
        let stretch = self.at(byte).or(self.stretches.last())?;
        let at = stretch.at(byte);
        let start = stretch.text[..at].rfind('\n').map_or(0, |n| n + 1);
        let rest = &stretch.text[at..];
        let line = &stretch.text[start..at + rest.find('\n').unwrap_or(rest.len())];
        (!line.is_empty()).then(|| around(line, at - start))
    }
}

/// Compares what two layers show of a document that has other bytes now, or the same if not `edited`.
pub(super) fn compare(x: &Shown<'_>, y: &Shown<'_>, edited: bool) -> Verdict {
    if x.stretches.is_empty() || y.stretches.is_empty() {
        return Verdict::Unknown;
    }
    if !edited {
        return match x.cut || y.cut {
            true => Verdict::Cut,
            false => Verdict::Unknown,
        };
    }
    let at = prefix::common(&x.text, &y.text);
    let is_cut = match (x.offset(at), y.offset(at)) {
        (None, None) => x.cut || y.cut,
        // One side ends here: with the document, or with what a cut left of it.
        (None, Some(_)) => x.cut || y.ends_in_feeds(at),
        (Some(_), None) => y.cut || x.ends_in_feeds(at),
        (Some(i), Some(j)) => (x.cut || y.cut) && slid((x, y), at, (i, j)),
    };
    if is_cut {
        return Verdict::Cut;
    }
    // Front matter that shows on one side only stands on the other too, where it is taken away.
    let front = |own: &Shown<'_>, other: &Shown<'_>| {
        own.text.starts_with("---\n") && other.offset(0) > own.offset(0)
    };
    Verdict::Edited(match at == 0 && (front(x, y) || front(y, x)) {
        true => Found::default(),
        // Two places in the document, of which nobody sees which was edited.
        false if (x.cut || y.cut) && x.offset(at) != y.offset(at) => {
            let seen = || seen(x, y).filter(|_| x.cut != y.cut);
            apart((x, y), at).or_else(seen).unwrap_or_default()
        }
        false => apart((x, y), at).unwrap_or_else(|| found(x, y, at)),
    })
}

/// Of two stretches that have no byte of the document in common the later one: what it shows stands in the other no more, or
/// not yet.
fn apart((x, y): (&Shown<'_>, &Shown<'_>), at: usize) -> Option<Found> {
    let (s, t) = (x.at(at)?, y.at(at)?);
    if !x.cut || !y.cut {
        return None;
    }
    if s.offset + s.text.len() <= t.offset {
        return Some(Found {
            line: y.line(at),
            old: None,
            new: y.words(at),
        });
    }
    (t.offset + t.text.len() <= s.offset).then(|| Found {
        line: x.line(at),
        old: x.words(at),
        new: None,
    })
}

/// Where an edited byte is shown first of a document that is cut on one side, and whole on the other: each of its stretches
/// stands in the whole one as far from its beginning, or from its end, or was edited.
pub(super) fn seen(x: &Shown<'_>, y: &Shown<'_>) -> Option<Found> {
    let (part, whole) = match (x.cut, y.cut) {
        (true, false) => (x, y),
        (false, true) => (y, x),
        (true, true) => return behind(x, y),
        (false, false) => return None,
    };
    let first = whole.stretches.first()?.offset;
    let (stretch, same) = part.stretches.iter().find_map(|stretch| {
        let there = whole.text.get(stretch.offset.checked_sub(first)?..);
        let same = prefix::common(there.unwrap_or_default(), stretch.text);
        let stays = same == stretch.text.len() || whole.text.ends_with(stretch.text);
        (!stays).then_some((stretch, same))
    })?;
    let (own, other) = (stretch.start + same, stretch.offset + same - first);
    let (line, words) = (part.line(own), part.words(own));
    Some(match x.cut {
        true => Found {
            line: y.line(other.min(y.text.len())),
            old: words,
            new: y.words(other).filter(|_| other < y.text.len()),
        },
        false => Found {
            line,
            old: x.words(other).filter(|_| other < x.text.len()),
            new: words,
        },
    })
}

/// What was put behind a document, or taken away there, of which both sides show the end.
fn behind(x: &Shown<'_>, y: &Shown<'_>) -> Option<Found> {
    let (s, t) = (x.stretches.last()?, y.stretches.last()?);
    // Stretches that begin alike are the beginning of the document.
    let from = s.offset.max(t.offset);
    if s.offset == t.offset {
        return None;
    }
    let (a, b) = (
        s.text.get(from - s.offset..)?,
        t.text.get(from - t.offset..)?,
    );
    let same = prefix::common(a, b);
    // But for white space, which is trimmed.
    let shows_end =
        |own: &Shown<'_>, s: &Stretch<'_>| s.offset + s.text.len() + MOST_TRIMMED >= own.whole;
    let ends = same > 0 && (same == a.len()) != (same == b.len());
    let ends = ends && shows_end(x, s) && shows_end(y, t);
    let next = |text: &str| {
        let rest = &text[same..];
        same + rest.len() - rest.trim_start_matches('\n').len()
    };
    let (of_x, of_y) = (
        s.start + from - s.offset + next(a),
        t.start + from - t.offset + next(b),
    );
    ends.then(|| match same == a.len() {
        true => Found {
            line: y.line(of_y),
            old: None,
            new: y.words(of_y),
        },
        false => Found {
            line: x.line(of_x),
            old: x.words(of_x),
            new: None,
        },
    })
}

/// Whether two bytes at which documents are seen to differ stand in both, so that only the place of a cut moved.
fn slid((x, y): (&Shown<'_>, &Shown<'_>), at: usize, (i, j): (usize, usize)) -> bool {
    let (Some(s), Some(t)) = (x.at(at), y.at(at)) else {
        return false;
    };
    // At one place in both documents other bytes stand: whatever is cut, these were edited.
    if i == j {
        return false;
    }
    // What a kept tail shows: as much of the end as before, or a little more or less of it; or what stood there, pushed on by
    // what was put behind it; or else other bytes.
    let (rest_x, rest_y) = (&s.text[at - s.start..], &t.text[at - t.start..]);
    let behind = back(rest_x, rest_y);
    if behind == rest_x.len().min(rest_y.len()) {
        return true;
    }
    let from = s.offset.max(t.offset);
    // They have no byte of the document in common: what stands in the other one too need not be edited.
    let both = x.cut && y.cut;
    if from >= s.offset + s.text.len() {
        return !both || t.offset < x.whole;
    }
    if from >= t.offset + t.text.len() {
        return !both || s.offset < y.whole;
    }
    let of = |stretch: &Stretch<'_>| {
        stretch
            .text
            .get(from - stretch.offset..)
            .unwrap_or_default()
            .to_owned()
    };
    // What stands in front of an edit is equal from the beginning, what stands behind it from the end.
    let (s, t) = (of(s), of(t));
    let before = prefix::common(&s, &t);
    before > 0 && (before >= behind || before + behind >= s.len().min(t.len()))
}

/// How many bytes two texts have in common at their ends.
fn back(a: &str, b: &str) -> usize {
    let pairs = a.bytes().rev().zip(b.bytes().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

fn found(x: &Shown<'_>, y: &Shown<'_>, at: usize) -> Found {
    // Where one ends with a line and the other goes on, the change is in the next line.
    let next = |own: &Shown<'_>, other: &Shown<'_>| {
        let rest = own.text.get(at..).unwrap_or_default();
        let lines = rest.len() - rest.trim_start_matches('\n').len();
        let ends = at == other.text.len() && !other.goes_on && lines < rest.len();
        at + if ends { lines } else { 0 }
    };
    let (of_x, of_y) = (next(x, y), next(y, x));
    let goes_on = |own: &Shown<'_>, byte: usize, other: &Shown<'_>, there: usize| {
        // Nothing of a line stands there if the other side begins a new one.
        let new = byte >= own.text.len() && (there > at || other.text[..there].ends_with('\n'));
        !new
    };
    let new = y.words(of_y).filter(|_| goes_on(y, of_y, x, of_x));
    Found {
        line: match new.is_some() || of_y < y.text.len() || y.goes_on {
            true => y.line(of_y),
            false => x.line(of_x),
        },
        old: x.words(of_x).filter(|_| goes_on(x, of_x, y, of_y)),
        new,
    }
}
