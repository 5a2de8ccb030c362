//! The cost of a break, in words.

use super::document::Fact;
use super::words::{assumed, thousands};
use crate::compare::Cost;
use crate::request::provider::Match;
use crate::request::provider::amount::Usd;

/// The cost of a break, for people.
pub(super) fn facts(cost: &Cost) -> Vec<Fact> {
    let mark = if cost.estimate { "~" } else { "" };
    let most = if cost.at_most { "at most " } else { "" };
    let tokens = |n: u64| format!("{mark}{}", thousands(n as usize));
    let money = |usd: f64| format!("{most}{mark}{}", Usd::near(usd));
    let Cost { model, as_of, .. } = cost;
    let price = match cost.usd {
        Some(usd) => format!(
            "{} for this break with {model} (prices of {as_of})",
            money(usd)
        ),
        None => format!("no price of {model} is known (as of {as_of})"),
    };
    let after = format!(
        "{most}{} of {} tokens",
        tokens(cost.after),
        tokens(cost.before)
    );
    let mut lines = vec![Fact::new("cost", price)];
    if let (Some(requests), Some(usd)) = (cost.requests_per_day, cost.usd_per_day) {
        let over = cost.surcharge_per_day.filter(|over| *over > 0.0);
        let over = over.map_or(String::new(), |over| {
            format!(", {} more than without a cache", money(over))
        });
        let requests = thousands(requests as usize);
        let text = format!("{} a day at {requests} such requests{over}", money(usd));
        lines.push(Fact::new("cost", text));
    }
    if let Some(peak) = cost.peak.as_ref().filter(|_| cost.usd.is_some()) {
        lines.push(Fact::new("cost", peak.as_str()));
    }
    // Where nothing could be reused before the break, none was lost.
    if cost.before > 0 {
        lines.push(Fact::new("reused", format!("{after}{}", assumption(cost))));
    }
    lines
}

/// The messages that are assumed, where they have breakpoints.
fn assumption(cost: &Cost) -> String {
    if cost.rule == Match::Breakpoint.name() {
        format!("; {}", assumed(cost.conversation))
    } else {
        String::new()
    }
}

/// The cost in one sentence.
pub(super) fn sentence(cost: &Cost) -> String {
    let sentence = |fact: &Fact| match fact.word.as_str() {
        "reused" => {
            let (text, assumption) = (fact.text.flat(), assumption(cost));
            let text = text.strip_suffix(&assumption).unwrap_or(&text);
            format!("{text} can be reused{assumption}")
        }
        _ => fact.text.flat(),
    };
    let facts = facts(cost);
    facts.iter().map(sentence).collect::<Vec<_>>().join("; ")
}
