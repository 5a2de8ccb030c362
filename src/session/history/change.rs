//! Two builds compared.

use super::model::{Blame, Broken, Change};
use crate::compare::{self, Break, Size};
use crate::prompt::{Changes, Deliver, Prompt, Tokens};
use crate::request::cost::{self, CostQuery};
use crate::text::tokens::{Tally, Tokenizer};
use std::collections::BTreeMap;

/// The tallies of all tokenizers that were asked for.
pub(super) type Tallies = BTreeMap<Tokenizer, Tally>;

/// The difference between two frozen prompts. Tokens are counted with `tokenizer`, else as in B, else as in A. If
/// neither was counted, they are counted as by the provider of the requested model, else with `o200k`, which is
/// then an estimate: their own tokenizer is unknown.
pub(super) fn change(
    a: &Prompt,
    b: &Prompt,
    tokenizer: Option<Tokenizer>,
    asked: Option<&CostQuery>,
    tallies: &mut Tallies,
) -> Change {
    let own = tokenizer
        .or_else(|| b.tokenizer())
        .or_else(|| a.tokenizer())
        .or_else(|| asked?.found.provider.tokenizer);
    let tokenizer = own.unwrap_or(Tokenizer::O200K);
    let tally = tallies.entry(tokenizer);
    let tally = tally.or_insert_with(|| Tally::new(tokenizer));
    let [x, y] = [a, b].map(|prompt| prompt.text(Deliver::System));
    let kept = tally.count_common(x, y);
    let lost = tally.count(y) - kept;
    let counted = |size: Size, count: usize| {
        let mut tokens = Tokens::new(count, tokenizer);
        tokens.estimate |= own.is_none();
        Size {
            tokens: Some(tokens.count),
            tokenizer: Some(tokens.tokenizer),
            estimate: tokens.estimate,
            ..size
        }
    };
    let found = compare::uncounted(a, b);
    let cost = asked.filter(|_| !found.same);
    let (cost, usd) = cost.map(|asked| cost::exact(a, b, asked)).unzip();
    let broken = |found: &Break| broken(found, a, b);
    Change {
        prompt: b.name.clone(),
        broken: found.first.as_ref().map(broken),
        hidden: found.hidden.iter().map(broken).collect(),
        kept: counted(found.kept, kept),
        lost: counted(found.lost, lost),
        cost,
        usd: usd.flatten(),
    }
}

fn broken(found: &Break, a: &Prompt, b: &Prompt) -> Broken {
    let changes = |tier: &String| changes(b, tier).or_else(|| changes(a, tier));
    Broken {
        layer: found.layer.clone(),
        changes: found.tier.as_ref().and_then(changes),
        tier: found.tier.clone(),
        channel: found.channel,
        causes: found.reasons().iter().map(Blame::of).collect(),
    }
}

fn changes(prompt: &Prompt, tier: &str) -> Option<Changes> {
    let mut tiers = prompt.channels.iter().flat_map(|c| &c.tiers);
    tiers.find(|t| t.name == tier).map(|t| t.changes)
}
