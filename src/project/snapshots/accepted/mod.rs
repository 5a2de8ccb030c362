//! Accepted breaks: for each break with a given reason, a file that is committed with the snapshots.

mod rows;
mod read;
mod write;
mod gather;

pub(crate) use gather::{Reasons, stale};
pub(crate) use read::all as read;
use write::write;

use crate::compare::{Break, CauseKind, own_text};
use crate::project::Compared;
use crate::prompt::{Deliver, Prompt, sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A break of the cached prefix that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AcceptedBreak {
    /// The scenario whose prompt broke.
    pub(crate) scenario: String,
    /// The channel.
    pub(crate) channel: Deliver,
    /// The layer that broke.
    pub(crate) layer: String,
    /// The hash of its text as it was accepted; that of the empty text if it is gone.
    pub(crate) text: String,
    /// Why it broke.
    pub(crate) causes: Vec<AcceptedCause>,
    /// Why that was accepted.
    pub(crate) because: String,
}

/// Why a prefix broke, without the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AcceptedCause {
    /// The kind of change, by the word that `diff` has for it.
    pub(crate) kind: String,
    /// The document, template or manifest.
    pub(crate) path: Option<String>,
    /// The line in it.
    pub(crate) line: Option<usize>,
    /// The fact.
    pub(crate) fact: Option<String>,
}

impl AcceptedCause {
    /// Where it is and what happened.
    fn what(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = (self.path.as_ref()).map(|path| format!(" {path}{line}"));
        let fact = self.fact.as_ref().map(|fact| format!(" `{fact}`"));
        let parts = [place, fact].into_iter().flatten();
        format!("{}{}", self.kind, parts.collect::<String>())
    }
}

/// The accepted breaks of a manifest, by their files.
pub(crate) type AcceptedBreaks = BTreeMap<PathBuf, AcceptedBreak>;

/// The folder with the accepted breaks of a manifest: `promptc.accepted` for `promptc.kdl`.
pub(crate) fn folder(manifest: &Path) -> PathBuf {
    manifest.with_extension("accepted")
}

impl AcceptedBreak {
    /// Whether it accepts this break of the scenario, whose prompt is `now`.
    pub(crate) fn is_of(&self, scenario: &str, found: &Break, now: &Prompt) -> bool {
        let same = self.scenario == scenario && self.channel == found.channel;
        let moved = CauseKind::LayerMoved.name();
        let was_moved = self.causes.iter().any(|cause| cause.kind == moved);
        let is_moved = found
            .reasons()
            .iter()
            .any(|cause| cause.kind == CauseKind::LayerMoved);
        same && was_moved == is_moved
            && found.layer.as_deref() == Some(&self.layer)
            && self.holds_in(now)
    }

    /// Whether the layer's text is still the one that was accepted.
    fn holds_in(&self, now: &Prompt) -> bool {
        hashes(now, self.channel, &self.layer).contains(&self.text)
    }

    /// The layer and its causes, for people.
    fn what(&self) -> String {
        let causes: Vec<String> = self.causes.iter().map(AcceptedCause::what).collect();
        format!("layer `{}`, {}", self.layer, causes.join(", "))
    }
}

/// The hash of a layer's text, and the one that its map has: of a snapshot without text that is the only one.
fn hashes(prompt: &Prompt, channel: Deliver, layer: &str) -> Vec<String> {
    let mut layers = prompt.channel(channel).into_iter().flat_map(|c| &c.layers);
    let in_map = layers.find(|l| l.name == layer).map(|l| l.sha256.clone());
    let own = sha256(own_text(prompt, channel, layer));
    in_map.into_iter().chain([own]).collect()
}

/// Notes for each break of the comparisons which acceptance is in `after` and not in `before`.
pub(crate) fn mark(all: &mut [Compared], before: &AcceptedBreaks, after: &AcceptedBreaks) {
    let added = after
        .iter()
        .filter(|(path, is)| before.get(*path) != Some(is));
    let added: Vec<_> = added.collect();
    for compared in all {
        let Some(scenario) = compared.snapshot.clone() else {
            continue;
        };
        let diff = &mut compared.diff;
        for found in diff.first.iter_mut().chain(&mut diff.hidden) {
            let of = added
                .iter()
                .find(|(_, is)| is.is_of(&scenario, found, &compared.b));
            found.accepted = of.map(|(path, is)| crate::compare::Acceptance {
                because: is.because.clone(),
                file: path.display().to_string(),
            });
        }
    }
}
