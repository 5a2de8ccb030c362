//! Findings: `tests/checks/RULE/fail-NAME.case` is found by the rule, `pass-NAME.case` is not. The output for people is
//! a snapshot.

use crate::{CaseFile, snapshot, suggestions};
use libtest_mimic::{Completion, Failed};
use serde_json::Value;
use std::fmt::Write as _;

pub(crate) fn verify(file: &CaseFile) -> Result<Completion, Failed> {
    let (rule, name) = file.name.split_once("__").ok_or("no rule")?;
    let fails = name.starts_with("fail-");
    let shown = show(file, rule, fails)?;
    if fails {
        snapshot::compare("checks", "check", file, &shown);
    }
    Ok(Completion::Completed)
}

/// The output for people; an error if it is not the expected one.
fn show(file: &CaseFile, rule: &str, fails: bool) -> Result<String, Failed> {
    let (case, place) = file.laid_out();
    let mut out = String::new();
    for line in &case.lines {
        let run = |extra| {
            case.run(line, extra, &place)
                .ok_or("it can be run anywhere")
        };
        let json = run(&["--format", "json"])?;
        let report: Value = serde_json::from_slice(&json.stdout)
            .map_err(|e| format!("{e}; exit {}, stderr:\n{}", json.code, json.stderr))?;
        let all = findings(&report);
        let of_rule: Vec<Value> = all.iter().filter(|f| f["code"] == rule).cloned().collect();
        suggestions::all_help(&case, line, &of_rule, |line, place| {
            let ran = case.run(line, &["--format", "json"], place).unwrap();
            let report: Value = serde_json::from_slice(&ran.stdout)
                .map_err(|e| format!("{e}; exit {}, stderr:\n{}", ran.code, ran.stderr))?;
            let errors = report["errors"].as_array().into_iter().flatten();
            Ok(findings(&report).iter().chain(errors).cloned().collect())
        })?;
        let found = codes(&report);
        if found.contains(&rule) != fails {
            return Err(format!("found {found:?}").into());
        }
        let human = run(&["--color", "never"])?;
        if human.code != json.code || human.code > 1 {
            return Err(format!("exit {} and {}", human.code, json.code).into());
        }
        if human.stdout().contains("secret-value") || json.stdout().contains("secret-value") {
            return Err("a private value is shown".into());
        }
        let _ = writeln!(out, "{}", human.stdout());
    }
    Ok(out)
}

/// The findings in a report; none if the manifest cannot be read.
fn findings(report: &Value) -> &[Value] {
    let findings = report["manifests"][0]["findings"].as_array();
    findings.map_or(&[], Vec::as_slice)
}

/// The codes of the findings in a report.
fn codes(report: &Value) -> Vec<&str> {
    findings(report)
        .iter()
        .map(|f| f["code"].as_str().expect("a code"))
        .collect()
}
