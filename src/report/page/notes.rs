//! What was lost, what is absent, and what `promptc check` says.

use super::prompt::View;
use super::section;
use crate::check::{Finding, Report, sentence};
use crate::diagnostic::Severity;
use crate::diagnostic::span::Files;
use crate::prompt::Notice;
use crate::report::explain::LayerStatus;
use crate::report::html::Html;
use crate::report::words::thousands;

/// What the rules said, if there was a manifest to judge.
pub type Judged = Option<(Report, Files)>;

/// All of it, each part with its number.
pub(super) fn draw(html: &mut Html, view: &View<'_>, judged: &Judged) {
    html.markup("<div class=\"notes\">");
    let (lost, other): (Vec<&Notice>, Vec<&Notice>) =
        view.prompt.notices.iter().partition(|n| n.is_loss());
    part(
        html,
        "lost",
        "Lost",
        lost.len(),
        "Nothing was cut, dropped or replaced.",
        |html| {
            notices(html, view, &lost);
        },
    );
    absent(html, view);
    if !other.is_empty() {
        part(html, "told", "Notes", other.len(), "", |html| {
            notices(html, view, &other)
        });
    }
    match judged {
        Some((report, files)) => findings(html, view, report, files),
        None => {
            let words = "`promptc check` checks a manifest and what is built from it now; this report is of a prompt that was built before, or beside a record or session.";
            section(html, "findings", "Findings", |html| {
                html.said("p", &[("class", "none")], words);
            });
        }
    }
    html.markup("</div>");
}

fn part(
    html: &mut Html,
    id: &'static str,
    title: &'static str,
    number: usize,
    none: &'static str,
    draw: impl FnOnce(&mut Html),
) {
    let heading = format!("h-{id}");
    html.open("section", &[("id", id), ("aria-labelledby", &heading)]);
    html.open("h2", &[("id", &heading)]);
    html.text(title);
    html.text(" ");
    html.leaf("span", &[("class", "number")], &thousands(number));
    html.close("h2");
    if number == 0 {
        html.leaf("p", &[("class", "none")], none);
    } else {
        html.markup("<ul>");
        draw(html);
        html.markup("</ul>");
    }
    html.close("section");
}

fn notices(html: &mut Html, view: &View<'_>, all: &[&Notice]) {
    for notice in all {
        html.markup("<li>");
        html.leaf("b", &[("class", "code")], &notice.code);
        html.text(" ");
        if let Some(layer) = &notice.layer {
            view.link(html, layer);
            html.text(": ");
        }
        html.prose(&notice.message);
        html.markup("</li>");
    }
}

fn absent(html: &mut Html, view: &View<'_>) {
    let gone = view.fates.iter().filter_map(|fate| match fate {
        LayerStatus::Absent(absent, _) => Some(*absent),
        LayerStatus::Present(..) => None,
    });
    let gone: Vec<_> = gone.collect();
    part(
        html,
        "absent",
        "Absent",
        gone.len(),
        "Every layer has text.",
        |html| {
            for layer in &gone {
                html.markup("<li>");
                html.leaf("b", &[("class", "code")], &layer.reason.to_string());
                html.text(" ");
                view.link(html, &layer.layer);
                html.text(": ");
                html.prose(&layer.detail);
                html.markup("</li>");
            }
        },
    );
}

fn findings(html: &mut Html, view: &View<'_>, report: &Report, files: &Files) {
    let number = report.findings.len();
    part(
        html,
        "findings",
        "Findings",
        number,
        "No rule has anything to say.",
        |html| {
            for found in &report.findings {
                finding(html, view, found, files);
            }
            if !report.waived.is_empty() {
                let waived = format!("{} waived in the manifest", thousands(report.waived.len()));
                html.leaf("li", &[("class", "none")], &waived);
            }
        },
    );
}

fn finding(html: &mut Html, view: &View<'_>, found: &Finding, files: &Files) {
    let severity = match found.rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    html.open("li", &[("class", severity)]);
    html.leaf(
        "b",
        &[("class", "code")],
        &format!("{severity} {}", found.rule.code.name),
    );
    html.text(" ");
    html.prose(&found.diagnostic.message);
    html.markup(" <span class=\"where\">");
    if let Some(span) = found.diagnostic.span {
        let (line, column) = files.line_column(span.file, span.start as usize);
        html.leaf(
            "code",
            &[],
            &format!("{}:{line}:{column}", files.get(span.file).name),
        );
    }
    if let Some(document) = &found.document {
        let (root, path, line) = (&document.root, &document.path, document.line);
        html.leaf("code", &[], &format!("{root}:{path}:{line}"));
    }
    if let Some(layer) = &found.layer {
        html.text(" layer ");
        view.link(html, layer);
    }
    html.markup("</span>");
    if let Some(help) = &found.diagnostic.help {
        html.said("p", &[("class", "help")], help);
    }
    // The first reason stands in the message already.
    for chain in found.because.iter().skip(1) {
        html.said(
            "p",
            &[("class", "help")],
            &format!("also because {}", sentence(chain)),
        );
    }
    html.close("li");
}
