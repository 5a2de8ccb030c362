//! The ingredients of one layer, which share with those of others what is read with a let.

use super::Ingredient;
use super::dependencies::LetDependencies;
use crate::text::index::{Index, key};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

/// The ingredients of one layer: each that is interned is listed once, in the order of first use.
#[derive(Clone, Default)]
pub struct Ingredients {
    /// All but the block.
    own: Vec<Ingredient>,
    /// The interned ones among them, by their places among all.
    known: Index,
    block: Option<Box<Block>>,
}

/// The names that are read with the first let that was read. Thousands of layers may read lets with thousands of
/// dependencies.
#[derive(Clone)]
struct Block {
    dependencies: Arc<LetDependencies>,
    row: usize,
    /// The number of ingredients before it.
    at: usize,
    /// The names that it leaves out because they come earlier, by the index in its list.
    without: Vec<usize>,
    /// All ingredients, once they were asked for.
    all: OnceLock<Vec<Ingredient>>,
}

impl Block {
    fn len(&self) -> usize {
        self.dependencies.len(self.row) - self.without.len()
    }

    /// The index of `name` among all ingredients.
    fn index(&self, name: &str) -> Option<usize> {
        let index = self.dependencies.index(self.row, name)?;
        let before = self.without.binary_search(&index).err()?;
        Some(self.at + index - before)
    }
}

impl Ingredients {
    /// The index of `ingredient`, which is added if it is new.
    pub fn intern(&mut self, ingredient: Ingredient) -> u32 {
        self.same(&ingredient)
            .unwrap_or_else(|| self.add_known(key_of(&ingredient), ingredient))
    }

    /// As [`Ingredients::intern`], of an ingredient that is copied only if it is new.
    pub fn intern_copy(&mut self, ingredient: &Ingredient) -> u32 {
        self.same(ingredient)
            .unwrap_or_else(|| self.add_known(key_of(ingredient), ingredient.clone()))
    }

    /// The index of an equal one that was interned, or of a fact or let that was read with a let.
    fn same(&self, ingredient: &Ingredient) -> Option<u32> {
        let read = name_of(ingredient).and_then(|name| self.block.as_ref()?.index(name));
        let own = || self.find(key_of(ingredient), |known| known == ingredient);
        read.map(narrow).or_else(own)
    }

    /// The index of the fact or let called `name`, which is added with its new dependencies in `dependencies`. If no
    /// let is involved, `ingredient` creates it: in one build a name has one value.
    pub fn read(
        &mut self,
        name: &str,
        dependencies: &Arc<LetDependencies>,
        ingredient: impl FnOnce() -> Ingredient,
    ) -> u32 {
        if let Some(known) = self.value(name) {
            return known;
        }
        let Some(row) = dependencies.row(name) else {
            return self.add_known(value_key(name), ingredient());
        };
        if self.block.is_none() && dependencies.len(row) > 1 {
            let names = self.own.iter().filter_map(name_of);
            let mut without: Vec<usize> =
                names.filter_map(|n| dependencies.index(row, n)).collect();
            without.sort_unstable();
            let block = self.block.insert(Box::new(Block {
                dependencies: dependencies.clone(),
                row,
                at: self.own.len(),
                without,
                all: OnceLock::new(),
            }));
            return narrow(block.at + block.len() - 1);
        }
        let mut last = u32::MAX;
        for (name, ingredient) in dependencies.more(row, |name| self.value(name).is_some()) {
            last = self.add_known(value_key(name), ingredient.clone());
        }
        last
    }

    /// The index of the fact or let called `name`.
    fn value(&self, name: &str) -> Option<u32> {
        let in_block = self.block.as_ref().and_then(|block| block.index(name));
        let own = || self.find(value_key(name), |i| name_of(i) == Some(name));
        in_block.map(narrow).or_else(own)
    }

    /// The index of the interned ingredient with that key which is the `wanted` one.
    fn find(&self, key: u64, wanted: impl Fn(&Ingredient) -> bool) -> Option<u32> {
        let is_wanted = |at: usize| self.get_own(narrow(at)).is_some_and(&wanted);
        self.known.find(key, is_wanted)
    }

    fn add_known(&mut self, key: u64, ingredient: Ingredient) -> u32 {
        let at = self.add(ingredient);
        self.known.insert(key, at as usize);
        at
    }

    /// Adds `ingredient` even if an equal one is listed (a file read twice has two fates).
    pub fn add(&mut self, ingredient: Ingredient) -> u32 {
        self.changes();
        self.own.push(ingredient);
        narrow(self.len() - 1)
    }

    fn changes(&mut self) {
        if let Some(block) = &mut self.block {
            block.all.take();
        }
    }

    /// The position of the ingredient at `index` among those outside of the block.
    fn own_at(&self, index: u32) -> Option<usize> {
        let index = index as usize;
        match &self.block {
            Some(block) if index >= block.at => {
                (index.checked_sub(block.len())).filter(|own| *own >= block.at)
            }
            _ => Some(index),
        }
    }

    /// The ingredient at `index`, unless it was read with a let.
    #[must_use]
    pub fn get_own(&self, index: u32) -> Option<&Ingredient> {
        self.own.get(self.own_at(index)?)
    }

    /// The ingredient, mutable.
    pub fn get_own_mut(&mut self, index: u32) -> Option<&mut Ingredient> {
        self.changes();
        let at = self.own_at(index)?;
        self.own.get_mut(at)
    }

    /// Their number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.own.len() + self.block.as_ref().map_or(0, |block| block.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ingredients of a finished layer: nothing more is interned.
    #[must_use]
    pub fn done(mut self) -> Self {
        self.known = Index::default();
        self.shrink();
        self
    }

    /// Frees unused capacity.
    pub fn shrink(&mut self) {
        self.own.shrink_to_fit();
    }

    fn all(&self, block: &Block) -> Vec<Ingredient> {
        let (front, rest) = self.own.split_at(block.at);
        let mut out = Vec::with_capacity(self.len());
        out.extend_from_slice(front);
        let list = block.dependencies.list(block.row).into_iter().enumerate();
        let list = list.filter(|(index, _)| block.without.binary_search(index).is_err());
        out.extend(list.map(|(_, ingredient)| ingredient.clone()));
        out.extend_from_slice(rest);
        out
    }
}

impl Deref for Ingredients {
    type Target = [Ingredient];

    fn deref(&self) -> &[Ingredient] {
        match &self.block {
            Some(block) => block.all.get_or_init(|| self.all(block)),
            None => &self.own,
        }
    }
}

impl DerefMut for Ingredients {
    fn deref_mut(&mut self) -> &mut [Ingredient] {
        if self.block.is_some() {
            *self = self.to_vec().into();
        }
        &mut self.own
    }
}

impl From<Vec<Ingredient>> for Ingredients {
    fn from(own: Vec<Ingredient>) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }
}

impl<'a> IntoIterator for &'a Ingredients {
    type Item = &'a Ingredient;
    type IntoIter = std::slice::Iter<'a, Ingredient>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Ingredients {
    type Item = &'a mut Ingredient;
    type IntoIter = std::slice::IterMut<'a, Ingredient>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl PartialEq for Ingredients {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Ingredients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for Ingredients {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.block {
            // Not cached: there may be very many in all layers together.
            Some(block) => self.all(block).serialize(serializer),
            None => self.own.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Ingredients {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

impl JsonSchema for Ingredients {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<Ingredient>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Ingredient>::json_schema(generator)
    }
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The name of a fact or let.
fn name_of(ingredient: &Ingredient) -> Option<&str> {
    match ingredient {
        Ingredient::Fact { name, .. } | Ingredient::Let { name, .. } => Some(name),
        _ => None,
    }
}

/// A hash of what equal ingredients have in common and few others: of a fact or let the name alone.
fn key_of(ingredient: &Ingredient) -> u64 {
    match ingredient {
        Ingredient::Fact { name, .. } | Ingredient::Let { name, .. } => value_key(name),
        Ingredient::Document { path, root, .. } | Ingredient::Exists { path, root, .. } => {
            key(&(path, root))
        }
        Ingredient::Template {
            sha256, file, line, ..
        } => key(&(sha256, file, line)),
        Ingredient::Literal { sha256, file, line } => key(&(sha256, file, Some(line))),
        Ingredient::Root { name, .. } => key(name),
        Ingredient::Condition {
            expression, inputs, ..
        } => key(&(expression, inputs)),
        Ingredient::Loaded { layer, .. } => key(layer),
        Ingredient::Budget {
            of, max, before, ..
        } => key(&(of, max, before)),
    }
}

/// The key of a fact or let.
fn value_key(name: &str) -> u64 {
    key(&name)
}

#[cfg(test)]
mod tests;
