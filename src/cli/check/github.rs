//! Findings as annotations of GitHub Actions.

use super::Checked;
use super::places::Places;
use crate::check::Finding;
use crate::cli::ui::{Page, workflow};
use crate::diagnostic::Severity;
use crate::diagnostic::span::Files;

/// One command for each finding.
pub(super) fn write(checked: &Checked, files: &Files, places: &Places) -> Page {
    let findings = checked.report.findings.iter();
    findings.map(|f| command(f, files, places)).collect()
}

fn command(finding: &Finding, files: &Files, places: &Places) -> Page {
    let kind = match finding.rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let diagnostic = &finding.diagnostic;
    let mut message = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let document = finding.document.as_ref();
    let document = document.map(|d| (places.document(d), d.line));
    let own = diagnostic.span.map(|span| {
        let (line, _) = files.line_column(span.file, span.start as usize);
        (places.file(&files.get(span.file).name), line)
    });
    let place = document.or(own);
    let place = place
        .as_ref()
        .map(|(path, line)| (path.as_str(), Some(*line)));
    let title = format!("promptc {}", finding.rule.code.name);
    workflow::command(kind, place, &title, &message)
}
