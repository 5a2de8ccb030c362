//! Diagnostics for programs: one object a line.

use crate::diagnostic::{Diagnostic, Severity};
use crate::prompt::Notice;
use crate::span::Files;
use schemars::JsonSchema;
use serde::Serialize;

/// A diagnostic as programs get it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Line<'a> {
    severity: Severity,
    code: &'a str,
    message: &'a str,
    file: Option<&'a str>,
    start: Option<u32>,
    end: Option<u32>,
    line: Option<usize>,
    column: Option<usize>,
    help: Option<&'a str>,
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
        input_line,
    })
}

/// A diagnostic of a batch.
#[derive(Serialize)]
struct InBatch<'a> {
    #[serde(flatten)]
    line: Line<'a>,
    input_line: Option<usize>,
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
        file: place.map(|(span, ..)| files.get(span.file).name.as_ref()),
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
        file: None,
        start: None,
        end: None,
        line: None,
        column: None,
        help: None,
        suggestion: None,
    })
}

fn line(line: &impl Serialize) -> String {
    // Strings and numbers always have a JSON form.
    let mut out = serde_json::to_string(line).unwrap_or_default();
    out.push('\n');
    out
}
