//! What a break costs, in lines.

use super::line::Line;
use crate::cli::given::BuildArgs;
use crate::cli::model::CostArgs;
use crate::cli::ui::words::thousands;
use crate::compare::Cost;
use crate::diagnostic::ErrorReported;
use crate::project::Compared;
use crate::project::Run;
use crate::request::cost;
use crate::request::provider::amount::Usd;
use crate::world::DiskWorld;

/// Notes the cost of each break, if a model is named.
pub(crate) fn price(
    all: &mut [Compared],
    given: &BuildArgs,
    cost: &CostArgs,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let (tokenizer, now) = (given.tokenizer(), given.now());
    let Some(asked) = cost.asked(tokenizer, now, &DiskWorld, run)? else {
        return Ok(());
    };
    for compared in all {
        if !compared.diff.same {
            let Compared { a, b, .. } = &*compared;
            compared.diff.cost = Some(cost::of(a, b, &asked));
        }
    }
    Ok(())
}

/// The cost of a break, for people.
pub(crate) fn lines(cost: &Cost) -> Vec<Line> {
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
    let mut lines = vec![Line::new("cost", price)];
    if let (Some(requests), Some(usd)) = (cost.requests_per_day, cost.usd_per_day) {
        let over = cost.surcharge_per_day.filter(|over| *over > 0.0);
        let over = over.map_or(String::new(), |over| {
            format!(", {} more than without a cache", money(over))
        });
        let requests = thousands(requests as usize);
        let text = format!("{} a day at {requests} such requests{over}", money(usd));
        lines.push(Line::new("cost", text));
    }
    if let Some(peak) = cost.peak.as_ref().filter(|_| cost.usd.is_some()) {
        lines.push(Line::new("cost", peak.clone()));
    }
    lines.push(Line::new("reused", after));
    lines
}

/// The same in one sentence.
pub(super) fn sentence(cost: &Cost) -> String {
    let told = |line: &Line| match line.word {
        "reused" => format!("{} can be reused", line.text),
        _ => line.text.clone(),
    };
    lines(cost).iter().map(told).collect::<Vec<_>>().join("; ")
}
