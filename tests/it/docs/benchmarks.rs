//! `docs/benchmarks.md` shows the figures of `benches/peers/results.json`. Nothing is measured here.

use crate::docs::markdown::{Page, top};
use serde_json::Value;
use std::process::Command;

fn results() -> Value {
    let text = std::fs::read_to_string(top().join("benches/peers/results.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The samples, sorted.
fn sorted(samples: &Value) -> Vec<f64> {
    let samples = samples.as_array().unwrap().iter();
    let mut samples: Vec<f64> = samples.map(|s| s.as_f64().unwrap()).collect();
    samples.sort_by(f64::total_cmp);
    samples
}

/// The number that a cell starts with.
fn shown(cell: &str) -> f64 {
    let word = cell.split([' ', ';']).next().unwrap().replace(',', "");
    word.parse().unwrap_or_else(|_| panic!("no number: {cell}"))
}

/// Whether a cell is the median of the samples, as far as its digits go.
fn is_median(cell: &str, samples: &Value) -> bool {
    let (shown, samples) = (shown(cell), sorted(samples));
    let middle = samples.len() / 2;
    let odd = samples.len() % 2 == 1;
    let median = if odd {
        samples[middle]
    } else {
        f64::midpoint(samples[middle - 1], samples[middle])
    };
    (shown - median).abs() <= 0.0051_f64.max(median * 0.0051)
}

/// The row of a table whose first cell is `name`, under the heading whose table has `column` cells.
fn row<'a>(page: &'a Page, heading: &str, name: &str, columns: usize) -> &'a [String] {
    let mut rows = page.rows.iter();
    let found = rows.find(|(section, cells)| {
        page.heading(*section) == heading && cells[0] == name && cells.len() == columns
    });
    let (_, cells) = found.unwrap_or_else(|| panic!("{heading}: no row {name}"));
    cells
}

#[test]
fn the_tables_show_the_medians_of_the_samples() {
    let (page, results) = (Page::read("docs/benchmarks.md"), results());
    let mut checked = 0;
    let mut check = |cell: &str, samples: &Value, of: &str| {
        assert!(is_median(cell, samples), "{of}: {cell} is not the median");
        checked += 1;
    };
    for (name, found) in results["task"]["fresh"].as_object().unwrap() {
        let cells = row(&page, "The task", name, 5);
        check(&cells[1], &found["wall_ms"], name);
        check(&cells[2], &found["cpu_ms"], name);
    }
    for (name, samples) in results["task"]["warm_ms"].as_object().unwrap() {
        check(&row(&page, "The task", name, 3)[1], samples, name);
    }
    for (column, skills) in ["100", "2000"].iter().enumerate() {
        let home = &results["hermes"][skills];
        let heading = "Hermes Agent";
        for (name, found) in home["fresh"].as_object().unwrap() {
            let cell = &row(&page, heading, name, 3)[column + 1];
            check(cell, &found["wall_ms"], name);
        }
        for (name, samples) in home["warm_ms"].as_object().unwrap() {
            check(&row(&page, heading, name, 3)[column + 1], samples, name);
        }
    }
    assert!(checked > 40, "only {checked} figures were found");
}

#[test]
fn every_output_that_was_timed_did_the_task() {
    let results = results();
    let outputs = results["task"]["outputs"].as_object().unwrap();
    assert_eq!(outputs.len(), 8);
    for (name, output) in outputs {
        let chars = output["chars"].as_u64().unwrap();
        assert!((25_000..=30_000).contains(&chars), "{name}: {chars}");
        assert_eq!(output["must_stay_whole"], true, "{name}");
    }
    for (skills, home) in results["hermes"].as_object().unwrap() {
        assert_eq!(home["equal"], true, "{skills}");
    }
}

#[test]
fn page_and_pictures_match_the_output_of_the_script() {
    let version = Command::new("python3").arg("--version").output();
    if !version.is_ok_and(|o| o.status.success()) {
        println!("skipped: there is no python3");
        return;
    }
    let mut command = Command::new("python3");
    let script = top().join("benches/peers/page.py");
    let ran = command.arg(script).arg("--check").output().unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}
