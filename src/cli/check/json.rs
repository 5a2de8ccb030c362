//! Findings and classes for programs.

use super::Checked;
use crate::check::Finding;
use crate::cli::ui::json as diagnostic;
use crate::compile::{Chain, Link, What};
use crate::prompt::Changes;
use crate::span::{Files, Span};
use serde::Serialize;

#[derive(Serialize)]
struct Report<'a> {
    findings: Vec<Found<'a>>,
    waived: Vec<Waived<'a>>,
    tiers: Vec<Tier<'a>>,
}

/// A finding: a diagnostic, and what it is about.
#[derive(Serialize)]
struct Found<'a> {
    #[serde(flatten)]
    line: diagnostic::Line<'a>,
    tier: Option<&'a str>,
    layer: Option<&'a str>,
    scenario: Option<&'a str>,
    document: Option<Document<'a>>,
    because: Vec<Reason<'a>>,
    fixable: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    root: &'a str,
    path: &'a str,
    line: usize,
}

#[derive(Serialize)]
struct Waived<'a> {
    finding: Found<'a>,
    because: &'a str,
    place: Option<Place<'a>>,
}

/// A tier, and how often it may change.
#[derive(Serialize)]
struct Tier<'a> {
    tier: &'a str,
    declared: Option<Changes>,
    inferred: Changes,
    layers: Vec<Layer<'a>>,
}

/// A layer, how often it may change, and every reason.
#[derive(Serialize)]
struct Layer<'a> {
    layer: &'a str,
    changes: Changes,
    because: Vec<Reason<'a>>,
}

/// The way from a layer to something that it depends on.
#[derive(Serialize)]
struct Reason<'a> {
    changes: Changes,
    declared: Option<Place<'a>>,
    chain: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    what: What,
    name: &'a str,
    #[serde(flatten)]
    place: Option<Place<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: usize,
    column: usize,
}

/// Everything as one JSON object.
pub(super) fn write(checked: &Checked, files: &Files) -> String {
    let report = Report {
        findings: checked
            .report
            .findings
            .iter()
            .map(|f| found(f, files))
            .collect(),
        waived: checked
            .report
            .waived
            .iter()
            .map(|w| Waived {
                finding: found(&w.finding, files),
                because: &w.because,
                place: Some(place(w.place, files)),
            })
            .collect(),
        tiers: tiers(checked, files),
    };
    // Strings and numbers always have a JSON form.
    let mut out = serde_json::to_string_pretty(&report).unwrap_or_default();
    out.push('\n');
    out
}

fn tiers<'a>(checked: &'a Checked, files: &'a Files) -> Vec<Tier<'a>> {
    let tiers = checked.plan.tiers();
    tiers
        .map(|tier| Tier {
            tier: &tier.written.name.value,
            declared: tier.written.changes.as_ref().map(|c| c.value),
            inferred: tier.inferred,
            layers: tier
                .layers
                .iter()
                .map(|layer| Layer {
                    layer: &layer.written.name.value,
                    changes: layer.why.changes,
                    because: layer.why.chains.iter().map(|c| reason(c, files)).collect(),
                })
                .collect(),
        })
        .collect()
}

fn found<'a>(finding: &'a Finding, files: &'a Files) -> Found<'a> {
    Found {
        line: diagnostic::of(&finding.diagnostic, files),
        tier: finding.tier.as_deref(),
        layer: finding.layer.as_deref(),
        scenario: finding.scenario.as_deref(),
        document: finding.document.as_ref().map(|d| Document {
            root: &d.root,
            path: &d.path,
            line: d.line,
        }),
        because: finding.because.iter().map(|c| reason(c, files)).collect(),
        fixable: finding.fix.is_some(),
    }
}

fn reason<'a>(chain: &'a Chain, files: &'a Files) -> Reason<'a> {
    Reason {
        changes: chain.changes,
        declared: chain.declared.map(|span| place(span, files)),
        chain: chain.links.iter().map(|link| step(link, files)).collect(),
    }
}

fn step<'a>(link: &'a Link, files: &'a Files) -> Step<'a> {
    Step {
        what: link.what,
        name: &link.name,
        place: link.place.map(|span| place(span, files)),
    }
}

fn place(span: Span, files: &Files) -> Place<'_> {
    let (line, column) = files.line_column(span.file, span.start as usize);
    Place {
        file: &files.get(span.file).name,
        line,
        column,
    }
}
