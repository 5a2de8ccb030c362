//! The answer, for people and for programs.

use super::picture;
use crate::cli::ui::{Page, answer};
use crate::compare::Diff;
use crate::compare::Grade;
use crate::manifest::FILE_NAME;
use crate::project::Expected;
use crate::project::snapshots::held::{FamilyOutcome, FamilyStatus};
use crate::project::snapshots::outcome::{Outcome, Status};
use crate::report::{Document, Extent, Fact, Items, Text, family, words};
use crate::report::{comparison_with, is_alike, same_break, shown_for};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The most stale reasons that are named.
const MOST_NAMED: usize = 3;

/// A line for each snapshot, what is to be said about it below, and a sum.
pub(super) fn human(outcomes: &[Outcome], families: &[FamilyOutcome]) -> Document {
    let mut items = Items {
        indent: 0,
        inner: 10,
        items: Vec::new(),
    };
    for outcome in outcomes {
        // Why a snapshot cannot be used is shown as an error.
        let below = if outcome.status.is_good() || outcome.broken.is_some() {
            Document::new()
        } else {
            below(outcome, outcomes)
        };
        items.items.push((line(outcome), below));
    }
    items.items.extend(families.iter().map(of_family));
    items.items.extend(reasons(outcomes));
    items
        .items
        .push((summary(outcomes, families).into(), Document::new()));
    let mut out = Document::new();
    out.push(items);
    out
}

/// The picture below a snapshot; of those with the same breaks only below the first.
fn below(outcome: &Outcome, outcomes: &[Outcome]) -> Document {
    let Some(own) = picture::drawn_comparison(&outcome.difference) else {
        return picture::below(&outcome.difference);
    };
    let alike = outcomes.iter().filter(|other| {
        let compared = picture::drawn_comparison(&other.difference);
        !other.status.is_good() && compared.is_some_and(|compared| is_alike(own, compared))
    });
    let alike: Vec<String> = alike.map(label).collect();
    let own_label = label(outcome);
    let mut out = Document::new();
    match alike.as_slice() {
        [first, _, ..] if *first == own_label => {
            out.line(same_break(alike.iter().map(String::as_str)));
            let note = Some(shown_for(first));
            out.extend(comparison_with(own, note, Extent::Around).blocks);
        }
        [first, _, ..] => out.line(format!("the same break as {first}")),
        _ => out = picture::below(&outcome.difference),
    }
    out
}

/// A snapshot in a list: its scenario, below the folder of its manifest.
fn label(outcome: &Outcome) -> String {
    let shown = Path::new(&outcome.shown);
    let is_usual = shown.file_name().is_some_and(|name| name == FILE_NAME);
    match (is_usual, outcome.scenario.as_str()) {
        (_, "") => outcome.shown.clone(),
        (true, scenario) => {
            let path = shown.with_file_name(scenario);
            path.to_string_lossy().replace('\\', "/")
        }
        (false, scenario) => format!("{} {scenario}", outcome.shown),
    }
}

/// A line for a family, and what parts its members.
fn of_family(outcome: &FamilyOutcome) -> (Text, Document) {
    let word = outcome.status.word();
    let name = &outcome.family.name;
    let line = format!("{word:<9} {}  expect {name}", outcome.shown);
    (line.into(), below_family(outcome))
}

/// The details below a family.
pub(super) fn below_family(outcome: &FamilyOutcome) -> Document {
    match &outcome.grade {
        Some(grade) => family::parted(&outcome.family, grade, &outcome.parted),
        None => {
            let mut below = Document::new();
            below.line("a member does not build");
            below
        }
    }
}

/// The families that do not hold, each with what parts its members.
pub(super) fn broken_families(families: &[FamilyOutcome]) -> Vec<(Text, Document)> {
    let broken = families.iter().filter(|f| f.status != FamilyStatus::Ok);
    broken.map(of_family).collect()
}

/// Why breaks were accepted: an item for each layer with its causes, of however many scenarios and manifests.
fn reasons(outcomes: &[Outcome]) -> Vec<(Text, Document)> {
    let mut groups: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    for reason in outcomes.iter().flat_map(|outcome| &outcome.accepted) {
        groups.entry(&reason.what).or_default().push(&reason.file);
    }
    let item = |(what, files): (&str, Vec<&Path>)| {
        let mut below = Document::new();
        below.facts(match files[..] {
            [file] => vec![Fact::new("file", file.display().to_string())],
            _ => {
                let folders: BTreeSet<_> = files.iter().filter_map(|file| file.parent()).collect();
                let folders = folders.iter().map(|folder| folder.display().to_string());
                let scenarios = words::count(files.len(), "scenario");
                let folders = folders.collect::<Vec<_>>().join(", ");
                vec![Fact::new(
                    "files",
                    format!("{scenarios}, a file for each in {folders}"),
                )]
            }
        });
        (format!("{:<9} {what}", "reason").into(), below)
    };
    groups.into_iter().map(item).collect()
}

/// The warning about reasons for texts that no scenario has any more.
pub(super) fn stale(files: &[PathBuf]) -> String {
    let reasons = words::count(files.len(), "reason");
    let names = files.iter().take(MOST_NAMED);
    let names: Vec<String> = names
        .map(|file| words::plain(&file.display().to_string()))
        .collect();
    let more = match files.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        n => format!(" and {} more", words::thousands(n)),
    };
    let names = names.join(", ");
    format!(
        "note: {reasons} written since then no longer apply, because the text of the layer has changed: {names}{more}\n"
    )
}

/// One snapshot.
pub(super) fn line(outcome: &Outcome) -> Text {
    let word = outcome.status.word();
    let line = format!("{word:<9} {}  {}", outcome.shown, outcome.scenario);
    line.trim_end().into()
}

/// "3 snapshots: 2 ok, 1 differs; 1 prefix family: 1 ok".
pub(super) fn summary(outcomes: &[Outcome], families: &[FamilyOutcome]) -> String {
    let count = |status: &Status| outcomes.iter().filter(|o| o.status == *status).count();
    let parts = Status::ALL.iter().filter_map(|status| {
        let n = count(status);
        (n > 0).then(|| format!("{} {}", words::thousands(n), status.word()))
    });
    let parts: Vec<String> = parts.collect();
    let snapshots = words::count(outcomes.len(), "snapshot");
    let mut out = if outcomes.is_empty() {
        Vec::new()
    } else {
        vec![format!("{snapshots}: {}", parts.join(", "))]
    };
    if !families.is_empty() {
        let of = |status: &FamilyStatus| families.iter().filter(|f| f.status == *status).count();
        let parts = FamilyStatus::ALL
            .iter()
            .map(|status| (of(status), status.word()));
        let parts = parts.filter(|(n, _)| *n > 0);
        let parts: Vec<String> = parts
            .map(|(n, word)| format!("{} {word}", words::thousands(n)))
            .collect();
        let noun = match families.len() {
            1 => "prefix family",
            _ => "prefix families",
        };
        let families = words::thousands(families.len());
        out.push(format!("{families} {noun}: {}", parts.join(", ")));
    }
    out.join("; ")
}

/// One object.
pub(super) fn json(outcomes: &[Outcome], families: &[FamilyOutcome]) -> Page {
    let mut summary = BTreeMap::new();
    for outcome in outcomes {
        *summary.entry(outcome.status.word()).or_insert(0) += 1;
    }
    let report = Report {
        ok: super::is_good(outcomes, families),
        summary,
        snapshots: outcomes.iter().map(Row::of).collect(),
        families: families.iter().map(FamilyRow::of).collect(),
    };
    answer::page(&report)
}

/// The output of `test --format json`.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Report<'a> {
    /// Whether all snapshots and prefix families are as they should be.
    ok: bool,
    /// The number of snapshots of each status.
    summary: BTreeMap<&'static str, usize>,
    /// All snapshots.
    snapshots: Vec<Row<'a>>,
    /// All prefix families.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    families: Vec<FamilyRow<'a>>,
}

/// A prefix family in it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct FamilyRow<'a> {
    /// The manifest, as messages call it.
    manifest: &'a str,
    /// The family.
    family: &'a str,
    /// The expectation.
    expects: Expected,
    /// The outcome.
    status: FamilyStatus,
    /// The problem as text; null if there is none.
    message: Option<String>,
    /// The shared prefix of its members; null if one does not build.
    grade: Option<&'a Grade>,
}

impl<'a> FamilyRow<'a> {
    fn of(outcome: &'a FamilyOutcome) -> Self {
        let bad = outcome.status != FamilyStatus::Ok;
        Self {
            manifest: &outcome.shown,
            family: &outcome.family.name,
            expects: Expected::of(&outcome.family),
            status: outcome.status,
            message: bad.then(|| picture::drawn(&below_family(outcome)).join("\n")),
            grade: outcome.grade.as_ref(),
        }
    }
}

/// A snapshot in it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Row<'a> {
    /// The manifest, as messages call it.
    manifest: &'a str,
    /// Its scenario; null if the snapshot has none.
    scenario: Option<&'a str>,
    /// The outcome.
    status: Status,
    /// The layer that differs first, if that is known.
    layer: Option<&'a str>,
    /// The problem as text; null if there is none.
    message: Option<String>,
    /// The comparison of the record and what is built now, as in `diff --format json`; null if they are not compared.
    comparison: Option<&'a Diff>,
    /// The files that were written to say why its breaks were accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    accepted: Vec<String>,
}

impl<'a> Row<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        let difference = &outcome.difference;
        let bad = !outcome.status.is_good();
        Self {
            manifest: &outcome.shown,
            scenario: Some(outcome.scenario.as_str()).filter(|name| !name.is_empty()),
            status: outcome.status,
            layer: difference.layer.as_deref(),
            message: bad.then(|| picture::lines(difference).join("\n")),
            comparison: difference.compared.as_ref().map(|c| &c.diff),
            accepted: (outcome.accepted.iter())
                .map(|reason| reason.file.display().to_string())
                .collect(),
        }
    }
}
