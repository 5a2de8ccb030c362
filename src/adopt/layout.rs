//! Which layers a manifest has, in which tiers, and which facts.

use super::align::align;
use super::kind::{Kind, common_kind};
use super::layer::{Content, Layer, Part};
use super::names::{self, Names};
use super::sections;
use super::shape::{Place, Shape, places};
use super::split::Split;
use super::structure::Mark;
use super::tiers::{Tier, tiers};
use crate::prompt::Changes;
use crate::text::normalise::{bom, is_space};
use std::collections::BTreeMap;
use std::ops::Range;

/// A part of more bytes in which something changes is divided around it.
const LARGEST_TEMPLATE: usize = 4_000;

/// A manifest before it is written.
#[derive(Debug)]
pub(super) struct Layout {
    /// What stands between layers.
    pub(super) join: String,
    /// The facts, in the order of their first places.
    pub(super) facts: Vec<Fact>,
    /// The tiers with their layers.
    pub(super) tiers: Vec<Tier>,
}

/// What a fact holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FactKind {
    /// A text of the prompt.
    Text,
    /// Whether a layer is there.
    Flag,
    /// The name of a file.
    File,
}

/// A fact.
#[derive(Debug)]
pub(super) struct Fact {
    /// Its name.
    pub(super) name: String,
    /// What it holds.
    pub(super) kind: FactKind,
    /// How often it changes, as far as its values tell.
    pub(super) changes: Changes,
    /// The layer of its first place.
    pub(super) layer: String,
    /// What it stands for in each dump; none where that is not there.
    pub(super) at: Vec<Option<Range<usize>>>,
}

impl Layout {
    /// What there is to understand in it: the number of facts, then the bytes of their values.
    pub(super) fn burden(&self) -> (usize, usize) {
        let texts = self.facts.iter().filter(|f| f.kind == FactKind::Text);
        let values = texts.flat_map(|f| f.at.iter().flatten().map(Range::len));
        (self.facts.len(), values.sum())
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
        values: BTreeMap::new(),
        fact_names: Names::default(),
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
    let layout = Layout {
        join: join.to_owned(),
        facts: maker.facts,
        tiers: tiers(maker.layers),
    };
    (layout, loses_parts)
}

/// Each dump as one file, for what cannot be laid out otherwise.
pub(super) fn whole(texts: &[&str]) -> Layout {
    let at: Vec<_> = texts.iter().map(|t| Some(0..t.len())).collect();
    let same = texts.iter().all(|t| *t == texts[0]);
    let fact = Fact {
        name: "prompt_file".to_owned(),
        kind: FactKind::File,
        changes: Changes::Turn,
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
        changes: if same {
            Changes::Session
        } else {
            Changes::Turn
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

/// Which places make a layer together.
fn groups(split: &Split<'_>, places: &[Place], begins: &[bool]) -> Vec<Range<usize>> {
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

fn section_groups(
    split: &Split<'_>,
    places: &[Place],
    section: Range<usize>,
    out: &mut Vec<Range<usize>>,
) {
    let alone = |place: &Place| {
        let whole = place.shape == Shape::Whole;
        !place.unit.is_everywhere() || whole && place.is_long(split)
    };
    let presence = |place: &Place| place.unit.present().collect::<Vec<_>>();
    let mut at = section.start;
    while at < section.end {
        let place = &places[at];
        let rest = &places[at + 1..section.end];
        let like = |other: &&Place| match place.shape {
            Shape::Sometimes => {
                other.shape == Shape::Sometimes && presence(other) == presence(place)
            }
            _ => !alone(place) && !alone(other),
        };
        let end = at + 1 + rest.iter().take_while(like).count();
        if alone(place) {
            out.push(at..end);
        } else {
            together(split, places, at..end, out);
        }
        at = end;
    }
}

/// Places that all dumps have: one layer if nothing changes, or in a short part with a heading. Else what changes is a
/// layer of its own.
fn together(split: &Split<'_>, places: &[Place], range: Range<usize>, out: &mut Vec<Range<usize>>) {
    let all = &places[range.clone()];
    let bytes: usize = all.iter().map(|p| p.text(split).len()).sum();
    // A template has to spell out each return.
    let returns = all.iter().any(|p| p.text(split).contains('\r'));
    let is_part = places[range.start].mark(split).is_some();
    if is_part && bytes <= LARGEST_TEMPLATE && !returns || all.iter().all(Place::is_calm) {
        out.push(range);
        return;
    }
    let mut at = range.start;
    while at < range.end {
        let calm = places[at..range.end]
            .iter()
            .take_while(|p| p.is_calm())
            .count();
        let end = at + calm.max(1);
        out.push(at..end);
        at = end;
    }
}

pub(super) struct Maker<'s, 't> {
    pub(super) split: &'s Split<'t>,
    pub(super) facts: Vec<Fact>,
    /// Facts of texts by what they stand for in each dump.
    pub(super) values: BTreeMap<Vec<Option<&'t str>>, usize>,
    fact_names: Names,
    layer_names: Names,
    /// The name of the part that the places stand in.
    section: Option<String>,
    /// Digits of a file's number.
    width: usize,
    layers: Vec<Layer>,
}

impl<'t> Maker<'_, 't> {
    /// Adds the layer of some places; `goes_on` says that no part begins behind them.
    fn layer(&mut self, places: &[Place], goes_on: bool) {
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
        let (name, title) = self.name(first, goes_on && places.len() == 1);
        let number = self.layers.len() + 1;
        let stem = format!("{number:0width$}-{name}", width = self.width);
        let before = self.facts.len();
        let (content, when) = self.content(places, &at, &name);
        let used: Vec<usize> = match &content {
            Content::File => when.into_iter().collect(),
            Content::Value(fact) | Content::Variants(fact) => vec![*fact],
            Content::Template(parts) => parts.iter().filter_map(Part::fact).collect(),
        };
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
            changes: used
                .iter()
                .map(|f| self.facts[*f].changes)
                .fold(Changes::Session, Changes::max),
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

    /// The name of a layer that begins at `place`, and how the text calls it where that can be no name.
    fn name(&mut self, place: &Place, is_head: bool) -> (String, Option<String>) {
        let mark = place.mark(self.split);
        let title = mark.map_or("", |m| m.title.as_str());
        let text = place.text(self.split).trim_matches(is_space);
        if mark.is_some() {
            self.section = names::layer(title, text);
        }
        let own = names::layer(title, text).filter(|n| n != "identity" || self.layers.is_empty());
        // What goes on under a heading is called like it.
        let base = self.section.clone().or(own);
        // What has no name in ASCII is still called something.
        let shown = match title {
            "" => text.lines().next().unwrap_or_default(),
            title => title,
        };
        let title = base.is_none().then(|| shown.chars().take(40).collect());
        let base = base.as_deref().unwrap_or("part");
        let only_heads = is_head && mark.is_some() && !text.contains(['\n', '\r']);
        let name = match only_heads {
            true => format!("{base}-heading"),
            false => base.to_owned(),
        };
        (self.layer_names.take(&name, '-'), title)
    }

    fn content(
        &mut self,
        places: &[Place],
        at: &[Option<Range<usize>>],
        layer: &str,
    ) -> (Content, Option<usize>) {
        match places {
            [place, ..] if place.shape == Shape::Sometimes => {
                let flag = self.fact(&[names::variable(layer)], FactKind::Flag, at.to_vec());
                (Content::File, Some(flag))
            }
            [place] if place.shape == Shape::Whole && place.is_long(self.split) => {
                let name = names::variable(&format!("{layer}_file"));
                let fact = self.fact(&[name], FactKind::File, at.to_vec());
                (Content::Variants(fact), None)
            }
            [place] if place.shape == Shape::Whole => {
                let fact = self.fact(&[names::variable(layer)], FactKind::Text, at.to_vec());
                (Content::Value(fact), None)
            }
            all if all.iter().all(Place::is_calm) => (Content::File, None),
            all => {
                let both = at.iter().zip(self.split.texts);
                let mut texts = both.filter_map(|(at, t)| t.get(at.clone()?));
                let is_trimmed = !self.split.join.is_empty() && !texts.any(has_outer_space);
                (
                    Content::Template(self.template(all, layer, is_trimmed)),
                    None,
                )
            }
        }
    }

    /// The bytes of a place that all dumps have.
    pub(super) fn bytes(&self, place: &Place) -> Vec<Range<usize>> {
        let both = place.unit.at.iter().enumerate();
        both.map(|(dump, bodies)| self.split.bytes(dump, bodies).unwrap_or_default())
            .collect()
    }

    pub(super) fn fact(
        &mut self,
        names: &[String],
        kind: FactKind,
        at: Vec<Option<Range<usize>>>,
    ) -> usize {
        let both = at.iter().zip(self.split.texts);
        let values: Vec<&str> = both
            .filter_map(|(at, text)| text.get(at.clone()?))
            .collect();
        let is_date = kind == FactKind::Text && common_kind(&values) == Kind::Date;
        self.facts.push(Fact {
            name: self.fact_names.first(names, '_'),
            kind,
            changes: if is_date { Changes::Day } else { Changes::Turn },
            layer: String::new(),
            at,
        });
        self.facts.len() - 1
    }
}

fn has_outer_space(text: &str) -> bool {
    text.trim_matches(is_space).len() < text.len()
}
