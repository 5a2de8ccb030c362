//! The text of a layer as a template: what stays is text, what changes the value of a fact, or lines that one lets in.

use super::kind::common_kind;
use super::layer::{Lines, Part};
use super::layout::{FactKind, Maker};
use super::names;
use super::pieces::BodyPart;
use super::shape::{Place, Shape};
use crate::text::normalise::is_blank;
use std::ops::Range;

/// A value that is shorter may be the same in two places by coincidence.
const SHORTEST_TELLING: usize = 4;

impl<'t> Maker<'_, 't> {
    /// The template of a layer; `is_trimmed` says that line ends behind it do not count.
    pub(super) fn template(
        &mut self,
        places: &[Place],
        layer: &str,
        is_trimmed: bool,
    ) -> Vec<Part> {
        let mut pieces = self.pieces(places);
        self.take_lines_whole(&mut pieces, is_trimmed);
        let start = self.bytes(&places[0])[0].start;
        let part = |piece| match piece {
            BodyPart::Text(range) => Part::Text(range),
            BodyPart::Slot(at) => self.slot(&at, start, layer),
        };
        pieces.into_iter().map(part).collect()
    }

    fn pieces(&self, places: &[Place]) -> Vec<BodyPart> {
        let mut out = Vec::new();
        let mut done: Option<usize> = None;
        for place in places {
            let at = self.bytes(place);
            if let Some(end) = done.filter(|end| *end < at[0].start) {
                out.push(BodyPart::Text(end..at[0].start));
            }
            done = Some(at[0].end);
            match &place.shape {
                Shape::Pieces(pieces) => out.extend(pieces.iter().cloned()),
                Shape::Whole => out.push(BodyPart::Slot(at)),
                Shape::Same | Shape::Sometimes => out.push(BodyPart::Text(at[0].clone())),
            }
        }
        out
    }

    /// Of lines that only some dumps have, the line end behind them counts and not the one in front, where there are both.
    fn take_lines_whole(&self, pieces: &mut [BodyPart], is_trimmed: bool) {
        let last = pieces.len() - 1;
        for index in 1..pieces.len() {
            let (front, back) = pieces.split_at_mut(index);
            let (Some(BodyPart::Text(front)), Some((BodyPart::Slot(at), back))) =
                (front.last_mut(), back.split_first_mut())
            else {
                continue;
            };
            if index == last && !is_trimmed {
                continue;
            }
            let Some(end) = self.line_end(at, |value, end| value.starts_with(end)) else {
                continue;
            };
            let goes_on = |(at, text): (&Range<usize>, &&str)| text[at.end..].starts_with(end);
            let ended = |value: &&str| value.ends_with('\n');
            if self.texts(at).iter().any(ended) || !at.iter().zip(self.split.texts).all(goes_on) {
                continue;
            }
            front.end += end.len();
            for at in at {
                *at = at.start + end.len()..at.end + end.len();
            }
            if let Some(BodyPart::Text(back)) = back.first_mut() {
                back.start += end.len();
            }
        }
    }

    /// The line end that all values have where `has` looks for it, if only some dumps have a value, and none is blank.
    fn line_end(
        &self,
        at: &[Range<usize>],
        has: impl Fn(&str, &str) -> bool,
    ) -> Option<&'static str> {
        let values = self.texts(at);
        let there: Vec<&str> = values.iter().copied().filter(|v| !v.is_empty()).collect();
        if there.len() == values.len() || there.iter().any(|v| is_blank(v)) {
            return None;
        }
        let mut ends = ["\r\n", "\n"].into_iter();
        ends.find(|end| there.iter().all(|value| has(value, end)))
    }

    /// What changes at a place of a template that begins at `start` of the first dump.
    fn slot(&mut self, at: &[Range<usize>], start: usize, layer: &str) -> Part {
        let first = self.split.texts[0];
        let site = Site {
            before: &first[start..at[0].start],
            behind: &first[at[0].end..],
            layer,
        };
        let begins =
            |(at, text): (&Range<usize>, &&str)| at.start == 0 || text[..at.start].ends_with('\n');
        if at.iter().zip(self.split.texts).all(begins)
            && let Some(end) = self.line_end(at, |value, end| value.ends_with(end))
        {
            return Part::Lines(self.lines(at, end, &site));
        }
        Part::Fact(self.value(at.iter().cloned().map(Some).collect(), &site))
    }

    /// Lines that only some dumps have: a fact holds them, or says whether they are there if they are not just a value.
    fn lines(&mut self, at: &[Range<usize>], end: &'static str, site: &Site<'_>) -> Lines {
        let own = |at: &Range<usize>| (!at.is_empty()).then(|| at.start..at.end - end.len());
        let own: Vec<Option<Range<usize>>> = at.iter().map(own).collect();
        let values = self.texts(at);
        let mut there = (0..at.len()).filter(|dump| own[*dump].is_some());
        let dump = there.next().unwrap_or_default();
        let is_one = there.all(|other| values[other] == values[dump]);
        if is_one && names::label(site.before).is_none() && is_said(values[dump]) {
            let names = site.names(&values[dump..=dump]);
            return Lines {
                fact: self.fact(&names, FactKind::Flag, own),
                text: Some((dump, at[dump].clone())),
                end,
            };
        }
        Lines {
            fact: self.value(own, site),
            text: None,
            end,
        }
    }

    /// The fact of a text; if another place has the same everywhere, and that is no coincidence, that of the other.
    fn value(&mut self, at: Vec<Option<Range<usize>>>, site: &Site<'_>) -> usize {
        let both = at.iter().zip(self.split.texts);
        let values: Vec<Option<&'t str>> = both.map(|(at, text)| text.get(at.clone()?)).collect();
        let there: Vec<&str> = values.iter().copied().flatten().collect();
        let is_telling = there.iter().all(|v| v.len() >= SHORTEST_TELLING);
        let names = site.names(&there);
        if let Some(known) = self.values.get(&values)
            && (is_telling || names.first() == Some(&self.facts[*known].name))
        {
            return *known;
        }
        let fact = self.fact(&names, FactKind::Text, at);
        self.values.insert(values, fact);
        fact
    }

    fn texts(&self, at: &[Range<usize>]) -> Vec<&'t str> {
        let both = at.iter().zip(self.split.texts);
        both.map(|(range, text)| &text[range.clone()]).collect()
    }
}

/// What stands around a place of a template, in the first dump.
struct Site<'a> {
    before: &'a str,
    behind: &'a str,
    layer: &'a str,
}

impl Site<'_> {
    /// Names for what stands there.
    fn names(&self, values: &[&str]) -> Vec<String> {
        let value = values.iter().find(|v| !v.is_empty()).copied();
        names::fact(
            common_kind(values),
            value.unwrap_or_default(),
            (self.before, self.behind),
            &names::variable(self.layer),
        )
    }
}

/// Whether lines are items, rows, headings, sections or sentences, and not just a value.
fn is_said(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .all(|line| {
            let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let is_item = unnumbered.len() < line.len() && unnumbered.starts_with(['.', ')']);
            let begins = ["- ", "* ", "+ ", "|", "#", ">", "<"];
            is_item
                || begins.iter().any(|mark| line.starts_with(mark))
                || line.ends_with(['.', '!', '?', ':', ';'])
        })
}
