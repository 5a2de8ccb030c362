//! An advice about two prompts as an edit of the manifest.

use super::fix::spliced;
use super::layout::Page;
use crate::compare::{Advice, AdviceKind, Move, With};
use crate::compile::{Plan, TierPlan};
use crate::diagnostic::span::{Files, Span};
use crate::manifest::{FactType, Manifest, Origin};
use crate::prompt::{Changes, Deliver};
use std::ops::Range;

/// The replaced text, and its replacement.
type Parts = Vec<(Range<usize>, String)>;

/// The text of the manifest with the edit of an advice; none if no edit is known. Whether the layers keep their texts shows
/// only in a build.
#[must_use]
pub fn advised(advice: &Advice, plan: &Plan, files: &Files) -> Option<String> {
    let manifest = plan.manifest();
    if manifest.sheets.len() > 1 || matches!(manifest.origin, Origin::BuiltIn { .. }) {
        return None;
    }
    let text: &str = &files.get(manifest.file).text;
    let page = Page::new(manifest.file, text);
    let edit = match advice.kind {
        AdviceKind::Order => order(advice, plan, &page),
        AdviceKind::CoarserFact => day(advice.fact.as_deref()?, manifest),
    }?;
    let parts = edit
        .iter()
        .map(|(range, new)| (range.clone(), new.as_str()));
    Some(spliced(text, parts.collect()))
}

/// The edit of a move.
fn order(advice: &Advice, plan: &Plan, page: &Page<'_>) -> Option<Parts> {
    let tiers: Vec<TierPlan<'_>> = plan.tiers().collect();
    let Move { from, after, with } = Move::of(advice, &tiers)?;
    let (own, target) = (&tiers[from.0], &tiers[after.0]);
    let bounded =
        |tier: &TierPlan<'_>| tier.written.budget.is_some() || tier.deliver != Deliver::System;
    if plan.manifest().budget.is_some() || bounded(own) || bounded(target) {
        return None;
    }
    let lines = |place: Span| page.block(place.range());
    let (layer, other) = (&own.layers[from.1], &target.layers[after.1]);
    let edits = match with {
        With::Tier => page.moved(
            &lines(own.written.place)?,
            &lines(target.written.place)?,
            false,
        ),
        With::Nothing => page.moved(
            &lines(layer.written.place)?,
            &lines(other.written.place)?,
            false,
        ),
        With::NewTier => {
            let name = &advice.layer;
            let free = tiers.iter().all(|tier| tier.written.name.value != *name);
            let head = format!("tier {name} changes={} {{", layer.why.changes);
            let (layer, tier) = (lines(layer.written.place)?, lines(target.written.place)?);
            free.then(|| page.moved_in(&layer, &tier, &head))?
        }
    };
    Some(edits.into())
}

/// A date in place of a datetime.
fn day(fact: &str, manifest: &Manifest) -> Option<Parts> {
    let mut facts = manifest.facts.iter();
    let fact = facts.find(|f| f.name.value == fact && f.kind.value == FactType::DateTime)?;
    let with = |span: Span, text: &str| (span.range(), text.to_owned());
    Some(match &fact.changes {
        Some(changes) => vec![
            with(fact.kind.span, "date"),
            with(changes.span, Changes::Day.name()),
        ],
        None => vec![with(fact.kind.span, "date changes=day")],
    })
}
