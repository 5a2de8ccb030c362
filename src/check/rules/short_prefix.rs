//! A prefix that is too short to be cached.

use crate::check::sizes::{Size, Sizes};
use crate::check::{Context, Finding, FindingSet, MIN_PREFIX, Rule, RuleInput, when};
use crate::compile::TierPlan;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::{Changes, Deliver};
use crate::text::measure::thousands;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "short-prefix",
        exit: ExitClass::Success,
        summary: "the stable prefix is shorter than the minimum that providers cache",
        detail: "Providers cache no prefix below a minimum: 1,024 tokens with OpenAI and the common models of Anthropic, and between less and 4,096 with some models. `--min-prefix` sets another minimum, `--model` that of a model. Shorter prompts are never cached, whatever their order.",
    },
    severity: Severity::Note,
    waivable: true,
    looks: &[RuleInput::Sizes(run)],
};

fn run(context: &Context<'_>, sizes: &Sizes, found: &mut FindingSet) {
    let in_channel = |deliver| {
        context
            .analysis
            .tiers
            .iter()
            .filter(move |t| t.deliver == deliver)
    };
    let all = in_channel(Deliver::Tools).chain(in_channel(Deliver::System));
    let all = all.filter(|t| t.own().is_some());
    let stable: Vec<&TierPlan<'_>> = all.take_while(|t| t.own() < Some(Changes::Turn)).collect();
    let Some(first) = stable.first() else {
        return;
    };
    let most_stable: Vec<_> = stable
        .iter()
        .copied()
        .take_while(|t| t.own() == first.own())
        .collect();
    let (whole, front) = (longest(sizes, &stable), longest(sizes, &most_stable));
    let min = context.min_prefix;
    let least = thousands(&min.to_string());
    let own = match context.asked {
        Some(asked) => asked.found.model.as_ref().and_then(|m| m.limits.min),
        None => Some(MIN_PREFIX as u64),
    };
    let keeps = match context.asked {
        _ if own != Some(min as u64) => {
            format!("`--min-prefix` sets a minimum of {least}")
        }
        Some(asked) => format!("the minimum of `{}` is {least}", asked.name.escape_debug()),
        None => format!("without `--model` a minimum of {least} is assumed"),
    };
    let (message, last, help) = if whole.tokens < min {
        let message = format!(
            "the start of the prompt that stays the same in every call is {} long, and {keeps}",
            tokens(whole)
        );
        let help = "a prompt this short is not cached, whatever its order: name the model with `--model`, set another minimum with `--min-prefix`, or waive this note";
        (message, stable.last(), help)
    } else if front.tokens < min {
        let message = format!(
            "the text that changes {} at most is {} at the start of the prompt, and {keeps}",
            when(first.own().unwrap_or(Changes::Never)),
            tokens(front)
        );
        let help = "this text is cached only together with the text after it: add more text that changes as rarely, name the model with `--model`, set another minimum with `--min-prefix`, or waive this note";
        (message, most_stable.last(), help)
    } else {
        return;
    };
    let last = last.copied().unwrap_or(first);
    let name = &last.written.name;
    let mut finding = Finding::new(&RULE, name.span, message)
        .label("up to the end of this tier")
        .around(last.written.span)
        .help(help);
    finding.tier = Some(name.value.clone());
    found.push(finding);
}

/// The text of these tiers, in the prompt where they have most.
fn longest(sizes: &Sizes, tiers: &[&TierPlan<'_>]) -> Size {
    let mut prompts = vec![Size::default(); sizes.prompts.len()];
    for tier in tiers {
        for (sum, size) in prompts.iter_mut().zip(sizes.tier(tier)) {
            *sum = sum.and(size);
        }
    }
    let longest = prompts.into_iter().max_by_key(|size| size.tokens);
    longest.unwrap_or_default()
}

fn tokens(size: Size) -> String {
    let mark = if size.estimate { "~" } else { "" };
    format!("{mark}{} tokens", thousands(&size.tokens.to_string()))
}
