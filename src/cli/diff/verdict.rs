//! The exit code: whether what was found is what the caller did not want.

use super::Args;
use crate::cli::Context;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported, suggest};
use crate::project::Compared;

/// Notes the verdict of `--exit-code` and `--fail-on-break`.
pub(super) fn check(
    args: &Args,
    compared: &Compared,
    context: &mut Context,
) -> Result<(), ErrorReported> {
    if args.exit_code && !compared.diff.same {
        context.verdict = false;
    }
    let Some(tier) = &args.fail_on_break else {
        return Ok(());
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
    let mut broken = breaks.filter_map(|b| b.tier.as_deref());
    if broken.any(|t| {
        tiers
            .iter()
            .position(|n| *n == t)
            .is_none_or(|at| at <= bound)
    }) {
        context.verdict = false;
    }
    Ok(())
}
