//! The layers of a prompt that promptc built in the system prompt of a request: of a changed line, and of all lines.
//!
//! Lines that both have once are the same line. A line between two of them belongs to the layer of both; at a border of
//! layers it belongs to the one that has such a line. An ambiguous line belongs to no layer.

use crate::compile::{LayerPlan, Plan, Reason, What};
use crate::prompt::{Deliver, Layer, Prompt};
use crate::request::whole::{Cause, Kind, Part, Request, system_pairs};
use crate::text::common::{shared, unique};
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// The least part of two lines that is equal if one became the other, in percent.
const LIKE: usize = 70;

/// The most lines at a border of layers that a line is compared with, and the most characters of one.
const MOST_LINES: usize = 200;
const MOST_OF_LINE: usize = 1_000;

/// The most pairs of lines at a border of layers that are compared.
const MOST_PAIRS: usize = 1_000;

/// The lines of a prompt and its layers.
#[derive(Debug)]
pub(super) struct Layers<'p> {
    /// Each line with the layers that it is of, by index: two, if they meet in it.
    lines: Vec<(&'p str, RangeInclusive<usize>)>,
    names: Vec<&'p str>,
    /// The position of each layer among all layers of the manifest.
    places: Vec<usize>,
    /// Whether the text of each layer of the manifest depends on something besides the manifest.
    open: Vec<bool>,
}

/// The owner of a line of a system prompt.
enum Owner {
    /// A layer's.
    One(usize),
    /// One of these layers', or of what the program around promptc wrote.
    Among(RangeInclusive<usize>),
}

/// The text of a layer in a request.
#[derive(Debug, Clone, Default)]
pub(super) struct LayerText<'t> {
    /// Its lines.
    own: Vec<&'t str>,
    /// The lines that may be its own or another's.
    unclear: Vec<&'t str>,
}

/// The text of each layer of a prompt in a request.
#[derive(Debug, Clone)]
pub(super) struct LayerTexts<'t> {
    /// By layer.
    pub(super) layers: Vec<LayerText<'t>>,
    /// The number of lines of the prompt that the request has.
    pub(super) same: usize,
}

impl LayerText<'_> {
    /// Whether the request has text of the layer.
    pub(super) fn is_seen(&self) -> bool {
        !self.own.is_empty()
    }

    /// Whether the text is another one in another request; none where that is not certain.
    pub(super) fn differs(&self, other: &Self) -> Option<bool> {
        let seen = self.is_seen() || other.is_seen();
        if self.unclear == other.unclear {
            seen.then(|| self.own != other.own)
        } else {
            (self.lacks(other) || other.lacks(self)).then_some(true)
        }
    }

    /// Whether a line of the other is nowhere where it could be the layer's.
    fn lacks(&self, other: &Self) -> bool {
        let lines: BTreeSet<&str> = self.own.iter().chain(&self.unclear).copied().collect();
        other.own.iter().any(|line| !lines.contains(line))
    }
}

/// The lines of a system prompt, and which of them are lines of the prompt.
struct AlignedLines<'t> {
    lines: Vec<&'t str>,
    /// Where each block begins.
    blocks: Vec<usize>,
    /// A line here, and the same one in the prompt; both ascending.
    same: Vec<(usize, usize)>,
}

impl<'p> Layers<'p> {
    /// The layers in the system prompt of a prompt.
    pub(super) fn of(prompt: &'p Prompt) -> Self {
        let Some(channel) = prompt.channel(Deliver::System) else {
            return Self {
                lines: Vec::new(),
                names: Vec::new(),
                places: Vec::new(),
                open: Vec::new(),
            };
        };
        let mut at = 0;
        let all = &channel.layers;
        let lines = channel.text.split_inclusive('\n').filter_map(|line| {
            let (start, text) = (at, line.trim_end());
            at += line.len();
            let end = start + text.len();
            // A join of line ends belongs to the layer after it, and is no line.
            let is_of = |layer: &Layer| layer.start < end && start < layer.end;
            let first = all.iter().position(is_of)?;
            Some((text, first..=all.iter().rposition(is_of)?))
        });
        Self {
            lines: lines.collect(),
            names: all.iter().map(|layer| layer.name.as_str()).collect(),
            places: (0..all.len()).collect(),
            open: vec![true; all.len()],
        }
    }

    /// The layers of a prompt of this plan, by which some lines can only be of one layer.
    pub(super) fn planned(prompt: &'p Prompt, plan: &Plan) -> Self {
        let mut layers = Self::of(prompt);
        let tiers = plan.tiers().filter(|tier| tier.deliver == Deliver::System);
        let all: Vec<LayerPlan<'_>> = tiers.flat_map(|tier| tier.layers).collect();
        let place = |name: &&str| all.iter().position(|l| l.written.name.value == **name);
        if let Some(places) = layers.names.iter().map(place).collect() {
            let is_open = |reason: &Arc<Reason>| {
                let last = reason.links.last();
                last.is_none_or(|link| link.what != What::Program)
            };
            let open = all
                .iter()
                .map(|layer| layer.why.reasons.iter().any(is_open));
            (layers.places, layers.open) = (places, open.collect());
        }
        layers
    }

    /// Their names, in order.
    pub(super) fn names(&self) -> &[&'p str] {
        &self.names
    }

    /// Notes the layer of each cause that is about the system prompt.
    pub(super) fn note(&self, causes: &mut [Cause], before: &Request, now: &Request) {
        let is_its = |cause: &&mut Cause| cause.kind == Kind::SystemChanged;
        let mut causes = causes.iter_mut().filter(is_its).peekable();
        if causes.peek().is_none() {
            return;
        }
        let texts = [before, now]
            .map(|request| -> Vec<String> { request.system.iter().map(Part::text).collect() });
        let [before_laid, now_laid] = texts.each_ref().map(|blocks| self.lay(blocks));
        for (cause, (old, new)) in causes.zip(system_pairs(&before.system, &now.system)) {
            let line = cause.line.unwrap_or(1).saturating_sub(1);
            let sides = [
                (&cause.old, &before_laid, old),
                (&cause.new, &now_laid, new),
            ];
            let found = sides.iter().filter_map(|(text, laid, block)| {
                text.as_ref()?;
                self.find(laid, laid.blocks.get((*block)?)? + line)
            });
            cause.layer = only(found.collect()).map(str::to_owned);
        }
    }

    fn lay<'t>(&self, blocks: &'t [String]) -> AlignedLines<'t> {
        let mut laid = AlignedLines {
            lines: Vec::new(),
            blocks: Vec::new(),
            same: Vec::new(),
        };
        for block in blocks {
            laid.blocks.push(laid.lines.len());
            laid.lines.extend(block.split('\n').map(str::trim_end));
        }
        let own: Vec<&str> = self.lines.iter().map(|(line, _)| *line).collect();
        laid.same = unique(&laid.lines, &own);
        laid.same.retain(|(at, _)| says(laid.lines[*at]));
        laid
    }

    /// The layer of each line of the blocks of a system prompt, as far as that is certain.
    pub(super) fn of_lines(&self, blocks: &[String]) -> Vec<Vec<Option<String>>> {
        let laid = self.lay(blocks);
        let ends = laid
            .blocks
            .iter()
            .skip(1)
            .copied()
            .chain([laid.lines.len()]);
        let lines = laid.blocks.iter().zip(ends).map(|(start, end)| {
            let names = (*start..end).map(|at| self.find(&laid, at).map(str::to_owned));
            names.collect()
        });
        lines.collect()
    }

    /// The texts of all layers in the blocks of a system prompt; none if that is of another prompt: it has no line of more than half of
    /// the layers.
    pub(super) fn texts<'t>(&self, blocks: &'t [String]) -> Option<LayerTexts<'t>> {
        let laid = self.lay(blocks);
        let seen: BTreeSet<usize> = (laid.same.iter())
            .filter_map(|(_, own)| self.layer(*own))
            .collect();
        let written: BTreeSet<usize> = (self.lines.iter())
            .filter(|(line, _)| says(line))
            .flat_map(|(_, of)| of.clone())
            .collect();
        if seen.is_empty() || seen.len() * 2 < written.len() {
            return None;
        }
        let mut layers = vec![LayerText::default(); self.names.len()];
        let mut add = |owner: Owner, lines: &[&'t str]| match owner {
            Owner::One(layer) => layers[layer].own.extend(lines),
            Owner::Among(all) => {
                for layer in &mut layers[all] {
                    layer.unclear.extend(lines);
                }
            }
        };
        let (mut above, mut from) = (None, 0);
        for below in laid.same.iter().map(Some).chain([None]) {
            let to = below.map_or(laid.lines.len(), |(at, _)| *at);
            let gap = &laid.lines[from..to];
            let gap: Vec<&str> = gap.iter().copied().filter(|l| !l.is_empty()).collect();
            let below = below.copied();
            for (owner, lines) in self.gap(above, below.map(|(_, own)| own), &gap) {
                add(owner, lines);
            }
            if let Some((at, line)) = below {
                let of = || Owner::Among(self.lines[line].1.clone());
                let owner = self.layer(line).map_or_else(of, Owner::One);
                add(owner, &laid.lines[at..=at]);
                (above, from) = (Some(line), at + 1);
            }
        }
        Some(LayerTexts {
            layers,
            same: laid.same.len(),
        })
    }

    /// The owner of the lines between two lines of the prompt, or before its first or after its last line that the
    /// request has.
    fn gap<'l, 't>(
        &self,
        above: Option<usize>,
        below: Option<usize>,
        lines: &'l [&'t str],
    ) -> Vec<(Owner, &'l [&'t str])> {
        let Some(last) = self
            .names
            .len()
            .checked_sub(1)
            .filter(|_| !lines.is_empty())
        else {
            return Vec::new();
        };
        let low = above.map_or(0, |own| *self.lines[own].1.end());
        let high = below.map_or(last, |own| *self.lines[own].1.start());
        let inside = above.is_some() && below.is_some();
        if inside && low == high {
            return vec![(Owner::One(low), lines)];
        }
        let near = &self.lines[self.between(above, below)];
        let near: Vec<_> = near.iter().filter(|(line, _)| says(line)).collect();
        let lost = near.iter().flat_map(|(_, of)| of.clone()).collect();
        if let (true, Some(one)) = (inside, self.only_open(low..=high, &lost)) {
            return vec![(Owner::One(one), lines)];
        }
        let like: Vec<Option<usize>> = if near.len() * lines.len() <= MOST_PAIRS {
            lines.iter().map(|line| self.like(&near, line)).collect()
        } else {
            vec![None; lines.len()]
        };
        let each = lines.chunks(1).zip(like);
        let owner = |layer: Option<usize>| layer.map_or(Owner::Among(low..=high), Owner::One);
        each.map(|(line, layer)| (owner(layer), line)).collect()
    }

    /// The only layer, of these and of those between them that the prompt lacks, whose text is not fully in the
    /// manifest; none if another one has lost lines there.
    fn only_open(&self, layers: RangeInclusive<usize>, lost: &BTreeSet<usize>) -> Option<usize> {
        let all = self.places[*layers.start()]..=self.places[*layers.end()];
        let place = only(all.filter(|place| self.open[*place]).collect())?;
        let mut layers = layers.filter(|at| self.places[*at] == place);
        layers
            .next()
            .filter(|at| lost.iter().all(|lost| lost == at))
    }

    /// The layer of a line of the prompt; none if it is of two.
    fn layer(&self, own: usize) -> Option<usize> {
        let of = &self.lines[own].1;
        (of.start() == of.end()).then_some(*of.start())
    }

    /// The lines of the prompt between two of them.
    fn between(&self, above: Option<usize>, below: Option<usize>) -> Range<usize> {
        let from = above.map_or(0, |own| own + 1);
        from..below.unwrap_or(self.lines.len()).max(from)
    }

    /// The one layer that has a line like this among those near it.
    fn like(&self, near: &[&(&str, RangeInclusive<usize>)], line: &str) -> Option<usize> {
        let like = near.iter().filter(|(own, _)| is_like(own, line));
        let layers = like.map(|(_, of)| (of.start() == of.end()).then_some(*of.start()));
        only(layers.collect())?
    }

    /// The layer of a line of a system prompt.
    fn find(&self, laid: &AlignedLines<'_>, at: usize) -> Option<&'p str> {
        let next = laid.same.partition_point(|(here, _)| *here < at);
        let below = laid.same.get(next);
        let name = |layer: usize| self.names[layer];
        if let Some((_, own)) = below.filter(|(here, _)| *here == at) {
            return self.layer(*own).map(name);
        }
        let above = next.checked_sub(1).map(|last| laid.same[last].1);
        let below = below.map(|(_, own)| *own);
        match (above, below) {
            (None, None) => return None,
            (Some(above), Some(below)) if self.layer(above) == self.layer(below) => {
                return self.layer(above).map(name);
            }
            _ => {}
        }
        let near: Vec<_> = self.lines[self.between(above, below)].iter().collect();
        let line = laid.lines.get(at)?;
        if near.len() > MOST_LINES {
            return None;
        }
        self.like(&near, line).map(name)
    }
}

/// Whether a line says something: others are in too many texts.
fn says(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// The one that there is; none of several.
fn only<T: Ord>(mut all: BTreeSet<T>) -> Option<T> {
    all.pop_first().filter(|_| all.is_empty())
}

/// Whether one line became the other, as far as their characters say it.
fn is_like(a: &str, b: &str) -> bool {
    let chars = |line: &str| -> Vec<char> { line.chars().take(MOST_OF_LINE).collect() };
    let (a, b) = (chars(a), chars(b));
    let [short, long] = [a.len().min(b.len()), a.len().max(b.len())];
    if short * 2 < long {
        return false;
    }
    !a.is_empty() && shared(&a, &b, 100) >= LIKE
}
