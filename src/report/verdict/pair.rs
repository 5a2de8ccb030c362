//! The verdict on two prompts.

use super::figure::{Figure, Remedy, Verdict, figure, mark, most, no_price, part, unpriced};
use super::prompt::{fix_of, source, worst};
use crate::check::Report;
use crate::compare::{Advice as Advised, Confidence};
use crate::diagnostic::span::Files;
use crate::project::Compared;
use crate::project::advised::AdvisedEdit;
use crate::report::code::Code;
use crate::report::history::argument;
use crate::report::usage::number;
use crate::report::words::{count, thousands};
use crate::report::{cause, cost};
use crate::request::cost::{CostQuery, tokenizer};
use crate::request::provider::amount::Usd;

/// The verdict on two prompts; `edits` are those of the advice about them.
pub(crate) fn of_pair(
    compared: &Compared,
    judged: Option<&(Report, Files)>,
    edits: &[Option<AdvisedEdit>],
    asked: Option<&CostQuery>,
) -> Verdict {
    let diff = &compared.diff;
    let mut figures = vec![kept(compared)];
    figures.push(match &diff.cost {
        None => unpriced(),
        Some(cost) => {
            let facts = cost::facts(cost);
            let note = facts.first().map(|fact| fact.text.flat());
            let money = |usd: f64| {
                let (most, mark) = (most(cost.at_most), mark(cost.estimate));
                format!("{most}{mark}{}", Usd::near(usd))
            };
            match (cost.usd_per_day, cost.usd) {
                (Some(usd), _) => {
                    let note = facts.get(1).map(|fact| fact.text.flat()).or(note);
                    figure("a day", money(usd), note.unwrap_or_default())
                }
                // What one break costs is too small to compare.
                (None, Some(usd)) => figure(
                    "per 1,000 such breaks",
                    money(usd * 1_000.0),
                    note.unwrap_or_default(),
                ),
                (None, None) => no_price(note.unwrap_or_default()),
            }
        }
    });
    Verdict {
        figures,
        fix: fix_of_pair(compared, judged, edits),
        source: asked.and_then(source),
    }
}

/// The kept part of A, in tokens where both texts are known.
fn kept(compared: &Compared) -> Figure {
    let diff = &compared.diff;
    let label = "of the cached prompt is reused";
    if let Some(cost) = &diff.cost {
        let [after, before] = [cost.after, cost.before].map(number);
        let (most, mark) = (most(cost.at_most), mark(cost.estimate));
        let note = format!(
            "{most}{mark}{} of {mark}{} tokens, by the breakpoints and the rule of {}",
            thousands(after),
            thousands(before),
            cost.provider
        );
        return part(label, after, before, note);
    }
    if diff.sure == Confidence::Hashes {
        let note = format!(
            "{} of {} bytes of A",
            thousands(diff.kept.bytes),
            count(diff.of.bytes, "byte")
        );
        return part(label, diff.kept.bytes, diff.of.bytes, note);
    }
    let tokenizer = tokenizer(
        None,
        compared.b.tokenizer().or(compared.a.tokenizer()),
        None,
    );
    let [same, whole] = crate::request::cost::shared(&compared.a, &compared.b, tokenizer);
    let note = format!("~{} of ~{} tokens of A", thousands(same), thousands(whole));
    part(label, same, whole, note)
}

/// Whether the first fix of the rules is about the layer that broke.
fn knows(compared: &Compared, judged: Option<&(Report, Files)>) -> bool {
    let layer = compared
        .diff
        .first
        .as_ref()
        .and_then(|first| first.layer.as_ref());
    let found = judged.and_then(|(report, _)| worst(report));
    found.is_some_and(|found| {
        layer.is_some() && found.layer.as_ref() == layer && found.fix.is_some()
    })
}

/// The edit that the verdict shows.
pub(crate) fn advised<'e>(
    compared: &Compared,
    judged: Option<&(Report, Files)>,
    edits: &'e [Option<AdvisedEdit>],
) -> Option<&'e AdvisedEdit> {
    let first = edits.first()?.as_ref()?;
    (!knows(compared, judged)).then_some(first)
}

/// An advice with its edit, if one is known.
pub(crate) fn followed(advice: &Advised, edit: Option<&AdvisedEdit>) -> Remedy {
    let made = edit.map_or(advice, |edit| &edit.advice);
    let mut out = match (&made.after, &made.fact) {
        (Some(after), _) => Remedy {
            why: Some(made.message.as_str().into()),
            ..Remedy::new(format!("Move layer `{}` after `{after}`.", made.layer))
        },
        (None, Some(fact)) if edit.is_some() => Remedy {
            why: Some(made.message.as_str().into()),
            ..Remedy::new(format!("Declare `{fact}` as a date."))
        },
        _ => Remedy::new(made.message.as_str()),
    };
    if made.after != advice.after {
        let more = format!(
            "{}; {}, but `promptc check` would find more",
            made.message, advice.message
        );
        out.why = Some(more.as_str().into());
    }
    out.patch = edit.map(|edit| Code::patch(&edit.file, &edit.shown[0], &edit.shown[1]));
    out
}

fn fix_of_pair(
    compared: &Compared,
    judged: Option<&(Report, Files)>,
    edits: &[Option<AdvisedEdit>],
) -> Remedy {
    let diff = &compared.diff;
    let Some(first) = &diff.first else {
        return Remedy::new("Nothing: both prompts have the same bytes.");
    };
    let why = first.reasons().first().map(cause::whole);
    let mut out = match (diff.advice.first(), knows(compared, judged)) {
        (_, true) => fix_of(judged),
        (Some(advice), false) => followed(advice, advised(compared, judged, edits)),
        (None, false) => {
            Remedy::new("No other order of the layers is known that would have kept more.")
        }
    };
    if out.why.is_none() {
        out.why = why;
    }
    if out.command.is_none() {
        let [a, b] = [&compared.a_name, &compared.b_name];
        let b = if b == "a build now" { "." } else { b };
        out.command = Some(format!(
            "promptc diff {} {} --full",
            argument(a),
            argument(b)
        ));
    }
    out
}
