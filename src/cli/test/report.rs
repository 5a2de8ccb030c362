//! The answer, for people and for programs.

use super::judge::{Outcome, Status};
use crate::cli::ui::words;
use crate::diff::Diff;
use anstream::adapter::strip_str;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A line for each record, what is to be said about it below, and a sum.
pub(super) fn human(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        out.push_str(&line(outcome));
        // Why a record cannot be used is told as an error.
        if !outcome.status.is_good() && outcome.broken.is_none() {
            for line in &outcome.picture.lines {
                let line = format!("          {line}");
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
    }
    out.push_str(&summary(outcomes));
    out
}

/// One record.
pub(super) fn line(outcome: &Outcome) -> String {
    let word = outcome.status.word();
    let name = format!(
        "{word:<9} {}  {}",
        words::plain(&outcome.shown),
        outcome.scenario
    );
    format!("{}\n", name.trim_end())
}

/// "3 records: 2 ok, 1 differs".
pub(super) fn summary(outcomes: &[Outcome]) -> String {
    let count = |status: &Status| outcomes.iter().filter(|o| o.status == *status).count();
    let parts = Status::ALL.iter().filter_map(|status| {
        let n = count(status);
        (n > 0).then(|| format!("{} {}", words::thousands(n), status.word()))
    });
    let parts: Vec<String> = parts.collect();
    let records = words::count(outcomes.len(), "record");
    format!("{records}: {}\n", parts.join(", "))
}

/// One object.
pub(super) fn json(outcomes: &[Outcome]) -> String {
    let mut summary = BTreeMap::new();
    for outcome in outcomes {
        *summary.entry(outcome.status.word()).or_insert(0) += 1;
    }
    let report = Report {
        ok: outcomes.iter().all(|o| o.status.is_good()),
        summary,
        records: outcomes.iter().map(Row::of).collect(),
    };
    // Strings, numbers and lists always have a JSON form.
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

/// The answer for programs.
#[derive(Serialize)]
struct Report<'a> {
    ok: bool,
    summary: BTreeMap<&'static str, usize>,
    records: Vec<Row<'a>>,
}

/// A record in it.
#[derive(Serialize)]
struct Row<'a> {
    manifest: &'a str,
    scenario: Option<&'a str>,
    status: &'static str,
    layer: Option<&'a str>,
    message: Option<String>,
    diff: Option<&'a Diff>,
}

impl<'a> Row<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        let picture = &outcome.picture;
        let bad = !outcome.status.is_good();
        Self {
            manifest: &outcome.shown,
            scenario: Some(outcome.scenario.as_str()).filter(|name| !name.is_empty()),
            status: outcome.status.word(),
            layer: picture.layer.as_deref(),
            message: bad.then(|| strip_str(&picture.lines.join("\n")).to_string()),
            diff: picture.diff.as_ref(),
        }
    }
}
