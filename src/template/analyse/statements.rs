//! Statements: what they set and print.

use super::ways::{StepKind, TracedValue, Way};
use super::{Kind, Walker, Wanted};
use crate::template::spans::range;
use minijinja::machinery::ast::{self, Expr, Spanned, Stmt};

impl<'a> Walker<'a> {
    pub(super) fn statements(&mut self, all: &'a [Stmt<'a>]) {
        for statement in all {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &'a Stmt<'a>) {
        match statement {
            Stmt::Template(s) => self.statements(&s.children),
            Stmt::EmitExpr(s) => {
                let value = self.value(&s.expr);
                self.print(value.ways);
            }
            Stmt::EmitRaw(_) | Stmt::Continue(_) | Stmt::Break(_) => {}
            Stmt::ForLoop(s) => self.for_loop(s),
            Stmt::IfCond(s) => {
                self.expression(&s.expr, Wanted::Truth);
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
                let ways = self.captured(&s.body, s.filter.as_ref());
                self.target(&s.target, TracedValue::of_ways(ways));
            }
            Stmt::AutoEscape(s) => {
                self.value(&s.enabled);
                self.within(|w| w.statements(&s.body));
            }
            Stmt::FilterBlock(s) => {
                let ways = self.captured(&s.body, Some(&s.filter));
                self.print(ways);
            }
            Stmt::Block(s) => self.block(s),
            Stmt::Macro(s) => {
                self.bind(s.name, TracedValue::default());
                self.macro_body(s);
            }
            Stmt::CallBlock(s) => {
                let value = self.call(&s.call);
                self.print(value.ways);
                self.macro_body(&s.macro_decl);
            }
            Stmt::Do(s) => drop(self.call(&s.call)),
            Stmt::Import(s) => {
                self.use_templates(&s.expr, false);
                self.target(&s.name, TracedValue::default());
            }
            Stmt::FromImport(s) => self.imported(s),
            Stmt::Extends(s) => self.use_templates(&s.name, false),
            Stmt::Include(s) => self.use_templates(&s.name, s.ignore_missing),
        }
    }

    fn imported(&mut self, s: &'a ast::FromImport<'a>) {
        self.use_templates(&s.expr, false);
        for (name, alias) in &s.names {
            let mut value = TracedValue::default();
            // A name that the template does not set is looked up like any other.
            if let Expr::Var(var) = name {
                value.ways.push(self.read(var.id, range(var.span()), true));
            }
            self.target(alias.as_ref().unwrap_or(name), value);
        }
    }

    /// The output of a body through the filters of its block, which is not printed.
    fn captured(&mut self, body: &'a [Stmt<'a>], filter: Option<&'a Expr<'a>>) -> Vec<Way<'a>> {
        let outer = std::mem::take(&mut self.printed);
        self.within(|w| w.statements(body));
        let ways = std::mem::replace(&mut self.printed, outer);
        let Some(filter) = filter else {
            return ways;
        };
        self.block = ways;
        self.value(filter).ways
    }

    fn for_loop(&mut self, s: &'a Spanned<ast::ForLoop<'a>>) {
        let list = self.value(&s.iter);
        let kind = match list.kind {
            Kind::Documents => Kind::Document,
            Kind::Groups => Kind::Group,
            _ => Kind::Other,
        };
        let ways = self.stepped(list.ways, || (StepKind::Each, range(s.iter.span())));
        self.within(|w| {
            w.target(&s.target, TracedValue { kind, ways });
            if let Some(filter) = &s.filter_expr {
                w.expression(filter, Wanted::Truth);
            }
            w.bind_quietly("loop", TracedValue::default());
            w.statements(&s.body);
        });
        self.either(|_| {}, |w| w.statements(&s.else_body));
    }
}
