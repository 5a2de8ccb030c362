//! Documents that grow and shrink, most of them under a budget.

use super::documents::rewrite;
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Effect, Mutation};
use crate::compare::mutations::print::{Owner, print};
use crate::compare::mutations::world::{Name, Shape, World};
use promptc::compare::CauseKind;

/// The documents under a budget of their own, or under one that they share.
fn bounded(world: &World, own: bool, shared: bool) -> Vec<String> {
    let mut out = Vec::new();
    for layer in world.layers() {
        match &layer.shape {
            Shape::File {
                name: Name::Fixed(path),
                budget: Some(_),
                ..
            } if own => out.push(path.clone()),
            Shape::Glob(glob) if shared && glob.budget.is_some() => {
                let inside = format!("{}/", glob.folder);
                let paths = world.documents.keys().filter(|p| p.starts_with(&inside));
                out.extend(paths.cloned());
            }
            _ => {}
        }
    }
    out.retain(|path| {
        world
            .documents
            .get(path)
            .is_some_and(|d| !d.text.trim().is_empty())
    });
    out
}

fn sized(
    world: &World,
    ink: &mut Ink,
    paths: &[String],
    text: impl Fn(&mut Ink, &str) -> String,
) -> Option<Mutation> {
    let path = ink.maybe(paths)?;
    let text = text(ink, world.documents[&path].text.trim_end());
    Some(rewrite(
        world,
        path,
        text,
        CauseKind::DocumentChanged,
        Effect::Structure,
    ))
}

fn longer(ink: &mut Ink, text: &str) -> String {
    let more: Vec<String> = (0..1 + ink.below(4)).map(|_| ink.text()).collect();
    format!("{text}\n{}", more.join("\n"))
}

fn shorter(ink: &mut Ink, text: &str) -> String {
    let words: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| *c == ' ').collect();
    let (end, _) = ink.maybe(&words).unwrap_or((text.len(), ' '));
    text[..end].to_owned()
}

pub(super) fn grown(world: &World, ink: &mut Ink) -> Option<Mutation> {
    sized(world, ink, &bounded(world, true, false), longer)
}

pub(super) fn shrunk(world: &World, ink: &mut Ink) -> Option<Mutation> {
    sized(world, ink, &bounded(world, true, true), shorter)
}

pub(super) fn shared(world: &World, ink: &mut Ink) -> Option<Mutation> {
    sized(world, ink, &bounded(world, false, true), longer)
}

/// Another last word after a cut that keeps nothing of the end, as long as the old one.
pub(super) fn beyond(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let tails = |path: &str| {
        world.layers().any(|l| match &l.shape {
            Shape::File {
                name: Name::Fixed(p),
                budget: Some(budget),
                ..
            } => p == path && budget.tail,
            _ => false,
        })
    };
    let pieces: Vec<_> = print(world)
        .into_iter()
        .filter_map(|l| l.pieces)
        .flatten()
        .collect();
    let cut: Vec<String> = bounded(world, true, true)
        .into_iter()
        .filter(|path| !tails(path))
        .filter(|path| {
            let shown = |p: &&crate::compare::mutations::print::Piece| {
                p.owner == Owner::Document(path.clone())
            };
            let shown: usize = pieces
                .iter()
                .filter(shown)
                .map(|p| p.text.trim().len())
                .sum();
            shown < world.documents[path].text.trim().len()
        })
        .collect();
    let path = ink.maybe(&cut)?;
    let mut text = world.documents[&path].text.trim().to_owned();
    text.pop();
    text.push(ink.word().chars().next().unwrap());
    Some(rewrite(
        world,
        path,
        text,
        CauseKind::DocumentChanged,
        Effect::Nothing,
    ))
}
