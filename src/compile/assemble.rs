//! Stage 7: `Fitted` -> `Prompt`. Layers are joined into channels; a join belongs to the layer after it.

use super::fit::Fitted;
use super::frozen::Frozen;
use super::layer::RenderedLayer;
use super::plan::{Plan, Tier as PlanTier};
use super::record::{OriginalText, Record};
use crate::diagnostic::span::{Lines, count_newlines};
use crate::manifest::Program;
use crate::prompt::{
    self, Channel, Deliver, Layer, Notice, PrefixHash, Prompt, Reason, SCHEMA, Span, sha256,
};
use crate::text::{Run, SpanKind, Text};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Joins the layers into channels and draws the map.
#[must_use]
pub fn assemble(plan: &Plan, fitted: Fitted<'_>) -> Prompt {
    let mut out = Prompt {
        schema: SCHEMA,
        promptc: env!("CARGO_PKG_VERSION").to_owned(),
        language: prompt::LANGUAGE,
        name: plan.manifest.name.as_ref().map(|n| n.value.clone()),
        fingerprint: String::new(),
        manifest_sha256: plan.manifest_hash.clone(),
        channels: Vec::new(),
        absent: Vec::new(),
        notices: Vec::new(),
        without: Vec::new(),
        fits: fitted.fits,
        session: None,
        overlays: plan.manifest.overlays.clone(),
        inputs: None,
    };
    let mut channels: Vec<(Deliver, Assembly)> =
        Deliver::ALL.map(|d| (d, Assembly::default())).into();
    if let Some((_, system)) = channels.iter_mut().find(|(d, _)| *d == Deliver::System) {
        system.text.reserve_exact(room(plan, &fitted.tiers));
    }
    for (tier, layers) in plan.tiers.iter().zip(fitted.tiers) {
        let assembly = channels
            .iter_mut()
            .find(|(deliver, _)| *deliver == tier.deliver);
        let Some((_, assembly)) = assembly else {
            continue;
        };
        match fitted.front.as_deref().filter(|_| tier.frozen) {
            Some(front) => assembly.keep(plan, tier, front, &mut out),
            None => assembly.tier(plan, tier, layers, &mut out),
        }
    }
    for (deliver, assembly) in channels {
        out.channels.extend(assembly.finish(deliver));
    }
    let left_out = out.absent.iter().filter(|a| a.reason == Reason::LeftOut);
    out.without = left_out.map(|absent| absent.layer.clone()).collect();
    if let Some(tokenizer) = fitted.tokenizer {
        out.count_tokens(tokenizer);
    }
    // The last tier's prefix is the whole text.
    out.fingerprint = match out.channel(Deliver::System).and_then(|c| c.tiers.last()) {
        Some(tier) => tier.fingerprint.clone(),
        None => sha256(""),
    };
    out
}

/// An upper bound for the bytes of the system prompt, which is nearly all of a prompt.
fn room(plan: &Plan, tiers: &[Vec<RenderedLayer<'_>>]) -> usize {
    let tiers = plan.tiers.iter().zip(tiers);
    let system = tiers.filter(|(tier, _)| tier.deliver == Deliver::System);
    let mut room = 0;
    for (tier, layers) in system {
        for layer in layers {
            if let RenderedLayer::Present(_, text, _) = layer {
                room += text.as_str().len() + tier.join.text.len().max(tier.lead.text.len());
            }
        }
    }
    room
}

/// A channel in the making.
#[derive(Default)]
struct Assembly {
    text: String,
    tiers: Vec<prompt::Tier>,
    layers: Vec<Layer>,
}

impl Assembly {
    /// Takes a tier as an earlier build made it.
    fn keep(&mut self, plan: &Plan, tier: &PlanTier, front: &Frozen, out: &mut Prompt) {
        let start = self.text.len();
        self.text.push_str(front.text(tier));
        let channel = front.prompt.channel(tier.deliver);
        let layers = channel.into_iter().flat_map(|c| &c.layers);
        self.layers
            .extend(layers.filter(|l| l.tier == tier.name).cloned());
        let absent = front.prompt.absent.iter();
        out.absent
            .extend(absent.filter(|a| a.tier == tier.name).cloned());
        let names: BTreeSet<&str> = tier.layers.iter().map(|l| &*l.name).collect();
        let of_tier = |name: &String| names.contains(name.as_str());
        let notices = front.prompt.notices.iter();
        let notices = notices.filter(|n| n.layer.as_ref().is_some_and(of_tier));
        out.notices.extend(notices.cloned());
        self.end(plan, tier, start);
    }

    fn tier(
        &mut self,
        plan: &Plan,
        tier: &PlanTier,
        layers: Vec<RenderedLayer<'_>>,
        out: &mut Prompt,
    ) {
        let start = self.text.len();
        self.layers.reserve(layers.len());
        let by_name = tier.layers.iter().map(|l| (&*l.name, l));
        let by_name: BTreeMap<&str, _> = by_name.collect();
        for layer in layers {
            match layer {
                RenderedLayer::Absent(mut absent, record) => {
                    if let Some(layer) = by_name.get(absent.layer.as_str()) {
                        absent.definition = plan.definition(layer.span, &layer.definition);
                    }
                    out.absent.push(absent);
                    out.notices.extend(record.notices);
                }
                RenderedLayer::Present(layer, text, record) => {
                    let join = if self.text.is_empty() {
                        None
                    } else if self.text.len() == start {
                        Some(&tier.lead)
                    } else {
                        Some(&tier.join)
                    };
                    let at = self.text.len();
                    if let Some(join) = join {
                        self.text.push_str(&join.text);
                    }
                    self.text.push_str(text.as_str());
                    self.layer(
                        plan,
                        layer,
                        tier,
                        at,
                        text,
                        join.map_or(0, |j| j.text.len()),
                        record,
                        &mut out.notices,
                    );
                }
            }
        }
        self.end(plan, tier, start);
    }

    fn end(&mut self, plan: &Plan, tier: &PlanTier, start: usize) {
        self.tiers.push(prompt::Tier {
            name: tier.name.clone(),
            changes: tier.changes,
            start,
            end: self.text.len(),
            fingerprint: String::new(),
            definition: plan.definition(tier.span, &tier.definition),
        });
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one layer, used once"
    )]
    fn layer(
        &mut self,
        plan: &Plan,
        layer: &super::plan::Layer,
        tier: &PlanTier,
        start: usize,
        text: Text,
        join: usize,
        record: Record,
        notices: &mut Vec<Notice>,
    ) {
        self.layers.push(Layer {
            name: layer.name.to_string(),
            tier: tier.name.clone(),
            start,
            end: self.text.len(),
            chars: 0,
            tokens: None,
            changes: layer.why.changes,
            sha256: String::new(),
            spans: spans(start, join, &text, &mut LineBook::new(plan, &record)),
            ingredients: record.ingredients.done(),
            unused: record.unused,
            definition: plan.definition(layer.span, &layer.definition),
        });
        notices.extend(record.notices);
    }

    /// `None` if the channel has no text.
    fn finish(self, deliver: Deliver) -> Option<Channel> {
        let text = self.text;
        if text.is_empty() {
            return None;
        }
        let layers: Vec<Layer> = self
            .layers
            .into_iter()
            .map(|layer| Layer {
                chars: text[layer.start..layer.end].chars().count(),
                sha256: sha256(&text[layer.start..layer.end]),
                ..layer
            })
            .collect();
        let (mut prefix, mut hashed) = (PrefixHash::default(), 0);
        let mut fingerprint = |end: usize| match layers.first() {
            // To hash a long text takes as long as to make it.
            Some(layer) if (layer.start, layer.end) == (0, end) => layer.sha256.clone(),
            _ => {
                prefix.extend(&text.as_bytes()[hashed..end]);
                hashed = end;
                prefix.so_far()
            }
        };
        let tiers = self.tiers.into_iter();
        let tiers = tiers.map(|tier| prompt::Tier {
            fingerprint: fingerprint(tier.end),
            ..tier
        });
        let tiers = tiers.collect();
        Some(Channel {
            deliver,
            bytes: text.len(),
            // The layers tile the text.
            chars: layers.iter().map(|layer| layer.chars).sum(),
            tokens: None,
            tokenizer: None,
            estimate: false,
            tiers,
            layers,
            text,
        })
    }
}

/// The spans of a layer that starts at `start` with a join of `join` bytes.
fn spans(start: usize, join: usize, text: &Text, lines: &mut LineBook<'_>) -> Vec<Span> {
    let mut at = start + join;
    let mut out = Vec::with_capacity(text.runs().len() + 1);
    if join > 0 {
        out.push(Span {
            start,
            end: at,
            kind: SpanKind::Join,
            ingredient: None,
            offset: None,
            line: None,
            of: None,
        });
    }
    for Run {
        len,
        kind,
        ingredient,
        offset,
        of,
    } in text.runs().iter().copied()
    {
        let offset = (!matches!(kind, SpanKind::Join | SpanKind::Derived)).then_some(offset);
        out.push(Span {
            start: at,
            end: at + len,
            kind,
            ingredient,
            offset,
            line: lines.line(ingredient, offset),
            of,
        });
        at += len;
    }
    out
}

/// The lines of the places of ingredients.
struct LineBook<'a> {
    plan: &'a Plan,
    record: &'a Record,
    /// The last place that was found: text, offset, line. Texts are mostly read from front to back, and entries of one
    /// file, which are ingredients of their own, one after the other.
    last: Option<(&'a Arc<str>, usize, usize)>,
    /// The texts, by address, since they live as long as the record; with their lines once they are read again.
    met: BTreeMap<*const u8, Option<Lines>>,
    /// The requested templates, with their programs.
    programs: BTreeMap<u32, Option<(&'a Program, Lines)>>,
}

impl<'a> LineBook<'a> {
    fn new(plan: &'a Plan, record: &'a Record) -> Self {
        Self {
            plan,
            record,
            last: None,
            met: BTreeMap::new(),
            programs: BTreeMap::new(),
        }
    }

    /// The line of a byte of a template.
    fn template_line(&mut self, ingredient: u32, offset: usize) -> Option<usize> {
        let (program, lines) = match self.programs.entry(ingredient) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let template = self.record.ingredients.get_own(ingredient)?;
                let program = self.plan.program_of(template);
                place.insert(program.map(|program| (program, Lines::of(program.text()))))
            }
        }
        .as_ref()?;
        Some(match program {
            Program::Inline(literal) => self.plan.line_of(literal.span_of(offset..offset)),
            Program::File { .. } => lines.line(offset),
        })
    }

    /// The line of a byte of an ingredient, if both are known.
    fn line(&mut self, ingredient: Option<u32>, offset: Option<usize>) -> Option<usize> {
        let (ingredient, offset) = (ingredient?, offset?);
        let text = match self.record.place_of(ingredient) {
            Some(OriginalText::Document(text)) => text,
            Some(OriginalText::Literal(literal)) => {
                return Some(self.plan.line_of(literal.span_of(offset..offset)));
            }
            None => return self.template_line(ingredient, offset),
        };
        let before =
            |(known, at, _): &(&Arc<str>, usize, usize)| Arc::ptr_eq(known, text) && *at <= offset;
        let (from, line) = match (self.last.filter(before), self.met.entry(text.as_ptr())) {
            (Some((_, at, line)), _) => (at, line),
            (None, Entry::Vacant(first)) => {
                first.insert(None);
                (0, 1)
            }
            (None, Entry::Occupied(again)) => {
                let lines = again.into_mut().get_or_insert_with(|| Lines::of(text));
                (offset, lines.line(offset))
            }
        };
        let line = line + count_newlines(&text.as_bytes()[from..offset.min(text.len())]);
        self.last = Some((text, offset, line));
        Some(line)
    }
}
