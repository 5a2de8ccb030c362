//! The shape of an expression, without running it.

use crate::template::spans::range;
use minijinja::machinery::ast::{BinOpKind, Expr, UnaryOpKind};

/// The byte of the first name, constant, list or minus of an expression, after its brackets. A `not` that is no part of
/// `is not` is skipped: as an operand, it is in brackets.
pub(super) fn leaf(expr: &Expr<'_>) -> usize {
    match expr {
        Expr::Var(s) => range(s.span()).start,
        Expr::Const(s) => range(s.span()).start,
        Expr::List(s) => range(s.span()).start,
        Expr::Map(s) => range(s.span()).start,
        Expr::Tuple(s) => {
            let start = range(s.span()).start;
            s.items
                .first()
                .map_or(start, |first| leaf(first).min(start))
        }
        Expr::Slice(s) => leaf(&s.expr),
        Expr::GetAttr(s) => leaf(&s.expr),
        Expr::GetItem(s) => leaf(&s.expr),
        Expr::Call(s) => leaf(&s.expr),
        Expr::Filter(s) => s.expr.as_ref().map_or(range(s.span()).start, leaf),
        Expr::Test(s) => leaf(&s.expr),
        Expr::UnaryOp(s) => match s.op {
            UnaryOpKind::Neg => range(s.span()).start,
            UnaryOpKind::Not => leaf(&s.expr),
        },
        Expr::BinOp(s) => leaf(&s.left),
        Expr::Compare(s) => leaf(&s.expr),
        Expr::IfExpr(s) => leaf(&s.true_expr),
    }
}

/// Whether the value is a number or a truth, or was weighed when it was made.
pub(super) fn is_light(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::BinOp(s) => !matches!(
            s.op,
            BinOpKind::Add | BinOpKind::Mul | BinOpKind::ScAnd | BinOpKind::ScOr
        ),
        Expr::Const(_)
        | Expr::List(_)
        | Expr::Map(_)
        | Expr::Tuple(_)
        | Expr::UnaryOp(_)
        | Expr::Test(_)
        | Expr::Compare(_) => true,
        _ => false,
    }
}

/// Whether it is a number, a text or a truth that is written out.
pub(super) fn is_constant(expr: &Expr<'_>) -> bool {
    matches!(expr, Expr::Const(_))
}

/// Whether the value is a text, a number or a truth.
pub(super) fn is_text(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::BinOp(_) => is_light(expr),
        Expr::Const(_) | Expr::UnaryOp(_) | Expr::Test(_) | Expr::Compare(_) => true,
        _ => false,
    }
}

/// Whether the engine may give a list that is a view of another, and of that another.
pub(super) fn is_lazy(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Slice(_) => true,
        Expr::BinOp(s) => match s.op {
            BinOpKind::Mul => true,
            BinOpKind::Add | BinOpKind::ScAnd | BinOpKind::ScOr => {
                is_lazy(&s.left) || is_lazy(&s.right)
            }
            _ => false,
        },
        Expr::IfExpr(s) => is_lazy(&s.true_expr) || s.false_expr.as_ref().is_some_and(is_lazy),
        _ => false,
    }
}

/// Whether a namespace is among the targets.
pub(super) fn holds_attribute(target: &Expr<'_>) -> bool {
    match target {
        Expr::Var(_) => false,
        Expr::List(s) => s.items.iter().any(holds_attribute),
        Expr::Tuple(s) => s.items.iter().any(holds_attribute),
        _ => true,
    }
}

/// Whether it is a name, or a number that is found without a long walk.
pub(super) fn is_near(index: &Expr<'_>) -> bool {
    let Expr::Const(index) = index else {
        return false;
    };
    index.value.as_str().is_some() || index.value.as_usize().is_some_and(|at| at < 64)
}
