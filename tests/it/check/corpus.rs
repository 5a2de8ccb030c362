//! `tests/corpus/`: hazards that `check` should find and look-alikes that it should ignore, by an author who had not
//! seen the rules. The test prints false negatives and false positives, and compares both with `docs/checks.md`.

use crate::case::Case;
use crate::docs::markdown::{Page, entries, top};
use crate::run::Place;
use serde_json::Value;
use std::path::Path;

/// The findings of a case: severity, code, and the names that each is about.
fn findings(path: &Path) -> Vec<(String, String, Value)> {
    let case = Case::parse(&std::fs::read_to_string(path).unwrap());
    let place = Place::new();
    case.lay_out(&place);
    let [line] = &case.lines[..] else {
        panic!("{}: one command", path.display());
    };
    let ran = case.run(line, &["--format", "json"], &place).unwrap();
    let report: Value = serde_json::from_slice(&ran.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}\n{}", path.display(), ran.stderr));
    let all = report["manifests"][0]["findings"]
        .as_array()
        .unwrap()
        .iter();
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    all.map(|f| (word(f, "severity"), word(f, "code"), f.clone()))
        .collect()
}

/// Whether a finding is about the layer, tier, fact or root of that name.
fn points_at(finding: &Value, name: &str) -> bool {
    ["layer", "tier"].iter().any(|key| finding[key] == name)
        || finding["message"]
            .as_str()
            .unwrap()
            .contains(&format!("`{name}`"))
}

/// The names after `# place:`.
fn places(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().take_while(|line| line.starts_with('#'));
    let names = lines.filter_map(|line| line.strip_prefix("# place:"));
    names
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn misses_and_false_alarms_match_the_page() {
    let (mut missed, mut alarms) = (Vec::new(), Vec::new());
    let hazards = entries(&top().join("tests/corpus/hazards"));
    for path in &hazards {
        let places = places(path);
        assert!(!places.is_empty(), "{}: no place", path.display());
        let found = findings(path);
        if !found
            .iter()
            .any(|(.., f)| places.iter().any(|p| points_at(f, p)))
        {
            let codes: Vec<String> = found.into_iter().map(|(_, code, _)| code).collect();
            missed.push(format!("{} (found: {})", name(path), codes.join(" ")));
        }
    }
    let lookalikes = entries(&top().join("tests/corpus/lookalikes"));
    for path in &lookalikes {
        let found = findings(path);
        let loud = found
            .into_iter()
            .filter(|(severity, ..)| severity != "note");
        let codes: Vec<String> = loud.map(|(_, code, _)| code).collect();
        if !codes.is_empty() {
            alarms.push(format!("{} ({})", name(path), codes.join(" ")));
        }
    }
    println!("missed, of {} hazards: {missed:#?}", hazards.len());
    println!(
        "false alarms, of {} look-alikes: {alarms:#?}",
        lookalikes.len()
    );
    let prose = Page::read("docs/checks.md").prose;
    let prose = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        format!("{} of {} hazards are missed", missed.len(), hazards.len()),
        format!(
            "{} of {} look-alikes are a false alarm",
            alarms.len(),
            lookalikes.len()
        ),
    ] {
        assert!(prose.contains(&said), "docs/checks.md does not say: {said}");
    }
}
