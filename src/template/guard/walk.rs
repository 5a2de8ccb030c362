//! The walk over a program that finds the operations to check, and the positions of their tokens.

use super::shape::{holds_attribute, is_constant, is_lazy, is_light, is_near, is_text, leaf};
use super::{Guarded, INDEXED, KEPT, MADE, Mark, WEIGHED};
use crate::template::spans::{argument, range};
use crate::template::syntax::{self, Form, JOINED, SUMMED, compares, of_chain, sign};
use minijinja::machinery::ast::{BinOpKind, CallArg, CompareOpKind, Expr, Stmt};
use minijinja::machinery::{Token, tokenize};
use std::ops::Range;

/// The most signs of a sum behind one check: so many lists of the most values are copied at most.
const MOST_SIGNS: usize = 16;

/// In place of the filter of a check: brackets, and no check.
const BRACKETS: &str = "";

/// The kind of a token, as far as the walk needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Comma,
    Colon,
    Assign,
    /// An operator that is looked for.
    Sign(&'static str),
    /// The end of a tag.
    End,
    Other,
}

fn kind(token: &Token<'_>) -> Kind {
    match token {
        Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => Kind::Open,
        Token::ParenClose | Token::BracketClose | Token::BraceClose => Kind::Close,
        Token::Comma => Kind::Comma,
        Token::Colon => Kind::Colon,
        Token::Assign => Kind::Assign,
        Token::Eq => Kind::Sign("=="),
        Token::Ne => Kind::Sign("!="),
        Token::Lt => Kind::Sign("<"),
        Token::Lte => Kind::Sign("<="),
        Token::Gt => Kind::Sign(">"),
        Token::Gte => Kind::Sign(">="),
        Token::Ident("in") => Kind::Sign("in"),
        Token::Ident("not") => Kind::Sign("not"),
        Token::Plus => Kind::Sign("+"),
        Token::Tilde => Kind::Sign("~"),
        Token::BlockEnd | Token::VariableEnd => Kind::End,
        _ => Kind::Other,
    }
}

/// A check to insert around `wraps`, or after it if that is a chain of filters.
struct Check {
    filter: &'static str,
    wraps: Range<usize>,
    after: bool,
}

pub(super) struct Walk<'s> {
    source: &'s str,
    tokens: Vec<(Kind, Range<usize>)>,
    checks: Vec<Check>,
}

impl<'s> Walk<'s> {
    pub(super) fn new(source: &'s str, form: Form) -> Self {
        let tokens = tokenize(source, form == Form::Expression, syntax::config());
        Self {
            source,
            tokens: tokens
                .map_while(Result::ok)
                .map(|(token, span)| (kind(&token), range(span)))
                .collect(),
            checks: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Guarded {
        let mut inserts: Vec<(usize, bool, usize, usize, String, Range<usize>)> = Vec::new();
        for (number, check) in self.checks.iter().enumerate() {
            let Range { start, end } = check.wraps.clone();
            // The outer one opens first and closes last; of two around the same, that is the later one.
            let (outer, later) = (usize::MAX - end, usize::MAX - number);
            let inner = usize::MAX - start;
            let name = check.filter;
            let (open, closing) = match name {
                _ if check.after => (String::new(), format!("|{name}")),
                BRACKETS => ("(".to_owned(), ")".to_owned()),
                SUMMED | JOINED => (format!("{name}["), "]".to_owned()),
                _ if self.is_bound(&check.wraps) => ("((".to_owned(), format!(")|{name})")),
                _ => ("(".to_owned(), format!(")|{name}")),
            };
            if !open.is_empty() {
                inserts.push((start, true, outer, later, open, check.wraps.clone()));
            }
            inserts.push((end, false, inner, number, closing, check.wraps.clone()));
        }
        inserts.sort_by_key(|i| (i.0, i.1, i.2, i.3));
        let mut out = Guarded::default();
        let (mut done, mut before) = (0, 0);
        for (at, _, _, _, text, wraps) in inserts {
            out.text
                .push_str(self.source.get(done..at).unwrap_or_default());
            out.marks.push(Mark {
                at: out.text.len(),
                len: text.len(),
                before,
                wraps,
            });
            before += text.len();
            out.text.push_str(&text);
            done = at;
        }
        out.text
            .push_str(self.source.get(done..).unwrap_or_default());
        out
    }

    /// Whether an operator that binds closer than a filter is next to it: a minus before it, or an index, an attribute or
    /// a call after it.
    fn is_bound(&self, wraps: &Range<usize>) -> bool {
        let (before, behind) = (
            self.source.get(..wraps.start).unwrap_or_default(),
            self.source.get(wraps.end..).unwrap_or_default(),
        );
        before.trim_end().ends_with('-') || behind.trim_start().starts_with(['[', '.', '('])
    }

    fn check(&mut self, filter: &'static str, wraps: Option<Range<usize>>) {
        if let Some(wraps) = wraps.filter(|w| w.start < w.end) {
            self.checks.push(Check {
                filter,
                wraps,
                after: false,
            });
        }
    }

    fn statements(&mut self, statements: &[Stmt<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Template(s) => self.statements(&s.children),
            Stmt::EmitExpr(s) => self.expression(&s.expr),
            Stmt::EmitRaw(_)
            | Stmt::Continue(_)
            | Stmt::Break(_)
            | Stmt::Import(_)
            | Stmt::FromImport(_)
            | Stmt::Extends(_)
            | Stmt::Include(_) => {}
            Stmt::ForLoop(s) => {
                self.expression(&s.iter);
                s.filter_expr.iter().for_each(|e| self.expression(e));
                self.statements(&s.body);
                self.statements(&s.else_body);
            }
            Stmt::IfCond(s) => {
                self.expression(&s.expr);
                self.statements(&s.true_body);
                self.statements(&s.false_body);
            }
            Stmt::WithBlock(s) => {
                for (target, value) in &s.assignments {
                    self.assigned(target, value, false);
                }
                self.statements(&s.body);
            }
            Stmt::Set(s) => self.assigned(&s.target, &s.expr, true),
            Stmt::SetBlock(s) => {
                if let Some(filters) = &s.filter {
                    self.expression(filters);
                    if holds_attribute(&s.target) {
                        self.kept_of(filters);
                    }
                }
                self.statements(&s.body);
            }
            Stmt::AutoEscape(s) => {
                self.expression(&s.enabled);
                self.statements(&s.body);
            }
            Stmt::FilterBlock(s) => {
                self.expression(&s.filter);
                self.statements(&s.body);
            }
            Stmt::Block(s) => self.statements(&s.body),
            Stmt::Macro(s) => self.macro_body(&s.defaults, &s.body),
            Stmt::CallBlock(s) => {
                self.call(&s.call.expr, &s.call.args, range(s.call.span()));
                self.macro_body(&s.macro_decl.defaults, &s.macro_decl.body);
            }
            Stmt::Do(s) => self.call(&s.call.expr, &s.call.args, range(s.call.span())),
        }
    }

    fn macro_body(&mut self, defaults: &[Expr<'_>], body: &[Stmt<'_>]) {
        defaults.iter().for_each(|e| self.expression(e));
        self.statements(body);
    }

    /// `target = value` of a `set`, which goes to the end of its tag, or of a `with`.
    fn assigned(&mut self, target: &Expr<'_>, value: &Expr<'_>, to_end: bool) {
        self.expression(value);
        let made = is_lazy(value) || matches!(value, Expr::Tuple(_));
        let kept = holds_attribute(target) && !is_light(value);
        if !made && !kept {
            return;
        }
        let wraps = self.token(leaf(target)).and_then(|at| {
            let assign = (at..self.tokens.len()).find(|i| self.kind(*i) == Kind::Assign)?;
            let first = assign + 1;
            let end = self.end_of(first, to_end)?;
            self.between(first, end)
        });
        for (filter, _) in [(MADE, made), (KEPT, kept)]
            .iter()
            .filter(|(_, needed)| *needed)
        {
            self.check(filter, wraps.clone());
        }
    }

    /// The results of the filters of a `set` block, which extend to the end of its tag.
    fn kept_of(&mut self, filters: &Expr<'_>) {
        let wraps = self.token(leaf(filters)).and_then(|first| {
            let end = self.end_of(first, true)?;
            self.between(first, end)
        });
        self.checks.extend(wraps.map(|wraps| Check {
            filter: KEPT,
            wraps,
            after: true,
        }));
    }

    /// The token after an expression that begins with the token at `first`: the end of its tag, or a comma before that.
    fn end_of(&self, first: usize, over_commas: bool) -> Option<usize> {
        let mut depth = 0_usize;
        (first..self.tokens.len()).find(|i| {
            let kind = self.kind(*i);
            match kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            kind == Kind::End || (kind == Kind::Comma && depth == 0 && !over_commas)
        })
    }

    pub(super) fn expression(&mut self, expr: &Expr<'_>) {
        match expr {
            Expr::Var(_) | Expr::Const(_) => {}
            Expr::Slice(s) => {
                self.expression(&s.expr);
                let bounds = [&s.start, &s.stop, &s.step];
                bounds
                    .into_iter()
                    .flatten()
                    .for_each(|e| self.expression(e));
                self.indexed(&s.expr, range(s.span()).end);
            }
            Expr::UnaryOp(s) => self.expression(&s.expr),
            Expr::BinOp(s) if matches!(s.op, BinOpKind::Add) => {
                self.sum(expr, true);
            }
            Expr::BinOp(s) => {
                self.expression(&s.left);
                self.expression(&s.right);
                self.operands(s.op, &s.left, &s.right, range(s.span()).end);
            }
            Expr::Compare(s) => {
                self.expression(&s.expr);
                s.ops.iter().for_each(|op| self.expression(&op.expr));
                self.chained(
                    &s.expr,
                    s.ops.iter().map(|op| (op.op, &op.expr)),
                    range(s.span()),
                );
            }
            Expr::IfExpr(s) => {
                self.expression(&s.test_expr);
                self.expression(&s.true_expr);
                s.false_expr.iter().for_each(|e| self.expression(e));
            }
            Expr::Filter(s) => {
                s.expr.iter().for_each(|e| self.expression(e));
                self.arguments(&s.args);
            }
            Expr::Test(s) => {
                self.expression(&s.expr);
                let before = self.checks.len();
                self.arguments(&s.args);
                if self.checks.len() > before {
                    // The bracket of a check must not look like that of the arguments.
                    let whole = range(s.span());
                    let first = whole.start + s.name.len();
                    let first = self.tokens.partition_point(|t| t.1.start < first);
                    let wraps = self.tokens.get(first).map(|t| t.1.start..whole.end);
                    let source = self.source;
                    let bare = |w: &Range<usize>| source.as_bytes().get(w.start) != Some(&b'(');
                    self.check(BRACKETS, wraps.filter(bare));
                }
            }
            Expr::GetAttr(s) => self.expression(&s.expr),
            Expr::GetItem(s) => {
                self.expression(&s.expr);
                self.expression(&s.subscript_expr);
                if !is_light(&s.subscript_expr) {
                    let wraps = self.inside(range(s.span()).end);
                    self.check(WEIGHED, wraps.and_then(|(a, b)| self.between(a, b)));
                }
                if !is_near(&s.subscript_expr) {
                    self.indexed(&s.expr, range(s.span()).end);
                }
            }
            Expr::Call(s) => self.call(&s.expr, &s.args, range(s.span())),
            Expr::List(_) | Expr::Tuple(_) | Expr::Map(_) => self.literal(expr, true),
        }
    }

    /// A sum, whose terms may be sums: the number of its signs that no check has seen. All together are checked once,
    /// since checks nest and the engine's parser bounds nesting; but the engine copies a long sum of lists.
    fn sum(&mut self, expr: &Expr<'_>, outermost: bool) -> usize {
        let s = match expr {
            Expr::BinOp(s) if matches!(s.op, BinOpKind::Add) => s,
            _ => {
                self.expression(expr);
                return 0;
            }
        };
        let signs = self.sum(&s.left, false) + self.sum(&s.right, false);
        // Nothing but a number or a text can be added to one.
        if is_constant(&s.left) || is_constant(&s.right) {
            return signs;
        }
        if !outermost && signs + 1 < MOST_SIGNS {
            return signs + 1;
        }
        let start = self
            .sign_before(&s.right, "+")
            .and_then(|at| self.left_of(at, &s.left));
        self.check(SUMMED, start.map(|left| left.start..range(s.span()).end));
        0
    }

    /// The text before the bracket that is closed at the byte `end`.
    fn indexed(&mut self, base: &Expr<'_>, end: usize) {
        let bracket = self.inside(end).and_then(|(first, _)| first.checked_sub(1));
        let wraps = bracket.and_then(|at| self.left_of(at, base));
        self.check(INDEXED, wraps);
    }

    /// A list, tuple or map. Those inside of it are weighed with it.
    fn literal(&mut self, expr: &Expr<'_>, outermost: bool) {
        let (items, more, span, constant): (&[Expr<'_>], &[Expr<'_>], _, _) = match expr {
            Expr::List(s) => (&s.items, &[], s.span(), s.as_const().is_some()),
            Expr::Tuple(s) => (&s.items, &[], s.span(), s.as_const().is_some()),
            Expr::Map(s) => (&s.keys, &s.values, s.span(), s.as_const().is_some()),
            other => return self.expression(other),
        };
        items
            .iter()
            .chain(more)
            .for_each(|e| self.literal(e, false));
        // A tuple without parentheses is weighed where it is stored.
        let wraps = range(span);
        let is = |at: usize, kind| self.token(at).is_some_and(|i| self.kind(i) == kind);
        let closes = self.tokens.binary_search_by_key(&wraps.end, |t| t.1.end);
        let bracketed =
            is(wraps.start, Kind::Open) && closes.is_ok_and(|i| self.kind(i) == Kind::Close);
        if outermost && !constant && bracketed {
            self.check(MADE, Some(wraps));
        }
    }

    fn arguments(&mut self, args: &[CallArg<'_>]) {
        for arg in args {
            self.expression(argument(arg));
        }
    }

    fn call(&mut self, callee: &Expr<'_>, args: &[CallArg<'_>], whole: Range<usize>) {
        self.expression(callee);
        self.arguments(args);
        // `loop.changed()` compares, and what is handed on can be handed on again.
        let compares = matches!(callee, Expr::GetAttr(s) if s.name == "changed");
        if !compares && !args.iter().any(|a| is_lazy(argument(a))) {
            return;
        }
        let Some((mut first, close)) = self.inside(whole.end) else {
            return;
        };
        for arg in args {
            let end = self
                .end_of(first, false)
                .map_or(close, |end| end.min(close));
            let skipped = match arg {
                CallArg::Pos(_) => 0,
                CallArg::PosSplat(_) | CallArg::KwargSplat(_) => 1,
                CallArg::Kwarg(..) => 2,
            };
            if compares || is_lazy(argument(arg)) {
                let filter = if compares { WEIGHED } else { MADE };
                let wraps = self.between(first + skipped, end);
                self.check(filter, wraps);
            }
            first = end + 1;
        }
    }

    /// The operands of `left OP right`, which ends at `end`. To compare takes no longer than the lighter of the two.
    fn operands(&mut self, op: BinOpKind, left: &Expr<'_>, right: &Expr<'_>, end: usize) {
        let joins = matches!(op, BinOpKind::Concat);
        if !compares(op) && !joins {
            return;
        }
        let both = matches!(op, BinOpKind::In);
        if !both && !joins && (is_constant(left) || is_constant(right)) {
            return;
        }
        let Some(at) = self.sign_before(right, sign(op)) else {
            return;
        };
        let before = self.left_of(at, left);
        let behind = self.tokens.get(at + 1).map(|t| t.1.start..end);
        if joins {
            for (operand, wraps) in [(left, before), (right, behind)] {
                if !is_text(operand) {
                    self.check(JOINED, wraps);
                }
            }
            return;
        }
        if both && !is_light(left) {
            self.check(WEIGHED, before);
        }
        if !is_light(right) {
            self.check(WEIGHED, behind);
        }
    }

    /// The operands of `first OP next OP next`, all of them.
    fn chained<'e>(
        &mut self,
        first: &Expr<'_>,
        next: impl Iterator<Item = (CompareOpKind, &'e Expr<'e>)>,
        whole: Range<usize>,
    ) {
        let mut open: Option<(&Expr<'_>, usize)> = None;
        for (op, expr) in next {
            let Some(at) = self.sign_before(expr, sign(of_chain(op).0)) else {
                return;
            };
            let (operand, wraps) = match open {
                None => (first, self.left_of(at, first)),
                Some((e, start)) => (e, self.between(start, self.operator_start(at))),
            };
            if !is_light(operand) {
                self.check(WEIGHED, wraps);
            }
            open = Some((expr, at + 1));
        }
        if let Some((expr, start)) = open
            && !is_light(expr)
        {
            let wraps = self.tokens.get(start).map(|t| t.1.start..whole.end);
            self.check(WEIGHED, wraps);
        }
    }

    fn kind(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::End, |t| t.0)
    }

    /// The token that begins at this byte.
    fn token(&self, start: usize) -> Option<usize> {
        self.tokens.binary_search_by_key(&start, |t| t.1.start).ok()
    }

    /// The bytes of the tokens from `first` to the one before `end`.
    fn between(&self, first: usize, end: usize) -> Option<Range<usize>> {
        let (first, last) = (
            self.tokens.get(first)?,
            self.tokens.get(end.checked_sub(1)?)?,
        );
        Some(first.1.start..last.1.end)
    }

    /// The operator left of `right`: only brackets and signs are between.
    fn sign_before(&self, right: &Expr<'_>, sign: &'static str) -> Option<usize> {
        let leaf = self.token(leaf(right))?;
        (0..leaf).rev().find(|i| self.kind(*i) == Kind::Sign(sign))
    }

    /// Where the operator at `at` begins: `not in` is two words.
    fn operator_start(&self, at: usize) -> usize {
        let negated =
            self.kind(at) == Kind::Sign("in") && at > 0 && self.kind(at - 1) == Kind::Sign("not");
        at - usize::from(negated)
    }

    /// The bytes of the operand left of the operator at `at`, with the brackets that close before it.
    fn left_of(&self, at: usize, left: &Expr<'_>) -> Option<Range<usize>> {
        let end = self.operator_start(at);
        let leaf = self.token(leaf(left))?;
        let (mut depth, mut around) = (0_usize, 0_usize);
        for i in leaf..end {
            match self.kind(i) {
                Kind::Open => depth += 1,
                Kind::Close if depth == 0 => around += 1,
                Kind::Close => depth -= 1,
                _ => {}
            }
        }
        let mut first = leaf;
        while around > 0 {
            first = first.checked_sub(1)?;
            around -= usize::from(self.kind(first) == Kind::Open);
        }
        self.between(first, end)
    }

    /// The tokens between the bracket that closes at the byte `end` and the one that it closes: the first, and the one
    /// after the last.
    fn inside(&self, end: usize) -> Option<(usize, usize)> {
        let close = self.tokens.binary_search_by_key(&end, |t| t.1.end).ok()?;
        if self.kind(close) != Kind::Close {
            return None;
        }
        let mut depth = 0_usize;
        let open = (0..close).rev().find(|i| match self.kind(*i) {
            Kind::Close => {
                depth += 1;
                false
            }
            Kind::Open if depth > 0 => {
                depth -= 1;
                false
            }
            kind => kind == Kind::Open,
        })?;
        Some((open + 1, close))
    }
}
