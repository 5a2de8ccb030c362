//! The text of a layer as a template: what stays is text, what changes the value of a fact, or lines that one lets in.

use super::fact::{FactKind, Why};
use super::label;
use super::layer::Part;
use super::layout::Maker;
use super::names::{self, Site, VALUE};
use super::pieces::{BodyPart, pieces};
use crate::text::normalise::is_blank;
use std::collections::BTreeSet;
use std::ops::Range;

/// A value that is shorter may be the same in two places by coincidence.
const SHORTEST_TELLING: usize = 4;
/// So many different values are the same in two places by no coincidence, however short they are.
const MANY_VALUES: usize = 3;

impl<'t> Maker<'_, 't> {
    /// The template of a layer at `at` in those dumps that have it. With `is_trimmed`, white space after it is ignored.
    pub(super) fn template(
        &mut self,
        at: &[Option<Range<usize>>],
        layer: &str,
        is_trimmed: bool,
    ) -> Vec<Part> {
        let pieces = pieces(self.split.texts, at, is_trimmed);
        self.places.clear();
        pieces
            .iter()
            .for_each(|piece| piece.places(&mut self.places));
        let starts: Vec<Option<usize>> = at.iter().map(|at| Some(at.as_ref()?.start)).collect();
        self.parts(pieces, &starts, layer)
    }

    fn parts(&mut self, pieces: Vec<BodyPart>, starts: &[Option<usize>], layer: &str) -> Vec<Part> {
        let part = |piece| match piece {
            BodyPart::Text(text) => Part::Text(text),
            BodyPart::Slot(at) => Part::Fact(self.value(at, starts, layer, false)),
            BodyPart::Lines(at, inner) => self.lines(at, inner, starts, layer),
        };
        pieces.into_iter().map(part).collect()
    }

    /// The surroundings of a place, in the first dump that has it.
    fn site(&self, at: &[Option<Range<usize>>], starts: &[Option<usize>], layer: &str) -> Site<'t> {
        let first = at.iter().position(Option::is_some).unwrap_or_default();
        let text = self.split.texts[first];
        let range = at[first].clone().unwrap_or_default();
        let start = starts[first].unwrap_or(range.start);
        // The value of another fact names none.
        let masked = |within: Range<usize>| {
            let mut out = text[within.clone()].to_owned();
            let others = self.places.iter().rev().filter_map(|at| at[first].clone());
            for other in others.filter(|o| within.start <= o.start && o.end <= within.end) {
                let other = other.start - within.start..other.end - within.start;
                out.replace_range(other, &VALUE.to_string());
            }
            out
        };
        Site {
            before: masked(start..range.start),
            after: masked(range.end..text.len()),
            layer: layer.replace('-', "_"),
            values: self.texts(at).into_iter().flatten().collect(),
        }
    }

    /// Lines that only some dumps have: a fact holds them, if they are different in each or the list that a line above opens; else
    /// it says whether they are there.
    fn lines(
        &mut self,
        at: Vec<Option<Range<usize>>>,
        inner: Vec<BodyPart>,
        starts: &[Option<usize>],
        layer: &str,
    ) -> Part {
        let site = self.site(&at, starts, layer);
        let above = site
            .before
            .trim_end_matches(['\n', '\r'])
            .lines()
            .next_back();
        let after = site.after.lines().nth(1).unwrap_or_default();
        let is_list = above.is_some_and(label::opens) && label::closes(after);
        // Whether the lines are a value as a whole, and what ends them.
        let value = at.iter().flatten().next().map_or(0, Range::len);
        // A blank one would count as none.
        let says = site.values.iter().all(|value| !is_blank(value));
        let end = match inner.as_slice() {
            _ if !says => None,
            [BodyPart::Slot(_), BodyPart::Text(end)] if label::is_line_end(end) => {
                Some(end.clone())
            }
            [BodyPart::Text(text)] if is_list => text.get(value..).map(str::to_owned),
            _ => None,
        };
        if let Some(end) = end {
            let fact = self.value(at, starts, layer, true);
            return Part::Lines(fact, vec![Part::Fact(fact), Part::Text(end)]);
        }
        let flag = self.fact(names::of_lines(&site), FactKind::Flag, at);
        Part::Lines(flag, self.parts(inner, starts, layer))
    }

    /// The fact of a text; if another place has the same everywhere, and that is no coincidence, that of the other.
    fn value(
        &mut self,
        at: Vec<Option<Range<usize>>>,
        starts: &[Option<usize>],
        layer: &str,
        is_asked: bool,
    ) -> usize {
        let site = self.site(&at, starts, layer);
        let values = self.texts(&at);
        let there: BTreeSet<&str> = site.values.iter().copied().collect();
        let is_informative =
            there.len() >= MANY_VALUES || there.iter().all(|v| v.len() >= SHORTEST_TELLING);
        let names = names::fact(&site);
        let is_named = |names: &[(String, Why)]| names.first().is_some_and(|n| n.1 == Why::Label);
        let is_same = |known: &&usize| {
            let fact = &self.facts[**known];
            let mut both = self.texts(&fact.at).into_iter().zip(&values);
            let called = names.first().map(|n| &n.0) == fact.names.first().map(|n| &n.0);
            // Two short values that the text calls differently may be the same by coincidence.
            let is_informative = is_informative || !(is_named(&names) && is_named(&fact.names));
            both.all(|(known, own)| known == *own || own.is_none() && !is_asked)
                && (is_informative && there.len() > 1 || called)
        };
        if let Some(known) = self.values.iter().find(is_same) {
            self.facts[*known].names.extend(names);
            return *known;
        }
        let fact = self.fact(names, FactKind::Text, at);
        self.facts[fact].is_asked = is_asked;
        self.values.push(fact);
        fact
    }

    /// The text of a place in each dump.
    pub(super) fn texts(&self, at: &[Option<Range<usize>>]) -> Vec<Option<&'t str>> {
        let both = at.iter().zip(self.split.texts);
        both.map(|(at, text)| text.get(at.clone()?)).collect()
    }
}
