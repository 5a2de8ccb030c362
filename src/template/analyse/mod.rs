//! One walk over the tree of a program: what it uses and what it prints.
//!
//! It takes every branch, so that what it says is true whatever the values are.

mod ways;
mod uses;
mod scope;
mod expressions;
mod statements;
mod calls;

pub use uses::{Analysis, ExistsUse, NameUse, TemplateUse, Use};
pub use ways::{Flow, MOST_STEPS, Step, StepKind, few};

use super::failure::Failure;
use super::spans::range;
use super::syntax;
use minijinja::machinery::ast::Expr;
use scope::Frame;
use std::collections::BTreeSet;
use ways::Way;

/// Analyses a template. `lists` names the variables that hold documents: `documents`, `entries` and the layer's parts.
///
/// # Errors
/// When it is not well formed.
pub fn template(source: &str, lists: &BTreeSet<String>) -> Result<Analysis, Failure> {
    let tree = syntax::template(source)?;
    let mut walker = Walker::new(source, lists);
    walker.statement(&tree);
    Ok(walker.into_analysis())
}

/// Analyses an expression; `lists` as for [`template`].
///
/// # Errors
/// When it is not well formed.
pub fn expression(source: &str, lists: &BTreeSet<String>) -> Result<Analysis, Failure> {
    let tree = syntax::expression(source)?;
    let mut walker = Walker::new(source, lists);
    let value = walker.expression(&tree, Wanted::Truth);
    walker.print(value.ways);
    Ok(walker.into_analysis())
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
        if self == other { self } else { Self::Other }
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

/// The walk over a program.
struct Walker<'a> {
    source: &'a str,
    /// The names from outside that hold documents.
    lists: &'a BTreeSet<String>,
    /// The names that the program sets.
    frames: Vec<Frame<'a>>,
    /// The number of these that belong to branches.
    branches: usize,
    /// How many of these may have other values where the walk is, or none: a block is also run by `self.NAME()` and by a
    /// parent template.
    apart: usize,
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
    fn new(source: &'a str, lists: &'a BTreeSet<String>) -> Self {
        Self {
            source,
            lists,
            frames: vec![Frame::new()],
            branches: 0,
            apart: 0,
            deferred: 0,
            late: BTreeSet::new(),
            top: BTreeSet::new(),
            printed: Vec::new(),
            block: Vec::new(),
            left: ways::MOST_COPIES,
            reached: BTreeSet::new(),
            out: Analysis::default(),
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
