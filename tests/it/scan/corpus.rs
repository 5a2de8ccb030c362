//! `tests/scan/`: texts that test the shipped rules, by authors who had not seen them. The test prints false negatives
//! and false positives, and compares the figures and the list of rules with `docs/scan.md`; `UPDATE_DOCS=1` writes both
//! there.

use crate::docs::markdown::{entries, top};
use crate::run::Place;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// The checked scopes: that of a project's files, and the last, with all rules.
const SCOPES: [&str; 2] = ["context", "strict"];

/// How many of a folder's texts have a finding; prints what each has if it is not `wanted`.
fn found(folder: &str, scope: &str, wanted: bool) -> (usize, usize) {
    let texts = entries(&top().join("tests/scan").join(folder));
    let paths: Vec<&str> = texts.iter().map(|p| p.to_str().unwrap()).collect();
    let args = [&["scan", "--format", "json", "--scope", scope][..], &paths].concat();
    let ran = Place::new().run(&args).exits(1);
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), texts.len(), "{folder}");
    let mut count = 0;
    for file in files {
        let findings = file["findings"].as_array().unwrap();
        let name = Path::new(file["path"].as_str().unwrap())
            .file_name()
            .unwrap();
        let ids: Vec<&str> = findings.iter().map(|f| f["id"].as_str().unwrap()).collect();
        count += usize::from(!ids.is_empty());
        match (wanted, &ids[..]) {
            (true, []) => println!("missed        {scope:<8} {folder}/{}", name.display()),
            (false, [_, ..]) => {
                println!(
                    "false alarm   {scope:<8} {folder}/{} ({})",
                    name.display(),
                    ids.join(" ")
                );
            }
            _ => {}
        }
    }
    (count, texts.len())
}

fn figures() -> String {
    let mut out = String::from(
        "| Corpus | Scope | Hostile texts found | Benign texts with a false alarm |\n|---|---|---|---|\n",
    );
    for (corpus, name) in [
        ("corpus", "first, known when the rules were widened"),
        ("second", "second, blind"),
    ] {
        for scope in SCOPES {
            let (hit, hostile) = found(&format!("{corpus}/hostile"), scope, true);
            let (alarms, benign) = found(&format!("{corpus}/benign"), scope, false);
            let _ = writeln!(
                out,
                "| {name} | `{scope}` | {hit} of {hostile} | {alarms} of {benign} |"
            );
        }
    }
    out
}

fn rules() -> String {
    let ran = Place::new().run(&["scan", "--list-rules"]).exits(0);
    let mut out = String::from("| Rule | First scope | Finds |\n|---|---|---|\n");
    for line in ran.stdout().lines() {
        let (id, rest) = line.split_once(' ').unwrap();
        let (scope, about) = rest.trim_start().split_once(' ').unwrap();
        let _ = writeln!(out, "| `{id}` | `{scope}` | {} |", about.trim_start());
    }
    out
}

#[test]
fn the_page_has_the_figures_and_the_rules() {
    let path = top().join("docs/scan.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut current = page.clone();
    for (name, table) in [("figures", figures()), ("rules", rules())] {
        let (open, close) = (
            format!("<!-- {name} -->\n"),
            format!("<!-- end of {name} -->"),
        );
        let start = current.find(&open).unwrap() + open.len();
        let end = current.find(&close).unwrap();
        current.replace_range(start..end, &format!("\n{table}\n"));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    assert!(
        page == current || std::env::var_os("UPDATE_DOCS").is_some(),
        "docs/scan.md is not current: run it with UPDATE_DOCS=1"
    );
}
