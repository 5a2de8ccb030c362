//! A layer that changed more often, in requests that were sent, than the manifest says.

use crate::check::cause::Cause;
use crate::check::{
    Context, Finding, FindingSet, Frequencies, Frequency, Rule, RuleInput, frequency,
};
use crate::compile::{LayerPlan, TierPlan};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity, suggest};
use crate::prompt::{Changes, Deliver};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "understated-layer",
        exit: ExitClass::Success,
        summary: "a layer changed inside conversations more often than it is declared to",
        detail: "With `--usage LOG` the requests of a log show how often each layer changed. If a layer that counts as stable changes inside a conversation, nothing after it is reused. The order of tiers, sessions and breakpoints rely on its volatility. Declare how often its inputs change, and put the layer after text that changes less. A deployment while conversations ran counts as well.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Frequencies(run)],
};

fn run(context: &Context<'_>, frequencies: &Frequencies, found: &mut FindingSet) {
    let tiers = context.analysis.tiers.iter();
    for tier in tiers.filter(|tier| tier.deliver == Deliver::System) {
        for layer in &tier.layers {
            let of = frequencies.layers.get(&layer.written.name.value);
            if let Some(message) = of.and_then(|of| message(layer, of)) {
                found.push(finding(context, tier, layer, message));
            }
        }
    }
}

/// The contradiction to the volatility of the layer; none if there is none.
fn message(layer: &LayerPlan<'_>, of: &Frequency) -> Option<String> {
    let class = layer.why.changes;
    let how = match class {
        Changes::Turn => return None,
        Changes::Day if of.same_day == 0 => return None,
        Changes::Day => format!(
            "changed again within a day {}",
            frequency::times(of.same_day)
        ),
        _ if of.changes == 0 => return None,
        _ => format!("changed {}", frequency::times(of.changes)),
    };
    let declared = layer.why.reason().is_some_and(|c| c.declared.is_some());
    let is = if declared { "is declared" } else { "counts as" };
    Some(format!(
        "the layer `{}` {is} `{class}` and {how}, in {} of {}",
        layer.written.name.value,
        of.changed,
        frequency::conversations(of.conversations)
    ))
}

fn finding(
    context: &Context<'_>,
    tier: &TierPlan<'_>,
    layer: &LayerPlan<'_>,
    message: String,
) -> Finding {
    let mut finding = Finding::new(&RULE, layer.written.name.span, message)
        .around(layer.written.span)
        .around(tier.written.span);
    finding.tier = Some(tier.written.name.value.clone());
    finding.layer = Some(layer.written.name.value.clone());
    let promise = tier.written.changes.as_ref().map(|c| c.value);
    let place = match promise {
        Some(promise) if promise < Changes::Turn => "move the layer to a tier of that volatility",
        _ => "put the layer after those that change less",
    };
    let mut causes: Vec<Cause<'_>> = Vec::new();
    for cause in layer
        .why
        .reasons
        .iter()
        .filter_map(|reason| Cause::of(reason))
    {
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    finding = match &causes[..] {
        [] => finding.help("nothing that it reads may change: look at the changes with `promptc capture diff LOG -m MANIFEST`"),
        [cause] => declare(context, finding, cause, place),
        several => {
            let names = suggest::list(several.iter().map(|cause| cause.name));
            finding.help(format!(
                "of {names} declare `changes=turn` for what changes so often, and {place}"
            ))
        }
    };
    match layer.why.reason() {
        Some(reason) => finding.reason(reason),
        None => finding,
    }
}

/// The edit that says how often a fact or root changes.
fn declare(
    context: &Context<'_>,
    finding: Finding,
    cause: &Cause<'_>,
    place: &'static str,
) -> Finding {
    let (word, name) = cause.named(context);
    let help = format!(
        "declare `changes=turn` for the {word} `{}`, and {place}",
        cause.name
    );
    let finding = finding.help(help);
    match (cause.declared, name) {
        (Some(declared), _) => finding.suggest(declared, Changes::Turn.name()),
        (None, Some(name)) => {
            let end = Span {
                start: name.end,
                ..name
            };
            finding.suggest(end, " changes=turn")
        }
        (None, None) => finding,
    }
}
