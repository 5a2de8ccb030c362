//! What a program prints, and on which way it came there: told from its source alone.

use super::analyse::{self, Use, argument};
use super::failure::Failure;
use super::syntax;
use minijinja::machinery::ast::{self, CallArg, Expr, Stmt};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// One step on the way from a name to the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// Bytes in the source: of a filter's argument if that is text, else of the whole expression.
    pub range: Range<usize>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind {
    /// A filter, with its first argument if that is plain text.
    Filter {
        /// Its name.
        name: String,
        /// The text.
        argument: Option<String>,
    },
    /// An attribute or item is taken, of this name if that is plain text.
    Item(Option<String>),
    /// A range of it is taken, with bounds where they are plain numbers.
    Slice {
        /// The first that is taken.
        start: Option<i64>,
        /// The first that is not.
        stop: Option<i64>,
    },
    /// A loop takes one after the other.
    Each,
    /// It is an argument of a filter, function or macro, or an operand: what becomes of it is not known.
    Into,
}

/// A name from outside that reaches the output, or the value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// The name.
    pub name: String,
    /// Where it is read.
    pub range: Range<usize>,
    /// What is done to it, in order.
    pub steps: Vec<Step>,
}

/// How many ways a value may have come at most; of more, one is kept for each name. Where every `set` or let takes the one
/// before it twice, the ways double with each.
const MOST_WAYS: usize = 64;

/// Of `ways`, each once, the first `MOST_WAYS`, and of the others the first from each thing that they come from.
pub fn few<W: PartialEq, F: Ord>(
    ways: impl IntoIterator<Item = W>,
    from: impl Fn(&W) -> F,
) -> Vec<W> {
    let mut out: Vec<W> = Vec::new();
    let mut seen = BTreeSet::new();
    for way in ways {
        let new = seen.insert(from(&way));
        if new || out.len() < MOST_WAYS && !out.contains(&way) {
            out.push(way);
        }
    }
    out
}

/// Where the values of a program go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flows {
    /// What is printed; of an expression, what its value is made of.
    pub out: Vec<Flow>,
    /// Where names are only asked whether they are there or true, by the byte at which they begin.
    pub asked: BTreeSet<usize>,
}

/// The flows of a template.
///
/// # Errors
/// When it is not well formed.
pub fn template(source: &str) -> Result<Flows, Failure> {
    let tree = syntax::template(source)?;
    let mut walker = Walker::new(source);
    walker.statement(&tree);
    Ok(walker.found)
}

/// The flows of an expression.
///
/// # Errors
/// When it is not well formed.
pub fn expression(source: &str) -> Result<Flows, Failure> {
    let tree = syntax::expression(source)?;
    let mut walker = Walker::new(source);
    walker.condition(&tree);
    walker.found.out = walker.value(&tree);
    Ok(walker.found)
}

struct Walker<'s> {
    source: &'s str,
    /// What local names are made of, innermost last.
    locals: Vec<BTreeMap<String, Vec<Flow>>>,
    /// How many frames of them stand around the innermost block, which is also run where their names are not set.
    around_block: usize,
    /// The filters of the blocks around, outermost first.
    blocks: Vec<Step>,
    found: Flows,
}

impl<'s> Walker<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            locals: vec![BTreeMap::new()],
            around_block: 0,
            blocks: Vec::new(),
            found: Flows::default(),
        }
    }

    fn within(&mut self, walk: impl FnOnce(&mut Self)) {
        self.locals.push(BTreeMap::new());
        walk(self);
        self.locals.pop();
    }

    fn bind(&mut self, target: &Expr<'_>, value: &[Flow]) {
        match target {
            Expr::Var(var) => {
                if let Some(frame) = self.locals.last_mut() {
                    let made_of = few(value.iter().cloned(), |flow| flow.name.clone());
                    frame.insert(var.id.to_owned(), made_of);
                }
            }
            Expr::List(list) => list.items.iter().for_each(|t| self.bind(t, value)),
            Expr::Tuple(tuple) => tuple.items.iter().for_each(|t| self.bind(t, value)),
            _ => {}
        }
    }

    fn print(&mut self, mut flows: Vec<Flow>) {
        for flow in &mut flows {
            flow.steps.extend(self.blocks.iter().rev().cloned());
        }
        self.found.out.append(&mut flows);
    }

    fn statements(&mut self, statements: &[Stmt<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(s) => self.statements(&s.children),
            Stmt::EmitExpr(s) => {
                let flows = self.value(&s.expr);
                self.print(flows);
            }
            Stmt::ForLoop(s) => self.for_loop(s),
            Stmt::IfCond(s) => self.branches(s),
            Stmt::WithBlock(s) => self.within(|w| {
                for (target, value) in &s.assignments {
                    let flows = w.value(value);
                    w.bind(target, &flows);
                }
                w.statements(&s.body);
            }),
            Stmt::Set(s) => {
                let flows = self.value(&s.expr);
                self.bind(&s.target, &flows);
            }
            Stmt::SetBlock(s) => self.set_block(s),
            Stmt::AutoEscape(s) => self.within(|w| w.statements(&s.body)),
            Stmt::FilterBlock(s) => {
                let steps = self.filters_of_block(&s.filter);
                self.blocks.extend(steps.iter().rev().cloned());
                self.within(|w| w.statements(&s.body));
                self.blocks.truncate(self.blocks.len() - steps.len());
            }
            Stmt::Block(s) => {
                let around = std::mem::replace(&mut self.around_block, self.locals.len());
                self.within(|w| w.statements(&s.body));
                self.around_block = around;
            }
            Stmt::Macro(s) => {
                self.bind_name(s.name);
                self.macro_body(s);
            }
            Stmt::CallBlock(s) => {
                let flows = self.call(&s.call);
                self.print(flows);
                self.macro_body(&s.macro_decl);
            }
            Stmt::Do(s) => drop(self.call(&s.call)),
            Stmt::Import(s) => self.bind(&s.name, &[]),
            Stmt::FromImport(s) => {
                for (name, alias) in &s.names {
                    // What that template does not set is looked up as any other name.
                    let flows = self.value(name);
                    self.bind(alias.as_ref().unwrap_or(name), &flows);
                }
            }
            Stmt::EmitRaw(_)
            | Stmt::Continue(_)
            | Stmt::Break(_)
            | Stmt::Extends(_)
            | Stmt::Include(_) => {}
        }
    }

    /// Behind the branches a name may be what either has made of it.
    fn branches(&mut self, s: &ast::IfCond<'_>) {
        self.condition(&s.expr);
        let before = self.locals.clone();
        self.statements(&s.true_body);
        let yes = std::mem::replace(&mut self.locals, before);
        self.statements(&s.false_body);
        for (frame, yes) in self.locals.iter_mut().zip(yes) {
            for (name, flows) in yes {
                let known = frame.entry(name).or_default();
                let both = std::mem::take(known).into_iter().chain(flows);
                *known = few(both, |flow| flow.name.clone());
            }
        }
    }

    fn bind_name(&mut self, name: &str) {
        if let Some(frame) = self.locals.last_mut() {
            frame.entry(name.to_owned()).or_default();
        }
    }

    fn macro_body(&mut self, s: &ast::Macro<'_>) {
        self.within(|w| {
            for arg in &s.args {
                w.bind(arg, &[]);
            }
            w.statements(&s.body);
        });
    }

    fn for_loop(&mut self, s: &ast::ForLoop<'_>) {
        let mut items = self.value(&s.iter);
        for item in &mut items {
            item.steps.push(Step {
                kind: StepKind::Each,
                range: analyse::range(s.iter.span()),
            });
        }
        self.within(|w| {
            w.bind(&s.target, &items);
            if let Some(filter) = &s.filter_expr {
                w.condition(filter);
            }
            w.bind_name("loop");
            w.statements(&s.body);
        });
        self.statements(&s.else_body);
    }

    /// What the body prints is what the name is made of.
    fn set_block(&mut self, s: &ast::SetBlock<'_>) {
        let outer = std::mem::take(&mut self.found.out);
        let blocks = std::mem::take(&mut self.blocks);
        self.within(|w| w.statements(&s.body));
        self.blocks = blocks;
        let mut flows = std::mem::replace(&mut self.found.out, outer);
        if let Some(filter) = &s.filter {
            let steps = self.filters_of_block(filter);
            for flow in &mut flows {
                flow.steps.extend(steps.iter().cloned());
            }
        }
        self.bind(&s.target, &flows);
    }

    /// The filters that a block runs over what it prints, the first first.
    fn filters_of_block(&mut self, filter: &Expr<'_>) -> Vec<Step> {
        let Expr::Filter(s) = filter else {
            return Vec::new();
        };
        let mut steps = s
            .expr
            .as_ref()
            .map_or(Vec::new(), |e| self.filters_of_block(e));
        steps.push(self.filter_step(s));
        steps
    }

    /// An expression that is asked for its truth: the names in it that are asked for nothing else.
    fn condition(&mut self, expr: &Expr<'_>) {
        match expr {
            Expr::Var(var) => {
                self.found.asked.insert(analyse::range(var.span()).start);
            }
            Expr::UnaryOp(s) if matches!(s.op, ast::UnaryOpKind::Not) => self.condition(&s.expr),
            Expr::BinOp(s) if matches!(s.op, ast::BinOpKind::ScAnd | ast::BinOpKind::ScOr) => {
                self.condition(&s.left);
                self.condition(&s.right);
            }
            Expr::Test(s) if matches!(s.name, "defined" | "undefined") => self.condition(&s.expr),
            other => drop(self.value(other)),
        }
    }

    /// What the value of an expression is made of.
    fn value(&mut self, expr: &Expr<'_>) -> Vec<Flow> {
        match expr {
            Expr::Var(var) => self.name(var.id, analyse::range(var.span())),
            Expr::Const(_) => Vec::new(),
            Expr::UnaryOp(s) => match s.op {
                ast::UnaryOpKind::Not => {
                    self.condition(&s.expr);
                    Vec::new()
                }
                ast::UnaryOpKind::Neg => self.into(&s.expr),
            },
            Expr::BinOp(s) => self.operation(s),
            Expr::Compare(s) => {
                drop(self.value(&s.expr));
                s.ops.iter().for_each(|op| drop(self.value(&op.expr)));
                Vec::new()
            }
            Expr::IfExpr(s) => {
                self.condition(&s.test_expr);
                let mut flows = self.value(&s.true_expr);
                flows.extend(s.false_expr.iter().flat_map(|e| self.value(e)));
                flows
            }
            Expr::Filter(s) => self.filter(s),
            Expr::Test(s) => {
                match s.name {
                    "defined" | "undefined" => self.condition(&s.expr),
                    _ => drop(self.value(&s.expr)),
                }
                s.args.iter().for_each(|a| drop(self.value(argument(a))));
                Vec::new()
            }
            Expr::GetAttr(s) => {
                let flows = self.value(&s.expr);
                let name = Some(s.name.to_owned());
                step(flows, StepKind::Item(name), analyse::range(s.span()))
            }
            Expr::GetItem(s) => {
                drop(self.value(&s.subscript_expr));
                let flows = self.value(&s.expr);
                let name = analyse::string(&s.subscript_expr, self.source).map(|u| u.name);
                step(flows, StepKind::Item(name), analyse::range(s.span()))
            }
            Expr::Slice(s) => {
                let bound = |e: &Option<Expr<'_>>| number(e.as_ref()?);
                let kind = StepKind::Slice {
                    start: bound(&s.start),
                    stop: bound(&s.stop),
                };
                let flows = self.value(&s.expr);
                step(flows, kind, analyse::range(s.span()))
            }
            Expr::Call(s) => self.call(s),
            Expr::List(s) => self.values(&s.items),
            Expr::Tuple(s) => self.values(&s.items),
            Expr::Map(s) => self.values(&s.values),
        }
    }

    fn values(&mut self, items: &[Expr<'_>]) -> Vec<Flow> {
        items.iter().flat_map(|e| self.value(e)).collect()
    }

    fn name(&self, name: &str, range: Range<usize>) -> Vec<Flow> {
        let mut frames = self.locals.iter().enumerate().rev();
        let local = frames.find_map(|(at, frame)| Some((at, frame.get(name)?)));
        let mut flows = local.map_or_else(Vec::new, |(_, made_of)| made_of.clone());
        if local.is_none_or(|(at, _)| at < self.around_block) {
            flows.push(Flow {
                name: name.to_owned(),
                range,
                steps: Vec::new(),
            });
        }
        flows
    }

    fn into(&mut self, expr: &Expr<'_>) -> Vec<Flow> {
        let flows = self.value(expr);
        step(flows, StepKind::Into, analyse::range(expr.span()))
    }

    fn operation(&mut self, s: &ast::BinOp<'_>) -> Vec<Flow> {
        use ast::BinOpKind::{Add, Concat, Div, FloorDiv, Mul, Pow, Rem, ScAnd, ScOr, Sub};
        match s.op {
            ScAnd => {
                self.condition(&s.left);
                self.value(&s.right)
            }
            ScOr | Add | Concat => {
                let mut flows = self.value(&s.left);
                flows.extend(self.value(&s.right));
                flows
            }
            Sub | Mul | Div | FloorDiv | Rem | Pow => {
                let mut flows = self.into(&s.left);
                flows.extend(self.into(&s.right));
                flows
            }
            _ => {
                drop(self.value(&s.left));
                drop(self.value(&s.right));
                Vec::new()
            }
        }
    }

    fn filter_step(&self, s: &ast::Spanned<ast::Filter<'_>>) -> Step {
        let text = match s.args.first() {
            Some(CallArg::Pos(e)) => analyse::string(e, self.source),
            _ => None,
        };
        let (argument, range) = match text {
            Some(Use { name, range }) => (Some(name), range),
            None => (None, analyse::range(s.span())),
        };
        let name = s.name.to_owned();
        Step {
            kind: StepKind::Filter { name, argument },
            range,
        }
    }

    fn filter(&mut self, s: &ast::Spanned<ast::Filter<'_>>) -> Vec<Flow> {
        let own = self.filter_step(s);
        let mut flows = s.expr.as_ref().map_or(Vec::new(), |e| self.value(e));
        // What `default` falls back to goes the same way; it leaves the value itself as it is.
        let falls_back = matches!(s.name, "default" | "d");
        if !falls_back {
            for flow in &mut flows {
                flow.steps.push(own.clone());
            }
        }
        for arg in &s.args {
            flows.extend(match falls_back {
                true => self.value(argument(arg)),
                false => self.into(argument(arg)),
            });
        }
        flows
    }

    fn call(&mut self, s: &ast::Call<'_>) -> Vec<Flow> {
        s.args.iter().flat_map(|a| self.into(argument(a))).collect()
    }
}

fn step(mut flows: Vec<Flow>, kind: StepKind, range: Range<usize>) -> Vec<Flow> {
    for flow in &mut flows {
        flow.steps.push(Step {
            kind: kind.clone(),
            range: range.clone(),
        });
    }
    flows
}

fn number(expr: &Expr<'_>) -> Option<i64> {
    match expr {
        Expr::Const(constant) => constant.value.as_i64(),
        _ => None,
    }
}
