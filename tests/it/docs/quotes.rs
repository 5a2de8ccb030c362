//! Data and code that pages show: JSON and YAML parse, Python compiles, and lines of the repository are lines of the repository.

use crate::docs::markdown::{Fence, Page, pages, top};
use crate::run::run;
use regex::Regex;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// The error of a fence, if there is one.
fn wrong(fence: &Fence) -> Option<String> {
    if let Some(path) = fence.order("of") {
        return quoted(path, &fence.text);
    }
    let name = fence.order("file").unwrap_or_default();
    match fence.language() {
        // Deliberately broken lines are in a file whose name says so.
        "json" if name == "bad.jsonl" => None,
        "json" if name.ends_with(".jsonl") => {
            let lines = fence.text.lines().map(json);
            lines.filter_map(Result::err).next()
        }
        "json" => json(&fence.text).err(),
        "yaml" => serde_saphyr::from_str::<Value>(&fence.text)
            .err()
            .map(|e| e.to_string()),
        "python" => python(&fence.text),
        _ => None,
    }
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

fn python(text: &str) -> Option<String> {
    let mut command = Command::new("python3");
    command.args([
        "-c",
        "import sys; compile(sys.stdin.read(), 'page', 'exec')",
    ]);
    let ran = run(command, text.as_bytes());
    (ran.code != 0).then_some(ran.stderr)
}

/// Whether the lines are in the file, one after the other.
fn quoted(path: &str, lines: &str) -> Option<String> {
    let text = match fs::read_to_string(top().join(path)) {
        Ok(text) => text,
        Err(e) => return Some(format!("{path}: {e}")),
    };
    (!text.contains(lines)).then(|| format!("{path} has no such lines"))
}

#[test]
fn data_parses_and_quotes_are_true() {
    let pages = pages();
    let fences = |p: &Page| {
        p.fences
            .clone()
            .into_iter()
            .map(|f| (p.place(&f), f))
            .collect::<Vec<_>>()
    };
    let all: Vec<(String, Fence)> = pages.iter().flat_map(fences).collect();
    for language in ["json", "yaml", "python", "rust"] {
        let found = all.iter().any(|(_, f)| f.language() == language);
        assert!(found, "no page shows {language}");
    }
    let wrong: Vec<String> = all
        .iter()
        .filter_map(|(place, fence)| Some(format!("{place}: {}", wrong(fence)?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_block_is_seen_by_the_tests() {
    for page in pages() {
        for (number, line) in page.text.lines().enumerate() {
            let fence = line.trim_start();
            let hidden = fence.starts_with("~~~") || fence.starts_with("```") && fence != line;
            assert!(!hidden, "{}:{}: {line}", page.path, number + 1);
        }
    }
}

#[test]
fn broken_fences_are_found() {
    let text = "```json\n{,}\n```\n```yaml\na: [\n```\n```python\ndef\n```\n```rust of=src/lib.rs\nno such line\n```\n";
    let page = Page::parse("p.md", text.to_owned());
    assert_eq!(page.fences.len(), 4);
    for fence in &page.fences {
        assert!(wrong(fence).is_some(), "{:?}", fence.info);
    }
}

/// Files and folders that a page for contributors names, but for patterns such as `src/cli/NAME.rs`.
fn places(text: &str) -> Vec<String> {
    let place = r"`((?:src|tests|docs|layers|benches|bindings|tools|schema)/[A-Za-z0-9_./-]+)`";
    let found = Regex::new(place).unwrap();
    let places = found.captures_iter(text).map(|place| place[1].to_owned());
    places
        .filter(|place| !["NAME", "CODE", "RULE"].iter().any(|p| place.contains(p)))
        .collect()
}

#[test]
fn places_that_contributors_are_sent_to_exist() {
    let mut wrong = Vec::new();
    for page in ["CONTRIBUTING.md", "docs/architecture.md"] {
        let places = places(&fs::read_to_string(top().join(page)).unwrap());
        assert!(!places.is_empty(), "{page}");
        let missing = places.into_iter().filter(|p| !top().join(p).exists());
        wrong.extend(missing.map(|place| format!("{page}: {place}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
