//! A finding of a rule.

use super::Rule;
use crate::compare::Cost;
use crate::compile::{Reason, Site};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, Diagnostic, DocumentPlace, Suggestion};
use std::collections::BTreeSet;

/// Edits that belong together: all are made or none.
pub type Edit = Vec<Suggestion>;

/// An edit that is safe without review: the prompt keeps its layers and their texts.
#[derive(Debug, Clone)]
pub struct Fix {
    /// A description of the edit.
    pub what: String,
    /// The edit.
    pub edit: Edit,
}

/// One finding.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule that reports it.
    pub rule: &'static Rule,
    /// Message, place, related places, help; its severity is the rule's.
    pub diagnostic: Diagnostic,
    /// The tier that it is about.
    pub tier: Option<String>,
    /// The layer that it is about.
    pub layer: Option<String>,
    /// The names of the nodes around it, innermost first: a `waive` in any of them counts.
    pub around: Vec<Span>,
    /// Why something changes as often as it does.
    pub because: Vec<Reason>,
    /// The place in a document, of a rule that reads sources.
    pub document: Option<DocumentPlace>,
    /// The scenario whose build shows it, for a rule that reads sources.
    pub scenario: Option<String>,
    /// The edit of `--fix`, if there is one.
    pub fix: Option<Fix>,
    /// Its message without reasons, if reasons follow.
    pub bare: Option<String>,
    /// The cost of the break, where a model is named and texts are known.
    pub cost: Option<Box<Cost>>,
}

impl Finding {
    /// A finding of `rule` at `span`.
    #[must_use]
    pub fn new(rule: &'static Rule, span: Span, message: impl Into<String>) -> Self {
        let mut diagnostic = Diagnostic::error(rule.code, message).at(span);
        diagnostic.severity = rule.severity;
        Self {
            rule,
            diagnostic,
            tier: None,
            layer: None,
            around: Vec::new(),
            because: Vec::new(),
            document: None,
            scenario: None,
            fix: None,
            bare: None,
            cost: None,
        }
    }

    /// Says which tier, layer and nodes it is in.
    #[must_use]
    pub fn within(mut self, site: &Site<'_>) -> Self {
        self.tier = site.tier.map(|t| t.name.value.clone());
        self.layer = site.layer.map(|l| l.name.value.clone());
        self.around.extend(&site.around);
        self
    }

    /// Adds a node whose `waive` applies.
    #[must_use]
    pub fn around(mut self, node: Span) -> Self {
        self.around.push(node);
        self
    }

    /// Sets the label of the underline.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.label(label);
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.related(span, label);
        self
    }

    /// Sets the help: how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.help(help);
        self
    }

    /// Sets the fix as an edit that people should review.
    #[must_use]
    pub fn suggest(mut self, span: Span, text: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.suggest(span, text);
        self
    }

    /// Sets the fix as an edit that is safe without review; `what` describes it and is the help too.
    #[must_use]
    pub fn fix(self, what: impl Into<String>, edit: Edit) -> Self {
        let what = what.into();
        let mut finding = self.help(what.clone());
        finding.fix = Some(Fix { what, edit });
        finding
    }

    /// Adds a reason.
    #[must_use]
    pub fn because(mut self, reason: &Reason) -> Self {
        self.because.push(reason.clone());
        self
    }

    /// Its location, for sorting.
    #[must_use]
    pub fn place(&self) -> (Option<Span>, &'static str, Option<DocumentPlace>) {
        (
            self.diagnostic.span,
            self.rule.code.name,
            self.document.clone(),
        )
    }
}

/// The findings so far.
#[derive(Debug, Default)]
pub struct FindingSet {
    all: Vec<Finding>,
    /// Where there are some, and of which code.
    places: BTreeSet<(Option<Span>, &'static str)>,
}

impl FindingSet {
    /// Adds a finding; one that another build has shown already is the same.
    pub fn push(&mut self, finding: Finding) {
        let same = |other: &Finding| {
            other.diagnostic == finding.diagnostic && other.document == finding.document
        };
        let place = (finding.diagnostic.span, finding.rule.code.name);
        if self.places.insert(place) || !self.all.iter().any(same) {
            self.all.push(finding);
        }
    }

    /// Whether there is a finding of that kind at `span`.
    #[must_use]
    pub fn has(&self, code: Code, span: Span) -> bool {
        self.places.contains(&(Some(span), code.name))
    }

    /// The findings of a rule.
    pub(super) fn of(&self, rule: &'static Rule) -> impl Iterator<Item = &Finding> {
        let found = self.all.iter();
        found.filter(|finding| finding.rule.code.name == rule.code.name)
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.all
    }
}
