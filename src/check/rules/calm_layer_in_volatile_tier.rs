//! A layer behind one of its own tier that changes inside a conversation, although it does not itself.

use crate::check::sizes::{Sizes, share};
use crate::check::{Context, Finding, FindingSet, Rule, RuleInput, when};
use crate::compile::{LayerPlan, TierPlan};
use crate::diagnostic::{Code, ExitClass, Severity, suggest};
use crate::prompt::{Changes, Deliver};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "calm-layer-in-volatile-tier",
        exit: ExitClass::Nobody,
        summary: "a calm layer stands behind one of its tier that changes inside a conversation",
        detail: "A tier is kept up to its first byte that changed. Layers that stay for a conversation are kept if they stand in front of those that change at midnight or at every call, best in a tier of their own, which can promise it.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for tier in context
        .analysis
        .tiers
        .iter()
        .filter(|t| t.deliver != Deliver::User)
    {
        let Some(own) = tier.own() else {
            continue;
        };
        // What is above the promise is another rule's.
        let lively = |l: &&LayerPlan<'_>| (Changes::Day..=own).contains(&l.why.changes);
        let Some(at) = tier.layers.iter().position(|l| lively(&l)) else {
            continue;
        };
        let front = &tier.layers[at];
        let behind = tier.layers[at + 1..].iter();
        let calm: Vec<&LayerPlan<'_>> = behind.filter(|l| l.why.changes < Changes::Day).collect();
        if !calm.is_empty() {
            found.push(finding(context, tier, front, &calm));
        }
    }
}

fn finding(
    context: &Context<'_>,
    tier: &TierPlan<'_>,
    front: &LayerPlan<'_>,
    calm: &[&LayerPlan<'_>],
) -> Finding {
    let name = |l: &LayerPlan<'_>| l.written.name.value.clone();
    let names: Vec<String> = calm.iter().map(|l| name(l)).collect();
    let (list, stand) = match names.as_slice() {
        [one] => (format!("the layer `{one}` changes"), "stands"),
        all => (
            format!(
                "the layers {} change",
                suggest::list(all.iter().map(String::as_str))
            ),
            "stand",
        ),
    };
    let message = format!(
        "{list} from conversation to conversation at most and {stand} behind `{}` of their tier, which may change {}",
        name(front),
        when(front.why.changes)
    );
    let message = match calm {
        [_] => message.replace(" of their tier", " of its tier"),
        _ => message,
    };
    let mut finding = Finding::new(&RULE, front.written.name.span, message)
        .around(front.written.span)
        .around(tier.written.span);
    for layer in calm {
        finding = finding.related(layer.written.name.span, "calm");
    }
    finding.tier = Some(tier.written.name.value.clone());
    finding.layer = Some(name(front));
    let mut help = "move the calm layers in front of it, or into a tier of their own".to_owned();
    if let Some(sizes) = &context.sizes {
        help.push_str(&kept(sizes, tier, front));
    }
    finding = finding.help(help);
    match front.why.reason() {
        Some(chain) => finding.reason(chain),
        None => finding,
    }
}

/// What of the tier's text its first lively layer leaves, and what it would leave behind all calm ones.
fn kept(sizes: &Sizes, tier: &TierPlan<'_>, front: &LayerPlan<'_>) -> String {
    let bytes = |l: &LayerPlan<'_>| sizes.layer(&l.written.name.value);
    let before = |l: &&LayerPlan<'_>| l.written.span != front.written.span;
    let now: usize = tier.layers.iter().take_while(before).map(bytes).sum();
    let calm = tier.layers.iter().filter(|l| l.why.changes < Changes::Day);
    let then: usize = calm.map(bytes).sum();
    let of: usize = tier.layers.iter().map(bytes).sum();
    match of {
        0 => String::new(),
        of => format!(
            ": its changes then leave {} of the tier's text instead of {}",
            share(then, of),
            share(now, of)
        ),
    }
}
