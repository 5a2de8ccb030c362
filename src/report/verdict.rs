//! The verdict of a report: what share of the tokens a cache can give again, what that costs, and what to fix first.

use super::code::Code;
use super::history::argument;
use super::requests::{action, evidence};
use super::text::Text;
use super::usage::number;
use super::words::{count, percent, share, thousands};
use super::{cause, cost};
use crate::check::{Finding, Report, is_about_order};
use crate::compare::{Advice as Advised, Confidence};
use crate::diagnostic::Severity;
use crate::diagnostic::span::Files;
use crate::project::Compared;
use crate::project::advised::AdvisedEdit;
use crate::project::capture::{Detail, RequestComparison};
use crate::project::usage::UsageReport;
use crate::prompt::{Deliver, Prompt};
use crate::request::cost::{CostQuery, RepeatedCall, lasting, repeated, tokenizer};
use crate::request::provider::amount::Usd;
use crate::request::whole::{Advice, State};
use crate::session::history::History;
use std::collections::BTreeMap;

/// The verdict.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The figures, the most important first.
    pub(crate) figures: Vec<Figure>,
    /// The first thing to fix.
    pub(crate) fix: Remedy,
    /// Where prices are from.
    pub(crate) source: Option<String>,
}

/// A number with what it is.
#[derive(Debug)]
pub(crate) struct Figure {
    /// Its name.
    pub(crate) label: &'static str,
    /// The number; none if it is not known.
    pub(crate) value: Option<String>,
    /// The number as a part of a whole, if it is a share.
    pub(crate) part: Option<[usize; 2]>,
    /// Its basis.
    pub(crate) note: String,
}

/// Something to do.
#[derive(Debug, Default)]
pub(crate) struct Remedy {
    /// The action, in words.
    pub(crate) text: Text,
    /// Why, and who says so.
    pub(crate) why: Option<Text>,
    /// The edit.
    pub(crate) patch: Option<Code>,
    /// The command that makes the edit or shows more.
    pub(crate) command: Option<String>,
}

impl Remedy {
    fn new(text: impl Into<Text>) -> Self {
        Self {
            text: text.into().capital(),
            ..Self::default()
        }
    }
}

const REUSABLE: &str = "reusable from the cache";

fn figure(label: &'static str, value: impl Into<String>, note: impl Into<String>) -> Figure {
    Figure {
        label,
        value: Some(value.into()),
        part: None,
        note: note.into(),
    }
}

/// An unknown cost; `note` says why.
fn no_price(note: impl Into<String>) -> Figure {
    Figure {
        value: None,
        ..figure("cost", "", note)
    }
}

/// A share; `note` names the whole.
fn part(label: &'static str, part: usize, whole: usize, note: String) -> Figure {
    Figure {
        part: Some([part, whole]),
        ..figure(label, share(part, whole), note)
    }
}

fn unpriced() -> Figure {
    let note = "no model is named: `--model NAME` says what a call costs";
    no_price(note)
}

/// The verdict on one prompt; `judged` is what the rules found, `asked` a model.
pub(crate) fn of_prompt(
    prompt: &Prompt,
    judged: Option<&(Report, Files)>,
    asked: Option<&CostQuery>,
) -> Verdict {
    let mut figures = Vec::new();
    match asked {
        Some(asked) => {
            let call = repeated(prompt, asked);
            figures.push(reusable(&call, asked));
            figures.push(price(&call, asked));
        }
        None => {
            let tokenizer = tokenizer(None, prompt.tokenizer(), None);
            let [lasting, whole] = lasting(prompt, tokenizer, [Deliver::Tools, Deliver::System]);
            let note = format!(
                "~{} of ~{} tokens are before the first text that may change at every call",
                thousands(lasting),
                thousands(whole)
            );
            figures.push(part(REUSABLE, lasting, whole, note));
            figures.push(unpriced());
        }
    }
    Verdict {
        figures,
        fix: fix_of(judged),
        source: asked.and_then(source),
    }
}

fn reusable(call: &RepeatedCall, asked: &CostQuery) -> Figure {
    let [reused, whole] = [call.reused, call.tokens].map(number);
    let (most, mark) = (most(call.at_most), mark(call.estimate));
    let note = format!(
        "{most}{mark}{} of {mark}{} tokens at the next call, by the rule of {}",
        thousands(reused),
        thousands(whole),
        asked.found.provider.name
    );
    part(REUSABLE, reused, whole, note)
}

/// The cost of calls whose prompt is in the cache.
fn price(call: &RepeatedCall, asked: &CostQuery) -> Figure {
    let name = &asked.name;
    let source = asked.found.model.as_ref().map(|model| &model.source);
    let (Some([usd, uncached]), Some(source)) = (call.usd, source) else {
        return no_price(format!("no price of {name} is known"));
    };
    let (label, calls) = match asked.requests {
        Some(calls) => ("a day", calls),
        None => ("per 1,000 calls", 1_000),
    };
    let (least, mark) = (
        if call.at_most { "at least " } else { "" },
        mark(call.estimate),
    );
    let at = match asked.requests {
        Some(calls) => format!("at {} calls a day; ", thousands(number(calls))),
        None => String::new(),
    };
    let note = format!(
        "{at}{mark}{} without a cache; the input of this prompt alone, {name}, prices of {}",
        uncached * calls,
        source.as_of,
    );
    figure(label, format!("{least}{mark}{}", usd * calls), note)
}

/// Where the prices of a model are from.
fn source(asked: &CostQuery) -> Option<String> {
    let source = &asked.found.model.as_ref()?.source;
    Some(format!(
        "Prices of {} are from {}, read on {}.",
        asked.name, source.text, source.as_of
    ))
}

fn most(at_most: bool) -> &'static str {
    if at_most { "at most " } else { "" }
}

fn mark(estimate: bool) -> &'static str {
    if estimate { "~" } else { "" }
}

/// The first fix that the rules offer.
fn fix_of(judged: Option<&(Report, Files)>) -> Remedy {
    let Some((report, files)) = judged else {
        return Remedy {
            command: Some("promptc check --sources".to_owned()),
            ..Remedy::new(
                "Check the manifest: what to fix is not known from a prompt that was built before.",
            )
        };
    };
    let Some(found) = worst(report) else {
        return Remedy::new("Nothing: no rule has a finding.");
    };
    let mut out = Remedy::new(found.diagnostic.message.as_str());
    out.why = found.diagnostic.help.as_deref().map(Text::from);
    out.command = Some(format!("promptc explain --code {}", found.rule.code.name));
    if let (Some(fix), Some(span)) = (&found.fix, found.diagnostic.span) {
        let file = files.get(span.file);
        // What is private is covered in it, and has the same length.
        let old = file.shown();
        let fixed = crate::check::fix(old, span.file, std::slice::from_ref(found));
        if fixed.elsewhere.is_empty() {
            out.patch = Some(Code::patch(&file.name, old, &fixed.text));
            out.command = Some(format!("promptc check --fix -m {}", argument(&file.name)));
        }
        out.why = Some(fix.what.as_str().into());
    }
    out
}

/// The finding to look at first: the most severe, then the most expensive, then one about the order of the prompt, then one that
/// has an edit.
fn worst(report: &Report) -> Option<&Finding> {
    let rank = |found: &Finding| {
        let severity = match found.rule.severity {
            Severity::Error => 2,
            Severity::Warning => 1,
            Severity::Note => 0,
        };
        let usd = found.cost.as_ref().and_then(|cost| cost.usd);
        (
            severity,
            Usd::near(usd.unwrap_or_default()),
            is_about_order(found),
            found.fix.is_some(),
        )
    };
    // Of equals the first.
    report.findings.iter().rev().max_by_key(|found| rank(found))
}

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
    let why = first.causes.first().map(cause::whole);
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
    for (one, more) in all.iter().filter(|(one, _)| one.state != State::Incomplete) {
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
        Some(a) => format!("promptc diff {0}#{a} {0}#{1}", argument(name), one.b),
        None => format!("promptc diff {}#{}", argument(name), one.b),
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

/// The verdict on what was billed.
pub(crate) fn of_usage(report: &UsageReport) -> Verdict {
    let none = || Remedy::new("Nothing: no change that is tried would have saved anything.");
    Verdict {
        figures: billed_figures(report),
        fix: fix_of_usage(report).unwrap_or_else(none),
        source: None,
    }
}

fn billed_figures(report: &UsageReport) -> Vec<Figure> {
    let total = &report.total;
    let [read, input] = [total.buckets.read, total.buckets.input()].map(number);
    let note = format!(
        "{} of {} input tokens were read from it",
        thousands(read),
        thousands(input)
    );
    let mut out = vec![part("reused from the cache", read, input, note)];
    let requests = count(number(report.requests), "request");
    if report.without_price >= report.requests {
        let note = format!("no price is known for {requests}: `--providers FILE` adds a table");
        out.push(no_price(note));
        return out;
    }
    let [billed, avoidable] = [total.billed.0, total.avoidable.0];
    let note = format!("{billed} for {requests}{}", super::usage::days(report));
    out.push(figure("a day", report.a_day(billed).to_string(), note));
    let note = format!(
        "{avoidable} of {billed} ({})",
        super::usage::of(avoidable, billed)
    );
    out.push(figure(
        "avoidable a day",
        report.a_day(avoidable).to_string(),
        note,
    ));
    out
}

fn fix_of_usage(report: &UsageReport) -> Option<Remedy> {
    let alone = report
        .changes
        .iter()
        .filter(|change| change.together.is_empty());
    let first = alone
        .clone()
        .find(|change| change.saves.0 > Usd::default())?;
    let why = format!(
        "saves {} a day with {}, alone",
        first.per_day.0, first.model
    );
    Some(Remedy {
        why: Some(why.into()),
        ..Remedy::new(first.step.advice.as_str())
    })
}

/// The verdict on the rebuilds of sessions; `look` is the command that shows the worst.
pub(crate) fn of_history(history: &History, look: Option<String>) -> Verdict {
    let all = &history.all;
    let sent = all.kept.tokens + all.lost.tokens;
    let mark = mark(history.counted.estimate);
    let note = format!(
        "{mark}{} of {mark}{} tokens of {}",
        thousands(all.kept.tokens),
        thousands(sent),
        count(all.rebuilds, "rebuild")
    );
    let mut figures = vec![part("kept by rebuilds", all.kept.tokens, sent, note)];
    figures.push(match &history.cost {
        None => unpriced(),
        Some(cost) => {
            let spent = cost
                .spent
                .usd
                .map(|usd| format!("{}{mark}{usd}", most(cost.at_most)));
            let day = cost
                .usd_per_day
                .map(|usd| format!("{}{mark}{usd}", most(cost.at_most)));
            let note = format!("{}, prices of {}", cost.model, cost.as_of);
            match (day, spent) {
                (Some(usd), _) => figure("a day", usd, note),
                (None, Some(usd)) => figure("for all breaks", usd, note),
                (None, None) => no_price(format!("no price of {} is known", cost.model)),
            }
        }
    });
    let fix = match history.layers.first() {
        Some(worst) => {
            let name = worst.layer.as_deref().unwrap_or("(no layer)");
            let text = Text::new()
                .words("Layer ")
                .code(name)
                .words(format!(
                    " broke the prefix {} and rewrote {} of all: make its text change less often, or put it later.",
                    count(worst.broke, "time"),
                    percent(worst.lost.tokens, all.lost.tokens)
                ));
            Remedy {
                why: super::history::main_cause(worst).map(Text::from),
                command: look,
                ..Remedy::new(text)
            }
        }
        None => Remedy::new("Nothing: no rebuild broke the prefix."),
    };
    Verdict {
        figures,
        fix,
        source: None,
    }
}
