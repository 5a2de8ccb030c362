//! The uses of a program: names, attributes, filters, tests, functions, files, layers and templates.

use super::ways::{Flow, Way};
use super::{Kind, Walker, string};
use crate::diagnostic::LITERAL_REQUIRED;
use crate::template::builtin::FUNCTIONS;
use crate::template::failure::Failure;
use crate::template::spans::range;
use minijinja::machinery::ast::{self, BinOpKind, CallArg, Expr, Spanned};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A name and its position.
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

/// The uses of a program.
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
    /// An argument that must be a literal and is not.
    pub problems: Vec<Failure>,
    /// The texts that names are compared with.
    pub compared: BTreeMap<String, BTreeSet<String>>,
    /// The names from outside that reach the output, and on which way; of an expression, what its value is made of.
    pub printed: Vec<Flow>,
    /// The names that are only tested for existence or truth, by the byte at which they begin.
    pub asked: BTreeSet<usize>,
}

/// The most ways to the output that are recorded; beyond that, one for each name.
const MOST_PRINTED: usize = 2_000;

/// A name at the start of `range`, before its arguments.
fn named(name: &str, range: &Range<usize>) -> Use {
    Use {
        name: name.to_owned(),
        range: range.start..range.start + name.len(),
    }
}

fn not_literal(message: &str, range: Range<usize>) -> Failure {
    Failure::new(LITERAL_REQUIRED, message).at(range)
}

impl Analysis {
    /// Notes the texts that a name is compared with.
    fn compare(&mut self, a: &Expr<'_>, b: &Expr<'_>) {
        for (name, with) in [(a, b), (b, a)] {
            if let (Expr::Var(name), Some(value)) = (name, with.as_const()) {
                let texts = self.compared.entry(name.id.to_owned()).or_default();
                match value.as_str() {
                    Some(text) => drop(texts.insert(text.to_owned())),
                    None => {
                        let items = value.try_iter().into_iter().flatten();
                        texts.extend(items.filter_map(|i| i.as_str().map(str::to_owned)));
                    }
                }
            }
        }
    }

    fn exists(&mut self, s: &Spanned<ast::Call<'_>>, source: &str) {
        let literal = |e: &Expr<'_>| string(e, source).map(|u| u.name);
        let found = match s.args.as_slice() {
            [CallArg::Pos(file)] => literal(file).map(|f| (f, "workspace".to_owned())),
            [
                CallArg::Pos(file),
                CallArg::Pos(root) | CallArg::Kwarg("root", root),
            ] => literal(file).zip(literal(root)),
            _ => None,
        };
        let range = range(s.span());
        match found {
            Some((file, root)) => self.exists.push(ExistsUse { file, root, range }),
            None => self.problems.push(not_literal(
                "exists() takes a quoted file name and perhaps root=\"…\"",
                range,
            )),
        }
    }

    fn loaded(&mut self, s: &Spanned<ast::Call<'_>>, source: &str) {
        let layer = match s.args.as_slice() {
            [CallArg::Pos(layer)] => string(layer, source),
            _ => None,
        };
        match layer {
            Some(layer) => self.loaded.push(layer),
            None => self.problems.push(not_literal(
                "loaded() takes the quoted name of one layer",
                range(s.span()),
            )),
        }
    }

    /// Filters and tests that are named in arguments: `map('upper')`, `select('odd')`, `selectattr('x', 'eq', 1)`.
    fn filter_names(&mut self, s: &ast::Filter<'_>, source: &str) {
        let at = |i: usize| match s.args.get(i) {
            Some(CallArg::Pos(e)) => string(e, source),
            _ => None,
        };
        match s.name {
            "map" => self.filters.extend(at(0)),
            "select" | "reject" => self.tests.extend(at(0)),
            "selectattr" | "rejectattr" => self.tests.extend(at(1)),
            _ => {}
        }
    }

    /// Attributes that are named in arguments: `map(attribute='name')`, `groupby('dir')`.
    fn filter_attributes(&mut self, s: &ast::Filter<'_>, source: &str) {
        let placed = match s.name {
            "groupby" | "selectattr" | "rejectattr" | "sum" => Some(0),
            "join" => Some(1),
            _ => None,
        };
        for (i, arg) in s.args.iter().enumerate() {
            let value = match arg {
                CallArg::Pos(e) if Some(i) == placed => e,
                CallArg::Kwarg("attribute", e) => e,
                _ => continue,
            };
            let Some(written) = string(value, source) else {
                continue;
            };
            let mut at = written.range.start;
            for key in written.name.split(',') {
                let name = key.split('.').next().unwrap_or_default();
                let start = at + (name.len() - name.trim_start().len());
                self.attributes.push(Use {
                    name: name.trim().to_owned(),
                    range: start..start + name.trim().len(),
                });
                at += key.len() + 1;
            }
        }
    }
}

impl<'a> Walker<'a> {
    /// Notes a name that is taken from outside. Its way begins here.
    pub(super) fn read(&mut self, name: &'a str, range: Range<usize>, maybe_set: bool) -> Way<'a> {
        self.out.names.push(NameUse {
            name: name.to_owned(),
            range: range.clone(),
            maybe_set,
        });
        if self.deferred > 0 {
            self.late.insert(self.out.names.len() - 1);
        }
        Way::new(name, range)
    }

    pub(super) fn print(&mut self, ways: Vec<Way<'a>>) {
        for way in ways {
            if self.reached.insert(way.name()) || self.printed.len() < MOST_PRINTED {
                self.printed.push(way);
            }
        }
    }

    /// Notes what is compared in `left OP right`.
    pub(super) fn use_comparison(&mut self, s: &'a ast::BinOp<'a>) {
        if matches!(s.op, BinOpKind::Eq | BinOpKind::Ne | BinOpKind::In) {
            self.out.compare(&s.left, &s.right);
        }
    }

    pub(super) fn use_test(&mut self, s: &'a ast::Test<'a>, whole: &Range<usize>) {
        self.out.tests.push(named(s.name, whole));
        if let ("eq" | "ne" | "in" | "equalto" | "==" | "!=", [CallArg::Pos(other)]) =
            (s.name, s.args.as_slice())
        {
            self.out.compare(&s.expr, other);
        }
    }

    /// Notes an attribute, if it is one of a document.
    pub(super) fn use_attribute(&mut self, of: Kind, used: impl FnOnce() -> Option<Use>) {
        if of == Kind::Document {
            self.out.attributes.extend(used());
        }
    }

    /// Notes a filter of a value of this kind.
    pub(super) fn use_filter(&mut self, s: &'a ast::Filter<'a>, of: Kind, whole: &Range<usize>) {
        self.out.filters.push(named(s.name, whole));
        self.out.filter_names(s, self.source);
        if of == Kind::Documents {
            self.out.filter_attributes(s, self.source);
        }
    }

    /// Notes a call of `name`, if that is a function.
    pub(super) fn use_function(
        &mut self,
        name: &Spanned<ast::Var<'a>>,
        s: &Spanned<ast::Call<'a>>,
    ) {
        let (source, at) = (self.source, range(name.span()));
        if self.is_local(name.id) {
            return;
        }
        if self.deferred > 0 && !FUNCTIONS.contains(&name.id) {
            // Perhaps a macro that is defined further down.
            self.read(name.id, at, false);
            return;
        }
        self.out.functions.push(Use {
            name: name.id.to_owned(),
            range: at,
        });
        match name.id {
            "exists" => self.out.exists(s, source),
            "loaded" => self.out.loaded(s, source),
            _ => {}
        }
    }

    /// Notes the templates that a name may refer to.
    pub(super) fn use_templates(&mut self, name: &'a Expr<'a>, may_be_missing: bool) {
        let (items, several) = match name {
            Expr::List(list) => (list.items.as_slice(), true),
            Expr::Tuple(tuple) => (tuple.items.as_slice(), true),
            _ => (std::slice::from_ref(name), false),
        };
        for item in items {
            let Some(used) = string(item, self.source) else {
                self.value(item);
                let message = "a template is named by a plain quoted name";
                let problem = not_literal(message, range(item.span()));
                self.out.problems.push(problem);
                continue;
            };
            self.out.templates.push(TemplateUse {
                name: used.name,
                range: used.range,
                may_be_missing: may_be_missing || several,
            });
        }
    }
}
