//! One diagnostic type for every stage: data only, drawn by the CLI.

pub mod span;
mod codes;
pub mod suggest;

pub use codes::*;

use crate::diagnostic::span::Span;
use schemars::JsonSchema;
use serde::Serialize;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Nothing is produced.
    Error,
    /// Something is produced, and it is probably not what was meant.
    Warning,
    /// Something worth knowing.
    Note,
}

/// The party that must act; it decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(into = "u8")]
#[schemars(inline, with = "u8")]
pub enum ExitClass {
    /// Not an error (exit 0).
    Success,
    /// The manifest, facts, arguments or sources must be changed (exit 2).
    Input,
    /// Reading or writing failed (exit 3).
    World,
}

impl From<ExitClass> for u8 {
    /// The exit code; 0 if it is no error.
    fn from(exit: ExitClass) -> Self {
        match exit {
            ExitClass::Success => 0,
            ExitClass::Input => 2,
            ExitClass::World => 3,
        }
    }
}

/// A kind of diagnostic, known by a stable kebab-case name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Code {
    /// The name, such as `unknown-fact`.
    #[serde(rename = "code")]
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Why it is so, and how to fix it.
    pub detail: &'static str,
    /// The exit code, which says who has to act; 0 if it is no error.
    pub exit: ExitClass,
}

/// Text that would repair the problem, if put in place of `span`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The text to replace.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

/// A place in a document that was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DocumentPlace {
    /// The root.
    pub root: String,
    /// The path in it.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
}

/// One problem with one place.
///
/// Messages are lower case without a full stop, and never show a value that may be private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// Its kind.
    pub code: Code,
    /// The problem.
    pub message: String,
    /// Where, in a program file.
    pub span: Option<Span>,
    /// The place in a document that the message names, for rules of `check`.
    pub document: Option<DocumentPlace>,
    /// The label of the underline.
    pub label: Option<String>,
    /// Other places that belong to it, each with a few words.
    pub related: Vec<(Span, String)>,
    /// How to fix it.
    pub help: Option<String>,
    /// The fix as an edit.
    pub suggestion: Option<Suggestion>,
}

impl Diagnostic {
    /// An error of kind `code`.
    #[must_use]
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            span: None,
            document: None,
            label: None,
            related: Vec::new(),
            help: None,
            suggestion: None,
        }
    }

    /// A warning of kind `code`.
    #[must_use]
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// A note of kind `code`.
    #[must_use]
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, message)
        }
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets the place in a document.
    #[must_use]
    pub fn in_document(mut self, place: Option<DocumentPlace>) -> Self {
        self.document = place;
        self
    }

    /// Sets the label of the underline.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    /// Sets the help: how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the fix as an edit of `span`.
    #[must_use]
    pub fn suggest(mut self, span: Span, text: impl Into<String>) -> Self {
        self.suggestion = Some(Suggestion {
            span,
            text: text.into(),
        });
        self
    }
}

/// Proof that [`Diagnostics`] holds an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorReported(());

/// The diagnostics of a run, in the order in which they were emitted.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    /// The exit class of the errors beyond the limit.
    beyond: Option<ExitClass>,
}

/// The most diagnostics that are stored: no one reads more, and a broken file can cause very many.
pub const MOST: usize = 100;

impl Diagnostics {
    /// Adds one. The proof is only meaningful for errors.
    pub fn push(&mut self, diagnostic: Diagnostic) -> ErrorReported {
        // The same problem may be met on several paths (a template used by two layers).
        if self.kept.contains(&diagnostic) {
            return ErrorReported(());
        }
        if self.kept.len() < MOST {
            self.kept.push(diagnostic);
        } else if diagnostic.severity == Severity::Error {
            let other = |kept: &Diagnostic| kept.severity != Severity::Error;
            match self.kept.iter().rposition(other) {
                // No error is lost to a warning.
                Some(at) => {
                    self.kept.remove(at);
                    self.kept.push(diagnostic);
                }
                None => self.beyond = self.beyond.max(Some(diagnostic.code.exit)),
            }
        }
        ErrorReported(())
    }

    /// Adds one with what `help` says besides, which takes time to find out: it is not asked once there are too many.
    pub fn push_with(
        &mut self,
        diagnostic: Diagnostic,
        help: impl FnOnce(Diagnostic) -> Diagnostic,
    ) -> ErrorReported {
        let same = |kept: &Diagnostic| {
            let Diagnostic {
                code,
                message,
                span,
                ..
            } = &diagnostic;
            (&kept.code, &kept.message, &kept.span) == (code, message, span)
        };
        if self.kept.len() < MOST {
            return self.push(help(diagnostic));
        }
        if self.kept.iter().any(same) {
            ErrorReported(())
        } else {
            self.push(diagnostic)
        }
    }

    /// Adds all of `others`.
    pub fn extend(&mut self, others: &Self) {
        for diagnostic in others.iter() {
            self.push(diagnostic.clone());
        }
        self.beyond = self.beyond.max(others.beyond);
    }

    /// Takes out those that `wanted` names.
    pub fn take(&mut self, wanted: impl Fn(&Diagnostic) -> bool) -> Vec<Diagnostic> {
        let taken = self.kept.extract_if(.., |diagnostic| wanted(diagnostic));
        taken.collect()
    }

    /// Each as `change` makes it.
    #[must_use]
    pub fn map(mut self, change: impl FnMut(Diagnostic) -> Diagnostic) -> Self {
        self.kept = self.kept.into_iter().map(change).collect();
        self
    }

    /// All, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.kept.iter()
    }

    /// All, in order, for people: the uses of one unknown name are one, with its other places, if the fix is the same. One name that was changed may be
    /// used very often.
    #[must_use]
    pub fn grouped(&self) -> Vec<Diagnostic> {
        let mut out: Vec<(Diagnostic, Vec<Span>)> = Vec::new();
        for diagnostic in &self.kept {
            let is_same = |(first, _): &&mut (Diagnostic, Vec<Span>)| {
                let fix = |of: &Diagnostic| of.suggestion.as_ref().map(|s| s.text.clone());
                let said =
                    |of: &Diagnostic| (of.code, of.message.clone(), of.help.clone(), fix(of));
                first.span.is_some() && said(first) == said(diagnostic)
            };
            let unknown = diagnostic.code.name.starts_with("unknown-");
            let first = match unknown.then_some(diagnostic.span).flatten() {
                Some(span) => out.iter_mut().find(is_same).map(|first| (first, span)),
                None => None,
            };
            match first {
                Some(((_, others), span)) => others.push(span),
                None => out.push((diagnostic.clone(), Vec::new())),
            }
        }
        out.into_iter().map(with_others).collect()
    }

    /// Whether there were more errors than are stored.
    #[must_use]
    pub fn more(&self) -> bool {
        self.beyond.is_some()
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Fails if there is an error.
    ///
    /// # Errors
    /// When at least one error was pushed.
    pub fn check(&self) -> Result<(), ErrorReported> {
        match self.exit_class() {
            Some(_) => Err(ErrorReported(())),
            None => Ok(()),
        }
    }

    /// The exit class of the run: the world's if any error is the world's, none if there is no error.
    #[must_use]
    pub fn exit_class(&self) -> Option<ExitClass> {
        let errors = self.kept.iter().filter(|d| d.severity == Severity::Error);
        errors.map(|d| d.code.exit).max().max(self.beyond)
    }
}

/// The most other places of an unknown name that are shown.
const MOST_OTHERS: usize = 3;

/// A diagnostic with its other places: the first of them, and how many more there are.
fn with_others((diagnostic, others): (Diagnostic, Vec<Span>)) -> Diagnostic {
    let more = others.len().saturating_sub(MOST_OTHERS);
    let shown = others.iter().take(MOST_OTHERS).enumerate();
    shown.fold(diagnostic, |diagnostic, (at, span)| {
        let label = match (at + 1 == MOST_OTHERS, more) {
            (true, 1) => "and here, and in 1 more place".to_owned(),
            (true, 2..) => format!("and here, and in {more} more places"),
            _ => "and here".to_owned(),
        };
        diagnostic.related(*span, label)
    })
}
