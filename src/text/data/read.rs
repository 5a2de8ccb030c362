//! Reading values into a tree.

use super::Data;
use super::tree::{Kind, Slot, Tree};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::fmt;
use std::sync::Arc;

/// A tree that is being read.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) tree: Tree,
    /// The values of the lists and maps that are open, the innermost last.
    pub(super) open: Vec<Slot>,
    /// Whether an object has a key twice.
    pub(super) twice: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            tree: Tree::new(),
            open: Vec::new(),
            twice: false,
        }
    }
}

impl Builder {
    /// Makes room for all that JSON of these bytes can hold: a vector that grows leaves what it held before in the heap, which
    /// is as much again.
    pub(super) fn reserve(&mut self, json: &[u8]) {
        let count = |of: &[u8]| json.iter().filter(|byte| of.contains(byte)).count();
        let (groups, tree) = (count(b"[{"), &mut self.tree);
        let values = groups + count(b",:");
        self.open.reserve(values);
        tree.slots.reserve(values);
        tree.groups.reserve(groups);
        tree.texts.reserve(count(b"\"") / 2);
        tree.text.reserve(json.len());
    }

    pub(super) fn finish(mut self, slot: Slot) -> Data {
        self.tree.slots.shrink_to_fit();
        self.tree.text.shrink_to_fit();
        Data {
            tree: Arc::new(self.tree),
            slot,
        }
    }

    /// Closes the list or map whose values begin at `start` of the open ones.
    fn close(&mut self, kind: Kind, start: usize) -> Option<Slot> {
        let slot = self.tree.add_group(kind, &self.open[start..]);
        self.open.truncate(start);
        slot
    }

    /// Sorts the members of a map, and returns whether each name is unique.
    fn ordered(&mut self, start: usize) -> bool {
        let Self { tree, open, .. } = self;
        let (members, _) = open[start..].as_chunks_mut::<2>();
        members.sort_unstable_by(|a, b| tree.text(a[0]).cmp(tree.text(b[0])));
        !(members.windows(2)).any(|pair| tree.text(pair[0][0]) == tree.text(pair[1][0]))
    }
}

impl<'de> DeserializeSeed<'de> for &mut Builder {
    type Value = Slot;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Slot, D::Error> {
        deserializer.deserialize_any(self)
    }
}

fn held<E: serde::de::Error>(slot: Option<Slot>) -> Result<Slot, E> {
    slot.ok_or_else(|| E::custom("more values than can be held"))
}

impl<'de> Visitor<'de> for &mut Builder {
    type Value = Slot;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Slot, E> {
        held(Slot::new(Kind::Null, 0))
    }

    fn visit_bool<E: serde::de::Error>(self, is: bool) -> Result<Slot, E> {
        held(Slot::new(Kind::Bool, usize::from(is)))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Slot, E> {
        held(self.tree.add_number(&number.into()))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Slot, E> {
        held(self.tree.add_number(&number.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Slot, E> {
        // As for the engine's own value, what is no number of JSON is null.
        match Number::from_f64(number) {
            Some(number) => held(self.tree.add_number(&number)),
            None => self.visit_unit(),
        }
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Slot, E> {
        held(self.tree.add_text(Kind::Text, text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Slot, A::Error> {
        let start = self.open.len();
        while let Some(slot) = items.next_element_seed(&mut *self)? {
            self.open.push(slot);
        }
        held(self.close(Kind::List, start))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Slot, A::Error> {
        let start = self.open.len();
        while let Some(name) = members.next_key_seed(&mut *self)? {
            self.open.push(name);
            let slot = members.next_value_seed(&mut *self)?;
            self.open.push(slot);
        }
        if !self.ordered(start) {
            self.twice = true;
            return Err(A::Error::custom("a key appears twice in one object"));
        }
        held(self.close(Kind::Map, start))
    }
}
