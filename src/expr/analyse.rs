//! What a program uses, told from its source alone: names, attributes of documents, filters, files, layers, templates.

use super::builtin::FUNCTIONS;
use super::failure::Failure;
use super::syntax;
use crate::diagnostic::LITERAL_REQUIRED;
use minijinja::machinery::ast::{self, CallArg, Expr, Stmt};
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

    fn statements(&mut self, statements: &[Stmt<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(s) => self.statements(&s.children),
            Stmt::EmitExpr(s) => drop(self.expression(&s.expr)),
            Stmt::EmitRaw(_) | Stmt::Continue(_) | Stmt::Break(_) => {}
            Stmt::ForLoop(s) => self.for_loop(s),
            Stmt::IfCond(s) => self.branches(s),
            Stmt::WithBlock(s) => self.within(|w| {
                for (target, value) in &s.assignments {
                    let kind = w.expression(value);
                    w.target(target, kind);
                }
                w.statements(&s.body);
            }),
            Stmt::Set(s) => {
                let kind = self.expression(&s.expr);
                self.target(&s.target, kind);
            }
            Stmt::SetBlock(s) => {
                self.within(|w| w.statements(&s.body));
                if let Some(filter) = &s.filter {
                    self.expression(filter);
                }
                self.target(&s.target, Kind::Other);
            }
            Stmt::AutoEscape(s) => {
                self.expression(&s.enabled);
                self.within(|w| w.statements(&s.body));
            }
            Stmt::FilterBlock(s) => {
                self.expression(&s.filter);
                self.within(|w| w.statements(&s.body));
            }
            Stmt::Block(s) => self.block(s),
            Stmt::Import(s) => {
                self.template_name(&s.expr, false);
                self.target(&s.name, Kind::Other);
            }
            Stmt::FromImport(s) => {
                self.template_name(&s.expr, false);
                for (name, alias) in &s.names {
                    // What that template does not set is looked up as any other name.
                    if let Expr::Var(var) = name {
                        self.read(var.id, range(var.span()), true);
                    }
                    self.target(alias.as_ref().unwrap_or(name), Kind::Other);
                }
            }
            Stmt::Extends(s) => self.template_name(&s.name, false),
            Stmt::Include(s) => self.template_name(&s.name, s.ignore_missing),
            Stmt::Macro(s) => {
                self.bind(s.name, Kind::Other);
                self.macro_body(s);
            }
            Stmt::CallBlock(s) => {
                self.call(&s.call, range(s.call.span()));
                self.macro_body(&s.macro_decl);
            }
            Stmt::Do(s) => drop(self.call(&s.call, range(s.call.span()))),
        }
    }

    fn block(&mut self, s: &ast::Block<'_>) {
        let around = std::mem::replace(&mut self.around_block, self.frames.len());
        self.later(|w| {
            w.bind_quietly("super");
            w.statements(&s.body);
        });
        self.around_block = around;
    }

    /// Binds a name that is no variable of the template.
    fn bind_quietly(&mut self, name: &str) {
        if let Some(frame) = self.frames.last_mut() {
            frame.surely.insert(name.to_owned(), Kind::Other);
        }
    }

    fn for_loop(&mut self, s: &ast::ForLoop<'_>) {
        let items = match self.expression(&s.iter) {
            Kind::Documents => Kind::Document,
            Kind::Groups => Kind::Group,
            _ => Kind::Other,
        };
        self.within(|w| {
            w.target(&s.target, items);
            if let Some(filter) = &s.filter_expr {
                w.expression(filter);
            }
            w.bind_quietly("loop");
            w.statements(&s.body);
        });
        self.within(|w| w.statements(&s.else_body));
    }

    /// Both branches see what was set before; behind them, what both set is surely set.
    fn branches(&mut self, s: &ast::IfCond<'_>) {
        self.expression(&s.expr);
        let before = self.frames.last().cloned().unwrap_or_default();
        self.statements(&s.true_body);
        let yes = self.frames.last().cloned().unwrap_or_default();
        if let Some(frame) = self.frames.last_mut() {
            *frame = before;
        }
        self.statements(&s.false_body);
        let Some(no) = self.frames.last_mut() else {
            return;
        };
        no.maybe.extend(yes.maybe);
        for (name, kind) in &yes.surely {
            match no.surely.get_mut(name) {
                Some(known) if known != kind => *known = Kind::Other,
                Some(_) => {}
                None => drop(no.maybe.insert(name.clone())),
            }
        }
        let only_here: Vec<String> = no
            .surely
            .keys()
            .filter(|name| !yes.surely.contains_key(*name))
            .cloned()
            .collect();
        for name in only_here {
            no.surely.remove(&name);
            no.maybe.insert(name);
        }
    }

    fn macro_body(&mut self, s: &ast::Macro<'_>) {
        for default in &s.defaults {
            self.expression(default);
        }
        self.later(|w| {
            w.bind_quietly("caller");
            for arg in &s.args {
                w.target(arg, Kind::Other);
            }
            w.statements(&s.body);
        });
    }

    /// Binds what stands left of `=` or `in`.
    fn target(&mut self, target: &Expr<'_>, kind: Kind) {
        match target {
            Expr::Var(var) => self.bind(var.id, kind),
            Expr::List(list) => self.targets(&list.items, kind),
            Expr::Tuple(tuple) => self.targets(&tuple.items, kind),
            // namespace.name: the namespace is only used
            Expr::GetAttr(attr) => drop(self.expression(&attr.expr)),
            other => drop(self.expression(other)),
        }
    }

    fn targets(&mut self, items: &[Expr<'_>], kind: Kind) {
        for (i, item) in items.iter().enumerate() {
            let second_of_group = kind == Kind::Group && i == 1;
            self.target(
                item,
                if second_of_group {
                    Kind::Documents
                } else {
                    Kind::Other
                },
            );
        }
    }

    fn expression(&mut self, expr: &Expr<'_>) -> Kind {
        match expr {
            Expr::Var(var) => {
                self.name(var.id, range(var.span()));
                self.kind_of_name(var.id)
            }
            Expr::Const(_) => Kind::Other,
            Expr::Slice(s) => {
                let kind = self.expression(&s.expr);
                for bound in [&s.start, &s.stop, &s.step].into_iter().flatten() {
                    self.expression(bound);
                }
                if kind == Kind::Documents {
                    kind
                } else {
                    Kind::Other
                }
            }
            Expr::UnaryOp(s) => {
                self.expression(&s.expr);
                Kind::Other
            }
            Expr::BinOp(s) => {
                let (left, right) = (self.expression(&s.left), self.expression(&s.right));
                let chooses = matches!(s.op, ast::BinOpKind::ScAnd | ast::BinOpKind::ScOr);
                if chooses && left == right {
                    left
                } else {
                    Kind::Other
                }
            }
            Expr::Compare(s) => {
                self.expression(&s.expr);
                for op in &s.ops {
                    self.expression(&op.expr);
                }
                Kind::Other
            }
            Expr::IfExpr(s) => {
                self.expression(&s.test_expr);
                let yes = self.expression(&s.true_expr);
                let no = s.false_expr.as_ref().map(|e| self.expression(e));
                if no.is_none_or(|no| no == yes) {
                    yes
                } else {
                    Kind::Other
                }
            }
            Expr::Filter(s) => self.filter(s, range(s.span())),
            Expr::Test(s) => {
                self.expression(&s.expr);
                self.out.tests.push(named(s.name, range(s.span())));
                self.args(&s.args);
                Kind::Other
            }
            Expr::GetAttr(s) => self.get_attribute(s, range(s.span())),
            Expr::GetItem(s) => self.get_item(s),
            Expr::Call(s) => self.call(s, range(s.span())),
            Expr::List(s) => self.all(&s.items),
            Expr::Tuple(s) => self.all(&s.items),
            Expr::Map(s) => {
                self.all(&s.keys);
                self.all(&s.values)
            }
        }
    }

    fn all(&mut self, items: &[Expr<'_>]) -> Kind {
        for item in items {
            self.expression(item);
        }
        Kind::Other
    }

    fn args(&mut self, args: &[CallArg<'_>]) {
        for arg in args {
            let (CallArg::Pos(e)
            | CallArg::Kwarg(_, e)
            | CallArg::PosSplat(e)
            | CallArg::KwargSplat(e)) = arg;
            self.expression(e);
        }
    }

    fn get_attribute(&mut self, s: &ast::GetAttr<'_>, range: Range<usize>) -> Kind {
        if matches!(&s.expr, Expr::Var(v) if v.id == "self") {
            return Kind::Other;
        }
        let of = self.expression(&s.expr);
        match (of, s.name) {
            (Kind::Document, name) => {
                self.out.attributes.push(Use {
                    name: name.to_owned(),
                    range: range.end.saturating_sub(name.len())..range.end,
                });
                Kind::Other
            }
            (Kind::Group, "list") => Kind::Documents,
            _ => Kind::Other,
        }
    }

    fn get_item(&mut self, s: &ast::GetItem<'_>) -> Kind {
        let of = self.expression(&s.expr);
        self.expression(&s.subscript_expr);
        match (of, string(&s.subscript_expr, self.source)) {
            (Kind::Documents, None) => Kind::Document,
            (Kind::Document, Some(attribute)) => {
                self.out.attributes.push(attribute);
                Kind::Other
            }
            _ => Kind::Other,
        }
    }

    fn filter(&mut self, s: &ast::Filter<'_>, range: Range<usize>) -> Kind {
        let of = s.expr.as_ref().map_or(Kind::Other, |e| self.expression(e));
        self.out.filters.push(named(s.name, range));
        self.args(&s.args);
        self.filter_names(s);
        if of == Kind::Documents {
            self.filter_attributes(s);
        }
        match (of, s.name) {
            (Kind::Documents | Kind::Groups, "first" | "last" | "min" | "max") => match of {
                Kind::Documents => Kind::Document,
                _ => Kind::Group,
            },
            (Kind::Documents, "groupby") => Kind::Groups,
            (
                Kind::Documents | Kind::Groups,
                "sort" | "unique" | "list" | "reverse" | "select" | "reject" | "selectattr"
                | "rejectattr",
            ) => of,
            (_, "default" | "d") => of,
            _ => Kind::Other,
        }
    }

    /// Filters and tests that are named in arguments: `map('upper')`, `select('odd')`, `selectattr('x', 'eq', 1)`.
    fn filter_names(&mut self, s: &ast::Filter<'_>) {
        let at = |i: usize| match s.args.get(i) {
            Some(CallArg::Pos(e)) => string(e, self.source),
            _ => None,
        };
        match s.name {
            "map" => self.out.filters.extend(at(0)),
            "select" | "reject" => self.out.tests.extend(at(0)),
            "selectattr" | "rejectattr" => self.out.tests.extend(at(1)),
            _ => {}
        }
    }

    /// Attributes that are named in arguments: `map(attribute='name')`, `groupby('dir')`.
    fn filter_attributes(&mut self, s: &ast::Filter<'_>) {
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
            let Some(written) = string(value, self.source) else {
                continue;
            };
            let mut at = written.range.start;
            for key in written.name.split(',') {
                let name = key.split('.').next().unwrap_or_default();
                let start = at + (name.len() - name.trim_start().len());
                self.out.attributes.push(Use {
                    name: name.trim().to_owned(),
                    range: start..start + name.trim().len(),
                });
                at += key.len() + 1;
            }
        }
    }

    fn call(&mut self, s: &ast::Call<'_>, range: Range<usize>) -> Kind {
        if let Expr::Var(var) = &s.expr {
            self.function(var.id, self::range(var.span()), s, range);
        } else {
            self.expression(&s.expr);
        }
        self.args(&s.args);
        Kind::Other
    }

    fn function(&mut self, name: &str, at: Range<usize>, s: &ast::Call<'_>, whole: Range<usize>) {
        let bound = |f: &Frame| f.surely.contains_key(name) || f.maybe.contains(name);
        if self.frames.iter().any(bound) {
            return;
        }
        if self.deferred > 0 && !FUNCTIONS.contains(&name) {
            // Perhaps a macro that is defined further down.
            self.late.insert(self.out.names.len());
            self.out.names.push(NameUse {
                name: name.to_owned(),
                range: at,
                maybe_set: false,
            });
            return;
        }
        self.out.functions.push(Use {
            name: name.to_owned(),
            range: at,
        });
        match name {
            "exists" => self.exists(s, whole),
            "loaded" => self.loaded(s, whole),
            _ => {}
        }
    }

    fn exists(&mut self, s: &ast::Call<'_>, range: Range<usize>) {
        let literal = |e: &Expr<'_>| string(e, self.source).map(|u| u.name);
        let found = match s.args.as_slice() {
            [CallArg::Pos(file)] => literal(file).map(|f| (f, "workspace".to_owned())),
            [
                CallArg::Pos(file),
                CallArg::Pos(root) | CallArg::Kwarg("root", root),
            ] => literal(file).zip(literal(root)),
            _ => None,
        };
        match found {
            Some((file, root)) => self.out.exists.push(ExistsUse { file, root, range }),
            None => self.not_literal(
                "exists() takes a quoted file name and perhaps root=\"…\"",
                range,
            ),
        }
    }

    fn loaded(&mut self, s: &ast::Call<'_>, range: Range<usize>) {
        match s.args.as_slice() {
            [CallArg::Pos(layer)] if string(layer, self.source).is_some() => {
                self.out.loaded.extend(string(layer, self.source));
            }
            _ => self.not_literal("loaded() takes the quoted name of one layer", range),
        }
    }

    fn template_name(&mut self, expr: &Expr<'_>, may_be_missing: bool) {
        let one = std::slice::from_ref(expr);
        let (items, several) = match expr {
            Expr::List(list) => (list.items.as_slice(), true),
            Expr::Tuple(tuple) => (tuple.items.as_slice(), true),
            _ => (one, false),
        };
        for item in items {
            match string(item, self.source) {
                Some(used) => self.out.templates.push(TemplateUse {
                    name: used.name,
                    range: used.range,
                    may_be_missing: may_be_missing || several,
                }),
                None => {
                    self.expression(item);
                    self.not_literal(
                        "a template is named by a plain quoted name",
                        range(item.span()),
                    );
                }
            }
        }
    }

    fn not_literal(&mut self, message: &str, range: Range<usize>) {
        self.out
            .problems
            .push(Failure::new(LITERAL_REQUIRED, message).at(range));
    }
}

pub(super) fn range(span: minijinja::machinery::Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
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
