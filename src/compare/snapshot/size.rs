//! The layers of a snapshot with the joins before them.

use super::line::{LayerLine, Line, TierLine};
use super::lock::Snapshot;
use crate::prompt::Deliver;
use std::collections::BTreeMap;

impl Snapshot {
    /// The bytes of each layer in the prompt, including the join before it. No text is needed.
    #[must_use]
    pub fn sizes(&self) -> BTreeMap<String, usize> {
        let all = self.layers().into_iter();
        all.map(|(layer, join)| (layer.layer.clone(), layer.bytes.saturating_add(join.len())))
            .collect()
    }

    /// The layers that are in the prompt, each with the join before it.
    pub(super) fn layers(&self) -> Vec<(&LayerLine, &str)> {
        let mut out = Vec::new();
        // The tier at hand and whether a layer of it has come; the channels that have text.
        let mut tier: Option<(&TierLine, bool)> = None;
        let mut begun: Vec<Deliver> = Vec::new();
        for line in &self.body {
            match line {
                Line::Tier(line) => tier = Some((line, false)),
                Line::Layer(layer) => {
                    let Some((line, inside)) = tier else {
                        continue;
                    };
                    let join = match (begun.contains(&line.deliver), inside) {
                        (false, _) => "",
                        (true, false) => &line.lead,
                        (true, true) => &line.join,
                    };
                    begun.push(line.deliver);
                    tier = Some((line, true));
                    out.push((layer, join));
                }
                _ => {}
            }
        }
        out
    }
}
