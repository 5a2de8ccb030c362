//! Findings for people.

use crate::check::{Frequencies, Report};
use crate::cli::Context;
use crate::cli::ui::{self, Page};
use crate::diagnostic::Severity;
use crate::report::check::{Answer, CheckedManifest, order, rules};
use crate::report::{Document, Table, words};
use crate::text::measure::thousands;

/// The numbers of findings of each severity, and of waived ones.
#[derive(Default)]
struct Count {
    errors: usize,
    warnings: usize,
    notes: usize,
    waived: usize,
}

impl Count {
    fn add(&mut self, report: &Report) {
        for finding in &report.findings {
            *match finding.rule.severity {
                Severity::Error => &mut self.errors,
                Severity::Warning => &mut self.warnings,
                Severity::Note => &mut self.notes,
            } += 1;
        }
        self.waived += report.waived.len();
    }

    fn sentence(&self) -> String {
        let mut parts = vec![
            words::count(self.errors, "error"),
            words::count(self.warnings, "warning"),
        ];
        if self.notes > 0 {
            parts.push(words::count(self.notes, "note"));
        }
        if self.waived > 0 {
            parts.push(format!("{} waived", self.waived));
        }
        parts.join(", ")
    }
}

/// All findings with their count, and the waived ones if requested. Of `several` manifests the names are shown.
pub(super) fn page(answer: &Answer<'_>, context: &Context) -> Page {
    let (mut pages, mut end) = (Vec::new(), Document::new());
    let mut all = Count::default();
    let several = answer.several;
    for one in &answer.manifests {
        pages.extend(findings(one, context));
        let notes = notes(one, context);
        if several {
            pages.push(context.ui.drawn(&notes))
        } else {
            end = notes
        }
        all.add(&one.checked.report);
    }
    if several {
        for one in &answer.manifests {
            let mut count = Count::default();
            count.add(&one.checked.report);
            end.line(format!("{}: {}", one.name(), count.sentence()));
        }
        let manifests = words::count(answer.manifests.len(), "manifest");
        end.line(format!("{manifests}: {}", all.sentence()));
    } else {
        end.line(all.sentence());
    }
    pages.push(context.ui.drawn(&end));
    Page::apart(pages)
}

/// The fixes and the findings of one manifest.
fn findings(one: &CheckedManifest<'_>, context: &Context) -> [Page; 2] {
    let mut fixes = Document::new();
    if let Some(made) = &one.checked.fixes {
        order::fixes(made, &mut fixes);
    }
    let found = one.checked.report.findings.iter();
    let found = found.map(|finding| ui::diagnostic(&finding.diagnostic, one.files));
    let found: String = found.collect();
    [context.ui.drawn(&fixes), Page::drawn(found)]
}

/// The waived findings, if requested, and the moves of tiers.
fn notes(one: &CheckedManifest<'_>, context: &Context) -> Document {
    let (report, files) = (&one.checked.report, one.files);
    let mut out = Document::new();
    // Scenarios with the same finding give equal lines: each is shown once.
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
            out.line(line.as_str());
            lines.push(line);
        }
    }
    order::order(one.checked, &mut out);
    out
}

/// The number of requests that show how often layers change.
pub(super) fn read(frequencies: &Frequencies) -> String {
    let requests = words::count(frequencies.requests, "request");
    match frequencies.known {
        0 => format!("no layer was found in {requests}\n"),
        known => {
            let known = thousands(&known.to_string());
            format!("layers were found in {known} of {requests}\n")
        }
    }
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
