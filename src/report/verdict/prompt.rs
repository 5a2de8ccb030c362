//! The verdict on one prompt.

use super::figure::{
    Figure, REUSABLE, Remedy, Verdict, figure, mark, most, no_price, part, unpriced,
};
use crate::check::{Finding, Report, is_about_order};
use crate::diagnostic::Severity;
use crate::diagnostic::span::Files;
use crate::prompt::{Deliver, Prompt};
use crate::report::code::Code;
use crate::report::history::argument;
use crate::report::text::Text;
use crate::report::usage::number;
use crate::report::words::thousands;
use crate::request::cost::{CostQuery, RepeatedCall, lasting, repeated, tokenizer};
use crate::request::provider::amount::Usd;

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
pub(super) fn source(asked: &CostQuery) -> Option<String> {
    let source = &asked.found.model.as_ref()?.source;
    Some(format!(
        "Prices of {} are from {}, read on {}.",
        asked.name, source.text, source.as_of
    ))
}

/// The first fix that the rules offer.
pub(super) fn fix_of(judged: Option<&(Report, Files)>) -> Remedy {
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
pub(super) fn worst(report: &Report) -> Option<&Finding> {
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
