//! The error of a budget for which no further layer can be cut or dropped, with its sums.

use super::{Candidate, Numbers, Over};
use crate::compile::budget::{By, shown};
use crate::compile::plan::{Plan, Tier};
use crate::diagnostic::{Diagnostic, OVER_BUDGET};
use crate::manifest::{Unit, locked};
use crate::prompt::Deliver;
use std::cmp::Ordering;

/// The most layers and tiers that the error names.
const MOST: usize = 5;

/// The text that is too large, its parts, and the layers that could not be cut or dropped.
pub(super) fn over_budget(
    tier: &Tier,
    unit: Unit,
    over: &Over<'_>,
    candidates: &[Candidate<'_>],
    behind: &[Numbers<'_>],
) -> Diagnostic {
    let behind = behind.iter().filter(|_| over.reserved > 0);
    let shares: Vec<(&Tier, usize)> = behind.filter_map(Numbers::set_aside).collect();
    let unit_name = unit.name();
    let what = match over.by {
        By::Tier(name) => format!("the tier `{name}` has"),
        By::Prompt if over.reserved > 0 => format!(
            "the system prompt up to the tier `{}`, with the reserve after it, has",
            tier.name
        ),
        By::Prompt => format!("the system prompt up to the tier `{}` has", tier.name),
    };
    let mut message = format!(
        "{what} {} {unit_name} and may have {}: ",
        shown(over.size.saturating_add(over.reserved)),
        shown(over.max),
    );
    message.push_str(&sums(over, candidates, &shares));
    let stuck = || candidates.iter().filter(|c| c.after > 0);
    let mut found = Diagnostic::error(OVER_BUDGET, message)
        .at(over.ceiling.span)
        .help(help(over));
    for candidate in stuck().take(MOST) {
        found = found.related(candidate.layer.span, reason(candidate));
    }
    let system = (shares.iter()).filter(|(tier, _)| tier.deliver == Deliver::System);
    for (tier, _) in system.take(MOST) {
        if let Some(reserve) = &tier.bounded.reserve {
            found = found.related(reserve.span(), "set aside");
        }
    }
    found
}

/// The error if a budget above the lock of a locked layer would cut or drop it.
pub(super) fn locked_out(
    plan: &Plan,
    candidate: &Candidate<'_>,
    over: &Over<'_>,
) -> Option<Diagnostic> {
    let lock = candidate.layer.lock?;
    let at = over.ceiling.span;
    if !lock.refuses(at.file, &plan.manifest) {
        return None;
    }
    let name = &candidate.layer.name;
    let message = format!("the locked layer `{name}` could be cut or dropped by this budget");
    let help = "raise the budget, or give the overlay's own layers a lower `priority=`";
    Some(locked(message, at, lock.span).help(help))
}

/// "before the tier 5,000, `rules` 2,500, `skills` 3,000 → 600, `notes` 800 → 0, joins 4; set aside for `daily` 1,500".
fn sums(over: &Over<'_>, candidates: &[Candidate<'_>], shares: &[(&Tier, usize)]) -> String {
    let mut parts = Vec::new();
    if over.front > 0 {
        parts.push(format!("before the tier {}", shown(over.front)));
    }
    // The layers that remain explain the most.
    let (stuck, gone): (Vec<_>, Vec<_>) = candidates.iter().partition(|c| c.after > 0);
    let listed = stuck.into_iter().chain(gone);
    for c in listed.clone().take(MOST) {
        let (name, before, after) = (&c.layer.name, shown(c.before), shown(c.after));
        parts.push(if c.before == c.after {
            format!("`{name}` {before}")
        } else {
            format!("`{name}` {before} → {after}")
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
        let each: Vec<String> = (shares.iter())
            .map(|(tier, size)| format!("`{}` {}", tier.name, shown(*size)))
            .collect();
        out.push_str(&format!("; reserved for {}", each.join(", ")));
    }
    out
}

/// Why a layer is not cut or dropped.
fn reason(candidate: &Candidate<'_>) -> String {
    let size = shown(candidate.after);
    match candidate.min {
        None => format!("is not dropped: required, without `min=`, {size}"),
        Some(_) if candidate.before > candidate.after => {
            format!("is not cut further: required, already cut to {size}")
        }
        Some(min) if candidate.tried => {
            format!("is not dropped: required, and no cut of it fits `min={min}`")
        }
        Some(min) => format!("is not cut: required, {size}, not more than `min={min}`"),
    }
}

fn help(over: &Over<'_>) -> &'static str {
    match (over.by, over.reserved) {
        (By::Tier(_), _) => {
            "raise the budget, give a required layer of this tier a `min=` or a smaller one, or drop required=#true"
        }
        (By::Prompt, 0) => {
            "raise the budget, bound earlier tiers with budgets of their own, give a required layer of this tier a \
             smaller `min=` or drop required=#true: earlier tiers are not cut for it"
        }
        (By::Prompt, _) => {
            "raise the budget, lower a `reserve=`, bound earlier tiers with budgets of their own, give a required \
             layer of this tier a smaller `min=` or drop required=#true: earlier tiers are not cut for it"
        }
    }
}
