//! The program against an earlier one: builds, locks, comparisons and layouts of anything benign are unchanged.
//!
//! `.ci/full before` runs it, with the earlier program's path in `PROMPTC_BEFORE`.

use super::config;
use super::sample::{ALL, MANIFEST, Sample, sample};
use crate::build::snapshots;
use crate::run::{PROGRAM, Place, Ran, run};
use proptest::prelude::any;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The results of the runs of one program, by a name for each of them.
type Answers = BTreeMap<String, Vec<u8>>;
/// Paths and their bytes.
type Files = BTreeMap<String, Vec<u8>>;

/// The answers that are reports. All others are compared byte for byte.
const REPORTS: [&str; 3] = ["diff as ", "test", "check"];

fn earlier() -> String {
    std::env::var("PROMPTC_BEFORE").expect("PROMPTC_BEFORE names the earlier program")
}

#[test]
#[ignore = "it needs an earlier program"]
fn snapshots_are_unchanged() {
    for snapshot in snapshots::all() {
        for format in ["text", "json"] {
            let [before, now] =
                [&*earlier(), PROGRAM].map(|p| without_inputs(&snapshot.build(p, format).stdout));
            assert!(before == now, "{:?} as {format}", snapshot.args);
        }
    }
}

#[test]
#[ignore = "it needs an earlier program"]
fn generated_manifests_are_unchanged() {
    unchanged(|sample, _| (MANIFEST, with_scenario(sample)));
}

/// A base's file that was not found before is one that the overlay has not. Scenarios of bases were unknown.
#[test]
#[ignore = "it needs an earlier program"]
fn generated_overlays_are_unchanged() {
    unchanged(with_overlay);
}

fn unchanged(files: fn(&Sample, u16) -> (&'static str, Files)) {
    let earlier = earlier();
    let mut runner = TestRunner::new(Config {
        // A pair of differing folders is more useful unchanged than after an hour of shrinking.
        max_shrink_iters: 200,
        ..config(2000)
    });
    let built = Cell::new(0);
    let ran = runner.run(&(sample(ALL), any::<u16>()), |(sample, pick)| {
        let (manifest, files) = files(&sample, pick);
        let [before, now] =
            [&*earlier, PROGRAM].map(|program| answers(program, &sample, (manifest, &files), pick));
        built.set(built.get() + u32::from(before["build a"].starts_with(b"exit 0")));
        for (name, answer) in &before {
            let answers = [answer, &now[name]].map(|a| String::from_utf8_lossy(a));
            if REPORTS.iter().any(|report| name.starts_with(report)) {
                let [answer, now] = answers.map(|a| value(name, &a));
                assert_eq!(answer, now, "{name}");
            } else {
                assert!(
                    *answer == now[name],
                    "{name}:\n{:?}\n{:?}",
                    answers[0],
                    answers[1]
                )
            }
        }
        assert!(before.keys().eq(now.keys()));
        Ok(())
    });
    println!("{} samples were built by both", built.get());
    if let Err(error) = ran {
        panic!("{error}");
    }
}

/// Builds a sample and an edited one, snapshots and compares them, and lays the manifest out.
fn answers(
    program: &str,
    sample: &Sample,
    (manifest, files): (&str, &Files),
    pick: u16,
) -> Answers {
    let (place, mut out) = (Place::new(), Answers::new());
    for (path, bytes) in files {
        place.file(path, bytes);
    }
    place.file("facts.json", Value::from(sample.facts.clone()).to_string());
    let mut facts = vec!["--facts".to_owned(), "facts.json".to_owned()];
    for (name, value) in &sample.sets {
        facts.extend(["--set".to_owned(), format!("{name}={value}")]);
    }
    let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
    let mut ask = |name: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).current_dir(place.path()).env_clear();
        out.insert(name.to_owned(), shown(&run(command, b"")));
    };
    let build = |to| {
        [
            &["build", "-m", manifest, "--format", "json", "-o", to],
            &*facts,
        ]
        .concat()
    };
    ask("build a", &build("a.json"));
    ask("text a", &[&["build", "-m", manifest], &*facts].concat());
    ask("accept", &["test", "--accept", "-m", manifest]);
    edit(&place, files, pick);
    ask("build b", &build("b.json"));
    ask("test", &["test", "--format", "json", "-m", manifest]);
    for format in ["json", "human", "markdown"] {
        ask(
            &format!("diff as {format}"),
            &["diff", "a.json", "b.json", "--format", format],
        );
    }
    ask("check", &["check", "-m", manifest, "--format", "json"]);
    ask("fmt", &["fmt", manifest]);
    for path in written(place.path()) {
        let name = path.strip_prefix(place.path()).unwrap().display();
        let content = without_inputs(&fs::read(&path).unwrap());
        out.insert(format!("file {name}"), content);
    }
    out
}

/// An artifact without its inputs, its last field: earlier programs write none.
fn without_inputs(artifact: &[u8]) -> Vec<u8> {
    let text = str::from_utf8(artifact).unwrap_or_default();
    match text.split_once(",\n  \"inputs\": {\n") {
        Some((rest, _)) => format!("{rest}\n}}\n").into_bytes(),
        None => artifact.to_vec(),
    }
}

/// The content of a report. JSON is compared by its value: the escaped characters may change. U+007F is left out: it
/// was written raw up to e0384d1, and the crate that removes colours from the output (anstream) takes it for one of
/// them.
///
/// In Markdown, a possible mention is now in code, where nothing is escaped.
fn value(name: &str, answer: &str) -> (String, Option<Value>) {
    let mut answer = answer.replace("\\u007f", "").replace('\u{7f}', "");
    if name.ends_with("markdown") {
        answer.retain(|c| !matches!(c, '`' | '\\'));
    }
    let answer = &*answer;
    let json = answer.find("\n{").map(|at| answer.split_at(at));
    match json.map(|(head, json)| (head, serde_json::from_str(json))) {
        Some((head, Ok(json))) => (head.to_owned(), Some(alone(json))),
        _ => (answer.to_owned(), None),
    }
}

/// The report of `check` about its only manifest as it was up to 8c428500, which knew no others.
fn alone(mut report: Value) -> Value {
    let Some(mut manifest) = report.pointer("/manifests/0").cloned() else {
        return report;
    };
    manifest["schema"] = report["schema"].take();
    if let Value::Object(keys) = &mut manifest {
        keys.remove("path");
    }
    manifest
}

/// The exit code, standard output, and the codes of the diagnostics: their words may become better.
fn shown(ran: &Ran) -> Vec<u8> {
    let mut out = format!("exit {}\n", ran.code);
    for line in ran.stderr.lines() {
        let code = line.split_once("]: ").map(|(code, _)| code);
        if let Some(code) = code.filter(|code| code.starts_with("error[")) {
            let _ = writeln!(out, "{code}");
        }
    }
    [out.as_bytes(), &ran.stdout].concat()
}

/// The sample's files, with a scenario that sets its facts.
pub(super) fn with_scenario(sample: &Sample) -> Files {
    let mut files = sample.files.clone();
    let manifest = files.get_mut(MANIFEST).unwrap();
    manifest.extend(scenario(sample).as_bytes());
    files
}

/// The sample's files, with an overlay in the same folder or in another that has a file for each one next to the base, and a
/// scenario in it.
fn with_overlay(sample: &Sample, pick: u16) -> (&'static str, Files) {
    const CHANGES: [&str; 7] = [
        "",
        "refine L0 { budget 40 }",
        "refine L0 { all { base; file \"b.md\" root=manifest } }",
        "layer new after=L0 { glob \"*.md\" root=manifest }",
        "layer new before=L0 when=\"exists('a.md', root='manifest')\" { text \"new\" }",
        "remove layer=L1",
        "move L0 tier=t0",
    ];
    let mut files = sample.files.clone();
    let (path, base) = match pick % 2 {
        0 => ("agent/over.kdl", "promptc.kdl"),
        _ => ("team/over.kdl", "../agent/promptc.kdl"),
    };
    let beside = sample.files.iter();
    let beside = beside.filter_map(|(path, bytes)| Some((path.strip_prefix("agent/")?, bytes)));
    let beside = beside.filter(|(path, _)| path.ends_with(".md") || path.ends_with(".txt"));
    for (name, bytes) in beside {
        let bytes = [b"Of the team. ", &**bytes].concat();
        let path = format!("team/{name}");
        files.insert(path, bytes);
    }
    let change = CHANGES[usize::from(pick) / 2 % CHANGES.len()];
    let overlay = format!(
        "promptc 1\nextends \"{base}\"\n{change}\n{}",
        scenario(sample)
    );
    files.insert(path.to_owned(), overlay.into_bytes());
    (path, files)
}

fn scenario(sample: &Sample) -> String {
    let mut scenario = String::from("\nscenario s {\n");
    for (name, value) in sample.facts.iter().filter(|(_, value)| !value.is_null()) {
        let _ = writeln!(scenario, "set {name} {}", arguments(value));
    }
    scenario.push_str("}\n");
    scenario
}

fn arguments(value: &Value) -> String {
    match value {
        Value::Bool(_) | Value::Null => format!("#{value}"),
        Value::Array(items) => items.iter().map(|i| arguments(i) + " ").collect(),
        Value::Object(entries) => {
            let entries = entries.iter();
            let lines: String = entries
                .map(|(key, value)| format!("{} {}\n", quoted(key), arguments(value)))
                .collect();
            format!("{{\n{lines}}}")
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// A string as KDL writes it.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            char if !char.is_ascii_graphic() && char != ' ' => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out + "\""
}

/// Changes each document but those that `pick` leaves as they are.
fn edit(place: &Place, files: &Files, pick: u16) {
    let documents = files.iter().filter(|(path, _)| !path.ends_with(".kdl"));
    for (at, (path, bytes)) in documents.enumerate() {
        match pick.rotate_left(u32::try_from(at).unwrap()) % 7 {
            // A file of a base would take its place.
            0 if path.starts_with("team/") => {}
            0 => fs::remove_file(place.path().join(path)).unwrap(),
            1 | 2 => _ = place.file(path, [bytes, &b"\nadded"[..]].concat()),
            3 => _ = place.file(path, [&b"before\n\n"[..], bytes].concat()),
            _ => {}
        }
    }
}

/// Artifacts, the manifest, its lock and its snapshots.
fn written(folder: &Path) -> Vec<PathBuf> {
    let (mut out, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path)
            } else {
                out.push(path)
            }
        }
    }
    out
}
