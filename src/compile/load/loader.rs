//! Loading the content of a layer: what it is loaded with, what a node sees of what is around it, and the log of it.

use super::Level;
use crate::compile::bind::ResolvedInputs;
use crate::compile::budget::BudgetTracker;
use crate::compile::layer_facts::LayerFacts;
use crate::compile::plan::{Layer, Plan};
use crate::compile::record::Record;
use crate::diagnostic::span::{Literal, Span};
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::Program;
use crate::prompt::{Ingredient, Reason};
use crate::source::place::BoundRoot;
use crate::template::Scope;
use crate::world::{self, World};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The context for loading the content of a layer.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) plan: &'a Plan,
    pub(super) bound: &'a ResolvedInputs,
    pub(super) world: &'a dyn World,
    pub(super) asked: &'a LayerFacts,
    pub(super) layer: &'a Layer,
}

/// Loads the content of one layer.
///
/// A node gets the settings of the groups around it ([`Position`]), and returns its result
/// ([`Gathered`](super::tree::Gathered)). All other state is a log that only grows.
pub(super) struct ContentLoader<'a> {
    pub(super) context: Context<'a>,
    pub(super) diags: &'a mut Diagnostics,
    pub(super) record: Record,
    pub(super) search: Search,
}

/// The settings of the groups around a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Position<'c> {
    /// Inside a climbing group: the folder that is tried.
    pub(super) level: Option<&'c Level>,
    /// Whether a climbing group may still find something further up, so that what is missing here is not yet missing.
    pub(super) higher: bool,
    /// Whether a group searches at every level, so that what is missing here may be found at another level.
    pub(super) every: bool,
    /// The join of the nearest `all` around, in which the documents of a glob are members.
    pub(super) join: Option<&'c Literal>,
}

impl<'c> Position<'c> {
    /// This position in a folder of a climbing group.
    pub(super) fn inside(self, level: &'c Level) -> Self {
        Self {
            level: Some(level),
            ..self
        }
    }

    /// The folder inside a root that does not climb itself.
    pub(super) fn folder_in(self, root: &BoundRoot) -> String {
        let here = self.level.filter(|level| level.root == root.name);
        here.map(|level| level.folder.clone()).unwrap_or_default()
    }
}

/// The names that were searched for so far, for the reason of an absence.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// A file was looked for.
    pub(super) looked: bool,
    /// A file or a fact was there.
    pub(super) found: bool,
    /// A description of the search.
    pub(super) wanted: Vec<String>,
}

/// The results of the sources of a group that searches at every level. A name that is missing at one level may exist at
/// another.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// The sources that found something at any level.
    pub(super) met: BTreeSet<Span>,
    /// The sources that found nothing at one level: what each looked for there, and what it says.
    pub(super) missed: Vec<(Span, Missed)>,
}

/// A source that found nothing.
#[derive(Debug)]
pub(super) struct Missed {
    pub(super) root: Arc<str>,
    pub(super) names: Vec<String>,
    /// The text in the manifest in place of names.
    pub(super) facts: Vec<String>,
    /// A name whose path is not a regular file, and its kind, if the source is required.
    pub(super) stands: Option<(String, world::Kind)>,
    /// The folder of the root, if the source is required and that folder does not exist.
    pub(super) missing_folder: Option<PathBuf>,
    pub(super) required: bool,
}

impl Levels {
    /// Adds what others found and missed later.
    pub(super) fn add(&mut self, other: Self) {
        self.met.extend(other.met);
        self.missed.extend(other.missed);
    }
}

impl<'a> ContentLoader<'a> {
    pub(super) fn new(context: Context<'a>, diags: &'a mut Diagnostics) -> Self {
        Self {
            record: Record::new(context.layer),
            context,
            diags,
            search: Search::default(),
        }
    }

    pub(super) fn finish(self) -> Record {
        self.record
    }

    /// Whether the caller leaves the layer out.
    pub(super) fn is_left_out(&self) -> bool {
        self.context
            .bound
            .without
            .contains(&*self.context.layer.name)
    }

    pub(super) fn scope(&self) -> Scope {
        self.context.asked.scope(&self.context.bound.values)
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
        } else if self.search.found {
            (Reason::Empty, self.record.why_empty())
        } else if self.search.looked && !self.search.wanted.is_empty() {
            let mut seen = BTreeSet::new();
            let wanted = self
                .search
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

    /// Evaluates a condition of a node, and records the calls of `exists()` and `loaded()` in it with their results.
    pub(super) fn condition(
        &mut self,
        expression: &Literal,
        scope: &Scope,
        node: Option<u32>,
    ) -> Result<bool, ErrorReported> {
        match self.context.plan.engine.evaluate(&expression.text, scope) {
            Ok(answer) => {
                let value = answer.is_true();
                let facts = answer.facts.iter();
                let mut inputs: Vec<u32> = facts
                    .map(|name| self.record.read(&self.context.bound.values, name))
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

    /// The context for reading the numbers of budgets.
    pub(super) fn bounds(&mut self) -> BudgetTracker<'_> {
        BudgetTracker {
            plan: self.context.plan,
            bound: self.context.bound,
            asked: self.context.asked,
            record: &mut self.record,
            diags: self.diags,
            by: None,
        }
    }
}
