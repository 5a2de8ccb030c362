//! One abstract interpreter over the tree of a program: what it uses and prints, what surely fails, and which way each test
//! goes.
//!
//! It runs a program on what is known of its names instead of on values. [`template`] and [`expression`] know nothing and
//! take every branch: what they find stands in the plan. A [`AbstractEnv`] knows something of the names, so that some tests go
//! one way only; macros are then run where they are called, and included templates where they stand. What is not known
//! stays so: a test whose truth hangs on it takes both ways. What is told of a setting is therefore true of every build in
//! which the names are as they are assumed to be.

mod abstract_value;
mod atom;
mod ways;
mod uses;
mod scope;
mod abstract_env;
mod expressions;
mod chain;
mod statements;
mod calls;

pub use abstract_env::{AbstractEnv, Common, Let, Loaded, Outcome, Shown, TestPlace};
pub use abstract_value::AbstractValue;
pub use uses::{Analysis, ExistsUse, Guarded, NameUse, TemplateUse, Use};
pub use ways::{Flow, MOST_STEPS, Step, StepKind, few};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use super::expr_span::range;
use super::failure::Failure;
use super::syntax;
use atom::Assumed;
use minijinja::machinery::ast::{Block, Expr, Macro, Stmt};
use scope::Frame;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use ways::Way;

/// A program that was read once, to be run often.
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

    fn as_expression(&self) -> Option<&Expr<'s>> {
        match &self.tree {
            Tree::Expression(expr) => Some(expr),
            Tree::Template(_) => None,
        }
    }

    /// What it uses and prints, whatever its names are.
    fn analysis(&self, lists: &BTreeSet<String>) -> Analysis {
        let mut walker = Walker::of_all(self.source, lists);
        // Where nothing is known nothing surely fails.
        let _ = match &self.tree {
            Tree::Template(tree) => walker.statement(tree),
            Tree::Expression(expr) => walker
                .expression(expr, Wanted::Truth)
                .map(|value| walker.print(value.ways)),
        };
        walker.into_analysis()
    }
}

/// Analyses a template. `lists` names the variables that hold documents: `documents`, `entries` and the layer's parts.
///
/// # Errors
/// When it is not well formed.
pub fn template(source: &str, lists: &BTreeSet<String>) -> Result<Analysis, Failure> {
    Ok(Code::template(source)?.analysis(lists))
}

/// Analyses an expression; `lists` as for [`template`].
///
/// # Errors
/// When it is not well formed.
pub fn expression(source: &str, lists: &BTreeSet<String>) -> Result<Analysis, Failure> {
    Ok(Code::expression(source)?.analysis(lists))
}

/// What kind of thing a value is, as far as that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    Document,
    /// A list of documents.
    Documents,
    /// What `groupby` makes of a list of documents: pairs of a value and a list.
    Groups,
    /// One such pair.
    Group,
    #[default]
    Other,
}

impl Kind {
    /// What is known of a value that is of either kind.
    fn or(self, other: Self) -> Self {
        match self == other {
            true => self,
            false => Self::Other,
        }
    }
}

/// What an expression is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Its value.
    Value,
    /// Whether it is true, or there.
    Truth,
}

/// Statements that one run in a setting may take.
const FUEL: usize = 20_000;

/// What stands in a template: its name, if it is another than the one that was begun with, its source, and the part.
type Part<'a, T> = (Option<&'a str>, &'a str, &'a T);

/// What runs a program.
#[derive(Default)]
struct Walker<'a> {
    source: &'a str,
    /// The template that is run, if it is another than the one that was begun with.
    template: Option<&'a str>,
    /// What is known of the names from outside. If nothing is, every branch is taken, and what the program uses is written
    /// down; else what fails and which way tests go.
    setting: Option<&'a AbstractEnv<'a>>,
    /// The names from outside that hold documents, where nothing else is known of them.
    lists: Option<&'a BTreeSet<String>>,
    /// The names that the program sets.
    frames: Vec<Frame<'a>>,
    /// How many of these are of branches.
    branches: usize,
    /// How many of these may have other values where the walk is, or none: a block is also run by `self.NAME()` and by a
    /// parent template, and a macro is made elsewhere.
    apart: usize,
    /// What holds in the branches around, besides what the setting assumes.
    assumed: Rc<Assumed>,
    /// Whether nothing is written down of what fails and of tests.
    unseen: bool,
    /// How many templates and macros are run inside each other.
    depth: usize,
    /// How many statements may still be run.
    fuel: usize,
    /// The macros that were met, where they are run.
    macros: BTreeMap<&'a str, Part<'a, Macro<'a>>>,
    /// Those of them that are a value somewhere, by which they may be called with anything.
    handed_on: BTreeSet<&'a str>,
    /// The blocks of templates that extend others.
    blocks: BTreeMap<&'a str, Part<'a, Block<'a>>>,
    shown: Shown,
    /// Macro and block bodies run later, when names set anywhere at the top may be there.
    deferred: usize,
    /// Uses in such bodies, to be marked once all names are known.
    late: BTreeSet<usize>,
    /// Names set at the top.
    top: BTreeSet<&'a str>,
    /// What is printed where the walk is: to the output, or into a name.
    printed: Vec<Way<'a>>,
    /// What the block prints whose filters are walked.
    block: Vec<Way<'a>>,
    /// How many ways may still be copied or lengthened.
    left: usize,
    /// The names that reached the output.
    reached: BTreeSet<&'a str>,
    out: Analysis,
}

impl<'a> Walker<'a> {
    /// What takes every branch. `lists` are the names that hold documents.
    fn of_all(source: &'a str, lists: &'a BTreeSet<String>) -> Self {
        Self {
            source,
            lists: Some(lists),
            frames: vec![Frame::new()],
            unseen: true,
            fuel: usize::MAX,
            left: ways::MOST_COPIES,
            ..Self::default()
        }
    }

    /// What takes the branches that this setting leaves open.
    fn of(source: &'a str, setting: &'a AbstractEnv<'a>) -> Self {
        Self {
            source,
            setting: Some(setting),
            frames: vec![Frame::new()],
            assumed: setting.assumed.clone(),
            fuel: FUEL,
            ..Self::default()
        }
    }

    /// Where uses are written down, if they are.
    fn uses(&mut self) -> Option<&mut Analysis> {
        match self.setting {
            None => Some(&mut self.out),
            Some(_) => None,
        }
    }

    fn into_analysis(mut self) -> Analysis {
        for index in &self.late {
            let used = &mut self.out.names[*index];
            used.maybe_set |= self.top.contains(&*used.name);
        }
        self.out.printed = self.printed.into_iter().map(Way::into_flow).collect();
        self.out
    }
}

/// A string literal, with the bytes inside its quotes (or all of it, if it holds escapes).
fn string(expr: &Expr<'_>, source: &str) -> Option<Use> {
    let Expr::Const(constant) = expr else {
        return None;
    };
    let name = constant.value.as_str()?.to_owned();
    let whole = range(constant.span());
    let inner = whole.start + 1..whole.end.saturating_sub(1);
    let plain = source.get(inner.clone()) == Some(&name);
    Some(Use {
        name,
        range: if plain { inner } else { whole },
    })
}
