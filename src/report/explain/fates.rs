//! The layers of a prompt and what became of each.

use crate::manifest::Manifest;
use crate::prompt::{Absent, Channel, Definition, Deliver, Index, Layer, Prompt};
use std::collections::{BTreeMap, BTreeSet};

/// A layer of the manifest and what became of it.
#[derive(Debug, Clone, Copy)]
pub enum LayerStatus<'a> {
    /// With its channel.
    Present(&'a Channel, &'a Layer),
    /// With the channel that it would be in.
    Absent(&'a Absent, Deliver),
}

impl<'a> LayerStatus<'a> {
    /// The layer's name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        match self {
            Self::Present(_, layer) => &layer.name,
            Self::Absent(absent, _) => &absent.layer,
        }
    }

    /// Its tier.
    #[must_use]
    pub fn tier(&self) -> &'a str {
        match self {
            Self::Present(_, layer) => &layer.tier,
            Self::Absent(absent, _) => &absent.tier,
        }
    }

    /// The channel that it is in or would be in.
    #[must_use]
    pub fn deliver(&self) -> Deliver {
        match self {
            Self::Present(channel, _) => channel.deliver,
            Self::Absent(_, deliver) => *deliver,
        }
    }
}

/// Every layer of an artifact: channel by channel, those that are absent at their place in the tier.
#[must_use]
pub fn fates_of(prompt: &Prompt) -> Vec<LayerStatus<'_>> {
    let line = |d: &Definition| d.nodes.first().map_or(usize::MAX, |n| n.line);
    let mut out = Vec::new();
    let mut absents: BTreeMap<&str, Vec<&Absent>> = BTreeMap::new();
    for absent in &prompt.absent {
        absents.entry(&absent.tier).or_default().push(absent);
    }
    for channel in &prompt.channels {
        let mut presents: BTreeMap<&str, Vec<&Layer>> = BTreeMap::new();
        for layer in &channel.layers {
            presents.entry(&layer.tier).or_default().push(layer);
        }
        for tier in &channel.tiers {
            let present = presents.get(tier.name.as_str()).into_iter().flatten();
            let absent = absents.get(tier.name.as_str()).into_iter().flatten();
            let mut layers: Vec<_> = present
                .map(|l| (line(&l.definition), LayerStatus::Present(channel, l)))
                .chain(
                    absent.map(|a| (line(&a.definition), LayerStatus::Absent(a, channel.deliver))),
                )
                .collect();
            layers.sort_by_key(|(line, _)| *line);
            out.extend(layers.into_iter().map(|(_, fate)| fate));
        }
    }
    // Tiers of a channel without text are not in an artifact; what is fitted names its channel.
    let fitted = prompt.fits.iter().rev();
    let fitted: BTreeMap<&str, Deliver> = fitted.map(|f| (f.tier.as_str(), f.deliver)).collect();
    let mut told: BTreeSet<&str> = out.iter().map(LayerStatus::name).collect();
    for absent in &prompt.absent {
        if told.insert(&absent.layer) {
            let deliver = fitted.get(absent.tier.as_str()).copied();
            out.push(LayerStatus::Absent(
                absent,
                deliver.unwrap_or(Deliver::System),
            ));
        }
    }
    out
}

/// Every layer in the order of the manifest.
#[must_use]
pub fn fates<'a>(manifest: &Manifest, prompt: &'a Prompt) -> Vec<LayerStatus<'a>> {
    let index = Index::of(prompt);
    let fate = |name: &str, deliver: Deliver| {
        let absent = || index.absent(name);
        let present = index
            .layer(name)
            .map(|(channel, layer)| LayerStatus::Present(channel, layer));
        present.or_else(|| absent().map(|absent| LayerStatus::Absent(absent, deliver)))
    };
    let mut out = Vec::new();
    for tier in &manifest.tiers {
        let deliver = tier.deliver.as_ref().map_or(Deliver::System, |d| d.value);
        let layers = tier.layers.iter();
        out.extend(layers.filter_map(|layer| fate(&layer.name.value, deliver)));
    }
    out
}
