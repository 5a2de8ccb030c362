//! A stable layer after one of its own tier that changes inside a conversation.

use crate::check::sizes::{Sizes, share};
use crate::check::{Context, Finding, FindingSet, Rule, RuleInput, when};
use crate::compile::{LayerPlan, TierPlan};
use crate::diagnostic::{Code, ExitClass, Severity, suggest};
use crate::prompt::{Changes, Deliver};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "stable-layer-in-volatile-tier",
        exit: ExitClass::Success,
        summary: "a stable layer comes after a layer of its tier that changes inside a conversation",
        detail: "A provider reuses a tier up to its first changed byte. Put layers that stay for a conversation before those that change at midnight or at every call. Best give them a tier of their own, which can promise it.",
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
        let volatile = |l: &&LayerPlan<'_>| (Changes::Day..=own).contains(&l.why.changes);
        let Some(at) = tier.layers.iter().position(|l| volatile(&l)) else {
            continue;
        };
        let front = &tier.layers[at];
        let behind = tier.layers[at + 1..].iter();
        let stable: Vec<&LayerPlan<'_>> = behind.filter(|l| l.why.changes < Changes::Day).collect();
        if !stable.is_empty() {
            found.push(finding(context, tier, front, &stable));
        }
    }
}

fn finding(
    context: &Context<'_>,
    tier: &TierPlan<'_>,
    front: &LayerPlan<'_>,
    stable: &[&LayerPlan<'_>],
) -> Finding {
    let name = |l: &LayerPlan<'_>| l.written.name.value.clone();
    let names: Vec<String> = stable.iter().map(|l| name(l)).collect();
    let (list, come) = match names.as_slice() {
        [one] => (format!("the layer `{one}` changes"), "comes"),
        all => (
            format!(
                "the layers {} change",
                suggest::list(all.iter().map(String::as_str))
            ),
            "come",
        ),
    };
    let message = format!(
        "{list} from conversation to conversation at most and {come} after `{}` of their tier, which may change {}",
        name(front),
        when(front.why.changes)
    );
    let message = match stable {
        [_] => message.replace(" of their tier", " of its tier"),
        _ => message,
    };
    let mut finding = Finding::new(&RULE, front.written.name.span, message)
        .around(front.written.span)
        .around(tier.written.span);
    for layer in stable {
        finding = finding.related(layer.written.name.span, "stable");
    }
    finding.tier = Some(tier.written.name.value.clone());
    finding.layer = Some(name(front));
    let mut help = "move the stable layers before it, or into a tier of their own".to_owned();
    if let Some(sizes) = &context.sizes {
        help.push_str(&kept(sizes, tier, front));
    }
    finding = finding.help(help);
    match front.why.reason() {
        Some(reason) => finding.reason(reason),
        None => finding,
    }
}

/// The share of the tier's text that changes of its first volatile layer leave, now and after all stable ones.
fn kept(sizes: &Sizes, tier: &TierPlan<'_>, front: &LayerPlan<'_>) -> String {
    let bytes = |l: &LayerPlan<'_>| sizes.layer(&l.written.name.value);
    let before = |l: &&LayerPlan<'_>| l.written.span != front.written.span;
    let now: usize = tier.layers.iter().take_while(before).map(bytes).sum();
    let stable = tier.layers.iter().filter(|l| l.why.changes < Changes::Day);
    let then: usize = stable.map(bytes).sum();
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
