//! Findings for people.

use super::{Rules, Scanned};
use crate::cli::ui;
use crate::diagnostic::span::{Files, Span};
use crate::diagnostic::{Diagnostic, SCAN_FINDING};
use crate::report::{Document, Table, words};
use crate::text::scan::INVISIBLE;
use std::fmt::Write as _;

/// Every finding with its line, and how many there are.
pub(super) fn draw(rules: &Rules, all: &[Scanned], files: &Files) -> String {
    let mut out = String::new();
    for Scanned { file, findings } in all {
        for finding in findings {
            let message = format!("`{}`: {}", finding.id, rules.about(&finding.rule));
            let found = Diagnostic::warning(SCAN_FINDING, message)
                .at(Span::new(*file, finding.range.clone()));
            out.push_str(&ui::diagnostic(&found, files));
        }
    }
    let found: usize = all.iter().map(|s| s.findings.len()).sum();
    let _ = writeln!(
        out,
        "{} in {}",
        words::count(found, "finding"),
        words::count(all.len(), "file")
    );
    out
}

/// All rules that are run, one a line.
pub(super) fn list(rules: &Rules) -> Document {
    let invisible = rules.set.rules.definition().invisible.is_some();
    let run = rules.run().map(|rule| &*rule.id);
    let mut table = Table::bare(3);
    for name in invisible.then_some(INVISIBLE).into_iter().chain(run) {
        table.row([name, rules.scope_of(name), rules.about(name)]);
    }
    let mut out = Document::new();
    out.push(table);
    out
}
