//! A layer that never changed inside a conversation, in requests that were sent, although it may at every call.

use crate::check::{
    Context, Finding, FindingSet, Frequencies, Frequency, Rule, RuleInput, frequency,
};
use crate::compile::{LayerPlan, TierPlan};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::{Changes, Deliver};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "overstated-layer",
        exit: ExitClass::Success,
        summary: "a layer that may change at every call never changed inside a conversation",
        detail: "With `--usage LOG` the requests of a log show how often each layer changed. A `turn` layer that never changed inside a conversation could come before those that do change, in a tier that a provider caches. The log does not prove that it cannot change.",
    },
    severity: Severity::Note,
    waivable: true,
    looks: &[RuleInput::Frequencies(run)],
};

/// The fewest steps without a change that count as evidence.
const ENOUGH: usize = 10;

fn run(context: &Context<'_>, frequencies: &Frequencies, found: &mut FindingSet) {
    let tiers = context.analysis.tiers.iter();
    for tier in tiers.filter(|tier| tier.deliver == Deliver::System) {
        for layer in &tier.layers {
            let of = frequencies.layers.get(&layer.written.name.value);
            let still = |of: &&Frequency| of.changes == 0 && of.steps >= ENOUGH && of.stepped > 1;
            if let Some(of) = of.filter(still)
                && layer.why.changes == Changes::Turn
            {
                found.push(finding(tier, layer, of));
            }
        }
    }
}

fn finding(tier: &TierPlan<'_>, layer: &LayerPlan<'_>, of: &Frequency) -> Finding {
    let name = &layer.written.name;
    let between = match of.start_changes {
        0 => String::new(),
        changes => format!(
            ", though {} from one to the next",
            frequency::times(changes)
        ),
    };
    let message = format!(
        "the layer `{}` may change at every call, and never changed inside {}{between}",
        name.value,
        frequency::conversations(of.stepped),
    );
    let mut finding = Finding::new(&RULE, name.span, message)
        .around(layer.written.span)
        .around(tier.written.span)
        .help("if it stays for a conversation, declare its inputs `changes=session`, and put it before those that change more often");
    finding.tier = Some(tier.written.name.value.clone());
    finding.layer = Some(name.value.clone());
    match layer.why.reason() {
        Some(reason) => finding.reason(reason),
        None => finding,
    }
}
