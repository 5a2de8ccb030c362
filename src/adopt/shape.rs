//! How the bodies at one place differ between the dumps, and how many such places there are at most.

use super::align::Unit;
use super::pieces::{BodyPart, pieces};
use super::split::Split;
use super::structure::Mark;

/// More places that change than this are drawn together.
const MOST_FACTS: usize = 60;
/// More places inside one body than this make it one place.
const MOST_SLOTS: usize = 40;
/// A body with more bytes is no template.
const LARGEST_TEMPLATE: usize = 200_000;
/// The most bytes of all values of one fact together, and of one value. Longer ones become files.
const VALUES: usize = 8_192;
const VALUE: usize = 500;
/// The longest value of a place in a template, in bytes.
const LONGEST_VALUE: usize = 8_192;

/// The difference between the bodies at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// They are in all dumps and the same.
    Same,
    /// They are in some dumps, and the same there.
    Sometimes,
    /// So many pieces differ in the dumps that have them.
    Pieces(usize),
    /// They differ.
    Whole,
}

/// A place with its shape.
#[derive(Debug, Clone)]
pub(super) struct ShapedUnit {
    /// Where it is.
    pub(super) unit: Unit,
    /// The difference.
    pub(super) shape: Shape,
}

impl ShapedUnit {
    fn new(split: &Split<'_>, unit: Unit) -> Self {
        let shape = shape(split, &unit);
        Self { unit, shape }
    }

    /// Whether it is the same in all dumps.
    pub(super) fn is_stable(&self) -> bool {
        self.shape == Shape::Same
    }

    /// Its text in the first dump that has it.
    pub(super) fn text<'t>(&self, split: &Split<'t>) -> &'t str {
        let first = self.unit.present().next().unwrap_or_default();
        split.text(first, &self.unit.at[first])
    }

    /// The part that it begins, if any.
    pub(super) fn mark<'t>(&self, split: &Split<'t>) -> Option<&'t Mark> {
        let first = self.unit.present().next()?;
        split.mark(first, self.unit.at[first].start)
    }

    /// Whether one of its texts is too long for a manifest.
    pub(super) fn is_long(&self, split: &Split<'_>) -> bool {
        let longest = longest_value(split.texts.len());
        self.unit
            .present()
            .any(|dump| split.text(dump, &self.unit.at[dump]).len() > longest)
    }

    fn facts(&self) -> usize {
        match &self.shape {
            Shape::Same => 0,
            Shape::Sometimes | Shape::Whole => 1,
            Shape::Pieces(slots) => *slots,
        }
    }
}

/// The longest value that is put in a manifest, in bytes, for so many dumps.
fn longest_value(dumps: usize) -> usize {
    VALUE.min(VALUES / dumps.max(1))
}

/// The places of the dumps, in order.
pub(super) fn places(split: &Split<'_>, units: Vec<Unit>) -> Vec<ShapedUnit> {
    let mut places: Vec<ShapedUnit> = units
        .into_iter()
        .map(|u| ShapedUnit::new(split, u))
        .collect();
    let facts = |places: &[ShapedUnit]| places.iter().map(ShapedUnit::facts).sum::<usize>();
    if facts(&places) > MOST_FACTS {
        for place in &mut places {
            if place.facts() > 1 {
                place.shape = Shape::Whole;
            }
        }
    }
    match facts(&places).checked_sub(MOST_FACTS) {
        None | Some(0) => places,
        Some(surplus) => drawn_together(split, places, surplus),
    }
}

fn shape(split: &Split<'_>, unit: &Unit) -> Shape {
    let who: Vec<usize> = unit.present().collect();
    let texts: Vec<&str> = who.iter().map(|d| split.text(*d, &unit.at[*d])).collect();
    if texts.iter().all(|t| *t == texts[0]) {
        return if unit.is_everywhere() {
            Shape::Same
        } else {
            Shape::Sometimes
        };
    }
    let is_one = who.iter().all(|d| unit.at[*d].len() == 1);
    if !is_one || texts.iter().any(|t| t.len() > LARGEST_TEMPLATE) {
        return Shape::Whole;
    }
    let at: Vec<_> = (0..unit.at.len())
        .map(|dump| split.bytes(dump, &unit.at[dump]))
        .collect();
    let all = pieces(split.texts, &at, true);
    let slots = all.iter().map(BodyPart::slots).sum();
    let says = |part: &BodyPart| matches!(part, BodyPart::Text(text) if text.contains(char::is_alphanumeric));
    let fits = all.iter().all(|part| part.is_short(LONGEST_VALUE));
    if fits && slots <= MOST_SLOTS && all.iter().any(says) {
        Shape::Pieces(slots)
    } else {
        Shape::Whole
    }
}

/// Merges `surplus` places: those with the least stable text between them become one.
fn drawn_together(split: &Split<'_>, places: Vec<ShapedUnit>, surplus: usize) -> Vec<ShapedUnit> {
    let volatile: Vec<usize> = (0..places.len())
        .filter(|at| !places[*at].is_stable())
        .collect();
    let mut between: Vec<(usize, usize)> = volatile
        .windows(2)
        .enumerate()
        .map(|(index, pair)| {
            let stable = &places[pair[0] + 1..pair[1]];
            (stable.iter().map(|p| p.text(split).len()).sum(), index)
        })
        .collect();
    between.sort_unstable();
    let mut closed = vec![false; volatile.len()];
    for (_, index) in between.into_iter().take(surplus) {
        closed[index] = true;
    }
    let mut out = Vec::new();
    let mut rest = places.into_iter().enumerate().peekable();
    while let Some((at, place)) = rest.next() {
        let Ok(mut index) = volatile.binary_search(&at) else {
            out.push(place);
            continue;
        };
        let mut unit = place.unit.clone();
        let mut is_one = false;
        while closed[index] {
            index += 1;
            is_one = true;
            while let Some((_, next)) = rest.next_if(|(at, _)| *at <= volatile[index]) {
                for (range, next) in unit.at.iter_mut().zip(next.unit.at) {
                    range.end = range.end.max(next.end);
                }
            }
        }
        out.push(if is_one {
            ShapedUnit::new(split, unit)
        } else {
            place
        });
    }
    out
}
