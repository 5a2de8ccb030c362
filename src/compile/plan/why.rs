//! Why something changes as often as it does: the chains that lead from it to facts, roots and program text.

use crate::diagnostic::span::Span;
use crate::prompt::Changes;
use crate::text::index::{Index, key};
use std::sync::Arc;

/// The kind of a link of a chain.
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
pub struct Chain {
    /// How often that thing may change.
    pub changes: Changes,
    /// Where that is declared, if it is.
    pub declared: Option<Span>,
    /// The steps, from the layer to the thing.
    pub links: Vec<Link>,
}

/// The number of chains that are compared one by one: up to it, that is faster than a lookup.
const FEW: usize = 16;

/// How often something may change, and everything that says so.
#[derive(Debug, Clone)]
pub struct Why {
    /// The highest class of all chains.
    pub changes: Changes,
    /// The chains, in the order in which they were met, each once.
    pub chains: Vec<Arc<Chain>>,
    /// The first of them, to be looked up: a layer can depend on thousands of facts.
    known: Index,
}

impl Default for Why {
    /// Nothing it depends on: it never changes.
    fn default() -> Self {
        Self {
            changes: Changes::Never,
            chains: Vec::new(),
            known: Index::default(),
        }
    }
}

impl Why {
    /// A single reason: the link that names it.
    pub(super) fn one(changes: Changes, link: Link, declared: Option<Span>) -> Self {
        let chain = Arc::new(Chain {
            changes,
            declared,
            links: vec![link],
        });
        Self {
            changes,
            known: Index::default(),
            chains: vec![chain],
        }
    }

    /// Adds all that `other` depends on.
    pub(super) fn add(&mut self, other: Self) {
        self.changes = self.changes.max(other.changes);
        if self.chains.is_empty() {
            (self.chains, self.known) = (other.chains, other.known);
            return;
        }
        for chain in other.chains {
            if !self.has(&chain) {
                self.chains.push(chain);
            }
        }
    }

    fn has(&mut self, chain: &Chain) -> bool {
        if self.chains.len() <= FEW {
            return self.chains.iter().any(|known| **known == *chain);
        }
        for at in self.known.len()..self.chains.len() {
            self.known.insert(key(&*self.chains[at]), at);
        }
        let is_it = |at: usize| *self.chains[at] == *chain;
        self.known.find(key(chain), is_it).is_some()
    }

    /// Adds all that `other` depends on, through `link`.
    pub(super) fn through(&mut self, link: &Link, other: Self) {
        self.add(other.via(std::slice::from_ref(link)));
    }

    /// Adds the dependencies through all these links.
    pub(super) fn via(mut self, way: &[Link]) -> Self {
        self.known = Index::default();
        for chain in &mut self.chains {
            let links = &mut Arc::make_mut(chain).links;
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
            chains: reason.into_iter().collect(),
        }
    }

    /// The shortest of the chains of its class, of several the first.
    #[must_use]
    pub fn reason(&self) -> Option<&Chain> {
        self.strong().map(AsRef::as_ref)
    }

    fn strong(&self) -> Option<&Arc<Chain>> {
        let highest = self.chains.iter().filter(|c| c.changes == self.changes);
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
