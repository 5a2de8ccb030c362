//! Calls of functions, and what they ask for by name.

use super::ways::Value;
use super::{ExistsUse, TemplateUse, Use, Walker, string};
use crate::diagnostic::LITERAL_REQUIRED;
use crate::expr::builtin::FUNCTIONS;
use crate::expr::failure::Failure;
use minijinja::machinery::ast::{self, CallArg, Expr};
use std::ops::Range;

impl<'s> Walker<'s> {
    pub(super) fn call(&mut self, s: &ast::Call<'s>, range: Range<usize>) -> Value<'s> {
        match &s.expr {
            Expr::Var(var) => self.function(var.id, super::range(var.span()), s, range),
            callee => drop(self.value(callee)),
        }
        self.arguments(&s.args)
    }

    fn function(&mut self, name: &str, at: Range<usize>, s: &ast::Call<'_>, whole: Range<usize>) {
        if self.frames.iter().any(|frame| frame.contains_key(name)) {
            return;
        }
        if self.deferred > 0 && !FUNCTIONS.contains(&name) {
            // Perhaps a macro that is defined further down.
            self.read(name, at, false);
            return;
        }
        self.out.functions.push(Use {
            name: name.to_owned(),
            range: at,
        });
        match name {
            "exists" => self.exists(s, whole),
            "loaded" => self.loaded(s, whole),
            _ => {}
        }
    }

    fn exists(&mut self, s: &ast::Call<'_>, range: Range<usize>) {
        let literal = |e: &Expr<'_>| string(e, self.source).map(|u| u.name);
        let found = match s.args.as_slice() {
            [CallArg::Pos(file)] => literal(file).map(|f| (f, "workspace".to_owned())),
            [
                CallArg::Pos(file),
                CallArg::Pos(root) | CallArg::Kwarg("root", root),
            ] => literal(file).zip(literal(root)),
            _ => None,
        };
        match found {
            Some((file, root)) => self.out.exists.push(ExistsUse { file, root, range }),
            None => self.not_literal(
                "exists() takes a quoted file name and perhaps root=\"…\"",
                range,
            ),
        }
    }

    fn loaded(&mut self, s: &ast::Call<'_>, range: Range<usize>) {
        match s.args.as_slice() {
            [CallArg::Pos(layer)] if string(layer, self.source).is_some() => {
                self.out.loaded.extend(string(layer, self.source));
            }
            _ => self.not_literal("loaded() takes the quoted name of one layer", range),
        }
    }

    pub(super) fn template_name(&mut self, expr: &Expr<'s>, may_be_missing: bool) {
        let one = std::slice::from_ref(expr);
        let (items, several) = match expr {
            Expr::List(list) => (list.items.as_slice(), true),
            Expr::Tuple(tuple) => (tuple.items.as_slice(), true),
            _ => (one, false),
        };
        for item in items {
            match string(item, self.source) {
                Some(used) => self.out.templates.push(TemplateUse {
                    name: used.name,
                    range: used.range,
                    may_be_missing: may_be_missing || several,
                }),
                None => {
                    self.value(item);
                    self.not_literal(
                        "a template is named by a plain quoted name",
                        super::range(item.span()),
                    );
                }
            }
        }
    }

    fn not_literal(&mut self, message: &str, range: Range<usize>) {
        self.out
            .problems
            .push(Failure::new(LITERAL_REQUIRED, message).at(range));
    }
}
