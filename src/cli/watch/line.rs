//! A build as programs read it: one object a line.

use crate::cli::Context;
use crate::cli::ui::answer;
use crate::compare::Diff;
use crate::project::Run;
use crate::prompt::Prompt;
use crate::report::diagnostic_json as json;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// The outcome of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// The first successful build.
    Built,
    /// The bytes differ from the previous prompt.
    Changed,
    /// The bytes are those of the previous prompt.
    Same,
    /// The build failed; the previous prompt stays.
    Failed,
}

/// A line of `watch --format json`: one build.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WatchLine", deny_unknown_fields)]
pub(in crate::cli) struct Line<'a> {
    /// The number of its report, from 1.
    build: u64,
    /// The outcome.
    outcome: Outcome,
    /// The bytes of all channels; null if it failed.
    bytes: Option<usize>,
    /// Hash of the system prompt; null if it failed.
    fingerprint: Option<&'a str>,
    /// The diagnostics, as in `--message-format json`.
    diagnostics: Vec<json::Line<'a>>,
    /// The comparison of the prompt of before and this one, as in `diff --format json`; null if they are not compared.
    comparison: Option<&'a Diff>,
}

/// The line of a build.
pub(super) fn line(build: u64, report: &Report<'_>, context: &Context) -> String {
    let Run { diags, files, .. } = &context.run;
    let Report {
        outcome, prompt, ..
    } = *report;
    let line = Line {
        build,
        outcome,
        bytes: prompt.map(bytes),
        fingerprint: prompt.map(|p| p.fingerprint.as_str()),
        diagnostics: diags.iter().map(|d| json::of(d, files)).collect(),
        comparison: report.compared.map(|(diff, _)| diff),
    };
    answer::line(&line)
}

/// The report of a build.
pub(super) struct Report<'a> {
    pub(super) outcome: Outcome,
    pub(super) prompt: Option<&'a Prompt>,
    /// The comparison with the prompt of before, and its picture, if the bytes differ.
    pub(super) compared: Option<&'a (Diff, String)>,
    pub(super) took: Duration,
}

/// The bytes of all channels.
pub(super) fn bytes(prompt: &Prompt) -> usize {
    prompt.channels.iter().map(|c| c.bytes).sum()
}
