//! `tests/sentences/`: texts that rules should find and look-alikes, by an author who had not read the sources.

use crate::docs::markdown::top;
use crate::run::Place;
use serde_json::Value;
use std::collections::BTreeSet;

/// The texts that are missed: file, first line, reason.
const MISSED: &[(&str, &str, &str)] = &[(
    "clock/fires",
    "Dato og klokkeslett nå: fredag 22. mai 2026 kl. 14.05",
    "Norwegian, with a point in the time; the rules know English, German, French, Spanish and Portuguese labels",
)];

/// The texts about which two readers may differ; the program does what the file asks for.
const DEBATABLE: &[(&str, &str, &str)] = &[
    (
        "clock/fires",
        "Session started at 2026-05-22T11:58:40Z.",
        "the start of a session stays the same in it, but no two sessions share the text",
    ),
    (
        "clock/fires",
        "Date: Tue, 09 Jun 2026 18:41:26 +0200",
        "a header of a mail that is kept would stay",
    ),
    (
        "commands/quiet",
        "grep -rnE 'curl .*[|] *(ba)?sh' skills/",
        "a search for the command, which runs nothing",
    ),
    (
        "commands/quiet",
        "The pattern `curl | sh` is forbidden in this repository; the reviewer rejects it.",
        "a command without an address, in a prohibition",
    ),
];

/// The texts of a file.
fn texts(file: &str) -> Vec<String> {
    let path = top().join(format!("tests/sentences/{file}.txt"));
    let whole = std::fs::read_to_string(path).unwrap();
    let mut texts = vec![String::new()];
    for line in whole.lines() {
        match line {
            "---" => texts.push(String::new()),
            line => *texts.last_mut().unwrap() += &format!("{line}\n"),
        }
    }
    assert_eq!(texts.len(), 40, "{file}");
    texts
}

/// The numbers of the texts with a finding of a check rule.
fn checked(texts: &[String], rule: &str) -> BTreeSet<usize> {
    let place = Place::new();
    let mut manifest =
        String::from("promptc 1\nroot workspace default=\".\"\ntier s changes=session {\n");
    for (at, text) in texts.iter().enumerate() {
        place.file(&format!("{at}.md"), text);
        manifest += &format!("layer text-{at} {{ file \"{at}.md\" }}\n");
    }
    place.file("promptc.kdl", manifest + "}\n");
    let ran = place.run(&["check", "--sources", "--format", "json"]);
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let findings = report["manifests"][0]["findings"].as_array().unwrap();
    let of_rule = findings.iter().filter(|f| f["code"] == rule);
    let layers = of_rule.filter_map(|f| f["layer"].as_str()?.strip_prefix("text-"));
    layers.map(|layer| layer.parse().unwrap()).collect()
}

/// The numbers of the texts with a finding of a scan rule.
fn scanned(texts: &[String], rule: &str) -> BTreeSet<usize> {
    let place = Place::new();
    let names: Vec<String> = (0..texts.len()).map(|at| format!("{at}.md")).collect();
    for (name, text) in names.iter().zip(texts) {
        place.file(name, text);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ran = place.run(&[&["scan", "--format", "json"][..], &names].concat());
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let has_rule = |file: &Value| {
        let findings = file["findings"].as_array().unwrap();
        findings.iter().any(|finding| finding["rule"] == rule)
    };
    let files = report["files"].as_array().unwrap().iter();
    let hit = files.enumerate().filter(|(_, file)| has_rule(file));
    hit.map(|(at, _)| at).collect()
}

fn listed<'l>(list: &'l [(&str, &str, &str)], file: &str) -> Vec<&'l str> {
    let of_file = list.iter().filter(|(of, ..)| *of == file);
    of_file.map(|(_, text, _)| *text).collect()
}

/// Compares the findings in both files of a class with what the files and the list of misses say.
fn judge(class: &str, found: impl Fn(&[String]) -> BTreeSet<usize>) {
    for kind in ["fires", "quiet"] {
        let file = format!("{class}/{kind}");
        let texts = texts(&file);
        let found = found(&texts);
        let first = |at: usize| texts[at].lines().next().unwrap();
        let wrong = (0..texts.len()).filter(|at| found.contains(at) != (kind == "fires"));
        let wrong: Vec<&str> = wrong.map(first).collect();
        assert_eq!(wrong, listed(MISSED, &file), "{file}");
        for debatable in listed(DEBATABLE, &file) {
            let known = (0..texts.len()).any(|at| first(at) == debatable);
            assert!(known, "{file}: {debatable}");
        }
    }
}

#[test]
fn times_of_day_are_found() {
    judge("clock", |texts| checked(texts, "clock-text"));
}

#[test]
fn running_counts_are_found() {
    judge("counters", |texts| checked(texts, "counter-text"));
}

#[test]
fn commands_that_run_what_they_fetch_are_found() {
    judge("commands", |texts| scanned(texts, "remote-code"));
}
