//! One abstract interpreter over the tree of a program: what it uses and prints, what surely fails, and which way each test
//! goes.
//!
//! It runs a program on the known parts of names instead of on values. [`template`] and [`expression`] know nothing and
//! take every branch: their results are in the plan. An [`AbstractEnv`] knows some names, so that some tests go one way
//! only; macros are then run where they are called, and included templates where they are included. A test whose truth
//! depends on an unknown value takes both ways. So its claims are true of every build in which the names have the
//! assumed values.

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
pub use uses::{Analysis, ExistsUse, NameUse, TemplateUse, Use};
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

    /// The names that it uses and prints, whatever their values.
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

/// The kind of a value, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    Document,
    /// A list of documents.
    Documents,
    /// The result of `groupby` on a list of documents: pairs of a value and a list.
    Groups,
    /// One such pair.
    Group,
    #[default]
    Other,
}

impl Kind {
    /// The known part of a value of either kind.
    fn or(self, other: Self) -> Self {
        match self == other {
            true => self,
            false => Self::Other,
        }
    }
}

/// The purpose of evaluating an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Its value.
    Value,
    /// Whether it is true, or there.
    Truth,
}

/// Statements that one run in a setting may take.
const FUEL: usize = 20_000;

/// A position in a template: its name, if it is not the first one, its source, and the part.
type Part<'a, T> = (Option<&'a str>, &'a str, &'a T);

/// The interpreter of a program.
#[derive(Default)]
struct Walker<'a> {
    source: &'a str,
    /// The template that is run, if it is another than the one that was begun with.
    template: Option<&'a str>,
    /// The known values of the names from outside. If nothing is known, every branch is taken, and the uses of the
    /// program are recorded; else its failures and the outcomes of tests.
    setting: Option<&'a AbstractEnv<'a>>,
    /// The names from outside that hold documents, where nothing else is known of them.
    lists: Option<&'a BTreeSet<String>>,
    /// The names that the program sets.
    frames: Vec<Frame<'a>>,
    /// The number of these that belong to branches.
    branches: usize,
    /// How many of these may have other values where the walk is, or none: a block is also run by `self.NAME()` and by a
    /// parent template, and a macro is made elsewhere.
    apart: usize,
    /// The assumptions of the branches around, besides those of the environment.
    assumed: Rc<Assumed>,
    /// Whether nothing is written down of what fails and of tests.
    unseen: bool,
    /// The number of templates and macros that are run inside each other.
    depth: usize,
    /// The number of statements that may still be run.
    fuel: usize,
    /// The macros that were met, where they are run.
    macros: BTreeMap<&'a str, Part<'a, Macro<'a>>>,
    /// The macros among them that are a value somewhere, by which they may be called with anything.
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
    /// The target of printing: the output, or a name.
    printed: Vec<Way<'a>>,
    /// The output of the block whose filters are walked.
    block: Vec<Way<'a>>,
    /// The number of ways that may still be copied or lengthened.
    left: usize,
    /// The names that reached the output.
    reached: BTreeSet<&'a str>,
    out: Analysis,
}

impl<'a> Walker<'a> {
    /// An interpreter that takes every branch. `lists` are the names that hold documents.
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

    /// An interpreter that takes the branches that this environment leaves open.
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
