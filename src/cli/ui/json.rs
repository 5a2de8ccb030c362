//! Diagnostics for programs: one object a line.

use super::answer::line;
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

/// One diagnostic.
pub(super) fn render(diagnostic: &Diagnostic, files: &Files) -> String {
    line(&of(diagnostic, files))
}

/// One diagnostic of a batch; `input_line` is null if it is about none.
pub(super) fn render_in_batch(
    diagnostic: &Diagnostic,
    files: &Files,
    input_line: Option<usize>,
) -> String {
    line(&InBatch {
        line: of(diagnostic, files),
        input_line: Some(input_line),
    })
}

/// A line that `--message-format json` writes: a diagnostic.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub(crate) struct InBatch<'a> {
    #[serde(flatten)]
    line: Line<'a>,
    /// In a batch the line of the input that it is about; null if it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_line: Option<Option<usize>>,
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

/// One notice.
pub(super) fn notice(notice: &Notice) -> String {
    line(&Line {
        severity: if notice.is_warning() {
            Severity::Warning
        } else {
            Severity::Note
        },
        code: &notice.code,
        message: &notice.sentence(),
        path: None,
        start: None,
        end: None,
        line: None,
        column: None,
        help: None,
        suggestion: None,
    })
}
