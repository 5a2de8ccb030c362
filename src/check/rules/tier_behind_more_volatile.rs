//! A tier after one that changes more often.

use crate::check::order::{Blocked, Move, MoveTo, Order};
use crate::check::sizes::share;
use crate::check::{Context, Finding, FindingSet, Fix, Rule, RuleInput, price, when};
use crate::compare::Cost;
use crate::compile::{LayerPlan, TierPlan};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::{Changes, Deliver};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "tier-behind-more-volatile",
        exit: ExitClass::Success,
        summary: "a tier comes after one that changes more often",
        detail: "A provider reuses a prompt up to the first changed byte. So each change of a volatile tier makes all text after it full price again, however stable that text is. Order the tiers of a channel from stable to volatile. `--model` shows the cost of such a change.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

/// Whether a finding is about the order of tiers.
#[must_use]
pub fn is_about_order(finding: &Finding) -> bool {
    std::ptr::eq(finding.rule, &raw const RULE)
}

fn run(context: &Context<'_>, found: &mut FindingSet) {
    if let Some(order) = &context.order {
        for moved in &order.moves {
            found.push(of_move(context, order, moved));
        }
    }
    of_tools(context, found);
}

/// A tier that should be elsewhere in its channel.
fn of_move(context: &Context<'_>, order: &Order, moved: &Move) -> Finding {
    let (tier, against) = (
        &context.analysis.tiers[moved.tier],
        &context.analysis.tiers[moved.against],
    );
    let (mut finding, more_volatile) = if moved.against < moved.tier {
        (behind(tier, against), against)
    } else {
        (behind(against, tier).around(tier.written.span), tier)
    };
    for passed in &moved.passes {
        finding = finding.around(context.analysis.tiers[*passed].written.span);
    }
    let what = format!("move {}", to(context, moved));
    let mut help = what.clone();
    if let Some(kept) = order.best().filter(|_| moved.deliver != Deliver::User) {
        let with = match order.moves.len() {
            1 => String::new(),
            2 => ", with the other move,".to_owned(),
            n => format!(", with the other {} moves,", n - 1),
        };
        help.push_str(&format!(
            ": a change of volatility `{}` then{with} leaves {} cached instead of {}",
            kept.changes,
            share(kept.after, order.of),
            share(kept.before, order.of)
        ));
    }
    if moved.deliver != Deliver::User {
        finding.cost = with_price(&mut help, context, more_volatile);
    }
    match &moved.blocked {
        Some(reason @ (Blocked::Loaded { .. } | Blocked::Budget)) => {
            help.push_str(&format!(
                "; not safe to do by itself: {}",
                reason.sentence()
            ));
        }
        Some(reason) => help.push_str(&format!("; not for `--fix`: {}", reason.sentence())),
        None => {}
    }
    finding = finding.help(help);
    finding.fix = moved.edit.clone().map(|edit| Fix { what, edit });
    finding
}

/// The tools come before the system prompt, which no order inside a channel can fix.
fn of_tools(context: &Context<'_>, found: &mut FindingSet) {
    let of = |deliver: Deliver| {
        context
            .analysis
            .tiers
            .iter()
            .filter(move |t| t.deliver == deliver)
    };
    let tools = of(Deliver::Tools).filter(|t| t.own().is_some());
    // The first of the most volatile ones.
    let Some(most_volatile) = tools.rev().max_by_key(|t| t.own()) else {
        return;
    };
    let more_stable: Vec<_> = of(Deliver::System)
        .filter(|t| t.own().is_some() && t.own() < most_volatile.own())
        .collect();
    if let Some(first) = more_stable.first() {
        let mut finding = behind(first, most_volatile).around(most_volatile.written.span);
        for tier in &more_stable[1..] {
            finding = finding.related(tier.written.name.span, "after it too");
        }
        let mut help = "tools come before the system prompt: declare their inputs more stable if they are, or move the volatile text elsewhere".to_owned();
        finding.cost = with_price(&mut help, context, most_volatile);
        found.push(finding.help(help));
    }
}

/// The cost of a break there, which `help` shows.
fn with_price(
    help: &mut String,
    context: &Context<'_>,
    more_volatile: &TierPlan<'_>,
) -> Option<Box<Cost>> {
    let cost = price::most_expensive(context, more_volatile)?;
    help.push_str("; ");
    help.push_str(&price::sentence(&cost, more_volatile));
    Some(Box::new(cost))
}

fn behind(tier: &TierPlan<'_>, front: &TierPlan<'_>) -> Finding {
    let message = format!(
        "the tier `{}` {} and comes after `{}`, which may change {}",
        name(tier),
        at_most(class(tier)),
        name(front),
        when(class(front))
    );
    let mut finding = Finding::new(&RULE, tier.written.name.span, message)
        .related(front.written.name.span, "more volatile")
        .around(tier.written.span);
    finding.tier = Some(name(tier).to_owned());
    with_reason(finding, front)
}

fn at_most(class: Changes) -> String {
    match class {
        Changes::Never => "never changes".to_owned(),
        class => format!("changes {} at most", when(class)),
    }
}

/// Why a tier may change as often as it does: by a layer, or because it promises no less.
fn with_reason(finding: Finding, of: &TierPlan<'_>) -> Finding {
    let volatile = |l: &&LayerPlan<'_>| Some(l.why.changes) == of.own();
    let layer = of.layers.iter().find(volatile);
    if let Some(layer) = layer
        && let Some(reason) = layer.why.reason()
    {
        let mut finding = finding;
        let by = format!(" by its layer `{}`", layer.written.name.value);
        finding.diagnostic.message.push_str(&by);
        return finding.reason(reason);
    }
    match &of.written.changes {
        Some(promise) => finding.related(promise.span, "declared here"),
        None => finding,
    }
}

/// "`a` before `b`".
pub(in crate::check) fn to(context: &Context<'_>, moved: &Move) -> String {
    let name = |at: usize| name(&context.analysis.tiers[at]);
    match moved.to {
        MoveTo::Before(other) => format!("`{}` before `{}`", name(moved.tier), name(other)),
        MoveTo::After(other) => format!("`{}` after `{}`", name(moved.tier), name(other)),
    }
}

fn name<'a>(tier: &TierPlan<'a>) -> &'a str {
    &tier.written.name.value
}

fn class(tier: &TierPlan<'_>) -> Changes {
    tier.own().unwrap_or(Changes::Never)
}
