//! The output of `check` for programs: SARIF is valid by the schema of the standard, JSON by the schema that promptc
//! prints, and all formats report the same.

use crate::case::Case;
use crate::harness::files_below;
use crate::run::{Place, run};
use jsonschema::Validator;
use serde_json::Value;
use std::path::Path;

pub(crate) fn validator() -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/sarif-2.1.0.schema.json");
    let mut schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    // A bare `]`, which this validator's regular expressions do not take. Nothing here says a language.
    let languages = [
        "/definitions/run/properties",
        "/definitions/toolComponent/properties",
    ];
    for properties in languages {
        let language = schema
            .pointer_mut(&format!("{properties}/language"))
            .unwrap();
        language.as_object_mut().unwrap().remove("pattern").unwrap();
    }
    jsonschema::draft7::new(&schema).unwrap()
}

/// `check --format json` is valid by `schema check`, which takes no key that it does not know.
#[test]
fn every_report_is_valid() {
    let ran = Place::new().run(&["schema", "check"]).exits(0);
    let schema: Value = serde_json::from_str(ran.stdout()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let mut seen = [0; 6];
    let mut verify = |path: &Path, extra: &[&str]| {
        let case = Case::parse(&std::fs::read_to_string(path).unwrap());
        let place = Place::new();
        case.lay_out(&place);
        for line in &case.lines {
            let args = [extra, &["--format", "json"]].concat();
            let ran = case.run(line, &args, &place).unwrap();
            let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
            let errors: Vec<String> = (validator.iter_errors(&report))
                .map(|e| format!("{}: {e}", e.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
            let whole = report;
            let report = whole["manifests"][0].clone();
            let parts = [
                "/findings/0/reasons/0",
                "/findings/0/document",
                "/waived/0",
                "/order/moves/0",
                "/order/kept/0",
                "/fixes/made/0",
            ];
            for (seen, part) in seen.iter_mut().zip(parts) {
                *seen += usize::from(report.pointer(part).is_some_and(|v| !v.is_null()));
            }
            for object in ["", "/findings/0", "/tiers/0", "/tiers/0/layers/0", parts[0]] {
                let mut other = whole.clone();
                let object = format!("/manifests/0{object}");
                if let Some(Value::Object(object)) = other.pointer_mut(&object) {
                    object.insert("new".to_owned(), Value::Null);
                    assert!(!validator.is_valid(&other), "{}", path.display());
                }
            }
        }
    };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for path in files_below(&tests.join("checks")) {
        verify(&path, &[]);
    }
    for path in files_below(&tests.join("fix")) {
        verify(&path, &["--diff"]);
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

/// Runs every case of every rule in `format`.
fn every_case(format: &str, mut verify: impl FnMut(&str, &[u8], &Value)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checks");
    let mut seen = 0;
    for path in files_below(&folder) {
        let case = Case::parse(&std::fs::read_to_string(&path).unwrap());
        let place = Place::new();
        case.lay_out(&place);
        for line in &case.lines {
            let json = case.run(line, &["--format", "json"], &place).unwrap();
            let other = case.run(line, &["--format", format], &place).unwrap();
            let json: Value = serde_json::from_slice(&json.stdout).unwrap();
            verify(path.to_str().unwrap(), &other.stdout, &json["manifests"][0]);
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn every_log_is_valid() {
    let validator = validator();
    assert!(!validator.is_valid(&serde_json::json!({ "version": "2.1.0", "runs": [{}] })));
    every_case("sarif", |path, log, json| {
        let log: Value = serde_json::from_slice(log).unwrap();
        let errors: Vec<String> = (validator.iter_errors(&log))
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{path}: {errors:#?}");
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        let count = |key: &str| json[key].as_array().unwrap().len();
        let suppressed = results.iter().filter(|r| r.get("suppressions").is_some());
        assert_eq!(suppressed.count(), count("waived"), "{path}");
        assert_eq!(results.len(), count("findings") + count("waived"), "{path}");
        for (result, finding) in results.iter().zip(json["findings"].as_array().unwrap()) {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], finding["code"]);
            assert_eq!(result["ruleId"], finding["code"]);
            assert_eq!(result["level"], finding["severity"]);
            let place = &result["locations"][0]["physicalLocation"];
            // Code scanning refuses the whole log for one result without.
            assert!(
                place["artifactLocation"]["uri"].is_string(),
                "{path}: {result}"
            );
            let region = &place["region"];
            match finding["document"].as_object() {
                None => assert_eq!(region["startLine"], finding["line"], "{path}"),
                Some(document) => assert_eq!(region["startLine"], document["line"], "{path}"),
            }
        }
    });
}

#[cfg(unix)]
const LATE: &str = "promptc 1\nroot workspace default=\".\"\n\
    tier t changes=turn { layer notes { text \"x\" } }\n";

/// Code scanning and annotations count from there, wherever the program runs.
#[cfg(unix)]
#[test]
fn paths_start_at_the_top_of_the_repository() {
    let place = Place::new();
    std::fs::create_dir_all(place.path().join("repo/.git")).unwrap();
    place.file("repo/a b/ü,%/a:b.kdl", LATE);
    place.file("outside.kdl", LATE);
    let check = |folder: &str, manifest: &str, format: &str| {
        let mut command = place.command(&["check", "-m", manifest, "--format", format]);
        command.current_dir(place.path().join(folder));
        run(command, b"").exits(0).stdout().to_owned()
    };
    let uris = |folder: &str, manifest: &str| {
        let log: Value = serde_json::from_str(&check(folder, manifest, "sarif")).unwrap();
        let mut uris = Vec::new();
        uris_of(&log, &mut uris);
        uris.dedup();
        uris
    };
    let there = "a%20b/%C3%BC,%25/a%3Ab.kdl";
    let below = place.path().join("repo/a b/ü,%/a:b.kdl");
    let outside = place.path().join("outside.kdl");
    assert_eq!(uris("repo", "a b/ü,%/a:b.kdl"), [there]);
    assert_eq!(uris("repo/a b", "ü,%/a:b.kdl"), [there]);
    assert_eq!(uris("repo/a b/ü,%", "../ü,%/a:b.kdl"), [there]);
    assert_eq!(uris("repo/a b", below.to_str().unwrap()), [there]);
    assert_eq!(uris("", "repo/a b/ü,%/a:b.kdl"), [format!("repo/{there}")]);
    let uri = format!("file://{}", outside.display());
    assert_eq!(uris("repo/a b", outside.to_str().unwrap()), [uri]);
    let annotation = "::warning file=a b/ü%2C%25/a%3Ab.kdl,line=3,title=promptc turn-tier";
    for (folder, manifest) in [("repo/a b", "ü,%/a:b.kdl"), ("repo", "a b/ü,%/a:b.kdl")] {
        let told = check(folder, manifest, "github");
        assert!(told.contains(annotation), "{told}");
    }
}

/// Another scheme than that of files makes code scanning refuse a log.
#[test]
fn a_built_in_has_no_scheme() {
    let place = Place::new();
    let ran = place.run(&["check", "-m", "builtin:mushroom@1", "--format", "sarif"]);
    let log: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let mut uris = Vec::new();
    uris_of(&log, &mut uris);
    uris.dedup();
    assert_eq!(uris, ["builtin%3Amushroom@1"]);
}

fn uris_of(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            out.extend(object.get("uri").and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|v| uris_of(v, out));
        }
        Value::Array(list) => list.iter().for_each(|v| uris_of(v, out)),
        _ => {}
    }
}

#[test]
fn every_finding_is_an_annotation() {
    every_case("github", |path, text, json| {
        let text = std::str::from_utf8(text).unwrap();
        let findings = json["findings"].as_array().unwrap();
        assert_eq!(text.lines().count(), findings.len(), "{path}: {text}");
        for (line, finding) in text.lines().zip(findings) {
            let title = format!("title=promptc {}::", finding["code"].as_str().unwrap());
            assert!(
                line.starts_with("::") && line.contains(&title),
                "{path}: {line}"
            );
        }
    });
}
