//! The answer, for people and for programs.

use super::picture;
use crate::cli::ui::{Page, answer};
use crate::compare::Diff;
use crate::project::records::outcome::{Outcome, Status};
use crate::report::words;
use anstream::adapter::strip_str;
use schemars::JsonSchema;
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
            for line in &picture::lines(&outcome.difference) {
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
pub(super) fn json(outcomes: &[Outcome]) -> Page {
    let mut summary = BTreeMap::new();
    for outcome in outcomes {
        *summary.entry(outcome.status.word()).or_insert(0) += 1;
    }
    let report = Report {
        ok: outcomes.iter().all(|o| o.status.is_good()),
        summary,
        records: outcomes.iter().map(Row::of).collect(),
    };
    answer::page(&report)
}

/// What `test --format json` writes.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report<'a> {
    /// Whether all records are as they should be.
    ok: bool,
    /// How many records there are of each status.
    summary: BTreeMap<&'static str, usize>,
    /// All records.
    records: Vec<Row<'a>>,
}

/// A record in it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Row<'a> {
    /// The manifest, as messages call it.
    manifest: &'a str,
    /// Its scenario; null where the record is of none.
    scenario: Option<&'a str>,
    /// What became of it.
    status: Status,
    /// The layer that differs first, if that is known.
    layer: Option<&'a str>,
    /// What is wrong, as people read it; null if nothing is.
    message: Option<String>,
    /// The comparison of the record and what is built now, as in `diff --format json`; null if they are not compared.
    comparison: Option<&'a Diff>,
}

impl<'a> Row<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        let difference = &outcome.difference;
        let bad = !outcome.status.is_good();
        Self {
            manifest: &outcome.shown,
            scenario: Some(outcome.scenario.as_str()).filter(|name| !name.is_empty()),
            status: outcome.status,
            layer: difference.layer.as_deref(),
            message: bad.then(|| strip_str(&picture::lines(difference).join("\n")).to_string()),
            comparison: difference.compared.as_ref().map(|c| &c.diff),
        }
    }
}
