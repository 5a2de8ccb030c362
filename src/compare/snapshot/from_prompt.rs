//! A prompt written down as lines.

use super::line::{AbsentLine, Head, LayerLine, Line, Note, TierLine};
use crate::manifest::Manifest;
use crate::prompt::{
    Absent, Channel, Definition, DefinitionNode, Ingredient, Layer, Prompt, Span, Tier, sha256,
};
use crate::text::SpanKind;
use std::collections::BTreeMap;

/// The default separator of layers.
const DEFAULT_JOIN: &str = "\n\n";

/// The lines of a snapshot: its head, then each channel's tiers with their layers.
pub(super) fn lines(
    scenario: &str,
    texts: bool,
    manifest: &Manifest,
    prompt: &Prompt,
) -> Vec<Line> {
    let taker = Taker {
        scenario,
        manifest,
        prompt,
    };
    let mut out = vec![Line::Snapshot(Head {
        scenario: scenario.to_owned(),
        language: prompt.language,
        name: prompt.name.clone(),
        texts,
        notices: taker.notices(None),
    })];
    for channel in &prompt.channels {
        for tier in &channel.tiers {
            out.push(taker.tier(channel, tier));
            out.extend(taker.layers(channel, tier));
        }
    }
    // A channel without text is not in the prompt, and so are its tiers.
    let known = |a: &Absent| {
        let mut tiers = prompt.channels.iter().flat_map(|c| &c.tiers);
        tiers.any(|t| t.name == a.tier)
    };
    let unknown = prompt.absent.iter().filter(|a| !known(a));
    out.extend(unknown.map(|a| taker.absent(a)));
    out
}

struct Taker<'a> {
    scenario: &'a str,
    manifest: &'a Manifest,
    prompt: &'a Prompt,
}

impl Taker<'_> {
    /// The separators before a tier, and between its layers.
    fn joins(&self, tier: &str) -> (&str, &str) {
        let lead = self.manifest.join.as_ref();
        let lead = lead.map_or(DEFAULT_JOIN, |join| &*join.text);
        let mut tiers = self.manifest.tiers.iter();
        let own = tiers.find(|t| t.name.value == tier);
        let own = own.and_then(|t| t.join.as_ref());
        (lead, own.map_or(lead, |join| &*join.text))
    }

    fn tier(&self, channel: &Channel, tier: &Tier) -> Line {
        // The separators come from the manifest, not from the text: which of them are needed depends on the
        // present layers.
        let (lead, join) = self.joins(&tier.name);
        Line::Tier(TierLine {
            scenario: self.scenario.to_owned(),
            tier: tier.name.clone(),
            deliver: channel.deliver,
            changes: tier.changes,
            lead: lead.to_owned(),
            join: join.to_owned(),
            // Layers are between a tier's settings, so any line number here would count them too.
            definition: moved(&tier.definition, |_, _| 0),
        })
    }

    /// The layers of a tier in the order of the manifest, those that are absent among them.
    fn layers(&self, channel: &Channel, tier: &Tier) -> Vec<Line> {
        let written = self.manifest.tiers.iter().flat_map(|t| &t.layers);
        let order: BTreeMap<&str, usize> = written
            .enumerate()
            .map(|(at, l)| (l.name.value.as_str(), at))
            .collect();
        let mut absent = self.prompt.absent.iter().filter(|a| a.tier == tier.name);
        let mut next = absent.next();
        let mut out = Vec::new();
        for layer in channel.layers.iter().filter(|l| l.tier == tier.name) {
            while let Some(before) = next.filter(|a| order.get(&*a.layer) < order.get(&*layer.name))
            {
                out.push(self.absent(before));
                next = absent.next();
            }
            out.push(self.layer(channel, tier, layer));
        }
        out.extend(next.into_iter().chain(absent).map(|a| self.absent(a)));
        out
    }

    fn layer(&self, channel: &Channel, tier: &Tier, layer: &Layer) -> Line {
        let lines = Lines::of(&layer.definition);
        let (lead, join) = self.joins(&tier.name);
        let front = match layer.start {
            0 => "",
            start if start == tier.start => lead,
            _ => join,
        };
        let (own, start) = without_join(layer, front);
        let text = channel.text.get(start..layer.end).unwrap_or_default();
        let spans = own.iter().map(|span| Span {
            start: span.start.saturating_sub(start),
            end: span.end.saturating_sub(start),
            line: span.line.map(|line| match in_manifest(layer, span) {
                Some(file) => lines.place(file, line),
                None => line,
            }),
            ..*span
        });
        Line::Layer(LayerLine {
            scenario: self.scenario.to_owned(),
            tier: layer.tier.clone(),
            layer: layer.name.clone(),
            changes: layer.changes,
            bytes: text.len(),
            chars: text.chars().count(),
            sha256: sha256(text),
            spans: spans.collect(),
            ingredients: ingredients(&layer.ingredients, &lines),
            unused: layer.unused.clone(),
            notices: self.notices(Some(&layer.name)),
            definition: moved(&layer.definition, |file, line| lines.place(file, line)),
        })
    }

    fn absent(&self, absent: &Absent) -> Line {
        let lines = Lines::of(&absent.definition);
        Line::Absent(AbsentLine {
            scenario: self.scenario.to_owned(),
            tier: absent.tier.clone(),
            layer: absent.layer.clone(),
            reason: absent.reason,
            detail: absent.detail.clone(),
            ingredients: ingredients(&absent.ingredients, &lines),
            unused: absent.unused.clone(),
            notices: self.notices(Some(&absent.layer)),
            definition: moved(&absent.definition, |file, line| lines.place(file, line)),
        })
    }

    fn notices(&self, layer: Option<&str>) -> Vec<Note> {
        let about = self.prompt.notices.iter();
        let about = about.filter(|n| n.layer.as_deref() == layer);
        about
            .map(|n| Note {
                code: n.code.clone(),
                message: n.message.clone(),
            })
            .collect()
    }
}

/// The spans of a layer's own text, and where it begins in the channel: the join before it is not part of it. A cut
/// can leave a join at the beginning of the layer, which is part of it.
fn without_join<'l>(layer: &'l Layer, front: &str) -> (&'l [Span], usize) {
    match layer.spans.split_first() {
        Some((join, own)) if !front.is_empty() && join.kind == SpanKind::Join => (own, join.end),
        _ => (&layer.spans, layer.start),
    }
}

/// The file of the manifest that a span's line is one of.
fn in_manifest<'a>(layer: &'a Layer, span: &Span) -> Option<&'a str> {
    let ingredient = span
        .ingredient
        .and_then(|at| layer.ingredients.get(at as usize));
    match ingredient {
        Some(Ingredient::Literal { file, .. }) => Some(file),
        Some(Ingredient::Template { file, line, .. }) => line.and(Some(file)),
        _ => None,
    }
}

/// The lines of the manifest's files as seen from a layer: the first that it has in each.
struct Lines<'a>(BTreeMap<&'a str, usize>);

impl<'a> Lines<'a> {
    fn of(definition: &'a Definition) -> Self {
        let mut first = BTreeMap::new();
        for node in definition.nodes.iter() {
            let file: &str = definition.file_of(node);
            // The nodes of one file are in its order, unless an overlay has inserted one.
            let line = first.entry(file).or_insert(node.line);
            *line = node.line.min(*line);
        }
        Self(first)
    }

    /// A line counted from the layer's first in that file, which is 1; 0 for one above it.
    fn place(&self, file: &str, line: usize) -> usize {
        let first = self.0.get(file).copied().unwrap_or(1);
        line.saturating_add(1).saturating_sub(first)
    }
}

fn moved(definition: &Definition, place: impl Fn(&str, usize) -> usize) -> Definition {
    let nodes = definition.nodes.iter().map(|node| DefinitionNode {
        line: place(definition.file_of(node), node.line),
        ..node.clone()
    });
    Definition {
        file: definition.file.clone(),
        nodes: nodes.collect(),
    }
}

fn ingredients(all: &[Ingredient], lines: &Lines<'_>) -> Vec<Ingredient> {
    let mut out = all.to_vec();
    for ingredient in &mut out {
        match ingredient {
            Ingredient::Literal { file, line, .. } => *line = lines.place(file, *line),
            Ingredient::Template {
                file,
                line: Some(line),
                ..
            } => *line = lines.place(file, *line),
            // The artifact has none either. A lock is committed, so this holds for every prompt.
            Ingredient::Fact {
                value,
                private: true,
                ..
            } => *value = None,
            _ => {}
        }
    }
    out
}
