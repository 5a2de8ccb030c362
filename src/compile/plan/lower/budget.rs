//! Budgets of nodes and layers.

use crate::compile::plan::lit::{is_fraction, is_size, lit};
use crate::compile::plan::programs::Programs;
use crate::compile::plan::visible::Visible;
use crate::compile::plan::why::{Link, What, Why};
use crate::manifest::{Budget, Limit, Lit, Unit};

/// The budgets of a node or layer. Tokens without a tokenizer count as those of the prompt's budget do, if it counts tokens.
pub(in crate::compile::plan) fn counted(
    budgets: &[Budget],
    programs: &Programs<'_>,
) -> Vec<Budget> {
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

/// The dependencies of a budget; its marker is at `site`.
pub(in crate::compile::plan) fn budget_why(
    budget: &Budget,
    site: Visible<'_>,
    programs: &mut Programs<'_>,
) -> Why {
    let sizes: Vec<&Lit<u64>> = match &budget.limit {
        Limit::One(max) | Limit::Leading(max) | Limit::Entries(max) => vec![max],
        Limit::Documents {
            each, total, floor, ..
        } => each.iter().chain(total).chain(floor).collect(),
    };
    let sizes = sizes.into_iter().chain(&budget.step);
    let marker = budget.marker.as_ref();
    let mut why = programs.template_why(What::Marker, marker, site);
    let link = Link::new(What::Budget, "", budget.span);
    for size in sizes {
        why.through(&link, lit(size, is_size, programs));
    }
    for fraction in budget.head.iter().chain(&budget.tail) {
        why.through(&link, lit(fraction, is_fraction, programs));
    }
    why
}
