//! What is to be moved and what was changed, for people.

use super::Checked;
use crate::check::{Beside, Kept, Measured, Order, is_about_order};
use crate::cli::ui::{self, FAINT, NAME};
use crate::compile::Plan;
use crate::project::Fixes;
use crate::report::words::{count, plain, share};
use similar::TextDiff;
use std::fmt::Write as _;

/// The moves and what they keep; nothing if none is open.
pub(super) fn draw(checked: &Checked) -> String {
    let report = &checked.report;
    let open = report.findings.iter().any(is_about_order);
    let Some(order) = report.order.as_ref().filter(|_| open) else {
        return String::new();
    };
    let mut out = String::new();
    for (index, (tier, place, beside)) in moves(order, &checked.plan).into_iter().enumerate() {
        let word = if index == 0 { "order" } else { "" };
        let _ = writeln!(
            out,
            "{NAME}{word:<9}{NAME:#}move `{tier}` {place} `{beside}`"
        );
    }
    let gains: Vec<&Kept> = order.kept.iter().filter(|k| k.before != k.after).collect();
    if let Some(measured) = order.measured.filter(|_| !gains.is_empty()) {
        let of = match measured {
            Measured::Built => "as built",
            Measured::Recorded => "as recorded",
        };
        let _ = writeln!(
            out,
            "{FAINT}         a change of  keeps now   then  ({of}){FAINT:#}"
        );
        for kept in gains {
            let style = ui::class(kept.changes);
            let _ = writeln!(
                out,
                "         {style}{:11}{style:#}  {:>9} {:>7}",
                kept.changes,
                share(kept.before, order.of),
                share(kept.after, order.of),
            );
        }
    }
    out.push('\n');
    out
}

/// Each move: the tier, "before" or "after" in words, and the other tier.
fn moves<'p>(order: &Order, plan: &'p Plan) -> Vec<(&'p str, &'static str, &'p str)> {
    let names: Vec<&str> = plan
        .tiers()
        .map(|t| t.written.name.value.as_str())
        .collect();
    let moves = order.moves.iter().map(|moved| match moved.to {
        Beside::Before(other) => (names[moved.tier], "in front of", names[other]),
        Beside::After(other) => (names[moved.tier], "behind", names[other]),
    });
    moves.collect()
}

/// What was changed, or would be; with the edits as a diff if nothing was written.
pub(super) fn fixes(fixes: &Fixes) -> String {
    let mut out = String::new();
    let [old, new] = &fixes.shown;
    if !fixes.written && old != new {
        let diff = TextDiff::from_lines(old.as_str(), new.as_str());
        let names = (&format!("a/{}", fixes.file), &format!("b/{}", fixes.file));
        let drawn = diff
            .unified_diff()
            .context_radius(2)
            .header(names.0, names.1)
            .to_string();
        for line in drawn.lines() {
            let _ = writeln!(out, "{}", plain(line));
        }
        out.push('\n');
    }
    let word = if fixes.written { "fixed" } else { "would fix" };
    for made in &fixes.made {
        let _ = writeln!(
            out,
            "{NAME}{word:<9}{NAME:#} {}: {}",
            made.what, made.message
        );
    }
    if let Some(why) = &fixes.refused {
        let _ = writeln!(
            out,
            "{NAME}not fixed{NAME:#} the edits were not kept, and `{}` is as it was: {why}",
            fixes.file
        );
    } else if fixes.made.is_empty() {
        let _ = writeln!(out, "nothing to fix in `{}`", fixes.file);
    }
    if fixes.elsewhere > 0 {
        let _ = writeln!(
            out,
            "{} of other files or of a built-in, which `--fix` does not change",
            count(fixes.elsewhere, "finding")
        );
    }
    out.push('\n');
    out
}
