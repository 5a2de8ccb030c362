//! Code that runs elsewhere than it is written: blocks and macros.

use super::Walker;
use super::ways::TracedValue;
use minijinja::machinery::ast::{self, Expr, Spanned};

impl<'a> Walker<'a> {
    pub(super) fn block(&mut self, s: &'a ast::Block<'a>) {
        self.deferred += 1;
        let apart = std::mem::replace(&mut self.apart, self.frames.len());
        self.within(|w| {
            w.bind_quietly("super", TracedValue::default());
            w.statements(&s.body);
        });
        self.apart = apart;
        self.deferred -= 1;
    }

    pub(super) fn call(&mut self, s: &'a Spanned<ast::Call<'a>>) -> TracedValue<'a> {
        if let Expr::Var(name) = &s.expr {
            self.use_function(name, s);
        } else {
            self.value(&s.expr);
        }
        TracedValue::of_ways(self.arguments(&s.args, false))
    }

    /// The behaviour of a macro with any arguments. Its defaults see the arguments where it runs; names from outside
    /// must exist where it is defined.
    pub(super) fn macro_body(&mut self, s: &'a ast::Macro<'a>) {
        for default in &s.defaults {
            self.value(default);
        }
        self.deferred += 1;
        self.within(|w| {
            w.bind_quietly("caller", TracedValue::default());
            for arg in &s.args {
                w.target(arg, TracedValue::default());
            }
            w.statements(&s.body);
        });
        self.deferred -= 1;
    }
}
