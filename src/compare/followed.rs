//! A manifest that follows an advice.

use super::model::{Advice, AdviceKind};
use crate::compile::{Plan, TierPlan};
use crate::diagnostic::span::Spanned;
use crate::manifest::{FactType, Manifest, Tier};
use crate::prompt::Changes;

/// The manifest with the change that an advice names, also where no edit of its files is known; none if it is about a layer or a
/// fact that there is not. Nothing is written from it: it shows what `promptc check` would find.
pub(crate) fn followed(advice: &Advice, plan: &Plan) -> Option<Manifest> {
    let tiers: Vec<TierPlan<'_>> = plan.tiers().collect();
    let mut manifest = plan.manifest().clone();
    if advice.kind == AdviceKind::CoarserFact {
        let mut facts = manifest.facts.iter_mut();
        let fact = facts.find(|fact| Some(&fact.name.value) == advice.fact.as_ref())?;
        if fact.kind.value == FactType::DateTime {
            fact.kind.value = FactType::Date;
            fact.changes = Some(Spanned::new(Changes::Day, fact.kind.span));
        }
        return Some(manifest);
    }
    let Move { from, after, with } = Move::of(advice, &tiers)?;
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
        let at = if from.0 == after.0 {
            next(from.1, after.1)
        } else {
            after.1 + 1
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
pub(crate) struct Move {
    pub(crate) from: (usize, usize),
    pub(crate) after: (usize, usize),
    pub(crate) with: With,
}

/// What a layer moves with.
#[derive(PartialEq, Eq)]
pub(crate) enum With {
    /// Its tier, which has no other layer.
    Tier,
    /// Nothing: it goes into the tier of the other, which may change as often.
    Nothing,
    /// A new tier, after that of the other.
    NewTier,
}

impl Move {
    /// The move that an advice names; none if it names none between layers that there are.
    pub(crate) fn of(advice: &Advice, tiers: &[TierPlan<'_>]) -> Option<Self> {
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

fn find(tiers: &[TierPlan<'_>], name: &str) -> Option<(usize, usize)> {
    tiers.iter().enumerate().find_map(|(at, tier)| {
        let mut layers = tier.layers.iter();
        Some((at, layers.position(|l| l.written.name.value == name)?))
    })
}
