//! Output about a log, for `promptc capture diff` and `promptc capture show`.

use crate::cli::Context;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::capture::{self, LogOperand, RequestComparison, RequestQuery};
use crate::report::{self, github, requests};
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `capture diff --format json`.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct JsonReport<'a> {
    /// The log.
    log: String,
    /// A comparison for each request; of two that are named one.
    comparisons: &'a [RequestComparison],
}

/// The format of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Form {
    Human { ascii: bool },
    Json,
    Markdown,
    Github,
}

/// The operands of a comparison. What names no log is taken as one too: an error is reported when it is read.
pub(super) fn operands(a: &str, b: Option<&str>) -> [Option<LogOperand>; 2] {
    let operand = |written: &str| {
        LogOperand::of(written).unwrap_or_else(|| LogOperand {
            path: written.into(),
            number: None,
        })
    };
    [Some(operand(a)), b.map(operand)]
}

/// Compares the requests of a log, or two.
pub(in crate::cli) fn compare(
    [a, b]: [Option<LogOperand>; 2],
    query: RequestQuery<'_>,
    context: &mut Context,
) -> Result<Vec<RequestComparison>, ErrorReported> {
    match (a, b) {
        (
            Some(LogOperand {
                path: a,
                number: Some(m),
            }),
            Some(LogOperand {
                path: b,
                number: Some(n),
            }),
        ) => capture::two((&a, m), (&b, n), query, &mut context.run).map(|one| vec![one]),
        (Some(LogOperand { path, number: None }), None) => {
            capture::each(&path, query, &mut context.run)
        }
        (
            Some(LogOperand {
                path,
                number: Some(number),
            }),
            None,
        ) => {
            let query = RequestQuery {
                conversation: None,
                ..query
            };
            let all = capture::each(&path, query, &mut context.run)?;
            let one: Vec<_> = all.into_iter().filter(|c| c.b == number).collect();
            match one.is_empty() {
                false => Ok(one),
                true => {
                    let message = format!("the log has no request {number}");
                    let found = Diagnostic::error(diagnostic::NO_REQUEST, message);
                    let help = format!("`promptc capture show {}` lists them", path.display());
                    Err(context.run.diags.push(found.help(help)))
                }
            }
        }
        _ => {
            let message =
                "a request can only be compared with a request: LOG#41 LOG#42, LOG#42 or LOG";
            let found = Diagnostic::error(diagnostic::USAGE, message);
            Err(context
                .run
                .diags
                .push(found.help("LOG alone compares each with the one before it")))
        }
    }
}

/// Writes comparisons.
pub(in crate::cli) fn write(
    log: &str,
    all: &[RequestComparison],
    form: Form,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let page = match form {
        Form::Human { ascii } => {
            let terminal = context.ui.terminal(ascii);
            Page::drawn(terminal.draw(&requests::comparisons(all)))
        }
        Form::Markdown => Page::markdown(&requests::comparisons(all)),
        Form::Github => Page::commands(github::draw(&report::request_annotations(all))),
        Form::Json => answer::page(&JsonReport {
            log: log.to_owned(),
            comparisons: all,
        }),
    };
    context.ui.result(&page, &mut context.run.diags)
}

/// Lists the requests.
pub(super) fn show(
    of: &LogOperand,
    conversation: Option<&str>,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let query = RequestQuery {
        conversation,
        ..RequestQuery::default()
    };
    let all = capture::each(&of.path, query, &mut context.run)?;
    let terminal = context.ui.terminal(false);
    let page = Page::drawn(terminal.draw(&requests::list(&all)));
    context.ui.result(&page, &mut context.run.diags)
}
