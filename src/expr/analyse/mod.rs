//! What a program uses, told from its source alone: names, attributes of documents, filters, files, layers, templates.

mod calls;
mod statements;
mod values;

use super::failure::Failure;
use super::syntax;
use minijinja::machinery::ast::{CallArg, Expr};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

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
}

/// Analyses a template. `lists` names the variables that hold documents: `documents`, `entries` and the layer's parts.
///
/// # Errors
/// When it is not well formed.
pub fn template(source: &str, lists: &BTreeSet<String>) -> Result<Analysis, Failure> {
    let tree = syntax::template(source)?;
    let mut walker = Walker::new(source, lists);
    walker.statement(&tree);
    Ok(walker.finish())
}

/// Analyses an expression; `lists` as for [`template`].
///
/// # Errors
/// When it is not well formed.
pub fn expression(source: &str, lists: &BTreeSet<String>) -> Result<Analysis, Failure> {
    let tree = syntax::expression(source)?;
    let mut walker = Walker::new(source, lists);
    walker.expression(&tree);
    Ok(walker.finish())
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

/// The names of one block. A name that is set on every way here is surely set, else maybe.
#[derive(Debug, Clone, Default)]
struct Frame {
    surely: BTreeMap<String, Kind>,
    maybe: BTreeSet<String>,
}

struct Walker<'s> {
    source: &'s str,
    lists: &'s BTreeSet<String>,
    frames: Vec<Frame>,
    /// Macro and block bodies run later, when names set anywhere at the top may be there.
    deferred: usize,
    /// How many frames stand around the innermost block. It is also run where none of their names is set: by `self.NAME()`
    /// and by a parent template.
    around_block: usize,
    /// Uses in such bodies, to be marked once all names are known.
    late: BTreeSet<usize>,
    /// Names set at the top.
    top: BTreeSet<String>,
    out: Analysis,
}

impl<'s> Walker<'s> {
    fn new(source: &'s str, lists: &'s BTreeSet<String>) -> Self {
        Self {
            source,
            lists,
            frames: vec![Frame::default()],
            deferred: 0,
            around_block: 0,
            late: BTreeSet::new(),
            top: BTreeSet::new(),
            out: Analysis::default(),
        }
    }

    fn finish(mut self) -> Analysis {
        for index in &self.late {
            let used = &mut self.out.names[*index];
            used.maybe_set |= self.top.contains(&used.name);
        }
        self.out
    }

    fn bind(&mut self, name: &str, kind: Kind) {
        self.out.sets.insert(name.to_owned());
        if self.frames.len() == 1 {
            self.top.insert(name.to_owned());
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.surely.insert(name.to_owned(), kind);
        }
    }

    fn within(&mut self, walk: impl FnOnce(&mut Self)) {
        self.frames.push(Frame::default());
        walk(self);
        self.frames.pop();
    }

    fn later(&mut self, walk: impl FnOnce(&mut Self)) {
        self.deferred += 1;
        self.within(walk);
        self.deferred -= 1;
    }

    fn name(&mut self, name: &str, range: Range<usize>) {
        let sure = |f: &Frame| f.surely.contains_key(name);
        let (around, own) = self.frames.split_at(self.around_block);
        if own.iter().any(sure) {
            return;
        }
        let maybe_set =
            around.iter().any(sure) || self.frames.iter().any(|f| f.maybe.contains(name));
        self.read(name, range, maybe_set);
    }

    fn read(&mut self, name: &str, range: Range<usize>, maybe_set: bool) {
        if self.deferred > 0 {
            self.late.insert(self.out.names.len());
        }
        self.out.names.push(NameUse {
            name: name.to_owned(),
            range,
            maybe_set,
        });
    }

    fn kind_of_name(&self, name: &str) -> Kind {
        let known = self.frames.iter().rev().find_map(|f| f.surely.get(name));
        match known {
            Some(kind) => *kind,
            None if self.frames.iter().any(|f| f.maybe.contains(name)) => Kind::Other,
            None if self.lists.contains(name) => Kind::Documents,
            None => Kind::Other,
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
