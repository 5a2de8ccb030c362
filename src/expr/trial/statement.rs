//! Templates, tried.

use super::known::{Fails, Known};
use super::{Tree, expression::Walker};
use crate::expr::analyse;
use minijinja::machinery::ast::{self, CallArg, Expr, Stmt};
use std::collections::BTreeMap;

/// How deeply templates and macros are followed into each other.
const MAX_DEPTH: usize = 12;

impl<'a> Walker<'a, '_> {
    fn statements(&mut self, all: &'a [Stmt<'a>]) -> Result<(), Fails> {
        all.iter().try_for_each(|s| self.statement(s))
    }

    /// Runs what may not be run: what it fails at does not end the whole.
    fn perhaps(&mut self, all: &'a [Stmt<'a>]) {
        let _ = self.statements(all);
    }

    fn within<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.locals.push(BTreeMap::new());
        let out = walk(self);
        self.locals.pop();
        out
    }

    pub(super) fn statement(&mut self, statement: &'a Stmt<'a>) -> Result<(), Fails> {
        let Some(fuel) = self.fuel.checked_sub(1) else {
            self.shown.cut_short = true;
            return Ok(());
        };
        self.fuel = fuel;
        match statement {
            Stmt::Template(s) => return self.template(&s.children),
            Stmt::EmitExpr(s) => {
                let known = self.value(&s.expr)?;
                if known.is_missing() {
                    self.checked(Err::<(), _>(Fails), &s.expr)?;
                }
            }
            Stmt::ForLoop(s) => return self.for_loop(s),
            Stmt::IfCond(s) => return self.branches(s, false),
            Stmt::WithBlock(s) => {
                return self.within(|w| {
                    for (target, value) in &s.assignments {
                        let known = w.value(value)?;
                        w.bind(target, &known);
                    }
                    w.statements(&s.body)
                });
            }
            Stmt::Set(s) => {
                let known = self.value(&s.expr)?;
                self.bind(&s.target, &known);
            }
            Stmt::SetBlock(s) => {
                self.within(|w| w.statements(&s.body))?;
                if let Some(filter) = &s.filter {
                    self.value(filter)?;
                }
                self.bind(&s.target, &Known::Present);
            }
            Stmt::AutoEscape(s) => {
                self.value(&s.enabled)?;
                return self.within(|w| w.statements(&s.body));
            }
            Stmt::FilterBlock(s) => {
                self.within(|w| w.statements(&s.body))?;
                self.value(&s.filter)?;
            }
            Stmt::Block(s) => return self.block(s),
            Stmt::Macro(s) => {
                let place = (self.template, self.source, &**s);
                self.macros.insert(s.name, place);
            }
            Stmt::CallBlock(s) => {
                drop(self.call(&s.call));
                self.macro_body(&s.macro_decl);
            }
            Stmt::Do(s) => drop(self.call(&s.call)?),
            Stmt::Import(s) => self.bind(&s.name, &Known::Anything),
            Stmt::FromImport(s) => {
                for (name, alias) in &s.names {
                    self.bind(alias.as_ref().unwrap_or(name), &Known::Anything);
                }
            }
            Stmt::Include(s) => return self.include(&s.name),
            Stmt::EmitRaw(_) | Stmt::Continue(_) | Stmt::Break(_) | Stmt::Extends(_) => {}
        }
        Ok(())
    }

    /// A whole template. One that extends another hands its blocks to that.
    fn template(&mut self, children: &'a [Stmt<'a>]) -> Result<(), Fails> {
        let parent = children.iter().find_map(|s| match s {
            Stmt::Extends(s) => Some(&s.name),
            _ => None,
        });
        let Some(parent) = parent else {
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

    fn block(&mut self, s: &'a ast::Block<'a>) -> Result<(), Fails> {
        let own = (self.template, self.source, s);
        let (template, source, block) = self.blocks.get(s.name).copied().unwrap_or(own);
        self.elsewhere(template, source, |w| w.apart(|w| w.statements(&block.body)))
    }

    /// Runs what is also run, or was made, where the names that are set here have other values.
    fn apart<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let frames = self.locals.len();
        let before = std::mem::replace(&mut self.apart, frames);
        let out = self.within(walk);
        self.locals.truncate(frames);
        self.apart = before;
        out
    }

    /// Runs something of another template.
    fn elsewhere<T>(
        &mut self,
        template: Option<&'a str>,
        source: &'a str,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = (self.template, self.source);
        (self.template, self.source) = (template, source);
        self.depth += 1;
        let out = self.within(walk);
        self.depth -= 1;
        (self.template, self.source) = before;
        out
    }

    fn include(&mut self, name: &'a Expr<'a>) -> Result<(), Fails> {
        let setting = self.setting;
        let found = analyse::string(name, self.source)
            .and_then(|used| setting.common.templates.get_key_value(used.name.as_str()));
        let Some((name, code)) = found else {
            return Ok(());
        };
        if self.is_too_deep() {
            return Ok(());
        }
        match &code.tree {
            Tree::Template(tree) => self.elsewhere(Some(name), code.source, |w| w.statement(tree)),
            Tree::Expression(_) => Ok(()),
        }
    }

    pub(super) fn call_macro(
        &mut self,
        name: &str,
        args: &[CallArg<'_>],
        known: &[Known],
    ) -> Result<Known, Fails> {
        let Some((template, source, called)) = self.macros.get(name).copied() else {
            return Ok(Known::Anything);
        };
        if self.is_too_deep() {
            return Ok(Known::Anything);
        }
        let mut frame = BTreeMap::new();
        let mut defaults = Vec::new();
        let first_default = called.args.len() - called.defaults.len();
        for (i, arg) in called.args.iter().enumerate() {
            let Expr::Var(arg) = arg else { continue };
            let mut all = args.iter().zip(known).enumerate();
            let given = all.find_map(|(at, (given, known))| match given {
                CallArg::Pos(_) if at == i => Some(known),
                CallArg::Kwarg(key, _) if *key == arg.id => Some(known),
                _ => None,
            });
            let fallback = i
                .checked_sub(first_default)
                .and_then(|d| called.defaults.get(d));
            let known = match (given, fallback) {
                (Some(known), None) => known.clone(),
                (Some(known), Some(_)) if known.is_there() == Some(true) => known.clone(),
                _ => {
                    defaults.extend(fallback);
                    Known::Anything
                }
            };
            frame.insert(arg.id.to_owned(), known);
        }
        self.elsewhere(template, source, |w| {
            w.apart(|w| {
                w.locals.push(frame);
                for default in defaults {
                    w.value(default)?;
                }
                w.statements(&called.body)
            })
        })?;
        Ok(Known::Present)
    }

    /// Runs the macro of that name, if it is one, as whoever has it for a value may: anywhere, and with anything.
    pub(super) fn hand_on(&mut self, name: &str) {
        let Some((name, (template, source, called))) = self.macros.get_key_value(name) else {
            return;
        };
        let (name, template, source, called) = (*name, *template, *source, *called);
        if self.unseen || self.is_local(name) || self.is_too_deep() || !self.handed_on.insert(name)
        {
            return;
        }
        let failures = self.shown.failures.len();
        let assumed = std::mem::replace(&mut self.assumed, self.setting.assumed.clone());
        self.elsewhere(template, source, |w| {
            w.apart(|w| w.macro_body(called));
        });
        self.assumed = assumed;
        self.shown.failures.truncate(failures);
    }

    /// What a macro does with anything for arguments.
    fn macro_body(&mut self, s: &'a ast::Macro<'a>) {
        self.within(|w| {
            for arg in &s.args {
                w.bind(arg, &Known::Anything);
            }
            for default in &s.defaults {
                let _ = w.value(default);
            }
            w.perhaps(&s.body);
        });
    }

    /// Whether no more templates and macros are followed from here, so that not all is seen.
    fn is_too_deep(&mut self) -> bool {
        let is_too_deep = self.depth >= MAX_DEPTH;
        self.shown.cut_short |= is_too_deep;
        is_too_deep
    }

    fn for_loop(&mut self, s: &'a ast::ForLoop<'a>) -> Result<(), Fails> {
        let items = self.value(&s.iter)?;
        if items.is_missing() {
            self.checked(Err::<(), _>(Fails), &s.iter)?;
        }
        let before = self.assumed.clone();
        // The body may not be run, and it may be run again with names that it has set.
        if items.truth() != Some(false) {
            self.within(|w| {
                w.bind(&s.target, &Known::Anything);
                w.bind_name("loop", Known::Present);
                if let Some(filter) = &s.filter_expr {
                    let _ = w.value(filter);
                    w.assume(filter, true);
                }
                w.perhaps(&s.body);
            });
        }
        self.assumed = before;
        if items.truth() != Some(true) {
            self.perhaps(&s.else_body);
        }
        Ok(())
    }

    fn branches(&mut self, s: &'a ast::IfCond<'a>, chained: bool) -> Result<(), Fails> {
        let truth = self.truth(&s.expr)?;
        self.note(&s.expr, truth, chained);
        if truth != Some(false) {
            self.pass_over(&s.false_body);
        }
        match truth {
            Some(true) => self.statements(&s.true_body),
            Some(false) => self.otherwise(&s.false_body),
            None => {
                let assumed = self.assumed.clone();
                self.assume(&s.expr, true);
                let (yes, set_by_yes) = self.branch(|w| w.statements(&s.true_body));
                self.assumed.clone_from(&assumed);
                self.assume(&s.expr, false);
                let (no, set_by_no) = self.branch(|w| w.otherwise(&s.false_body));
                self.assumed = assumed;
                self.merge(set_by_yes, set_by_no);
                yes.or(no)
            }
        }
    }

    fn otherwise(&mut self, body: &'a [Stmt<'a>]) -> Result<(), Fails> {
        match body {
            [Stmt::IfCond(chained)] => self.branches(chained, true),
            _ => self.statements(body),
        }
    }

    /// The tests of a chain behind one that may hold: which way they would go by themselves.
    fn pass_over(&mut self, body: &'a [Stmt<'a>]) {
        let [Stmt::IfCond(next)] = body else { return };
        let unseen = std::mem::replace(&mut self.unseen, true);
        let truth = self.truth(&next.expr).unwrap_or(None);
        self.unseen = unseen;
        if unseen {
            return;
        }
        let place = self.place_of(&next.expr);
        let outcome = self.shown.tests.entry(place).or_default();
        outcome.passed_over.insert(truth);
        outcome.chained = true;
        self.pass_over(&next.false_body);
    }

    /// Walks a branch, and gives back what it sets.
    fn branch<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> (T, BTreeMap<String, Known>) {
        self.locals.push(BTreeMap::new());
        let out = walk(self);
        (out, self.locals.pop().unwrap_or_default())
    }

    /// Behind two branches a name may be what either has made of it.
    fn merge(&mut self, mut yes: BTreeMap<String, Known>, no: BTreeMap<String, Known>) {
        let Some(frame) = self.locals.last_mut() else {
            return;
        };
        let mut either = |name: String, one: Known, other: Option<Known>| {
            let other = other.or_else(|| frame.get(&name).cloned());
            frame.insert(name, other.map_or(Known::Anything, |other| one.or(other)));
        };
        for (name, known) in no {
            let other = yes.remove(&name);
            either(name, known, other);
        }
        for (name, known) in yes {
            either(name, known, None);
        }
    }

    fn bind_name(&mut self, name: &str, known: Known) {
        if let Some(frame) = self.locals.last_mut() {
            frame.insert(name.to_owned(), known);
        }
    }

    fn bind(&mut self, target: &Expr<'_>, known: &Known) {
        match target {
            Expr::Var(var) => self.bind_name(var.id, known.clone()),
            Expr::List(list) => list
                .items
                .iter()
                .for_each(|t| self.bind(t, &Known::Anything)),
            Expr::Tuple(list) => list
                .items
                .iter()
                .for_each(|t| self.bind(t, &Known::Anything)),
            _ => {}
        }
    }
}
