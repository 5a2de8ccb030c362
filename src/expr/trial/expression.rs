//! Expressions, tried.

use super::atom::Assumed;
use super::known::{self, Fails, Known};
use super::{Place, Setting, Shown};
use crate::expr::analyse::argument;
use crate::expr::extent::extent;
use minijinja::machinery::ast::{self, BinOpKind, CallArg, CompareOpKind, Expr, UnaryOpKind};
use minijinja::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Statements that one run may take.
const FUEL: usize = 20_000;

/// What runs a program.
pub(super) struct Walker<'a, 'p> {
    pub(super) source: &'a str,
    /// The template that is run, if it is another than the one that was begun with.
    pub(super) template: Option<&'a str>,
    pub(super) setting: &'a Setting<'p>,
    /// Names that the program sets.
    pub(super) locals: Vec<BTreeMap<String, Known>>,
    /// How many frames of them may have other values where the walk is.
    pub(super) apart: usize,
    /// Whether nothing is written down of what is seen.
    pub(super) unseen: bool,
    /// What holds in the branches around, besides what the setting assumes.
    pub(super) assumed: Assumed,
    /// How many templates and macros are run inside each other.
    pub(super) depth: usize,
    /// How many statements may still be run.
    pub(super) fuel: usize,
    /// The macros that were met, with the template that each stands in.
    pub(super) macros: BTreeMap<&'a str, (Option<&'a str>, &'a str, &'a ast::Macro<'a>)>,
    /// Those of them that are a value somewhere, by which they may be called with anything.
    pub(super) handed_on: BTreeSet<&'a str>,
    /// The blocks of templates that extend others.
    pub(super) blocks: BTreeMap<&'a str, (Option<&'a str>, &'a str, &'a ast::Block<'a>)>,
    pub(super) shown: Shown,
}

impl<'a, 'p> Walker<'a, 'p> {
    pub(super) fn new(
        source: &'a str,
        template: Option<&'a str>,
        setting: &'a Setting<'p>,
    ) -> Self {
        Self {
            source,
            template,
            setting,
            locals: vec![BTreeMap::new()],
            apart: 0,
            unseen: false,
            assumed: setting.assumed.clone(),
            depth: 0,
            fuel: FUEL,
            macros: BTreeMap::new(),
            handed_on: BTreeSet::new(),
            blocks: BTreeMap::new(),
            shown: Shown::default(),
        }
    }

    pub(super) fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|frame| frame.contains_key(name))
    }

    /// Where an expression stands.
    pub(super) fn place_of(&self, expr: &Expr<'_>) -> Place {
        let Range { start, end } = extent(expr, self.source);
        Place {
            template: self.template.map(str::to_owned),
            start,
            end,
        }
    }

    /// Writes down that an expression fails, if it does.
    pub(super) fn checked<T>(
        &mut self,
        result: Result<T, Fails>,
        expr: &Expr<'_>,
    ) -> Result<T, Fails> {
        if result.is_err() && !self.unseen {
            let place = self.place_of(expr);
            if !self.shown.failures.contains(&place) {
                self.shown.failures.push(place);
            }
        }
        result
    }

    /// What is known of the value of an expression. An error if it surely fails.
    pub(super) fn value(&mut self, expr: &Expr<'_>) -> Result<Known, Fails> {
        let known = self.raw(expr)?;
        Ok(self.settled(known, expr))
    }

    /// What is known of an expression's value, with what is assumed of its truth.
    pub(super) fn settled(&self, known: Known, expr: &Expr<'_>) -> Known {
        if known.truth().is_some() {
            return known;
        }
        match self.assumption(expr) {
            Some(true) => match known {
                Known::Other(_) | Known::Present => known,
                _ => Known::Truth(true),
            },
            Some(false) if known.is_there() != Some(true) => Known::Truth(false),
            Some(false) | None => known,
        }
    }

    /// Whether a condition counts as true, if that is known.
    pub(super) fn truth(&mut self, expr: &Expr<'_>) -> Result<Option<bool>, Fails> {
        let known = self.raw(expr)?;
        Ok(known.truth().or_else(|| self.assumption(expr)))
    }

    pub(super) fn assumption(&self, expr: &Expr<'_>) -> Option<bool> {
        self.assumed.truth(expr, &|name| self.is_local(name))
    }

    fn raw(&mut self, expr: &Expr<'_>) -> Result<Known, Fails> {
        match expr {
            Expr::Var(s) => {
                self.hand_on(s.id);
                Ok(self.name(s.id))
            }
            Expr::Const(s) => Ok(Known::Value(s.value.clone())),
            Expr::Slice(s) => {
                let bounds = [&s.start, &s.stop, &s.step].into_iter().flatten();
                for part in std::iter::once(&s.expr).chain(bounds) {
                    self.value(part)?;
                }
                Ok(Known::Anything)
            }
            Expr::UnaryOp(s) => match s.op {
                UnaryOpKind::Not => {
                    let truth = self.truth(&s.expr)?;
                    Ok(truth.map_or(Known::Present, |t| Known::boolean(!t)))
                }
                UnaryOpKind::Neg => {
                    let of = self.value(&s.expr)?;
                    self.checked(known::negative(&of), expr)
                }
            },
            Expr::BinOp(s) => self.binary(s, expr),
            Expr::Compare(s) => self.compare(s, expr),
            Expr::IfExpr(s) => self.choice(s),
            Expr::Filter(s) => self.filter(s, expr),
            Expr::Test(s) => {
                let of = self.value(&s.expr)?;
                let args = self.plain_args(&s.args)?;
                self.checked(known::test(s.name, &of, args.as_deref()), expr)
            }
            Expr::GetAttr(s) => {
                let of = self.value(&s.expr)?;
                let name = Value::from(s.name);
                self.checked(known::item(&of, Some(&name)), expr)
            }
            Expr::GetItem(s) => {
                let of = self.value(&s.expr)?;
                let at = self.value(&s.subscript_expr)?;
                let at = match &at {
                    Known::Value(at) => Some(at),
                    _ => None,
                };
                self.checked(known::item(&of, at), expr)
            }
            Expr::Call(s) => self.call(s),
            Expr::List(s) => self.list(expr.as_const(), &s.items),
            Expr::Tuple(s) => self.list(expr.as_const(), &s.items),
            Expr::Map(s) => {
                self.list(None, &s.keys)?;
                self.list(expr.as_const(), &s.values)
            }
        }
    }

    fn list(&mut self, constant: Option<Value>, items: &[Expr<'_>]) -> Result<Known, Fails> {
        for item in items {
            self.value(item)?;
        }
        Ok(match constant {
            Some(value) => Known::Value(value),
            None if items.is_empty() => Known::Present,
            None => Known::Truth(true),
        })
    }

    fn name(&self, name: &str) -> Known {
        let mut frames = self.locals.iter().enumerate().rev();
        match frames.find_map(|(at, frame)| Some((at, frame.get(name)?))) {
            Some((at, _)) if at < self.apart => Known::Anything,
            Some((_, known)) => known.clone(),
            None => self.setting.name(name),
        }
    }

    fn binary(&mut self, s: &ast::BinOp<'_>, expr: &Expr<'_>) -> Result<Known, Fails> {
        let stops_at = match s.op {
            BinOpKind::ScAnd => false,
            BinOpKind::ScOr => true,
            op => {
                let (left, right) = (self.value(&s.left)?, self.value(&s.right)?);
                let known = self.checked(known::binary(op, &left, &right), expr)?;
                let opposite = match op {
                    BinOpKind::Eq => false,
                    BinOpKind::Ne => true,
                    _ => return Ok(known),
                };
                let local = |name: &str| self.is_local(name);
                let equals = |expr, value| self.assumed.equals(expr, value, &local);
                return Ok(match known.truth() {
                    Some(_) => known,
                    None => equals(&s.left, &right)
                        .or_else(|| equals(&s.right, &left))
                        .map_or(known, |equal| Known::boolean(equal != opposite)),
                });
            }
        };
        self.chain((expr, s), stops_at)
    }

    pub(super) fn assume(&mut self, expr: &Expr<'_>, truth: bool) {
        let mut assumed = std::mem::take(&mut self.assumed);
        assumed.assume(expr, truth, &|name| self.is_local(name));
        self.assumed = assumed;
    }

    fn compare(&mut self, s: &ast::Compare<'_>, expr: &Expr<'_>) -> Result<Known, Fails> {
        let mut left = self.value(&s.expr)?;
        let mut sure = true;
        for op in &s.ops {
            let right = self.value(&op.expr)?;
            let (kind, opposite) = match op.op {
                CompareOpKind::Eq => (BinOpKind::Eq, false),
                CompareOpKind::Ne => (BinOpKind::Ne, false),
                CompareOpKind::Lt => (BinOpKind::Lt, false),
                CompareOpKind::Lte => (BinOpKind::Lte, false),
                CompareOpKind::Gt => (BinOpKind::Gt, false),
                CompareOpKind::Gte => (BinOpKind::Gte, false),
                CompareOpKind::In => (BinOpKind::In, false),
                CompareOpKind::NotIn => (BinOpKind::In, true),
            };
            let one = self.checked(known::binary(kind, &left, &right), expr)?;
            match one.truth().map(|t| t != opposite) {
                Some(false) => return Ok(Known::boolean(false)),
                Some(true) => {}
                None => sure = false,
            }
            left = right;
        }
        Ok(if sure {
            Known::boolean(true)
        } else {
            Known::Present
        })
    }

    fn choice(&mut self, s: &ast::IfExpr<'_>) -> Result<Known, Fails> {
        let truth = self.truth(&s.test_expr)?;
        self.note(&s.test_expr, truth, false);
        // Without an `else` nothing is printed, and nothing fails.
        match truth {
            Some(true) => self.value(&s.true_expr),
            Some(false) => s
                .false_expr
                .as_ref()
                .map_or(Ok(Known::Anything), |e| self.value(e)),
            None => {
                let before = self.assumed.clone();
                self.assume(&s.test_expr, true);
                let yes = self.value(&s.true_expr);
                self.assumed.clone_from(&before);
                self.assume(&s.test_expr, false);
                let no = s
                    .false_expr
                    .as_ref()
                    .map_or(Ok(Known::Anything), |e| self.value(e));
                self.assumed = before;
                match (yes, no) {
                    (Ok(yes), Ok(no)) => Ok(yes.or(no)),
                    (Err(Fails), Err(Fails)) => Err(Fails),
                    _ => Ok(Known::Anything),
                }
            }
        }
    }

    fn filter(&mut self, s: &ast::Filter<'_>, expr: &Expr<'_>) -> Result<Known, Fails> {
        let of = match &s.expr {
            Some(expr) => self.value(expr)?,
            None => Known::Present,
        };
        let args = self.plain_args(&s.args)?;
        self.checked(known::filter(s.name, &of, args.as_deref()), expr)
    }

    /// The arguments, if none is named or spread.
    fn plain_args(&mut self, args: &[CallArg<'_>]) -> Result<Option<Vec<Known>>, Fails> {
        let known = self.args(args)?;
        let plain = args.iter().all(|arg| matches!(arg, CallArg::Pos(_)));
        Ok(plain.then_some(known))
    }

    fn args(&mut self, args: &[CallArg<'_>]) -> Result<Vec<Known>, Fails> {
        args.iter().map(|arg| self.value(argument(arg))).collect()
    }

    pub(super) fn call(&mut self, s: &ast::Call<'_>) -> Result<Known, Fails> {
        let Expr::Var(name) = &s.expr else {
            self.value(&s.expr)?;
            self.args(&s.args)?;
            return Ok(Known::Anything);
        };
        let args = self.args(&s.args)?;
        if name.id == "loaded"
            && let ([CallArg::Pos(_)], [Known::Value(layer)]) = (&*s.args, &*args)
            && let Some(layer) = layer.as_str()
        {
            return Ok(self.setting.loaded(layer));
        }
        match self.is_local(name.id) {
            true => Ok(Known::Anything),
            false => self.call_macro(name.id, &s.args, &args),
        }
    }

    /// Writes down which way a test went.
    pub(super) fn note(&mut self, test: &Expr<'_>, truth: Option<bool>, chained: bool) {
        if self.unseen {
            return;
        }
        let place = self.place_of(test);
        let outcome = self.shown.tests.entry(place).or_default();
        outcome.reached.insert(truth);
        outcome.chained |= chained;
    }
}
