//! The export of a log is the log again, for conversations that `tests/requests` draws and for those that are there by hand.
//!
//! `PROMPTC_PAIRS` says how many conversations are drawn (100 if it does not).

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    unused_imports,
    reason = "tests may fail by panicking and look at the disk themselves; parts of other tests are used"
)]

#[path = "../causes/random.rs"]
mod random;
#[path = "../requests/class.rs"]
mod class;
#[path = "../requests/json.rs"]
mod json;
#[path = "../requests/model.rs"]
mod model;
#[path = "../requests/body.rs"]
mod body;
#[path = "../requests/answer.rs"]
mod answer;
#[path = "../requests/want.rs"]
mod want;
#[path = "../requests/maker.rs"]
mod maker;
#[path = "../requests/write.rs"]
mod write;
#[path = "../requests/mutate.rs"]
mod mutate;
#[path = "../requests/generate.rs"]
mod generate;
#[path = "../harness/mod.rs"]
mod harness;

use harness::again::same_again;
use harness::run::Place;
use std::path::Path;

fn check(bodies: &str) {
    let place = Place::new();
    place.file("bodies.jsonl", bodies);
    place
        .run(&["capture", "import", "bodies.jsonl", "-o", "log.jsonl"])
        .exits(0);
    same_again(&place, "log.jsonl");
}

#[test]
fn conversations_that_are_drawn() {
    let count = std::env::var("PROMPTC_PAIRS").ok();
    let count = count.and_then(|n| n.parse().ok()).unwrap_or(100);
    let mut lines = Vec::new();
    for seed in 0..count {
        let drawn = generate::conversation(seed).lines.into_iter();
        lines.extend(drawn.map(|line| (line.time, line.json + "\n")));
    }
    lines.sort_by_key(|(time, _)| *time);
    let lines = lines.into_iter().map(|(_, line)| line);
    check(&lines.collect::<String>());
}

#[test]
fn conversations_by_hand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests/hand");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let is_input = |line: &&str| !line.starts_with('#') && !line.starts_with("{\"expect\"");
        let lines = text.lines().filter(is_input);
        check(&lines.map(|line| format!("{line}\n")).collect::<String>());
        count += 1;
    }
    assert!(count > 50, "{count}");
}
