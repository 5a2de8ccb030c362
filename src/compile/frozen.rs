//! What a session keeps of a prompt: whole tiers, with their text as it was.

use super::plan::Tier;
use crate::prompt::Prompt;
use std::collections::BTreeSet;

/// The part of a prompt that a session keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Frozen {
    /// The kept tiers as a prompt of their own.
    pub prompt: Prompt,
    /// The layers of them that count as loaded, for `loaded()` in the tiers behind.
    pub loaded: BTreeSet<String>,
}

impl Frozen {
    /// The kept text of a tier with the join in front of it; empty if it has none.
    pub(super) fn text(&self, tier: &Tier) -> &str {
        let Some(channel) = self.prompt.channel(tier.deliver) else {
            return "";
        };
        let found = channel.tiers.iter().find(|t| t.name == tier.name);
        found.map_or("", |t| channel.text.get(t.start..t.end).unwrap_or_default())
    }
}
