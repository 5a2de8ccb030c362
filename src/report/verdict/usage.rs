//! The verdict on what was billed.

use super::figure::{Figure, Remedy, Verdict, figure, no_price, part};
use crate::project::usage::UsageReport;
use crate::report::usage::{days, number, of};
use crate::report::words::{count, thousands};
use crate::request::provider::amount::Usd;

/// The verdict on what was billed.
pub(crate) fn of_usage(report: &UsageReport) -> Verdict {
    let none = || Remedy::new("Nothing: no change that is tried would have saved anything.");
    Verdict {
        figures: billed_figures(report),
        fix: fix_of_usage(report).unwrap_or_else(none),
        source: None,
    }
}

pub(super) fn billed_figures(report: &UsageReport) -> Vec<Figure> {
    let total = &report.total;
    let [read, input] = [total.buckets.read, total.buckets.input()].map(number);
    let note = format!(
        "{} of {} input tokens were read from it",
        thousands(read),
        thousands(input)
    );
    let mut out = vec![part("reused from the cache", read, input, note)];
    let requests = count(number(report.requests), "request");
    if report.without_price >= report.requests {
        let note = format!("no price is known for {requests}: `--providers FILE` adds a table");
        out.push(no_price(note));
        return out;
    }
    let [billed, avoidable] = [total.billed.0, total.avoidable.0];
    let note = format!("{billed} for {requests}{}", days(report));
    out.push(figure("a day", report.a_day(billed).to_string(), note));
    let note = format!("{avoidable} of {billed} ({})", of(avoidable, billed));
    out.push(figure(
        "avoidable a day",
        report.a_day(avoidable).to_string(),
        note,
    ));
    out
}

pub(super) fn fix_of_usage(report: &UsageReport) -> Option<Remedy> {
    let alone = report
        .changes
        .iter()
        .filter(|change| change.together.is_empty());
    let first = alone
        .clone()
        .find(|change| change.saves.0 > Usd::default())?;
    let why = format!(
        "saves {} a day with {}, alone",
        first.per_day.0, first.model
    );
    Some(Remedy {
        why: Some(why.into()),
        ..Remedy::new(first.step.advice.as_str())
    })
}
