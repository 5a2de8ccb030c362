//! Facts that get another value.

use super::documents::respaced;
use super::one;
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Change, Effect, Expected, Mutation};
use crate::compare::mutations::print::Owner;
use crate::compare::mutations::world::{Fact, World};

/// Gives a fact another value.
pub(super) fn give(
    world: &World,
    name: String,
    value: Fact,
    item: Option<String>,
    effect: Effect,
) -> Mutation {
    let expected = Expected::fact(&name, item);
    let change = Change::new(expected, Owner::Fact(name.clone()));
    let says = format!("{name}: {:?} -> {value:?}", world.facts[&name]);
    one(says, name.clone(), change, effect, move |world| {
        world.facts.insert(name.clone(), value.clone());
    })
}

/// The facts called by this letter and a number.
fn called(world: &World, letter: &str) -> Vec<String> {
    let named = |name: &&String| {
        name.strip_prefix(letter)
            .is_some_and(|n| n.parse::<u32>().is_ok())
    };
    world.facts.keys().filter(named).cloned().collect()
}

pub(super) fn text(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let name = ink.maybe(&called(world, "s"))?;
    let value = Fact::Text(ink.line());
    Some(give(world, name, value, None, Effect::Edit))
}

pub(super) fn space(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let name = ink.maybe(&called(world, "s"))?;
    let Fact::Text(text) = &world.facts[&name] else {
        return None;
    };
    let value = Fact::Text(respaced(ink, text)?);
    Some(give(world, name, value, None, Effect::Edit))
}

pub(super) fn flag(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let name = ink.maybe(&called(world, "b"))?;
    let Fact::Flag(flag) = world.facts[&name] else {
        return None;
    };
    Some(give(
        world,
        name,
        Fact::Flag(!flag),
        None,
        Effect::Structure,
    ))
}

fn listed(
    world: &World,
    ink: &mut Ink,
    change: impl Fn(&mut Ink, &mut Vec<String>) -> Option<String>,
) -> Option<Mutation> {
    let name = ink.maybe(&called(world, "k"))?;
    let Fact::List(mut items) = world.facts[&name].clone() else {
        return None;
    };
    let item = change(ink, &mut items)?;
    Some(give(
        world,
        name,
        Fact::List(items),
        Some(item),
        Effect::Edit,
    ))
}

pub(super) fn item_added(world: &World, ink: &mut Ink) -> Option<Mutation> {
    listed(world, ink, |ink, items| {
        let at = ink.below(items.len() + 1);
        items.insert(at, ink.word());
        Some(items[at].clone())
    })
}

pub(super) fn item_removed(world: &World, ink: &mut Ink) -> Option<Mutation> {
    listed(world, ink, |ink, items| {
        // An empty list prints nothing, which is another matter.
        let at = (items.len() > 1).then(|| ink.below(items.len()))?;
        Some(items.remove(at))
    })
}

pub(super) fn item_changed(world: &World, ink: &mut Ink) -> Option<Mutation> {
    listed(world, ink, |ink, items| {
        let at = (!items.is_empty()).then(|| ink.below(items.len()))?;
        items[at] = ink.word();
        Some(items[at].clone())
    })
}
