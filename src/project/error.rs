//! The findings of a library call: with its result, or in place of one.

use super::Run;
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use std::fmt;
use std::ops::Deref;

/// Diagnostics, and the files that their places are in.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    diagnostics: Diagnostics,
    files: Files,
}

impl Findings {
    pub(crate) fn new(diagnostics: &Diagnostics, files: &Files) -> Self {
        Self {
            diagnostics: diagnostics.clone(),
            files: files.clone(),
        }
    }

    /// The findings of a run.
    pub(crate) fn of(run: Run) -> Self {
        Self {
            diagnostics: run.diags,
            files: run.files,
        }
    }

    /// All of them, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter()
    }

    /// Whether there were more than the hundred that are stored.
    #[must_use]
    pub fn more(&self) -> bool {
        self.diagnostics.more()
    }

    /// Where a diagnostic is: the file as messages name it, and the lines and columns of its first character and of what comes
    /// after its last, from 1 and in characters. None if it is about no file.
    #[must_use]
    pub fn range(&self, diagnostic: &Diagnostic) -> Option<(&str, [(usize, usize); 2])> {
        let span = diagnostic.span?;
        let at = |offset: u32| self.files.line_column(span.file, offset as usize);
        let range = [at(span.start), at(span.end.max(span.start))];
        Some((&self.files.get(span.file).name, range))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The files that places are in.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }
}

/// A paragraph for each: `error[CODE]: MESSAGE`, its place as `FILE:LINE:COLUMN`, and how to fix it.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.iter().enumerate() {
            let word = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            let end = if at == 0 { "" } else { "\n" };
            let (code, message) = (diagnostic.code.name, &diagnostic.message);
            write!(f, "{end}{word}[{code}]: {message}")?;
            if let Some(span) = diagnostic.span {
                let (line, column) = self.files.line_column(span.file, span.start as usize);
                let file = &self.files.get(span.file).name;
                write!(f, "\n  at {file}:{line}:{column}")?;
            }
            if let Some(help) = &diagnostic.help {
                write!(f, "\n  help: {help}")?;
            }
        }
        Ok(())
    }
}

/// Why a call of the library has no result.
#[derive(Clone)]
pub struct Error(pub(crate) Findings);

impl Error {
    /// The findings: one error at least.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

// `unwrap` in a test shows this.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.0)
    }
}

impl std::error::Error for Error {}

/// The result of a call, and what was found that is no error. It is used as what it holds.
#[derive(Debug, Clone)]
pub struct Answer<T> {
    /// The result.
    pub value: T,
    /// Warnings and notes.
    pub findings: Findings,
}

impl<T> Deref for Answer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
