//! The part of a prompt before the tiers that are rebuilt for each call.

use super::{Changes, Channel, Deliver, Prompt, sha256};
use std::collections::BTreeSet;

impl Prompt {
    /// The tiers that a session rebuilds for each call: in each channel the first of the volatility `turn` and all
    /// after it.
    #[must_use]
    pub fn live(&self) -> BTreeSet<&str> {
        let behind = |channel: &'_ Channel| {
            let turn = channel
                .tiers
                .iter()
                .position(|t| t.changes == Changes::Turn);
            turn.unwrap_or(channel.tiers.len())
        };
        let channels = self.channels.iter();
        channels
            .flat_map(|channel| channel.tiers.iter().skip(behind(channel)))
            .map(|tier| tier.name.as_str())
            .collect()
    }

    /// The prompt without these tiers, which are at the ends of their channels.
    #[must_use]
    pub fn without_tiers(&self, live: &BTreeSet<&str>) -> Self {
        let present = self.channels.iter().flat_map(|c| &c.layers);
        let present = present.map(|layer| (layer.tier.as_str(), layer.name.as_str()));
        let absent = self.absent.iter();
        let absent = absent.map(|layer| (layer.tier.as_str(), layer.layer.as_str()));
        let gone = present
            .chain(absent)
            .filter(|(tier, _)| live.contains(tier));
        let gone: BTreeSet<&str> = gone.map(|(_, layer)| layer).collect();
        let mut out = Self {
            channels: (self.channels.iter())
                .filter_map(|channel| front(channel, live))
                .collect(),
            absent: (self.absent.iter())
                .filter(|absent| !live.contains(absent.tier.as_str()))
                .cloned()
                .collect(),
            notices: (self.notices.iter())
                .filter(|n| n.layer.as_ref().is_none_or(|l| !gone.contains(l.as_str())))
                .cloned()
                .collect(),
            fits: (self.fits.iter())
                .filter(|fit| !live.contains(fit.tier.as_str()))
                .cloned()
                .collect(),
            ..self.clone()
        };
        let last = |c: &Channel| c.tiers.last().map(|t| t.fingerprint.clone());
        let system = out.channel(Deliver::System).and_then(last);
        out.fingerprint = system.unwrap_or_else(|| sha256(""));
        if let Some(tokenizer) = self.tokenizer() {
            out.count_tokens(tokenizer);
        }
        out
    }
}

/// A channel up to the end of the tiers that stay; none if they have no text.
fn front(channel: &Channel, live: &BTreeSet<&str>) -> Option<Channel> {
    let tiers = channel.tiers.iter();
    let tiers: Vec<_> = tiers
        .filter(|tier| !live.contains(tier.name.as_str()))
        .cloned()
        .collect();
    let end = tiers.last()?.end;
    let layers = channel.layers.iter();
    let layers: Vec<_> = layers
        .filter(|layer| !live.contains(layer.tier.as_str()))
        .cloned()
        .collect();
    (end > 0).then(|| Channel {
        deliver: channel.deliver,
        // Of a snapshot the text may be unknown.
        text: channel.text.get(..end).unwrap_or_default().to_owned(),
        bytes: end,
        chars: layers.iter().map(|layer| layer.chars).sum(),
        tokens: None,
        tokenizer: None,
        estimate: false,
        tiers,
        layers,
    })
}
