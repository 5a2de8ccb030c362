//! The moves and the changes of a fix, for people.

use crate::check::{Kept, Measured, MoveTo, Order, is_about_order};
use crate::compile::Plan;
use crate::project::Fixes;
use crate::project::check::Checked;
use crate::report::words::{count, share};
use crate::report::{Code, Document, Fact, Facts, Table, Text};

/// The moves and their gains; nothing if none is open.
pub(crate) fn order(checked: &Checked, out: &mut Document) {
    let report = &checked.report;
    let open = report.findings.iter().any(is_about_order);
    let Some(order) = report.order.as_ref().filter(|_| open) else {
        return;
    };
    let mut facts = Facts::from(Vec::new());
    let moves = moves(order, &checked.plan).into_iter();
    let moves = moves.map(|(tier, place, beside)| format!("move `{tier}` {place} `{beside}`"));
    facts.each("order", moves);
    out.facts(facts);
    let gains: Vec<&Kept> = order.kept.iter().filter(|k| k.before != k.after).collect();
    if let Some(measured) = order.measured.filter(|_| !gains.is_empty()) {
        let of = match measured {
            Measured::Built => "(as built)",
            Measured::RestoredSnapshot => "(as accepted)",
        };
        let mut table = Table::new(&["a change of", ">leaves now", ">then", of]);
        for kept in gains {
            let shares = [kept.before, kept.after].map(|bytes| share(bytes, order.of).into());
            let [before, after] = shares;
            table.row([Text::new().class(kept.changes), before, after]);
        }
        out.push(table);
    }
}

/// Each move: the tier, "before" or "after" in words, and the other tier.
fn moves<'p>(order: &Order, plan: &'p Plan) -> Vec<(&'p str, &'static str, &'p str)> {
    let names: Vec<&str> = plan
        .tiers()
        .map(|t| t.written.name.value.as_str())
        .collect();
    let moves = order.moves.iter().map(|moved| match moved.to {
        MoveTo::Before(other) => (names[moved.tier], "before", names[other]),
        MoveTo::After(other) => (names[moved.tier], "after", names[other]),
    });
    moves.collect()
}

/// The changes that were made, or would be; with the edits as a diff if nothing was written.
pub(crate) fn fixes(fixes: &Fixes, out: &mut Document) {
    let [old, new] = &fixes.shown;
    if !fixes.written && old != new {
        out.push(Code::patch(&fixes.file, old, new));
    }
    let word = if fixes.written { "fixed" } else { "would fix" };
    let made = fixes.made.iter();
    let made = made.map(|made| Fact::new(word, format!("{}: {}", made.what, made.message)));
    let mut facts: Vec<Fact> = made.collect();
    if let Some(why) = &fixes.refused {
        let text = format!(
            "the edits were undone, and `{}` is unchanged: {why}",
            fixes.file
        );
        facts.push(Fact::new("not fixed", text));
    } else if fixes.made.is_empty() {
        out.line(format!("nothing to fix in `{}`", fixes.file));
    }
    out.facts(facts);
    if fixes.elsewhere > 0 {
        let findings = count(fixes.elsewhere, "finding");
        out.line(format!(
            "{findings} of other files or of a built-in, which `--fix` does not change"
        ));
    }
}
