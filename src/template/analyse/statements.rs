//! Statements: what they set and print, and which branches they take.

use super::abstract_value::{AbstractValue, Fails};
use super::scope::Ran;
use super::ways::{StepKind, Value, Way};
use super::{Kind, Outcome, Walker};
use crate::template::expr_span::range;
use minijinja::machinery::ast::{self, Expr, Spanned, Stmt};

impl<'a> Walker<'a> {
    pub(super) fn statements(&mut self, all: &'a [Stmt<'a>]) -> Ran {
        all.iter().try_for_each(|s| self.statement(s))
    }

    /// Runs what may not be run: what it fails at does not end the whole.
    pub(super) fn perhaps(&mut self, all: &'a [Stmt<'a>]) -> Ran {
        let _ = self.statements(all);
        Ok(())
    }

    pub(super) fn statement(&mut self, statement: &'a Stmt<'a>) -> Ran {
        let Some(fuel) = self.fuel.checked_sub(1) else {
            self.shown.cut_short = true;
            return Ok(());
        };
        self.fuel = fuel;
        match statement {
            Stmt::Template(s) => return self.whole(&s.children),
            Stmt::EmitExpr(s) => {
                let value = self.present(&s.expr)?;
                self.print(value.ways);
            }
            Stmt::EmitRaw(s) => {
                self.out.prints_text |= self.frames.len() == 1 && !s.raw.trim().is_empty();
            }
            Stmt::Continue(_) | Stmt::Break(_) => {}
            Stmt::ForLoop(s) => return self.for_loop(s),
            Stmt::IfCond(s) => return self.branches(s),
            Stmt::WithBlock(s) => {
                return self.within(|w| {
                    for (target, value) in &s.assignments {
                        let value = w.value(value)?;
                        w.target(target, value)?;
                    }
                    w.statements(&s.body)
                });
            }
            Stmt::Set(s) => {
                let value = self.value(&s.expr)?;
                self.target(&s.target, value)?;
            }
            Stmt::SetBlock(s) => {
                let ways = self.captured(&s.body, s.filter.as_ref())?;
                self.target(&s.target, Value::new(AbstractValue::Present, ways))?;
            }
            Stmt::AutoEscape(s) => {
                self.value(&s.enabled)?;
                return self.within(|w| w.statements(&s.body));
            }
            Stmt::FilterBlock(s) => {
                let ways = self.captured(&s.body, Some(&s.filter))?;
                self.print(ways);
            }
            Stmt::Block(s) => return self.block(s),
            Stmt::Macro(s) => self.define(s),
            Stmt::CallBlock(s) => {
                if let Ok(value) = self.call(&s.call) {
                    self.print(value.ways);
                }
                self.macro_body(&s.macro_decl);
            }
            Stmt::Do(s) => return self.call(&s.call).map(drop),
            Stmt::Import(s) => {
                self.use_templates(&s.expr, false);
                self.target(&s.name, Value::default())?;
            }
            Stmt::FromImport(s) => return self.imported(s),
            Stmt::Extends(s) => self.use_templates(&s.name, false),
            Stmt::Include(s) => {
                self.use_templates(&s.name, s.ignore_missing);
                return self.include(&s.name);
            }
        }
        Ok(())
    }

    fn imported(&mut self, s: &'a ast::FromImport<'a>) -> Ran {
        self.use_templates(&s.expr, false);
        for (name, alias) in &s.names {
            let mut value = Value::default();
            // A name that the template does not set is looked up like any other.
            if let Expr::Var(var) = name {
                value
                    .ways
                    .extend(self.read(var.id, range(var.span()), true));
            }
            self.target(alias.as_ref().unwrap_or(name), value)?;
        }
        Ok(())
    }

    /// The output of a body through the filters of its block, which is not printed.
    fn captured(
        &mut self,
        body: &'a [Stmt<'a>],
        filter: Option<&'a Expr<'a>>,
    ) -> Result<Vec<Way<'a>>, Fails> {
        let outer = std::mem::take(&mut self.printed);
        let ran = self.within(|w| w.statements(body));
        let ways = std::mem::replace(&mut self.printed, outer);
        ran?;
        match filter {
            None => Ok(ways),
            Some(filter) => {
                self.block = ways;
                Ok(self.value(filter)?.ways)
            }
        }
    }

    fn for_loop(&mut self, s: &'a Spanned<ast::ForLoop<'a>>) -> Ran {
        let list = self.present(&s.iter)?;
        let kind = match list.kind {
            Kind::Documents => Kind::Document,
            Kind::Groups => Kind::Group,
            _ => Kind::Other,
        };
        let ways = self.stepped(list.ways, || (StepKind::Each, range(s.iter.span())));
        let truth = list.known.truth();
        let before = self.assumed.clone();
        // The body may not be run.
        if truth != Some(false) {
            let _ = self.within(|w| {
                w.target(&s.target, Value::made_of(ways, kind))?;
                if let Some(filter) = &s.filter_expr {
                    let _ = w.truth(filter);
                    w.assume(filter, true);
                }
                w.bind_quietly("loop", AbstractValue::Present.into());
                w.statements(&s.body)
            });
        }
        self.assumed = before;
        match truth {
            Some(true) => Ok(()),
            Some(false) => self.perhaps(&s.else_body),
            None => self.either(|_| Ok(()), |w| w.perhaps(&s.else_body)),
        }
    }

    fn branches(&mut self, s: &'a Spanned<ast::IfCond<'a>>) -> Ran {
        let truth = self.truth(&s.expr)?;
        self.note(&s.expr, truth);
        if truth != Some(false) {
            self.pass_over(&s.false_body);
        }
        match truth {
            Some(true) => self.statements(&s.true_body),
            Some(false) => self.statements(&s.false_body),
            None => {
                let before = self.assumed.clone();
                let ran = self.either(
                    |w| {
                        w.assume(&s.expr, true);
                        w.statements(&s.true_body)
                    },
                    |w| {
                        w.assumed.clone_from(&before);
                        w.assume(&s.expr, false);
                        w.statements(&s.false_body)
                    },
                );
                self.assumed = before;
                ran
            }
        }
    }

    /// Writes down which way a test went.
    pub(super) fn note(&mut self, test: &Expr<'_>, truth: Option<bool>) {
        if !self.unseen {
            self.outcome(test).reached.insert(truth);
        }
    }

    fn outcome(&mut self, test: &Expr<'_>) -> &mut Outcome {
        let place = self.place_of(test);
        self.shown.tests.entry(place).or_default()
    }

    /// The tests of a chain after one that may hold: their outcomes by themselves.
    fn pass_over(&mut self, body: &'a [Stmt<'a>]) {
        if let ([Stmt::IfCond(next)], false) = (body, self.unseen) {
            self.unseen = true;
            let truth = self.truth(&next.expr).unwrap_or(None);
            self.unseen = false;
            self.outcome(&next.expr).passed_over.insert(truth);
            self.pass_over(&next.false_body);
        }
    }
}
