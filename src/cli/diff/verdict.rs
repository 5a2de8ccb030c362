//! The exit code: whether what was found is what the caller did not want.

use super::Args;
use crate::cli::Context;
use crate::cli::fail_on::Difference;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported, suggest};
use crate::project::Compared;
use crate::world::git::Repository;
use std::path::Path;

/// Notes the verdict of `--fail-on`; says whether a break is one that fails.
pub(super) fn check(
    args: &Args,
    compared: &Compared,
    context: &mut Context,
) -> Result<bool, ErrorReported> {
    let mut broken = false;
    for condition in &args.fail_on {
        let fails = match condition {
            Difference::Change => !compared.diff.same,
            Difference::Break(tier) => {
                let fails = breaks(compared, tier.as_deref(), context)?;
                broken |= fails;
                fails
            }
        };
        context.verdict &= !fails;
    }
    Ok(broken)
}

/// Whether the prefix breaks in this tier or before it, and nobody accepted that.
fn breaks(
    compared: &Compared,
    tier: Option<&str>,
    context: &mut Context,
) -> Result<bool, ErrorReported> {
    let all = compared.diff.first.iter().chain(&compared.diff.hidden);
    let mut open = all.filter(|b| b.accepted.is_none());
    let Some(tier) = tier else {
        return Ok(open.next().is_some());
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
    let Some(bound) = tiers.iter().position(|t| *t == tier) else {
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
    let mut broken = open.filter_map(|b| b.tier.as_deref());
    Ok(broken.any(|t| {
        tiers
            .iter()
            .position(|n| *n == t)
            .is_none_or(|at| at <= bound)
    }))
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
