//! Why something changes as often as it does: the reasons that lead from it to facts, roots and program text.

use crate::diagnostic::span::Span;
use crate::prompt::Changes;
use crate::text::index::{Index, key};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The kind of a link of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A `when`.
    Condition,
    /// A `where`.
    Filter,
    /// A `template`, or one that it includes.
    Template,
    /// A `wrap`.
    Wrap,
    /// `scope=` or `except=` of a scan.
    Scan,
    /// The placeholder of a scan.
    Placeholder,
    /// A `hide`.
    Hide,
    /// The marker of a budget.
    Marker,
    /// A number of a budget, of `priority`, `min` or `reserve`.
    Budget,
    /// A source, by its kind.
    Source,
    /// `label=` or `about=`.
    Label,
    /// `imports`.
    Imports,
    /// A call of `exists()`.
    Exists,
    /// A call of `loaded()`: the layer that it names.
    Loaded,
    /// A `let`.
    Let,
    /// A root.
    Root,
    /// A fact.
    Fact,
    /// Text of the manifest and of templates next to it.
    Program,
}

/// One step of the way from a layer to what it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Link {
    /// Its kind.
    pub what: What,
    /// Its name: of a fact, let, root, layer or template; the kind of a source; the expression of a condition.
    pub name: Arc<str>,
    /// Its location; none for a built-in.
    pub place: Option<Span>,
}

/// The way from a layer to one thing that it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reason {
    /// How often that thing may change.
    pub changes: Changes,
    /// Where that is declared, if it is.
    pub declared: Option<Span>,
    /// The steps, from the layer to the thing.
    pub links: Vec<Link>,
}

/// The names of all things of one kind that these reasons lead through or to.
pub(in crate::compile) fn linked_names(reasons: &[Arc<Reason>], what: What) -> BTreeSet<Arc<str>> {
    let links = reasons.iter().flat_map(|reason| &reason.links);
    let of_kind = links.filter(|link| link.what == what);
    of_kind.map(|link| link.name.clone()).collect()
}

/// The number of reasons that are compared one by one: up to it, that is faster than a lookup.
const FEW: usize = 16;

/// How often something may change, and everything that says so.
#[derive(Debug, Clone)]
pub struct Why {
    /// The highest volatility of all reasons.
    pub changes: Changes,
    /// The reasons, in the order in which they were met, each once.
    pub reasons: Vec<Arc<Reason>>,
    /// The first of them, to be looked up: a layer can depend on thousands of facts.
    known: Index,
}

impl Default for Why {
    /// Nothing it depends on: it never changes.
    fn default() -> Self {
        Self {
            changes: Changes::Never,
            reasons: Vec::new(),
            known: Index::default(),
        }
    }
}

impl Why {
    /// A single reason: the link that names it.
    pub(super) fn one(changes: Changes, link: Link, declared: Option<Span>) -> Self {
        let reason = Arc::new(Reason {
            changes,
            declared,
            links: vec![link],
        });
        Self {
            changes,
            known: Index::default(),
            reasons: vec![reason],
        }
    }

    /// Adds all that `other` depends on.
    pub(super) fn add(&mut self, other: Self) {
        self.changes = self.changes.max(other.changes);
        if self.reasons.is_empty() {
            (self.reasons, self.known) = (other.reasons, other.known);
            return;
        }
        for reason in other.reasons {
            if !self.has(&reason) {
                self.reasons.push(reason);
            }
        }
    }

    fn has(&mut self, reason: &Reason) -> bool {
        if self.reasons.len() <= FEW {
            return self.reasons.iter().any(|known| **known == *reason);
        }
        for at in self.known.len()..self.reasons.len() {
            self.known.insert(key(&*self.reasons[at]), at);
        }
        let is_it = |at: usize| *self.reasons[at] == *reason;
        self.known.find(key(reason), is_it).is_some()
    }

    /// Adds all that `other` depends on, through `link`.
    pub(super) fn through(&mut self, link: &Link, other: Self) {
        self.add(other.via(std::slice::from_ref(link)));
    }

    /// Adds the dependencies through all these links.
    pub(super) fn via(mut self, way: &[Link]) -> Self {
        self.known = Index::default();
        for reason in &mut self.reasons {
            let links = &mut Arc::make_mut(reason).links;
            links.splice(0..0, way.iter().cloned());
        }
        self
    }

    /// Only what makes it change as often as it does.
    pub(super) fn strongest(&self) -> Self {
        let reason = self.strong().cloned();
        Self {
            changes: self.changes,
            known: Index::default(),
            reasons: reason.into_iter().collect(),
        }
    }

    /// The shortest of the reasons of its volatility, of several the first.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        self.strong().map(AsRef::as_ref)
    }

    fn strong(&self) -> Option<&Arc<Reason>> {
        let highest = self.reasons.iter().filter(|c| c.changes == self.changes);
        highest.min_by_key(|c| c.links.len())
    }
}

impl Link {
    pub(super) fn new(
        what: What,
        name: impl Into<Arc<str>>,
        place: impl Into<Option<Span>>,
    ) -> Self {
        Self {
            what,
            name: name.into(),
            place: place.into(),
        }
    }
}
