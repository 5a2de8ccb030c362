//! Layers that come, go, move, or change their name.

use super::one;
use crate::compare::mutations::generate::plain_layer;
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Change, Effect, Expected, Mutation};
use crate::compare::mutations::print::Owner;
use crate::compare::mutations::world::{Ask, Layer, World};
use promptc::compare::CauseKind;

/// A change of the list of layers; its cause is found from the effect.
fn listed(
    says: String,
    layer: &str,
    effect: Effect,
    apply: impl Fn(&mut World) + 'static,
) -> Mutation {
    let change = Change::new(Expected::new(CauseKind::LayerEdited), Owner::Manifest);
    one(says, format!("layer {layer}"), change, effect, apply)
}

/// Tier and place of all layers, with their names.
fn places(world: &World) -> Vec<(usize, usize, String)> {
    let mut out = Vec::new();
    for (t, tier) in world.tiers.iter().enumerate() {
        out.extend(
            tier.layers
                .iter()
                .enumerate()
                .map(|(l, layer)| (t, l, layer.name.clone())),
        );
    }
    out
}

/// The layers that no condition asks for.
fn free(world: &World) -> Vec<(usize, usize, String)> {
    let asked = |name: &str| {
        world
            .conditions()
            .iter()
            .any(|(_, c)| matches!(&c.ask, Ask::Loaded(l) if l == name))
    };
    places(world)
        .into_iter()
        .filter(|(_, _, name)| !asked(name))
        .collect()
}

/// Puts a layer before another, or after the last of a tier.
pub(super) fn insert(t: usize, at: usize, layer: Layer, effect: fn(String) -> Effect) -> Mutation {
    let name = layer.name.clone();
    let says = format!(
        "layer {name} comes new as {at} of tier {t}: {:?}",
        layer.shape
    );
    listed(says, &name, effect(name.clone()), move |world| {
        let layers = &mut world.tiers[t].layers;
        layers.insert(at.min(layers.len()), layer.clone());
    })
}

pub(super) fn added(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (t, at, _) = ink.maybe(&places(world))?;
    let at = at + ink.below(2);
    Some(insert(t, at, plain_layer(ink), Effect::Added))
}

pub(super) fn removed(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (t, _, name) = ink.maybe(&free(world))?;
    let says = format!("layer {name} goes");
    Some(listed(
        says,
        &name.clone(),
        Effect::Removed(name.clone()),
        move |world| {
            world.tiers[t].layers.retain(|l| l.name != name);
        },
    ))
}

pub(super) fn moved(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let free: Vec<_> = free(world)
        .into_iter()
        .filter(|(t, l, _)| {
            // Its own condition may query a layer before it.
            let layer = &world.tiers[*t].layers[*l];
            let asks = |c: &Ask| matches!(c, Ask::Loaded(_));
            world.tiers[*t].layers.len() > 1
                && !world
                    .conditions()
                    .iter()
                    .any(|(l, c)| l.name == layer.name && asks(&c.ask))
        })
        .collect();
    let (t, from, name) = ink.maybe(&free)?;
    let to = ink.below(world.tiers[t].layers.len());
    (from != to).then_some(())?;
    let says = format!("layer {name} moves to {to} of tier {t}");
    Some(listed(
        says,
        &name.clone(),
        Effect::Moved(name.clone()),
        move |world| {
            let layers = &mut world.tiers[t].layers;
            if let Some(from) = layers.iter().position(|l| l.name == name) {
                let layer = layers.remove(from);
                layers.insert(to.min(layers.len()), layer);
            }
        },
    ))
}

pub(super) fn renamed(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (_, _, name) = ink.maybe(&free(world))?;
    let new = format!("r{}", ink.fresh());
    let says = format!("layer {name} is called {new}");
    Some(listed(
        says,
        &name.clone(),
        Effect::NothingAlone,
        move |world| {
            if let Some(layer) = world.layer_mut(&name) {
                layer.name.clone_from(&new);
            }
        },
    ))
}
