//! Conditions by their normal form, so that a known one is recognized in a later test.

use super::AbstractValue;
use crate::template::syntax::sign;
use minijinja::machinery::ast::{BinOpKind, CallArg, Expr, UnaryOpKind};
use minijinja::value::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The normal form of a condition, and whether it is negated; none if it depends on a name that the program sets
/// itself.
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

    fn around(&mut self, before: &str, expr: &Expr<'_>, after: &str) -> Option<()> {
        self.text += before;
        self.expression(expr)?;
        self.text += after;
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
        after: &str,
        each: impl Fn(&mut Self, &T) -> Option<()>,
    ) -> Option<()> {
        self.text += before;
        for (at, item) in items.iter().enumerate() {
            self.text += if at == 0 { "" } else { ", " };
            each(self, item)?;
        }
        self.text += after;
        Some(())
    }
}

/// The assumptions: conditions in their normal form, and the constants that expressions are equal to.
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
        value: &AbstractValue,
        local: &dyn Fn(&str) -> bool,
    ) -> Option<bool> {
        match value {
            AbstractValue::Value(value) if !self.equal.is_empty() => {
                Some(self.equal.get(&text(expr, local)?)? == value)
            }
            _ => None,
        }
    }

    /// Takes it that a condition of this plain form holds, or that it does not.
    pub(super) fn insert(&mut self, text: String, truth: bool) {
        self.truths.insert(text, truth);
    }

    /// Assumes that a condition holds, or that it does not, with its consequences. Names with a newly assumed truth are
    /// added to `named`.
    pub(super) fn assume<'e>(
        &mut self,
        expr: &'e Expr<'_>,
        truth: bool,
        local: &dyn Fn(&str) -> bool,
        named: &mut Vec<(&'e str, bool)>,
    ) {
        match expr {
            Expr::UnaryOp(s) if matches!(s.op, UnaryOpKind::Not) => {
                return self.assume(&s.expr, !truth, local, named);
            }
            Expr::BinOp(s) => match (s.op, truth) {
                (BinOpKind::ScAnd, true) | (BinOpKind::ScOr, false) => {
                    self.assume(&s.left, truth, local, named);
                    self.assume(&s.right, truth, local, named);
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
            Expr::Var(s) if !local(s.id) => {
                if self.truths.get(s.id) != Some(&truth) {
                    named.push((s.id, truth));
                }
                if truth {
                    self.insert(format!("({} is defined)", s.id), true);
                }
            }
            _ => {}
        }
        if let Some((text, opposite)) = plain(expr, local) {
            self.insert(text, truth != opposite);
        }
    }
}
