//! Stage 6: `Rendered` -> `Fitted`. Tier by tier, in order, layers are cut or dropped until the budgets of the tier and
//! of the prompt hold. Pure: nothing is read.
//!
//! A tier depends on the text before it, its own layers and constants; never on the text after it. So its bytes are the
//! same whatever follows.

mod dropped;
mod over;
mod sizes;

use crate::compile::bind::ResolvedInputs;
use crate::compile::budget::{BudgetTracker, By, lit_value};
use crate::compile::frozen::Frozen;
use crate::compile::layer::{Present, RenderedLayer};
use crate::compile::layer_facts::LayerFacts;
use crate::compile::plan::{Layer, Plan, ResolvedMaxBudget, Tier};
use crate::compile::record::Record;
use crate::compile::render::{Finished, Rendered, Renderer, Shrink};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::{Lit, Unit};
use crate::prompt::{Deliver, Fit, FitLayer, FitPrompt};
use crate::text::Text;
use crate::text::measure;
use crate::text::tokens::Tokenizer;
use dropped::drop_layer;
use over::{locked_out, over_budget};
use sizes::{Piece, SizedText, Sizes};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The priority of a layer that sets none; layers with a lower one are dropped first.
const PRIORITY: usize = 50;

/// All layers, in the order of the prompt.
#[derive(Debug)]
pub struct Fitted<'p> {
    /// Per tier of the plan, its layers in order.
    pub(super) tiers: Vec<Vec<RenderedLayer<'p>>>,
    /// The sums of the tiers that something bounds.
    pub(super) fits: Vec<Fit>,
    /// The tokenizer, if tokens are counted.
    pub(super) tokenizer: Option<Tokenizer>,
    /// The part of an earlier build that is reused.
    pub(super) front: Option<Arc<Frozen>>,
}

/// Cuts or drops layers until every tier and the system prompt fit.
///
/// # Errors
/// When a tier or the system prompt is too large and none of the tier's layers can be cut or dropped.
pub fn fit<'p>(
    plan: &'p Plan,
    bound: &ResolvedInputs,
    rendered: Rendered<'p>,
    diags: &mut Diagnostics,
) -> Result<Fitted<'p>, ErrorReported> {
    let Rendered {
        tiers: rendered,
        drafts,
        asked,
    } = rendered;
    let mut fitter = Fitter {
        plan,
        bound,
        asked: &asked,
        diags,
        drafts,
        system: plan.budget.as_ref().map(|b| SizedText::new(b.unit)),
        begun: BTreeSet::new(),
        failed: false,
    };
    let mut out = Fitted {
        tiers: Vec::with_capacity(rendered.len()),
        fits: Vec::new(),
        tokenizer: bound.tokenizer,
        front: bound.front.clone(),
    };
    let numbers = fitter.numbers()?;
    for (at, (tier, layers)) in plan.tiers.iter().zip(rendered).enumerate() {
        if let Some(front) = out.kept(tier) {
            let fits = front.prompt.fits.iter();
            out.fits
                .extend(fits.filter(|fit| fit.tier == tier.name).cloned());
            let text = front.text(tier);
            let (at, join) = (0, "");
            fitter.add(tier, &[Piece { at, join, text }]);
            out.tiers.push(layers);
            continue;
        }
        let fitted = match (tier.bounded.unit, numbers.get(at..)) {
            (Some(unit), Some([own, behind @ ..])) if own.bound() => {
                let (layers, fit) = fitter.tier(unit, own, behind, layers)?;
                out.fits.push(fit);
                layers
            }
            _ => {
                let pieces = fitter.pieces(tier, &layers);
                fitter.add(tier, &pieces);
                layers
            }
        };
        out.tiers.push(fitted);
    }
    fitter.diags.check()?;
    Ok(out)
}

/// The numbers that bound a tier, once facts are known.
#[derive(Debug)]
pub(super) struct Numbers<'p> {
    tier: &'p Tier,
    max: Option<usize>,
    /// The prompt's maximum, of tiers in the system prompt.
    prompt: Option<usize>,
    reserve: Option<usize>,
    /// The sum of the reserves of the tiers after it.
    reserved: usize,
    /// The facts used for these, and for priorities and minima of its layers.
    facts: Vec<Arc<str>>,
}

impl<'p> Numbers<'p> {
    /// The tier, where it sets something aside, and how much.
    pub(super) fn set_aside(&self) -> Option<(&'p Tier, usize)> {
        Some((self.tier, self.reserve?))
    }

    fn bound(&self) -> bool {
        self.max.is_some() || self.prompt.is_some()
    }
}

struct Fitter<'f, 'p> {
    plan: &'p Plan,
    bound: &'f ResolvedInputs,
    asked: &'f LayerFacts,
    diags: &'f mut Diagnostics,
    /// The layers with `min` that stage 5 has not rendered again yet.
    drafts: BTreeMap<Arc<str>, Present>,
    /// The system prompt so far, if the prompt has a budget: joins and layers.
    system: Option<SizedText>,
    /// The channels that have text.
    begun: BTreeSet<Deliver>,
    /// Whether a tier did not fit, so that the system prompt is known to be too large.
    failed: bool,
}

/// A layer with text, and whether it can be cut or dropped.
pub(super) struct Candidate<'p> {
    pub(super) layer: &'p Layer,
    /// Its place among the layers of the tier.
    at: usize,
    pub(super) priority: usize,
    pub(super) min: Option<usize>,
    /// Its size as rendered.
    pub(super) before: usize,
    /// Its size now.
    pub(super) after: usize,
    /// Whether it was tried to cut it.
    pub(super) tried: bool,
    /// As it was before it was cut.
    whole: Option<(Text, Record)>,
}

impl Candidate<'_> {
    fn can_shrink(&self) -> bool {
        !self.tried && self.min.is_some_and(|min| min < self.after)
    }

    fn can_give_way(&self) -> bool {
        self.after > 0 && (self.can_shrink() || !self.layer.required)
    }
}

/// The text of a layer that has one.
fn text_of<'t>(layer: &'t RenderedLayer<'_>) -> Option<&'t str> {
    match layer {
        RenderedLayer::Present(_, text, _) => Some(text.as_str()),
        RenderedLayer::Absent(..) => None,
    }
}

/// The text that is too large, and its excess.
pub(super) struct Over<'t> {
    pub(super) by: By<'t>,
    pub(super) ceiling: &'t ResolvedMaxBudget,
    pub(super) size: usize,
    pub(super) max: usize,
    pub(super) front: usize,
    /// The sum of the reserves of the tiers after it.
    pub(super) reserved: usize,
}

impl<'p> Fitter<'_, 'p> {
    /// The numbers of all tiers. All their errors are reported in one run.
    fn numbers(&mut self) -> Result<Vec<Numbers<'p>>, ErrorReported> {
        let plan = self.plan;
        if plan.tiers.iter().all(|t| t.bounded.unit.is_none()) {
            return Ok(Vec::new());
        }
        let mut reserved = 0_usize;
        let mut facts = Vec::new();
        let prompt = self.number(plan.budget.as_ref().map(|b| &b.max), &mut facts);
        let mut out = Vec::new();
        for tier in plan.tiers.iter().rev() {
            let system = tier.deliver == Deliver::System;
            let mut numbers = Numbers {
                tier,
                max: None,
                reserve: None,
                prompt: prompt.filter(|_| system),
                reserved,
                facts: if system { facts.clone() } else { Vec::new() },
            };
            let own = &mut numbers.facts;
            let budget = tier.bounded.budget.as_ref();
            numbers.max = self.number(budget.map(|b| &b.max), own);
            for layer in &tier.layers {
                self.number(layer.priority.as_ref(), own);
                self.number(layer.min.as_ref(), own);
            }
            numbers.reserve = self.number(tier.bounded.reserve.as_ref(), &mut facts);
            reserved = reserved.saturating_add(numbers.reserve.unwrap_or(0));
            out.push(numbers);
        }
        out.reverse();
        self.diags.check()?;
        Ok(out)
    }

    /// A number; the fact that gives it is added to `facts`. None also if it is not a size, which is reported.
    fn number(&mut self, number: Option<&Lit<u64>>, facts: &mut Vec<Arc<str>>) -> Option<usize> {
        let number = number?;
        if let Lit::Fact(name) = number {
            facts.push(name.value.as_str().into());
        }
        let mut bounds = BudgetTracker {
            plan: self.plan,
            bound: self.bound,
            asked: self.asked,
            record: &mut Record::default(),
            diags: self.diags,
            by: None,
        };
        bounds.size(number).ok().flatten()
    }

    /// The texts of the layers of a tier.
    fn pieces<'t>(&self, tier: &'t Tier, layers: &'t [RenderedLayer<'_>]) -> Vec<Piece<'t>> {
        let mut joins = std::iter::once(self.lead(tier)).chain(std::iter::repeat(&*tier.join.text));
        let layers = layers.iter().enumerate();
        let pieces = layers.filter_map(|(at, layer)| {
            let text = text_of(layer)?;
            let join = joins.next()?;
            Some(Piece { at, join, text })
        });
        pieces.collect()
    }

    /// Adds the text of a tier that nothing bounds.
    fn add(&mut self, tier: &Tier, pieces: &[Piece<'_>]) {
        if pieces.iter().any(|piece| !piece.is_empty()) {
            self.begun.insert(tier.deliver);
        }
        if let (Deliver::System, Some(system)) = (tier.deliver, &mut self.system) {
            system.append(pieces);
        }
    }

    /// The text before the first layer of a tier.
    fn lead<'t>(&self, tier: &'t Tier) -> &'t str {
        if self.begun.contains(&tier.deliver) {
            &tier.lead.text
        } else {
            ""
        }
    }

    /// Cuts or drops the layers of one tier.
    fn tier(
        &mut self,
        unit: Unit,
        numbers: &Numbers<'p>,
        behind: &[Numbers<'p>],
        mut layers: Vec<RenderedLayer<'p>>,
    ) -> Result<(Vec<RenderedLayer<'p>>, Fit), ErrorReported> {
        let tier = numbers.tier;
        let mut candidates = self.candidates(unit, numbers, &mut layers);
        let joins = [self.lead(tier), &*tier.join.text];
        let system = self.system.take_if(|_| tier.deliver == Deliver::System);
        let front = system.as_ref().map_or(0, SizedText::size);
        let mut sizes = Sizes::new(unit, system, joins, &self.pieces(tier, &layers));
        let [before, _] = sizes.sizes();
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|at| (candidates[*at].priority, Reverse(*at)));
        // A layer that cannot be cut or dropped now cannot be later.
        let mut weakest = order.into_iter().peekable();
        let (after, total) = loop {
            let [size, total] = sizes.sizes();
            let Some(over) = self.over(tier, numbers, [size, total, front]) else {
                break (size, total);
            };
            while weakest
                .next_if(|at| !candidates[*at].can_give_way())
                .is_some()
            {}
            let Some(weakest) = weakest.peek().map(|at| &mut candidates[*at]) else {
                // As in other stages, the errors of all tiers are reported in one run.
                let found = over_budget(tier, unit, &over, &candidates, behind);
                self.diags.push(found);
                self.failed = true;
                break (size, total);
            };
            if let Some(found) = locked_out(self.plan, weakest, &over) {
                self.diags.push(found);
                self.failed = true;
                break (size, total);
            }
            if weakest.can_shrink() {
                self.shrink(weakest, unit, over.by, numbers, &mut layers)?
            } else {
                drop_layer(weakest, tier, unit, &over, &mut layers)
            }
            sizes.replace(weakest.at, |at| text_of(&layers[at]));
        };
        if after > 0 {
            self.begun.insert(tier.deliver);
        }
        if let Some(system) = sizes.into_system() {
            self.system = Some(system);
        }
        let layers_of = |c: &Candidate<'_>| FitLayer {
            layer: c.layer.name.to_string(),
            priority: c.priority,
            required: c.layer.required,
            min: c.min,
            before: c.before,
            after: c.after,
        };
        let fit = Fit {
            tier: tier.name.clone(),
            deliver: tier.deliver,
            unit: unit.name().to_owned(),
            max: numbers.max,
            reserve: numbers.reserve,
            prompt: numbers.prompt.map(|max| FitPrompt {
                max,
                front,
                reserved: numbers.reserved,
                total,
            }),
            before,
            after,
            layers: candidates.iter().map(layers_of).collect(),
        };
        Ok((layers, fit))
    }

    /// The layers that have text. The sources of their numbers are recorded with them.
    fn candidates(
        &mut self,
        unit: Unit,
        numbers: &Numbers<'p>,
        layers: &mut [RenderedLayer<'p>],
    ) -> Vec<Candidate<'p>> {
        let mut out = Vec::new();
        for (at, rendered) in layers.iter_mut().enumerate() {
            let RenderedLayer::Present(layer, text, record) = rendered else {
                continue;
            };
            let layer = *layer;
            let before = measure::size(text.as_str(), unit);
            if !layer.required || layer.min.is_some() {
                self.note(numbers, record);
            }
            let priority = self.number(layer.priority.as_ref(), &mut Vec::new());
            out.push(Candidate {
                layer,
                at,
                priority: priority.unwrap_or(PRIORITY),
                min: self.number(layer.min.as_ref(), &mut Vec::new()),
                before,
                after: before,
                tried: false,
                whole: None,
            });
        }
        out
    }

    /// Records the facts that give numbers.
    fn note(&self, numbers: &Numbers<'p>, record: &mut Record) {
        for name in &numbers.facts {
            lit_value(self.bound, record, name);
        }
    }

    /// The budget that does not hold, if there is one; the tier's own first. `total` is the system prompt up to the
    /// tier's end, `front` its part before the tier.
    fn over(
        &self,
        tier: &'p Tier,
        numbers: &Numbers<'p>,
        [size, total, front]: [usize; 3],
    ) -> Option<Over<'p>> {
        let own = tier.bounded.budget.as_ref().zip(numbers.max);
        if let Some((ceiling, max)) = own.filter(|(_, max)| size > *max) {
            return Some(Over {
                by: By::Tier(&tier.name),
                ceiling,
                size,
                max,
                front: 0,
                reserved: 0,
            });
        }
        let prompt = self.plan.budget.as_ref().zip(numbers.prompt);
        let (ceiling, max) = prompt.filter(|_| !self.failed)?;
        let reserved = numbers.reserved;
        // A tier without text takes nothing from those after it.
        (size > 0 && total.saturating_add(reserved) > max).then_some(Over {
            by: By::Prompt,
            ceiling,
            size: total,
            max,
            front,
            reserved,
        })
    }

    /// Cuts a layer to its `min`.
    fn shrink(
        &mut self,
        candidate: &mut Candidate<'p>,
        unit: Unit,
        by: By<'_>,
        numbers: &Numbers<'p>,
        layers: &mut [RenderedLayer<'p>],
    ) -> Result<(), ErrorReported> {
        candidate.tried = true;
        let name = &candidate.layer.name;
        let (Some(draft), Some(min), Some(written)) = (
            self.drafts.remove(name),
            candidate.min,
            candidate.layer.min.as_ref(),
        ) else {
            return Ok(());
        };
        let mut renderer = Renderer {
            plan: self.plan,
            bound: self.bound,
            asked: &self.asked.of(candidate.layer),
            diags: self.diags,
        };
        let shrink = Shrink {
            unit,
            min,
            span: written.span(),
            by,
        };
        if let Finished::Text(text, mut record) =
            renderer.finish(candidate.layer, draft, Some(shrink))?
        {
            let size = measure::size(text.as_str(), unit);
            if size < candidate.after {
                self.note(numbers, &mut record);
                candidate.after = size;
                let new = RenderedLayer::Present(candidate.layer, text, record);
                if let RenderedLayer::Present(_, text, record) =
                    std::mem::replace(&mut layers[candidate.at], new)
                {
                    candidate.whole = Some((text, record));
                }
            }
        }
        Ok(())
    }
}

impl Fitted<'_> {
    /// The part of an earlier build that is reused, if this one only builds the tiers after it and `tier` is part of
    /// it.
    pub(super) fn kept(&self, tier: &Tier) -> Option<Arc<Frozen>> {
        self.front.clone().filter(|_| tier.frozen)
    }
}
