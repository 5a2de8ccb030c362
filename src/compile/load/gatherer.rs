//! Who gathers the content of a layer: what is at hand, and what was found and missed so far.

use super::listing::Listing;
use super::skill::Skill;
use crate::compile::bind::Bound;
use crate::compile::bound::BudgetTracker;
use crate::compile::layer_facts::LayerFacts;
use crate::compile::plan::{Layer, Plan};
use crate::compile::record::Record;
use crate::diagnostic::span::{Literal, Span};
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::Program;
use crate::prompt::{Ingredient, Reason};
use crate::template::Scope;
use crate::world::{self, World};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Gathers the content of one layer.
pub(super) struct Gatherer<'a> {
    pub(super) plan: &'a Plan,
    pub(super) bound: &'a Bound,
    pub(super) world: &'a dyn World,
    pub(super) asked: &'a LayerFacts,
    pub(super) layer: &'a Layer,
    pub(super) record: Record,
    pub(super) diags: &'a mut Diagnostics,
    /// A file was looked for.
    pub(super) looked: bool,
    /// A file or a fact was there.
    pub(super) found: bool,
    /// What was looked for, in words.
    pub(super) wanted: Vec<String>,
    /// Inside a climbing group: the root and the folder that is tried.
    pub(super) level: Option<(Arc<str>, String)>,
    /// Whether a climbing group may still find something further up, so that what is missing here is not yet missing.
    pub(super) higher: bool,
    /// The join of the nearest `all` around, in which the documents of a glob are members.
    pub(super) join: Option<Literal>,
    /// How many entries budgets left out.
    pub(super) left_out: usize,
    /// How much the memories that yielded entries may hold together, as far as they say it.
    pub(super) capacity: Option<usize>,
    /// Inside a group that searches at every level: what its sources found and missed so far.
    pub(super) every: Option<Levels>,
    /// While a source of entries is read: what decides about them.
    pub(super) listing: Option<Listing>,
    /// While entries are asked for themselves: all that were found, with what became of each.
    pub(super) roll: Option<Vec<Skill>>,
    /// Why the front matter of the document at hand cannot be read, while skills are asked for themselves.
    pub(super) unreadable: Option<String>,
}

/// What the sources of a group that searches at every level found. What is missing at one level is there at another.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// The sources that found something at any level.
    pub(super) met: BTreeSet<Span>,
    /// Those that found nothing at one: what each looked for there, and what it says.
    pub(super) missed: Vec<(Span, Missed)>,
}

/// A source that found nothing.
#[derive(Debug)]
pub(super) struct Missed {
    pub(super) root: Arc<str>,
    pub(super) names: Vec<String>,
    /// What stands in the manifest in place of names.
    pub(super) facts: Vec<String>,
    /// A name at which something stands that is no regular file, and what, if the source is required.
    pub(super) stands: Option<(String, world::Kind)>,
    pub(super) required: bool,
}

impl<'a> Gatherer<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        bound: &'a Bound,
        world: &'a dyn World,
        asked: &'a LayerFacts,
        layer: &'a Layer,
        diags: &'a mut Diagnostics,
    ) -> Self {
        Self {
            plan,
            bound,
            world,
            asked,
            layer,
            record: Record::new(layer),
            diags,
            looked: false,
            found: false,
            wanted: Vec::new(),
            level: None,
            higher: false,
            join: None,
            left_out: 0,
            capacity: None,
            every: None,
            listing: None,
            roll: None,
            unreadable: None,
        }
    }

    pub(super) fn finish(self) -> Record {
        self.record
    }

    pub(super) fn scope(&self) -> Scope {
        self.asked.scope(&self.bound.values)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> ErrorReported {
        self.diags.push(diagnostic)
    }

    /// Why a content that yields nothing does so. `yielded` if it did before a budget dropped it.
    pub(super) fn why_nothing(&self, yielded: bool) -> (Reason, String) {
        if yielded {
            (Reason::Dropped, "a budget left nothing of it".to_owned())
        } else if self.record.all_replaced() {
            let detail = "a scan left out all that was found".to_owned();
            (Reason::Replaced, detail)
        } else if self.found {
            (Reason::Empty, self.record.why_empty())
        } else if self.looked && !self.wanted.is_empty() {
            let mut seen = BTreeSet::new();
            let wanted = self
                .wanted
                .iter()
                .map(String::as_str)
                .filter(|w| seen.insert(*w));
            let wanted = suggest::choice(wanted);
            (Reason::Missing, format!("there is no {wanted}"))
        } else {
            (
                Reason::Condition,
                "every part of it is ruled out by a condition or a missing fact".to_owned(),
            )
        }
    }

    /// Asks a condition of a node and writes down what it asked for, the question and the answer.
    pub(super) fn condition(
        &mut self,
        expression: &Literal,
        scope: &Scope,
        node: Option<u32>,
    ) -> Result<bool, ErrorReported> {
        match self.plan.engine.evaluate(&expression.text, scope) {
            Ok(answer) => {
                let value = answer.is_true();
                let facts = answer.facts.iter();
                let mut inputs: Vec<u32> = facts
                    .map(|name| self.record.read(&self.bound.values, name))
                    .collect();
                for question in answer.asked {
                    inputs.push(self.record.ingredients.intern(question));
                }
                self.record.ingredients.intern(Ingredient::Condition {
                    expression: expression.text.to_string(),
                    value,
                    inputs,
                    node,
                });
                Ok(value)
            }
            Err(failure) => {
                Err(self.report(failure.diagnostic(&Program::Inline(expression.clone()))))
            }
        }
    }

    /// What numbers of budgets are read with.
    pub(super) fn bounds(&mut self) -> BudgetTracker<'_> {
        BudgetTracker {
            plan: self.plan,
            bound: self.bound,
            asked: self.asked,
            record: &mut self.record,
            diags: self.diags,
            by: None,
        }
    }
}
