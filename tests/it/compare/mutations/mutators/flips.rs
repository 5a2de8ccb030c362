//! Conditions that get another answer, and files that a fact names.

use super::documents::{put, take};
use super::facts::give;
use super::one;
use crate::compare::mutations::ink::Ink;
use crate::compare::mutations::mutation::{Change, Effect, Expected, Mutation};
use crate::compare::mutations::print::Owner;
use crate::compare::mutations::world::{Ask, Document, Fact, Name, Shape, World};
use promptc::compare::CauseKind;

pub(super) fn by_fact(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let conditions = world.conditions();
    let asks: Vec<Ask> = conditions
        .into_iter()
        .filter(|(_, c)| c.ask.fact().is_some())
        .map(|(_, c)| c.ask.clone())
        .collect();
    let ask = ink.maybe(&asks)?;
    let name = ask.fact()?.to_owned();
    let value = match (&ask, world.facts[&name].clone()) {
        (_, Fact::Flag(flag)) => Fact::Flag(!flag),
        (_, Fact::Optional(value)) => Fact::Optional(value.is_none().then(|| ink.word())),
        (Ask::Equals(_, wanted), Fact::Text(text)) => Fact::Text(if text == *wanted {
            ink.line()
        } else {
            wanted.clone()
        }),
        (Ask::Holds(_, item), Fact::List(mut items)) => {
            match items.iter().position(|i| i == item) {
                Some(at) => _ = items.remove(at),
                None => items.push(item.clone()),
            }
            Fact::List(items)
        }
        _ => return None,
    };
    Some(give(world, name, value, None, Effect::Structure))
}

pub(super) fn by_file(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let conditions = world.conditions();
    let paths: Vec<String> = conditions
        .into_iter()
        .filter_map(|(_, c)| match &c.ask {
            Ask::Exists(path) => Some(path.clone()),
            _ => None,
        })
        .collect();
    let path = ink.maybe(&paths)?;
    if world.documents.contains_key(&path) {
        return Some(take(path));
    }
    let document = Document {
        audience: None,
        text: ink.text(),
    };
    Some(put(path, document, Effect::Structure))
}

pub(super) fn by_audience(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let names: Vec<String> = world
        .facts
        .keys()
        .filter(|n| n.starts_with("audience_"))
        .cloned()
        .collect();
    let name = ink.maybe(&names)?;
    let value = Fact::Text(ink.of(&["human", "human", "robot"]).to_owned());
    Some(give(world, name, value, None, Effect::Structure))
}

/// A document whose front matter has another audience.
pub(super) fn by_front_matter(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let known = world.documents.iter().filter(|(_, d)| d.audience.is_some());
    let known: Vec<(String, Document)> = known.map(|(p, d)| (p.clone(), d.clone())).collect();
    let (path, mut document) = ink.maybe(&known)?;
    let agent = document.audience.as_deref() == Some("agent");
    document.audience = Some(if agent { "human" } else { "agent" }.to_owned());
    let expected = Expected::at(CauseKind::DocumentChanged, &path);
    let change = Change::new(expected, Owner::Document(path.clone()));
    let says = format!("{path} is for {:?}", document.audience);
    Some(one(
        says,
        path.clone(),
        change,
        Effect::Structure,
        move |world| {
            if let Some(known) = world.documents.get_mut(&path) {
                known.audience.clone_from(&document.audience);
            }
        },
    ))
}

pub(super) fn by_name(world: &World, ink: &mut Ink) -> Option<Mutation> {
    let names: Vec<(String, String)> = world
        .layers()
        .filter_map(|l| match &l.shape {
            Shape::File {
                name: Name::Fact(fact),
                ..
            } => Some((l.name.clone(), fact.clone())),
            _ => None,
        })
        .collect();
    let (layer, fact) = ink.maybe(&names)?;
    let value = Fact::Text(format!("{layer}/{}.md", ink.of(&["other", "none"])));
    Some(give(world, fact, value, None, Effect::Structure))
}
