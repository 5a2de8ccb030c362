//! A layer that may change more often than its tier promises.

use crate::check::{Context, Finding, FindingSet, Rule, RuleInput, when};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "layer-above-tier",
        exit: ExitClass::Nobody,
        summary: "a layer may change more often than its tier promises",
        detail: "A tier's `changes` is a promise to everything that keeps its bytes: sessions, breakpoints, the tiers behind it. Move the layer to a tier that changes as often, or declare the fact, root or source calmer if it is.",
    },
    severity: Severity::Error,
    waivable: false,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for tier in &context.tiers {
        let Some(promise) = &tier.written.changes else {
            continue;
        };
        for layer in tier.layers.iter().filter(|l| l.why.changes > promise.value) {
            let name = &layer.written.name;
            let message = format!(
                "the layer `{}` may change {}, and its tier `{}` promises `{}`",
                name.value,
                when(layer.why.changes),
                tier.written.name.value,
                promise.value
            );
            let mut finding = Finding::new(&RULE, name.span, message)
                .related(promise.span, "promised here")
                .around(layer.written.span)
                .around(tier.written.span);
            finding.tier = Some(tier.written.name.value.clone());
            finding.layer = Some(name.value.clone());
            if let Some(chain) = layer.why.reason() {
                finding = finding.reason(chain);
            }
            found.push(finding);
        }
    }
}
