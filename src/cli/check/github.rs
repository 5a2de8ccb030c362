//! Findings as annotations of GitHub Actions.

use super::Checked;
use super::places::Places;
use crate::check::Finding;
use crate::cli::ui::Page;
use crate::diagnostic::Severity;
use crate::diagnostic::span::Files;
use crate::report::github::{Annotation, Level, draw};

/// One command for each finding.
pub(super) fn write(checked: &Checked, files: &Files, places: &Places) -> Page {
    let findings = checked.report.findings.iter();
    let all: Vec<Annotation> = findings.map(|f| annotation(f, files, places)).collect();
    Page::commands(draw(&all))
}

fn annotation(finding: &Finding, files: &Files, places: &Places) -> Annotation {
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
    Annotation {
        level: match finding.rule.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Note => Level::Notice,
        },
        place: document.or(own).map(|(path, line)| (path, Some(line))),
        title: format!("promptc {}", finding.rule.code.name),
        message,
    }
}
