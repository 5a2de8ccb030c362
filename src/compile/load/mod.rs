//! Stage 4: `Plan` x `ResolvedInputs` x `World` -> `Loaded`. Conditions are evaluated and documents gathered, layer by
//! layer, in order; after this nothing is read.

mod skill;
mod listing;
mod loader;
mod tree;
mod literal;
mod scan;
mod skills;
mod front;
mod steps;
mod document;
mod import;
mod memory;
mod read;
mod probe;
mod gather;
mod skill_listing;
mod target;

pub use target::{MemoryScan, MemoryTarget, MemoryTerms, memory_layers, memory_target};

use super::bind::ResolvedInputs;
use super::kept::{KeptLayer, Warm};
use super::layer::{Content, LoadedText, Present};
use super::layer_facts::LayerFacts;
use super::plan::{Layer, Plan};
use super::record::Record;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::prompt::{Reason, UnusedReason};
use crate::source::place::BoundRoot;
use crate::world::World;
use loader::{ContentLoader, Context, Position};
pub use skill::{Skill, SkillStatus};
pub(super) use skill_listing::Asking;
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

impl Loaded<'_> {
    /// The records of the layers that were loaded, in order.
    pub(super) fn records(&self) -> impl Iterator<Item = &Record> {
        self.tiers.iter().flatten().map(|layer| {
            let content = match layer {
                LoadedLayer::New(_, content) => content,
                LoadedLayer::Kept(_, kept) => &kept.content,
            };
            match content {
                Content::Absent(_, record) => record,
                Content::Present(present) => &present.record,
            }
        })
    }
}

/// A layer after loading.
#[derive(Debug)]
pub(super) enum LoadedLayer<'p> {
    /// It was loaded now.
    New(&'p Layer, Box<Content>),
    /// It is among the cached ones.
    Kept(&'p Layer, Arc<KeptLayer>),
}

/// Asks conditions and gathers documents.
///
/// # Errors
/// When a source cannot be read, or a required layer yields nothing.
pub fn load<'p>(
    plan: &'p Plan,
    bound: &ResolvedInputs,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Loaded<'p>, ErrorReported> {
    load_in(plan, bound, world, None, None, diags)
}

/// [`load`] that reuses cached layers if there is `warm`; `world` is its snapshot then.
///
/// # Errors
/// As [`load`].
pub(super) fn load_warm<'p>(
    plan: &'p Plan,
    bound: &ResolvedInputs,
    (warm, world): (Option<&Warm<'_>>, &dyn World),
    diags: &mut Diagnostics,
) -> Result<Loaded<'p>, ErrorReported> {
    load_in(plan, bound, world, warm, None, diags)
}

/// A folder inside a root, in which the sources of that root look instead of at its top.
#[derive(Debug, Clone)]
pub(super) struct Level {
    /// The root.
    pub(super) root: Arc<str>,
    /// The folder, as a path inside the root; empty for its top.
    pub(super) folder: String,
}

impl Level {
    fn of(root: &BoundRoot, folder: String) -> Self {
        let root = root.name.clone();
        Self { root, folder }
    }
}

/// [`load`] at one level of a root.
///
/// # Errors
/// As [`load`].
pub(super) fn load_at<'p>(
    plan: &'p Plan,
    bound: &ResolvedInputs,
    world: &dyn World,
    level: Option<&Level>,
    diags: &mut Diagnostics,
) -> Result<Loaded<'p>, ErrorReported> {
    load_in(plan, bound, world, None, level, diags)
}

fn load_in<'p>(
    plan: &'p Plan,
    bound: &ResolvedInputs,
    world: &dyn World,
    warm: Option<&Warm<'_>>,
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
            let warm = warm.filter(|_| !bound.without.contains(&*layer.name));
            let found = warm.map(|warm| (warm, warm.find(layer, bound, &asked)));
            let loading = match found {
                Some((_, Ok(kept))) => {
                    asked.loaded(&layer.name, kept.counts);
                    layers.push(LoadedLayer::Kept(layer, kept));
                    continue;
                }
                Some((warm, Err(loading))) => Some((warm, loading)),
                None => None,
            };
            let at = Position {
                level,
                ..Position::default()
            };
            let reported = diags.iter().len();
            let outcome = {
                let context = Context {
                    plan,
                    bound,
                    world: loading
                        .as_ref()
                        .map_or(world, |(_, loading)| &loading.trace),
                    asked: &asked.of(layer),
                    layer,
                };
                one(ContentLoader::new(context, diags), layer, at, &tier.name)
            };
            // Its view of the facts is gone here: while it lives, the next change copies all of them.
            match outcome {
                Ok(Outcome { content, counts }) => {
                    asked.loaded(&layer.name, counts);
                    let is_silent = diags.iter().len() == reported;
                    layers.push(match loading {
                        Some((warm, loading)) if is_silent => {
                            match warm.keep(*loading, content, counts) {
                                Ok(kept) => LoadedLayer::Kept(layer, kept),
                                Err(content) => LoadedLayer::New(layer, content),
                            }
                        }
                        Some((warm, _)) => {
                            warm.lost();
                            LoadedLayer::New(layer, Box::new(content))
                        }
                        None => LoadedLayer::New(layer, Box::new(content)),
                    });
                }
                // The error is in the diagnostics; the errors of the other layers are reported in the same run.
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

/// One layer on its own, independent of all others; none if it is absent.
///
/// # Errors
/// As [`load`].
pub(super) fn alone(
    plan: &Plan,
    bound: &ResolvedInputs,
    world: &dyn World,
    (layer, asked): (&Layer, &LayerFacts),
    diags: &mut Diagnostics,
) -> Result<Option<Present>, ErrorReported> {
    let context = Context {
        plan,
        bound,
        world,
        asked,
        layer,
    };
    let loader = ContentLoader::new(context, diags);
    let outcome = one(loader, layer, Position::default(), "")?;
    Ok(match outcome.content {
        Content::Present(present) => Some(present),
        Content::Absent(..) => None,
    })
}

struct Outcome {
    content: Content,
    /// Its answer to `loaded()`.
    counts: bool,
}

/// Every `exists()` is answered once, before the first layer.
fn answers(
    plan: &Plan,
    bound: &ResolvedInputs,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> BTreeMap<(String, String), bool> {
    let mut answers = BTreeMap::new();
    for ((root, file), span) in &plan.questions {
        let uses = bound.roots.iter().filter(|(_, r)| *r.name == **root);
        for (key, bound_root) in uses {
            let mut answer = false;
            for folder in &bound_root.folders {
                match folder.has(world, file) {
                    Ok(has) => answer |= has,
                    Err(obstacle) => _ = diags.push(obstacle.diagnostic().at(*span)),
                }
            }
            answers.insert((key.clone(), file.clone()), answer);
        }
    }
    answers
}

fn one(
    mut loader: ContentLoader<'_>,
    layer: &Layer,
    at: Position<'_>,
    tier: &str,
) -> Result<Outcome, ErrorReported> {
    if loader.is_left_out() {
        let detail = format!("`--without {}` leaves it out", layer.name);
        let record = loader.finish();
        return Ok(absent(record, layer, tier, Reason::LeftOut, detail, false));
    }
    if let Some(when) = &layer.when {
        let scope = loader.scope();
        if !loader.condition(when, &scope, Some(0))? {
            for node in layer.contents() {
                loader.probe(node, at, UnusedReason::Condition);
            }
            let detail = format!("its condition is false: {}", when.text);
            return Ok(absent(
                loader.finish(),
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
        let gathered = loader.gather(node, at)?;
        let piece = LoadedText {
            left_out: gathered.left_out,
            capacity: gathered.capacity,
            ..gathered.tree.piece()
        };
        if !gathered.yielded || piece.text.as_str().is_empty() {
            let (reason, detail) = loader.why_nothing(gathered.yielded);
            if layer.required {
                let refused = match reason {
                    Reason::Dropped => std::mem::take(&mut loader.record.refused),
                    _ => Vec::new(),
                };
                loader.report(layer.required_absent(&detail, &refused));
            }
            return Ok(absent(
                loader.finish(),
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
        parts.push((name.clone(), loader.gather(node, at)?.tree.piece()));
    }
    Ok(Outcome {
        content: Content::Present(Present {
            content,
            parts,
            record: loader.finish().shrink(),
        }),
        counts: true,
    })
}

fn absent(
    mut record: Record,
    layer: &Layer,
    tier: &str,
    reason: Reason,
    detail: String,
    counts: bool,
) -> Outcome {
    let absent = record.absent(layer, tier, reason, detail);
    Outcome {
        content: Content::Absent(absent, record),
        counts,
    }
}
