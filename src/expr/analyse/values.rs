//! Expressions: what is known of their values, and what they are made of.

use super::ways::{StepKind, Value, Way};
use super::{Kind, Use, Walker, Wanted, argument, named, range, string};
use minijinja::machinery::ast::{self, BinOpKind, CallArg, Expr, UnaryOpKind};
use std::ops::Range;

impl<'s> Walker<'s> {
    pub(super) fn value(&mut self, expr: &Expr<'s>) -> Value<'s> {
        self.expression(expr, Wanted::Value)
    }

    /// An expression that is only asked for its truth.
    pub(super) fn condition(&mut self, expr: &Expr<'s>) {
        self.expression(expr, Wanted::Truth);
    }

    pub(super) fn expression(&mut self, expr: &Expr<'s>, wanted: Wanted) -> Value<'s> {
        match expr {
            Expr::Var(var) => self.name(var.id, range(var.span()), wanted),
            Expr::Const(_) => Value::default(),
            Expr::Slice(s) => self.slice(s, range(s.span())),
            Expr::UnaryOp(s) => match s.op {
                UnaryOpKind::Not => {
                    self.condition(&s.expr);
                    Value::default()
                }
                UnaryOpKind::Neg => self.into(&s.expr),
            },
            Expr::BinOp(s) => self.operation(s, wanted),
            Expr::Compare(s) => {
                self.value(&s.expr);
                for op in &s.ops {
                    self.value(&op.expr);
                }
                Value::default()
            }
            Expr::IfExpr(s) => {
                self.condition(&s.test_expr);
                let yes = self.value(&s.true_expr);
                match &s.false_expr {
                    Some(no) => yes.or(self.value(no)),
                    None => yes,
                }
            }
            Expr::Filter(s) => self.filter(s, range(s.span())),
            Expr::Test(s) => {
                match s.name {
                    "defined" | "undefined" => self.condition(&s.expr),
                    _ => drop(self.value(&s.expr)),
                }
                self.out.tests.push(named(s.name, range(s.span())));
                if let ("eq" | "ne" | "in" | "equalto" | "==" | "!=", [CallArg::Pos(other)]) =
                    (s.name, s.args.as_slice())
                {
                    self.compared(&s.expr, other);
                }
                self.arguments(&s.args);
                Value::default()
            }
            Expr::GetAttr(s) => self.get_attribute(s, range(s.span())),
            Expr::GetItem(s) => self.get_item(s, range(s.span())),
            Expr::Call(s) => self.call(s, range(s.span())),
            Expr::List(s) => self.all(&s.items),
            Expr::Tuple(s) => self.all(&s.items),
            Expr::Map(s) => {
                self.all(&s.keys);
                self.all(&s.values)
            }
        }
    }

    fn all(&mut self, items: &[Expr<'s>]) -> Value<'s> {
        let values = items.iter().map(|item| self.value(item));
        Value::other(values.flat_map(|value| value.ways).collect())
    }

    /// What becomes of the value is not known.
    fn into(&mut self, expr: &Expr<'s>) -> Value<'s> {
        let ways = self.value(expr).ways;
        Value::other(self.stepped(ways, StepKind::Into, range(expr.span())))
    }

    /// Arguments of what does something with them that is not known.
    pub(super) fn arguments(&mut self, args: &[CallArg<'s>]) -> Value<'s> {
        let values = args.iter().map(|arg| self.into(argument(arg)));
        Value::other(values.flat_map(|value| value.ways).collect())
    }

    fn operation(&mut self, s: &ast::BinOp<'s>, wanted: Wanted) -> Value<'s> {
        match s.op {
            BinOpKind::ScAnd => {
                let left = self.expression(&s.left, Wanted::Truth);
                let right = self.expression(&s.right, wanted);
                let kind = left.kind.or(right.kind);
                Value { kind, ..right }
            }
            BinOpKind::ScOr => {
                let left = self.expression(&s.left, wanted);
                left.or(self.expression(&s.right, wanted))
            }
            BinOpKind::Add | BinOpKind::Concat => {
                let left = Value::other(self.value(&s.left).ways);
                left.or(Value::other(self.value(&s.right).ways))
            }
            BinOpKind::Sub
            | BinOpKind::Mul
            | BinOpKind::Div
            | BinOpKind::FloorDiv
            | BinOpKind::Rem
            | BinOpKind::Pow => {
                let left = self.into(&s.left);
                left.or(self.into(&s.right))
            }
            BinOpKind::Eq | BinOpKind::Ne | BinOpKind::In => {
                self.compared(&s.left, &s.right);
                self.sides(s)
            }
            BinOpKind::Lt | BinOpKind::Lte | BinOpKind::Gt | BinOpKind::Gte => self.sides(s),
        }
    }

    /// The sides of what is true or false, and made of neither.
    fn sides(&mut self, s: &ast::BinOp<'s>) -> Value<'s> {
        self.value(&s.left);
        self.value(&s.right);
        Value::default()
    }

    /// Notes the texts that a name is compared with.
    fn compared(&mut self, a: &Expr<'s>, b: &Expr<'s>) {
        for (name, with) in [(a, b), (b, a)] {
            if let (Expr::Var(name), Some(value)) = (name, with.as_const()) {
                let texts = self.out.compared.entry(name.id.to_owned()).or_default();
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

    fn slice(&mut self, s: &ast::Slice<'s>, range: Range<usize>) -> Value<'s> {
        let of = self.value(&s.expr);
        for bound in [&s.start, &s.stop, &s.step].into_iter().flatten() {
            self.value(bound);
        }
        let number = |bound: &Option<Expr<'_>>| match bound {
            Some(Expr::Const(constant)) => constant.value.as_i64(),
            _ => None,
        };
        let step = StepKind::Slice {
            start: number(&s.start),
            stop: number(&s.stop),
        };
        Value {
            kind: of.kind.or(Kind::Documents),
            ways: self.stepped(of.ways, step, range),
        }
    }

    fn get_attribute(&mut self, s: &ast::GetAttr<'s>, range: Range<usize>) -> Value<'s> {
        if matches!(&s.expr, Expr::Var(v) if v.id == "self") {
            return Value::default();
        }
        let of = self.value(&s.expr);
        if of.kind == Kind::Document {
            self.out.attributes.push(Use {
                name: s.name.to_owned(),
                range: range.end.saturating_sub(s.name.len())..range.end,
            });
        }
        let kind = match (of.kind, s.name) {
            (Kind::Group, "list") => Kind::Documents,
            _ => Kind::Other,
        };
        let step = StepKind::Item(Some(s.name.to_owned()));
        let ways = self.stepped(of.ways, step, range);
        Value { kind, ways }
    }

    fn get_item(&mut self, s: &ast::GetItem<'s>, range: Range<usize>) -> Value<'s> {
        let of = self.value(&s.expr);
        self.value(&s.subscript_expr);
        let key = string(&s.subscript_expr, self.source);
        let step = StepKind::Item(key.as_ref().map(|key| key.name.clone()));
        let ways = self.stepped(of.ways, step, range);
        let kind = match (of.kind, &key) {
            (Kind::Documents, None) => Kind::Document,
            _ => Kind::Other,
        };
        if of.kind == Kind::Document {
            self.out.attributes.extend(key);
        }
        Value { kind, ways }
    }

    fn filter(&mut self, s: &ast::Filter<'s>, range: Range<usize>) -> Value<'s> {
        let of = match &s.expr {
            Some(expr) => self.value(expr),
            None => Value::other(std::mem::take(&mut self.block)),
        };
        self.out.filters.push(named(s.name, range.clone()));
        // What `default` falls back to goes the same way; it leaves the value itself as it is.
        let falls_back = matches!(s.name, "default" | "d");
        let mut ways = match falls_back {
            true => of.ways,
            false => self.through(s, of.ways, range),
        };
        for arg in s.args.iter().map(argument) {
            ways.extend(match falls_back {
                true => self.value(arg).ways,
                false => self.into(arg).ways,
            });
        }
        self.filter_names(s);
        if of.kind == Kind::Documents {
            self.filter_attributes(s);
        }
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
        Value { kind, ways }
    }

    /// The ways, behind a filter.
    fn through(
        &mut self,
        s: &ast::Filter<'s>,
        ways: Vec<Way<'s>>,
        whole: Range<usize>,
    ) -> Vec<Way<'s>> {
        if ways.is_empty() {
            return ways;
        }
        let text = match s.args.first() {
            Some(CallArg::Pos(e)) => string(e, self.source),
            _ => None,
        };
        let range = text.as_ref().map_or(whole, |text| text.range.clone());
        let step = StepKind::Filter {
            name: s.name.to_owned(),
            argument: text.map(|text| text.name),
        };
        self.stepped(ways, step, range)
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
}
