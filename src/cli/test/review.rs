//! Goes through the changes one by one: a line with one letter for each.

use super::{is_good, picture, report};
use crate::cli::Context;
use crate::cli::ui::Page;
use crate::diagnostic::ErrorReported;
use crate::project::snapshots;
use crate::project::snapshots::accept;
use crate::project::snapshots::held::FamilyOutcome;
use crate::project::snapshots::outcome::{Outcome, Snapshots, Status};
use crate::project::snapshots::units::Unit;
use crate::prompt::Deliver;
use crate::report::{Code, Document, Items, Text};
use crate::world::DiskWorld;
use std::io::{self, BufRead as _};

const KEYS: &str = "a accept, r reject, d show the diff, A accept all, R reject all, q quit";

/// The decision about a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    Accept,
    Reject,
}

/// Asks about each change, then writes what was accepted.
pub(super) fn run(
    mut outcomes: Vec<Outcome>,
    families: &[FamilyOutcome],
    units: &[Unit<'_>],
    snapshots: &Snapshots,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    accept::refuse(&outcomes, &mut context.run.diags)?;
    let changes: Vec<usize> = (0..outcomes.len())
        .filter(|at| outcomes[*at].is_change())
        .collect();
    let decisions = ask(&outcomes, &changes, snapshots, context)?;
    let chosen = changes.iter().zip(&decisions);
    let chosen: Vec<usize> = chosen
        .filter(|(_, decision)| **decision == Decision::Accept)
        .map(|(at, _)| *at)
        .collect();
    accept::these(&mut outcomes, &chosen, units, snapshots, &mut context.run)?;
    context.verdict = is_good(&outcomes, families);
    let open = changes.len() - decisions.len();
    let text = format!(
        "{} accepted, {} rejected, {} left open\n{}\n",
        chosen.len(),
        decisions.len() - chosen.len(),
        open,
        report::summary(&outcomes, families)
    );
    let page = Page::drawn(text);
    context.ui.result(&page, &mut context.run.diags)?;
    show(report::broken_families(families), context)
}

/// A decision for each change, as far as there are answers.
fn ask(
    outcomes: &[Outcome],
    changes: &[usize],
    snapshots: &Snapshots,
    context: &mut Context,
) -> Result<Vec<Decision>, ErrorReported> {
    let mut answers = io::stdin().lock().lines();
    let mut decisions = Vec::new();
    for (number, at) in (1..).zip(changes) {
        let outcome = &outcomes[*at];
        let number = format!("[{number}/{}] ", changes.len());
        let line = Text::from(number).text(report::line(outcome));
        show(
            [
                (line, picture::below(&outcome.difference)),
                (KEYS.into(), Document::new()),
            ],
            context,
        )?;
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
                    show(shown(outcome, snapshots), context)?;
                    continue;
                }
                Some(_) => {
                    show([(KEYS.into(), Document::new())], context)?;
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
fn shown(outcome: &Outcome, all: &Snapshots) -> Vec<(Text, Document)> {
    let snapshot = all.lock(&outcome.path);
    let snapshot = snapshot.and_then(|lock| lock.snapshots.get(&outcome.scenario));
    let restored = snapshot.map(|snapshot| {
        let paths = all.home.of(&outcome.path);
        snapshots::restore(&DiskWorld, &paths, &outcome.scenario, snapshot)
    });
    let old = restored.and_then(Result::ok).filter(|old| old.text);
    let mut out = Vec::new();
    for deliver in Deliver::ALL {
        let before = old.as_ref().map_or("", |old| old.prompt.text(deliver));
        let after = outcome.now.as_ref().map_or("", |(_, p)| p.text(deliver));
        let diff = Code::diff(before, after);
        if !diff.lines.is_empty() {
            let mut below = Document::new();
            below.push(diff);
            out.push((deliver.name().into(), below));
        }
    }
    let nothing = match outcome.status {
        Status::Differs => "the texts are the same; only the lock differs",
        _ => "there is no text to show",
    };
    if out.is_empty() {
        out.push((nothing.into(), Document::new()));
    }
    out
}

/// Shows lines, each with what is below it.
fn show(
    items: impl IntoIterator<Item = (Text, Document)>,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let mut document = Document::new();
    document.push(Items {
        indent: 0,
        inner: 2,
        items: items.into_iter().collect(),
    });
    let page = Page::drawn(picture::LOG.draw(&document));
    context.ui.result(&page, &mut context.run.diags)
}
