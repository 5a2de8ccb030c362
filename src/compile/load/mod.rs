//! Stage 4: `Plan` x `Bound` x `World` -> `Loaded`. Conditions are asked and documents gathered, layer by layer, in
//! order; after this nothing is read.

mod tree;
mod skill;
mod listing;
mod gatherer;
mod literal;
mod scan;
mod skills;
mod steps;
mod document;
mod import;
mod memory;
mod read;
mod probe;
mod gather;
mod roll;
mod target;

pub use target::{MemoryScan, MemoryTarget, MemoryTerms, memory_layers, memory_target};

use super::bind::Bound;
use super::layer_facts::LayerFacts;
use super::plan::{Layer, Plan};
use super::record::Record;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::prompt::{Absent, Reason, UnusedReason};
use crate::text::Text;
use crate::text::document::Document;
use crate::world::World;
use gatherer::Gatherer;
pub(super) use roll::Asking;
pub use skill::{Fate, Skill};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All layers with their texts.
#[derive(Debug)]
pub struct Loaded<'p> {
    /// Per tier of the plan, its layers in order.
    pub(super) tiers: Vec<Vec<LoadedLayer<'p>>>,
    /// The answers to `exists()` and `loaded()`.
    pub(super) asked: LayerFacts,
}

/// A layer after loading.
#[derive(Debug)]
pub(super) enum LoadedLayer<'p> {
    /// It is not in the prompt.
    Absent(Absent, Record),
    /// It has what its template needs.
    Present(Present<'p>),
}

/// A layer that is in the prompt unless its template prints nothing.
#[derive(Debug, Clone)]
pub(super) struct Present<'p> {
    pub(super) layer: &'p Layer,
    pub(super) content: Option<Piece>,
    pub(super) parts: Vec<(Arc<str>, Piece)>,
    pub(super) record: Record,
}

/// A finished text with the documents in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    pub(super) text: Text,
    pub(super) documents: Vec<Arc<Document>>,
    /// Where each document ends in the text, for budgets of the layer that leave some out; else empty.
    pub(super) ends: Vec<usize>,
    /// How many entries budgets have left out.
    pub(super) left_out: usize,
    /// How much the memories in it may hold together, if any says it.
    pub(super) capacity: Option<usize>,
}

/// Asks conditions and gathers documents.
///
/// # Errors
/// When a source cannot be read, or a required layer yields nothing.
pub fn load<'p>(
    plan: &'p Plan,
    bound: &Bound,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Loaded<'p>, ErrorReported> {
    load_at(plan, bound, world, None, diags)
}

/// A folder inside a root, in which the sources of that root look instead of at its top.
#[derive(Debug, Clone)]
pub(super) struct Level {
    /// The root.
    pub(super) root: Arc<str>,
    /// The folder, as a path inside the root; empty for its top.
    pub(super) folder: String,
}

/// The same, at a level.
///
/// # Errors
/// As [`load`].
pub(super) fn load_at<'p>(
    plan: &'p Plan,
    bound: &Bound,
    world: &dyn World,
    level: Option<&Level>,
    diags: &mut Diagnostics,
) -> Result<Loaded<'p>, ErrorReported> {
    let mut asked = LayerFacts::new(answers(plan, bound, world, diags));
    diags.check()?;
    let mut tiers = Vec::new();
    for tier in &plan.tiers {
        let mut layers = Vec::new();
        if let Some(front) = bound.front.as_ref().filter(|_| tier.frozen) {
            for layer in &tier.layers {
                asked.loaded(&layer.name, front.loaded.contains(&*layer.name));
            }
            tiers.push(layers);
            continue;
        }
        for layer in &tier.layers {
            let mut gatherer = Gatherer::new(plan, bound, world, &asked, layer, diags);
            gatherer.level = level.map(|l| (l.root.clone(), l.folder.clone()));
            match one(gatherer, layer, &tier.name) {
                Ok(Outcome {
                    layer: loaded,
                    counts,
                }) => {
                    asked.loaded(&layer.name, counts);
                    layers.push(loaded);
                }
                // The error stands in the diagnostics; what the other layers lack shall be told in the same run.
                Err(ErrorReported { .. }) => {
                    asked.loaded(&layer.name, false);
                }
            }
        }
        tiers.push(layers);
    }
    diags.check()?;
    Ok(Loaded { tiers, asked })
}

struct Outcome<'p> {
    layer: LoadedLayer<'p>,
    /// What `loaded()` says of it.
    counts: bool,
}

/// Every `exists()` is answered once, before the first layer.
fn answers(
    plan: &Plan,
    bound: &Bound,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> BTreeMap<(String, String), bool> {
    let mut answers = BTreeMap::new();
    for ((root, file), span) in &plan.questions {
        let Some(bound_root) = bound.roots.get(root) else {
            continue;
        };
        let mut answer = false;
        for folder in &bound_root.folders {
            match folder.has(world, file) {
                Ok(has) => answer |= has,
                Err(obstacle) => _ = diags.push(obstacle.diagnostic().at(*span)),
            }
        }
        answers.insert((root.clone(), file.clone()), answer);
    }
    answers
}

fn one<'p>(
    mut gatherer: Gatherer<'_>,
    layer: &'p Layer,
    tier: &str,
) -> Result<Outcome<'p>, ErrorReported> {
    if let Some(when) = &layer.when {
        let scope = gatherer.scope();
        if !gatherer.condition(when, &scope, Some(0))? {
            let parts = layer.parts.iter().map(|(_, node)| node);
            for node in layer.content.iter().chain(parts) {
                gatherer.probe(node, UnusedReason::Condition);
            }
            let detail = format!("its condition is false: {}", when.text);
            return Ok(absent(
                gatherer.finish(),
                layer,
                tier,
                Reason::Condition,
                detail,
                false,
            ));
        }
    }
    let mut content = None;
    if let Some(node) = &layer.content {
        let gathered = gatherer.gather(node)?;
        let ends = match layer.leaves_out_entries() {
            true => gathered.tree.ends(),
            false => Vec::new(),
        };
        let piece = Piece {
            ends,
            left_out: gatherer.left_out,
            capacity: gatherer.capacity,
            ..gathered.tree.piece()
        };
        if !gathered.yielded || piece.text.as_str().is_empty() {
            let (reason, detail) = gatherer.why_nothing(gathered.yielded);
            if layer.required {
                let refused = match reason {
                    Reason::Dropped => std::mem::take(&mut gatherer.record.refused),
                    _ => Vec::new(),
                };
                gatherer.report(layer.required_absent(&detail, &refused));
            }
            return Ok(absent(
                gatherer.finish(),
                layer,
                tier,
                reason,
                detail,
                gathered.yielded,
            ));
        }
        content = Some(piece);
    }
    let mut parts = Vec::new();
    for (name, node) in &layer.parts {
        parts.push((name.clone(), gatherer.gather(node)?.tree.piece()));
    }
    Ok(Outcome {
        layer: LoadedLayer::Present(Present {
            layer,
            content,
            parts,
            record: gatherer.finish().shrink(),
        }),
        counts: true,
    })
}

fn absent<'p>(
    mut record: Record,
    layer: &Layer,
    tier: &str,
    reason: Reason,
    detail: String,
    counts: bool,
) -> Outcome<'p> {
    let absent = record.absent(layer, tier, reason, detail);
    Outcome {
        layer: LoadedLayer::Absent(absent, record),
        counts,
    }
}
