//! Lays dumps side by side: which bodies are in all of them, which in some, and which changed.

mod unit;
mod numbers;
mod aligner;
mod different;

pub(super) use unit::Unit;

use super::label;
use super::split::Split;
use crate::text::normalise::is_space;
use aligner::Aligner;
use unit::Item;

/// Lays the dumps side by side, body by body. Of a split without a join, white space that only some dumps have moves to what
/// only they have.
pub(super) fn align(split: &mut Split<'_>) -> Vec<Unit> {
    let item = |dump: usize, body: usize| {
        let text = split.text(dump, &(body..body + 1));
        let title = split.mark(dump, body).map(|m| m.title.as_str());
        let title = title.filter(|t| !t.is_empty());
        let first = text.trim_start().lines().next().unwrap_or_default();
        Item {
            text: match split.join.as_str() {
                "" => text.trim_end_matches(is_space),
                _ => text,
            },
            label: title.or_else(|| Some(label::of_line(first)?.name)),
            is_loose: false,
            is_heading: title.is_some(),
        }
    };
    let bodies = split.bodies.iter().enumerate();
    let items: Vec<Vec<Item<'_>>> = bodies
        .map(|(dump, bodies)| (0..bodies.len()).map(|body| item(dump, body)).collect())
        .collect();
    let units = Aligner::new(&items, false).run();
    if split.join.is_empty() {
        shift_space(split, &units);
    }
    units
}

/// Lays lines of the dumps side by side.
pub(super) fn align_lines<'t>(lines: &[Vec<&'t str>]) -> Vec<Unit> {
    let of_dump = |lines: &Vec<&'t str>| {
        let mut in_list = false;
        let item = |line: &&'t str| {
            let label = label::of_line(line);
            let is_loose = in_list && label.is_none() && label::is_loose(line);
            in_list = label::opens(line) || is_loose;
            Item {
                text: line,
                label: label.map(|l| l.name),
                is_loose,
                is_heading: label.is_some_and(|l| l.value == line.len()),
            }
        };
        lines.iter().map(item).collect()
    };
    let items: Vec<Vec<Item<'t>>> = lines.iter().map(of_dump).collect();
    Aligner::new(&items, true).run()
}

/// Where what several dumps have ends with more white space in some of them, and these go on with something that not all
/// have: the white space belongs to that.
fn shift_space(split: &mut Split<'_>, units: &[Unit]) {
    for (index, unit) in units.iter().enumerate() {
        let who: Vec<usize> = unit.present().collect();
        let space = |dump: usize| {
            let text = split.text(dump, &unit.at[dump]);
            &text[text.trim_end_matches(is_space).len()..]
        };
        let shared = shared_prefix(who.iter().map(|d| space(*d)));
        let surplus: Vec<(usize, usize)> = who
            .iter()
            .map(|dump| (*dump, space(*dump).len() - shared))
            .filter(|(_, more)| *more > 0)
            .collect();
        let goes_on = |dump: usize| {
            let next = units[index + 1..].iter().find(|u| !u.at[dump].is_empty());
            next.is_some_and(|next| who.iter().any(|d| next.at[*d].is_empty()))
        };
        if surplus.iter().all(|(dump, _)| goes_on(*dump)) {
            for (dump, more) in surplus {
                let next = unit.at[dump].end;
                split.bodies[dump][next - 1].end -= more;
                split.bodies[dump][next].start -= more;
            }
        }
    }
}

/// The bytes that all texts begin with.
fn shared_prefix<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    let mut texts = texts;
    let first = texts.next().unwrap_or_default();
    let mut length = first.len();
    for text in texts {
        let both = first.char_indices().zip(text.chars());
        let differs = both.into_iter().find(|((_, a), b)| a != b);
        let same = differs.map_or(first.len().min(text.len()), |((at, _), _)| at);
        length = length.min(same);
    }
    length
}
