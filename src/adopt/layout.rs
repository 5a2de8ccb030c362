//! The layers of a manifest, their tiers, and its facts.

use super::align::align;
use super::fact::{Confidence, Fact, FactKind, Pace, Why};
use super::form::Form;
use super::layer::{Content, Layer};
use super::names::{self, Names};
use super::pace;
use super::sections;
use super::shape::{Shape, ShapedUnit, places};
use super::split::Split;
use super::structure::Mark;
use super::tiers::{Tier, tiers};
use crate::prompt::Changes;
use crate::text::normalise::{bom, is_space};
use std::ops::Range;

/// A part of more bytes in which something changes is divided around it.
const LARGEST_TEMPLATE: usize = 4_000;

/// A manifest before it is written.
#[derive(Debug)]
pub(super) struct Layout {
    /// The join between layers.
    pub(super) join: String,
    /// The facts, in the order of their first places.
    pub(super) facts: Vec<Fact>,
    /// The tiers with their layers.
    pub(super) tiers: Vec<Tier>,
}

impl Layout {
    /// The complexity of a layout: the bytes of the values of facts, then their number.
    pub(super) fn burden(&self) -> (usize, usize) {
        let texts = self.facts.iter().filter(|f| f.kind != FactKind::Flag);
        let values = texts.flat_map(|f| f.at.iter().flatten().map(Range::len));
        (values.sum(), self.facts.len())
    }
}

impl Fact {
    /// Whether a dump has nothing there.
    pub(super) fn is_optional(&self) -> bool {
        self.at.iter().any(Option::is_none)
    }
}

/// Lays out dumps that are cut with `join`.
pub(super) fn lay(texts: &[&str], marks: &[Vec<Mark>], join: &str) -> (Layout, bool) {
    let mut split = Split::new(texts, marks, join);
    let units = align(&mut split);
    let places = places(&split, units);
    let begins = sections::beginnings(&split, &places);
    let groups = groups(&split, &places, &begins);
    let mut maker = Maker {
        split: &split,
        facts: Vec::new(),
        values: Vec::new(),
        places: Vec::new(),
        layer_names: Names::default(),
        section: None,
        width: groups.len().to_string().len().max(2),
        layers: Vec::new(),
    };
    for group in groups {
        let goes_on = places
            .get(group.end)
            .is_some_and(|p| p.mark(&split).is_none());
        maker.layer(&places[group], goes_on);
    }
    let loses_parts = !join.is_empty() && split.loses_parts();
    let Maker {
        mut facts,
        mut layers,
        ..
    } = maker;
    pace::set_paces(&mut facts, texts);
    names::settle(&mut facts);
    for layer in &mut layers {
        let of_facts = layer.facts().into_iter().map(|fact| facts[fact].changes);
        layer.changes = of_facts.max().unwrap_or(match texts {
            [_] => Changes::Session,
            _ => Changes::Deploy,
        });
    }
    let layout = Layout {
        join: join.to_owned(),
        facts,
        tiers: tiers(layers),
    };
    (layout, loses_parts)
}

/// Each dump as one file, for what cannot be laid out otherwise.
pub(super) fn whole(texts: &[&str]) -> Layout {
    let at: Vec<_> = texts.iter().map(|t| Some(0..t.len())).collect();
    let same = texts.iter().all(|t| *t == texts[0]);
    let fact = Fact {
        name: "prompt_file".to_owned(),
        why: Why::Layer,
        names: Vec::new(),
        is_sentence: false,
        kind: FactKind::File,
        form: Form::Text,
        is_asked: false,
        changes: Changes::Session,
        pace: Pace::Unknown,
        layer: "prompt".to_owned(),
        at: at.clone(),
    };
    let layer = Layer {
        name: "prompt".to_owned(),
        stem: "01-prompt".to_owned(),
        title: None,
        content: if same {
            Content::File
        } else {
            Content::Variants(0)
        },
        when: None,
        at,
        confidence: Confidence::Guess,
        changes: if same {
            Changes::Deploy
        } else {
            Changes::Session
        },
        is_exact: true,
        has_returns: true,
        has_bom: true,
    };
    Layout {
        join: String::new(),
        facts: if same { Vec::new() } else { vec![fact] },
        tiers: tiers(vec![layer]),
    }
}

/// The places that form a layer together.
fn groups(split: &Split<'_>, places: &[ShapedUnit], begins: &[bool]) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < places.len() {
        let section = at + 1..places.len();
        let end = section
            .into_iter()
            .find(|n| begins[*n])
            .unwrap_or(places.len());
        section_groups(split, places, at..end, &mut out);
        at = end;
    }
    out
}

/// The layers of a section: one, if it is short and its parts have no heading of their own; else one for each stretch that the
/// same dumps have.
fn section_groups(
    split: &Split<'_>,
    places: &[ShapedUnit],
    section: Range<usize>,
    out: &mut Vec<Range<usize>>,
) {
    let all = &places[section.clone()];
    let presence = |place: &ShapedUnit| place.unit.present().collect::<Vec<_>>();
    let alone = |place: &ShapedUnit| place.shape == Shape::Whole && place.is_long(split);
    let whole = presence(&all[0]);
    let bytes: usize = all.iter().map(|p| p.text(split).len()).sum();
    let belongs = |place: &ShapedUnit| {
        let there = presence(place);
        let is_part = there == whole || place.mark(split).is_none();
        is_part && there.iter().all(|dump| whole.contains(dump)) && !alone(place)
    };
    let is_part = all[0].mark(split).is_some();
    // A template has to spell out each return.
    let returns = all.iter().any(|p| p.text(split).contains('\r'));
    if is_part && bytes <= LARGEST_TEMPLATE && !returns && all.iter().all(belongs) {
        out.push(section);
        return;
    }
    let mut at = section.start;
    while at < section.end {
        let place = &places[at];
        let rest = &places[at + 1..section.end];
        let like = |other: &&ShapedUnit| {
            presence(other) == presence(place) && !alone(place) && !alone(other)
        };
        let end = at + 1 + rest.iter().take_while(like).count();
        together(split, places, at..end, out);
        at = end;
    }
}

/// Places that the same dumps have: one layer if nothing changes, or in a short part with a heading. Else what changes is a layer
/// of its own.
fn together(
    split: &Split<'_>,
    places: &[ShapedUnit],
    range: Range<usize>,
    out: &mut Vec<Range<usize>>,
) {
    let all = &places[range.clone()];
    let bytes: usize = all.iter().map(|p| p.text(split).len()).sum();
    let returns = all.iter().any(|p| p.text(split).contains('\r'));
    let is_part = places[range.start].mark(split).is_some();
    let is_same = |place: &ShapedUnit| matches!(place.shape, Shape::Same | Shape::Sometimes);
    if is_part && bytes <= LARGEST_TEMPLATE && !returns || all.iter().all(is_same) {
        out.push(range);
        return;
    }
    let mut at = range.start;
    while at < range.end {
        let same = places[at..range.end]
            .iter()
            .take_while(|p| is_same(p))
            .count();
        let end = at + same.max(1);
        out.push(at..end);
        at = end;
    }
}

pub(super) struct Maker<'s, 't> {
    pub(super) split: &'s Split<'t>,
    pub(super) facts: Vec<Fact>,
    /// The facts that templates print.
    pub(super) values: Vec<usize>,
    /// The places of facts in the layer that is made, by dump.
    pub(super) places: Vec<Vec<Option<Range<usize>>>>,
    layer_names: Names,
    /// The name of the part that the places are in.
    section: Option<(String, Confidence)>,
    /// Digits of a file's number.
    width: usize,
    layers: Vec<Layer>,
}

impl<'t> Maker<'_, 't> {
    /// Adds the layer of some places; `goes_on` says that no part begins after them.
    fn layer(&mut self, places: &[ShapedUnit], goes_on: bool) {
        let (first, last) = match places {
            [] => return,
            [first, .., last] => (first, last),
            [one] => (one, one),
        };
        let dumps = self.split.texts.len();
        let at: Vec<Option<Range<usize>>> = (0..dumps)
            .map(|dump| {
                let bodies = first.unit.at[dump].start..last.unit.at[dump].end;
                self.split.bytes(dump, &bodies)
            })
            .collect();
        let (name, confidence, title) = self.name(first, goes_on && places.len() == 1);
        let number = self.layers.len() + 1;
        let stem = format!("{number:0width$}-{name}", width = self.width);
        let before = self.facts.len();
        let (content, when) = self.content(places, &at, (&name, confidence));
        for fact in &mut self.facts[before..] {
            fact.layer.clone_from(&name);
        }
        let texts = || {
            at.iter()
                .zip(self.split.texts)
                .filter_map(|(at, t)| t.get(at.clone()?))
        };
        let has_bom = texts().any(|t| bom(t).len() < t.len());
        self.layers.push(Layer {
            changes: Changes::Deploy,
            confidence,
            is_exact: texts().any(has_outer_space),
            has_returns: texts().any(|t| t.contains('\r')),
            has_bom: has_bom && !matches!(content, Content::Template(_)),
            name,
            stem,
            title,
            content,
            when,
            at,
        });
    }

    /// The name of a layer that begins at `place`, how sure it is, and how the text calls it where that can be no name.
    fn name(&mut self, place: &ShapedUnit, is_head: bool) -> (String, Confidence, Option<String>) {
        let title = |dump: usize| {
            let mark = self.split.mark(dump, place.unit.at[dump].start);
            mark.map_or("", |m| m.title.as_str())
        };
        let first = |dump: usize| {
            let text = self.split.text(dump, &place.unit.at[dump]);
            text.trim_matches(|c| is_space(c) || c == '\u{FEFF}')
                .lines()
                .next()
                .unwrap_or_default()
        };
        let who: Vec<usize> = place.unit.present().collect();
        let titles: Vec<&str> = who.iter().map(|dump| title(*dump)).collect();
        let firsts: Vec<&str> = who.iter().map(|dump| first(*dump)).collect();
        let text = place.text(self.split).trim_matches(is_space);
        let is_marked = place.mark(self.split).is_some();
        let is_first = self.layers.iter().all(|l| l.name != "identity");
        let own = names::layer(&titles, &firsts, is_first);
        if is_marked {
            self.section.clone_from(&own);
        }
        // Text that continues under a heading is named after it.
        let found = self.section.clone().or(own);
        // A name without ASCII letters gets a substitute.
        let shown = titles.iter().chain(&firsts).find(|t| !t.is_empty());
        let title = match found {
            Some(_) => None,
            None => shown.map(|title| title.chars().take(40).collect()),
        };
        let (base, confidence) = found.unwrap_or(("part".to_owned(), Confidence::Guess));
        let only_heads = is_head && is_marked && !text.contains(['\n', '\r']);
        let name = if only_heads {
            format!("{base}-heading")
        } else {
            base
        };
        (self.layer_names.take(&name, '-'), confidence, title)
    }

    fn content(
        &mut self,
        places: &[ShapedUnit],
        at: &[Option<Range<usize>>],
        (layer, confidence): (&str, Confidence),
    ) -> (Content, Option<usize>) {
        let named = |name: &str| vec![(names::variable(name), Why::of_layer(confidence))];
        match places {
            [place] if place.shape == Shape::Whole && place.is_long(self.split) => {
                let fact = self.fact(named(&format!("{layer}_file")), FactKind::File, at.to_vec());
                return (Content::Variants(fact), None);
            }
            [place] if place.shape == Shape::Whole => {
                let fact = self.fact(named(layer), FactKind::Text, at.to_vec());
                self.facts[fact].is_asked = true;
                return (Content::Value(fact), None);
            }
            _ => {}
        }
        let when = at.iter().any(Option::is_none);
        let when = when.then(|| self.fact(named(layer), FactKind::Flag, at.to_vec()));
        let there: Vec<&str> = self.texts(at).into_iter().flatten().collect();
        if there.iter().all(|text| *text == there[0]) {
            return (Content::File, when);
        }
        let is_trimmed = !self.split.join.is_empty() && !there.iter().any(|t| has_outer_space(t));
        (
            Content::Template(self.template(at, layer, is_trimmed)),
            when,
        )
    }

    pub(super) fn fact(
        &mut self,
        names: Vec<(String, Why)>,
        kind: FactKind,
        at: Vec<Option<Range<usize>>>,
    ) -> usize {
        let values = self.texts(&at);
        let form = match kind {
            FactKind::Text => Form::of(&values),
            FactKind::Flag | FactKind::File => Form::Text,
        };
        let is_sentence = values.iter().flatten().any(|v| is_sentence(v));
        self.facts.push(Fact {
            name: String::new(),
            why: Why::Layer,
            names,
            is_sentence,
            kind,
            form,
            is_asked: false,
            changes: Changes::Session,
            pace: Pace::Unknown,
            layer: String::new(),
            at,
        });
        self.facts.len() - 1
    }
}

/// Whether a value is a part of a sentence: it has two words and more, and begins with a small letter or ends a sentence.
fn is_sentence(value: &str) -> bool {
    let small = value
        .trim_start_matches([',', ' ', ';'])
        .starts_with(char::is_lowercase);
    value.split_whitespace().count() > 1 && (small || value.contains(". ") || value.ends_with('.'))
}

fn has_outer_space(text: &str) -> bool {
    text.trim_matches(is_space).len() < text.len()
}
