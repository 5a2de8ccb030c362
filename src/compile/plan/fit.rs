//! The bounds of whole tiers: their own budgets, the prompt's, and the reserves of the tiers after them.

use super::lit::{is_size, lit};
use super::programs::Programs;
use super::why::Why;
use crate::diagnostic::span::Span;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics};
use crate::manifest::{self, Lit, Manifest, Unit};
use crate::prompt::Deliver;

/// A maximum for which layers are cut or dropped.
#[derive(Debug, Clone)]
pub(in crate::compile) struct ResolvedMaxBudget {
    pub(in crate::compile) max: Lit<u64>,
    pub(in crate::compile) unit: Unit,
    pub(in crate::compile) span: Span,
}

/// The bounds of one tier.
#[derive(Debug)]
pub(in crate::compile) struct Bounded {
    /// Its own maximum.
    pub(in crate::compile) budget: Option<ResolvedMaxBudget>,
    /// Its reserve of the prompt's budget.
    pub(in crate::compile) reserve: Option<Lit<u64>>,
    /// The unit of its sizes and those of its layers; none if it has no bound.
    pub(in crate::compile) unit: Option<Unit>,
    /// How often the numbers that bound it may change.
    pub(super) why: Why,
}

impl Bounded {
    /// The bounds of a text that is part of no prompt: none.
    pub(super) fn none() -> Self {
        Self {
            budget: None,
            reserve: None,
            unit: None,
            why: Why::default(),
        }
    }
}

/// The prompt's maximum, and what bounds each tier, in order.
pub(super) fn bounds(
    manifest: &Manifest,
    programs: &mut Programs<'_>,
) -> (Option<ResolvedMaxBudget>, Vec<Bounded>) {
    let prompt = manifest.budget.as_ref().map(|budget| ResolvedMaxBudget {
        max: budget.max.clone(),
        unit: budget.unit.as_ref().map_or(Unit::Chars, |u| u.value),
        span: budget.span,
    });
    let mut why = prompt
        .as_ref()
        .map_or_else(Why::default, |p| lit(&p.max, is_size, programs));
    let mut tiers = Vec::new();
    // From the end, since a tier is cut for the reserves of those after it.
    for tier in manifest.tiers.iter().rev() {
        let (bounded, reserved) = one(tier, prompt.as_ref(), &why, programs);
        why.add(reserved);
        tiers.push(bounded);
    }
    tiers.reverse();
    if let Some(prompt) = &prompt {
        reserves(manifest, prompt, programs.diags);
    }
    (prompt, tiers)
}

/// The bounds of a tier, and how often its `reserve` may change. `behind` is how often the prompt's budget and the
/// reserves after the tier may.
fn one(
    tier: &manifest::Tier,
    prompt: Option<&ResolvedMaxBudget>,
    after: &Why,
    programs: &mut Programs<'_>,
) -> (Bounded, Why) {
    let system = is_system(tier);
    let budget = tier.budget.as_ref().map(|budget| {
        if let (Some(unit), Some(prompt)) = (&budget.unit, prompt)
            && unit.value != prompt.unit
            && !(budget.implied && matches!(prompt.unit, Unit::Tokens(_)))
        {
            mixed(unit.span, unit.value, prompt, programs.diags);
        }
        let written = budget.unit.as_ref().map(|u| u.value);
        ResolvedMaxBudget {
            max: budget.max.clone(),
            unit: prompt.map(|p| p.unit).or(written).unwrap_or(Unit::Chars),
            span: budget.span,
        }
    });
    let mut reserved = Why::default();
    if let Some(reserve) = &tier.reserve {
        reserved = lit(reserve, is_size, programs);
        reserve_means_something(reserve.span(), system, prompt, programs.diags);
    }
    let by_prompt = prompt.filter(|_| system);
    let unit = budget.as_ref().or(by_prompt).map(|b| b.unit);
    let mut own = by_prompt.map_or_else(Why::default, |_| after.clone());
    if let Some(budget) = &budget {
        own.add(lit(&budget.max, is_size, programs));
    }
    for layer in &tier.layers {
        own.add(gives_way(
            tier,
            layer,
            [budget.as_ref(), by_prompt],
            programs,
        ));
    }
    let bounded = Bounded {
        budget,
        reserve: tier.reserve.clone(),
        unit,
        why: unit.map_or_else(Why::default, |_| own),
    };
    (bounded, reserved)
}

/// Checks the settings for cutting and dropping a layer; returns how often their numbers may change.
fn gives_way(
    tier: &manifest::Tier,
    layer: &manifest::Layer,
    ceilings: [Option<&ResolvedMaxBudget>; 2],
    programs: &mut Programs<'_>,
) -> Why {
    let mut why = Why::default();
    for number in layer.priority.iter().chain(&layer.min) {
        why.add(lit(number, is_size, programs));
    }
    let Some(min) = &layer.min else {
        return why;
    };
    if ceilings == [None, None] {
        programs.diags.push(
            Diagnostic::error(
                codes::NO_BUDGET,
                format!(
                    "`min=` is what a budget leaves of a layer, and none bounds the tier `{}`",
                    tier.name.value
                ),
            )
            .at(min.span())
            .help("write `budget N` in the tier or at the top level, or remove it"),
        );
    }
    for ceiling in ceilings.into_iter().flatten() {
        if let (Lit::Value(min), Lit::Value(max)) = (min, &ceiling.max)
            && min.value > max.value
        {
            programs.diags.push(
                Diagnostic::error(
                    codes::CONFLICTING_SETTINGS,
                    "`min=` is larger than the budget that would cut the layer",
                )
                .at(min.span)
                .related(ceiling.span, "may be this much")
                .help("a layer that is cut must fit: lower `min=` or raise the budget"),
            );
            break;
        }
    }
    why
}

impl PartialEq for ResolvedMaxBudget {
    /// Whether it is the same node.
    fn eq(&self, other: &Self) -> bool {
        self.span == other.span
    }
}

fn is_system(tier: &manifest::Tier) -> bool {
    tier.deliver
        .as_ref()
        .is_none_or(|d| d.value == Deliver::System)
}

fn mixed(at: Span, unit: Unit, prompt: &ResolvedMaxBudget, diags: &mut Diagnostics) {
    let (own, all) = (unit.name(), prompt.unit.name());
    let found = Diagnostic::error(
        codes::MIXED_UNITS,
        format!("the budget of a tier counts {own}, and that of the prompt {all}"),
    )
    .at(at)
    .related(prompt.span, format!("counts {all}"))
    .help(format!(
        "write `{}` or nothing: all that bounds tiers counts in the prompt's unit",
        prompt.unit.written()
    ));
    diags.push(match (unit, prompt.unit) {
        // Only the word is edited, and `tokenizer=` is elsewhere.
        (Unit::Tokens(_), _) | (_, Unit::Tokens(_)) => found,
        _ => found.suggest(at, all),
    });
}

/// Reports a `reserve=` of which nothing is set aside.
fn reserve_means_something(
    at: Span,
    system: bool,
    prompt: Option<&ResolvedMaxBudget>,
    diags: &mut Diagnostics,
) {
    if !system {
        diags.push(
            Diagnostic::error(
                codes::CONFLICTING_SETTINGS,
                "`reserve=` reserves room in the system prompt, and this tier is not part of it",
            )
            .at(at)
            .help("remove it; the tier's own `budget` bounds it"),
        );
    } else if prompt.is_none() {
        diags.push(
            Diagnostic::error(
                codes::NO_BUDGET,
                "`reserve=` reserves a part of the prompt's budget, and the prompt has none",
            )
            .at(at)
            .help("write `budget N` at the top level, or remove it"),
        );
    }
}

/// Reports reserves that leave the first tier nothing, whatever it holds.
fn reserves(manifest: &Manifest, prompt: &ResolvedMaxBudget, diags: &mut Diagnostics) {
    let after = manifest.tiers.iter().filter(|t| is_system(t)).skip(1);
    let written: Vec<_> = after
        .filter_map(|t| match &t.reserve {
            Some(Lit::Value(n)) => Some(n),
            _ => None,
        })
        .collect();
    let sum = written
        .iter()
        .fold(0_u64, |sum, n| sum.saturating_add(n.value));
    let (Some(last), Lit::Value(max)) = (written.last(), &prompt.max) else {
        return;
    };
    if sum > max.value {
        diags.push(
            Diagnostic::error(
                codes::CONFLICTING_SETTINGS,
                format!(
                    "the tiers after the first reserve {sum}, and the budget of the prompt is {}",
                    max.value
                ),
            )
            .at(last.span)
            .related(prompt.span, "the whole prompt")
            .help("lower the reserves or raise the budget"),
        );
    }
}
