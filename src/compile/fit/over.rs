//! The error of a budget that no layer can give way to any more, with its sums.

use super::{Candidate, Over};
use crate::compile::bound::{By, shown};
use crate::compile::plan::{Plan, Tier};
use crate::diagnostic::{Diagnostic, OVER_BUDGET};
use crate::manifest::Unit;
use crate::prompt::Deliver;
use std::cmp::Ordering;

/// How many layers and tiers the error names.
const MOST: usize = 5;

/// What is too large, what it is made of, and who could not give way.
pub(super) fn over_budget(
    plan: &Plan,
    tier: &Tier,
    unit: Unit,
    over: &Over<'_>,
    candidates: &[Candidate<'_>],
) -> Diagnostic {
    let unit_name = unit.name();
    let what = match over.by {
        By::Tier(name) => format!("the tier `{name}` has"),
        By::Prompt if over.reserved > 0 => format!(
            "the system text up to the tier `{}`, with what is set aside behind it, has",
            tier.name
        ),
        By::Prompt => format!("the system text up to the tier `{}` has", tier.name),
    };
    let mut message = format!(
        "{what} {} {unit_name} and may have {}: ",
        shown(over.size.saturating_add(over.reserved)),
        shown(over.max),
    );
    message.push_str(&sums(over, candidates));
    let stuck = || candidates.iter().filter(|c| c.after > 0);
    let mut found = Diagnostic::error(OVER_BUDGET, message)
        .at(over.ceiling.span)
        .help(help(over));
    for candidate in stuck().take(MOST) {
        found = found.related(candidate.layer.span, reason(candidate));
    }
    let reserves = behind(plan, tier).filter(|_| over.reserved > 0);
    for tier in reserves.take(MOST) {
        if let Some(reserve) = &tier.bounded.reserve {
            found = found.related(reserve.span(), "set aside");
        }
    }
    found
}

/// "before the tier 5,000, `rules` 2,500, `skills` 3,000 → 600, `notes` 800 → 0, joins 4; set aside for `daily` 1,500".
fn sums(over: &Over<'_>, candidates: &[Candidate<'_>]) -> String {
    let mut parts = Vec::new();
    if over.front > 0 {
        parts.push(format!("before the tier {}", shown(over.front)));
    }
    // What did not give way says most.
    let (stuck, gone): (Vec<_>, Vec<_>) = candidates.iter().partition(|c| c.after > 0);
    let listed = stuck.into_iter().chain(gone);
    for c in listed.clone().take(MOST) {
        let (name, before, after) = (&c.layer.name, shown(c.before), shown(c.after));
        parts.push(match c.before == c.after {
            true => format!("`{name}` {before}"),
            false => format!("`{name}` {before} → {after}"),
        });
    }
    let rest: Vec<_> = listed.skip(MOST).collect();
    if !rest.is_empty() {
        let size = rest.iter().map(|c| c.after).sum();
        parts.push(format!("{} more {}", rest.len(), shown(size)));
    }
    let all: usize = candidates.iter().map(|c| c.after).sum::<usize>() + over.front;
    let rest = shown(over.size.abs_diff(all));
    match over.size.cmp(&all) {
        Ordering::Greater => parts.push(format!("joins {rest}")),
        Ordering::Equal => {}
        // Lines meet on one, and tokens reach from one text into the next.
        Ordering::Less => parts.push(format!("less {rest} where they meet")),
    }
    let mut out = parts.join(", ");
    if over.reserved > 0 {
        let shares = over.behind.iter();
        let each: Vec<String> = shares
            .map(|(tier, size)| format!("`{tier}` {}", shown(*size)))
            .collect();
        out.push_str(&format!("; set aside for {}", each.join(", ")));
    }
    out
}

/// The tiers behind this one that set something aside.
fn behind<'p>(plan: &'p Plan, tier: &Tier) -> impl Iterator<Item = &'p Tier> {
    let at = plan.tiers.iter().position(|t| t.name == tier.name);
    let tiers = plan.tiers.iter().skip(at.map_or(usize::MAX, |at| at + 1));
    tiers.filter(|t| t.deliver == Deliver::System && t.bounded.reserve.is_some())
}

/// Why a layer does not give way.
fn reason(candidate: &Candidate<'_>) -> String {
    let size = shown(candidate.after);
    match candidate.min {
        None => format!("does not give way: required, without `min=`, {size}"),
        Some(_) if candidate.before > candidate.after => {
            format!("does not give way any more: required, cut to {size}")
        }
        Some(min) if candidate.tried => {
            format!("does not give way: required, and no cut of it fits `min={min}`")
        }
        Some(min) => format!("does not give way: required, {size}, not more than `min={min}`"),
    }
}

fn help(over: &Over<'_>) -> &'static str {
    match (over.by, over.reserved) {
        (By::Tier(_), _) => {
            "raise the budget, give a required layer of this tier a `min=` or a smaller one, or drop required=#true"
        }
        (By::Prompt, 0) => {
            "raise the budget, bound earlier tiers with budgets of their own, give a required layer of this tier a \
             smaller `min=` or drop required=#true: what stands before the tier does not give way to it"
        }
        (By::Prompt, _) => {
            "raise the budget, lower a `reserve=`, bound earlier tiers with budgets of their own, give a required \
             layer of this tier a smaller `min=` or drop required=#true: what stands before the tier does not give way to it"
        }
    }
}
