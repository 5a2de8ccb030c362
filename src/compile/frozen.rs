//! The frozen part of a prompt: whole tiers, with their text unchanged.

use super::plan::Tier;
use crate::prompt::Prompt;
use std::collections::BTreeSet;

/// The part of a prompt that a session freezes.
#[derive(Debug, Clone, PartialEq)]
pub struct Frozen {
    /// The frozen tiers as a prompt of their own.
    pub prompt: Prompt,
    /// Their layers that count as loaded, for `loaded()` in the tiers after.
    pub loaded: BTreeSet<String>,
}

impl Frozen {
    /// The frozen text of a tier with the join before it; empty if it has none.
    pub(super) fn text(&self, tier: &Tier) -> &str {
        let Some(channel) = self.prompt.channel(tier.deliver) else {
            return "";
        };
        let found = channel.tiers.iter().find(|t| t.name == tier.name);
        found.map_or("", |t| channel.text.get(t.start..t.end).unwrap_or_default())
    }
}
