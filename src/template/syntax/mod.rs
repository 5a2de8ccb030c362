//! The dialect, and a bound on nesting that the engine's parser lacks.

mod operator;
mod unclosed;

use super::failure::Failure;
use crate::diagnostic::{Code, EXPRESSION_SYNTAX, TEMPLATE_SYNTAX};
use minijinja::machinery::ast::{BinOpKind, CompareOpKind};
use minijinja::machinery::{Token, ast, parse, parse_expr, tokenize};
use minijinja::syntax::SyntaxConfig;
use std::ops::Range;

/// Operators in one tag, and `elif` in one template. Each may nest the syntax tree by one level, and the engine walks
/// that tree recursively.
const MAX_OPERATORS: usize = 500;

/// The name in which a checked program looks up a sum. Not a filter: that costs steps for the length of a text, and a
/// template that adds texts would have fewer left. No program can use the name.
pub(super) const SUMMED: &str = "__summed";

/// The name in which a checked program looks up an operand of `~`, which the engine writes as text before it counts the
/// steps for that. No program can use the name.
pub(super) const JOINED: &str = "__joined";

/// Whether a program is an expression or a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Expression,
    Template,
}

impl Form {
    pub(super) fn syntax_code(self) -> Code {
        match self {
            Self::Expression => EXPRESSION_SYNTAX,
            Self::Template => TEMPLATE_SYNTAX,
        }
    }
}

/// Tags on lines of their own leave no trace; the last newline stays (the reader of a file drops it).
pub(super) fn config() -> SyntaxConfig {
    // The default delimiters are never invalid.
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()
        .unwrap_or_default()
}

pub(super) fn template(source: &str) -> Result<ast::Stmt<'_>, Failure> {
    bound(source, Form::Template)?;
    bounded_template(source)
}

pub(super) fn expression(source: &str) -> Result<ast::Expr<'_>, Failure> {
    bound(source, Form::Expression)?;
    bounded_expression(source)
}

/// Like [`template`], for a source whose nesting is known to be bounded.
pub(super) fn bounded_template(source: &str) -> Result<ast::Stmt<'_>, Failure> {
    parse(source, "", config()).map_err(|e| {
        let failure = Failure::of(&e, Form::Template, |_| Some((source, None)));
        let about_ends = e.detail().is_some_and(|detail| {
            detail.starts_with("unexpected end of input")
                || detail.starts_with("unknown statement end")
        });
        let unclosed = about_ends.then(|| unclosed::find(source)).flatten();
        let parses = |text: &str| position(parse(text, "", config()).err());
        unclosed.unwrap_or_else(|| operator::corrected(failure, source, parses))
    })
}

/// Like [`expression`], for a source whose nesting is known to be bounded.
pub(super) fn bounded_expression(source: &str) -> Result<ast::Expr<'_>, Failure> {
    parse_expr(source).map_err(|e| {
        let failure = Failure::of(&e, Form::Expression, |_| Some((source, None)));
        operator::corrected(failure, source, |text| position(parse_expr(text).err()))
    })
}

/// The byte to which the engine could read a text, if not to its end.
fn position(error: Option<minijinja::Error>) -> Option<usize> {
    error.map(|error| error.range().map_or(0, |range| range.start))
}

/// Whether an operator compares its sides, and gives true or false.
pub(super) fn compares(op: BinOpKind) -> bool {
    matches!(
        op,
        BinOpKind::Eq
            | BinOpKind::Ne
            | BinOpKind::Lt
            | BinOpKind::Lte
            | BinOpKind::Gt
            | BinOpKind::Gte
            | BinOpKind::In
    )
}

/// An operator as it is written.
pub(super) fn sign(op: BinOpKind) -> &'static str {
    match op {
        BinOpKind::Eq => "==",
        BinOpKind::Ne => "!=",
        BinOpKind::Lt => "<",
        BinOpKind::Lte => "<=",
        BinOpKind::Gt => ">",
        BinOpKind::Gte => ">=",
        BinOpKind::ScAnd => "and",
        BinOpKind::ScOr => "or",
        BinOpKind::Add => "+",
        BinOpKind::Sub => "-",
        BinOpKind::Mul => "*",
        BinOpKind::Div => "/",
        BinOpKind::FloorDiv => "//",
        BinOpKind::Rem => "%",
        BinOpKind::Pow => "**",
        BinOpKind::Concat => "~",
        BinOpKind::In => "in",
    }
}

/// The comparison of an operator of `a < b <= c` for two neighbours, and whether it is negated.
pub(super) fn of_chain(op: CompareOpKind) -> (BinOpKind, bool) {
    match op {
        CompareOpKind::Eq => (BinOpKind::Eq, false),
        CompareOpKind::Ne => (BinOpKind::Ne, false),
        CompareOpKind::Lt => (BinOpKind::Lt, false),
        CompareOpKind::Lte => (BinOpKind::Lte, false),
        CompareOpKind::Gt => (BinOpKind::Gt, false),
        CompareOpKind::Gte => (BinOpKind::Gte, false),
        CompareOpKind::In => (BinOpKind::In, false),
        CompareOpKind::NotIn => (BinOpKind::In, true),
    }
}

/// Refuses what would nest so deeply that walking it could exhaust the stack.
pub(super) fn bound(source: &str, form: Form) -> Result<(), Failure> {
    let (mut operators, mut branches) = (0, 0);
    let mut test = Test::None;
    let tokens = tokenize(source, form == Form::Expression, config());
    // A token that cannot be read is the parser's to report.
    for (token, span) in tokens.map_while(Result::ok) {
        let range = span.start_offset as usize..span.end_offset as usize;
        test = test.next(&token, &range);
        if let Test::Choice(range) = test {
            return Err(test_before_if(form, source, range));
        }
        match token {
            Token::Ident(name @ (SUMMED | JOINED)) => {
                let message = format!("the name `{name}` is the program's own");
                return Err(Failure::new(form.syntax_code(), message)
                    .at(range)
                    .help("take another name"));
            }
            Token::VariableStart | Token::BlockStart => operators = 0,
            Token::Ident("elif") => branches += 1,
            Token::Ident("not" | "and" | "or" | "if" | "is" | "in") => operators += 1,
            Token::Ident(_)
            | Token::TemplateData(_)
            | Token::VariableEnd
            | Token::BlockEnd
            | Token::Str(_)
            | Token::String(_)
            | Token::Int(_)
            | Token::Int128(_)
            | Token::Float(_)
            | Token::Comma
            | Token::Colon
            | Token::Assign
            | Token::BracketClose
            | Token::ParenClose
            | Token::BraceClose => {}
            _ => operators += 1,
        }
        if operators.max(branches) > MAX_OPERATORS {
            let message = format!("more than {MAX_OPERATORS} operators are in one place");
            return Err(Failure::new(form.syntax_code(), message)
                .at(range)
                .help("split it with `{% set %}` or a `let`"));
        }
    }
    Ok(())
}

/// The part of `is TEST if` that the tokens up to here form, and its first byte.
enum Test {
    None,
    /// `is`, or `is not`.
    Is(usize),
    /// `is TEST`.
    Named(usize),
    /// All of it.
    Choice(Range<usize>),
}

impl Test {
    fn next(self, token: &Token<'_>, at: &Range<usize>) -> Self {
        match (self, token) {
            (Self::Is(from), Token::Ident("not")) => Self::Is(from),
            (Self::Is(from), Token::Ident(_)) => Self::Named(from),
            (Self::Named(from), Token::Ident("if")) => Self::Choice(from..at.end),
            (_, Token::Ident("is")) => Self::Is(at.start),
            _ => Self::None,
        }
    }
}

/// The engine takes any word after a test for its argument, also `if`.
fn test_before_if(form: Form, source: &str, range: Range<usize>) -> Failure {
    let words = source.get(range.start..range.end - "if".len());
    let test = words.unwrap_or_default().trim_end();
    Failure::new(form.syntax_code(), format!("`if` cannot follow `{test}`"))
        .at(range)
        .help(format!("put the test in parentheses: `(… {test}) if …`"))
}
