//! What a program uses and prints, found in one walk over its tree: names, attributes of documents, filters, files, layers,
//! templates, and the way of each value to the output.
//!
//! The walk knows nothing of facts and takes every branch. Which branches a build can take is asked of [`super::trial`].

mod calls;
mod scope;
mod statements;
mod values;
mod ways;

pub use ways::{Flow, MOST_STEPS, Step, StepKind, few};

use super::failure::Failure;
use super::syntax;
use minijinja::machinery::ast::{CallArg, Expr, Stmt};
use scope::Frame;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use ways::Way;

/// A name, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The name.
    pub name: String,
    /// Bytes in the source.
    pub range: Range<usize>,
}

/// A variable that the program takes from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUse {
    /// The name.
    pub name: String,
    /// Bytes in the source.
    pub range: Range<usize>,
    /// The program itself sets it on some way to this place, so it need not exist outside.
    pub maybe_set: bool,
}

/// A call of `exists()`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistsUse {
    /// The file, inside its root.
    pub file: String,
    /// The root; `workspace` if none is written.
    pub root: String,
    /// Bytes of the call in the source.
    pub range: Range<usize>,
}

/// A template that is included, extended or imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateUse {
    /// Its name as written.
    pub name: String,
    /// Bytes of the name in the source, inside the quotes.
    pub range: Range<usize>,
    /// `ignore missing`, or one of several to try.
    pub may_be_missing: bool,
}

/// What a program uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Variables that it takes from outside, in order. Functions are not among them.
    pub names: Vec<NameUse>,
    /// Attributes of values that are known to be documents.
    pub attributes: Vec<Use>,
    /// Filters.
    pub filters: Vec<Use>,
    /// Tests.
    pub tests: Vec<Use>,
    /// Functions that it does not define itself.
    pub functions: Vec<Use>,
    /// Calls of `exists()`.
    pub exists: Vec<ExistsUse>,
    /// Layers named in `loaded()`.
    pub loaded: Vec<Use>,
    /// Templates that it includes, extends or imports.
    pub templates: Vec<TemplateUse>,
    /// Names that it sets anywhere. Templates that it includes or extends can see them.
    pub sets: BTreeSet<String>,
    /// What must be a literal and is not.
    pub problems: Vec<Failure>,
    /// The texts that names are compared with.
    pub compared: BTreeMap<String, BTreeSet<String>>,
    /// The names from outside that reach the output, and on which way; of an expression, what its value is made of.
    pub printed: Vec<Flow>,
    /// Where names are only asked whether they are there or true, by the byte at which they begin.
    pub asked: BTreeSet<usize>,
    /// Whether it prints text of its own that is not blank, whatever the values are.
    pub prints_text: bool,
}

/// Analyses a template. `lists` names the variables that hold documents: `documents`, `entries` and the layer's parts.
///
/// # Errors
/// When it is not well formed.
pub fn template(source: &str, lists: &BTreeSet<String>) -> Result<Analysis, Failure> {
    let tree = syntax::template(source)?;
    let mut walker = Walker::new(source, lists);
    walker.statement(&tree);
    walker.out.prints_text = prints_text(&tree);
    Ok(walker.finish())
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
    Ok(walker.finish())
}

fn prints_text(tree: &Stmt<'_>) -> bool {
    match tree {
        Stmt::Template(s) => s.children.iter().any(prints_text),
        Stmt::EmitRaw(s) => !s.raw.trim().is_empty(),
        _ => false,
    }
}

/// What is known of a value.
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

/// How many ways to the output are kept at most; of more, one for each name.
const MOST_PRINTED: usize = 2_000;

struct Walker<'s> {
    source: &'s str,
    lists: &'s BTreeSet<String>,
    frames: Vec<Frame<'s>>,
    /// How many of these are of branches.
    branches: usize,
    /// Macro and block bodies run later, when names set anywhere at the top may be there.
    deferred: usize,
    /// How many frames stand around the innermost block. It is also run where none of their names is set: by `self.NAME()`
    /// and by a parent template.
    around_block: usize,
    /// Uses in such bodies, to be marked once all names are known.
    late: BTreeSet<usize>,
    /// Names set at the top.
    top: BTreeSet<&'s str>,
    /// What is printed where the walk is: to the output, or into a name.
    printed: Vec<Way<'s>>,
    /// What the block prints whose filters are walked.
    block: Vec<Way<'s>>,
    /// How many ways may still be copied or lengthened.
    left: usize,
    /// The names that reached the output.
    reached: BTreeSet<&'s str>,
    out: Analysis,
}

impl<'s> Walker<'s> {
    fn new(source: &'s str, lists: &'s BTreeSet<String>) -> Self {
        Self {
            source,
            lists,
            frames: vec![Frame::default()],
            branches: 0,
            deferred: 0,
            around_block: 0,
            late: BTreeSet::new(),
            top: BTreeSet::new(),
            printed: Vec::new(),
            block: Vec::new(),
            left: ways::MOST_COPIES,
            reached: BTreeSet::new(),
            out: Analysis::default(),
        }
    }

    fn finish(mut self) -> Analysis {
        for index in &self.late {
            let used = &mut self.out.names[*index];
            used.maybe_set |= self.top.contains(&*used.name);
        }
        self.out.printed = self.printed.into_iter().map(Way::into_flow).collect();
        self.out
    }

    fn print(&mut self, ways: Vec<Way<'s>>) {
        for way in ways {
            if self.reached.insert(way.name) || self.printed.len() < MOST_PRINTED {
                self.printed.push(way);
            }
        }
    }
}

pub(super) fn range(span: minijinja::machinery::Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

/// The value of an argument, however it is given.
pub(super) fn argument<'e, 's>(arg: &'e CallArg<'s>) -> &'e Expr<'s> {
    let (CallArg::Pos(e) | CallArg::Kwarg(_, e) | CallArg::PosSplat(e) | CallArg::KwargSplat(e)) =
        arg;
    e
}

/// A name that stands at the start of `range`, before its arguments.
fn named(name: &str, range: Range<usize>) -> Use {
    Use {
        name: name.to_owned(),
        range: range.start..range.start + name.len(),
    }
}

/// A string literal, with the bytes inside its quotes (or all of it, if it holds escapes).
pub(super) fn string(expr: &Expr<'_>, source: &str) -> Option<Use> {
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
