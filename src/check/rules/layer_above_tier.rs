//! A layer that may change more often than its tier promises.

use crate::check::cause::Cause;
use crate::check::{Context, Finding, FindingSet, Rule, RuleInput, when};
use crate::compile::{LayerPlan, TierPlan};
use crate::diagnostic::span::Span;
use crate::diagnostic::{Code, ExitClass, Severity, suggest};
use crate::prompt::Changes;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "layer-above-tier",
        exit: ExitClass::Success,
        summary: "a layer may change more often than its tier promises",
        detail: "Sessions, breakpoints and the tiers after it rely on a tier's `changes`. Move the layer to a tier that changes as often. Or, if the fact, root or source changes less often, declare that. Layers of a tier that depend on one fact or root are one finding.",
    },
    severity: Severity::Error,
    waivable: false,
    looks: &[RuleInput::Plan(run)],
};

/// The most layers that a finding names.
const MOST_NAMED: usize = 4;

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for tier in &context.analysis.tiers {
        let Some(promise) = &tier.written.changes else {
            continue;
        };
        let mut groups: Vec<(Option<Cause<'_>>, Vec<&LayerPlan<'_>>)> = Vec::new();
        for layer in tier.layers.iter().filter(|l| l.why.changes > promise.value) {
            let cause = layer.why.reason().and_then(Cause::of);
            let group = groups
                .iter_mut()
                .find(|(of, _)| of.is_some() && *of == cause);
            match group {
                Some((_, layers)) => layers.push(layer),
                None => groups.push((cause, vec![layer])),
            }
        }
        for (cause, layers) in groups {
            let finding = match (&cause, &layers[..]) {
                (_, [layer]) => one(tier, promise.value, layer),
                (Some(cause), _) => several(context, tier, promise.value, cause, &layers),
                (None, _) => continue,
            };
            let finding = finding.related(promise.span, "promised here");
            found.push(match cause {
                Some(cause) => declare(context, finding, &cause, promise.value),
                None => finding,
            });
        }
    }
}

fn one(tier: &TierPlan<'_>, promise: Changes, layer: &LayerPlan<'_>) -> Finding {
    let name = &layer.written.name;
    let message = format!(
        "the layer `{}` may change {}, and its tier `{}` promises `{promise}`",
        name.value,
        when(layer.why.changes),
        tier.written.name.value,
    );
    let mut finding = Finding::new(&RULE, name.span, message)
        .around(layer.written.span)
        .around(tier.written.span);
    finding.tier = Some(tier.written.name.value.clone());
    finding.layer = Some(name.value.clone());
    match layer.why.reason() {
        Some(reason) => finding.reason(reason),
        None => finding,
    }
}

/// One finding for all layers of a tier that depend on one thing.
fn several(
    context: &Context<'_>,
    tier: &TierPlan<'_>,
    promise: Changes,
    cause: &Cause<'_>,
    layers: &[&LayerPlan<'_>],
) -> Finding {
    let names = layers.iter().map(|l| l.written.name.value.as_str());
    let named = match layers.len().saturating_sub(MOST_NAMED) {
        0 => suggest::list(names),
        rest => {
            let first: Vec<String> = names.take(MOST_NAMED).map(|n| format!("`{n}`")).collect();
            format!("{} and {rest} more", first.join(", "))
        }
    };
    let (word, declared) = cause.named(context);
    let each = layers.iter().map(|l| l.why.changes);
    let changes = each.fold(Changes::Never, Changes::max);
    let class = match cause.declared {
        Some(_) => format!("declared `changes={changes}`"),
        None => "which does not say how often it changes".to_owned(),
    };
    let message = format!(
        "{} layers of the tier `{}` may change {}, and it promises `{promise}`: {named} depend on the {word} `{}`, {class}",
        layers.len(),
        tier.written.name.value,
        when(changes),
        cause.name,
    );
    let place = declared.unwrap_or(layers[0].written.name.span);
    let mut finding = Finding::new(&RULE, place, message).around(tier.written.span);
    for layer in layers.iter().take(MOST_NAMED) {
        finding = finding.related(layer.written.name.span, "depends on it");
    }
    finding.tier = Some(tier.written.name.value.clone());
    for layer in layers {
        if let Some(reason) = layer.why.reason() {
            finding = finding.because(reason);
        }
    }
    finding
}

/// Adds to a finding how an undeclared input can declare the frequency of its changes.
fn declare(
    context: &Context<'_>,
    finding: Finding,
    cause: &Cause<'_>,
    promise: Changes,
) -> Finding {
    let (word, place) = cause.named(context);
    match (cause.declared, place) {
        (None, Some(place)) if promise > Changes::Never => {
            let end = Span {
                start: place.end,
                ..place
            };
            let help = format!(
                "if the {word} `{}` changes no more often than the tier promises, say so",
                cause.name
            );
            finding
                .help(help)
                .suggest(end, format!(" changes={promise}"))
        }
        _ => finding,
    }
}
