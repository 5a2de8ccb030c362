//! The position of an expression: the engine's own ranges begin at the token before an operator.

use minijinja::machinery::ast::{CallArg, Expr, UnaryOpKind};
use std::ops::Range;

/// The bytes of an expression, with the parentheses that belong to it.
pub(super) fn expr_span(expr: &Expr<'_>, source: &str) -> Range<usize> {
    let Range { mut start, mut end } = parts(expr, source);
    end = end.min(source.len());
    start = start.min(end);
    let count =
        |c: char, range: Range<usize>| source.get(range).map_or(0, |t| t.matches(c).count());
    while count(')', start..end) > count('(', start..end) {
        match source[..start].rfind('(') {
            Some(at) => start = at,
            None => break,
        }
    }
    while count('(', start..end) > count(')', start..end) {
        match source[end..].find(')') {
            Some(at) => end += at + 1,
            None => break,
        }
    }
    start..end
}

fn parts(expr: &Expr<'_>, source: &str) -> Range<usize> {
    let of = |e: &Expr<'_>| expr_span(e, source);
    let own = range(expr.span());
    match expr {
        Expr::BinOp(s) => of(&s.left).start..of(&s.right).end,
        Expr::Compare(s) => {
            let last = s.ops.last().map_or(own.end, |op| of(&op.expr).end);
            of(&s.expr).start..last
        }
        Expr::UnaryOp(s) => {
            let inner = of(&s.expr);
            let sign = match s.op {
                UnaryOpKind::Not => "not",
                UnaryOpKind::Neg => "-",
            };
            let before = source.get(..inner.start).unwrap_or_default();
            let before = before.trim_end_matches(|c: char| c == '(' || c.is_whitespace());
            match before.strip_suffix(sign) {
                Some(before) => before.len()..inner.end,
                // `a not in b` is read as `not (a in b)`.
                None => inner,
            }
        }
        Expr::IfExpr(s) => {
            let end = s
                .false_expr
                .as_ref()
                .map_or_else(|| of(&s.test_expr).end, |e| of(e).end);
            of(&s.true_expr).start..end
        }
        Expr::Test(s) => {
            let end = s.args.last().map_or(own.end, |a| of(argument(a)).end);
            of(&s.expr).start..end.max(own.end)
        }
        Expr::Filter(s) => {
            let start = s.expr.as_ref().map_or(own.start, |e| of(e).start);
            let end = s.args.last().map_or(own.end, |a| of(argument(a)).end);
            start..end.max(own.end)
        }
        Expr::GetAttr(s) => of(&s.expr).start..own.end,
        Expr::GetItem(s) => of(&s.expr).start..own.end,
        Expr::Slice(s) => of(&s.expr).start..own.end,
        Expr::Call(s) => of(&s.expr).start..own.end,
        Expr::Var(_) | Expr::Const(_) | Expr::List(_) | Expr::Tuple(_) | Expr::Map(_) => own,
    }
}

/// The bytes of a position of the engine.
pub(super) fn range(span: minijinja::machinery::Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

/// The value of an argument, however it is given.
pub(super) fn argument<'e, 's>(arg: &'e CallArg<'s>) -> &'e Expr<'s> {
    let (CallArg::Pos(e) | CallArg::Kwarg(_, e) | CallArg::PosSplat(e) | CallArg::KwargSplat(e)) =
        arg;
    e
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::syntax;

    #[test]
    fn an_expression_spans_all_of_its_text() {
        for source in [
            "a",
            "a == 'x'",
            "not a",
            "not (a or b)",
            "(a or b) and c",
            "a not in b",
            "a is defined",
            "a is containing_any(['x', 'y'])",
            "(a | lower) == 'x'",
            "a | default('') | trim",
            "f('x') and a.b[0]",
            "1 < a <= 3",
            "-a",
            "x if a else y",
        ] {
            let padded = format!("  {source} ");
            let expr = syntax::expression(&padded).unwrap();
            assert_eq!(&padded[expr_span(&expr, &padded)], source);
        }
    }
}
