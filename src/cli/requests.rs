//! Comparisons of requests: their output, and the conditions of `--fail-on`, for `promptc capture diff`, `capture show` and `diff`.

use super::Context;
use super::fail_on::Difference;
use super::ui::{Page, answer};
use crate::diagnostic::{self, Diagnostic, ErrorReported, suggest};
use crate::project::capture::{self, LogOperand, RequestComparison, RequestQuery};
use crate::report::{self, github, requests};
use crate::request::whole::State;
use schemars::JsonSchema;
use serde::Serialize;

/// The parts of a request, in the order in which a provider caches them.
const PARTS: [&str; 3] = ["tools", "system", "messages"];

/// The output of `capture diff --format json`.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct JsonReport<'a> {
    /// The log.
    log: String,
    /// A comparison for each request; of two that are named one.
    comparisons: &'a [RequestComparison],
}

/// The format of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
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
pub(super) fn compare(
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
            if !one.is_empty() {
                Ok(one)
            } else {
                let message = format!("the log has no request {number}");
                let found = Diagnostic::error(diagnostic::NO_REQUEST, message);
                let help = format!("`promptc capture show {}` lists them", path.display());
                Err(context.run.diags.push(found.help(help)))
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
pub(super) fn write(
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

/// Applies the conditions of `--fail-on`.
pub(super) fn check(
    conditions: &[Difference],
    all: &[RequestComparison],
    context: &mut Context,
) -> Result<(), ErrorReported> {
    for condition in conditions {
        let fails = fails(condition, all, context)?;
        context.verdict &= !fails;
    }
    Ok(())
}

/// Whether a condition of `--fail-on` is met.
fn fails(
    condition: &Difference,
    all: &[RequestComparison],
    context: &mut Context,
) -> Result<bool, ErrorReported> {
    let mut broken = all.iter().filter(|one| one.state == State::Broken);
    let part = match condition {
        Difference::Break(None) => return Ok(broken.next().is_some()),
        Difference::Break(Some(part)) => part,
        Difference::Change => {
            let message =
                "`change` is no condition here: each request differs from the one before it";
            let found = Diagnostic::error(diagnostic::USAGE, message);
            let help = "write --fail-on break, or break=PART";
            return Err(context.run.diags.push(found.help(help)));
        }
    };
    let Some(bound) = PARTS.iter().position(|known| known == part) else {
        let message = format!("a request has no part `{part}`");
        let found = Diagnostic::error(diagnostic::UNKNOWN_TIER, message);
        let help = format!("the parts are {}", suggest::list(PARTS));
        return Err(context.run.diags.push(found.help(help)));
    };
    let mut causes = broken.flat_map(|one| &one.causes);
    Ok(causes.any(|cause| {
        let of = cause.at.split('/').next().unwrap_or_default();
        // A setting takes effect before them all, and expiry is no change.
        of != "time"
            && PARTS
                .iter()
                .position(|p| *p == of)
                .is_none_or(|at| at <= bound)
    }))
}
