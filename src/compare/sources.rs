//! What differs in the inputs of a layer where no build can prove a cause: the sources of a difference.

use super::excerpt;
use super::model::{Cause, CauseKind};
use super::side::Side;
use crate::prompt::{Definition, DefinitionNode, Ingredient, Prompt, Reason, RecordedFact};
use crate::text::Json;
use crate::text::common::pairs;
use std::collections::{BTreeMap, BTreeSet};

/// The most sources of a layer that are listed.
const MOST: usize = 100;

/// What names an ingredient on both sides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'p> {
    Fact(&'p str),
    Document(&'p str, &'p str),
    Template(&'p str),
    Exists(&'p str, &'p str),
    Loaded(&'p str),
}

/// The private facts whose recorded hashes differ.
pub(super) fn private([a, b]: [&Prompt; 2]) -> BTreeSet<String> {
    let hashes = |prompt: &Prompt| -> BTreeMap<String, String> {
        let facts = prompt.inputs.iter().flat_map(|inputs| &inputs.facts);
        let hashes = facts.filter_map(|(name, fact)| match fact {
            RecordedFact::Private { private, .. } => Some((name.clone(), private.clone())),
            RecordedFact::Known { .. } => None,
        });
        hashes.collect()
    };
    let (x, y) = (hashes(a), hashes(b));
    let names = x.keys().chain(y.keys());
    let differing = names.filter(|name| x.get(*name) != y.get(*name));
    differing.cloned().collect()
}

/// The differing sources of a layer: where it stands, what it was made from, and its definition. Of `private` facts no value is known.
pub(super) fn sources(
    a: &Side<'_>,
    b: &Side<'_>,
    is_moved: bool,
    private: &BTreeSet<String>,
) -> Vec<Cause> {
    let place = b.definition().or(a.definition());
    let first = place.and_then(|place| {
        Some((
            place.file_of(place.nodes.first()?),
            place.nodes.first()?.line,
        ))
    });
    let whole = |kind| Cause {
        path: first.map(|(file, _)| file.to_string()),
        line: first.map(|(_, line)| line),
        ..Cause::new(kind)
    };
    match (a.known(), b.known()) {
        (true, false) => return vec![whole(CauseKind::LayerRemoved)],
        (false, true) => return vec![whole(CauseKind::LayerAdded)],
        _ => {}
    }
    let left_out = |side: &Side<'_>| side.absent.is_some_and(|a| a.reason == Reason::LeftOut);
    if left_out(a) != left_out(b) {
        let name = b.absent.filter(|_| left_out(b)).or(a.absent);
        let name = name.map(|absent| absent.layer.clone()).unwrap_or_default();
        let option = || Some(format!("--without {name}"));
        return vec![Cause {
            item: Some(name.clone()),
            old: left_out(a).then(option).flatten(),
            new: left_out(b).then(option).flatten(),
            ..Cause::new(CauseKind::LayerLeftOut)
        }];
    }
    let moved = is_moved.then(|| whole(CauseKind::LayerMoved));
    let mut out: Vec<Cause> = moved.into_iter().collect();
    out.extend(ingredients(a, b));
    let asked = a.ingredients().iter().chain(b.ingredients());
    let asked = asked.filter_map(|ingredient| match ingredient {
        Ingredient::Fact { name, .. } => private.get(name),
        _ => None,
    });
    let asked: BTreeSet<&String> = asked.collect();
    out.extend(asked.into_iter().map(|name| Cause {
        fact: Some(name.clone()),
        ..Cause::new(CauseKind::FactChanged)
    }));
    if let [Some(x), Some(y)] = [a.definition(), b.definition()] {
        out.extend(edits(x, y));
    }
    out.truncate(MOST);
    out
}

/// The values of an ingredient: each hash or value that it has in the layer.
type Said<'p> = BTreeMap<Key<'p>, BTreeSet<String>>;

fn said<'p>(side: &Side<'p>) -> (Said<'p>, BTreeMap<&'p str, &'p Json>) {
    let mut out = Said::new();
    let mut facts = BTreeMap::new();
    for ingredient in side.ingredients() {
        let (key, value) = match ingredient {
            Ingredient::Document {
                root, path, sha256, ..
            } => (Key::Document(root, path), sha256.clone()),
            Ingredient::Template {
                file,
                line: None,
                sha256,
                ..
            } => (Key::Template(file), sha256.clone()),
            Ingredient::Fact { name, value, .. } => {
                if let Some(value) = value {
                    facts.insert(name.as_str(), value);
                }
                let value = value.as_ref().map(ToString::to_string);
                (Key::Fact(name), value.unwrap_or_default())
            }
            Ingredient::Exists { root, path, value } => {
                (Key::Exists(root, path), value.to_string())
            }
            Ingredient::Loaded { layer, value } => (Key::Loaded(layer), value.to_string()),
            _ => continue,
        };
        out.entry(key).or_default().insert(value);
    }
    (out, facts)
}

fn ingredients(a: &Side<'_>, b: &Side<'_>) -> Vec<Cause> {
    let [(x, values_x), (y, values_y)] = [a, b].map(said);
    let keys: BTreeSet<&Key<'_>> = x.keys().chain(y.keys()).collect();
    let changed = keys.into_iter().filter(|key| x.get(*key) != y.get(*key));
    let cause = |key: &Key<'_>| match key {
        Key::Fact(name) => {
            let [old, new] = excerpt::values(
                [values_x.get(name), values_y.get(name)].map(Option::<&&Json>::copied),
            );
            Cause {
                fact: Some((*name).to_owned()),
                old,
                new,
                ..Cause::new(CauseKind::FactChanged)
            }
        }
        Key::Template(file) => Cause {
            path: Some((*file).to_owned()),
            ..Cause::new(CauseKind::TemplateChanged)
        },
        Key::Loaded(layer) => {
            let is_there = y.get(key).is_some_and(|said| said.contains("true"));
            let kinds = [CauseKind::LayerRemoved, CauseKind::LayerAdded];
            Cause {
                item: Some((*layer).to_owned()),
                ..Cause::new(kinds[usize::from(is_there)])
            }
        }
        Key::Exists(root, path) => {
            let is_there = y.get(key).is_some_and(|said| said.contains("true"));
            let kinds = [CauseKind::DocumentVanished, CauseKind::DocumentAppeared];
            Cause {
                root: Some((*root).to_owned()),
                path: Some((*path).to_owned()),
                ..Cause::new(kinds[usize::from(is_there)])
            }
        }
        Key::Document(root, path) => {
            let kind = match (x.contains_key(key), y.contains_key(key)) {
                (false, _) => CauseKind::DocumentAppeared,
                (_, false) => CauseKind::DocumentVanished,
                _ => CauseKind::DocumentChanged,
            };
            Cause {
                root: Some((*root).to_owned()),
                path: Some((*path).to_owned()),
                ..Cause::new(kind)
            }
        }
    };
    changed.map(cause).collect()
}

/// The edited nodes of a definition.
fn edits(x: &Definition, y: &Definition) -> Vec<Cause> {
    let [of_x, of_y] = [x, y].map(|definition| {
        let nodes = definition.nodes.iter();
        let shown = nodes.map(|node| (node.depth, node.to_string()));
        shown.collect::<Vec<_>>()
    });
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (p, q) in pairs(&of_x, &of_y)
        .into_iter()
        .chain([(of_x.len(), of_y.len())])
    {
        let (mut old, mut new) = (x.nodes[i..p].iter(), y.nodes[j..q].iter());
        loop {
            let both = [old.next(), new.next()];
            let [before, after] = both;
            let Some((place, node)) = after.map(|node| (y, node)).or(before.map(|node| (x, node)))
            else {
                break;
            };
            let shown = both.map(|node| node.map(DefinitionNode::shown));
            let [old, new] = excerpt::both(shown.each_ref().map(Option::as_deref));
            out.push(Cause {
                path: Some(place.file_of(node).to_string()),
                line: Some(node.line),
                old,
                new,
                ..Cause::new(CauseKind::LayerEdited)
            });
        }
        (i, j) = (p + 1, q + 1);
    }
    out
}
