//! Documents that are edited, come, go, or change their name.

use super::one;
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Change, Edit, Effect, Expected, Mutation};
use crate::compare::mutations::print::{Owner, print};
use crate::compare::mutations::world::{Document, MemberKind, Name, Shape, World};
use promptc::compare::CauseKind;
use std::collections::BTreeSet;

/// The documents that are in the prompt.
pub(super) fn printed(world: &World) -> Vec<String> {
    let pieces = print(world).into_iter().filter_map(|l| l.pieces).flatten();
    let paths: BTreeSet<String> = pieces
        .filter_map(|p| match p.owner {
            Owner::Document(path) => Some(path),
            _ => None,
        })
        .collect();
    paths.into_iter().collect()
}

/// Gives a document another text.
pub(super) fn rewrite(
    world: &World,
    path: String,
    text: String,
    kind: CauseKind,
    effect: Effect,
) -> Mutation {
    let old = world.documents[&path].text.clone();
    let change = Change {
        edit: Some(Edit::between(&old, &text)),
        ..Change::new(Expected::at(kind, &path), Owner::Document(path.clone()))
    };
    let says = format!("{path}: {old:?} -> {text:?}");
    one(says, path.clone(), change, effect, move |world| {
        if let Some(document) = world.documents.get_mut(&path) {
            document.text.clone_from(&text);
        }
    })
}

/// A text in which one word is another.
pub(super) fn reworded(ink: &mut Ink, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let old = ink.of(&words);
    text.replacen(old, &ink.word(), 1)
}

/// A text in which one space is another, if it has one between two words.
pub(super) fn respaced(ink: &mut Ink, text: &str) -> Option<String> {
    let inner = text.trim();
    let places: Vec<usize> = inner.match_indices(' ').map(|(at, _)| at).collect();
    let at = ink.maybe(&places)?;
    Some(format!(
        "{}{}{}",
        &inner[..at],
        ink.of(&["  ", "\n", "\n\n"]),
        &inner[at + 1..]
    ))
}

fn edited(
    world: &World,
    ink: &mut Ink,
    text: impl Fn(&mut Ink, &str) -> String,
) -> Option<Mutation> {
    let path = ink.maybe(&printed(world))?;
    let text = text(ink, &world.documents[&path].text);
    Some(rewrite(
        world,
        path,
        text,
        CauseKind::DocumentChanged,
        Effect::Edit,
    ))
}

pub(super) fn edit(world: &World, ink: &mut Ink) -> Option<Mutation> {
    edited(world, ink, reworded)
}

pub(super) fn begin(world: &World, ink: &mut Ink) -> Option<Mutation> {
    edited(world, ink, |ink, text| format!("{} {text}", ink.word()))
}

pub(super) fn append(world: &World, ink: &mut Ink) -> Option<Mutation> {
    edited(world, ink, |ink, text| {
        format!("{} {}", text.trim_end(), ink.word())
    })
}

pub(super) fn space(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let path = ink.maybe(&printed(world))?;
    let text = respaced(ink, &world.documents[&path].text)?;
    Some(rewrite(
        world,
        path,
        text,
        CauseKind::WhitespaceOnly,
        Effect::Edit,
    ))
}

pub(super) fn blank(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let path = ink.maybe(&printed(world))?;
    let text = " \n".to_owned();
    Some(rewrite(
        world,
        path,
        text,
        CauseKind::DocumentChanged,
        Effect::Structure,
    ))
}

pub(super) fn fill(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let blank = world
        .documents
        .iter()
        .filter(|(_, d)| d.text.trim().is_empty());
    let blank: Vec<String> = blank.map(|(path, _)| path.clone()).collect();
    let path = ink.maybe(&blank)?;
    let text = ink.text();
    Some(rewrite(
        world,
        path,
        text,
        CauseKind::DocumentChanged,
        Effect::Structure,
    ))
}

/// Paths that are looked for, or would be found, and are not there.
fn missing(world: &World, ink: &mut Ink) -> Vec<(String, Option<String>)> {
    let mut out = Vec::new();
    for layer in world.layers() {
        match &layer.shape {
            Shape::Glob(glob) => {
                let path = format!("{}/d{}5.md", glob.folder, ink.below(5));
                out.push((path, glob.audience.as_ref().map(|_| "agent".to_owned())));
            }
            Shape::File {
                name: Name::Fixed(path),
                ..
            } => out.push((path.clone(), None)),
            Shape::First(paths, _) => out.extend(paths.iter().map(|p| (p.clone(), None))),
            Shape::All { members, .. } => {
                out.extend(members.iter().filter_map(|m| match &m.kind {
                    MemberKind::File(path) => Some((path.clone(), None)),
                    _ => None,
                }))
            }
            Shape::File { .. } | Shape::Bare => {}
        }
    }
    out.retain(|(path, _)| !world.documents.contains_key(path));
    out
}

/// Puts a document where none is.
pub(super) fn put(path: String, document: Document, effect: Effect) -> Mutation {
    let expected = Expected::at(CauseKind::DocumentAppeared, &path);
    let change = Change::new(expected, Owner::Document(path.clone()));
    let says = format!("{path} appears: {:?}", document.text);
    one(says, path.clone(), change, effect, move |world| {
        world.documents.insert(path.clone(), document.clone());
    })
}

pub(super) fn add(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let places = missing(world, ink);
    let (path, audience) = ink.maybe(&places)?;
    let text = ink.text();
    Some(put(path, Document { audience, text }, Effect::Structure))
}

pub(super) fn take(path: String) -> Mutation {
    let expected = Expected::at(CauseKind::DocumentVanished, &path);
    let change = Change::new(expected, Owner::Document(path.clone()));
    one(
        format!("{path} vanishes"),
        path.clone(),
        change,
        Effect::Structure,
        move |world| {
            world.documents.remove(&path);
        },
    )
}

pub(super) fn remove(world: &World, ink: &mut Ink) -> Option<Mutation> {
    ink.maybe(&printed(world)).map(take)
}

pub(super) fn rename(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let old = ink.maybe(&printed(world))?;
    let folder = old.rsplit_once('/')?.0;
    let new = format!("{folder}/d{}{}.md", ink.below(6), 1 + ink.below(4));
    let changes = [
        (CauseKind::DocumentVanished, &old),
        (CauseKind::DocumentAppeared, &new),
    ];
    let changes = changes
        .map(|(kind, path)| Change::new(Expected::at(kind, path), Owner::Document(path.clone())));
    Some(Mutation {
        kind: "",
        says: format!("{old} is renamed {new}"),
        touches: vec![old.clone(), new.clone()],
        changes: changes.to_vec(),
        effect: Effect::Structure,
        apply: Box::new(move |world| {
            if let Some(document) = world.documents.remove(&old) {
                world.documents.insert(new.clone(), document);
            }
        }),
    })
}
