//! The exit code: whether what was found is what the caller did not want.

use super::Args;
use crate::cli::Context;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported, suggest};
use crate::project::Compared;
use crate::project::capture::RequestComparison;
use crate::request::whole::State;
use crate::world::git::Repository;
use std::path::Path;

/// Notes the verdict of `--exit-code` and `--fail-on-break`; says whether a break is one that fails.
pub(super) fn check(
    args: &Args,
    compared: &Compared,
    context: &mut Context,
) -> Result<bool, ErrorReported> {
    if args.exit_code && !compared.diff.same {
        context.verdict = false;
    }
    let Some(tier) = &args.fail_on_break else {
        return Ok(false);
    };
    let both = [&compared.a, &compared.b];
    let named = both
        .iter()
        .flat_map(|p| p.channels.iter().flat_map(|c| &c.tiers));
    let mut tiers: Vec<&str> = Vec::new();
    for name in named.map(|t| t.name.as_str()) {
        if !tiers.contains(&name) {
            tiers.push(name);
        }
    }
    let Some(bound) = tiers.iter().position(|t| t == tier) else {
        let message = format!("neither prompt has a tier `{tier}`");
        let found = Diagnostic::error(codes::UNKNOWN_TIER, message);
        return Err(context
            .run
            .diags
            .push(match suggest::nearest(tier, tiers.iter().copied()) {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => found.help(format!(
                    "the tiers are {}",
                    suggest::list(tiers.iter().copied())
                )),
            }));
    };
    let breaks = compared.diff.first.iter().chain(&compared.diff.hidden);
    let open = breaks.filter(|b| b.accepted.is_none());
    let mut broken = open.filter_map(|b| b.tier.as_deref());
    let fails = broken.any(|t| {
        tiers
            .iter()
            .position(|n| *n == t)
            .is_none_or(|at| at <= bound)
    });
    context.verdict &= !fails;
    Ok(fails)
}

/// The verdict of `--exit-code` and `--fail-on-break` on the requests of a log.
pub(super) fn of_requests(
    args: &Args,
    all: &[RequestComparison],
    context: &mut Context,
) -> Result<(), ErrorReported> {
    const PARTS: [&str; 3] = ["tools", "system", "messages"];
    let broken = || all.iter().filter(|one| one.state == State::Broken);
    if args.exit_code && broken().next().is_some() {
        context.verdict = false;
    }
    let Some(part) = &args.fail_on_break else {
        return Ok(());
    };
    let Some(bound) = PARTS.iter().position(|known| known == part) else {
        let message = format!("a request has no part `{part}`");
        let found = Diagnostic::error(codes::UNKNOWN_TIER, message);
        let help = format!("the parts are {}", suggest::list(PARTS));
        return Err(context.run.diags.push(found.help(help)));
    };
    let mut causes = broken().flat_map(|one| &one.causes);
    let fails = causes.any(|cause| {
        let of = cause.at.split('/').next().unwrap_or_default();
        // A setting takes effect before them all, and expiry is no change.
        of != "time"
            && PARTS
                .iter()
                .position(|p| *p == of)
                .is_none_or(|at| at <= bound)
    });
    context.verdict &= !fails;
    Ok(())
}

/// The command that accepts the breaks of a comparison.
pub(super) fn way_out(args: &Args) -> String {
    let project = args.side.given.project();
    let manifest = project
        .name()
        .map(|path| format!(" -m {path}"))
        .unwrap_or_default();
    let rev = args.a.as_deref().and_then(|a| a.strip_prefix("git:"));
    // Elsewhere, and after the next fetch, such a name is another commit.
    let commit = rev.filter(|rev| rev.contains("HEAD")).and_then(|rev| {
        let revision = Repository::open(Path::new(".")).and_then(|r| r.revision(rev));
        revision.ok().map(|revision| revision.commit().to_owned())
    });
    let against = commit.as_deref().or(rev);
    let against = against
        .map(|rev| format!(" --against {rev}"))
        .unwrap_or_default();
    format!(
        "help: if the break is intended: promptc test --accept --because \"WHY\"{manifest}{against}\n"
    )
}
