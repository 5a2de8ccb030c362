//! The cost of breaks, in words.

use crate::report::document::Fact;
use crate::report::escape::plain;
use crate::report::words::{count, thousands};
use crate::request::provider::amount::Usd;
use crate::session::history::{CostSum, History, Spent};

/// The cost of all breaks; nothing without a model or a break. Not shortened: the day of the price comes last.
pub(super) fn facts(history: &History) -> Vec<Fact> {
    let lines = lines(history).into_iter();
    lines.map(|text| Fact::new("cost", text)).collect()
}

/// The lines on what all breaks cost; none without a model or a break.
fn lines(history: &History) -> Vec<String> {
    let Some(cost) = &history.cost else {
        return Vec::new();
    };
    let model = plain(&cost.model);
    let breaks = count(history.all.broke, "break");
    let most = most(cost);
    let mut out = vec![match cost.spent.usd {
        Some(usd) => {
            let (money, as_of) = (money(usd, cost), &cost.as_of);
            format!("{most}{money} for {breaks} with {model} (prices of {as_of})")
        }
        None => format!("no price of {model} is known (as of {})", cost.as_of),
    }];
    if let Some((requests, usd)) = cost.requests_per_day.zip(cost.usd_per_day) {
        let (requests, money) = (number(requests), money(usd, cost));
        out.push(format!("{most}{money} a day at {requests} such breaks"));
    }
    if let Some(peak) = cost.peak.as_ref().filter(|_| cost.spent.usd.is_some()) {
        out.push(peak.clone());
    }
    let (before, after) = (tokens(cost.before, cost), tokens(cost.after, cost));
    let (provider, rule) = (plain(&cost.provider), &cost.rule);
    // Where nothing could be reused before the breaks, none was lost.
    if cost.before > 0 {
        out.push(format!(
            "{most}{after} of {before} tokens reused, by the rule of {provider}: {rule}"
        ));
    }
    if let Some(usd) = cost.cold.usd.filter(|_| cost.cold.rewritten > 0) {
        out.push(format!(
            "{most}{} of it after idle time, when a cache is cold anyway",
            money(usd, cost)
        ));
    }
    out
}

/// The head of the column: the price, or the tokens that were written again if none is known.
pub(super) fn head(cost: &CostSum) -> &'static str {
    match (cost.spent.usd, cost.at_most) {
        (None, _) => "rewritten",
        (_, true) => "at most",
        (_, false) => "cost",
    }
}

/// The text of the column; nothing was spent where nothing broke.
pub(super) fn cell(spent: Option<Spent>, cost: &CostSum) -> String {
    match (spent, cost.spent.usd) {
        (None, _) => "-".to_owned(),
        (Some(Spent { usd: Some(usd), .. }), _) => money(usd, cost),
        (Some(spent), _) => tokens(spent.rewritten, cost),
    }
}

fn most(cost: &CostSum) -> &'static str {
    if cost.at_most { "at most " } else { "" }
}

fn money(usd: Usd, cost: &CostSum) -> String {
    let mark = if cost.estimate { "~" } else { "" };
    format!("{mark}{usd}")
}

fn tokens(n: u64, cost: &CostSum) -> String {
    let mark = if cost.estimate { "~" } else { "" };
    format!("{mark}{}", number(n))
}

fn number(n: u64) -> String {
    thousands(usize::try_from(n).unwrap_or(usize::MAX))
}
