//! The words of comments, messages and pages: `words.txt` lists phrases to avoid, each with its replacement.

use super::tidy::top;
use crate::harness::files_below;
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

const LIST: &str = include_str!("words.txt");

/// The places with prose. Test data by other authors is not among them.
const PROSE: [&str; 8] = [
    "src",
    "tests",
    "docs",
    "examples",
    "layers",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
];

/// Folders of `tests` with texts by other authors.
const FOREIGN: [&str; 3] = ["tests/corpus", "tests/scan", "tests/dumps"];

/// Phrases that are avoided in some places.
struct Section {
    places: Vec<&'static str>,
    phrases: Vec<[&'static str; 2]>,
}

/// The sections of the list: a line `[PLACE …]` begins one, and each other line is `phrase | replacement`.
fn sections() -> Vec<Section> {
    let mut out = Vec::new();
    for line in LIST.lines().filter(|line| !line.is_empty()) {
        if let Some(places) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            let places = match places {
                "all" => PROSE.to_vec(),
                some => some.split(' ').collect(),
            };
            out.push(Section {
                places,
                phrases: Vec::new(),
            });
            continue;
        }
        let (phrase, instead) = line.split_once('|').expect("`phrase | replacement`");
        let section: &mut Section = out.last_mut().expect("a line `[PLACE …]` comes first");
        section.phrases.push([phrase.trim(), instead.trim()]);
    }
    out
}

fn has_prose(path: &Path) -> bool {
    let known = path
        .extension()
        .is_some_and(|end| ["rs", "md", "kdl", "case"].iter().any(|e| end == *e));
    let foreign = FOREIGN
        .iter()
        .any(|folder| path.starts_with(top().join(folder)));
    known && !foreign
}

fn files(place: &str) -> Vec<PathBuf> {
    let path = top().join(place);
    if path.is_dir() {
        files_below(&path)
            .into_iter()
            .filter(|f| has_prose(f))
            .collect()
    } else {
        vec![path]
    }
}

/// The text in one line, without comment signs, as a phrase can continue on the next line; and where each line begins.
fn joined(text: &str) -> (String, Vec<usize>) {
    let mut out = String::new();
    let mut starts = Vec::new();
    for line in text.lines() {
        starts.push(out.len());
        out.push_str(
            line.trim_start()
                .trim_start_matches(['/', '!', '>', '#'])
                .trim(),
        );
        out.push(' ');
    }
    (out, starts)
}

/// Any of the phrases as whole words. `-` and `_` join words, so that names of rules and JSON keys are no phrases.
fn pattern(phrases: &[[&str; 2]]) -> Regex {
    let all: Vec<String> = phrases.iter().map(|[p, _]| regex::escape(p)).collect();
    Regex::new(&format!(
        "(?i)(?:^|[^a-z0-9_-])({})(?:$|[^a-z0-9_-])",
        all.join("|")
    ))
    .unwrap()
}

#[test]
fn no_phrase_to_avoid_is_used() {
    let mut found = Vec::new();
    for section in sections() {
        let pattern = pattern(&section.phrases);
        for path in section.places.iter().flat_map(|place| files(place)) {
            let (text, starts) = joined(&fs::read_to_string(&path).unwrap());
            for captures in pattern.captures_iter(&text) {
                let hit = captures.get(1).unwrap();
                let line = starts.partition_point(|start| *start <= hit.start());
                let said = hit.as_str().to_lowercase();
                let instead = section.phrases.iter().find(|[phrase, _]| *phrase == said);
                let instead = instead.map_or("", |[_, instead]| *instead);
                let shown = path.strip_prefix(top()).unwrap().display();
                found.push(format!("{shown}:{line}: “{said}”: write {instead}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn each_phrase_to_avoid_is_listed_once() {
    let mut phrases: Vec<&str> = sections()
        .iter()
        .flat_map(|s| &s.phrases)
        .map(|p| p[0])
        .collect();
    let all = phrases.len();
    phrases.sort_unstable();
    phrases.dedup();
    assert_eq!(phrases.len(), all);
    assert!(
        phrases
            .iter()
            .all(|phrase| *phrase == phrase.to_lowercase())
    );
}
