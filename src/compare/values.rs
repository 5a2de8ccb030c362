//! The values of facts as two prompts know them.

use super::excerpt;
use super::mention;
use super::model::{Cause, CauseKind};
use crate::manifest::file_name::is_component;
use crate::prompt::{DefinitionNode, Ingredient, Prompt};
use crate::text::Data;
use crate::text::data::View;
use std::collections::BTreeMap;

/// The facts that any layer of either prompt read. A fact has one value in one prompt, so a value that one layer
/// read holds for all.
#[derive(Debug)]
pub(super) struct Values<'p> {
    a: BTreeMap<&'p str, FactReading<'p>>,
    b: BTreeMap<&'p str, FactReading<'p>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct FactReading<'p> {
    value: Option<&'p Data>,
    private: bool,
}

impl<'p> Values<'p> {
    pub(super) fn of(a: &'p Prompt, b: &'p Prompt) -> Self {
        Self {
            a: known(a),
            b: known(b),
        }
    }

    /// The change of a fact, if both prompts know it and it has another value.
    pub(super) fn changed(&self, name: &str) -> Option<Cause> {
        let (old, new) = (self.a.get(name)?, self.b.get(name)?);
        if old == new {
            return None;
        }
        let (item, old, new) = match (old.private || new.private, old.value, new.value) {
            (true, _, _) => (None, None, None),
            (false, Some(old), Some(new)) => difference(old, new),
            (false, old, new) => whole([old, new]),
        };
        Some(Cause {
            fact: Some(name.to_owned()),
            item,
            old,
            new,
            ..Cause::new(CauseKind::FactChanged)
        })
    }

    /// Whether a node that reads files names `path` through the fact, with the values of B, or else of A.
    pub(super) fn names(&self, node: &DefinitionNode, fact: &str, path: &str, in_b: bool) -> bool {
        let side = if in_b { &self.b } else { &self.a };
        let named = |item: &Data| {
            let name = item.as_str();
            name.is_some_and(|name| mention::finds(node, name, path))
        };
        let whole = side.get(fact).and_then(|k| k.value);
        let whole = whole.is_some_and(|value| match value.as_list() {
            Some(items) => items.iter().any(|item| named(&item)),
            None => named(value),
        });
        whole || self.written(node, path, in_b)
    }

    /// Whether a node that reads files names `path` in any way, with the values of B, or else of A.
    pub(super) fn named(&self, node: &DefinitionNode, path: &str, in_b: bool) -> bool {
        let mut facts = mention::facts(node).into_iter();
        let patterns = mention::patterns_of(node);
        patterns
            .iter()
            .any(|pattern| mention::matches(pattern, path))
            || self.written(node, path, in_b)
            || facts.any(|fact| self.names(node, &fact, path, in_b))
    }

    /// Whether a node writes out a name that means `path`.
    fn written(&self, node: &DefinitionNode, path: &str, in_b: bool) -> bool {
        let side = if in_b { &self.b } else { &self.a };
        // What is missing or no plain component names nothing; what a let says is not known.
        let value = |name: &str| {
            let text = match side.get(name)?.value.map(|value| (value, value.view())) {
                Some((_, View::Text(text))) => text.to_owned(),
                Some((_, View::Null)) | None => String::new(),
                Some((other, _)) => other.to_string(),
            };
            Some(if is_component(&text) {
                text
            } else {
                "\0".to_owned()
            })
        };
        let mut inside = mention::names_of(node).into_iter();
        inside.any(|name| mention::means(node, &name, path, &value))
    }

    /// The value of a fact in B or else in A, `None` inside if it has none. None if it is not known or withheld.
    pub(super) fn open(&self, name: &str, in_b: bool) -> Option<Option<&'p Data>> {
        let side = if in_b { &self.b } else { &self.a };
        let known = side.get(name)?;
        (!known.private).then_some(known.value)
    }

    /// Whether a fact of that name was read.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.a.contains_key(name) || self.b.contains_key(name)
    }

    /// Whether the value is withheld, so that a change cannot be seen.
    pub(super) fn private(&self, name: &str) -> bool {
        let withheld =
            |side: &BTreeMap<&str, FactReading<'_>>| side.get(name).is_some_and(|k| k.private);
        withheld(&self.a) || withheld(&self.b)
    }
}

fn known(prompt: &Prompt) -> BTreeMap<&str, FactReading<'_>> {
    let present = prompt.channels.iter().flat_map(|c| &c.layers);
    let ingredients = present
        .flat_map(|l| &l.ingredients)
        .chain(prompt.absent.iter().flat_map(|a| &a.ingredients));
    ingredients
        .filter_map(|i| match i {
            Ingredient::Fact {
                name,
                value,
                private,
            } => Some((
                name.as_str(),
                FactReading {
                    value: value.as_ref(),
                    private: *private,
                },
            )),
            _ => None,
        })
        .collect()
}

/// An item of a list or map, and its value before and after.
type ItemChange = (Option<String>, Option<String>, Option<String>);

/// The first item that differs, of two lists or maps; else the values.
fn difference(old: &Data, new: &Data) -> ItemChange {
    match (old.view(), new.view()) {
        (View::List(x), View::List(y)) => {
            let front = x.iter().zip(y.iter()).take_while(|(x, y)| x == y).count();
            let (was, is) = (x.get(front), y.get(front));
            // An added or removed item is on one side only; otherwise the two differ in place.
            let added = is.as_ref().filter(|i| !x.iter().any(|o| same_item(&o, i)));
            let removed = was.as_ref().filter(|i| !y.iter().any(|n| same_item(&n, i)));
            let (was, is) = match (removed, added) {
                (None, Some(is)) => (None, Some(is)),
                (Some(was), None) => (Some(was), None),
                _ => (was.as_ref(), is.as_ref()),
            };
            let item = is
                .or(was)
                .map(|i| named(i).unwrap_or_else(|| front.to_string()));
            let [old, new] = excerpt::values([was, is]);
            (item, old, new)
        }
        (View::Map(x), View::Map(y)) => {
            let mut keys: Vec<&str> = x.names().chain(y.names()).collect();
            keys.sort_unstable();
            let differs = keys.into_iter().find(|k| x.get(k) != y.get(k));
            match differs {
                Some(key) => {
                    let (was, is) = (x.get(key), y.get(key));
                    let [old, new] = excerpt::values([was.as_ref(), is.as_ref()]);
                    (Some(key.to_owned()), old, new)
                }
                None => (None, None, None),
            }
        }
        _ => whole([Some(old), Some(new)]),
    }
}

/// The values themselves.
fn whole(values: [Option<&Data>; 2]) -> ItemChange {
    let [old, new] = excerpt::values(values);
    (None, old, new)
}

/// Whether two items are the same one, perhaps edited.
fn same_item(x: &Data, y: &Data) -> bool {
    x == y || (x.as_map().is_some() && named(x).is_some() && named(x) == named(y))
}

/// The name of an item: a string itself, a map's `name` or `id`.
fn named(item: &Data) -> Option<String> {
    match item.view() {
        View::Text(text) => Some(excerpt::short(text)),
        View::Map(map) => ["name", "id"]
            .iter()
            .find_map(|key| map.get(key)?.as_str().map(excerpt::short)),
        _ => None,
    }
}
