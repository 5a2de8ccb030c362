//! An advice about two prompts as an edit of the manifest.

use super::fix::spliced;
use super::layout::Page;
use crate::compare::{Advice, AdviceKind};
use crate::compile::{LayerPlan, Plan, TierPlan};
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

/// The move of a layer after another: with its tier if that has no other layer, else into the tier of the other if that may
/// change as often, else in a new tier after it.
fn order(advice: &Advice, plan: &Plan, page: &Page<'_>) -> Option<Parts> {
    let manifest = plan.manifest();
    let tiers: Vec<TierPlan<'_>> = plan.tiers().collect();
    let (own, layer) = find(&tiers, &advice.layer)?;
    let (target, other) = find(&tiers, advice.after.as_deref()?)?;
    let bounded =
        |tier: &TierPlan<'_>| tier.written.budget.is_some() || tier.deliver != Deliver::System;
    if manifest.budget.is_some() || bounded(own) || bounded(target) {
        return None;
    }
    let lines = |place: Span| page.block(place.range());
    let of_layer = |layer: &LayerPlan<'_>| lines(layer.written.place);
    let same = own.written.name.value == target.written.name.value;
    let promised = target.written.changes.as_ref();
    let fits = same || promised.is_some_and(|changes| changes.value >= layer.why.changes);
    let edits = if !same && own.layers.len() == 1 {
        page.moved(
            &lines(own.written.place)?,
            &lines(target.written.place)?,
            false,
        )
    } else if fits {
        page.moved(&of_layer(layer)?, &of_layer(other)?, false)
    } else {
        let name = &advice.layer;
        let free = tiers.iter().all(|tier| tier.written.name.value != *name);
        let head = format!("tier {name} changes={} {{", layer.why.changes);
        let (layer, tier) = (of_layer(layer)?, lines(target.written.place)?);
        free.then(|| page.moved_in(&layer, &tier, &head))?
    };
    Some(edits.into())
}

fn find<'p, 'a>(
    tiers: &'p [TierPlan<'a>],
    name: &str,
) -> Option<(&'p TierPlan<'a>, &'p LayerPlan<'a>)> {
    tiers.iter().find_map(|tier| {
        let layer = tier.layers.iter().find(|l| l.written.name.value == name)?;
        Some((tier, layer))
    })
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
