//! Texts in the manifest or in template files.

use super::documents::{respaced, reworded};
use super::one;
use crate::compare::mutations::build::MANIFEST;
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Change, Effect, Expected, Mutation};
use crate::compare::mutations::print::Owner;
use crate::compare::mutations::world::{Body, Chunk, Layer, MemberKind, Shape, Source, World};
use promptc::compare::CauseKind;

/// The index of a text in a layer of the manifest.
type Site = (String, usize);

/// All texts of a layer that the manifest holds.
fn texts(layer: &mut Layer) -> Vec<&mut String> {
    let mut out: Vec<&mut String> = Vec::new();
    match &mut layer.shape {
        Shape::File { label, .. } => out.extend(label),
        Shape::First(_, text) => out.push(text),
        Shape::Glob(glob) => {
            if let Some(Source::Inline(body)) = &mut glob.wrap {
                out.extend(chunks(body));
            }
        }
        Shape::All { members, .. } => {
            for member in members {
                match &mut member.kind {
                    MemberKind::Text(text) => out.push(text),
                    MemberKind::Template(Source::Inline(body)) => out.extend(chunks(body)),
                    _ => {}
                }
            }
        }
        Shape::Bare => {}
    }
    if let Some(Source::Inline(body)) = &mut layer.template {
        out.extend(chunks(body));
    }
    out
}

/// The texts of a template.
fn chunks(body: &mut Body) -> Vec<&mut String> {
    let mut out = Vec::new();
    for chunk in body {
        match chunk {
            Chunk::Text(text) => out.push(text),
            Chunk::Choice(_, yes, no) => out.extend([yes, no]),
            _ => {}
        }
    }
    out
}

/// A text somewhere in the manifest.
fn somewhere(world: &World, ink: &mut Ink) -> Option<(Site, String)> {
    let mut sites = Vec::new();
    for layer in world.layers() {
        let mut layer = layer.clone();
        let name = layer.name.clone();
        let texts = texts(&mut layer).into_iter().enumerate();
        sites.extend(texts.map(|(n, text)| ((name.clone(), n), text.clone())));
    }
    ink.maybe(&sites)
}

fn rewrite((layer, n): Site, old: &str, text: String, kind: CauseKind) -> Mutation {
    let change = Change::new(Expected::at(kind, MANIFEST), Owner::Manifest);
    let says = format!("text {n} of layer {layer}: {old:?} -> {text:?}");
    one(
        says,
        format!("layer {layer}"),
        change,
        Effect::Edit,
        move |world| {
            if let Some(layer) = world.layer_mut(&layer) {
                texts(layer)[n].clone_from(&text);
            }
        },
    )
}

pub(super) fn manifest(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (site, old) = somewhere(world, ink)?;
    let text = reworded(ink, &old);
    Some(rewrite(site, &old, text, CauseKind::LayerEdited))
}

pub(super) fn manifest_space(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let (site, old) = somewhere(world, ink)?;
    let text = respaced(ink, &old)?;
    Some(rewrite(site, &old, text, CauseKind::WhitespaceOnly))
}

fn in_file(
    world: &World,
    ink: &mut Ink,
    prefix: &str,
    edit: impl Fn(&mut Ink, &str) -> Option<String>,
    kind: CauseKind,
) -> Option<Mutation> {
    let names = world.templates.keys().filter(|n| n.starts_with(prefix));
    let names: Vec<String> = names.cloned().collect();
    let name = ink.maybe(&names)?;
    let mut body = world.templates[&name].clone();
    let olds: Vec<String> = chunks(&mut body).into_iter().map(|t| t.clone()).collect();
    let n = ink.below(olds.len());
    let text = edit(ink, &olds[n])?;
    let expected = Expected::at(kind, &name);
    let change = Change::new(expected, Owner::Template(name.clone()));
    let says = format!("text {n} of template {name}: {:?} -> {text:?}", olds[n]);
    Some(one(
        says,
        name.clone(),
        change,
        Effect::Edit,
        move |world| {
            if let Some(body) = world.templates.get_mut(&name) {
                chunks(body)[n].clone_from(&text);
            }
        },
    ))
}

pub(super) fn template(world: &World, ink: &mut Ink) -> Option<Mutation> {
    in_file(
        world,
        ink,
        "t",
        |ink, old| Some(reworded(ink, old)),
        CauseKind::TemplateChanged,
    )
}

pub(super) fn included(world: &World, ink: &mut Ink) -> Option<Mutation> {
    in_file(
        world,
        ink,
        "i",
        |ink, old| Some(reworded(ink, old)),
        CauseKind::TemplateChanged,
    )
}

pub(super) fn template_space(world: &World, ink: &mut Ink) -> Option<Mutation> {
    in_file(world, ink, "", respaced, CauseKind::WhitespaceOnly)
}
