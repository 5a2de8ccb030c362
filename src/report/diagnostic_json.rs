//! Diagnostics for programs.

use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Severity};
use crate::prompt::Notice;
use schemars::JsonSchema;
use serde::Serialize;

/// A diagnostic as programs get it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Diagnostic")]
pub(crate) struct Line<'a> {
    severity: Severity,
    /// Its kind: `promptc explain --code` says what it means.
    code: &'a str,
    message: &'a str,
    /// The program file that it is about; null if it is about none, and so are the next four.
    path: Option<&'a str>,
    /// First byte.
    start: Option<u32>,
    /// One past the last byte.
    end: Option<u32>,
    /// From 1.
    line: Option<usize>,
    /// From 1, in Unicode scalar values.
    column: Option<usize>,
    /// How to fix it.
    help: Option<&'a str>,
    /// The fix as an edit.
    suggestion: Option<Edit<'a>>,
}

/// A text that would repair it, in place of the bytes from start to end.
#[derive(Debug, Serialize, JsonSchema)]
struct Edit<'a> {
    start: u32,
    end: u32,
    text: &'a str,
}

/// One diagnostic as an object.
pub(crate) fn of<'a>(diagnostic: &'a Diagnostic, files: &'a Files) -> Line<'a> {
    let place = diagnostic.span.map(|span| {
        let (line, column) = files.line_column(span.file, span.start as usize);
        (span, line, column)
    });
    Line {
        severity: diagnostic.severity,
        code: diagnostic.code.name,
        message: &diagnostic.message,
        path: place.map(|(span, ..)| files.get(span.file).name.as_ref()),
        start: place.map(|(span, ..)| span.start),
        end: place.map(|(span, ..)| span.end),
        line: place.map(|(_, line, _)| line),
        column: place.map(|(.., column)| column),
        help: diagnostic.help.as_deref(),
        suggestion: diagnostic.suggestion.as_ref().map(|s| Edit {
            start: s.span.start,
            end: s.span.end,
            text: &s.text,
        }),
    }
}

impl<'a> Line<'a> {
    /// A notice, whose sentence is `message`.
    pub(crate) fn of_notice(notice: &'a Notice, message: &'a str) -> Self {
        Self {
            severity: if notice.is_warning() {
                Severity::Warning
            } else {
                Severity::Note
            },
            code: &notice.code,
            message,
            path: None,
            start: None,
            end: None,
            line: None,
            column: None,
            help: None,
            suggestion: None,
        }
    }
}
