//! Changes that would have kept more of the prefix, with figures.

use super::model::{Advice, AdviceKind, Break, Cause, CauseKind, Diff};
use crate::prompt::{
    Changes, Channel, Definition, Deliver, Ingredient, Layer, Prompt, Tier, Value,
};
use std::collections::BTreeSet;

/// Advice that keeps less than this share of A more is not shown.
const WORTH: f64 = 0.02;

/// The possible changes against the break.
pub(super) fn advice(diff: &Diff, a: &Prompt, b: &Prompt) -> Vec<Advice> {
    let Some(first) = diff.first.as_ref().filter(|f| f.channel == Deliver::System) else {
        return Vec::new();
    };
    // An edit of the manifest or of a template happens with a deployment, once.
    if !first.reasons().iter().any(recurs) {
        return Vec::new();
    }
    let mut out: Vec<Advice> = order(diff, first, a, b).into_iter().collect();
    out.extend(
        first
            .reasons()
            .iter()
            .filter_map(|c| coarser(diff, first, c)),
    );
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
    let last = *targets(diff, layer, a, b).last()?;
    Some(moved(diff, layer, last, a))
}

/// Other places for the advised layer, before the advised one; the place that keeps the most bytes comes first.
pub(crate) fn elsewhere(diff: &Diff, advice: &Advice, (a, b): (&Prompt, &Prompt)) -> Vec<Advice> {
    let before = targets(diff, &advice.layer, a, b).into_iter();
    let before = before.take_while(|last| Some(&last.name) != advice.after.as_ref());
    let all = before.map(|last| moved(diff, &advice.layer, last, a));
    let mut all: Vec<Advice> = all.filter(|advice| gains(diff, advice.kept)).collect();
    all.reverse();
    all
}

/// The names of layers that say who the model is. A prompt begins with them, whatever a change of them costs.
const PERSONAS: [&str; 4] = ["identity", "persona", "soul", "character"];

/// The layers of A after which the changed one would keep more, in order: with the same text in both prompts, up to the next change.
/// A layer never moves past a more volatile one, and it leaves its tier only if it has the volatility of the tier and no tier before its
/// new place has a higher one: `promptc check` would ask for the opposite. What an owner locked stays where it is.
fn targets<'p>(diff: &Diff, layer: &str, a: &'p Prompt, b: &Prompt) -> Vec<&'p Layer> {
    let (Some(first), Some(channel)) = (&diff.first, a.channel(Deliver::System)) else {
        return Vec::new();
    };
    let next = diff.hidden.iter().find(|h| h.channel == Deliver::System);
    let limit = next.map_or(channel.text.len(), |h| h.offset);
    // A layer that is new is only in B.
    let own = [a, b].into_iter().find_map(|prompt| {
        let channel = prompt.channel(Deliver::System)?;
        let own = channel.layers.iter().find(|l| l.name == layer)?;
        Some((own, tier(channel, own)?))
    });
    let Some((own, own_tier)) = own else {
        return Vec::new();
    };
    if PERSONAS.contains(&layer) || locked(&own.definition) || locked(&own_tier.definition) {
        return Vec::new();
    }
    let class = |tier: &Tier| class(tier, [a, b]);
    // A tier that is declared to change at every call would stay one without it.
    let stays = own.changes == Changes::Turn
        && declared(own_tier).is_some()
        && !is_alone(&own_tier.name, [a, b]);
    let free = class(own_tier) == own.changes && !stays;
    let fits = |target: &Tier| {
        let before = channel
            .tiers
            .iter()
            .take_while(|tier| tier.end <= target.end);
        free && before
            .filter(|t| t.start < t.end)
            .all(|t| class(t) <= own.changes)
    };
    let follows = |l: &&Layer| l.start >= first.offset && l.name != layer;
    let behind = |l: &&Layer| {
        let tier = tier(channel, l);
        pace(l) <= pace(own) && tier.is_some_and(|tier| tier.name == own_tier.name || fits(tier))
    };
    let takes = |l: &&Layer| {
        l.end <= limit
            && diff.displaced.contains(&l.name)
            && !tier(channel, l).is_some_and(|tier| locked(&tier.definition))
            && b.layer(&l.name)
                .is_some_and(|(channel, _)| channel.deliver == Deliver::System)
    };
    let passed = channel.layers.iter().filter(follows).take_while(behind);
    passed.filter(takes).collect()
}

fn tier<'p>(channel: &'p Channel, layer: &Layer) -> Option<&'p Tier> {
    channel.tiers.iter().find(|tier| tier.name == layer.tier)
}

/// The declared volatility of a tier, else the highest one of its layers in these prompts.
fn class(tier: &Tier, prompts: [&Prompt; 2]) -> Changes {
    let own = layers(prompts).filter(|layer| layer.tier == tier.name);
    let highest = own.map(|layer| layer.changes).max();
    declared(tier).or(highest).unwrap_or(tier.changes)
}

fn layers(prompts: [&Prompt; 2]) -> impl Iterator<Item = &Layer> {
    let channels = prompts.into_iter().flat_map(|prompt| &prompt.channels);
    channels.flat_map(|channel| &channel.layers)
}

fn declared(tier: &Tier) -> Option<Changes> {
    let Value::Text(written) = tier.definition.nodes.first()?.property("changes")? else {
        return None;
    };
    let mut all = Changes::ALL.into_iter();
    all.find(|class| class.name() == written)
}

/// Whether the tier has one layer only, present or absent.
fn is_alone(tier: &str, prompts: [&Prompt; 2]) -> bool {
    let present = layers(prompts).map(|layer| (&layer.tier, &layer.name));
    let absent = prompts.iter().flat_map(|prompt| &prompt.absent);
    let all = present.chain(absent.map(|absent| (&absent.tier, &absent.layer)));
    let own = all.filter(|(of, _)| *of == tier).map(|(_, name)| name);
    own.collect::<BTreeSet<_>>().len() == 1
}

/// How often a layer changes; one that prints a date at least every day, whatever the manifest says of it.
fn pace(layer: &Layer) -> Changes {
    let is_clock = |ingredient: &Ingredient| match ingredient {
        Ingredient::Fact {
            value: Some(value), ..
        } => value
            .as_str()
            .is_some_and(|text| is_day(text) || is_time(text)),
        _ => false,
    };
    if layer.ingredients.iter().any(is_clock) {
        layer.changes.max(Changes::Day)
    } else {
        layer.changes
    }
}

/// Whether an owner forbids overlays to change it.
fn locked(definition: &Definition) -> bool {
    let top = definition.nodes.first();
    top.and_then(|node| node.property("locked")) == Some(&Value::Bool(true))
}

/// The advice to move a layer of A, or a new one, after another. Everything up to there moves forward by the layer's own length.
fn moved(diff: &Diff, layer: &str, last: &Layer, a: &Prompt) -> Advice {
    let own = a.channel(Deliver::System);
    let own = own.and_then(|c| c.layers.iter().find(|l| l.name == layer));
    let length = own.map_or(0, |l| l.end - l.start);
    let kept = last.end.saturating_sub(length);
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

/// Whether a text is a day, `2026-11-21`.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[0].is_ascii_digit()
}

/// Whether a text is a point in time, `2026-11-21T10:00:00Z`.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 16 && bytes[10] == b'T' && bytes[13] == b':' && bytes[4] == b'-'
}

/// A share in whole percent, rounded down: 100 % is all.
fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "100 %".to_owned(),
        whole => format!("{} %", part * 100 / whole),
    }
}
