//! Findings as annotations of GitHub Actions.

use super::Answer;
use super::places::Places;
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::github::{Annotation, Level, draw};

/// One command for each finding. A finding of several manifests is reported once.
pub(crate) fn write(answer: &Answer<'_>) -> String {
    let mut all: Vec<Annotation> = Vec::new();
    let mut add = |annotation: Annotation| {
        if !all.contains(&annotation) {
            all.push(annotation);
        }
    };
    for one in &answer.manifests {
        let places = Places::of(&one.checked.manifest);
        for finding in &one.checked.report.findings {
            let mut annotation = annotation(&finding.diagnostic, one.files, &places);
            if let Some(document) = &finding.document {
                annotation.place = Some((places.document(document), Some(document.line)));
            }
            add(annotation);
        }
    }
    let places = Places::unknown();
    for (error, files) in &answer.errors {
        add(annotation(error, files, &places));
    }
    draw(&all)
}

fn annotation(diagnostic: &Diagnostic, files: &Files, places: &Places) -> Annotation {
    let mut message = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let place = diagnostic.span.map(|span| {
        let (line, _) = files.line_column(span.file, span.start as usize);
        (places.file(&files.get(span.file).name), Some(line))
    });
    Annotation {
        level: match diagnostic.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Note => Level::Notice,
        },
        place,
        title: format!("promptc {}", diagnostic.code.name),
        message,
    }
}
