//! Statements: what they set and what they print.

use super::ways::{StepKind, Value};
use super::{Kind, Walker, range};
use minijinja::machinery::ast::{self, Expr, Stmt};

impl<'s> Walker<'s> {
    fn statements(&mut self, statements: &[Stmt<'s>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &Stmt<'s>) {
        match statement {
            Stmt::Template(s) => self.statements(&s.children),
            Stmt::EmitExpr(s) => {
                let value = self.value(&s.expr);
                self.print(value.ways);
            }
            Stmt::EmitRaw(_) | Stmt::Continue(_) | Stmt::Break(_) => {}
            Stmt::ForLoop(s) => self.for_loop(s),
            Stmt::IfCond(s) => {
                self.condition(&s.expr);
                self.either(
                    |w| w.statements(&s.true_body),
                    |w| w.statements(&s.false_body),
                );
            }
            Stmt::WithBlock(s) => self.within(|w| {
                for (target, value) in &s.assignments {
                    let value = w.value(value);
                    w.target(target, value);
                }
                w.statements(&s.body);
            }),
            Stmt::Set(s) => {
                let value = self.value(&s.expr);
                self.target(&s.target, value);
            }
            Stmt::SetBlock(s) => {
                let value = self.captured(&s.body, s.filter.as_ref());
                self.target(&s.target, value);
            }
            Stmt::AutoEscape(s) => {
                self.value(&s.enabled);
                self.within(|w| w.statements(&s.body));
            }
            Stmt::FilterBlock(s) => {
                let value = self.captured(&s.body, Some(&s.filter));
                self.print(value.ways);
            }
            Stmt::Block(s) => self.block(s),
            Stmt::Import(s) => {
                self.template_name(&s.expr, false);
                self.target(&s.name, Value::default());
            }
            Stmt::FromImport(s) => {
                self.template_name(&s.expr, false);
                for (name, alias) in &s.names {
                    // What that template does not set is looked up as any other name.
                    let value = match name {
                        Expr::Var(var) => self.imported(var.id, range(var.span())),
                        _ => Value::default(),
                    };
                    self.target(alias.as_ref().unwrap_or(name), value);
                }
            }
            Stmt::Extends(s) => self.template_name(&s.name, false),
            Stmt::Include(s) => self.template_name(&s.name, s.ignore_missing),
            Stmt::Macro(s) => {
                self.bind(s.name, Value::default());
                self.macro_body(s);
            }
            Stmt::CallBlock(s) => {
                let value = self.call(&s.call, range(s.call.span()));
                self.print(value.ways);
                self.macro_body(&s.macro_decl);
            }
            Stmt::Do(s) => drop(self.call(&s.call, range(s.call.span()))),
        }
    }

    /// What a body prints, behind the filters of its block, instead of printing it.
    fn captured(&mut self, body: &[Stmt<'s>], filter: Option<&Expr<'s>>) -> Value<'s> {
        let outer = std::mem::take(&mut self.printed);
        self.within(|w| w.statements(body));
        let ways = std::mem::replace(&mut self.printed, outer);
        match filter {
            None => Value::other(ways),
            Some(filter) => {
                self.block = ways;
                self.value(filter)
            }
        }
    }

    fn block(&mut self, s: &ast::Block<'s>) {
        let around = std::mem::replace(&mut self.around_block, self.frames.len());
        self.later(|w| {
            w.bind_quietly("super", Value::default());
            w.statements(&s.body);
        });
        self.around_block = around;
    }

    fn for_loop(&mut self, s: &ast::ForLoop<'s>) {
        let list = self.value(&s.iter);
        let item = Value {
            kind: match list.kind {
                Kind::Documents => Kind::Document,
                Kind::Groups => Kind::Group,
                _ => Kind::Other,
            },
            ways: self.stepped(list.ways, StepKind::Each, range(s.iter.span())),
        };
        self.within(|w| {
            w.target(&s.target, item);
            if let Some(filter) = &s.filter_expr {
                w.condition(filter);
            }
            w.bind_quietly("loop", Value::default());
            w.statements(&s.body);
        });
        self.within(|w| w.statements(&s.else_body));
    }

    fn macro_body(&mut self, s: &ast::Macro<'s>) {
        for default in &s.defaults {
            self.value(default);
        }
        self.later(|w| {
            w.bind_quietly("caller", Value::default());
            for arg in &s.args {
                w.target(arg, Value::default());
            }
            w.statements(&s.body);
        });
    }

    /// Binds what stands left of `=` or `in`.
    fn target(&mut self, target: &Expr<'s>, value: Value<'s>) {
        match target {
            Expr::Var(var) => self.bind(var.id, value),
            Expr::List(list) => self.targets(&list.items, &value),
            Expr::Tuple(tuple) => self.targets(&tuple.items, &value),
            // namespace.name: the namespace is only used
            Expr::GetAttr(attr) => drop(self.value(&attr.expr)),
            other => drop(self.value(other)),
        }
    }

    fn targets(&mut self, items: &[Expr<'s>], value: &Value<'s>) {
        for (i, item) in items.iter().enumerate() {
            let kind = match (value.kind, i) {
                (Kind::Group, 1) => Kind::Documents,
                _ => Kind::Other,
            };
            let ways = value.ways.clone();
            self.target(item, Value { kind, ways });
        }
    }
}
