//! Edits of what a layer consists of.

use super::one;
use crate::compare::mutations::build::MANIFEST;
use crate::compare::mutations::generate::text_member;
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Change, Effect, Expected, Mutation};
use crate::compare::mutations::print::Owner;
use crate::compare::mutations::world::{Layer, Member, Shape, World};
use promptc::compare::CauseKind;

/// An edit of one layer in the manifest.
pub(super) fn edit(
    says: String,
    layer: String,
    effect: Effect,
    apply: impl Fn(&mut Layer) + 'static,
) -> Mutation {
    let expected = Expected::at(CauseKind::LayerEdited, MANIFEST);
    let change = Change::new(expected, Owner::Manifest);
    one(
        says,
        format!("layer {layer}"),
        change,
        effect,
        move |world| {
            if let Some(layer) = world.layer_mut(&layer) {
                apply(layer);
            }
        },
    )
}

/// A group with its layer's name.
fn group(world: &World, ink: &mut Ink) -> Option<(String, Vec<Member>)> {
    let groups: Vec<(String, Vec<Member>)> = world
        .layers()
        .filter_map(|l| match &l.shape {
            Shape::All { members, .. } => Some((l.name.clone(), members.clone())),
            _ => None,
        })
        .collect();
    ink.maybe(&groups)
}

/// Added to the name of a member that moved.
const MOVED: u32 = 1_000_000;

fn members(layer: &mut Layer) -> &mut Vec<Member> {
    match &mut layer.shape {
        Shape::All { members, .. } => members,
        _ => unreachable!("the layer was a group"),
    }
}

pub(super) fn member_added(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (layer, group) = group(world, ink)?;
    let at = ink.below(group.len() + 1);
    let member = text_member(ink);
    let says = format!("member {at} of {layer} comes new: {:?}", member.kind);
    Some(edit(says, layer, Effect::Structure, move |layer| {
        members(layer).insert(at, member.clone());
    }))
}

pub(super) fn member_removed(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (layer, group) = group(world, ink)?;
    let at = (group.len() > 1).then(|| ink.below(group.len()))?;
    let says = format!("member {at} of {layer} goes");
    Some(edit(says, layer, Effect::Structure, move |layer| {
        members(layer).remove(at);
    }))
}

pub(super) fn members_reordered(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (layer, group) = group(world, ink)?;
    let (from, to) = (ink.below(group.len()), ink.below(group.len()));
    (from != to).then_some(())?;
    let says = format!("member {from} of {layer} moves to {to}");
    Some(edit(says, layer, Effect::Structure, move |layer| {
        // Of two neighbours the later one moved. It is removed at one place and added at the other.
        let moved = if from.abs_diff(to) == 1 {
            from.max(to)
        } else {
            from
        };
        members(layer)[moved].id += MOVED;
        let member = members(layer).remove(from);
        members(layer).insert(to, member);
    }))
}

pub(super) fn join(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (layer, _) = group(world, ink)?;
    let new = format!("\n{}\n", ink.word());
    let says = format!("{layer} is joined by {new:?}");
    Some(edit(says, layer, Effect::Structure, move |layer| {
        if let Shape::All { join, .. } = &mut layer.shape {
            *join = Some(new.clone());
        }
    }))
}

pub(super) fn budget(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let under: Vec<String> = world
        .layers()
        .filter(|l| match &l.shape {
            Shape::File { budget, .. } => budget.is_some(),
            Shape::Glob(glob) => glob.budget.is_some(),
            _ => false,
        })
        .map(|l| l.name.clone())
        .collect();
    let layer = ink.maybe(&under)?;
    let less = 8 + ink.below(12);
    let says = format!("the budget of {layer} is {less} less");
    Some(edit(
        says,
        layer,
        Effect::Structure,
        move |layer| match &mut layer.shape {
            Shape::File {
                budget: Some(budget),
                ..
            } => budget.max -= less,
            Shape::Glob(glob) => {
                if let Some(spread) = &mut glob.budget {
                    match (&mut spread.each, &mut spread.total) {
                        (_, Some(total)) => *total -= less,
                        (Some(each), None) => *each -= less,
                        (None, None) => {}
                    }
                }
            }
            _ => {}
        },
    ))
}

/// A layer's condition that asks the opposite.
pub(super) fn condition(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let asking = world.layers().filter(|l| l.when.is_some());
    let asking: Vec<String> = asking.map(|l| l.name.clone()).collect();
    let layer = ink.maybe(&asking)?;
    let says = format!("{layer} asks the opposite");
    Some(edit(says, layer, Effect::Structure, |layer| {
        if let Some(condition) = &mut layer.when {
            condition.not = !condition.not;
        }
    }))
}

/// Another join between the layers of a tier, and inside those that take theirs from it.
pub(super) fn tier_join(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let t = ink.below(world.tiers.len());
    let new = format!("\n{}\n", ink.word());
    let says = format!("tier {t} is joined by {new:?}");
    let expected = Expected::at(CauseKind::LayerEdited, MANIFEST);
    let change = Change::new(expected, Owner::Manifest);
    let effect = Effect::Joined(world.tiers[t].name.clone());
    Some(one(
        says,
        format!("tier {t}"),
        change,
        effect,
        move |world| {
            world.tiers[t].join = Some(new.clone());
        },
    ))
}
