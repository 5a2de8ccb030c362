//! Expressions, and what is known of their values.

use super::{Kind, Use, Walker, argument, named, range, string};
use minijinja::machinery::ast::{self, CallArg, Expr};
use std::ops::Range;

impl Walker<'_> {
    pub(super) fn expression(&mut self, expr: &Expr<'_>) -> Kind {
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

    pub(super) fn all(&mut self, items: &[Expr<'_>]) -> Kind {
        for item in items {
            self.expression(item);
        }
        Kind::Other
    }

    pub(super) fn args(&mut self, args: &[CallArg<'_>]) {
        for arg in args {
            self.expression(argument(arg));
        }
    }

    pub(super) fn get_attribute(&mut self, s: &ast::GetAttr<'_>, range: Range<usize>) -> Kind {
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

    pub(super) fn get_item(&mut self, s: &ast::GetItem<'_>) -> Kind {
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

    pub(super) fn filter(&mut self, s: &ast::Filter<'_>, range: Range<usize>) -> Kind {
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
    pub(super) fn filter_names(&mut self, s: &ast::Filter<'_>) {
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
    pub(super) fn filter_attributes(&mut self, s: &ast::Filter<'_>) {
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
