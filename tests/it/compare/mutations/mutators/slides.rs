//! New texts that begin like what follows them, so that the prefix runs on beyond the change by chance.

use super::documents::put;
use super::manifest::edit;
use super::places::insert;
use crate::compare::mutations::generate::{plain_layer, text_member};
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Effect, Mutation};
use crate::compare::mutations::print::{Owner, Printed, print};
use crate::compare::mutations::world::{Document, Member, MemberKind, Shape, World};

/// A beginning of a text, with a different continuation.
fn alike(ink: &mut Ink, text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let same: String = chars[..1 + ink.below(chars.len())].iter().collect();
    format!("{same}{}", ink.word())
}

/// Folders in which nothing but the order of names decides, with the printed documents in them.
fn folders(world: &World) -> Vec<(String, Vec<String>)> {
    let shown = super::documents::printed(world);
    let mut out = Vec::new();
    for layer in world.layers() {
        let Shape::Glob(glob) = &layer.shape else {
            continue;
        };
        if glob.audience.is_some() || glob.budget.is_some() {
            continue;
        }
        let inside = format!("{}/", glob.folder);
        let paths: Vec<String> = shown
            .iter()
            .filter(|p| p.starts_with(&inside))
            .cloned()
            .collect();
        out.push((layer.name.clone(), paths));
    }
    out
}

/// A name directly before another: `d20.md` and `d15.md`.
fn in_front(path: &str) -> Option<String> {
    let tens: u32 = path.strip_suffix("0.md")?.chars().last()?.to_digit(10)?;
    let stem = &path[..path.len() - "10.md".len()];
    Some(format!("{stem}{}5.md", tens.checked_sub(1)?))
}

fn new_document(
    world: &World,
    ink: &mut Ink,
    text: impl Fn(&mut Ink, &str) -> String,
) -> Option<Mutation> {
    let paths: Vec<String> = folders(world)
        .into_iter()
        .flat_map(|(_, paths)| paths)
        .collect();
    let next = ink.maybe(&paths)?;
    let path = in_front(&next).filter(|p| !world.documents.contains_key(p))?;
    let document = Document {
        audience: None,
        text: text(ink, world.documents[&next].text.trim()),
    };
    Some(put(path, document, Effect::Slide))
}

pub(super) fn document(world: &World, ink: &mut Ink) -> Option<Mutation> {
    new_document(world, ink, alike)
}

pub(super) fn twice(world: &World, ink: &mut Ink) -> Option<Mutation> {
    new_document(world, ink, |_, text| text.to_owned())
}

pub(super) fn member(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let printed = print(world);
    let mut texts = Vec::new();
    for layer in world.layers() {
        let here = printed
            .iter()
            .any(|p| p.name == layer.name && p.pieces.is_some());
        let Shape::All { members, .. } = &layer.shape else {
            continue;
        };
        for (at, member) in members.iter().enumerate() {
            if let (true, None, MemberKind::Text(text)) = (here, &member.when, &member.kind) {
                texts.push((layer.name.clone(), at, text.clone()));
            }
        }
    }
    let (layer, at, text) = ink.maybe(&texts)?;
    let new = Member {
        kind: MemberKind::Text(alike(ink, &text)),
        ..text_member(ink)
    };
    let says = format!(
        "member {at} of {layer} comes new and begins like the next: {:?}",
        new.kind
    );
    Some(edit(says, layer, Effect::Slide, move |layer| {
        if let Shape::All { members, .. } = &mut layer.shape {
            members.insert(at, new.clone());
        }
    }))
}

/// A layer's text, tier and place.
fn shown(world: &World) -> Vec<(usize, usize, Printed)> {
    let printed = print(world);
    let mut out = Vec::new();
    for (t, tier) in world.tiers.iter().enumerate() {
        for (l, layer) in tier.layers.iter().enumerate() {
            let found = printed
                .iter()
                .find(|p| p.name == layer.name && p.pieces.is_some());
            out.extend(found.map(|p| (t, l, p.clone())));
        }
    }
    out
}

pub(super) fn layer(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (t, at, next) = ink.maybe(&shown(world))?;
    let mut new = plain_layer(ink);
    if let Shape::All { members, .. } = &mut new.shape {
        members[0].kind = MemberKind::Text(alike(ink, &next.text()?));
    }
    Some(insert(t, at, new, Effect::AddedAlike))
}

/// A document after all others of its layer that begins like the layer after.
pub(super) fn end(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let layers = shown(world);
    let mut places = Vec::new();
    for (folder, paths) in folders(world) {
        let at = layers.iter().position(|(_, _, p)| p.name == folder);
        let Some((at, last)) = at.zip(paths.last()) else {
            continue;
        };
        // Joined as the layers of the tier are, and nothing else after the last document.
        let ends = layers[at].2.pieces.as_ref()?.last()?.owner == Owner::Document(last.clone());
        if let Some((t, _, next)) = layers.get(at + 1).filter(|(t, _, _)| *t == layers[at].0) {
            let plain = world.layer(&folder).is_some_and(|l| match &l.shape {
                Shape::Glob(glob) => glob.wrap.is_none() && l.template.is_none(),
                _ => false,
            });
            if ends && plain {
                places.push((folder.clone(), *t, next.text()?));
            }
        }
    }
    let (folder, _, text) = ink.maybe(&places)?;
    let document = Document {
        audience: None,
        text: alike(ink, &text),
    };
    Some(put(format!("{folder}/d99.md"), document, Effect::Slide))
}
