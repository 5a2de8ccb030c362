//! How often layers changed, compared with the truth: conversations whose layers change at random, with text of others
//! around them.

use crate::run::Place;
use promptc::{BuildInputs, CheckOptions, Project};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const MANIFEST: &str = r#"promptc 1
fact notes string default="The crane at pier 2 lifts 12 tonnes.\nAnn likes tea."
fact todo string default="Paint the gate.\nCall the pilot."
fact user string default="Ann"
fact mood string default="calm"
tier all {
    layer rules { text "You are Harbor.\nCount berths twice." }
    layer notes { template "What you know:\n{{ notes }}" }
    layer todo { template "{{ todo }}\nThat is all." }
    layer user { template "You are talking to {{ user }} of the harbour." }
    layer end { text "Answer in one sentence." }
    layer mood { template "The sea is {{ mood }} today, they say." }
}
"#;

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn one_in(&mut self, most: u64) -> bool {
        self.below(most) == 0
    }

    /// Another text of a layer of lines: a line more, less or another.
    fn edit(&mut self, lines: &mut Vec<String>) {
        let number = self.below(1 << 40);
        let line = format!("Ship {number} lies at berth {}.", number % 97);
        let at = usize::try_from(self.below(lines.len() as u64 + 1)).unwrap();
        match self.below(3) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at] = line,
            _ => lines.insert(at, line),
        }
    }
}

/// A log, and how often each layer changed inside conversations.
fn log(random: &mut Random) -> (String, BTreeMap<&'static str, usize>) {
    let (mut out, mut truth) = (String::new(), BTreeMap::new());
    for conversation in 0..10 {
        let mut notes: Vec<String> = ["The crane at pier 2 lifts 12 tonnes.", "Ann likes tea."]
            .map(str::to_owned)
            .to_vec();
        let mut todo: Vec<String> = ["Paint the gate.", "Call the pilot."]
            .map(str::to_owned)
            .to_vec();
        let mut mood = "calm";
        let mut messages: Vec<Value> = Vec::new();
        for turn in 0..8 {
            let mut changed = |layer: &'static str, is: bool| {
                *truth.entry(layer).or_default() += usize::from(is && turn > 0);
                is
            };
            if changed("notes", random.one_in(3)) {
                random.edit(&mut notes);
            }
            if changed("todo", random.one_in(4)) {
                random.edit(&mut todo);
            }
            if changed("mood", random.one_in(5)) {
                mood = if mood == "calm" { "rough" } else { "calm" };
            }
            let (notes, todo) = (notes.join("\n"), todo.join("\n"));
            let mut system = format!(
                "You are Harbor.\nCount berths twice.\n\nWhat you know:\n{notes}\n\n{todo}\nThat is all.\n\nYou are talking to U{conversation} of the harbour.\n\nAnswer in one sentence.\n\nThe sea is {mood} today, they say."
            );
            match random.below(4) {
                0 => system.insert_str(0, &format!("App of {turn} o'clock.\n\n")),
                1 => system.push_str(&format!("\n\nRequest {turn}.")),
                _ => {}
            }
            messages.push(json!({"role": "user", "content": format!("Question {turn}?")}));
            let request = json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": system, "messages": messages});
            let line = json!({"conversation": format!("c{conversation}"), "request": request});
            let _ = writeln!(out, "{line}");
            messages.push(json!({"role": "assistant", "content": format!("Answer {turn}.")}));
        }
    }
    (out, truth)
}

/// The number of changes in a finding.
fn told(message: &str) -> usize {
    let (_, rest) = message.split_once("and changed ").unwrap();
    match rest.split([' ', ',']).next().unwrap() {
        "once" => 1,
        number => number.parse().unwrap(),
    }
}

/// How many findings a program gets.
fn of_library(folder: &Path) -> usize {
    let project = Project::open(folder.join("promptc.kdl").to_str().unwrap()).unwrap();
    let options = CheckOptions {
        usage: vec![folder.join("log.jsonl")],
        ..CheckOptions::default()
    };
    let report = project.check(&BuildInputs::new(), &options).unwrap();
    report.value.findings.len()
}

/// No false change is reported. Two adjacent lists can change so that the owner of a line is ambiguous; most changes
/// are found.
#[test]
fn no_more_changes_are_counted_than_there_were() {
    let (mut found, mut all) = (0, 0);
    for seed in 1..=20_u64 {
        let (bodies, truth) = log(&mut Random(0x9E37_79B9_7F4A_7C15 ^ seed << 32));
        let place = Place::new();
        place.file("promptc.kdl", MANIFEST);
        place.file("bodies.jsonl", &bodies);
        place
            .run(&["capture", "import", "bodies.jsonl", "-o", "log.jsonl"])
            .exits(0);
        let ran = place
            .run(&["check", "--usage", "log.jsonl", "--format", "json"])
            .exits(0);
        let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
        let findings = report["manifests"][0]["findings"].as_array().unwrap();
        assert_eq!(of_library(place.path()), findings.len());
        for finding in findings {
            if finding["code"] == "understated-layer" {
                let layer = finding["layer"].as_str().unwrap();
                let (told, real) = (told(finding["message"].as_str().unwrap()), truth.get(layer));
                assert!(Some(&told) <= real, "{seed}: {layer}: {told} of {real:?}");
                found += told;
            }
        }
        all += truth.values().sum::<usize>();
    }
    println!("{found} of {all}");
    assert!(found * 10 > all * 7, "{found} of {all}");
}
