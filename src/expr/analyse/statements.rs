//! Statements, and the names that they set.

use super::{Kind, Walker, range};
use minijinja::machinery::ast::{self, Expr, Stmt};

impl Walker<'_> {
    pub(super) fn statements(&mut self, statements: &[Stmt<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(s) => self.statements(&s.children),
            Stmt::EmitExpr(s) => drop(self.expression(&s.expr)),
            Stmt::EmitRaw(_) | Stmt::Continue(_) | Stmt::Break(_) => {}
            Stmt::ForLoop(s) => self.for_loop(s),
            Stmt::IfCond(s) => self.branches(s),
            Stmt::WithBlock(s) => self.within(|w| {
                for (target, value) in &s.assignments {
                    let kind = w.expression(value);
                    w.target(target, kind);
                }
                w.statements(&s.body);
            }),
            Stmt::Set(s) => {
                let kind = self.expression(&s.expr);
                self.target(&s.target, kind);
            }
            Stmt::SetBlock(s) => {
                self.within(|w| w.statements(&s.body));
                if let Some(filter) = &s.filter {
                    self.expression(filter);
                }
                self.target(&s.target, Kind::Other);
            }
            Stmt::AutoEscape(s) => {
                self.expression(&s.enabled);
                self.within(|w| w.statements(&s.body));
            }
            Stmt::FilterBlock(s) => {
                self.expression(&s.filter);
                self.within(|w| w.statements(&s.body));
            }
            Stmt::Block(s) => self.block(s),
            Stmt::Import(s) => {
                self.template_name(&s.expr, false);
                self.target(&s.name, Kind::Other);
            }
            Stmt::FromImport(s) => {
                self.template_name(&s.expr, false);
                for (name, alias) in &s.names {
                    // What that template does not set is looked up as any other name.
                    if let Expr::Var(var) = name {
                        self.read(var.id, range(var.span()), true);
                    }
                    self.target(alias.as_ref().unwrap_or(name), Kind::Other);
                }
            }
            Stmt::Extends(s) => self.template_name(&s.name, false),
            Stmt::Include(s) => self.template_name(&s.name, s.ignore_missing),
            Stmt::Macro(s) => {
                self.bind(s.name, Kind::Other);
                self.macro_body(s);
            }
            Stmt::CallBlock(s) => {
                self.call(&s.call, range(s.call.span()));
                self.macro_body(&s.macro_decl);
            }
            Stmt::Do(s) => drop(self.call(&s.call, range(s.call.span()))),
        }
    }

    pub(super) fn block(&mut self, s: &ast::Block<'_>) {
        let around = std::mem::replace(&mut self.around_block, self.frames.len());
        self.later(|w| {
            w.bind_quietly("super");
            w.statements(&s.body);
        });
        self.around_block = around;
    }

    /// Binds a name that is no variable of the template.
    pub(super) fn bind_quietly(&mut self, name: &str) {
        if let Some(frame) = self.frames.last_mut() {
            frame.surely.insert(name.to_owned(), Kind::Other);
        }
    }

    pub(super) fn for_loop(&mut self, s: &ast::ForLoop<'_>) {
        let items = match self.expression(&s.iter) {
            Kind::Documents => Kind::Document,
            Kind::Groups => Kind::Group,
            _ => Kind::Other,
        };
        self.within(|w| {
            w.target(&s.target, items);
            if let Some(filter) = &s.filter_expr {
                w.expression(filter);
            }
            w.bind_quietly("loop");
            w.statements(&s.body);
        });
        self.within(|w| w.statements(&s.else_body));
    }

    /// Both branches see what was set before; behind them, what both set is surely set.
    pub(super) fn branches(&mut self, s: &ast::IfCond<'_>) {
        self.expression(&s.expr);
        let before = self.frames.last().cloned().unwrap_or_default();
        self.statements(&s.true_body);
        let yes = self.frames.last().cloned().unwrap_or_default();
        if let Some(frame) = self.frames.last_mut() {
            *frame = before;
        }
        self.statements(&s.false_body);
        let Some(no) = self.frames.last_mut() else {
            return;
        };
        no.maybe.extend(yes.maybe);
        for (name, kind) in &yes.surely {
            match no.surely.get_mut(name) {
                Some(known) if known != kind => *known = Kind::Other,
                Some(_) => {}
                None => drop(no.maybe.insert(name.clone())),
            }
        }
        let only_here: Vec<String> = no
            .surely
            .keys()
            .filter(|name| !yes.surely.contains_key(*name))
            .cloned()
            .collect();
        for name in only_here {
            no.surely.remove(&name);
            no.maybe.insert(name);
        }
    }

    pub(super) fn macro_body(&mut self, s: &ast::Macro<'_>) {
        for default in &s.defaults {
            self.expression(default);
        }
        self.later(|w| {
            w.bind_quietly("caller");
            for arg in &s.args {
                w.target(arg, Kind::Other);
            }
            w.statements(&s.body);
        });
    }

    /// Binds what stands left of `=` or `in`.
    pub(super) fn target(&mut self, target: &Expr<'_>, kind: Kind) {
        match target {
            Expr::Var(var) => self.bind(var.id, kind),
            Expr::List(list) => self.targets(&list.items, kind),
            Expr::Tuple(tuple) => self.targets(&tuple.items, kind),
            // namespace.name: the namespace is only used
            Expr::GetAttr(attr) => drop(self.expression(&attr.expr)),
            other => drop(self.expression(other)),
        }
    }

    pub(super) fn targets(&mut self, items: &[Expr<'_>], kind: Kind) {
        for (i, item) in items.iter().enumerate() {
            let second_of_group = kind == Kind::Group && i == 1;
            self.target(
                item,
                if second_of_group {
                    Kind::Documents
                } else {
                    Kind::Other
                },
            );
        }
    }
}
