//! The verdict on the requests of a log.

use super::figure::{REUSABLE, Remedy, Verdict, no_price, part};
use super::usage::{billed_figures, fix_of_usage};
use crate::project::capture::{Detail, RequestComparison};
use crate::project::usage::UsageReport;
use crate::report::history::argument;
use crate::report::requests::{action, evidence};
use crate::report::words::{count, share};
use crate::request::whole::{Advice, State};
use std::collections::BTreeMap;

/// What was billed for the requests of a log.
#[derive(Clone, Copy)]
pub(crate) enum Bill<'a> {
    /// It is known, unless the log has no usage.
    Known(&'a UsageReport),
    /// The requests are those of one conversation, and bills are summed over whole logs.
    Whole,
}

/// The verdict on the requests of a log.
pub(crate) fn of_log(name: &str, all: &[(RequestComparison, Detail)], bill: Bill<'_>) -> Verdict {
    let [mut reused, mut again, mut new] = [0_usize; 3];
    for (one, more) in all.iter().filter(|(one, _)| one.state.is_compared()) {
        reused += one.reused.bytes;
        again += more.not_reused.rewritten;
        new += more.not_reused.new;
    }
    let whole = reused + again + new;
    let (billed, why, help) = match bill {
        Bill::Known(report) if report.total.requests > 0 => (Some(report), "", ""),
        Bill::Known(_) => (
            None,
            "the log has no usage, so that tokens are not known",
            "the log has no usage: `promptc capture import` takes it with the answers",
        ),
        Bill::Whole => (
            None,
            "in bytes, because the bill is of the whole log",
            "`promptc usage LOG --by conversation` has the bill of each conversation",
        ),
    };
    let mut figures = Vec::new();
    match billed {
        Some(report) => figures.extend(billed_figures(report)),
        None => {
            let (size, more) = (count(whole, "byte"), share(again, whole));
            let note = format!("of {size}; {more} more if nothing had changed; {why}");
            figures.push(part(REUSABLE, reused, whole, note));
            figures.push(no_price(help));
        }
    }
    let saved = billed.and_then(fix_of_usage);
    Verdict {
        figures,
        fix: saved.unwrap_or_else(|| fix_of_log(name, all)),
        source: None,
    }
}

/// The fix that most causes ask for, by the bytes that they lost.
fn fix_of_log(name: &str, all: &[(RequestComparison, Detail)]) -> Remedy {
    let mut fixes: BTreeMap<&Advice, (usize, usize)> = BTreeMap::new();
    for (one, more) in all {
        for (at, advice) in one
            .causes
            .iter()
            .filter_map(|cause| cause.advice.as_ref())
            .enumerate()
        {
            let (lost, times) = fixes.entry(advice).or_default();
            *times += 1;
            *lost += if at == 0 {
                more.not_reused.rewritten
            } else {
                0
            };
        }
    }
    let first = all
        .iter()
        .map(|(one, _)| one)
        .find(|one| one.state == State::Broken);
    let look = first.map(|one| match one.a {
        Some(a) => format!(
            "promptc capture diff {0}#{a} {0}#{1}",
            argument(name),
            one.b
        ),
        None => format!("promptc capture diff {}#{}", argument(name), one.b),
    });
    let most = fixes.iter().rev().max_by_key(|(_, sums)| **sums);
    match most {
        Some((advice, (lost, times))) => Remedy {
            why: Some(
                format!(
                    "{}: {} lost {} ({})",
                    advice.text,
                    count(*times, "such change"),
                    count(*lost, "byte"),
                    evidence(advice)
                )
                .into(),
            ),
            command: look,
            ..Remedy::new(action(advice))
        },
        None if first.is_some() => Remedy {
            command: look,
            ..Remedy::new(
                "No setting or edit is known against what broke. Look at the first break.",
            )
        },
        None => Remedy::new("Nothing: no request broke."),
    }
}
