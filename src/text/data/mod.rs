//! A JSON value in little memory: facts are stored, shared and compared in this form.
//!
//! A tree of one allocation per value takes 50 times its text and more, so all values below one are in one flat tree: 4
//! bytes for each value, 4 for each non-empty list, map or string, and the bytes of the strings.

mod tree;
mod read;

use self::read::Builder;
use self::tree::{Kind, Slot, Tree, number};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeSeed as _;
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};
use std::fmt;
use std::sync::Arc;

/// A JSON value. A clone shares it, and so does what is read out of it.
#[derive(Clone)]
pub struct Data {
    tree: Arc<Tree>,
    slot: Slot,
}

/// The kind of a [`Data`].
#[derive(Debug, Clone, PartialEq)]
pub enum View<'d> {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(&'d str),
    /// A list.
    List(List<'d>),
    /// Names to values, in code point order of the names.
    Map(Map<'d>),
}

/// The items of a list.
#[derive(Clone, Copy)]
pub struct List<'d> {
    tree: &'d Arc<Tree>,
    slots: &'d [Slot],
}

/// The members of a map.
#[derive(Clone, Copy)]
pub struct Map<'d> {
    tree: &'d Arc<Tree>,
    /// Names and values in turn.
    slots: &'d [Slot],
}

/// Why bytes are no [`Data`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// An object has a key twice, and readers differ in which one they take.
    Twice,
    /// It is not JSON there, or has more values than [`Data`] can hold.
    Syntax {
        /// The line, from 1; none if there is only one.
        line: Option<usize>,
        /// The column, from 1, in bytes.
        column: usize,
    },
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Twice => f.write_str("a key twice in one object"),
            Self::Syntax { line, column } => {
                line.map_or(Ok(()), |line| write!(f, "line {line}, "))?;
                write!(f, "column {column}")
            }
        }
    }
}

impl std::error::Error for Unreadable {}

impl Data {
    /// Reads JSON.
    ///
    /// # Errors
    /// When it is not JSON, or an object has a key twice.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut builder = Builder::default();
        builder.reserve(bytes);
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let slot = builder.deserialize(&mut json);
        match slot.and_then(|slot| json.end().map(|()| slot)) {
            Ok(slot) => Ok(builder.finish(slot)),
            Err(_) if builder.twice => Err(Unreadable::Twice),
            Err(error) => Err(Unreadable::Syntax {
                line: bytes.contains(&b'\n').then(|| error.line()),
                column: error.column().max(1),
            }),
        }
    }

    /// Null.
    #[must_use]
    pub fn null() -> Self {
        Value::Null.into()
    }

    /// Its kind.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        let (tree, slot) = (&self.tree, self.slot);
        match slot.kind() {
            Kind::Null => View::Null,
            Kind::Bool => View::Bool(slot.payload() == 1),
            Kind::Small => View::Number(slot.small().into()),
            Kind::Number => View::Number(number(tree.text(slot))),
            Kind::Text => View::Text(tree.text(slot)),
            Kind::List => View::List(List {
                tree,
                slots: tree.group(slot),
            }),
            Kind::Map => View::Map(Map {
                tree,
                slots: tree.group(slot),
            }),
        }
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.slot.kind() == Kind::Null
    }

    /// The string that it is, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self.view() {
            View::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The list that it is, if it is one.
    #[must_use]
    pub fn as_list(&self) -> Option<List<'_>> {
        match self.view() {
            View::List(list) => Some(list),
            _ => None,
        }
    }

    /// The map that it is, if it is one.
    #[must_use]
    pub fn as_map(&self) -> Option<Map<'_>> {
        match self.view() {
            View::Map(map) => Some(map),
            _ => None,
        }
    }
}

impl<'d> List<'d> {
    /// The number of its items.
    #[must_use]
    pub fn len(self) -> usize {
        self.slots.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.slots.is_empty()
    }

    /// An item, from 0.
    #[must_use]
    pub fn get(self, index: usize) -> Option<Data> {
        let slot = *self.slots.get(index)?;
        let tree = self.tree.clone();
        Some(Data { tree, slot })
    }

    /// The items in order.
    pub fn iter(self) -> impl Iterator<Item = Data> + 'd {
        let data = move |slot: &Slot| Data {
            tree: self.tree.clone(),
            slot: *slot,
        };
        self.slots.iter().map(data)
    }

    /// The items, if all are strings.
    #[must_use]
    pub fn strings(self) -> Option<Vec<&'d str>> {
        let text = |slot: &Slot| (slot.kind() == Kind::Text).then(|| self.tree.text(*slot));
        self.slots.iter().map(text).collect()
    }
}

impl<'d> Map<'d> {
    /// The number of its members.
    #[must_use]
    pub fn len(self) -> usize {
        self.slots.len() / 2
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.slots.is_empty()
    }

    fn members(self) -> &'d [[Slot; 2]] {
        self.slots.as_chunks().0
    }

    /// The value of a name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Data> {
        let members = self.members();
        let of = |member: &[Slot; 2]| self.tree.text(member[0]).cmp(name);
        let [_, slot] = members[members.binary_search_by(of).ok()?];
        let tree = self.tree.clone();
        Some(Data { tree, slot })
    }

    /// The names, in code point order.
    pub fn names(self) -> impl DoubleEndedIterator<Item = &'d str> + 'd {
        let members = self.members().iter();
        members.map(move |&[name, _]| self.tree.text(name))
    }

    /// The names and their values, in code point order.
    pub fn iter(self) -> impl Iterator<Item = (&'d str, Data)> + 'd {
        self.members().iter().map(move |&[name, slot]| {
            let tree = self.tree.clone();
            (self.tree.text(name), Data { tree, slot })
        })
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.tree, &other.tree) && self.slot.0 == other.slot.0)
            || self.view() == other.view()
    }
}

impl PartialEq for List<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl PartialEq for Map<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Display for Data {
    /// Compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Debug for Map<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl From<&str> for Data {
    fn from(text: &str) -> Self {
        Value::from(text).into()
    }
}

impl From<Value> for Data {
    /// A value with more than 536,870,911 strings or lists, which no text of the size that promptc reads has, is null.
    fn from(value: Value) -> Self {
        let mut builder = Builder::default();
        let slot = builder.deserialize(value).ok();
        let null = || Slot::new(Kind::Null, 0).unwrap_or(Slot(0));
        let slot = slot.unwrap_or_else(null);
        builder.finish(slot)
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.view() {
            View::Null => serializer.serialize_unit(),
            View::Bool(is) => serializer.serialize_bool(is),
            View::Number(number) => number.serialize(serializer),
            View::Text(text) => serializer.serialize_str(text),
            View::List(list) => {
                let mut out = serializer.serialize_seq(Some(list.len()))?;
                for item in list.iter() {
                    out.serialize_element(&item)?;
                }
                out.end()
            }
            View::Map(map) => {
                let mut out = serializer.serialize_map(Some(map.len()))?;
                for (name, value) in map.iter() {
                    out.serialize_entry(name, &value)?;
                }
                out.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut builder = Builder::default();
        let slot = builder.deserialize(deserializer)?;
        Ok(builder.finish(slot))
    }
}

impl JsonSchema for Data {
    fn inline_schema() -> bool {
        Value::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Value::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Value::json_schema(generator)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
