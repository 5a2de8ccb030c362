//! More stretches of one volatility than a provider caches separately.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::TierPlan;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::{Changes, Deliver};
use crate::request::emit::allowed_by;
use crate::request::emit::place::Messages;

/// The number of breakpoints in a request to Anthropic, and to OpenAI since GPT-5.6.
const MOST: usize = 4;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "too-many-breakpoints",
        exit: ExitClass::Success,
        summary: "the prompt has more sections of one volatility than a request has breakpoints",
        detail: "A request can have four breakpoints, up to which a provider caches it; `--model` sets the number of a model. A stretch of tiers of one volatility without a breakpoint at its end is cached only together with the text after it. Order the tiers from stable to volatile, and give neighbours the same volatility.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let stretches = stretches(context);
    let most = context.asked.map_or(MOST, |asked| {
        allowed_by(&asked.found, Messages::Count(0)).most
    });
    // Without breakpoints a provider caches stretches separately by itself.
    let Some(beyond) = stretches.get(most).filter(|_| most > 0) else {
        return;
    };
    let request = match context.asked {
        Some(asked) => format!("a request to `{}`", asked.name.escape_debug()),
        None => "a request".to_owned(),
    };
    let name = &beyond.written.name;
    let message = format!(
        "tools and system prompt have {} stretches of one volatility, and {request} has {}",
        stretches.len(),
        count(most)
    );
    let mut finding = Finding::new(&RULE, name.span, message)
        .around(beyond.written.span)
        .label("begins one too many")
        .help("order the tiers from stable to volatile, or give neighbours the same `changes`");
    for first in &stretches[..most] {
        let class = first.own().unwrap_or(Changes::Never);
        finding = finding.related(first.written.name.span, format!("begins one of `{class}`"));
    }
    finding.tier = Some(name.value.clone());
    found.push(finding);
}

fn count(breakpoints: usize) -> String {
    let s = if breakpoints == 1 { "" } else { "s" };
    format!("{breakpoints} breakpoint{s}")
}

/// The first tier of each stretch; text that changes at every call is not cached and does not count.
fn stretches<'c, 'a>(context: &'c Context<'a>) -> Vec<&'c TierPlan<'a>> {
    let mut out: Vec<&TierPlan<'_>> = Vec::new();
    let mut last = None;
    for deliver in [Deliver::Tools, Deliver::System] {
        for tier in context
            .analysis
            .tiers
            .iter()
            .filter(|t| t.deliver == deliver)
        {
            let Some(class) = tier.own().filter(|class| *class < Changes::Turn) else {
                continue;
            };
            if last.replace(class) != Some(class) {
                out.push(tier);
            }
        }
    }
    out
}
