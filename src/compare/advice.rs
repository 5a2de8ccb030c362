//! Changes that would have kept more of the prefix, with figures.

use super::model::{Advice, AdviceKind, Break, Cause, CauseKind, Diff};
use crate::prompt::{Deliver, Layer, Prompt};

/// Advice that keeps less than this share of A more is not shown.
const WORTH: f64 = 0.02;

/// The possible changes against the break.
pub(super) fn advice(diff: &Diff, a: &Prompt, b: &Prompt) -> Vec<Advice> {
    let Some(first) = diff.first.as_ref().filter(|f| f.channel == Deliver::System) else {
        return Vec::new();
    };
    // An edit of the manifest or of a template happens with a deployment, once.
    if !first.causes.iter().any(recurs) {
        return Vec::new();
    }
    let mut out: Vec<Advice> = order(diff, first, a, b).into_iter().collect();
    out.extend(first.causes.iter().filter_map(|c| coarser(diff, first, c)));
    out.retain(|advice| gains(diff, advice.kept));
    out
}

fn recurs(cause: &Cause) -> bool {
    matches!(
        cause.kind,
        CauseKind::FactChanged
            | CauseKind::ConditionFlipped
            | CauseKind::DocumentChanged
            | CauseKind::DocumentReplaced
            | CauseKind::DocumentAppeared
            | CauseKind::DocumentVanished
            | CauseKind::ItemAdded
            | CauseKind::ItemRemoved
            | CauseKind::ItemChanged
            | CauseKind::ItemReordered
            | CauseKind::CutMoved
            | CauseKind::WhitespaceOnly
    )
}

/// The move of the changed layer after those that did not change.
fn order(diff: &Diff, first: &Break, a: &Prompt, b: &Prompt) -> Option<Advice> {
    let layer = first.layer.as_deref()?;
    let (channel, before) = (a.channel(Deliver::System)?, b.channel(Deliver::System)?);
    let next = diff.hidden.iter().find(|h| h.channel == Deliver::System);
    let limit = next.map_or(channel.text.len(), |h| h.offset);
    let own = channel.layers.iter().find(|l| l.name == layer);
    let moved = own.map_or(0, |l| l.end - l.start);
    let last = channel
        .layers
        .iter()
        .rfind(|l| l.end <= limit && l.start >= first.offset && diff.displaced.contains(&l.name))?;
    // Everything before the next break moves forward by the layer's own length.
    let kept = (last.end).checked_sub(moved)?;
    before.layers.iter().find(|l| l.name == last.name)?;
    Some(after_layer(diff, layer, last, kept))
}

/// Other places for the advised layer, before the advised one; the place that keeps the most bytes comes first. The layer before such a
/// place does not change more often than the advised layer.
pub(crate) fn elsewhere(diff: &Diff, advice: &Advice, a: &Prompt) -> Vec<Advice> {
    let layers = a.channel(Deliver::System).map(|c| c.layers.as_slice());
    let layers = layers.unwrap_or_default();
    let own = layers.iter().find(|l| l.name == advice.layer);
    let (Some(own), Some(after)) = (own, &advice.after) else {
        return Vec::new();
    };
    let fits = |l: &&Layer| {
        l.start >= own.end && l.changes <= own.changes && diff.displaced.contains(&l.name)
    };
    let before = layers.iter().take_while(|l| l.name != *after).filter(fits);
    let moved = own.end - own.start;
    let all = before.map(|last| after_layer(diff, &advice.layer, last, last.end - moved));
    let mut all: Vec<Advice> = all.filter(|advice| gains(diff, advice.kept)).collect();
    all.reverse();
    all
}

fn after_layer(diff: &Diff, layer: &str, last: &Layer, kept: usize) -> Advice {
    Advice {
        kind: AdviceKind::Order,
        layer: layer.to_owned(),
        after: Some(last.name.clone()),
        fact: None,
        kept,
        message: format!(
            "`{layer}` after `{}` keeps {}",
            last.name,
            share(kept, diff.of.bytes)
        ),
    }
}

/// Whether a change that keeps so much is worth it.
fn gains(diff: &Diff, kept: usize) -> bool {
    let more = kept.saturating_sub(diff.kept.bytes);
    #[expect(clippy::cast_precision_loss, reason = "a share of a prompt's size")]
    let worth = diff.of.bytes > 0 && more as f64 >= WORTH * diff.of.bytes as f64;
    worth
}

/// A point in time of which only the time of day is new.
fn coarser(diff: &Diff, first: &Break, cause: &Cause) -> Option<Advice> {
    let (fact, old, new) = (
        cause.fact.as_ref()?,
        cause.old.as_ref()?,
        cause.new.as_ref()?,
    );
    let is_time = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() > 16 && bytes[10] == b'T' && bytes[13] == b':' && bytes[4] == b'-'
    };
    if cause.kind != CauseKind::FactChanged
        || !is_time(old)
        || !is_time(new)
        || old.get(..10) != new.get(..10)
    {
        return None;
    }
    let next = diff.hidden.iter().find(|h| h.channel == Deliver::System);
    let kept = next.map_or(diff.of.bytes, |h| h.offset);
    Some(Advice {
        kind: AdviceKind::CoarserFact,
        layer: first.layer.clone().unwrap_or_default(),
        after: None,
        fact: Some(fact.clone()),
        kept,
        message: format!(
            "`{fact}` as a day, without the time, keeps {}",
            share(kept, diff.of.bytes)
        ),
    })
}

/// A share in whole percent, rounded down: 100 % is all.
fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "100 %".to_owned(),
        whole => format!("{} %", part * 100 / whole),
    }
}
