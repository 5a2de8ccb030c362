//! `init --from`: what it writes builds the dumps.
//!
//! `tests/dumps/NAME/` holds dumps of one agent, in the style of a kind of agent. A new folder is a new case.

mod generated;
mod looks;
mod random;
mod wrong;

use crate::docs::markdown::{entries, top};
use crate::run::Place;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of dumps.
fn shapes() -> Vec<PathBuf> {
    let all = entries(&top().join("tests/dumps"));
    assert!(all.len() >= 8, "{all:?}");
    all
}

/// The dumps of a folder, with their names.
fn dumps(shape: &Path) -> Vec<(String, Vec<u8>)> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let all = entries(shape).into_iter();
    all.map(|path| (name(&path), fs::read(&path).unwrap()))
        .collect()
}

/// Adopts dumps in a new folder, and holds each against the build of its scenario.
fn adopted(dumps: &[(String, Vec<u8>)]) -> (Place, Value) {
    let place = Place::new();
    let mut args = vec!["init", "agent", "--format", "json", "--from"];
    for (name, bytes) in dumps {
        place.file(name, bytes);
        args.push(name);
    }
    let ran = place.run(&args).exits(0);
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_ne!(report["style"], "whole", "{:?}", dumps[0].0);
    for (index, (name, bytes)) in dumps.iter().enumerate() {
        let scenario = report["dumps"][index]["scenario"].as_str().unwrap();
        let args = ["build", "-m", "agent/promptc.kdl", "--scenario", scenario];
        let built = place.run(&args).exits(0);
        assert!(built.stdout == *bytes, "{name}:\n{}", built.stdout());
    }
    (place, report)
}

#[test]
fn every_shape_builds_its_dumps() {
    for shape in shapes() {
        adopted(&dumps(&shape));
    }
}

#[test]
fn every_dump_alone_builds_itself_without_a_scenario() {
    for shape in shapes() {
        for dump in dumps(&shape) {
            let (place, report) = adopted(std::slice::from_ref(&dump));
            let built = place.run(&["build", "-m", "agent/promptc.kdl"]).exits(0);
            assert!(built.stdout == dump.1, "{dump:?}");
            assert_eq!(report["changes"].as_array().unwrap().len(), 0);
            assert!(report["kept"].is_null());
        }
    }
}

/// The report and all files that were written.
fn shown(shape: &str) -> String {
    let place = Place::new();
    let mut args = vec!["init", "--from"];
    let dumps = dumps(&top().join("tests/dumps").join(shape));
    for (name, bytes) in &dumps {
        place.file(name, bytes);
        args.push(name);
    }
    let ran = place.run(&args).exits(0);
    let mut out = format!(
        "$ promptc {}\n{}{}",
        args.join(" "),
        ran.stdout(),
        ran.stderr
    );
    let written = entries(&place.path().join("prompt"));
    for path in [place.path().join("promptc.kdl")].iter().chain(&written) {
        let name = path.strip_prefix(place.path()).unwrap().to_str().unwrap();
        let _ = write!(out, "\n=== {name}\n{}", place.read(name));
    }
    out.replace('\r', "␍")
}

#[test]
fn the_report_and_the_files_are_unchanged() {
    insta::with_settings!({
        snapshot_path => "../../snapshots/adopt",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        for shape in ["markdown", "sections", "plain", "crlf", "mixed", "tools", "lists", "order", "users", "labels", "table", "calls", "guests"] {
            insta::assert_snapshot!(shape, shown(shape));
        }
    });
}

#[test]
fn a_heading_in_code_divides_nothing() {
    let (place, report) = adopted(&dumps(&top().join("tests/dumps/mixed")));
    let names: Vec<&str> = report["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["layer"].as_str().unwrap())
        .collect();
    assert!(
        !names
            .iter()
            .any(|n| n.contains("version") || n.contains("not-a")),
        "{names:?}"
    );
    assert!(
        place
            .read("agent/prompt/03-template.md")
            .contains("# {{ version }}")
    );
}

/// A prompt of 200 KB with 40 parts, a date in the second and a list in the last but one.
fn large(day: u32, more: bool) -> Vec<u8> {
    let mut text = String::from("You are Quarry. You read long manuals so that others need not.\n");
    for part in 0..40 {
        let _ = write!(text, "\n# Part {part}\n");
        if part == 1 {
            let _ = write!(text, "\nToday is 2026-03-{day:02}.\n");
        }
        for paragraph in 0..10 {
            let _ = write!(text, "\nStatement {paragraph} of part {part}: ");
            for word in 0..80 {
                let _ = write!(text, "word{} ", (word * 7 + paragraph * 13 + part) % 97);
            }
            text.push('\n');
        }
        if part == 38 && more {
            text.push_str("\nAnd one that only some days have.\n");
        }
    }
    text.into_bytes()
}

#[test]
fn a_large_prompt_is_divided_into_some_layers() {
    let dumps = [
        ("a.txt".to_owned(), large(1, false)),
        ("b.txt".to_owned(), large(2, true)),
    ];
    assert!(dumps[0].1.len() > 200_000);
    let (_, report) = adopted(&dumps);
    let layers = report["layers"].as_array().unwrap();
    assert!((20..=60).contains(&layers.len()), "{}", layers.len());
    let facts: Vec<&str> = report["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["fact"].as_str().unwrap())
        .collect();
    assert_eq!(facts.len(), 2, "{facts:?}");
    assert_eq!(facts[0], "today");
}

#[test]
fn twenty_thousand_lines_without_structure_are_not_thousands_of_layers() {
    let lines = |step: usize| {
        let line = |n: usize| match n % step {
            0 => format!("{n} differs {step}\n"),
            _ => format!("{n} stays the same\n"),
        };
        (0..20_000).map(line).collect::<String>().into_bytes()
    };
    // Every 50th line differs, and some others.
    let dumps = [
        ("a.txt".to_owned(), lines(50)),
        ("b.txt".to_owned(), lines(75)),
    ];
    let (_, report) = adopted(&dumps);
    assert!(report["layers"].as_array().unwrap().len() < 200);
    // Nothing is shared at all.
    let other = |seed: usize| {
        let line = |n: usize| format!("{}\n", (n + 1) * 7919 % (1_000_003 + seed));
        (0..20_000).map(line).collect::<String>().into_bytes()
    };
    adopted(&[
        ("a.txt".to_owned(), other(0)),
        ("b.txt".to_owned(), other(2)),
    ]);
}

#[test]
fn a_section_that_some_dumps_have_is_a_layer_with_a_condition() {
    let (place, report) = adopted(&dumps(&top().join("tests/dumps/markdown")));
    let flag = report["changes"].as_array().unwrap().last().unwrap();
    assert_eq!(flag["fact"], "project_rules");
    assert_eq!(flag["kind"], "flag");
    assert!(flag["dumps"][1].is_null());
    assert_eq!(flag["dumps"][0]["line"], 44);
    let args = ["build", "-m", "agent/promptc.kdl", "--scenario", "monday"];
    let without = place.run(&args).exits(0).stdout().to_owned();
    let set = [&args[..], &["--set", "project_rules=true"]].concat();
    let with = place.run(&set).exits(0).stdout().to_owned();
    assert!(!without.contains("# Project rules") && with.contains("\n\n# Project rules\n\n"));
}

/// How often each fact changes, and its type.
fn told(shape: &str) -> Vec<String> {
    let (_, report) = adopted(&dumps(&top().join("tests/dumps").join(shape)));
    let changes = report["changes"].as_array().unwrap().iter();
    let word = |change: &Value, key: &str| change[key].as_str().unwrap().to_owned();
    changes
        .map(|c| {
            format!(
                "{} {} {}",
                word(c, "fact"),
                word(c, "type"),
                word(c, "changes")
            )
        })
        .collect()
}

#[test]
fn how_often_a_fact_changes_follows_from_related_facts() {
    let wanted = [
        "revision int deploy",
        "days int deploy",
        "library string session",
        "opening_hours string session",
        "reader string session",
        "card string session",
        "note bool session",
        "today date day",
    ];
    assert_eq!(told("labels"), wanted);
    // One conversation a day says nothing of deployments, and two calls of one what a call changes.
    let wanted = [
        "chart bool session",
        "user string session",
        "plan string session",
        "zone string session",
        "date date day",
        "boat string session",
        "documents_text string turn",
    ];
    assert_eq!(told("calls"), wanted);
}

#[test]
fn the_written_manifest_has_no_error() {
    for shape in shapes() {
        let (place, _) = adopted(&dumps(&shape));
        place.run(&["check", "-m", "agent/promptc.kdl"]).exits(0);
    }
}

#[test]
fn a_folder_means_its_files_sorted_by_name() {
    let place = Place::new();
    for name in ["b.txt", "B.txt", "a.txt", ".hidden", "below/c.txt"] {
        place.file(&format!("dumps/{name}"), format!("# A\n\n{name}\n"));
    }
    place.file("z.txt", "# A\n\nz\n");
    let args = ["init", "--format", "json", "--from", "z.txt", "dumps"];
    let report: Value = serde_json::from_slice(&place.run(&args).exits(0).stdout).unwrap();
    let all = report["dumps"].as_array().unwrap().iter();
    let names: Vec<&str> = all.map(|dump| dump["name"].as_str().unwrap()).collect();
    let wanted = ["z.txt", "dumps/B.txt", "dumps/a.txt", "dumps/b.txt"];
    assert_eq!(names, wanted);
}

#[test]
fn equal_dumps_are_reported_as_equal() {
    let text = b"# A\n\none\n\n# B\n\ntwo".to_vec();
    let dumps = [
        ("x.txt".to_owned(), text.clone()),
        ("y.txt".to_owned(), text),
    ];
    let (_, report) = adopted(&dumps);
    assert_eq!(report["dumps"][1]["same_as"], "x.txt");
    assert!(report["kept"]["line"].is_null());
    let place = Place::new();
    place.file("x.txt", &dumps[0].1);
    let ran = place.run(&["init", "--from", "x.txt", "x.txt"]).exits(0);
    assert!(ran.stdout().contains("x.txt is the same text as x.txt."));
    let built = place.run(&["build", "--scenario", "x-2"]).exits(0);
    assert_eq!(built.stdout, dumps[0].1);
}

#[test]
fn records_of_an_adopted_manifest_are_the_dumps() {
    let dumps = dumps(&top().join("tests/dumps/cjk"));
    let (place, _) = adopted(&dumps);
    place.run(&["test", "--accept"]).exits(0);
    for (name, bytes) in &dumps {
        let kept = fs::read(place.path().join("agent/snapshots").join(name)).unwrap();
        assert_eq!(kept, *bytes);
    }
    place.run(&["test", "--twice"]).exits(0);
}
