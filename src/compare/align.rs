//! A text without a map, aligned over a prompt that has one: which of its lines belong to which layer.

use super::model::{Cause, CauseKind};
use super::side::Side;
use crate::prompt::{Channel, Deliver, Ingredient, Layer, Prompt, Span, sha256};
use crate::text::SpanKind;
use crate::text::common::pairs;
use crate::text::prefix;
use std::ops::Range;
use std::sync::Arc;

/// A text with the layers that were found in it.
#[derive(Debug, Clone)]
pub struct AlignedText {
    /// The text as a prompt: its layers are those of the reference, as far as they were found.
    pub prompt: Prompt,
    /// The share of its bytes that are in the reference too, from 0 to 1.
    pub share: f64,
}

/// A stretch of lines that the text and the reference have in common.
struct Common {
    reference: Range<usize>,
    text: Range<usize>,
}

/// Lays `text` over the system prompt of `reference`.
#[must_use]
pub fn lay(reference: &Prompt, text: &str) -> AlignedText {
    let Some(channel) = reference.channel(Deliver::System) else {
        return AlignedText {
            prompt: bare(text),
            share: 0.0,
        };
    };
    let common = common(&channel.text, text);
    let matched: usize = common.iter().map(|c| c.text.len()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = match text.len() {
        0 => 1.0,
        len => matched as f64 / len as f64,
    };
    let mut prompt = Prompt {
        fingerprint: sha256(text),
        channels: Vec::new(),
        absent: Vec::new(),
        notices: Vec::new(),
        fits: Vec::new(),
        session: None,
        inputs: None,
        ..reference.clone()
    };
    if !text.is_empty() {
        let layers = layers(channel, text, &common);
        prompt.channels.push(Channel {
            deliver: Deliver::System,
            bytes: text.len(),
            chars: text.chars().count(),
            tokens: None,
            tokenizer: None,
            estimate: false,
            tiers: tiers(channel, &layers, text),
            layers,
            text: text.to_owned(),
        });
    }
    AlignedText { prompt, share }
}

/// A text without a map.
#[must_use]
pub fn bare(text: &str) -> Prompt {
    let channel = Channel {
        deliver: Deliver::System,
        text: text.to_owned(),
        bytes: text.len(),
        chars: text.chars().count(),
        tokens: None,
        tokenizer: None,
        estimate: false,
        tiers: Vec::new(),
        layers: Vec::new(),
    };
    Prompt {
        schema: crate::prompt::SCHEMA,
        promptc: env!("CARGO_PKG_VERSION").to_owned(),
        language: crate::prompt::LANGUAGE,
        name: None,
        fingerprint: sha256(text),
        manifest_sha256: String::new(),
        channels: if text.is_empty() {
            Vec::new()
        } else {
            vec![channel]
        },
        absent: Vec::new(),
        notices: Vec::new(),
        fits: Vec::new(),
        session: None,
        without: Vec::new(),
        overlays: Arc::default(),
        inputs: None,
    }
}

fn common<'t>(reference: &'t str, text: &'t str) -> Vec<Common> {
    let (x, y) = (lines(reference), lines(text));
    // The last line of a saved text ends with a newline, that of a prompt does not.
    let bare = |text: &'t str, lines: &[Range<usize>]| -> Vec<&'t str> {
        let line = |range: &Range<usize>| text[range.clone()].trim_end_matches('\n');
        lines.iter().map(line).collect()
    };
    let (old, new) = (bare(reference, &x), bare(text, &y));
    let mut out: Vec<Common> = Vec::new();
    for (i, j) in pairs(&old, &new) {
        let same = x[i].len().min(y[j].len());
        match out.last_mut() {
            Some(last) if last.reference.end == x[i].start && last.text.end == y[j].start => {
                last.reference.end += same;
                last.text.end += same;
            }
            _ => out.push(Common {
                reference: x[i].start..x[i].start + same,
                text: y[j].start..y[j].start + same,
            }),
        }
    }
    out
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    text.split_inclusive('\n')
        .map(|line| {
            at += line.len();
            at - line.len()..at
        })
        .collect()
}

/// A layer that was found in the text.
struct Found<'p> {
    layer: &'p Layer,
    /// From the join before it, if that is there, to its last common byte.
    range: Range<usize>,
    /// The join before it in the reference.
    join: &'p str,
    /// The length of its end that is before the layer.
    joined: usize,
    /// Whether its first byte is there.
    begins: bool,
    /// Whether its last byte is there.
    ends: bool,
}

impl<'p> Found<'p> {
    /// Finds a layer by the lines of its own text, else by the end of the join before it.
    fn of(channel: &'p Channel, layer: &'p Layer, text: &str, common: &[Common]) -> Option<Self> {
        let side = Side {
            present: Some((channel, layer)),
            absent: None,
        };
        let own = side.start()..layer.end;
        let mut parts = common.iter().filter_map(|c| overlap(c, own.clone()));
        let first = parts.next();
        let last = parts.next_back().or(first.clone());
        let joined = common.iter().find(|c| c.reference.end == own.start);
        let joined = joined.filter(|_| side.join_len() > 0).map(|c| c.text.end);
        let (start, begins) = match (&first, joined) {
            (Some(first), _) if first.0.start == own.start => (first.1.start, true),
            (_, Some(end)) => (end, true),
            (Some(first), None) => (first.1.start, false),
            (None, None) => return None,
        };
        let (before, join) = (&text[..start], side.join());
        let mut ends_of_join = join.char_indices().map(|(at, _)| &join[at..]);
        let joined = ends_of_join.find(|end| begins && before.ends_with(end));
        let joined = joined.map_or(0, str::len);
        Some(Self {
            layer,
            range: start - joined..last.as_ref().map_or(start, |last| last.1.end),
            join,
            joined,
            begins,
            ends: last.is_some_and(|last| last.0.end == layer.end),
        })
    }
}

/// Divides the text into the layers of the reference. Text between two layers that is in neither belongs to the one
/// before it, unless that one is complete and the join of the next follows, or the next has lost its beginning.
fn layers(channel: &Channel, text: &str, common: &[Common]) -> Vec<Layer> {
    let found = channel.layers.iter();
    let found = found.filter_map(|layer| Found::of(channel, layer, text, common));
    let found: Vec<Found<'_>> = found.collect();
    let mut out: Vec<Layer> = Vec::new();
    let mut at = 0;
    for (n, one) in found.iter().enumerate() {
        let joins = |next: &Found<'_>| {
            let rest = text.get(one.range.end..next.range.start);
            !next.join.is_empty() && rest.is_some_and(|rest| rest.starts_with(next.join))
        };
        let end = match found.get(n + 1) {
            None => text.len(),
            Some(next) if one.ends && (!next.begins || joins(next)) => {
                one.range.end.min(next.range.start)
            }
            Some(next) => next.range.start.max(one.range.start + one.joined),
        };
        // A join can be found inside of blank lines that are the layer's.
        let end = end.max(at);
        let joined = match text[at..end].starts_with(one.join) {
            true => one.join.len(),
            false if one.range.start == at => one.joined,
            false => 0,
        };
        out.push(Layer {
            start: at,
            end,
            chars: text[at..end].chars().count(),
            sha256: sha256(&text[at..end]),
            spans: spans(one.layer, at..at + joined, end, common),
            ..one.layer.clone()
        });
        at = end;
    }
    out
}

/// The part of a common stretch that lies in `range` of the reference: there, and in the text.
fn overlap(common: &Common, range: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let start = common.reference.start.max(range.start);
    let end = common.reference.end.min(range.end);
    let shift = |at: usize| common.text.start + (at - common.reference.start);
    (start < end).then(|| (start..end, shift(start)..shift(end)))
}

/// The owners of a layer's bytes from its join to `end`, for bytes that are in the reference; those of other bytes are unknown.
fn spans(layer: &Layer, join: Range<usize>, end: usize, common: &[Common]) -> Vec<Span> {
    let mut out = Vec::new();
    let mut at = join.end;
    let without = |kind: SpanKind, start: usize, end: usize| Span {
        start,
        end,
        kind,
        ingredient: None,
        offset: None,
        line: None,
        of: None,
    };
    let unknown = |start: usize, end: usize| without(SpanKind::Derived, start, end);
    if !join.is_empty() {
        out.push(without(SpanKind::Join, join.start, join.end));
    }
    for known in common {
        for span in &layer.spans {
            let Some((there, here)) = overlap(known, span.start..span.end) else {
                continue;
            };
            if here.start < at || here.end > end {
                continue;
            }
            if at < here.start {
                out.push(unknown(at, here.start));
            }
            let shift = there.start - span.start;
            out.push(Span {
                start: here.start,
                end: here.end,
                offset: span.offset.map(|o| o + shift),
                ..*span
            });
            at = here.end;
        }
    }
    if at < end {
        out.push(unknown(at, end));
    }
    out
}

fn tiers(channel: &Channel, layers: &[Layer], text: &str) -> Vec<crate::prompt::Tier> {
    let mut at = 0;
    channel
        .tiers
        .iter()
        .map(|tier| {
            let last = layers.iter().rfind(|l| l.tier == tier.name);
            let start = at;
            at = last.map_or(at, |l| l.end.max(at));
            crate::prompt::Tier {
                start,
                end: at,
                fingerprint: sha256(&text[..at]),
                ..tier.clone()
            }
        })
        .collect()
}

/// The possible causes of a layer's difference, by the owners of the bytes around it in the reference.
pub(super) fn causes(a: &Side<'_>, b: &Side<'_>) -> Vec<Cause> {
    let common = prefix::common(a.text(), b.text());
    // A text that goes on begins on the next line.
    let goes_on = common == a.text().len() && b.text()[common..].starts_with('\n');
    let near = owner(b, b.start() + common + usize::from(goes_on))
        .or_else(|| owner(a, a.start() + common));
    let gone = match (a.present.is_some(), b.present.is_some()) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    };
    let Some((ingredient, line)) = near else {
        return match gone {
            Some(true) => vec![Cause::new(CauseKind::LayerRemoved)],
            Some(false) => vec![Cause::new(CauseKind::LayerAdded)],
            None => Vec::new(),
        };
    };
    vec![cause(ingredient, line, gone)]
}

fn cause(ingredient: &Ingredient, line: Option<usize>, gone: Option<bool>) -> Cause {
    match ingredient {
        Ingredient::Document {
            root, path, item, ..
        } => Cause {
            root: Some(root.clone()),
            path: Some(path.clone()),
            line: line.filter(|_| gone.is_none()),
            item: item.clone(),
            ..Cause::new(match (gone, item) {
                (None, None) => CauseKind::DocumentChanged,
                (Some(true), None) => CauseKind::DocumentVanished,
                (Some(false), None) => CauseKind::DocumentAppeared,
                (None, Some(_)) => CauseKind::ItemChanged,
                (Some(true), Some(_)) => CauseKind::ItemRemoved,
                (Some(false), Some(_)) => CauseKind::ItemAdded,
            })
        },
        Ingredient::Fact { name, .. } | Ingredient::Let { name, .. } => Cause {
            fact: Some(name.clone()),
            ..Cause::new(CauseKind::FactChanged)
        },
        Ingredient::Template {
            file, line: None, ..
        } => Cause {
            path: Some(file.clone()),
            line,
            ..Cause::new(CauseKind::TemplateChanged)
        },
        Ingredient::Template { file, .. } | Ingredient::Literal { file, .. } => Cause {
            path: Some(file.clone()),
            line,
            ..Cause::new(CauseKind::LayerEdited)
        },
        _ => Cause::new(CauseKind::LayerEdited),
    }
}

/// The owner of the byte at `at`, or of the nearest byte before it in the layer, or else after it.
fn owner<'p>(side: &Side<'p>, at: usize) -> Option<(&'p Ingredient, Option<usize>)> {
    let spans = side.spans();
    let here = spans.partition_point(|s| s.end <= at);
    let before = spans[..spans.len().min(here + 1)].iter().rev();
    let mut near = before.chain(spans.get(here..).unwrap_or_default());
    near.find_map(|span| {
        let ingredient = side.ingredient(span.ingredient)?;
        let within = side.bytes(span);
        let upto = at.clamp(span.start, span.end) - span.start;
        let line = span.line.map(|l| {
            let before = within.as_bytes().get(..upto).unwrap_or_default();
            l + before.iter().filter(|b| **b == b'\n').count()
        });
        Some((ingredient, line))
    })
}
