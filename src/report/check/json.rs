//! Findings and classes for programs.

use super::{Answer, Judged};
use crate::check::{self, Beside, DocumentPlace, Finding, Kept, Measured};
use crate::compare::Cost;
use crate::compile::{Chain, Link, Plan, What};
use crate::diagnostic::span::{Files, Span};
use crate::project::Fixes;
use crate::project::check::Checked;
use crate::prompt::{Changes, Deliver};
use crate::report::diagnostic_json as diagnostic;
use schemars::JsonSchema;
use serde::Serialize;

/// What `check --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Report<'a> {
    /// Each manifest that could be checked.
    manifests: Vec<OfManifest<'a>>,
    /// What keeps others of several manifests from being checked.
    errors: Vec<diagnostic::Line<'a>>,
}

/// What was found in a manifest.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct OfManifest<'a> {
    /// Its path as messages name it, or `builtin:NAME@N`.
    path: &'a str,
    /// What no waiver takes back, in the order of the other formats.
    findings: Vec<Found<'a>>,
    /// What a waiver takes back.
    waived: Vec<Waived<'a>>,
    /// All tiers, in the order of the prompt.
    tiers: Vec<Tier<'a>>,
    /// Null if nothing is to be moved.
    order: Option<Order<'a>>,
    /// Only there with `--fix` or `--diff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<&'a Fixes>,
}

/// The moves of tiers that keep most.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Order<'a> {
    moves: Vec<Move<'a>>,
    /// Where the sizes come from; null if they are not known.
    sizes: Option<Measured>,
    /// The text of tools and system in all prompts together, in bytes.
    bytes: usize,
    /// For a change of each class, how much of that is kept; empty if sizes are not known.
    kept: &'a [Kept],
}

/// A tier that is to be moved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Move<'a> {
    tier: &'a str,
    channel: Deliver,
    changes: Changes,
    /// The tier in front of which it belongs; only there if that is its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    /// The tier behind which it belongs; only there if that is its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
    /// Why `--fix` does not make the move; null if it does.
    blocked: Option<String>,
}

/// A finding: a diagnostic, and what it is about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Found<'a> {
    #[serde(flatten)]
    line: diagnostic::Line<'a>,
    tier: Option<&'a str>,
    layer: Option<&'a str>,
    scenario: Option<&'a str>,
    /// The document in which it was found, if it was found in one.
    document: Option<&'a DocumentPlace>,
    /// Every reason for the class of the layer or tier.
    reasons: Vec<Reason<'a>>,
    /// Whether `--fix` can change it.
    fixable: bool,
    /// What the break costs that it is about, as `diff` writes it: only there with `--model`, where texts are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<&'a Cost>,
}

/// A finding that a waiver takes back.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Waived<'a> {
    finding: Found<'a>,
    /// What the waiver says.
    because: &'a str,
    /// Of the waiver.
    place: Place<'a>,
}

/// A tier, and how often it may change.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Tier<'a> {
    tier: &'a str,
    channel: Deliver,
    declared: Option<Changes>,
    /// With the tiers in front of it.
    inferred: Changes,
    /// By itself, without the tiers in front of it; null if it has no layers.
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
    /// Where the class is declared; null if it is inferred.
    declared_at: Option<Place<'a>>,
    chain: Vec<Step<'a>>,
}

/// A link of the way; with its place, if it has one in a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Step<'a> {
    what: What,
    name: &'a str,
    #[serde(flatten)]
    place: Option<Place<'a>>,
}

/// A place in a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Place<'a> {
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
        manifests: answer.judged.iter().map(of_manifest).collect(),
        errors: errors.collect(),
    }
}

fn of_manifest<'a>(one: &Judged<'a>) -> OfManifest<'a> {
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
            Beside::Before(other) => (Some(name(other)), None),
            Beside::After(other) => (None, Some(name(other))),
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
                    reasons: layer.why.chains.iter().map(|c| reason(c, files)).collect(),
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
        document: finding.document.as_ref(),
        reasons: finding.because.iter().map(|c| reason(c, files)).collect(),
        fixable: finding.fix.is_some(),
        cost: finding.cost.as_deref(),
    }
}

fn reason<'a>(chain: &'a Chain, files: &'a Files) -> Reason<'a> {
    Reason {
        changes: chain.changes,
        declared_at: chain.declared.map(|span| place(span, files)),
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
        path: &files.get(span.file).name,
        line,
        column,
    }
}
