//! The answer, for people and for programs.

use super::judge::{Outcome, Status};
use crate::cli::ui::words;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A line for each record, what is to be said about it below, and a sum.
pub(super) fn human(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        out.push_str(&line(outcome));
        // Why a record cannot be used is told as an error.
        if !outcome.status.is_good() && outcome.broken.is_none() {
            for line in &outcome.picture.lines {
                let _ = writeln!(out, "          {}", words::plain(line));
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
    let records: Vec<Value> = outcomes.iter().map(record).collect();
    let mut summary = serde_json::Map::new();
    for outcome in outcomes {
        let count = summary.entry(outcome.status.word()).or_insert(json!(0));
        *count = json!(count.as_u64().unwrap_or(0) + 1);
    }
    let good = outcomes.iter().all(|o| o.status.is_good());
    let whole = json!({ "ok": good, "summary": summary, "records": records });
    format!("{whole:#}\n")
}

fn record(outcome: &Outcome) -> Value {
    let picture = &outcome.picture;
    let good = outcome.status.is_good();
    let scenario = Some(&outcome.scenario).filter(|name| !name.is_empty());
    let message = (!good).then(|| picture.lines.join("\n"));
    json!({
        "manifest": outcome.shown,
        "scenario": scenario,
        "status": outcome.status.word(),
        "layer": picture.layer,
        "message": message.filter(|message| !message.is_empty()),
        "diff": picture.diff,
    })
}
