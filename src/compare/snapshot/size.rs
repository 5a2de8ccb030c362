//! The size of each layer of a snapshot.

use super::line::{Line, TierLine};
use super::lock::Snapshot;
use crate::prompt::Deliver;
use std::collections::BTreeMap;

impl Snapshot {
    /// The bytes of each layer in the prompt, including the join before it. No snapshot is needed.
    #[must_use]
    pub fn sizes(&self) -> BTreeMap<String, usize> {
        let mut out = BTreeMap::new();
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
                        (false, _) => 0,
                        (true, false) => line.lead.len(),
                        (true, true) => line.join.len(),
                    };
                    begun.push(line.deliver);
                    tier = Some((line, true));
                    out.insert(layer.layer.clone(), layer.bytes.saturating_add(join));
                }
                Line::Snapshot(_) | Line::Absent(_) => {}
            }
        }
        out
    }
}
