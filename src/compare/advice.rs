//! Changes that would have kept more of the prefix, with figures.

use super::changed_text;
use super::followed::followed;
use super::model::{Advice, AdviceKind, Break, Cause, CauseKind, Diff};
use super::replay::{self, InputMixes};
use crate::compile::Plan;
use crate::prompt::{
    Changes, Channel, Definition, Deliver, Ingredient, Layer, Prompt, Tier, Value,
};
use crate::text::prefix;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Advice that keeps less than this share of A more is not shown.
const WORTH: f64 = 0.02;

/// How many places of a layer are tried.
const MOST_TRIES: usize = 4;

/// The possible changes against the break. Each was built on both sides: what it keeps is what these two builds have in common.
pub(super) fn advice(diff: &Diff, both: [&Prompt; 2], mixes: &mut InputMixes) -> Vec<Advice> {
    let Some(first) = diff.first.as_ref().filter(|f| f.channel == Deliver::System) else {
        return Vec::new();
    };
    // An edit of the manifest or of a template happens with a deployment, once.
    if !first.causes.iter().any(recurs) {
        return Vec::new();
    }
    let layer = first.layer.as_deref().unwrap_or_default();
    let mut places = places(diff, layer, both).into_iter();
    let mut out: Vec<Advice> = places
        .find_map(|advice| built(diff, advice, both, mixes))
        .into_iter()
        .collect();
    let coarser = first.causes.iter().filter_map(|c| coarser(first, c));
    out.extend(coarser.filter_map(|advice| built(diff, advice, both, mixes)));
    out
}

/// Other places for the advised layer, before the advised one, as far as they keep more; the last one comes first.
pub(crate) fn elsewhere(diff: &Diff, advice: &Advice, both: [&Prompt; 2]) -> Vec<Advice> {
    let Some((mut mixes, _)) = replay::mixes(both) else {
        return Vec::new();
    };
    let places = places(diff, &advice.layer, both).into_iter();
    let before = places.skip_while(|place| place.after != advice.after);
    let before = before.skip(1);
    before
        .filter_map(|advice| built(diff, advice, both, &mut mixes))
        .collect()
}

/// An advice with what it keeps; none if that is not worth it, or it does not build.
fn built(
    diff: &Diff,
    mut advice: Advice,
    both: [&Prompt; 2],
    mixes: &mut InputMixes,
) -> Option<Advice> {
    let edit = |plan: &Plan| followed(&advice, plan);
    let new = mixes.edited(&edit, advice.fact.as_deref())?;
    // A fact that says less gives other texts. Another order must not: it is no advice where budgets cut otherwise then.
    let mut pairs = both.into_iter().zip(&new);
    if advice.kind == AdviceKind::Order && pairs.any(|(old, new)| changed_text(old, new).is_some())
    {
        return None;
    }
    let [a, b] = new.each_ref().map(|prompt| prompt.text(Deliver::System));
    advice.kept = prefix::common(a, b);
    let share = match a.len() {
        0 => 100,
        whole => advice.kept * 100 / whole,
    };
    let _ = write!(advice.message, " keeps {share} %");
    let more = advice.kept.saturating_sub(diff.kept.bytes);
    #[expect(clippy::cast_precision_loss, reason = "a share of a prompt's size")]
    let is_worth = diff.of.bytes > 0 && more as f64 >= WORTH * diff.of.bytes as f64;
    is_worth.then_some(advice)
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

/// The places of a layer after which it would keep more, the last one first.
fn places(diff: &Diff, layer: &str, [a, b]: [&Prompt; 2]) -> Vec<Advice> {
    let targets = targets(diff, layer, a, b).into_iter().rev();
    let advice = |last: &Layer| Advice {
        kind: AdviceKind::Order,
        layer: layer.to_owned(),
        after: Some(last.name.clone()),
        fact: None,
        kept: 0,
        message: format!("`{layer}` after `{}`", last.name),
    };
    targets.map(advice).take(MOST_TRIES).collect()
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
            .as_text()
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

/// A point in time of which only the time of day is new.
fn coarser(first: &Break, cause: &Cause) -> Option<Advice> {
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
    Some(Advice {
        kind: AdviceKind::CoarserFact,
        layer: first.layer.clone().unwrap_or_default(),
        after: None,
        fact: Some(fact.clone()),
        kept: 0,
        message: format!("`{fact}` as a day, without the time,"),
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
