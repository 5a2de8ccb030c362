//! Findings for programs.

use super::{Rules, Scanned};
use crate::cli::ui::{Page, answer};
use crate::diagnostic::span::Files;
use crate::text::scan::Finding;
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `scan --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report<'a> {
    /// The rule set.
    rule_set: &'a str,
    /// The last scope whose rules were run.
    scope: &'a str,
    /// The files, as given, without those that could not be read.
    files: Vec<File<'a>>,
}

/// A file that was scanned.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct File<'a> {
    path: &'a str,
    /// In bytes, without a byte order mark.
    bytes: usize,
    /// The findings: invisible characters, then rule by rule.
    findings: Vec<ScanMatch<'a>>,
}

/// The first place at which a rule matches.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ScanMatch<'a> {
    /// The name: the rule, or the invisible character.
    id: &'a str,
    rule: &'a str,
    /// The scope of the rule.
    scope: &'a str,
    about: &'a str,
    /// From 1.
    line: usize,
    /// From 1, in Unicode scalar values.
    column: usize,
    /// In bytes, after a byte order mark.
    start: usize,
    end: usize,
    /// The match, with `*` for each byte that must not be shown; null if the rule is private.
    text: Option<&'a str>,
}

/// The whole report.
pub(super) fn write(rules: &Rules, all: &[Scanned], files: &Files) -> Page {
    let report = Report {
        rule_set: &rules.name,
        scope: rules.set.scopes.get(rules.scope).map_or("", |s| s),
        files: all.iter().map(|s| file(rules, s, files)).collect(),
    };
    answer::page(&report)
}

fn file<'a>(rules: &'a Rules, scanned: &'a Scanned, files: &'a Files) -> File<'a> {
    let file = files.get(scanned.file);
    let found = |finding: &'a Finding| ScanMatch {
        id: &finding.id,
        rule: &finding.rule,
        scope: rules.scope_of(&finding.rule),
        about: rules.about(&finding.rule),
        line: finding.line,
        column: finding.column,
        start: finding.range.start,
        end: finding.range.end,
        // Another rule may find what holds a secret: that is covered.
        text: Some(&file.shown()[finding.range.clone()]).filter(|_| !rules.is_private(finding)),
    };
    File {
        path: &file.name,
        bytes: file.text.len(),
        findings: scanned.findings.iter().map(found).collect(),
    }
}
