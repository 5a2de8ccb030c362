//! Code that runs elsewhere than it is written: templates, blocks and macros.

use super::abstract_env::AbstractEnv;
use super::abstract_value::{AbstractValue, Fails};
use super::expressions::{Tried, plain};
use super::scope::Ran;
use super::ways::Value;
use super::{Tree, Walker, string};
use minijinja::machinery::ast::{self, CallArg, Expr, Spanned, Stmt};

/// The most levels to which templates and macros are followed into each other.
const MAX_DEPTH: usize = 12;

impl<'a> Walker<'a> {
    /// A whole template. In a setting, one that extends another hands its blocks to that.
    pub(super) fn whole(&mut self, children: &'a [Stmt<'a>]) -> Ran {
        let parent = children.iter().find_map(|s| match s {
            Stmt::Extends(s) => Some(&s.name),
            _ => None,
        });
        let Some(parent) = parent.filter(|_| self.setting.is_some()) else {
            return self.statements(children);
        };
        for child in children {
            match child {
                Stmt::Block(s) => {
                    let place = (self.template, self.source, &**s);
                    self.blocks.entry(s.name).or_insert(place);
                }
                other => self.statement(other)?,
            }
        }
        self.include(parent)
    }

    pub(super) fn block(&mut self, s: &'a ast::Block<'a>) -> Ran {
        let own = (self.template, self.source, s);
        let (template, source, block) = self.blocks.get(s.name).copied().unwrap_or(own);
        self.deferred += 1;
        let ran = self.elsewhere(template, source, self.frames.len(), |w| {
            w.bind_quietly("super", Value::default());
            w.statements(&block.body)
        });
        self.deferred -= 1;
        ran
    }

    /// Runs something of another template, where the names of the first `apart` frames may have other values.
    fn elsewhere<T>(
        &mut self,
        template: Option<&'a str>,
        source: &'a str,
        apart: usize,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = (self.template, self.source, self.apart);
        (self.template, self.source, self.apart) = (template, source, apart);
        self.depth += 1;
        let out = self.within(walk);
        self.depth -= 1;
        (self.template, self.source, self.apart) = before;
        out
    }

    /// In a setting, what an `include` runs.
    pub(super) fn include(&mut self, name: &'a Expr<'a>) -> Ran {
        let Some(setting) = self.setting else {
            return Ok(());
        };
        let found = string(name, self.source)
            .and_then(|used| setting.common.templates.get_key_value(used.name.as_str()));
        let Some((name, code)) = found else {
            return Ok(());
        };
        if self.is_too_deep() {
            return Ok(());
        }
        match &code.tree {
            Tree::Template(tree) => {
                self.elsewhere(Some(name), code.source, self.apart, |w| w.statement(tree))
            }
            Tree::Expression(_) => Ok(()),
        }
    }

    pub(super) fn call(&mut self, s: &'a Spanned<ast::Call<'a>>) -> Tried<'a> {
        if let Expr::Var(name) = &s.expr {
            self.use_function(name, s);
        } else {
            self.value(&s.expr)?;
        }
        let (args, ways) = self.arguments(&s.args, false)?;
        let known = match &s.expr {
            Expr::Var(name) => self.answer(name.id, &s.args, &args)?,
            _ => AbstractValue::Anything,
        };
        Ok(Value::new(known, ways))
    }

    /// The known result of a function or macro.
    fn answer(
        &mut self,
        name: &str,
        args: &'a [CallArg<'a>],
        known: &[AbstractValue],
    ) -> Result<AbstractValue, Fails> {
        if let (Some(setting), "loaded", Some([AbstractValue::Value(layer)])) =
            (self.setting, name, plain(args, known))
            && let Some(layer) = layer.as_str()
        {
            return Ok(setting.loaded(layer));
        }
        match self.is_local(name) {
            true => Ok(AbstractValue::Anything),
            false => self.call_macro(name, args, known),
        }
    }

    /// A macro is run where it is called. Without following calls, it is walked where it is defined.
    pub(super) fn define(&mut self, s: &'a ast::Macro<'a>) {
        if self.setting.is_some() {
            let place = (self.template, self.source, s);
            self.macros.insert(s.name, place);
            return;
        }
        self.bind(s.name, Value::default());
        self.macro_body(s);
    }

    fn call_macro(
        &mut self,
        name: &str,
        args: &'a [CallArg<'a>],
        known: &[AbstractValue],
    ) -> Result<AbstractValue, Fails> {
        let Some((template, source, called)) = self.macros.get(name).copied() else {
            return Ok(AbstractValue::Anything);
        };
        if self.is_too_deep() {
            return Ok(AbstractValue::Anything);
        }
        let mut given = Vec::new();
        let mut defaults = Vec::new();
        let first_default = called.args.len() - called.defaults.len();
        for (i, arg) in called.args.iter().enumerate() {
            let Expr::Var(arg) = arg else { continue };
            let mut all = args.iter().zip(known).enumerate();
            let own = all.find_map(|(at, (given, known))| match given {
                CallArg::Pos(_) if at == i => Some(known),
                CallArg::Kwarg(key, _) if *key == arg.id => Some(known),
                _ => None,
            });
            let fallback = i
                .checked_sub(first_default)
                .and_then(|d| called.defaults.get(d));
            let known = match (own, fallback) {
                (Some(known), None) => known.clone(),
                (Some(known), Some(_)) if known.is_there() == Some(true) => known.clone(),
                _ => {
                    defaults.extend(fallback);
                    AbstractValue::Anything
                }
            };
            given.push((arg.id, known));
        }
        self.elsewhere(template, source, self.frames.len(), |w| {
            for (name, known) in given {
                w.bind_quietly(name, known.into());
            }
            for default in defaults {
                w.value(default)?;
            }
            w.statements(&called.body)
        })?;
        Ok(AbstractValue::Present)
    }

    /// Runs the macro of that name, if it is one, as any holder of its value may: anywhere, and with any arguments.
    pub(super) fn hand_on(&mut self, name: &str) {
        let Some(AbstractEnv { assumed, .. }) = self.setting else {
            return;
        };
        let Some((name, place)) = self.macros.get_key_value(name) else {
            return;
        };
        let (name, (template, source, called)) = (*name, *place);
        if self.unseen || self.is_local(name) || self.is_too_deep() || !self.handed_on.insert(name)
        {
            return;
        }
        let failures = self.shown.failures.len();
        let assumed = std::mem::replace(&mut self.assumed, assumed.clone());
        self.elsewhere(template, source, self.frames.len(), |w| {
            w.macro_body(called);
        });
        self.assumed = assumed;
        self.shown.failures.truncate(failures);
    }

    /// The behaviour of a macro with any arguments. Its defaults see the arguments where it runs; names from outside
    /// must exist where it is defined.
    pub(super) fn macro_body(&mut self, s: &'a ast::Macro<'a>) {
        let follows = self.setting.is_some();
        let defaults = |walker: &mut Self| {
            for default in &s.defaults {
                let _ = walker.value(default);
            }
        };
        if !follows {
            defaults(self);
        }
        self.deferred += 1;
        self.within(|w| {
            w.bind_quietly("caller", Value::default());
            for arg in &s.args {
                let _ = w.target(arg, Value::default());
            }
            if follows {
                defaults(w);
            }
            let _ = w.statements(&s.body);
        });
        self.deferred -= 1;
    }

    /// Whether no more templates and macros are followed from here, so that not all is seen.
    fn is_too_deep(&mut self) -> bool {
        let is_too_deep = self.depth >= MAX_DEPTH;
        self.shown.cut_short |= is_too_deep;
        is_too_deep
    }
}
