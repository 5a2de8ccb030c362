//! Budgets of nodes and layers.

use super::lit::{is_fraction, is_size, lit};
use crate::compile::plan::programs::{Programs, Site};
use crate::manifest::{Budget, Limit, Lit, Unit};
use crate::prompt::Changes;

/// The budgets of a node or layer. Tokens without a tokenizer count as those of the prompt's budget do, if it counts tokens.
pub(super) fn counted(budgets: &[Budget], programs: &Programs<'_>) -> Vec<Budget> {
    let prompt = programs.manifest.budget.as_ref();
    let of_prompt = prompt.and_then(|p| Some(p.unit.as_ref()?.value));
    let mut out = budgets.to_vec();
    for budget in out.iter_mut().filter(|b| b.implied) {
        if let Some(unit @ Unit::Tokens(_)) = of_prompt {
            budget.unit = unit;
        }
    }
    out
}

pub(super) fn budget_class(budget: &Budget, programs: &mut Programs<'_>) -> Changes {
    let sizes: Vec<&Lit<u64>> = match &budget.limit {
        Limit::One(max) | Limit::Leading(max) | Limit::Entries(max) => vec![max],
        Limit::Documents {
            each, total, floor, ..
        } => each.iter().chain(total).chain(floor).collect(),
    };
    let sizes = sizes.into_iter().chain(&budget.step);
    let mut class = programs.template_class(budget.marker.as_ref(), Site::Marker);
    for size in sizes {
        class = class.max(lit(size, is_size, programs));
    }
    for fraction in budget.head.iter().chain(&budget.tail) {
        class = class.max(lit(fraction, is_fraction, programs));
    }
    class
}
