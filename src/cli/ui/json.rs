//! Diagnostics for programs: one object a line.

use super::answer::line;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::span::Files;
use crate::prompt::Notice;
use crate::report::diagnostic_json::{Line, of};
use schemars::JsonSchema;
use serde::Serialize;

/// One diagnostic.
pub(super) fn render(diagnostic: &Diagnostic, files: &Files) -> String {
    line(&of(diagnostic, files))
}

/// What a diagnostic of a batch is about.
#[derive(Clone, Copy)]
pub(crate) enum BatchItem<'a> {
    /// A line of the input; none for all of them.
    Line(Option<usize>),
    /// The variant without these layers.
    Variant(&'a [String]),
}

/// One diagnostic of a batch; `input_line` is null if it is about none.
pub(super) fn render_in_batch(
    diagnostic: &Diagnostic,
    files: &Files,
    item: BatchItem<'_>,
) -> String {
    let (input_line, without) = match item {
        BatchItem::Line(number) => (Some(number), None),
        BatchItem::Variant(layers) => (None, Some(layers)),
    };
    line(&InBatch {
        line: of(diagnostic, files),
        input_line,
        without,
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
    /// With `--each-without` the layers that the variant leaves out; empty for the whole prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    without: Option<&'a [String]>,
}

/// One notice.
pub(super) fn notice(notice: &Notice) -> String {
    line(&Line::of_notice(notice, &notice.sentence()))
}
