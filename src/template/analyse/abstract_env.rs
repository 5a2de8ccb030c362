//! The values of names where a program runs, as far as they are known, and the results of a run.

use super::abstract_value::AbstractValue;
use super::atom::Assumed;
use super::{Code, Tree, Walker};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// A let, read once.
#[derive(Debug)]
pub struct Let<'p> {
    /// Its expression.
    pub code: Rc<Code<'p>>,
    /// The facts and lets that it reads.
    pub reads: &'p [Arc<str>],
}

/// The part shared by all environments of a manifest.
#[derive(Clone, Copy)]
pub struct Common<'p> {
    /// The facts.
    pub facts: &'p BTreeMap<&'p str, AbstractValue>,
    /// The lets, which are computed from them.
    pub lets: &'p BTreeMap<&'p str, Let<'p>>,
    /// The templates, by the names that others include them by.
    pub templates: &'p BTreeMap<&'p str, Code<'p>>,
    /// The answers of `loaded()`.
    pub loaded: &'p dyn Loaded,
}

/// The answers of `loaded()`.
pub trait Loaded {
    /// The known answer for a layer.
    fn loaded(&self, layer: &str, setting: &AbstractEnv<'_>) -> AbstractValue;
}

/// Of how many layers one setting works out whether they are loaded. The conditions of those can ask for others, and every
/// program of a manifest has a setting of its own; of the rest nothing is known.
const MAX_LOADED: usize = 32;

/// The most lets that may wait for each other to be computed: a chain of them can be as long as a manifest, and the stack cannot.
const MAX_NESTED: usize = 64;

/// The most lets that one condition is followed into.
const MAX_FOLLOWED: usize = 8;

/// The known values where a program runs.
#[derive(Clone)]
pub struct AbstractEnv<'p> {
    /// The part shared by all environments of a manifest.
    pub(super) common: Common<'p>,
    /// The facts of which more is known here.
    facts: BTreeMap<&'p str, AbstractValue>,
    /// Conditions that hold or do not.
    pub(super) assumed: Rc<Assumed>,
    /// Lets that were computed.
    computed: RefCell<BTreeMap<String, AbstractValue>>,
    /// The number of calls of `loaded()`.
    asked: Cell<usize>,
    /// The number of lets that are being computed.
    nested: Cell<usize>,
}

impl fmt::Debug for AbstractEnv<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbstractEnv")
            .field("facts", &self.facts)
            .field("assumed", &self.assumed)
            .finish_non_exhaustive()
    }
}

/// A test in a program: of an `if`, `elif` or inline `if`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestPlace {
    /// The current template, by name; none if that is the program itself.
    pub template: Option<String>,
    /// Where it begins in its source.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl TestPlace {
    /// The bytes that it covers.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The outcomes of a test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// When it was reached; none if it may go either way.
    pub reached: BTreeSet<Option<bool>>,
    /// When a test before it in the same chain was true, so that it did not matter.
    pub passed_over: BTreeSet<Option<bool>>,
}

/// The results of a run.
#[derive(Debug, Default)]
pub struct Shown {
    /// Where something may fail for want of a value, in order.
    pub failures: Vec<TestPlace>,
    /// The tests, by place.
    pub tests: BTreeMap<TestPlace, Outcome>,
    /// It took too long, and not all of it was seen.
    pub cut_short: bool,
}

impl<'p> AbstractEnv<'p> {
    /// A setting in which more is known of `facts`.
    #[must_use]
    pub fn new(common: Common<'p>, facts: BTreeMap<&'p str, AbstractValue>) -> Self {
        Self {
            common,
            facts,
            assumed: Rc::default(),
            computed: RefCell::default(),
            asked: Cell::new(0),
            nested: Cell::new(0),
        }
    }

    /// The known value of a name.
    #[must_use]
    pub fn name(&self, name: &str) -> AbstractValue {
        let here = self.facts.get(name);
        if let Some(known) = here.or_else(|| self.common.facts.get(name)) {
            return known.clone();
        }
        if let Some(known) = self.computed.borrow().get(name) {
            return known.clone();
        }
        self.compute(name);
        let computed = self.computed.borrow();
        computed.get(name).cloned().unwrap_or_default()
    }

    /// Computes a let. If too many depend on each other, their dependencies come first, each after those that it reads.
    fn compute(&self, name: &str) {
        let nested = self.nested.get();
        self.nested.set(nested + 1);
        let mut open = vec![(name, nested < MAX_NESTED)];
        while let Some((name, has_all)) = open.pop() {
            let Some(item) = self.common.lets.get(name) else {
                continue;
            };
            if has_all {
                let known = self.value(&item.code).unwrap_or_default();
                self.computed.borrow_mut().insert(name.to_owned(), known);
            } else if !self.computed.borrow().contains_key(name) {
                open.push((name, true));
                open.extend(item.reads.iter().map(|name| (&**name, false)));
            }
        }
        self.nested.set(nested);
    }

    /// The known answer of `loaded()`.
    pub(super) fn loaded(&self, layer: &str) -> AbstractValue {
        // No name of a let holds a bracket.
        let key = format!("loaded({layer})");
        if let Some(known) = self.computed.borrow().get(&key) {
            return known.clone();
        }
        let asked = self.asked.get();
        if asked >= MAX_LOADED {
            return AbstractValue::Present;
        }
        self.asked.set(asked + 1);
        let known = self.common.loaded.loaded(layer, self);
        self.computed.borrow_mut().insert(key, known.clone());
        known
    }

    /// The value of an expression; none if it fails.
    #[must_use]
    pub fn value(&self, code: &Code<'_>) -> Option<AbstractValue> {
        let value = Walker::of(code.source, self).value(code.as_expression()?);
        Some(value.ok()?.known)
    }

    /// Whether a condition holds, if that is known. One that fails does not: nothing is built then.
    #[must_use]
    pub fn holds(&self, code: &Code<'_>) -> Option<bool> {
        let truth = Walker::of(code.source, self).truth(code.as_expression()?);
        truth.unwrap_or(Some(false))
    }

    /// Takes it that a condition holds, or that it does not; what is known of a let is known of its expression.
    pub fn assume(&mut self, code: &Code<'_>, truth: bool) {
        let Some(expr) = code.as_expression() else {
            return;
        };
        let mut named = Vec::new();
        let assumed = Rc::make_mut(&mut self.assumed);
        assumed.assume(expr, truth, &|_| false, &mut named);
        for _ in 0..MAX_FOLLOWED {
            let Some((name, truth)) = named.pop() else {
                break;
            };
            let item = self.common.lets.get(name);
            if let Some(expr) = item.and_then(|item| item.code.as_expression()) {
                assumed.assume(expr, truth, &|_| false, &mut named);
            }
        }
        // Of the others more may be known now.
        let mut computed = self.computed.borrow_mut();
        computed.retain(|_, known| matches!(known, AbstractValue::Value(_)));
        self.asked.set(0);
    }

    /// Runs a program and returns its results.
    #[must_use]
    pub fn run(&self, code: &Code<'_>) -> Shown {
        let mut walker = Walker::of(code.source, self);
        // A failure is recorded.
        let _ = match &code.tree {
            Tree::Expression(expr) => walker.value(expr).map(drop),
            Tree::Template(tree) => walker.statement(tree),
        };
        walker.shown
    }
}
