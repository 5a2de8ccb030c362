//! A tier that changes at every call, in the system prompt.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::{Changes, Deliver};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "turn-tier-in-system",
        exit: ExitClass::Success,
        summary: "a tier that changes at every call is part of the system prompt",
        detail: "The conversation comes after the system prompt, so if the system prompt differs at every call, a provider reuses nothing of the conversation. `deliver=user` sends the tier's text with the user's message, after the cached text.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for tier in &context.analysis.tiers {
        let own = tier.layers.iter().map(|l| l.why.changes).max();
        let turns = tier.written.changes.as_ref().map(|c| c.value).or(own) == Some(Changes::Turn);
        if tier.deliver != Deliver::System || !turns || own.is_none() {
            continue;
        }
        let name = &tier.written.name;
        let message = format!(
            "the tier `{}` changes at every call and is part of the system prompt",
            name.value
        );
        let mut finding = Finding::new(&RULE, name.span, message)
            .around(tier.written.span)
            .help("write `deliver=user`: its text then goes with the user's message, and `promptc build --channel user` writes it");
        finding = match &tier.written.deliver {
            Some(deliver) => finding.suggest(deliver.span, Deliver::User.name()),
            None => finding.suggest(
                Span {
                    start: name.span.end,
                    ..name.span
                },
                " deliver=user",
            ),
        };
        finding.tier = Some(name.value.clone());
        let cause = tier.layers.iter().find(|l| l.why.changes == Changes::Turn);
        if let Some(reason) = cause.and_then(|l| l.why.reason()) {
            finding = finding.because(reason);
        }
        found.push(finding);
    }
}
