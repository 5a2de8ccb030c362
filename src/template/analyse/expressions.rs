//! Expressions: what their values are made of.

use super::uses::Use;
use super::ways::{StepKind, TracedValue, Way, joined};
use super::{Kind, Walker, Wanted, string};
use crate::template::spans::{argument, range};
use crate::template::syntax::compares;
use minijinja::machinery::ast::{self, BinOp, BinOpKind, CallArg, Expr, UnaryOpKind};
use std::mem::discriminant;
use std::ops::Range;

impl<'a> Walker<'a> {
    pub(super) fn value(&mut self, expr: &'a Expr<'a>) -> TracedValue<'a> {
        self.expression(expr, Wanted::Value)
    }

    pub(super) fn expression(&mut self, expr: &'a Expr<'a>, wanted: Wanted) -> TracedValue<'a> {
        match expr {
            Expr::Var(s) => self.name(s.id, range(s.span()), wanted),
            Expr::Const(_) => TracedValue::default(),
            Expr::Slice(s) => self.slice(s, range(s.span())),
            Expr::UnaryOp(s) => match s.op {
                UnaryOpKind::Not => {
                    self.expression(&s.expr, Wanted::Truth);
                    TracedValue::default()
                }
                UnaryOpKind::Neg => self.into(&s.expr),
            },
            Expr::BinOp(s) => match s.op {
                BinOpKind::ScAnd | BinOpKind::ScOr => self.chain(s, wanted),
                _ => self.binary(s),
            },
            Expr::Compare(s) => {
                self.value(&s.expr);
                for op in &s.ops {
                    self.value(&op.expr);
                }
                TracedValue::default()
            }
            Expr::IfExpr(s) => self.choice(s),
            Expr::Filter(s) => self.filter(s, range(expr.span())),
            Expr::Test(s) => self.test(s, &range(expr.span())),
            Expr::GetAttr(s) => self.get_attribute(s, range(expr.span())),
            Expr::GetItem(s) => self.get_item(s, range(expr.span())),
            Expr::Call(s) => self.call(s),
            Expr::List(s) => self.list(&s.items),
            Expr::Tuple(s) => self.list(&s.items),
            Expr::Map(s) => {
                for key in &s.keys {
                    self.value(key);
                }
                self.list(&s.values)
            }
        }
    }

    fn list(&mut self, items: &'a [Expr<'a>]) -> TracedValue<'a> {
        let mut ways = Vec::new();
        for item in items {
            ways.extend(self.value(item).ways);
        }
        TracedValue::of_ways(ways)
    }

    /// The use of the value is not known.
    fn into(&mut self, expr: &'a Expr<'a>) -> TracedValue<'a> {
        let value = self.value(expr);
        let ways = self.stepped(value.ways, || (StepKind::Into, range(expr.span())));
        TracedValue::of_ways(ways)
    }

    /// Arguments; what becomes of them is known where their own ways go on.
    pub(super) fn arguments(&mut self, args: &'a [CallArg<'a>], go_on: bool) -> Vec<Way<'a>> {
        let mut ways = Vec::new();
        for arg in args.iter().map(argument) {
            let value = if go_on {
                self.value(arg)
            } else {
                self.into(arg)
            };
            ways.extend(value.ways);
        }
        ways
    }

    /// `a or b or c`, which is read as `(a or b) or c`: a chain of any length in one loop over its terms.
    fn chain(&mut self, outermost: &'a BinOp<'a>, wanted: Wanted) -> TracedValue<'a> {
        let mut first = outermost;
        let mut later = vec![&outermost.right];
        while let Expr::BinOp(inner) = &first.left
            && discriminant(&inner.op) == discriminant(&outermost.op)
        {
            later.push(&inner.right);
            first = inner;
        }
        let is_or = matches!(outermost.op, BinOpKind::ScOr);
        // The value of a true `and` is its last term: of the others only the truth counts.
        let of_others = if is_or { wanted } else { Wanted::Truth };
        let mut value = self.expression(&first.left, of_others);
        while let Some(term) = later.pop() {
            let wanted = if later.is_empty() { wanted } else { of_others };
            let term = self.expression(term, wanted);
            if !is_or {
                value.ways.clear();
            }
            value = value.or(term);
        }
        value
    }

    /// `left OP right`, of operators that look at both.
    fn binary(&mut self, s: &'a BinOp<'a>) -> TracedValue<'a> {
        self.use_comparison(s);
        let compares = compares(s.op);
        let goes_on = compares || matches!(s.op, BinOpKind::Add | BinOpKind::Concat);
        let mut side = |expr: &'a Expr<'a>| {
            if goes_on {
                self.value(expr)
            } else {
                self.into(expr)
            }
        };
        let (left, right) = (side(&s.left), side(&s.right));
        // The constants true and false have no sources.
        if compares {
            return TracedValue::default();
        }
        TracedValue::of_ways(joined(left.ways, right.ways))
    }

    fn choice(&mut self, s: &'a ast::IfExpr<'a>) -> TracedValue<'a> {
        self.expression(&s.test_expr, Wanted::Truth);
        let yes = self.value(&s.true_expr);
        match &s.false_expr {
            Some(expr) => {
                let no = self.value(expr);
                yes.or(no)
            }
            // Nothing is printed then.
            None => yes,
        }
    }

    fn slice(&mut self, s: &'a ast::Slice<'a>, range: Range<usize>) -> TracedValue<'a> {
        let base = self.value(&s.expr);
        for bound in [&s.start, &s.stop, &s.step].into_iter().flatten() {
            self.value(bound);
        }
        let number = |bound: &Option<Expr<'_>>| match bound {
            Some(Expr::Const(constant)) => constant.value.as_i64(),
            _ => None,
        };
        let ways = self.stepped(base.ways, || {
            let (start, stop) = (number(&s.start), number(&s.stop));
            (StepKind::Slice { start, stop }, range)
        });
        let kind = base.kind.or(Kind::Documents);
        TracedValue { kind, ways }
    }

    fn get_attribute(&mut self, s: &'a ast::GetAttr<'a>, range: Range<usize>) -> TracedValue<'a> {
        if matches!(&s.expr, Expr::Var(v) if v.id == "self") {
            return TracedValue::default();
        }
        let base = self.value(&s.expr);
        self.use_attribute(base.kind, || {
            let range = range.end.saturating_sub(s.name.len())..range.end;
            let name = s.name.to_owned();
            Some(Use { name, range })
        });
        let kind = match (base.kind, s.name) {
            (Kind::Group, "list") => Kind::Documents,
            _ => Kind::Other,
        };
        let step = || (StepKind::Item(Some(s.name.to_owned())), range);
        let ways = self.stepped(base.ways, step);
        TracedValue { kind, ways }
    }

    fn get_item(&mut self, s: &'a ast::GetItem<'a>, range: Range<usize>) -> TracedValue<'a> {
        let base = self.value(&s.expr);
        self.value(&s.subscript_expr);
        let key = string(&s.subscript_expr, self.source);
        let kind = match (base.kind, &key) {
            (Kind::Documents, None) => Kind::Document,
            _ => Kind::Other,
        };
        let name = || key.as_ref().map(|key| key.name.clone());
        let ways = self.stepped(base.ways, || (StepKind::Item(name()), range));
        self.use_attribute(base.kind, || key);
        TracedValue { kind, ways }
    }

    fn test(&mut self, s: &'a ast::Test<'a>, whole: &Range<usize>) -> TracedValue<'a> {
        let wanted = match s.name {
            "defined" | "undefined" => Wanted::Truth,
            _ => Wanted::Value,
        };
        self.expression(&s.expr, wanted);
        self.use_test(s, whole);
        self.arguments(&s.args, false);
        TracedValue::default()
    }

    fn filter(&mut self, s: &'a ast::Filter<'a>, whole: Range<usize>) -> TracedValue<'a> {
        let of = match &s.expr {
            Some(expr) => self.value(expr),
            None => TracedValue::of_ways(std::mem::take(&mut self.block)),
        };
        self.use_filter(s, of.kind, &whole);
        // The fallback of `default` goes the same way; it leaves the value itself unchanged.
        let falls_back = matches!(s.name, "default" | "d");
        let mut ways = if falls_back {
            of.ways
        } else {
            self.through(s, of.ways, whole)
        };
        ways.extend(self.arguments(&s.args, falls_back));
        let kind = match (of.kind, s.name) {
            (Kind::Documents, "first" | "last" | "min" | "max") => Kind::Document,
            (Kind::Groups, "first" | "last" | "min" | "max") => Kind::Group,
            (Kind::Documents, "groupby") => Kind::Groups,
            (
                Kind::Documents | Kind::Groups,
                "sort" | "unique" | "list" | "reverse" | "select" | "reject" | "selectattr"
                | "rejectattr",
            ) => of.kind,
            _ if falls_back => of.kind,
            _ => Kind::Other,
        };
        TracedValue { kind, ways }
    }

    /// The ways through a filter.
    fn through(
        &mut self,
        s: &'a ast::Filter<'a>,
        ways: Vec<Way<'a>>,
        whole: Range<usize>,
    ) -> Vec<Way<'a>> {
        let source = self.source;
        self.stepped(ways, || {
            let text = match s.args.first() {
                Some(CallArg::Pos(e)) => string(e, source),
                _ => None,
            };
            let range = text.as_ref().map_or(whole, |text| text.range.clone());
            let name = s.name.to_owned();
            let argument = text.map(|text| text.name);
            (StepKind::Filter { name, argument }, range)
        })
    }
}
