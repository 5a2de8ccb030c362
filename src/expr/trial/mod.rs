//! Programs run on what is known of their names instead of on values: what surely fails, and which way each test goes.
//!
//! What is not known stays so: a test whose truth hangs on it takes both ways. What is told is therefore true of every
//! build in which the names are as they are assumed to be.

mod known;
mod atom;
mod chain;
mod expression;
mod statement;

pub use known::Known;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use super::failure::Failure;
use super::syntax;
use atom::Assumed;
use expression::Walker;
use minijinja::machinery::ast::{Expr, Stmt};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A program that was read once, to be tried often.
pub struct Code<'s> {
    source: &'s str,
    tree: Tree<'s>,
}

enum Tree<'s> {
    Expression(Expr<'s>),
    Template(Stmt<'s>),
}

impl fmt::Debug for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Code").field(&self.source).finish()
    }
}

impl<'s> Code<'s> {
    /// Reads an expression.
    ///
    /// # Errors
    /// When it is not well formed.
    pub fn expression(source: &'s str) -> Result<Self, Failure> {
        let tree = Tree::Expression(syntax::expression(source)?);
        Ok(Self { source, tree })
    }

    /// Reads a template.
    ///
    /// # Errors
    /// When it is not well formed.
    pub fn template(source: &'s str) -> Result<Self, Failure> {
        let tree = Tree::Template(syntax::template(source)?);
        Ok(Self { source, tree })
    }
}

/// A let, read once.
#[derive(Debug)]
pub struct Let<'p> {
    /// Its expression.
    pub code: Code<'p>,
    /// The facts and lets that it reads.
    pub reads: &'p [Arc<str>],
}

/// What is common to all settings of a manifest.
#[derive(Clone, Copy)]
pub struct Common<'p> {
    /// The facts.
    pub facts: &'p BTreeMap<&'p str, Known>,
    /// The lets, which are computed from them.
    pub lets: &'p BTreeMap<&'p str, Let<'p>>,
    /// The templates, by the names that others include them by.
    pub templates: &'p BTreeMap<&'p str, Code<'p>>,
    /// What answers `loaded()`.
    pub loaded: &'p dyn Loaded,
}

/// What answers `loaded()`.
pub trait Loaded {
    /// What is known of the answer for a layer.
    fn loaded(&self, layer: &str, setting: &Setting<'_>) -> Known;
}

/// Of how many layers one setting works out whether they are loaded. The conditions of those can ask for others, and every
/// program of a manifest has a setting of its own; of the rest nothing is known.
const MAX_LOADED: usize = 32;

/// How many lets may wait for each other to be computed: a chain of them can be as long as a manifest, and the stack cannot.
const MAX_NESTED: usize = 64;

/// What is known where a program runs.
#[derive(Clone)]
pub struct Setting<'p> {
    /// What is common to all settings of a manifest.
    common: Common<'p>,
    /// The facts of which more is known here.
    facts: BTreeMap<&'p str, Known>,
    /// Conditions that hold or do not.
    assumed: Assumed,
    /// Lets that were computed.
    computed: RefCell<BTreeMap<String, Known>>,
    /// The layers of which it was asked whether they are loaded.
    asked: Cell<usize>,
    /// How many lets are being computed.
    nested: Cell<usize>,
}

impl fmt::Debug for Setting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setting")
            .field("facts", &self.facts)
            .field("assumed", &self.assumed)
            .finish_non_exhaustive()
    }
}

/// A test in a program: of an `if`, `elif` or inline `if`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The template that it stands in, by name; none if that is the program itself.
    pub template: Option<String>,
    /// Where it begins in its source.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Place {
    /// The bytes that it covers.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Which ways a test went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// When it was reached; none if it may go either way.
    pub reached: BTreeSet<Option<bool>>,
    /// When a test before it in the same chain was true, so that it did not matter.
    pub passed_over: BTreeSet<Option<bool>>,
    /// Whether it is an `elif`.
    pub chained: bool,
}

/// What a run shows.
#[derive(Debug, Default)]
pub struct Shown {
    /// Where something may fail for want of a value, in order.
    pub failures: Vec<Place>,
    /// The tests, by place.
    pub tests: BTreeMap<Place, Outcome>,
    /// It took too long, and not all of it was seen.
    pub cut_short: bool,
}

impl<'p> Setting<'p> {
    /// A setting in which more is known of `facts`.
    #[must_use]
    pub fn new(common: Common<'p>, facts: BTreeMap<&'p str, Known>) -> Self {
        Self {
            common,
            facts,
            assumed: Assumed::default(),
            computed: RefCell::default(),
            asked: Cell::new(0),
            nested: Cell::new(0),
        }
    }

    /// What is known of a name.
    #[must_use]
    pub fn name(&self, name: &str) -> Known {
        let here = self.facts.get(name);
        if let Some(known) = here.or_else(|| self.common.facts.get(name)) {
            return known.clone();
        }
        if let Some(known) = self.computed.borrow().get(name) {
            return known.clone();
        }
        let Some(item) = self.common.lets.get(name) else {
            return Known::Anything;
        };
        let nested = self.nested.get();
        if nested == MAX_NESTED {
            self.compute_behind(item);
        }
        self.nested.set(nested + 1);
        let known = self.compute(name, &item.code);
        self.nested.set(nested);
        known
    }

    fn compute(&self, name: &str, code: &Code<'_>) -> Known {
        let known = self.value(code).unwrap_or(Known::Anything);
        let mut computed = self.computed.borrow_mut();
        computed.insert(name.to_owned(), known.clone());
        known
    }

    /// Computes the lets behind one, each after those that it reads, so that none of them waits for another.
    fn compute_behind(&self, item: &Let<'p>) {
        let read_by = |item: &Let<'p>| item.reads.iter().map(|name| (&**name, false));
        let mut open: Vec<(&str, bool)> = read_by(item).collect();
        let mut met = BTreeSet::new();
        while let Some((name, is_read)) = open.pop() {
            let Some(item) = self.common.lets.get(name) else {
                continue;
            };
            if is_read {
                self.compute(name, &item.code);
            } else if !self.computed.borrow().contains_key(name) && met.insert(name) {
                open.push((name, true));
                open.extend(read_by(item));
            }
        }
    }

    /// What is known of the answer of `loaded()`.
    fn loaded(&self, layer: &str) -> Known {
        // No name of a let holds a bracket.
        let key = format!("loaded({layer})");
        if let Some(known) = self.computed.borrow().get(&key) {
            return known.clone();
        }
        let asked = self.asked.get();
        if asked >= MAX_LOADED {
            return Known::Present;
        }
        self.asked.set(asked + 1);
        let known = self.common.loaded.loaded(layer, self);
        self.computed.borrow_mut().insert(key, known.clone());
        known
    }

    /// The value of an expression; none if it fails.
    #[must_use]
    pub fn value(&self, code: &Code<'_>) -> Option<Known> {
        let mut walker = Walker::new(code.source, None, self);
        match &code.tree {
            Tree::Expression(expr) => walker.value(expr).ok(),
            Tree::Template(_) => None,
        }
    }

    /// Whether a condition holds, if that is known. One that fails does not: nothing is built then.
    #[must_use]
    pub fn holds(&self, code: &Code<'_>) -> Option<bool> {
        match &code.tree {
            Tree::Expression(expr) => {
                let mut walker = Walker::new(code.source, None, self);
                walker.truth(expr).unwrap_or(Some(false))
            }
            Tree::Template(_) => None,
        }
    }

    /// Takes it that a condition holds, or that it does not.
    pub fn assume(&mut self, code: &Code<'_>, truth: bool) {
        if let Tree::Expression(expr) = &code.tree {
            self.assumed.assume(expr, truth, &|_| false);
            self.computed.borrow_mut().clear();
            self.asked.set(0);
        }
    }

    /// Runs a program and tells what there is to see.
    #[must_use]
    pub fn run(&self, code: &Code<'_>) -> Shown {
        let mut walker = Walker::new(code.source, None, self);
        // What fails has been written down.
        let _ = match &code.tree {
            Tree::Expression(expr) => walker.value(expr).map(drop),
            Tree::Template(tree) => walker.statement(tree),
        };
        walker.shown
    }
}
