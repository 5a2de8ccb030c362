//! Expressions: what is known of their values, and what they are made of.

use super::abstract_value::{self, AbstractValue, Fails};
use super::uses::Use;
use super::ways::{StepKind, Value, Way, joined};
use super::{Kind, TestPlace, Walker, Wanted, string};
use crate::template::expr_span::{argument, expr_span, range};
use crate::template::syntax::{compares, of_chain};
use minijinja::machinery::ast::{self, BinOpKind, CallArg, Expr, UnaryOpKind};
use std::ops::Range;
use std::rc::Rc;

/// The known value of an expression. An error if it always fails.
pub(super) type Tried<'a> = Result<Value<'a>, Fails>;

/// The known value of each argument, and the sources of all of them.
pub(super) type Arguments<'a> = (Vec<AbstractValue>, Vec<Way<'a>>);

/// The known values of arguments, if none is named or spread.
pub(super) fn plain<'k>(
    args: &[CallArg<'_>],
    known: &'k [AbstractValue],
) -> Option<&'k [AbstractValue]> {
    let mut args = args.iter();
    args.all(|arg| matches!(arg, CallArg::Pos(_)))
        .then_some(known)
}

impl<'a> Walker<'a> {
    /// The position of an expression.
    pub(super) fn place_of(&self, expr: &Expr<'_>) -> TestPlace {
        let Range { start, end } = expr_span(expr, self.source);
        TestPlace {
            template: self.template.map(str::to_owned),
            start,
            end,
        }
    }

    /// The known value by its operands; a failure is recorded. If every branch is to be taken nothing is known, so that
    /// no test is settled.
    fn known(
        &mut self,
        expr: &Expr<'_>,
        compute: impl FnOnce() -> Result<AbstractValue, Fails>,
    ) -> Result<AbstractValue, Fails> {
        if self.setting.is_none() {
            return Ok(AbstractValue::Anything);
        }
        let known = compute();
        if known.is_err() && !self.unseen {
            let place = self.place_of(expr);
            if !self.shown.failures.contains(&place) {
                self.shown.failures.push(place);
            }
        }
        known
    }

    /// The value of an expression that fails if it is missing.
    pub(super) fn present(&mut self, expr: &'a Expr<'a>) -> Tried<'a> {
        let value = self.value(expr)?;
        match value.known.is_missing() {
            true => self.known(expr, || Err(Fails)).map(Value::from),
            false => Ok(value),
        }
    }

    /// The known value of an expression.
    pub(super) fn value(&mut self, expr: &'a Expr<'a>) -> Tried<'a> {
        self.expression(expr, Wanted::Value)
    }

    pub(super) fn expression(&mut self, expr: &'a Expr<'a>, wanted: Wanted) -> Tried<'a> {
        let value = self.raw(expr, wanted)?;
        Ok(match self.setting {
            None => value,
            Some(_) => Value {
                known: self.settled(value.known, expr),
                ..value
            },
        })
    }

    /// Whether a condition counts as true, if that is known.
    pub(super) fn truth(&mut self, expr: &'a Expr<'a>) -> Result<Option<bool>, Fails> {
        let known = self.raw(expr, Wanted::Truth)?.known;
        Ok(known.truth().or_else(|| self.assumption(expr)))
    }

    /// The known value of an expression, with the assumptions about its truth.
    pub(super) fn settled(&self, known: AbstractValue, expr: &Expr<'_>) -> AbstractValue {
        if known.truth().is_some() {
            return known;
        }
        match self.assumption(expr) {
            // A text that is distinguished from others is more informative.
            Some(true) if matches!(known, AbstractValue::Other(_)) => known,
            Some(truth) => AbstractValue::Truth(truth),
            None => known,
        }
    }

    pub(super) fn assumption(&self, expr: &Expr<'_>) -> Option<bool> {
        self.assumed.truth(expr, &|name| self.is_local(name))
    }

    pub(super) fn assume(&mut self, expr: &Expr<'_>, truth: bool) {
        if self.setting.is_some() {
            let mut assumed = std::mem::take(&mut self.assumed);
            let local = |name: &str| self.is_local(name);
            Rc::make_mut(&mut assumed).assume(expr, truth, &local, &mut Vec::new());
            self.assumed = assumed;
        }
    }

    fn raw(&mut self, expr: &'a Expr<'a>, wanted: Wanted) -> Tried<'a> {
        match expr {
            Expr::Var(s) => {
                self.hand_on(s.id);
                Ok(self.name(s.id, range(s.span()), wanted))
            }
            Expr::Const(s) => {
                let known = self.known(expr, || Ok(AbstractValue::Value(s.value.clone())));
                known.map(Value::from)
            }
            Expr::Slice(s) => self.slice(s, range(s.span())),
            Expr::UnaryOp(s) => match s.op {
                UnaryOpKind::Not => {
                    let truth = self.truth(&s.expr)?;
                    Ok(truth
                        .map_or(AbstractValue::Present, |t| AbstractValue::boolean(!t))
                        .into())
                }
                UnaryOpKind::Neg => {
                    let of = self.into(&s.expr)?;
                    let known = self.known(expr, || abstract_value::negative(&of.known))?;
                    Ok(Value { known, ..of })
                }
            },
            Expr::BinOp(s) => match s.op {
                BinOpKind::ScAnd => self.chain((expr, s), false, wanted),
                BinOpKind::ScOr => self.chain((expr, s), true, wanted),
                _ => self.binary(s, expr),
            },
            Expr::Compare(s) => self.compare(s, expr).map(Value::from),
            Expr::IfExpr(s) => self.choice(s),
            Expr::Filter(s) => self.filter(s, expr),
            Expr::Test(s) => self.test(s, expr).map(Value::from),
            Expr::GetAttr(s) => self.get_attribute(s, expr),
            Expr::GetItem(s) => self.get_item(s, expr),
            Expr::Call(s) => self.call(s),
            Expr::List(s) => self.list(expr, &s.items),
            Expr::Tuple(s) => self.list(expr, &s.items),
            Expr::Map(s) => {
                for key in &s.keys {
                    self.value(key)?;
                }
                self.list(expr, &s.values)
            }
        }
    }

    fn list(&mut self, expr: &'a Expr<'a>, items: &'a [Expr<'a>]) -> Tried<'a> {
        let mut ways = Vec::new();
        for item in items {
            ways.extend(self.value(item)?.ways);
        }
        let known = self.known(expr, || {
            Ok(match expr.as_const() {
                Some(value) => AbstractValue::Value(value),
                None if items.is_empty() => AbstractValue::Present,
                None => AbstractValue::Truth(true),
            })
        })?;
        Ok(Value::new(known, ways))
    }

    /// The use of the value is not known.
    fn into(&mut self, expr: &'a Expr<'a>) -> Tried<'a> {
        let value = self.value(expr)?;
        let ways = self.stepped(value.ways, || (StepKind::Into, range(expr.span())));
        let kind = Kind::Other;
        Ok(Value {
            kind,
            ways,
            ..value
        })
    }

    /// Arguments; what becomes of them is known where their own ways go on.
    pub(super) fn arguments(
        &mut self,
        args: &'a [CallArg<'a>],
        go_on: bool,
    ) -> Result<Arguments<'a>, Fails> {
        let (mut known, mut ways) = (Vec::new(), Vec::new());
        for arg in args.iter().map(argument) {
            let value = match go_on {
                true => self.value(arg)?,
                false => self.into(arg)?,
            };
            if self.setting.is_some() {
                known.push(value.known);
            }
            ways.extend(value.ways);
        }
        Ok((known, ways))
    }

    /// `left OP right`, of operators that look at both.
    fn binary(&mut self, s: &'a ast::BinOp<'a>, expr: &'a Expr<'a>) -> Tried<'a> {
        self.use_comparison(s);
        let compares = compares(s.op);
        let mut side = |expr| match s.op {
            BinOpKind::Add | BinOpKind::Concat => self.value(expr),
            _ if compares => self.value(expr),
            _ => self.into(expr),
        };
        let (left, right) = (side(&s.left)?, side(&s.right)?);
        let mut known = self.known(expr, || {
            abstract_value::binary(s.op, &left.known, &right.known)
        })?;
        if let (BinOpKind::Eq | BinOpKind::Ne, None) = (s.op, known.truth()) {
            let local = |name: &str| self.is_local(name);
            let equals = |expr, value| self.assumed.equals(expr, value, &local);
            let equal = equals(&s.left, &right.known).or_else(|| equals(&s.right, &left.known));
            let holds = |equal| equal == matches!(s.op, BinOpKind::Eq);
            known = equal.map_or(known, |equal| AbstractValue::boolean(holds(equal)));
        }
        // The constants true and false have no sources.
        let ways = match compares {
            true => Vec::new(),
            false => joined(left.ways, right.ways),
        };
        Ok(Value::new(known, ways))
    }

    fn compare(
        &mut self,
        s: &'a ast::Compare<'a>,
        expr: &'a Expr<'a>,
    ) -> Result<AbstractValue, Fails> {
        let mut left = self.value(&s.expr)?.known;
        let mut sure = true;
        for op in &s.ops {
            let right = self.value(&op.expr)?.known;
            let (kind, opposite) = of_chain(op.op);
            let one = self.known(expr, || abstract_value::binary(kind, &left, &right))?;
            match one.truth().map(|t| t != opposite) {
                Some(false) => return Ok(AbstractValue::boolean(false)),
                Some(true) => {}
                None => sure = false,
            }
            left = right;
        }
        Ok(if sure {
            AbstractValue::boolean(true)
        } else {
            AbstractValue::Present
        })
    }

    fn choice(&mut self, s: &'a ast::IfExpr<'a>) -> Tried<'a> {
        let truth = self.truth(&s.test_expr)?;
        self.note(&s.test_expr, truth);
        // Without an `else` nothing is printed, and nothing fails.
        let otherwise = |walker: &mut Self, kind| match &s.false_expr {
            Some(expr) => walker.value(expr),
            None => Ok(Value::made_of(Vec::new(), kind)),
        };
        match truth {
            Some(true) => self.value(&s.true_expr),
            Some(false) => otherwise(self, Kind::Other),
            None => {
                let before = self.assumed.clone();
                self.assume(&s.test_expr, true);
                let yes = self.value(&s.true_expr);
                self.assumed.clone_from(&before);
                self.assume(&s.test_expr, false);
                let kind = yes.as_ref().map_or(Kind::Other, |yes| yes.kind);
                let no = otherwise(self, kind);
                self.assumed = before;
                match (yes, no) {
                    (Ok(yes), Ok(no)) => Ok(yes.or(no)),
                    (Err(Fails), Err(Fails)) => Err(Fails),
                    _ => Ok(Value::default()),
                }
            }
        }
    }

    fn slice(&mut self, s: &'a ast::Slice<'a>, range: Range<usize>) -> Tried<'a> {
        let of = self.value(&s.expr)?;
        for bound in [&s.start, &s.stop, &s.step].into_iter().flatten() {
            self.value(bound)?;
        }
        let number = |bound: &Option<Expr<'_>>| match bound {
            Some(Expr::Const(constant)) => constant.value.as_i64(),
            _ => None,
        };
        let ways = self.stepped(of.ways, || {
            let (start, stop) = (number(&s.start), number(&s.stop));
            (StepKind::Slice { start, stop }, range)
        });
        Ok(Value::made_of(ways, of.kind.or(Kind::Documents)))
    }

    fn get_attribute(&mut self, s: &'a ast::GetAttr<'a>, expr: &'a Expr<'a>) -> Tried<'a> {
        if matches!(&s.expr, Expr::Var(v) if v.id == "self") {
            return Ok(Value::default());
        }
        let of = self.value(&s.expr)?;
        let range = range(expr.span());
        let known = self.known(expr, || {
            abstract_value::item(&of.known, Some(&s.name.into()))
        })?;
        self.use_attribute(of.kind, || {
            let range = range.end.saturating_sub(s.name.len())..range.end;
            let name = s.name.to_owned();
            Some(Use { name, range })
        });
        let kind = match (of.kind, s.name) {
            (Kind::Group, "list") => Kind::Documents,
            _ => Kind::Other,
        };
        let step = || (StepKind::Item(Some(s.name.to_owned())), range);
        let ways = self.stepped(of.ways, step);
        Ok(Value { known, kind, ways })
    }

    fn get_item(&mut self, s: &'a ast::GetItem<'a>, expr: &'a Expr<'a>) -> Tried<'a> {
        let of = self.value(&s.expr)?;
        let at = match self.value(&s.subscript_expr)?.known {
            AbstractValue::Value(at) => Some(at),
            _ => None,
        };
        let known = self.known(expr, || abstract_value::item(&of.known, at.as_ref()))?;
        let key = string(&s.subscript_expr, self.source);
        let kind = match (of.kind, &key) {
            (Kind::Documents, None) => Kind::Document,
            _ => Kind::Other,
        };
        let name = || key.as_ref().map(|key| key.name.clone());
        let ways = self.stepped(of.ways, || (StepKind::Item(name()), range(expr.span())));
        self.use_attribute(of.kind, || key);
        Ok(Value { known, kind, ways })
    }

    fn test(&mut self, s: &'a ast::Test<'a>, expr: &'a Expr<'a>) -> Result<AbstractValue, Fails> {
        let wanted = match s.name {
            "defined" | "undefined" => Wanted::Truth,
            _ => Wanted::Value,
        };
        let of = self.expression(&s.expr, wanted)?.known;
        self.use_test(s, &range(expr.span()));
        let (args, _) = self.arguments(&s.args, false)?;
        self.known(expr, || {
            abstract_value::test(s.name, &of, plain(&s.args, &args))
        })
    }

    fn filter(&mut self, s: &'a ast::Filter<'a>, expr: &'a Expr<'a>) -> Tried<'a> {
        let of = match &s.expr {
            Some(expr) => self.value(expr)?,
            None => Value::new(AbstractValue::Present, std::mem::take(&mut self.block)),
        };
        let whole = range(expr.span());
        self.use_filter(s, of.kind, &whole);
        // The fallback of `default` goes the same way; it leaves the value itself unchanged.
        let falls_back = matches!(s.name, "default" | "d");
        let mut ways = match falls_back {
            true => of.ways,
            false => self.through(s, of.ways, whole),
        };
        let (args, made_of) = self.arguments(&s.args, falls_back)?;
        let args = plain(&s.args, &args);
        let known = self.known(expr, || abstract_value::filter(s.name, &of.known, args))?;
        ways.extend(made_of);
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
        Ok(Value { known, kind, ways })
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
