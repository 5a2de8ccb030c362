//! Two builds compared.

use super::model::{Blame, Broken, Change};
use crate::diff::{self, Break, Size};
use crate::prompt::{Changes, Prompt};
use crate::tokens::Tokenizer;

/// What differs between two frozen prompts. Tokens are counted as `tokenizer` does, else as in B, else as in A; where
/// neither was counted, as `o200k` does, which is an estimate then: whose tokens they are is not known.
#[must_use]
pub fn change(a: &Prompt, b: &Prompt, tokenizer: Option<Tokenizer>) -> Change {
    let own = tokenizer
        .or_else(|| b.tokenizer())
        .or_else(|| a.tokenizer());
    let found = diff::counted(a, b, own.unwrap_or(Tokenizer::O200K));
    let size = |mut size: Size| {
        if let Some(tokens) = &mut size.tokens {
            tokens.estimate |= own.is_none();
        }
        size
    };
    let broken = |found: &Break| broken(found, a, b);
    Change {
        prompt: b.name.clone(),
        broken: found.first.as_ref().map(broken),
        hidden: found.hidden.iter().map(broken).collect(),
        kept: size(found.kept),
        lost: size(found.lost),
    }
}

fn broken(found: &Break, a: &Prompt, b: &Prompt) -> Broken {
    let changes = |tier: &String| changes(b, tier).or_else(|| changes(a, tier));
    Broken {
        layer: found.layer.clone(),
        changes: found.tier.as_ref().and_then(changes),
        tier: found.tier.clone(),
        channel: found.channel,
        causes: found.causes.iter().map(Blame::of).collect(),
    }
}

fn changes(prompt: &Prompt, tier: &str) -> Option<Changes> {
    let mut tiers = prompt.channels.iter().flat_map(|c| &c.tiers);
    tiers.find(|t| t.name == tier).map(|t| t.changes)
}
