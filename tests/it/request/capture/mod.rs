//! Requests of any agent: what is imported, what is never written, what bad input does.

mod agents;
mod attempts;
mod bad;
mod bill_line;
mod identity;
mod images;
mod import;
mod places;
mod real;
mod room;
mod secrets;
mod snapshots;
mod sources;
mod status;
mod verdict;

use crate::harness::again::same_again;
use crate::run::Place;
use serde_json::{Value, json};

/// A body of Anthropic with this system prompt.
fn body(system: &str) -> Value {
    json!({
        "model": "claude-opus-5-5", "max_tokens": 9, "system": system,
        "messages": [{"role": "user", "content": "Hello"}],
    })
}

/// The requests of a log, as `diff LOG --format json` compares them. The results for its export are the same.
fn comparisons(place: &Place, log: &str) -> Vec<Value> {
    same_again(place, log);
    let ran = place
        .run(&["capture", "diff", log, "--format", "json"])
        .exits(0);
    let report: Value = serde_json::from_str(ran.stdout()).unwrap();
    report["comparisons"].as_array().unwrap().clone()
}

/// The states of the requests of a log, in order.
fn states(place: &Place, log: &str) -> Vec<String> {
    let all = comparisons(place, log);
    let state = |one: &Value| one["state"].as_str().unwrap().to_owned();
    all.iter().map(state).collect()
}
