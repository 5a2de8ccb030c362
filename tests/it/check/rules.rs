//! Rules: each has a page and cases of both kinds, and every format says what it finds. The cases are in `tests/checks`.

use crate::case::Case;
use crate::docs::markdown::{Page, top};
use crate::run::Place;
use promptc::check::{RULES, RuleInput};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checks")
}

/// The codes of `key` in what `check --format json` says.
fn codes(report: &Value, key: &str) -> Vec<String> {
    let all = report["manifests"][0][key].as_array().expect("a list");
    let code = |finding: &Value| {
        let finding = finding.get("finding").unwrap_or(finding);
        finding["code"].as_str().expect("a code").to_owned()
    };
    all.iter().map(code).collect()
}

#[test]
fn every_rule_has_a_page_and_cases_of_both_kinds() {
    let mut missing = Vec::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/checks");
    for rule in RULES {
        let name = rule.code.name;
        let files = std::fs::read_dir(folder().join(name));
        let files: Vec<String> = (files.into_iter().flatten())
            .map(|f| f.unwrap().file_name().into_string().unwrap())
            .collect();
        for kind in ["fail-", "pass-"] {
            if !files
                .iter()
                .any(|f| f.starts_with(kind) && f.ends_with(".case"))
            {
                missing.push(format!("tests/checks/{name}/{kind}*.case"));
            }
        }
        match std::fs::read_to_string(docs.join(format!("{name}.md"))) {
            Ok(page) if page.starts_with(&format!("# {name}\n")) => {}
            _ => missing.push(format!("docs/checks/{name}.md")),
        }
    }
    assert!(missing.is_empty(), "missing: {missing:#?}");
}

/// The table of rules in docs/checks.md, which is generated.
#[test]
fn the_table_of_rules_is_current() {
    let mut table = String::from("| Rule | Severity | Finds |\n|---|---|---|\n");
    for rule in RULES {
        let (name, summary) = (rule.code.name, rule.code.summary);
        let severity = format!("{:?}", rule.severity).to_lowercase();
        let with_plan = rule
            .looks
            .iter()
            .any(|look| matches!(look, RuleInput::Plan(_)));
        let looks = match (rule.reads_sources(), rule.needs_requests()) {
            _ if with_plan => "",
            (true, _) => ", with `--sources`",
            (_, true) => ", with `--usage`",
            _ if rule.needs_sizes() => ", with `--sources` or snapshots",
            _ => "",
        };
        let _ = writeln!(
            table,
            "| [{name}](checks/{name}.md) | {severity}{looks} | {summary} |"
        );
    }
    let page = Page::read("docs/checks.md");
    let (head, rest) = page.text.split_once("src/check/rules/. -->\n\n").unwrap();
    let tail = rest.split_once("<!-- Its end. -->").unwrap().1;
    let text = format!("{head}src/check/rules/. -->\n\n{table}\n<!-- Its end. -->{tail}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(top().join(&page.path), text).unwrap();
    } else {
        assert!(
            page.text == text,
            "docs/checks.md is not current: run it with UPDATE_DOCS=1"
        );
    }
}

#[test]
fn the_pages_of_rules_are_in_the_order_of_rules() {
    let summary = Page::read("docs/SUMMARY.md").text;
    let pages = summary.split("](checks/").skip(1);
    let pages = pages.filter_map(|rest| Some(rest.split_once(".md)")?.0));
    assert!(pages.eq(RULES.iter().map(|rule| rule.code.name)));
}

/// The first manifest on the page of a rule is one that it finds.
#[test]
fn every_page_shows_the_findings_of_its_rule() {
    let mut wrong = Vec::new();
    // A page cannot show a carriage return.
    let shown = RULES.iter().filter(|r| r.code.name != "mixed-line-ends");
    for rule in shown {
        let page = Page::read(&format!("docs/checks/{}.md", rule.code.name));
        let Some(manifest) = page.fences.iter().position(|f| f.language() == "kdl") else {
            wrong.push(format!("{}: no manifest", page.path));
            continue;
        };
        let place = Place::new();
        place.file("promptc.kdl", &page.fences[manifest].text);
        place.file("facts.json", "{}");
        let rest = page.fences[manifest + 1..].iter();
        for fence in rest.take_while(|f| f.language() != "kdl") {
            match (fence.order("file"), &fence.orders()[..]) {
                (Some(path), _) => drop(place.file(path, &fence.text)),
                (_, ["facts"]) => drop(place.file("facts.json", &fence.text)),
                _ => {}
            }
        }
        let plain = ["check", "--format", "json"];
        let sources = [
            "check",
            "--format",
            "json",
            "--sources",
            "--facts",
            "facts.json",
            // The only rule that an option turns on.
            "--base",
            "builtin:minimal@1",
        ];
        let looks = [&plain[..], &sources].map(|args| place.run(args));
        let mut looks = Vec::from(looks);
        if place.path().join("bodies.jsonl").exists() {
            place.run(&["capture", "import", "bodies.jsonl", "-o", "requests.jsonl"]);
            looks.push(place.run(&[&plain[..], &["--usage", "requests.jsonl"]].concat()));
        }
        let found = looks.iter().any(|ran| {
            let report: Option<Value> = serde_json::from_slice(&ran.stdout).ok();
            report.is_some_and(|r| codes(&r, "findings").contains(&rule.code.name.to_owned()))
        });
        if !found {
            wrong.push(format!("{}: {}", page.path, looks[1].stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn waived_findings_are_listed_on_demand() {
    let place = Place::new();
    let manifest = ["-m", "builtin:mushroom@1"];
    let plain = place.run(&[&["check"][..], &manifest].concat()).exits(0);
    assert!(!plain.stdout().contains("waived["));
    let all = place
        .run(&[&["check", "-v"][..], &manifest].concat())
        .exits(0);
    let listed = all
        .stdout()
        .lines()
        .filter(|line| line.starts_with("waived["));
    assert_eq!(listed.count(), 7, "{}", all.stdout());
    assert!(
        all.stdout()
            .contains("waived[tier-behind-more-volatile] builtin:mushroom@1:70: as documented")
    );
}

#[test]
fn every_folder_of_cases_belongs_to_a_rule() {
    let rules: BTreeSet<&str> = RULES.iter().map(|r| r.code.name).collect();
    assert_eq!(rules.len(), RULES.len(), "two rules share a name");
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            rules.contains(name.as_str()),
            "tests/checks/{name}: no such rule"
        );
    }
}

/// A misspelt name would let everything pass.
#[test]
fn only_existing_findings_are_denied() {
    let place = Place::new();
    place.file("promptc.kdl", b"promptc 1\n");
    for what in ["warnings", "unused-fact"] {
        assert_eq!(place.run(&["check", "--fail-on", what]).code, 0, "{what}");
    }
    for (what, help) in [
        ("warning", "`warnings`"),
        ("unused-facts", "`unused-fact`"),
        ("x", "--list-rules"),
    ] {
        let ran = place.run(&["check", "--fail-on", what]);
        assert_eq!(ran.code, 2, "{what}");
        ran.says(help);
    }
}

/// The cost of a break is part of the message in every format; without a model no cost is reported.
#[test]
fn every_format_has_the_cost_of_a_break() {
    let case = folder().join("tier-behind-more-volatile/fail-cost.case");
    let case = Case::parse(&std::fs::read_to_string(case).unwrap());
    let place = Place::new();
    case.lay_out(&place);
    // The figures of that case, worked out there.
    let cost =
        "a change of `daily` rewrites 204 tokens: $0.0023 with acme-1 (prices of 2026-03-02)";
    let model = ["--providers", "table.kdl", "--model", "acme-1"];
    for format in ["human", "json", "sarif", "github"] {
        let plain = ["check", "--sources", "--format", format];
        let told = place.run(&[&plain[..], &model].concat()).exits(0);
        assert!(told.stdout().contains(cost), "{format}: {}", told.stdout());
        let plain = place.run(&plain).exits(0);
        assert!(
            !plain.stdout().contains("tokens again"),
            "{format}: {}",
            plain.stdout()
        );
    }
    let json = ["check", "--sources", "--format", "json"];
    let told = place.run(&[&json[..], &model].concat()).exits(0);
    let told: Value = serde_json::from_str(told.stdout()).unwrap();
    let costs = told["manifests"][0]["findings"].as_array().unwrap().iter();
    let costs: Vec<_> = costs.filter_map(|f| f.get("cost")).collect();
    let [cost] = costs[..] else {
        panic!("{costs:?}")
    };
    assert_eq!(
        (&cost["rewritten"], &cost["model"]),
        (&json!(204), &json!("acme-1"))
    );
    // Without texts there is no cost, and that is said.
    let note = "no cost: the texts are unknown; `--sources` builds them";
    for (args, noted) in [(&["check"][..], true), (&["check", "--sources"], false)] {
        let ran = place.run(&[args, &model].concat()).exits(0);
        assert_eq!(ran.stderr.contains(note), noted, "{}", ran.stderr);
    }
    assert!(!place.run(&["check"]).exits(0).stderr.contains(note));
}
