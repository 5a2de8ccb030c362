//! Findings for people.

use super::{Checked, order, rules};
use crate::cli::ui;
use crate::diagnostic::Severity;
use crate::diagnostic::span::Files;
use crate::report::words;
use std::fmt::Write as _;

/// All findings, and how many; what is waived is told if everything is wanted.
pub(super) fn draw(checked: &Checked, files: &Files, everything: bool) -> String {
    let report = &checked.report;
    let mut out = String::new();
    if let Some(fixes) = &checked.fixes {
        out.push_str(&order::fixes(fixes));
    }
    for finding in &report.findings {
        out.push_str(&ui::diagnostic(&finding.diagnostic, files));
    }
    // Scenarios that show the same make lines that are the same: each stands once.
    let mut lines: Vec<String> = Vec::new();
    for waived in report.waived.iter().filter(|_| everything) {
        let (line, _) = files.line_column(waived.place.file, waived.place.start as usize);
        let line = format!(
            "waived[{}] {}:{line}: {}\n",
            waived.finding.rule.code.name,
            words::plain(&files.get(waived.place.file).name),
            words::plain(&waived.because)
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    out.extend(lines);
    out.push_str(&order::draw(checked));
    let count = |severity| {
        let all = report.findings.iter();
        all.filter(|f| f.rule.severity == severity).count()
    };
    let mut parts = vec![
        words::count(count(Severity::Error), "error"),
        words::count(count(Severity::Warning), "warning"),
    ];
    if let notes @ 1.. = count(Severity::Note) {
        parts.push(words::count(notes, "note"));
    }
    if let waived @ 1.. = report.waived.len() {
        parts.push(format!("{waived} waived"));
    }
    let _ = writeln!(out, "{}", parts.join(", "));
    out
}

/// All rules, one a line.
pub(super) fn list() -> String {
    let width = rules().map(|r| r.code.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for rule in rules() {
        let severity = match rule.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let _ = writeln!(
            out,
            "{:width$}  {severity:7}  {}",
            rule.code.name, rule.code.summary
        );
    }
    out
}
