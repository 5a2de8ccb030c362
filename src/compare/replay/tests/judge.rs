//! Rounds against all mixes.

use super::super::leaves::{Mix, Unit};
use super::super::search::{Kept, Mixes, Role, Round, kept};
use super::{LIMITS, Searched};
use crate::prompt::Prompt;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the mixes of a pair have in common with A, as far as they build.
struct Truth<'m> {
    mixes: &'m mut dyn Mixes,
    a: Arc<Prompt>,
    known: BTreeMap<Mix, Option<Kept>>,
}

impl Truth<'_> {
    fn kept(&mut self, mix: &Mix) -> Option<Kept> {
        if let Some(known) = self.known.get(mix) {
            return *known;
        }
        let built = self.mixes.build(mix);
        let kept = built.map(|prompt| kept(&self.a, &prompt));
        self.known.insert(mix.clone(), kept);
        kept
    }
}

/// Whether the rounds are right, by the mixes of all sets of units.
pub(super) fn judge(mixes: &mut dyn Mixes, found: &Searched) -> Result<(), TestCaseError> {
    let a = mixes.build(&Mix::new()).unwrap();
    let mut truth = Truth {
        mixes,
        a,
        known: BTreeMap::new(),
    };
    let mut mix = truth.mixes.leaves().b();
    for round in &found.rounds {
        prop_assert_eq!(&round.mix, &mix, "a round begins where the last one ended");
        let is_smaller = round.without.is_subset(&round.mix) && round.without != round.mix;
        prop_assert!(is_smaller, "a round takes something back");
        mix.clone_from(&round.without);
        judge_round(&mut truth, found, round)?;
    }
    if found.stopped.is_none() && found.rounds.len() < LIMITS.rounds {
        let last = truth.kept(&mix);
        prop_assert_eq!(last, Some(Kept::All), "the rounds end at A");
    }
    Ok(())
}

fn judge_round(
    truth: &mut Truth<'_>,
    found: &Searched,
    round: &Round,
) -> Result<(), TestCaseError> {
    let at = truth.kept(&round.mix).unwrap();
    prop_assert_ne!(at, Kept::All, "where it breaks");
    prop_assert_eq!(truth.kept(&round.without), Some(round.kept), "what is kept");
    prop_assert!(round.kept >= at, "no less is kept");
    prop_assert!(!round.causes.is_empty(), "a cause is named");
    let units = truth.mixes.leaves().units.clone();
    let on = units
        .iter()
        .map(|(unit, leaves)| (unit, leaves & &round.mix))
        .filter(|(_, leaves)| !leaves.is_empty());
    let on: Vec<(&Unit, Mix)> = on.collect();
    // The sets of units whose reverting moves the break, and those of them that are minimal.
    let sets = (1_usize..1 << on.len()).filter(|bits| {
        let gone = on.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        let mut mix = round.mix.clone();
        gone.for_each(|(_, (_, leaves))| mix.retain(|leaf| !leaves.contains(leaf)));
        truth.kept(&mix).is_some_and(|kept| kept > at)
    });
    let sets: Vec<usize> = sets.collect();
    let is_minimal = |set: &usize| {
        let mut others = sets.iter().filter(|other| *other != set);
        !others.any(|other| other & set == *other)
    };
    let minimal: Vec<usize> = sets.iter().copied().filter(is_minimal).collect();
    for cause in &round.causes {
        let at = on.iter().position(|(unit, _)| **unit == cause.unit);
        let mut minimal = minimal.iter();
        let is_in = minimal.any(|set| at.is_some_and(|at| set >> at & 1 == 1));
        prop_assert!(is_in, "{:?} is in no minimal set", cause.unit);
    }
    // Of causes of which any would do, any do.
    if let Role::Any(number) = round.role {
        let places = round.causes.iter().map(|cause| {
            let mut on = on.iter();
            1 << on.position(|(unit, _)| **unit == cause.unit).unwrap()
        });
        let places: Vec<usize> = places.collect();
        for chosen in (0_usize..1 << places.len()).filter(|set| set.count_ones() as usize == number)
        {
            let bits = places.iter().enumerate();
            let bits = bits.filter(|(at, _)| chosen >> at & 1 == 1);
            let set: usize = bits.map(|(_, bit)| bit).sum();
            prop_assert!(sets.contains(&set), "{chosen:b} is not enough");
        }
    }
    // One that is needed in every minimal set, and nothing else is, is named.
    if let [one] = minimal.as_slice()
        && one.count_ones() == 1
    {
        let unit = on[one.trailing_zeros() as usize].0;
        let mut causes = round.causes.iter();
        prop_assert!(causes.any(|cause| cause.unit == *unit), "{unit:?}");
        prop_assert_eq!(round.role, Role::Alone);
    }
    // One without which it breaks later is named: here, in a round of its own, or as one that acts only through another.
    let needed = on.iter().enumerate();
    let needed = needed.filter(|(at, _)| sets.contains(&(1 << at)));
    for (_, (unit, _)) in needed {
        let mut causes = found.rounds.iter().flat_map(|round| &round.causes);
        let is_named = causes.any(|cause| cause.unit == **unit);
        prop_assert!(is_named || found.also.contains(unit), "{unit:?} is nowhere");
    }
    Ok(())
}
