//! Goes through the changes one by one: a line with one letter for each.

use super::{picture, report};
use crate::cli::Context;
use crate::cli::ui::{Page, words};
use crate::diagnostic::ErrorReported;
use crate::project::records;
use crate::project::records::accept;
use crate::project::records::outcome::{Outcome, Records, Status};
use crate::project::records::units::Unit;
use crate::prompt::Deliver;
use crate::world::DiskWorld;
use similar::TextDiff;
use std::io::{self, BufRead as _};

const KEYS: &str = "a accept, r reject, d show the diff, A accept all, R reject all, q quit";

/// What was decided about a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    Accept,
    Reject,
}

/// Asks about each change, then writes what was accepted.
pub(super) fn run(
    mut outcomes: Vec<Outcome>,
    units: &[Unit<'_>],
    records: &Records,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    accept::refuse(&outcomes, &mut context.run.diags)?;
    let changes: Vec<usize> = (0..outcomes.len())
        .filter(|at| outcomes[*at].is_change())
        .collect();
    let decisions = ask(&outcomes, &changes, records, context)?;
    let chosen = changes.iter().zip(&decisions);
    let chosen: Vec<usize> = chosen
        .filter(|(_, decision)| **decision == Decision::Accept)
        .map(|(at, _)| *at)
        .collect();
    accept::these(&mut outcomes, &chosen, units, records, &mut context.run)?;
    context.verdict = outcomes.iter().all(|o| o.status.is_good());
    let open = changes.len() - decisions.len();
    let text = format!(
        "{} accepted, {} rejected, {} left open\n{}",
        chosen.len(),
        decisions.len() - chosen.len(),
        open,
        report::summary(&outcomes)
    );
    context
        .ui
        .result(&Page::drawn(text), &mut context.run.diags)
}

/// A decision for each change, as far as there are answers.
fn ask(
    outcomes: &[Outcome],
    changes: &[usize],
    records: &Records,
    context: &mut Context,
) -> Result<Vec<Decision>, ErrorReported> {
    let mut answers = io::stdin().lock().lines();
    let mut decisions = Vec::new();
    for (number, at) in (1..).zip(changes) {
        let outcome = &outcomes[*at];
        let mut text = format!("[{number}/{}] {}", changes.len(), report::line(outcome));
        for line in picture::lines(&outcome.difference) {
            text.push_str(&format!("  {line}\n"));
        }
        text.push_str(&format!("{KEYS}\n"));
        context
            .ui
            .result(&Page::drawn(text), &mut context.run.diags)?;
        loop {
            // Without an answer, as at the end of the input, what is left stays as it is.
            let answer = answers.next().and_then(Result::ok);
            match answer.as_deref().map(str::trim) {
                Some("a") => decisions.push(Decision::Accept),
                Some("r") => decisions.push(Decision::Reject),
                Some("A") => decisions.resize(changes.len(), Decision::Accept),
                Some("R") => decisions.resize(changes.len(), Decision::Reject),
                None | Some("q") => return Ok(decisions),
                Some("d") => {
                    let shown = shown(outcome, records);
                    context
                        .ui
                        .result(&Page::drawn(shown), &mut context.run.diags)?;
                    continue;
                }
                Some(_) => {
                    context
                        .ui
                        .result(&Page::drawn(format!("{KEYS}\n")), &mut context.run.diags)?;
                    continue;
                }
            }
            break;
        }
        if decisions.len() == changes.len() {
            break;
        }
    }
    Ok(decisions)
}

/// The texts of a change, line by line: what was, and what would be recorded.
fn shown(outcome: &Outcome, all: &Records) -> String {
    let record = all.lock(&outcome.path);
    let record = record.and_then(|lock| lock.records.get(&outcome.scenario));
    let restored = record.map(|record| {
        let path = &outcome.path;
        records::restore(&DiskWorld, path, &outcome.scenario, record)
    });
    let old = restored.and_then(Result::ok).filter(|old| old.text);
    let mut out = String::new();
    for deliver in Deliver::ALL {
        let before = old.as_ref().map_or("", |old| old.prompt.text(deliver));
        let after = outcome.now.as_ref().map_or("", |(_, p)| p.text(deliver));
        let diff = TextDiff::from_lines(before, after);
        let drawn = diff.unified_diff().context_radius(2).to_string();
        if !drawn.is_empty() {
            out.push_str(&format!("{deliver}\n"));
        }
        for line in drawn.lines() {
            out.push_str(&format!("  {}\n", words::plain(line)));
        }
    }
    match (out.is_empty(), outcome.status) {
        (false, _) => out,
        (true, Status::Differs) => "the texts are the same; only the lock differs\n".to_owned(),
        (true, _) => "there is no text to show\n".to_owned(),
    }
}
