//! Budgets on texts: what is kept at both ends, and how documents share a total.

use super::measure::{Unit, back, forward, size};
use super::{Text, TextBuf};
use std::ops::Range;
use unicode_segmentation::GraphemeCursor;

/// Where a cut may fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Boundary {
    /// Between any two Unicode scalar values.
    Char,
    /// Between grapheme clusters.
    Grapheme,
    /// After a line feed.
    Line,
    /// After a blank line.
    Paragraph,
}

/// One maximum and how a longer text is cut to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The largest size.
    pub max: usize,
    /// In which unit.
    pub unit: Unit,
    /// Fraction of the maximum to keep from the start; all of it if neither is given.
    pub head: Option<f64>,
    /// Fraction of the maximum to keep from the end.
    pub tail: Option<f64>,
    /// Where a cut may fall.
    pub at: Boundary,
    /// The omitted part begins and ends at multiples of this, counted from the start in `unit`; 0 and 1 set no step.
    pub step: usize,
    /// Whether the marker comes on top of the maximum instead of out of it.
    pub marker_outside: bool,
}

impl Rule {
    /// The units to keep at the start and at the end, before the marker takes its room.
    ///
    /// Together they never exceed the maximum, whatever the fractions: the tail is shortened.
    fn shares(&self) -> (usize, usize) {
        let (head, tail) = match (self.head, self.tail) {
            (None, None) => (1.0, 0.0),
            (head, tail) => (head.unwrap_or(0.0), tail.unwrap_or(0.0)),
        };
        let head = share(self.max, head);
        (head, share(self.max, tail).min(self.max - head))
    }

    /// The last place at or before `place` where a head may end.
    fn head_end(&self, text: &str, place: usize) -> usize {
        round_down(text, self.step_down(text, place), self.at)
    }

    /// The first place at or after `place` where a tail may begin.
    fn tail_start(&self, text: &str, place: usize) -> usize {
        round_up(text, self.step_up(text, place), self.at)
    }

    fn step_down(&self, text: &str, place: usize) -> usize {
        if self.step < 2 || place == text.len() {
            return place;
        }
        let units = whole_units(&text[..place], self.unit);
        let kept = units - units % self.step;
        forward_within(text, kept, self.unit).min(place)
    }

    fn step_up(&self, text: &str, place: usize) -> usize {
        if self.step < 2 || place == 0 {
            return place;
        }
        let front = &text[..place];
        let begun = self.unit == Unit::Lines && !front.ends_with('\n');
        let units = whole_units(front, self.unit) + usize::from(begun);
        let omitted = units.checked_next_multiple_of(self.step);
        omitted.map_or(text.len(), |n| forward(text, 0, n, self.unit).max(place))
    }
}

/// The number of complete units of `text`: a line that does not end is not complete.
fn whole_units(text: &str, unit: Unit) -> usize {
    match unit {
        Unit::Lines if !text.ends_with('\n') => size(text, unit).saturating_sub(1),
        _ => size(text, unit),
    }
}

/// `fraction` of `max`, computed in double and rounded down.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the language says that it is computed so; the cast back saturates"
)]
fn share(max: usize, fraction: f64) -> usize {
    ((max as f64 * fraction).floor() as usize).min(max)
}

/// The result of a cut, in the unit of its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Kept at the start.
    pub kept_head: usize,
    /// Kept at the end.
    pub kept_tail: usize,
    /// The text before the cut.
    pub total: usize,
    /// Left out.
    pub omitted: usize,
}

/// The result for a text.
#[expect(clippy::enum_variant_names, reason = "a cut that cuts is one")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// It fits as it is.
    Whole,
    /// It was cut.
    Cut {
        /// The remaining text, marker included.
        text: Text,
        /// The variables of the marker.
        sizes: Sizes,
        /// The bytes of the input kept at the start and at the end; either may be empty.
        kept: [Range<usize>; 2],
    },
    /// Not even the marker fits.
    Nothing,
}

/// Rounds in which exactly the excess is taken; a marker that still grows against the cut loses to doubling steps.
const PATIENCE: u32 = 16;

/// Cuts `text` to what `rule` allows.
///
/// Head and tail are taken, the marker is rendered for them, what is too much is taken from the tail and then from the
/// head, and the marker is rendered again, until it fits. A round takes at least one unit, and from the 17th on at least
/// twice as much as the round before, so that there are never more than about eighty of them however the marker's length
/// depends on the sizes.
///
/// `also` are additional maxima that the result must respect, marker included: those of budgets that were applied
/// before, which a marker could break again.
///
/// # Errors
/// The errors of `marker`.
pub fn cut<E>(
    text: &Text,
    rule: &Rule,
    also: &[(Unit, usize)],
    marker: &mut dyn FnMut(Sizes) -> Result<Text, E>,
) -> Result<Cut, E> {
    let s = text.as_str();
    let total = size(s, rule.unit);
    if total <= rule.max {
        return Ok(Cut::Whole);
    }
    let (head, tail) = rule.shares();
    let mut head = rule.head_end(s, forward_within(s, head, rule.unit));
    let mut tail = rule.tail_start(s, back_within(s, tail, rule.unit));
    for round in 0_u32.. {
        let sizes = sizes(s, head, tail, total, rule.unit);
        let mark = marker(sizes)?;
        let joined = |mark: &str| [&s[..head], mark, &s[tail..]].concat();
        let whole = joined(mark.as_str());
        let counted = if rule.marker_outside {
            size(&joined(""), rule.unit)
        } else {
            size(&whole, rule.unit)
        };
        let others = also
            .iter()
            .map(|(unit, max)| (*unit, size(&whole, *unit), *max));
        let over: Vec<(Unit, usize)> = std::iter::once((rule.unit, counted, rule.max))
            .chain(others)
            .filter(|(_, size, max)| size > max)
            .map(|(unit, size, max)| (unit, size - max))
            .collect();
        if over.is_empty() {
            return Ok(join(text, head, tail, &mark, sizes));
        }
        if head == 0 && tail == s.len() {
            break;
        }
        let step = 1_usize
            .checked_shl(round.saturating_sub(PATIENCE))
            .unwrap_or(usize::MAX);
        (head, tail) = shrunk(s, head, tail, &over, step, rule);
    }
    Ok(Cut::Nothing)
}

/// Takes what is `over`, at least `step` of each unit, from the tail and then from the head.
fn shrunk(
    text: &str,
    head: usize,
    tail: usize,
    over: &[(Unit, usize)],
    step: usize,
    rule: &Rule,
) -> (usize, usize) {
    let (mut less_head, mut less_tail) = (head, tail);
    for (unit, excess) in over {
        let excess = (*excess).max(step);
        let from_head = excess.saturating_sub(size(&text[tail..], *unit));
        less_tail = less_tail.max(forward(text, tail, excess, *unit));
        less_head = less_head.min(back(text, head, from_head, *unit));
    }
    (
        rule.head_end(text, less_head),
        rule.tail_start(text, less_tail),
    )
}

fn sizes(text: &str, head: usize, tail: usize, total: usize, unit: Unit) -> Sizes {
    let kept_head = size(&text[..head], unit);
    let kept_tail = size(&text[tail..], unit);
    Sizes {
        kept_head,
        kept_tail,
        total,
        // Tokens that reach over a cut count on both sides of it.
        omitted: total.saturating_sub(kept_head + kept_tail),
    }
}

/// The result; a text without a byte is none.
fn join(text: &Text, head: usize, tail: usize, marker: &Text, sizes: Sizes) -> Cut {
    let len = text.as_str().len();
    let mut out = TextBuf::default();
    out.push_part(text, 0..head);
    out.push(marker);
    out.push_part(text, tail..len);
    if out.is_empty() {
        return Cut::Nothing;
    }
    Cut::Cut {
        text: out.finish(),
        sizes,
        kept: [0..head, tail..len],
    }
}

/// The end of the first `n` units, never more than they are.
fn forward_within(text: &str, n: usize, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => text.floor_char_boundary(n),
        Unit::Chars | Unit::Lines => forward(text, 0, n, unit),
        Unit::Tokens(tokenizer) => tokenizer.ruler(text).forward(n),
    }
}

/// The start of the last `n` units, never more than they are.
fn back_within(text: &str, n: usize, unit: Unit) -> usize {
    match unit {
        Unit::Bytes => text.ceil_char_boundary(text.len().saturating_sub(n)),
        Unit::Chars | Unit::Lines => back(text, text.len(), n, unit),
        Unit::Tokens(tokenizer) => tokenizer.ruler(text).back(n),
    }
}

/// The last boundary at or before `place`, which must be between two code points.
fn round_down(text: &str, place: usize, at: Boundary) -> usize {
    match at {
        _ if place == 0 || place == text.len() => place,
        Boundary::Char => place,
        Boundary::Grapheme => {
            let mut cursor = GraphemeCursor::new(place, text.len(), true);
            match cursor.is_boundary(text, 0) {
                Ok(true) => place,
                _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
            }
        }
        Boundary::Line => text[..place].rfind('\n').map_or(0, |feed| feed + 1),
        Boundary::Paragraph => {
            let mut ends = text[..place].rmatch_indices('\n').map(|(at, _)| at + 1);
            ends.find(|end| after_blank_line(text, *end)).unwrap_or(0)
        }
    }
}

/// The first boundary at or after `place`, which must be between two code points.
fn round_up(text: &str, place: usize, at: Boundary) -> usize {
    match at {
        _ if place == 0 || place == text.len() => place,
        Boundary::Char => place,
        Boundary::Grapheme => {
            let mut cursor = GraphemeCursor::new(place, text.len(), true);
            match cursor.is_boundary(text, 0) {
                Ok(true) => place,
                _ => (cursor.next_boundary(text, 0).ok().flatten()).unwrap_or(text.len()),
            }
        }
        Boundary::Line => line_ends(text, place).next().unwrap_or(text.len()),
        Boundary::Paragraph => line_ends(text, place)
            .find(|end| after_blank_line(text, *end))
            .unwrap_or(text.len()),
    }
}

/// The places after a line feed at or after `place`, which must not be 0.
fn line_ends(text: &str, place: usize) -> impl Iterator<Item = usize> {
    let from = text.floor_char_boundary(place - 1);
    text[from..]
        .match_indices('\n')
        .map(move |(at, _)| from + at + 1)
}

/// Whether the line that ends before `end` (after a line feed) holds only spaces and tabs.
fn after_blank_line(text: &str, end: usize) -> bool {
    let line = text[..end - 1].trim_end_matches([' ', '\t', '\r']);
    line.is_empty() || line.ends_with('\n')
}

/// The limit of a document under a shared budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    /// All that it has.
    Whole,
    /// So much, after a cut.
    CutTo(usize),
    /// Nothing.
    Drop {
        /// The floor, if more is left than nothing but less than it.
        floor: Option<usize>,
    },
}

/// `budget each=M total=N floor=K` over documents in order.
///
/// For each document call [`Spread::next`], then [`Spread::spent`] with its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    each: Option<usize>,
    left: Option<usize>,
    floor: usize,
}

impl Spread {
    /// An unspent budget.
    #[must_use]
    pub fn new(each: Option<usize>, total: Option<usize>, floor: Option<usize>) -> Self {
        Self {
            each,
            left: total,
            floor: floor.unwrap_or(0),
        }
    }

    /// The limit of the next document, if it has `size`.
    ///
    /// The floor is compared with the remainder of the total: a small `each` alone drops nothing.
    #[must_use]
    pub fn next(&self, size: usize) -> Allowance {
        let left = self.left.unwrap_or(usize::MAX);
        let max = self.each.unwrap_or(usize::MAX).min(left);
        if size <= max {
            Allowance::Whole
        } else if max == 0 {
            Allowance::Drop { floor: None }
        } else if left < self.floor {
            Allowance::Drop {
                floor: Some(self.floor),
            }
        } else {
            Allowance::CutTo(max)
        }
    }

    /// Subtracts the size of a document after its cut (without an outer marker) from the total.
    pub fn spent(&mut self, size: usize) {
        self.left = self.left.map(|left| left.saturating_sub(size));
    }

    /// The remainder of the total, if there is one.
    #[must_use]
    pub fn left(&self) -> Option<usize> {
        self.left
    }
}

#[cfg(test)]
mod tests;
