//! Findings for people.

use super::{Checked, order, rules};
use crate::cli::Context;
use crate::cli::ui::{self, Page};
use crate::diagnostic::Severity;
use crate::report::{Document, Table, words};

/// All findings, and how many; what is waived too if everything is wanted.
pub(super) fn page(checked: &Checked, context: &Context) -> Page {
    let (report, files) = (&checked.report, &context.run.files);
    let mut fixes = Document::new();
    if let Some(made) = &checked.fixes {
        order::fixes(made, &mut fixes);
    }
    let found = report.findings.iter();
    let found = found.map(|finding| ui::diagnostic(&finding.diagnostic, files));
    let found: String = found.collect();
    let mut sum = Document::new();
    // Scenarios that show the same make lines that are the same: each is there once.
    let mut lines: Vec<String> = Vec::new();
    for waived in report.waived.iter().filter(|_| context.ui.is_verbose()) {
        let (line, _) = files.line_column(waived.place.file, waived.place.start as usize);
        let line = format!(
            "waived[{}] {}:{line}: {}",
            waived.finding.rule.code.name,
            files.get(waived.place.file).name,
            waived.because
        );
        if !lines.contains(&line) {
            sum.line(line.as_str());
            lines.push(line);
        }
    }
    order::order(checked, &mut sum);
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
    sum.line(parts.join(", "));
    let pages = [
        context.ui.drawn(&fixes),
        Page::drawn(found),
        context.ui.drawn(&sum),
    ];
    Page::apart(pages)
}

/// All rules, one a line.
pub(super) fn list() -> Document {
    let mut table = Table::bare(3);
    for rule in rules() {
        let severity = match rule.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        table.row([rule.code.name, severity, rule.code.summary]);
    }
    let mut out = Document::new();
    out.push(table);
    out
}
