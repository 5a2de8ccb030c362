//! `promptc test --accept`: the snapshots, and why the prefix may break.

use super::Args;
use crate::cli::Context;
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported};
use crate::project::snapshots::accept;
use crate::project::snapshots::accepted::Reasons;
use crate::project::snapshots::outcome::{Outcome, Snapshots};
use crate::project::snapshots::units::{Opened, Unit};
use crate::world::git::{Repository, Revision};
use std::path::Path;

const WITHOUT_REASON: &str = "note: the prefix breaks; --because TEXT notes the reason, and lets it pass `promptc diff --fail-on break`\n";
const NO_BRANCH: &str =
    "git knows no default branch here that has a commit in common with this one";

/// The breaks to accept, and since when they are.
struct Found {
    reasons: Reasons,
    /// What has the old prompts; else the reason why it is the replaced snapshots.
    since: Result<Revision, String>,
}

/// Writes the snapshots, and the reason if there is one.
pub(super) fn run(
    args: &Args,
    since: Option<Revision>,
    outcomes: &mut [Outcome],
    (opened, units, snapshots): (&[Opened], &[Unit<'_>], &Snapshots),
    context: &mut Context,
) -> Result<(), ErrorReported> {
    let Some(because) = &args.because else {
        let breaks = Reasons::here(outcomes, "").count();
        accept::all(outcomes, units, snapshots, &mut context.run)?;
        if breaks > 0 && args.snapshots.is_none() {
            context.ui.remark(WITHOUT_REASON);
        }
        return Ok(());
    };
    let built = (&*outcomes, opened, units);
    let Found { reasons, since } = match since {
        Some(since) => Found {
            reasons: Reasons::since(&since, built, because, &mut context.run.diags)?,
            since: Ok(since),
        },
        None => since_branch(built, because).unwrap_or_else(|why| Found {
            reasons: Reasons::here(outcomes, because),
            since: Err(why),
        }),
    };
    accept::all(outcomes, units, snapshots, &mut context.run)?;
    let broke = reasons.count() > 0;
    reasons.write(outcomes, since.as_ref().ok(), &mut context.run)?;
    context.ui.remark(&note(&since, broke));
    Ok(())
}

/// The breaks since the default branch, which a job in CI compares with.
///
/// # Errors
/// With the reason why that is not possible.
fn since_branch(
    built: (&[Outcome], &[Opened], &[Unit<'_>]),
    because: &str,
) -> Result<Found, String> {
    let message = |found: Box<Diagnostic>| found.message;
    let point = Repository::open(Path::new(".")).and_then(|here| here.branch_point());
    let since = point.map_err(message)?.ok_or(NO_BRANCH)?;
    let shown = since.shown();
    let mut unusable = Diagnostics::default();
    let reasons = Reasons::since(&since, built, because, &mut unusable);
    let reasons = reasons.map_err(|_| {
        let first = unusable.iter().next().map_or("", |found| &found.message);
        format!("of {shown}, {first}")
    })?;
    if reasons.is_empty() {
        Err(format!("{shown} has no snapshots"))
    } else {
        Ok(Found {
            reasons,
            since: Ok(since),
        })
    }
}

/// What was compared with, and whether a prefix breaks.
fn note(since: &Result<Revision, String>, broke: bool) -> String {
    let with = match since {
        Ok(revision) => revision.shown(),
        Err(why) => format!("the snapshots as they were ({why})"),
    };
    let rest = match (broke, since) {
        (true, _) => "",
        (false, Ok(_)) => ": no prefix breaks, so no reason was written",
        (false, Err(_)) => {
            ": no prefix breaks, so no reason was written; --against REV checks for breaks since a revision"
        }
    };
    format!("note: compared with {with}{rest}\n")
}
