//! Conditions by their plain form, so that one that holds is known again where it is asked again.

use super::{Known, Tree};
use crate::expr::analyse::argument;
use minijinja::machinery::ast::{BinOpKind, CallArg, Expr, Stmt, UnaryOpKind};
use minijinja::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The plain form of a condition, and whether it stands for its opposite; none if it hangs on a name that the program
/// sets itself.
pub(super) fn plain(expr: &Expr<'_>, local: &dyn Fn(&str) -> bool) -> Option<(String, bool)> {
    match expr {
        Expr::UnaryOp(s) if matches!(s.op, UnaryOpKind::Not) => {
            let (text, opposite) = plain(&s.expr, local)?;
            Some((text, !opposite))
        }
        Expr::BinOp(s) if matches!(s.op, BinOpKind::Ne) => {
            let mut out = Plain::new(local);
            out.sides(BinOpKind::Eq, &s.left, &s.right)?;
            Some((out.text, true))
        }
        Expr::Test(s) if s.name == "undefined" => {
            let mut out = Plain::new(local);
            out.around("(", &s.expr, " is defined)")?;
            Some((out.text, true))
        }
        other => Some((text(other, local)?, false)),
    }
}

/// The plain form of an expression; none if it hangs on a name that the program sets itself.
pub(super) fn text(expr: &Expr<'_>, local: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut out = Plain::new(local);
    out.expression(expr)?;
    Some(out.text)
}

/// The plain form of two sides of an operator.
pub(super) fn joined(op: BinOpKind, left: &str, right: &str) -> String {
    format!("({left} {} {right})", sign(op))
}

/// A plain form as it is written.
struct Plain<'l> {
    text: String,
    local: &'l dyn Fn(&str) -> bool,
}

impl<'l> Plain<'l> {
    fn new(local: &'l dyn Fn(&str) -> bool) -> Self {
        let text = String::new();
        Self { text, local }
    }

    fn expression(&mut self, expr: &Expr<'_>) -> Option<()> {
        match expr {
            Expr::Var(s) if (self.local)(s.id) => return None,
            Expr::Var(s) => self.text += s.id,
            Expr::Const(s) => self.constant(&s.value),
            Expr::UnaryOp(s) => match s.op {
                UnaryOpKind::Not => self.around("(not ", &s.expr, ")")?,
                UnaryOpKind::Neg => self.around("(- ", &s.expr, ")")?,
            },
            Expr::BinOp(s) => self.sides(s.op, &s.left, &s.right)?,
            Expr::GetAttr(s) => {
                self.around("", &s.expr, ".")?;
                self.text += s.name;
            }
            Expr::GetItem(s) => {
                self.around("", &s.expr, "[")?;
                self.around("", &s.subscript_expr, "]")?;
            }
            Expr::Filter(s) => {
                self.around("(", s.expr.as_ref()?, " | ")?;
                self.applied(s.name, &s.args)?;
            }
            Expr::Test(s) => {
                self.around("(", &s.expr, " is ")?;
                self.applied(s.name, &s.args)?;
            }
            Expr::Call(s) => {
                self.expression(&s.expr)?;
                self.arguments(&s.args)?;
            }
            Expr::List(s) => self.listed("[", &s.items, "]", Self::expression)?,
            Expr::Slice(_) | Expr::Compare(_) | Expr::IfExpr(_) | Expr::Tuple(_) | Expr::Map(_) => {
                return None;
            }
        }
        Some(())
    }

    fn around(&mut self, before: &str, expr: &Expr<'_>, behind: &str) -> Option<()> {
        self.text += before;
        self.expression(expr)?;
        self.text += behind;
        Some(())
    }

    fn sides(&mut self, op: BinOpKind, left: &Expr<'_>, right: &Expr<'_>) -> Option<()> {
        self.around("(", left, " ")?;
        self.text += sign(op);
        self.around(" ", right, ")")
    }

    /// Texts are quoted, so that none looks like a name.
    fn constant(&mut self, value: &Value) {
        let written = match value.as_str() {
            Some(text) => write!(self.text, "{text:?}"),
            None => write!(self.text, "{value}"),
        };
        debug_assert!(written.is_ok(), "a string takes all");
    }

    /// A filter or test with its arguments, and the bracket that ends what it is applied to.
    fn applied(&mut self, name: &str, args: &[CallArg<'_>]) -> Option<()> {
        self.text += name;
        self.arguments(args)?;
        self.text += ")";
        Some(())
    }

    fn arguments(&mut self, args: &[CallArg<'_>]) -> Option<()> {
        if args.is_empty() {
            return Some(());
        }
        self.listed("(", args, ")", |out, arg| match arg {
            CallArg::Pos(e) => out.expression(e),
            CallArg::Kwarg(name, e) => {
                out.text += name;
                out.around("=", e, "")
            }
            CallArg::PosSplat(_) | CallArg::KwargSplat(_) => None,
        })
    }

    fn listed<T>(
        &mut self,
        before: &str,
        items: &[T],
        behind: &str,
        each: impl Fn(&mut Self, &T) -> Option<()>,
    ) -> Option<()> {
        self.text += before;
        for (at, item) in items.iter().enumerate() {
            self.text += if at == 0 { "" } else { ", " };
            each(self, item)?;
        }
        self.text += behind;
        Some(())
    }
}

fn sign(op: BinOpKind) -> &'static str {
    match op {
        BinOpKind::Eq => "==",
        BinOpKind::Ne => "!=",
        BinOpKind::Lt => "<",
        BinOpKind::Lte => "<=",
        BinOpKind::Gt => ">",
        BinOpKind::Gte => ">=",
        BinOpKind::ScAnd => "and",
        BinOpKind::ScOr => "or",
        BinOpKind::Add => "+",
        BinOpKind::Sub => "-",
        BinOpKind::Mul => "*",
        BinOpKind::Div => "/",
        BinOpKind::FloorDiv => "//",
        BinOpKind::Rem => "%",
        BinOpKind::Pow => "**",
        BinOpKind::Concat => "~",
        BinOpKind::In => "in",
    }
}

/// What holds: conditions in their plain form, and which constants expressions are equal to.
#[derive(Debug, Clone, Default)]
pub(super) struct Assumed {
    truths: BTreeMap<String, bool>,
    equal: BTreeMap<String, Value>,
}

impl Assumed {
    /// Whether a condition holds, if that is assumed.
    pub(super) fn truth(&self, expr: &Expr<'_>, local: &dyn Fn(&str) -> bool) -> Option<bool> {
        if self.truths.is_empty() {
            return None;
        }
        let (text, opposite) = plain(expr, local)?;
        self.truths.get(&text).map(|truth| *truth != opposite)
    }

    /// Whether an expression is equal to a value, if what is assumed says so.
    pub(super) fn equals(
        &self,
        expr: &Expr<'_>,
        value: &Known,
        local: &dyn Fn(&str) -> bool,
    ) -> Option<bool> {
        match value {
            Known::Value(value) if !self.equal.is_empty() => {
                Some(self.equal.get(&text(expr, local)?)? == value)
            }
            _ => None,
        }
    }

    /// Takes it that a condition of this plain form holds, or that it does not.
    pub(super) fn insert(&mut self, text: String, truth: bool) {
        self.truths.insert(text, truth);
    }

    /// Takes it that a condition holds, or that it does not, with what follows from that.
    pub(super) fn assume(&mut self, expr: &Expr<'_>, truth: bool, local: &dyn Fn(&str) -> bool) {
        match expr {
            Expr::UnaryOp(s) if matches!(s.op, UnaryOpKind::Not) => {
                return self.assume(&s.expr, !truth, local);
            }
            Expr::BinOp(s) => match (s.op, truth) {
                (BinOpKind::ScAnd, true) | (BinOpKind::ScOr, false) => {
                    self.assume(&s.left, truth, local);
                    self.assume(&s.right, truth, local);
                }
                (BinOpKind::Eq, true) | (BinOpKind::Ne, false) => {
                    for (side, other) in [(&s.left, &s.right), (&s.right, &s.left)] {
                        if let Some((text, value)) = text(side, local).zip(other.as_const()) {
                            self.equal.insert(text, value);
                        }
                    }
                }
                _ => {}
            },
            Expr::Var(s) if truth && !local(s.id) => {
                self.insert(format!("({} is defined)", s.id), true)
            }
            _ => {}
        }
        if let Some((text, opposite)) = plain(expr, local) {
            self.insert(text, truth != opposite);
        }
    }
}

/// The texts that each name is compared with.
pub(super) fn compared(tree: &Tree<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = Compared::default();
    match tree {
        Tree::Expression(expr) => found.expression(expr),
        Tree::Template(tree) => found.statement(tree),
    }
    found.0
}

#[derive(Default)]
struct Compared(BTreeMap<String, BTreeSet<String>>);

impl Compared {
    fn pair(&mut self, a: &Expr<'_>, b: &Expr<'_>) {
        for (name, with) in [(a, b), (b, a)] {
            if let (Expr::Var(name), Some(value)) = (name, with.as_const()) {
                let texts = self.0.entry(name.id.to_owned()).or_default();
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

    fn all<'e, 's: 'e>(&mut self, all: impl IntoIterator<Item = &'e Expr<'s>>) {
        all.into_iter().for_each(|e| self.expression(e));
    }

    fn args(&mut self, args: &[CallArg<'_>]) {
        for arg in args {
            self.expression(argument(arg));
        }
    }

    fn expression(&mut self, expr: &Expr<'_>) {
        match expr {
            // A name alone is asked for its truth or printed: it has no texts, and it is met.
            Expr::Var(s) => drop(self.0.entry(s.id.to_owned()).or_default()),
            Expr::Const(_) => {}
            Expr::Slice(s) => {
                let bounds = [&s.start, &s.stop, &s.step].into_iter().flatten();
                self.all(bounds.chain([&s.expr]));
            }
            Expr::UnaryOp(s) => self.expression(&s.expr),
            Expr::BinOp(s) => {
                if matches!(s.op, BinOpKind::Eq | BinOpKind::Ne | BinOpKind::In) {
                    self.pair(&s.left, &s.right);
                }
                self.all([&s.left, &s.right]);
            }
            Expr::Compare(s) => {
                self.expression(&s.expr);
                self.all(s.ops.iter().map(|op| &op.expr));
            }
            Expr::IfExpr(s) => {
                self.all([&s.test_expr, &s.true_expr]);
                self.all(&s.false_expr);
            }
            Expr::Filter(s) => {
                self.all(&s.expr);
                self.args(&s.args);
            }
            Expr::Test(s) => {
                if let ("eq" | "ne" | "in" | "equalto" | "==" | "!=", [CallArg::Pos(other)]) =
                    (s.name, s.args.as_slice())
                {
                    self.pair(&s.expr, other);
                }
                self.expression(&s.expr);
                self.args(&s.args);
            }
            Expr::GetAttr(s) => self.expression(&s.expr),
            Expr::GetItem(s) => self.all([&s.expr, &s.subscript_expr]),
            Expr::Call(s) => {
                self.expression(&s.expr);
                self.args(&s.args);
            }
            Expr::List(s) => self.all(&s.items),
            Expr::Tuple(s) => self.all(&s.items),
            Expr::Map(s) => self.all(s.keys.iter().chain(&s.values)),
        }
    }

    fn statements(&mut self, all: &[Stmt<'_>]) {
        all.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(s) => self.statements(&s.children),
            Stmt::EmitExpr(s) => self.expression(&s.expr),
            Stmt::ForLoop(s) => {
                self.expression(&s.iter);
                self.all(&s.filter_expr);
                self.statements(&s.body);
                self.statements(&s.else_body);
            }
            Stmt::IfCond(s) => {
                self.expression(&s.expr);
                self.statements(&s.true_body);
                self.statements(&s.false_body);
            }
            Stmt::WithBlock(s) => {
                self.all(s.assignments.iter().map(|(_, value)| value));
                self.statements(&s.body);
            }
            Stmt::Set(s) => self.expression(&s.expr),
            Stmt::SetBlock(s) => self.statements(&s.body),
            Stmt::AutoEscape(s) => self.statements(&s.body),
            Stmt::FilterBlock(s) => self.statements(&s.body),
            Stmt::Block(s) => self.statements(&s.body),
            Stmt::Macro(s) => self.statements(&s.body),
            Stmt::CallBlock(s) => {
                self.args(&s.call.args);
                self.statements(&s.macro_decl.body);
            }
            Stmt::Do(s) => self.args(&s.call.args),
            Stmt::EmitRaw(_)
            | Stmt::Continue(_)
            | Stmt::Break(_)
            | Stmt::Import(_)
            | Stmt::FromImport(_)
            | Stmt::Extends(_)
            | Stmt::Include(_) => {}
        }
    }
}
