//! An advice about two prompts as an edit of the manifest, or as the plan after it.

use super::fix::spliced;
use super::layout::Page;
use crate::compare::{Advice, AdviceKind};
use crate::compile::{Plan, TierPlan};
use crate::diagnostic::span::{Files, Span, Spanned};
use crate::manifest::{FactType, Manifest, Origin, Tier};
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

/// The manifest with the move that an advice names, also where no edit of its files is known; none if it names no move between
/// layers that there are. Nothing is written from it: it shows what `promptc check` would find.
pub(crate) fn moved(advice: &Advice, plan: &Plan) -> Option<Manifest> {
    let tiers: Vec<TierPlan<'_>> = plan.tiers().collect();
    let Move { from, after, with } = Move::of(advice, &tiers)?;
    let mut manifest = plan.manifest().clone();
    let all = &mut manifest.tiers;
    // What goes from before the new place makes it one lower.
    let next = |gone: usize, after: usize| after + usize::from(gone > after);
    if with == With::Tier {
        let tier = all.remove(from.0);
        all.insert(next(from.0, after.0), tier);
        return Some(manifest);
    }
    let layer = all[from.0].layers.remove(from.1);
    if with == With::Nothing {
        let at = match from.0 == after.0 {
            true => next(from.1, after.1),
            false => after.1 + 1,
        };
        all[after.0].layers.insert(at, layer);
        return Some(manifest);
    }
    let changes = tiers[from.0].layers[from.1].why.changes;
    let tier = Tier {
        // No name in a file is like it.
        name: Spanned::new(format!("after {}", advice.layer), layer.span),
        changes: Some(Spanned::new(changes, layer.span)),
        budget: None,
        reserve: None,
        locked: None,
        waivers: Vec::new(),
        layers: vec![layer],
        ..all[after.0].clone()
    };
    all.insert(after.0 + 1, tier);
    Some(manifest)
}

/// The move of a layer after another, each by the index of its tier and its own in it.
struct Move {
    from: (usize, usize),
    after: (usize, usize),
    with: With,
}

/// What a layer moves with.
#[derive(PartialEq, Eq)]
enum With {
    /// Its tier, which has no other layer.
    Tier,
    /// Nothing: it goes into the tier of the other, which may change as often.
    Nothing,
    /// A new tier, after that of the other.
    NewTier,
}

impl Move {
    fn of(advice: &Advice, tiers: &[TierPlan<'_>]) -> Option<Self> {
        if advice.kind != AdviceKind::Order {
            return None;
        }
        let from = find(tiers, &advice.layer)?;
        let after = find(tiers, advice.after.as_deref()?)?;
        let (own, target) = (&tiers[from.0], &tiers[after.0]);
        let promised = target.written.changes.as_ref();
        let class = own.layers[from.1].why.changes;
        let with = if from.0 != after.0 && own.layers.len() == 1 {
            With::Tier
        } else if from.0 == after.0 || promised.is_some_and(|changes| changes.value >= class) {
            With::Nothing
        } else {
            With::NewTier
        };
        Some(Self { from, after, with })
    }
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

fn find(tiers: &[TierPlan<'_>], name: &str) -> Option<(usize, usize)> {
    tiers.iter().enumerate().find_map(|(at, tier)| {
        let mut layers = tier.layers.iter();
        Some((at, layers.position(|l| l.written.name.value == name)?))
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
