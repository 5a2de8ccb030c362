//! More stretches of one class than a provider keeps apart.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::compile::TierPlan;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::{Changes, Deliver};
use crate::request::emit::allowed;

/// How many places of a request Anthropic, and OpenAI since GPT-5.6, keep at once.
const MOST: usize = 4;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "too-many-breakpoints",
        exit: ExitClass::Nobody,
        summary: "the prompt has more stretches of one class than a request has breakpoints",
        detail: "A request can mark four places up to which a provider keeps it; with `--model` as many as that model's. Where a stretch of tiers of one class ends without such a place, it is kept only together with what stands behind it. Let the tiers go from calm to lively, and give neighbours the same class.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    let stretches = stretches(context);
    let most = context
        .asked
        .map_or(MOST, |asked| allowed(&asked.found).most);
    // Without breakpoints a provider keeps stretches apart by itself.
    let Some(beyond) = stretches.get(most).filter(|_| most > 0) else {
        return;
    };
    let request = match context.asked {
        Some(asked) => format!("a request to `{}`", asked.name.escape_debug()),
        None => "a request".to_owned(),
    };
    let name = &beyond.written.name;
    let message = format!(
        "tools and system text have {} stretches of one class, and {request} has {}",
        stretches.len(),
        count(most)
    );
    let mut finding = Finding::new(&RULE, name.span, message)
        .around(beyond.written.span)
        .label("begins one too many")
        .help("let the tiers go from calm to lively, or give neighbours the same `changes`");
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

/// The first tier of each stretch; what changes at every call is not kept and counts as none.
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
