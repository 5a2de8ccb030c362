//! Why an expression or template cannot be read or run, in words of our own.
//!
//! The engine's messages may hold values, so only its error kinds and those of its texts that are constant are used.

use super::guard::Guarded;
use super::limit::FUEL;
use super::syntax::Form;
use crate::diagnostic::{
    Code, Diagnostic, TEMPLATE_FAILED, TEMPLATE_LIMIT, TEMPLATE_NOT_FOUND, UNDEFINED_VALUE,
    UNKNOWN_FILTER, UNKNOWN_FUNCTION, UNKNOWN_TEST,
};
use crate::manifest::model::Program;
use crate::text::measure::thousands;
use minijinja::{Error, ErrorKind};
use std::error::Error as StdError;
use std::fmt;
use std::ops::{Deref, DerefMut, Range};

/// A problem of a program, with the place in its source. One pointer wide; see [`Problem`] for what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(Box<Problem>);

/// The content of a [`Failure`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its kind.
    pub code: Code,
    /// The message; never a value.
    pub message: String,
    /// The template in which it happened, by the name that it was added with; none for expressions.
    pub template: Option<String>,
    /// Bytes in that source.
    pub range: Option<Range<usize>>,
    /// The fix.
    pub help: Option<String>,
    /// The fix as an edit: bytes in that source, and what belongs there.
    pub suggestion: Option<(Range<usize>, String)>,
}

impl Deref for Failure {
    type Target = Problem;

    fn deref(&self) -> &Problem {
        &self.0
    }
}

impl DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut Problem {
        &mut self.0
    }
}

impl Failure {
    /// A failure without a place.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Problem {
            code,
            message: message.into(),
            template: None,
            range: None,
            help: None,
            suggestion: None,
        }))
    }

    /// Sets the bytes of the source that it is about.
    #[must_use]
    pub fn at(mut self, range: Range<usize>) -> Self {
        self.range = Some(range);
        self
    }

    /// Sets the fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the fix as an edit of these bytes.
    #[must_use]
    pub fn suggest(mut self, range: Range<usize>, text: String) -> Self {
        self.suggestion = Some((range, text));
        self
    }

    /// The diagnostic for it; `program` is the source that it happened in.
    #[must_use]
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        let whole = 0..program.text().len();
        let span = program.span_of(self.range.clone().unwrap_or(whole));
        let mut diagnostic = Diagnostic::error(self.code, self.message.clone()).at(span);
        diagnostic.help.clone_from(&self.help);
        match &self.suggestion {
            Some((range, text)) => diagnostic.suggest(program.span_of(range.clone()), text.clone()),
            None => diagnostic,
        }
    }

    /// Translates an error of the engine. `source` gives a template's source by name, so that the message can quote the
    /// program (and only the program), and what the engine read for it if that is not the same.
    pub(super) fn of<'s>(
        error: &Error,
        form: Form,
        source: impl Fn(&str) -> Option<(&'s str, Option<&'s Guarded>)>,
    ) -> Self {
        let (mut innermost, mut planted) = (error, None);
        let mut next: Option<&(dyn StdError + 'static)> = error.source();
        while let Some(cause) = next {
            if let Some(engine) = cause.downcast_ref::<Error>() {
                innermost = engine;
            }
            planted = cause.downcast_ref::<Planted>().or(planted);
            next = cause.source();
        }
        let placed = with_range(error).unwrap_or(innermost);
        let text = match (form, placed.name()) {
            (Form::Template, Some(name)) => source(name),
            _ => source(""),
        };
        let range = placed.range().zip(text).map(|(r, (text, guarded))| {
            let range = guarded.map_or(r.clone(), |g| g.range(r));
            tidy(range, text)
        });
        let quote = range
            .as_ref()
            .zip(text)
            .and_then(|(r, (text, _))| text.get(r.clone()));
        let mut failure = match planted {
            Some(planted) => {
                let written =
                    |part: &&(String, String)| text.is_some_and(|(text, _)| text.contains(&part.0));
                let message = match planted.part.as_ref().filter(written) {
                    Some((_, message)) => message,
                    None => &planted.message,
                };
                let mut failure = Self::new(planted.code, message.clone());
                failure.help.clone_from(&planted.help);
                failure
            }
            None => translate(innermost, form, quote),
        };
        failure.range = range;
        if form == Form::Template {
            failure.template = placed.name().filter(|n| !n.is_empty()).map(str::to_owned);
        }
        failure
    }
}

/// The innermost error of the engine that knows its place.
fn with_range(error: &Error) -> Option<&Error> {
    let mut found = None;
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(cause) = next {
        if let Some(engine) = cause
            .downcast_ref::<Error>()
            .filter(|e| e.range().is_some())
        {
            found = Some(engine);
        }
        next = cause.source();
    }
    found
}

/// The engine's ranges of operators begin at the token before; that is cut off, and white space at both ends.
fn tidy(range: Range<usize>, text: &str) -> Range<usize> {
    // The engine's place of an unexpected character is one byte.
    let end = text.ceil_char_boundary(range.end);
    let start = text.floor_char_boundary(range.start.min(end));
    let Some(slice) = text.get(start..end) else {
        return start..end;
    };
    let body = slice
        .strip_prefix("{{")
        .map_or(slice, |s| s.strip_prefix(['-', '+']).unwrap_or(s));
    let body_start = end - body.trim_start().len();
    let trimmed = body.trim();
    if trimmed.is_empty() {
        start..end
    } else {
        body_start..body_start + trimmed.len()
    }
}

fn translate(error: &Error, form: Form, quote: Option<&str>) -> Failure {
    let quoted = quote
        .filter(|q| q.chars().count() <= 60 && !q.contains('\n'))
        .map_or_else(|| "this".to_owned(), |q| format!("`{q}`"));
    let what = match form {
        Form::Expression => "expression",
        Form::Template => "template",
    };
    match error.kind() {
        // Raised before anything runs, so the text can only quote the program.
        ErrorKind::SyntaxError => {
            let detail = error.detail().unwrap_or("the syntax is not that of Jinja");
            Failure::new(form.syntax_code(), lower_first(detail))
        }
        ErrorKind::UndefinedError => missing(quote),
        ErrorKind::OutOfFuel => {
            let message = format!("the {what} runs too long, or makes too much");
            Failure::new(TEMPLATE_LIMIT, message).help(format!(
                "it may take {} steps, and each 64 bytes that it makes or reads are one; a loop inside a loop is the usual cause",
                thousands(&FUEL.to_string())
            ))
        }
        ErrorKind::WriteFailure => {
            Failure::new(TEMPLATE_LIMIT, format!("the {what} prints too much"))
        }
        ErrorKind::TemplateNotFound => Failure::new(
            TEMPLATE_NOT_FOUND,
            format!("{quoted} names a missing template"),
        ),
        ErrorKind::UnknownFilter => {
            Failure::new(UNKNOWN_FILTER, format!("{quoted} names no filter"))
        }
        ErrorKind::UnknownTest => Failure::new(UNKNOWN_TEST, format!("{quoted} names no test")),
        ErrorKind::UnknownFunction => {
            Failure::new(UNKNOWN_FUNCTION, format!("{quoted} names no function"))
        }
        ErrorKind::UnknownMethod => Failure::new(
            TEMPLATE_FAILED,
            format!("{quoted} calls a method, and values have none"),
        )
        .help("use a filter: {{ x | upper }}, not {{ x.upper() }}"),
        ErrorKind::MissingArgument => {
            Failure::new(TEMPLATE_FAILED, format!("{quoted} lacks an argument"))
        }
        ErrorKind::TooManyArguments => Failure::new(
            TEMPLATE_FAILED,
            format!("{quoted} has an argument too many, or one of an unknown name"),
        ),
        ErrorKind::CannotUnpack => Failure::new(
            TEMPLATE_FAILED,
            format!("{quoted} is not a list of as many items as there are names"),
        ),
        _ => operation(error, what, &quoted),
    }
}

/// A failed operation: some of the engine's messages are constant and worth distinguishing.
fn operation(error: &Error, what: &str, quoted: &str) -> Failure {
    match error.detail() {
        Some("recursion limit exceeded") => Failure::new(
            TEMPLATE_LIMIT,
            format!("the {what} calls itself too deeply"),
        ),
        Some(
            "range has too many elements"
            | "repeated string is too large"
            | "repeated sequence is too large",
        ) => Failure::new(TEMPLATE_LIMIT, format!("{quoted} would make too much")),
        Some(detail) if detail.starts_with("cycle in template inheritance") => {
            Failure::new(TEMPLATE_LIMIT, "templates extend each other in a circle")
        }
        Some("tried to extend a second time in a template") => {
            Failure::new(TEMPLATE_FAILED, "a template extends two others")
        }
        Some("no parent block exists") => Failure::new(
            TEMPLATE_FAILED,
            "super() is called in a block that replaces none",
        ),
        _ => Failure::new(
            TEMPLATE_FAILED,
            format!("{quoted} does not work with the values that it is given"),
        ),
    }
}

/// The failure for a missing value.
fn missing(quote: Option<&str>) -> Failure {
    let path = |q: &&str| {
        !q.is_empty()
            && q.chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
    };
    let failure = match quote.filter(path) {
        Some(name) => Failure::new(UNDEFINED_VALUE, format!("`{name}` is missing")),
        None => Failure::new(UNDEFINED_VALUE, "a value that is used here is missing"),
    };
    failure.help("test it first: {% if x %}, `x is defined`, or x | default(\"…\")")
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// An error of ours on its way through the engine.
#[derive(Debug)]
pub(super) struct Planted {
    pub(super) code: Code,
    pub(super) message: String,
    /// A text, and the message that quotes it: only for one that is written in the program, since it may be a value.
    pub(super) part: Option<(String, String)>,
    pub(super) help: Option<String>,
}

impl fmt::Display for Planted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Planted {}

impl From<Planted> for Error {
    fn from(planted: Planted) -> Self {
        Self::from(ErrorKind::InvalidOperation).with_source(planted)
    }
}

/// An error of ours to hand to the engine.
pub(super) fn plant(code: Code, message: impl Into<String>) -> Planted {
    Planted {
        code,
        message: message.into(),
        part: None,
        help: None,
    }
}

impl Planted {
    /// Sets the message for a program in which `part` is written.
    pub(super) fn quoting(mut self, part: &str, message: impl Into<String>) -> Self {
        self.part = Some((part.to_owned(), message.into()));
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Whether one of our errors is the cause of `error`.
pub(super) fn is_planted(error: &Error) -> bool {
    let mut next = error.source();
    while let Some(cause) = next {
        if cause.is::<Planted>() {
            return true;
        }
        next = cause.source();
    }
    false
}
