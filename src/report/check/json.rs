//! Findings and volatilities for programs.

use super::{Answer, CheckedManifest};
use crate::check::{self, DocumentPlace, Finding, Kept, Measured, MoveTo};
use crate::compare::Cost;
use crate::compile::{self, Link, Plan, What};
use crate::diagnostic::span::{Files, Span};
use crate::project::Fixes;
use crate::project::check::Checked;
use crate::prompt::{Changes, Deliver};
use crate::report::diagnostic_json as diagnostic;
use schemars::JsonSchema;
use serde::Serialize;

/// The output of `check --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Report<'a> {
    /// Each manifest that could be checked.
    manifests: Vec<OfManifest<'a>>,
    /// The errors that keep others of several manifests from being checked.
    errors: Vec<diagnostic::Line<'a>>,
}

/// The findings in a manifest.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct OfManifest<'a> {
    /// Its path as messages name it, or `builtin:NAME@N`.
    path: &'a str,
    /// The findings without a waiver, in the order of the other formats.
    findings: Vec<FindingEntry<'a>>,
    /// The waived findings.
    waived: Vec<Waived<'a>>,
    /// All tiers, in the order of the prompt.
    tiers: Vec<Tier<'a>>,
    /// Null if nothing is to be moved.
    order: Option<Order<'a>>,
    /// Only there with `--fix` or `--diff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<&'a Fixes>,
}

/// The moves of tiers that save most.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Order<'a> {
    moves: Vec<Move<'a>>,
    /// Where the sizes come from; null if they are not known.
    sizes: Option<Measured>,
    /// The text of tools and system in all prompts together, in bytes.
    bytes: usize,
    /// For a change of each volatility, how much of it is still cached; empty if sizes are unknown.
    kept: &'a [Kept],
}

/// A tier that is to be moved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Move<'a> {
    tier: &'a str,
    channel: Deliver,
    changes: Changes,
    /// The tier that it belongs directly before; only present if that is its position.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    /// The tier that it belongs directly after; only present if that is its position.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
    /// Why `--fix` does not make the move; null if it does.
    blocked: Option<String>,
}

/// A finding: a diagnostic, and what it is about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct FindingEntry<'a> {
    #[serde(flatten)]
    line: diagnostic::Line<'a>,
    tier: Option<&'a str>,
    layer: Option<&'a str>,
    scenario: Option<&'a str>,
    /// The document in which it was found, if it was found in one.
    document: Option<&'a DocumentPlace>,
    /// Every reason for the volatility of the layer or tier.
    reasons: Vec<Reason<'a>>,
    /// Whether `--fix` can change it.
    fixable: bool,
    /// The cost of the break, as `diff` writes it: only present with `--model`, where texts are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<&'a Cost>,
}

/// A finding that a waiver takes back.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Waived<'a> {
    finding: FindingEntry<'a>,
    /// The reason in the waiver.
    because: &'a str,
    /// The location of the waiver.
    place: Location<'a>,
}

/// A tier, and how often it may change.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Tier<'a> {
    tier: &'a str,
    channel: Deliver,
    declared: Option<Changes>,
    /// With the tiers before it.
    inferred: Changes,
    /// By itself, without the tiers before it; null if it has no layers.
    own: Option<Changes>,
    layers: Vec<Layer<'a>>,
}

/// A layer, how often it may change, and every reason.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Layer<'a> {
    layer: &'a str,
    changes: Changes,
    reasons: Vec<Reason<'a>>,
}

/// The way from a layer to something that it depends on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Reason<'a> {
    changes: Changes,
    /// Where the volatility is declared; null if it is inferred.
    declared_at: Option<Location<'a>>,
    links: Vec<Step<'a>>,
}

/// A link of the way; with its place, if it has one in a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Step<'a> {
    what: What,
    name: &'a str,
    #[serde(flatten)]
    place: Option<Location<'a>>,
}

/// A place in a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Location<'a> {
    path: &'a str,
    /// From 1.
    line: usize,
    /// From 1, in characters.
    column: usize,
}

/// Everything as one object.
pub(crate) fn report<'a>(answer: &Answer<'a>) -> Report<'a> {
    let errors = answer.errors.iter();
    let errors = errors.map(|(error, files)| diagnostic::of(error, files));
    Report {
        manifests: answer.manifests.iter().map(of_manifest).collect(),
        errors: errors.collect(),
    }
}

fn of_manifest<'a>(one: &CheckedManifest<'a>) -> OfManifest<'a> {
    let (checked, files) = (one.checked, one.files);
    OfManifest {
        path: &files.get(checked.manifest.file).name,
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
                place: place(w.place, files),
            })
            .collect(),
        tiers: tiers(checked, files),
        order: checked
            .report
            .order
            .as_ref()
            .map(|o| order(o, &checked.plan)),
        fixes: checked.fixes.as_ref(),
    }
}

fn order<'a>(order: &'a check::Order, plan: &'a Plan) -> Order<'a> {
    let tiers: Vec<_> = plan.tiers().collect();
    let name = |at: usize| tiers[at].written.name.value.as_str();
    let moves = order.moves.iter().map(|moved| {
        let (before, after) = match moved.to {
            MoveTo::Before(other) => (Some(name(other)), None),
            MoveTo::After(other) => (None, Some(name(other))),
        };
        Move {
            tier: name(moved.tier),
            channel: moved.deliver,
            changes: moved.changes,
            before,
            after,
            blocked: moved.blocked.as_ref().map(check::Blocked::sentence),
        }
    });
    Order {
        moves: moves.collect(),
        sizes: order.measured,
        bytes: order.of,
        kept: &order.kept,
    }
}

fn tiers<'a>(checked: &'a Checked, files: &'a Files) -> Vec<Tier<'a>> {
    let tiers = checked.plan.tiers();
    tiers
        .map(|tier| Tier {
            tier: &tier.written.name.value,
            channel: tier.deliver,
            declared: tier.written.changes.as_ref().map(|c| c.value),
            inferred: tier.inferred,
            own: tier.own(),
            layers: tier
                .layers
                .iter()
                .map(|layer| Layer {
                    layer: &layer.written.name.value,
                    changes: layer.why.changes,
                    reasons: layer.why.reasons.iter().map(|c| reason(c, files)).collect(),
                })
                .collect(),
        })
        .collect()
}

fn found<'a>(finding: &'a Finding, files: &'a Files) -> FindingEntry<'a> {
    FindingEntry {
        line: diagnostic::of(&finding.diagnostic, files),
        tier: finding.tier.as_deref(),
        layer: finding.layer.as_deref(),
        scenario: finding.scenario.as_deref(),
        document: finding.document.as_ref(),
        reasons: finding.because.iter().map(|c| reason(c, files)).collect(),
        fixable: finding.fix.is_some(),
        cost: finding.cost.as_deref(),
    }
}

fn reason<'a>(reason: &'a compile::Reason, files: &'a Files) -> Reason<'a> {
    Reason {
        changes: reason.changes,
        declared_at: reason.declared.map(|span| place(span, files)),
        links: reason.links.iter().map(|link| step(link, files)).collect(),
    }
}

fn step<'a>(link: &'a Link, files: &'a Files) -> Step<'a> {
    Step {
        what: link.what,
        name: &link.name,
        place: link.place.map(|span| place(span, files)),
    }
}

fn place(span: Span, files: &Files) -> Location<'_> {
    let (line, column) = files.line_column(span.file, span.start as usize);
    Location {
        path: &files.get(span.file).name,
        line,
        column,
    }
}
