//! Changes that must change nothing.

use super::documents::{put, reworded, rewrite};
use super::facts::give;
use super::manifest::edit;
use super::one;
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Change, Effect, Expected, Mutation};
use crate::compare::mutations::print::{Owner, print};
use crate::compare::mutations::world::{Document, Fact, Shape, World};
use promptc::compare::CauseKind;

pub(super) fn comment(_: &World, ink: &mut Ink) -> Option<Mutation> {
    let comment = ink.line();
    let change = Change::new(Expected::new(CauseKind::LayerEdited), Owner::Manifest);
    let says = format!("comment {comment:?}");
    Some(one(
        says,
        "comment".to_owned(),
        change,
        Effect::Nothing,
        move |world| {
            world.comment.clone_from(&comment);
        },
    ))
}

pub(super) fn class(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let t = ink.below(world.tiers.len());
    let change = Change::new(Expected::new(CauseKind::LayerEdited), Owner::Manifest);
    let says = format!("tier {t} changes by the day");
    Some(one(
        says,
        format!("tier {t}"),
        change,
        Effect::Nothing,
        move |world| {
            world.tiers[t].changes = Some("day");
        },
    ))
}

pub(super) fn fact(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let value = Fact::Text(ink.text());
    Some(give(
        world,
        "unread".to_owned(),
        value,
        None,
        Effect::Nothing,
    ))
}

pub(super) fn file(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let document = Document {
        audience: None,
        text: ink.text(),
    };
    if ink.odds(50) {
        let path = format!("{}/unread.txt", world.layers().next()?.name);
        return Some(put(path, document, Effect::Nothing));
    }
    let path = "unread.md".to_owned();
    Some(rewrite(
        world,
        path,
        document.text,
        CauseKind::DocumentChanged,
        Effect::Nothing,
    ))
}

/// Layers that take the first of several files, and which of them they print.
fn firsts(world: &World) -> Vec<(String, Vec<String>, Owner)> {
    let printed = print(world);
    let mut out = Vec::new();
    for layer in world.layers() {
        let Shape::First(paths, _) = &layer.shape else {
            continue;
        };
        let here = printed.iter().find(|p| p.name == layer.name);
        if let Some(piece) = here.and_then(|p| p.pieces.as_ref()).and_then(|p| p.first()) {
            out.push((layer.name.clone(), paths.clone(), piece.owner.clone()));
        }
    }
    out
}

/// A document after the first non-empty one.
pub(super) fn not_first(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let mut behind = Vec::new();
    for (_, paths, owner) in firsts(world) {
        let taken = paths
            .iter()
            .position(|p| owner == Owner::Document(p.clone()));
        let rest = taken.map_or(&[][..], |at| &paths[at + 1..]);
        behind.extend(
            rest.iter()
                .filter(|p| world.documents.contains_key(*p))
                .cloned(),
        );
    }
    let path = ink.maybe(&behind)?;
    let text = ink.text();
    Some(rewrite(
        world,
        path,
        text,
        CauseKind::DocumentChanged,
        Effect::Nothing,
    ))
}

/// The text after files of which one is not empty.
pub(super) fn fallback(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let taken = firsts(world)
        .into_iter()
        .filter(|(_, _, owner)| *owner != Owner::Manifest);
    let layers: Vec<String> = taken.map(|(layer, _, _)| layer).collect();
    let layer = ink.maybe(&layers)?;
    let new = ink.text();
    let says = format!("{layer} would fall back to {new:?}");
    Some(edit(says, layer, Effect::Nothing, move |layer| {
        if let Shape::First(_, text) = &mut layer.shape {
            *text = reworded(&mut Ink::new(1), &new);
        }
    }))
}

pub(super) fn ends(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let path = ink.maybe(&super::documents::printed(world))?;
    let text = format!("\n  {} \n\n", world.documents[&path].text);
    Some(rewrite(
        world,
        path,
        text,
        CauseKind::WhitespaceOnly,
        Effect::Nothing,
    ))
}
