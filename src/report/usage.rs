//! The bill, for people.

use super::document::{Document, Facts};
use super::requests::{both, values};
use super::table::Table;
use super::text::Text;
use super::words::{count, percent, thousands};
use crate::project::usage::{
    OtherModel, UnknownField, UnpricedTerm, UsageChange, UsageDiverged, UsageReport, UsageRow,
};
use crate::request::provider::amount::Usd;
use crate::request::usage::Evidence;
use crate::request::whole::{Cause, Kind};
use std::collections::BTreeSet;

/// The most rows of a table that was not asked for: those that cost most.
const MOST_ROWS: usize = 12;

/// The reports of one account: each with its own rows.
#[must_use]
pub(crate) fn usage(reports: &[UsageReport], asked: bool) -> Document {
    let mut out = Document::new();
    let Some(first) = reports.first() else {
        return out;
    };
    out.line(head(first));
    for one in &first.diverged {
        diverged(&mut out, one, first);
    }
    for report in reports {
        out.push(table(report, if asked { usize::MAX } else { MOST_ROWS }));
    }
    let lost = saved(first);
    if let Some(changes) = lost {
        out.heading(Text::new().words("What would save most, each alone"));
        out.push(changes);
    }
    if !first.families.is_empty() {
        out.heading(Text::new().words(
            "What sub-agents and side calls could share with their conversation, and do not",
        ));
        out.push(families(first));
    }
    if !asked && first.expensive.len() > 1 {
        out.heading(Text::new().words("The most expensive requests"));
        out.push(expensive(first));
    }
    for line in remarks(first) {
        out.line(line);
    }
    out
}

/// How many conversations differ at a place, the lines of both, and what it would save to move them.
fn diverged(out: &mut Document, of: &UsageDiverged, report: &UsageReport) {
    let [some, all] = [of.conversations, report.conversations].map(|n| thousands(number(n)));
    let saving = of.per_day.map(|usd| format!(": {} a day", usd.0));
    out.line(format!(
        "{some} of {all} conversations differ at {}{}",
        place(&of.first),
        saving.unwrap_or_default()
    ));
    out.facts(Facts {
        facts: both(values(&of.first)).collect(),
        ..Facts::default()
    });
}

/// The place of a change in words.
fn place(first: &Cause) -> String {
    let line = first.line.map(|line| format!(" line {line}"));
    let line = line.unwrap_or_default();
    match (first.kind, first.at.split_once('/')) {
        (Kind::ToolMoved, _) => "the order of the tools".to_owned(),
        (_, Some(("system", "0"))) => format!("system{line}"),
        (_, Some(("tools", name))) => format!("the tool `{name}`"),
        (_, Some(_)) => format!("{}{line}", first.at),
        (_, None) => format!("`{}`", first.at),
    }
}

fn expensive(report: &UsageReport) -> Table {
    let mut table = Table::new(&[
        ">billed",
        ">avoidable",
        "request",
        ">turn",
        "model",
        "cause",
    ]);
    for one in &report.expensive {
        let segment = one.segment.as_ref().map(|segment| format!(", {segment}"));
        table.row(vec![
            one.billed.0.to_string(),
            one.avoidable.0.to_string(),
            one.request.clone(),
            thousands(number(one.turn)),
            one.model.clone(),
            format!("{}{}", one.cause.name(), segment.unwrap_or_default()),
        ]);
    }
    table
}

/// The days of the first and the last request.
pub(super) fn days(report: &UsageReport) -> String {
    match (report.from, report.to) {
        (Some(from), Some(to)) => {
            let day = |time: jiff::Timestamp| time.strftime("%Y-%m-%d").to_string();
            if day(from) == day(to) {
                format!(" on {}", day(from))
            } else {
                format!(" from {} to {}", day(from), day(to))
            }
        }
        _ => String::new(),
    }
}

pub(super) fn head(report: &UsageReport) -> String {
    let days = days(report);
    let total = &report.total;
    format!(
        "{}{days}: {}, of which {} avoidable ({})",
        count(number(report.requests), "request"),
        total.billed.0,
        total.avoidable.0,
        of(total.avoidable.0, total.billed.0)
    )
}

pub(super) fn number(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The share of an amount in another.
pub(super) fn of(part: Usd, whole: Usd) -> String {
    // Millionths of a dollar are enough for a share in percent.
    let millionths = |usd: Usd| (usd.value() * 1e6).max(0.0) as usize;
    match millionths(whole) {
        0 => "0 %".to_owned(),
        whole => percent(millionths(part), whole),
    }
}

fn table(report: &UsageReport, most: usize) -> Table {
    let mut columns: Vec<String> = report.by.clone();
    let numbers = ["requests", "input", "read", "written", "output"];
    let amounts = ["billed", "avoidable", "caused"];
    let is_by_file = report.total.caused.is_some();
    let numbers = numbers.iter().chain(&amounts);
    let numbers = numbers.filter(|name| is_by_file || !["written", "caused"].contains(*name));
    columns.extend(numbers.map(|name| format!(">{name}")));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new(&columns);
    let mut amounts: Vec<Usd> = report.rows.iter().map(|row| row.billed.0).collect();
    amounts.sort_unstable_by(|a, b| b.cmp(a));
    let least = amounts.get(most.saturating_sub(1)).copied();
    let shown = report
        .rows
        .iter()
        .filter(|row| least.is_none_or(|least| row.billed.0 >= least));
    let shown: Vec<&UsageRow> = shown.take(most).collect();
    for row in &shown {
        table.row(cells(&report.by, row));
    }
    if shown.len() < report.rows.len() {
        let left = count(report.rows.len() - shown.len(), "row");
        table.more(format!(
            "{left} that cost less: --by {}",
            report.by.join(",")
        ));
    }
    if report.rows.len() > 1 {
        let mut cells = cells(&report.by, &report.total);
        if let Some(first) = cells.first_mut() {
            *first = "all".to_owned();
        }
        table.row(cells);
    }
    table
}

fn cells(by: &[String], row: &UsageRow) -> Vec<String> {
    let keys = by
        .iter()
        .map(|key| row.keys.get(key).cloned().unwrap_or_default());
    let tokens = &row.buckets;
    let share = |of: String| if row.estimated { format!("~{of}") } else { of };
    let count = |n: u64| thousands(number(n));
    let written = row.caused.map(|_| share(count(tokens.written())));
    let numbers = [
        Some(count(row.requests)),
        Some(share(count(tokens.input()))),
        Some(share(count(tokens.read))),
        written,
        Some(count(tokens.output)),
        Some(share(row.billed.0.to_string())),
        Some(share(row.avoidable.0.to_string())),
        row.caused.map(|caused| caused.0.to_string()),
    ];
    keys.chain(numbers.into_iter().flatten()).collect()
}

/// The changes that save most: each alone, and those of a model together if that saves more.
pub(super) fn saved(report: &UsageReport) -> Option<Table> {
    const MOST: usize = 3;
    let mut table = Table::new(&[">a day", "model", "what"]);
    let saving = || {
        let all = report.changes.iter();
        all.filter(|change| change.saves.0 > Usd::default())
    };
    let alone = saving().filter(|change| change.together.is_empty());
    let alone: Vec<&UsageChange> = alone.take(MOST).collect();
    for change in &alone {
        let advice = change.step.advice.clone();
        table.row([change.per_day.0.to_string(), change.model.clone(), advice]);
    }
    let mut models: BTreeSet<&str> = BTreeSet::new();
    for all in saving().filter(|change| !change.together.is_empty()) {
        let mut alone = saving().filter(|one| one.together.is_empty() && one.model == all.model);
        let is_best = alone.all(|one| one.saves < all.saves) && models.insert(&all.model);
        if is_best {
            for (at, step) in all.together.iter().enumerate() {
                let advice = step.advice.clone();
                table.row(match at {
                    0 => {
                        let advice = format!("together: {advice}");
                        [all.per_day.0.to_string(), all.model.clone(), advice]
                    }
                    _ => ["and".to_owned(), all.model.clone(), advice],
                });
            }
        }
    }
    (!alone.is_empty()).then_some(table)
}

/// The prefixes that chains could share but do not.
fn families(report: &UsageReport) -> Table {
    const MOST: usize = 5;
    let mut table = Table::new(&["differs first in", "model", ">requests", ">tokens", ">cost"]);
    for family in report.families.iter().take(MOST) {
        table.row([
            family.segment.clone(),
            family.model.clone(),
            thousands(number(family.requests)),
            thousands(number(family.tokens)),
            family.cost.0.to_string(),
        ]);
    }
    let left = report.families.len().saturating_sub(MOST);
    if left > 0 {
        table.more(format!(
            "{} that cost less: --format json",
            count(left, "row")
        ));
    }
    table
}

/// The facts that the sums do not include.
/// What the recordings have of the requests, if it is not all.
fn recorded(of: Evidence) -> Option<String> {
    let [whole, snapshots, neither] =
        [of.whole, of.snapshots, of.neither].map(|n| thousands(number(n)));
    (of.snapshots + of.neither > 0).then(|| {
        format!(
            "recorded: {whole} whole requests, {snapshots} snapshots of system prompt, tools and messages, {neither} with less"
        )
    })
}

pub(super) fn remarks(report: &UsageReport) -> Vec<String> {
    let mut out = Vec::new();
    let of = &report.prediction;
    if of.predicted > 0 {
        out.push(format!(
            "{} of {} requests read as much as the rule of their provider predicts; {} less, {} more",
            thousands(number(of.agree)),
            thousands(number(of.predicted)),
            thousands(number(of.evicted)),
            thousands(number(of.shared)),
        ));
    }
    out.extend(recorded(report.evidence));
    if report.total.caused.is_some() {
        out.push(
            "~ is a share by bytes, and the sums are exact; `caused` is what was lost by changes in a row, its own tokens or others"
                .to_owned(),
        );
    }
    for of in &report.other_models {
        let OtherModel { model, ran, .. } = of;
        let requests = count(number(of.requests), "request");
        out.push(format!(
            "{requests} of {model} ran on {ran}, whose price counts"
        ));
    }
    for UnpricedTerm {
        term,
        value,
        requests,
    } in &report.unpriced
    {
        let requests = count(number(*requests), "request");
        out.push(format!(
            "{requests} without the price of `{value}` ({term})"
        ));
    }
    for UnknownField { field, requests } in &report.unknown_fields {
        let requests = count(number(*requests), "request");
        out.push(format!(
            "usage field `{field}` is not known; its tokens are not in these sums ({requests})"
        ));
    }
    let mut note = |n: u64, what: &str| {
        if n > 0 {
            out.push(format!("{} {what}", count(number(n), "request")));
        }
    };
    let of_day = report
        .prices_as_of
        .map(|day| format!(" in the table of {day}"));
    let of_day = of_day.unwrap_or_default();
    note(
        of.none,
        "without a prediction: the rule of the provider gives none, no time is recorded, an image, document or sound has no known size, or parts of the request are missing; with OTEL_LOG_RAW_API_BODIES=file:FOLDER Claude Code logs them",
    );
    note(report.without_usage, "without a usage, in no sum");
    note(report.failed, "failed, in no sum");
    note(report.refused, "whose usage cannot be counted, in no sum");
    note(
        report.partial,
        "whose answer broke off or has no count of its output: that is at least what is counted",
    );
    note(
        report.without_price,
        &format!("of a model without a price{of_day}: --providers FILE adds a table"),
    );
    note(
        report.without_output_price,
        "of a model without a price of output",
    );
    out
}
