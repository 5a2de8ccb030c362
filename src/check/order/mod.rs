//! The order of tiers that saves most: the fewest moves to it, and the part that the prompt cache reuses before
//! and after.

mod moves;
mod safe;

pub use safe::Blocked;
use safe::Ground;

use super::context::Context;
use super::finding::Edit;
use super::sizes::{Measured, Sizes};
use crate::compile::TierPlan;
use crate::prompt::{Changes, Deliver};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// Moves of tiers inside their channels, after which none comes after a more volatile one of its channel.
#[derive(Debug, Clone)]
pub struct Order {
    /// The moves, in the resulting order of the tiers.
    pub moves: Vec<Move>,
    /// The part of the text before the conversation that a change of each volatility leaves; empty if sizes are
    /// unknown.
    pub kept: Vec<Kept>,
    /// The size of that text, tools and system, in bytes, of all prompts together.
    pub of: usize,
    /// Where the sizes come from, if they are known.
    pub measured: Option<Measured>,
}

/// A tier that moves.
#[derive(Debug, Clone)]
pub struct Move {
    /// The tier, as an index into the tiers of the plan.
    pub tier: usize,
    /// Its channel.
    pub deliver: Deliver,
    /// How often it may change by itself.
    pub changes: Changes,
    /// Its new position.
    pub to: MoveTo,
    /// The most volatile tier before it now, or, of a tier that moves to the end, the most stable one after it.
    pub against: usize,
    /// All tiers that it passes.
    pub passes: Vec<usize>,
    /// Why the move may change more than the order.
    pub blocked: Option<Blocked>,
    /// The move as an edit of the manifest; none if that is not safe, or not yet.
    pub edit: Option<Edit>,
}

/// The target of a move: next to which tier, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveTo {
    /// Directly before it.
    Before(usize),
    /// Directly after it.
    After(usize),
}

/// The part that a change of one volatility leaves, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Kept {
    /// Something that changes so often.
    pub changes: Changes,
    /// In the current order: the text before the first layer that may change so often.
    #[serde(rename = "now")]
    pub before: usize,
    /// Once the tiers are moved.
    #[serde(rename = "then")]
    pub after: usize,
}

impl Order {
    /// The volatility whose changes gain most by the moves; of equal ones the most volatile. None if nothing is
    /// gained.
    #[must_use]
    pub fn best(&self) -> Option<Kept> {
        let gain = |kept: &Kept| kept.after.saturating_sub(kept.before);
        let best = self.kept.iter().copied().max_by_key(gain)?;
        (gain(&best) > 0).then_some(best)
    }
}

/// The order; none if nothing is to be moved.
pub(super) fn order(context: &Context<'_>) -> Option<Order> {
    let sizes = context.sizes.as_ref();
    let ground = Ground::new(context);
    let mut moves = Vec::new();
    let mut then = Vec::new();
    for deliver in Deliver::ALL {
        let channel = Channel::of(context, deliver);
        let (sorted, moved) = channel.moves(context, &ground);
        moves.extend(moved);
        then.extend(sorted);
    }
    if moves.is_empty() {
        return None;
    }
    let now: Vec<usize> = Deliver::ALL
        .iter()
        .flat_map(|d| Channel::of(context, *d).tiers)
        .collect();
    let prefix = |order: &[usize]| -> Vec<usize> {
        let in_prefix = |at: &usize| context.analysis.tiers[*at].deliver != Deliver::User;
        order.iter().copied().filter(in_prefix).collect()
    };
    let (now, then) = (prefix(&now), prefix(&then));
    let of = sizes.map_or(0, |s| bytes(context, s, &now, None));
    let classes = Changes::ALL.into_iter().skip(1);
    let kept = classes.map(|changes| Kept {
        changes,
        before: sizes.map_or(0, |s| bytes(context, s, &now, Some(changes))),
        after: sizes.map_or(0, |s| bytes(context, s, &then, Some(changes))),
    });
    Some(Order {
        kept: kept.filter(|_| of > 0).collect(),
        moves,
        of,
        measured: sizes.filter(|_| of > 0).map(|s| s.measured),
    })
}

/// The text of these tiers up to the first layer that may change as often as `until`.
fn bytes(context: &Context<'_>, sizes: &Sizes, order: &[usize], until: Option<Changes>) -> usize {
    let layers = order
        .iter()
        .flat_map(|at| &context.analysis.tiers[*at].layers);
    let kept = layers.take_while(|layer| until.is_none_or(|until| layer.why.changes < until));
    kept.map(|layer| sizes.layer(&layer.written.name.value))
        .sum()
}

/// The tiers of a channel that have layers.
struct Channel {
    deliver: Deliver,
    tiers: Vec<usize>,
    classes: Vec<Changes>,
}

impl Channel {
    fn of(context: &Context<'_>, deliver: Deliver) -> Self {
        let own = |(at, tier): (usize, &TierPlan<'_>)| {
            (tier.deliver == deliver).then_some((at, tier.own()?))
        };
        let tiers = context.analysis.tiers.iter().enumerate().filter_map(own);
        let (tiers, classes) = tiers.unzip();
        Self {
            deliver,
            tiers,
            classes,
        }
    }

    /// The tiers in order, and the fewest moves that lead there.
    fn moves(&self, context: &Context<'_>, ground: &Ground<'_, '_>) -> (Vec<usize>, Vec<Move>) {
        let sizes = context.sizes.as_ref();
        let weight = |tier: &usize| {
            sizes.map_or(0, |s| {
                s.tier(&context.analysis.tiers[*tier])
                    .map(|size| size.bytes)
                    .sum()
            })
        };
        let weights: Vec<usize> = self.tiers.iter().map(weight).collect();
        let stay = moves::stay(&self.classes, &weights);
        let sorted = moves::sorted(&self.classes);
        let stays: BTreeSet<&usize> = stay.iter().collect();
        let mut out = Vec::new();
        for (place, at) in sorted.iter().enumerate() {
            if !stays.contains(at) {
                out.push(self.one(*at, place, &sorted, &stays, ground));
            }
        }
        (sorted.iter().map(|at| self.tiers[*at]).collect(), out)
    }

    /// The move of the tier at `at` to `place` of `sorted`.
    fn one(
        &self,
        at: usize,
        place: usize,
        sorted: &[usize],
        stay: &BTreeSet<&usize>,
        ground: &Ground<'_, '_>,
    ) -> Move {
        let class = self.classes[at];
        let forward = stay.iter().any(|s| **s < at && self.classes[**s] > class);
        // Inverted pairs: before it now and after it then, or the other way round.
        let passed: Vec<usize> = sorted
            .iter()
            .enumerate()
            .filter(|(then, now)| (**now < at) != (*then < place) && **now != at)
            .map(|(_, now)| *now)
            .collect();
        let more_volatile = (0..at).filter(|i| self.classes[*i] > class);
        let more_stable = (at + 1..self.classes.len()).filter(|i| self.classes[*i] < class);
        let (to, against) = if forward {
            (
                sorted
                    .get(place + 1)
                    .map(|n| MoveTo::Before(self.tiers[*n])),
                // The first of the most volatile ones.
                more_volatile.rev().max_by_key(|i| self.classes[*i]),
            )
        } else {
            (
                place
                    .checked_sub(1)
                    .map(|p| MoveTo::After(self.tiers[sorted[p]])),
                more_stable.min_by_key(|i| self.classes[*i]),
            )
        };
        let tier = self.tiers[at];
        let passes: Vec<usize> = passed.iter().map(|i| self.tiers[*i]).collect();
        let against = against.map_or(tier, |i| self.tiers[i]);
        // By itself it moves next to the nearest one that stays, past all tiers between them, also of other channels.
        let staying = |then: &&usize| stay.contains(*then);
        let anchor = if forward {
            sorted[place + 1..].iter().find(staying)
        } else {
            sorted[..place].iter().rfind(staying)
        };
        let anchor = anchor.map(|i| self.tiers[*i]);
        let between: Vec<usize> = anchor.map_or_else(Vec::new, |anchor| {
            if forward {
                (anchor..tier).collect()
            } else {
                (tier + 1..=anchor).collect()
            }
        });
        let mut blocked =
            (ground.blocked(tier, &passes)).or_else(|| ground.blocked(tier, &between));
        let beside = if forward {
            MoveTo::Before
        } else {
            MoveTo::After
        };
        let anchor = anchor.filter(|_| blocked.is_none());
        let edit = match anchor.map(|anchor| ground.edit(tier, beside(anchor))) {
            Some(Err(why)) => {
                blocked = Some(why);
                None
            }
            edit => edit.and_then(Result::ok),
        };
        Move {
            tier,
            deliver: self.deliver,
            changes: class,
            to: to.unwrap_or(MoveTo::After(against)),
            against,
            passes,
            blocked,
            edit,
        }
    }
}
