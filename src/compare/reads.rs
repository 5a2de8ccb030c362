//! The inputs of conditions, and their changes.

use super::change::{Changes, What};
use super::model::{Cause, CauseKind};
use super::side::Side;
use super::{Ground, cause};
use crate::prompt::Ingredient;
use crate::template::analyse;
use crate::text::document::Document;
use std::collections::{BTreeMap, BTreeSet};

/// The inputs of a condition.
#[derive(Default)]
pub(super) struct Reads {
    /// Facts, lets and attributes of documents.
    pub(super) names: Vec<String>,
    exists: Vec<(String, String)>,
    loaded: Vec<String>,
    /// Whether it is asked of each document.
    pub(super) of_documents: bool,
}

impl Reads {
    /// From the expression itself, through the lets that it names.
    pub(super) fn of(expression: &str, sides: [&Side<'_>; 2]) -> Self {
        let mut out = Self::default();
        out.add(expression, sides, 0);
        out
    }

    fn add(&mut self, expression: &str, sides: [&Side<'_>; 2], depth: usize) {
        let Ok(analysis) = analyse::expression(expression, &BTreeSet::new()) else {
            return;
        };
        let exists = analysis.exists.into_iter().map(|e| (e.root, e.file));
        self.exists.extend(exists);
        self.loaded
            .extend(analysis.loaded.into_iter().map(|l| l.name));
        for name in analysis.names.into_iter().map(|n| n.name) {
            self.of_documents |= Document::ATTRIBUTES.contains(&name.as_str());
            if self.names.contains(&name) {
                continue;
            }
            let mut ingredients = sides.iter().flat_map(|s| s.ingredients());
            let behind = ingredients.find_map(|i| match i {
                Ingredient::Let {
                    name: n,
                    expression,
                } if *n == name => Some(expression),
                _ => None,
            });
            self.names.push(name);
            // Lets cannot name each other in a circle; the bound is for artifacts that were made by hand.
            if let Some(expression) = behind.filter(|_| depth < 32) {
                self.add(expression, sides, depth + 1);
            }
        }
    }

    /// The facts that it reads, if it asks for nothing else but `lets`.
    pub(super) fn facts_alone<T>(&self, lets: &BTreeMap<&str, T>) -> Option<Vec<&str>> {
        if self.of_documents || !self.exists.is_empty() || !self.loaded.is_empty() {
            return None;
        }
        let names = self.names.iter().map(String::as_str);
        Some(names.filter(|name| !lets.contains_key(name)).collect())
    }

    /// The changed inputs.
    pub(super) fn changed(
        &self,
        ground: Ground<'_, '_>,
        sides: [&Side<'_>; 2],
        changes: &Changes<'_>,
    ) -> Vec<Cause> {
        let facts = self.names.iter().filter_map(|f| ground.values.changed(f));
        let lets = self
            .names
            .iter()
            .filter_map(|name| changes.get(What::Let(name)).cloned());
        let exists = self.exists.iter().filter_map(|(root, path)| {
            let [old, new] = sides.map(|s| s.exists(root, path));
            Some(Cause {
                root: Some(root.clone()),
                path: Some(path.clone()),
                ..Cause::new(match (old?, new?) {
                    (false, true) => CauseKind::DocumentAppeared,
                    (true, false) => CauseKind::DocumentVanished,
                    _ => return None,
                })
            })
        });
        let loaded = self.loaded.iter().flat_map(|layer| {
            let [old, new] = sides.map(|s| s.loaded(layer));
            match old.is_some() && new.is_some() && old != new {
                true => cause::of_layer(layer, ground),
                false => Vec::new(),
            }
        });
        facts.chain(lets).chain(exists).chain(loaded).collect()
    }
}
