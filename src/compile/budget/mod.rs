//! Budgets at work: sizes are looked up, texts cut, and what went is written down. Used by the stages load and render.

mod applied_limit;
mod size;
mod sums;
mod one;
mod many;

pub(super) use applied_limit::AppliedLimit;
pub(super) use size::lit_value;
pub(super) use sums::Sums;

use super::bind::ResolvedInputs;
use super::layer_facts::LayerFacts;
use super::plan::Plan;
use super::record::Record;
use crate::diagnostic::Diagnostics;
use crate::text::document::Document;
use crate::text::measure;
use std::fmt;

/// The context of budgets.
pub(super) struct BudgetTracker<'a> {
    pub(super) plan: &'a Plan,
    pub(super) bound: &'a ResolvedInputs,
    pub(super) asked: &'a LayerFacts,
    pub(super) record: &'a mut Record,
    pub(super) diags: &'a mut Diagnostics,
    /// The outer budget that cuts the layer, if that is why a text is cut.
    pub(super) by: Option<By<'a>>,
}

/// An outer budget that layers are cut to or dropped for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By<'a> {
    /// The tier of this name.
    Tier(&'a str),
    /// All of the system prompt.
    Prompt,
}

impl By<'_> {
    /// The word in the map.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tier(_) => "tier",
            Self::Prompt => "prompt",
        }
    }
}

impl fmt::Display for By<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tier(name) => write!(f, "the tier `{name}`"),
            Self::Prompt => f.write_str("the prompt"),
        }
    }
}

impl BudgetTracker<'_> {
    /// The bound that a text is cut to; `unit` comes after the number.
    pub(super) fn why(&self, max: usize, unit: &str) -> String {
        let space = if unit.is_empty() { "" } else { " " };
        let max = format!("{}{space}{unit}", shown(max));
        match self.by {
            None => format!("budget {max}"),
            Some(by) => format!("to its `min` of {max}, since {by} is too large"),
        }
    }
}

/// A size as people read it.
pub(super) fn shown(size: usize) -> String {
    measure::thousands(&size.to_string())
}

/// "all 3 lines", "the one line".
pub(super) fn all(size: usize, unit: &str) -> String {
    match size {
        1 => format!("the one {}", one(unit)),
        _ => format!("all {} {unit}", shown(size)),
    }
}

/// The singular of a unit.
fn one(unit: &str) -> &str {
    match unit {
        "entries" => "entry",
        _ => unit.strip_suffix('s').unwrap_or(unit),
    }
}

/// The name of a document in messages: its path, or, if it has none, its label.
pub(super) fn called(document: &Document) -> String {
    let name = if document.path.is_empty() {
        &document.label
    } else {
        &document.path
    };
    name.to_string()
}
