//! The cost of a change of a tier with the requested model.

use super::Context;
use crate::compare::Cost;
use crate::compile::TierPlan;
use crate::prompt::Changes;
use crate::request::cost;
use crate::request::emit::place::{Prefix, PrefixSection, order};
use crate::request::provider::amount::Usd;
use crate::text::measure::thousands;

/// "a change of `notes` writes 1,234 tokens again: $0.0057 with NAME (prices of 2026-11-21)".
pub(super) fn sentence(cost: &Cost, tier: &TierPlan<'_>) -> String {
    let mark = if cost.estimate { "~" } else { "" };
    let most = if cost.at_most { "at most " } else { "" };
    let money = |usd: f64| format!("{most}{mark}{}", Usd::near(usd));
    let Cost { model, as_of, .. } = cost;
    let mut out = format!(
        "a change of `{}` rewrites {most}{mark}{} tokens",
        tier.written.name.value,
        thousands(&cost.rewritten.to_string())
    );
    out.push_str(&match cost.usd {
        Some(usd) => format!(": {} with {model} (prices of {as_of})", money(usd)),
        None => format!("; no price of {model} is known (as of {as_of})"),
    });
    if let Some((requests, usd)) = cost.requests_per_day.zip(cost.usd_per_day) {
        let requests = thousands(&requests.to_string());
        out.push_str(&format!(
            ", {} a day at {requests} such requests",
            money(usd)
        ));
    }
    out
}

/// The cost in the prompt where it is highest; none without a model or sizes.
pub(super) fn most_expensive(context: &Context<'_>, tier: &TierPlan<'_>) -> Option<Cost> {
    let sizes = context.sizes.as_ref()?;
    let costs = (0..sizes.prompts.len()).filter_map(|prompt| cost(context, tier, prompt));
    costs.max_by_key(|cost| cost.rewritten)
}

/// The cost in one prompt; none if the tier has no text there.
fn cost(context: &Context<'_>, tier: &TierPlan<'_>, prompt: usize) -> Option<Cost> {
    let (asked, sizes) = (context.asked?, context.sizes.as_ref()?);
    let mut sections = Vec::new();
    let (mut tokens, mut estimate, mut prefix) = (0, false, Changes::Never);
    for deliver in order(&asked.found.provider) {
        let mut end = 0;
        for tier in context
            .analysis
            .tiers
            .iter()
            .filter(|t| t.deliver == deliver)
        {
            prefix = prefix.max(tier.changes);
            let size = sizes.tier(tier).nth(prompt).filter(|size| size.bytes > 0);
            let Some(size) = size else { continue };
            end += size.bytes;
            tokens += size.tokens as u64;
            estimate |= size.estimate;
            sections.push(PrefixSection {
                deliver,
                tier: &tier.written.name.value,
                changes: tier.changes,
                prefix,
                end,
                tokens,
            });
        }
    }
    let at = sections
        .iter()
        .position(|s| s.tier == tier.written.name.value)?;
    let counted = context
        .builds
        .get(prompt)
        .and_then(|b| b.prompt.tokenizer());
    let tokenizer = cost::tokenizer(asked.tokenizer, counted, Some(&asked.found));
    let live = sections.iter().any(|s| s.changes == Changes::Turn);
    let prefix = Prefix { sections, live };
    Some(cost::at(&prefix, at, asked, (tokenizer, estimate)))
}
