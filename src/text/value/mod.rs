//! A JSON value: facts, metadata and requests are read, shared and compared in this form.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::error::Category;
use serde_json::{Number, Value};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A JSON value. Objects keep the order of their keys, because a provider reads a request from its start. A clone shares
/// the texts, lists and objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(Arc<str>),
    /// A list.
    List(Arc<Vec<Json>>),
    /// An object: its keys and values, in order.
    Object(Arc<Vec<Member>>),
}

/// A key of an object, and its value.
pub type Member = (Arc<str>, Json);

/// A value that is read to be sent on. A number keeps its spelling, and lost data is an error: a duplicate key, and a
/// number with too many digits.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact(pub Json);

/// Why bytes are no fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// An object has a key twice, and readers differ in which one they take.
    Twice,
    /// It is not JSON there.
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

impl Json {
    /// Reads a value as a model sees it: spellings of one number are equal. None if the text is no JSON.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut from = serde_json::Deserializer::from_str(text);
        let value = Read::Sent.deserialize(&mut from).ok()?;
        from.end().ok().map(|()| value)
    }

    /// Reads a fact: [sorted](Self::sorted), and `1.0` stays another number than `1`.
    ///
    /// # Errors
    /// When it is not JSON, or an object has a key twice.
    pub fn read_fact(bytes: &[u8]) -> Result<Self, Unreadable> {
        serde_json::from_slice(bytes).map_err(|error| match error.classify() {
            Category::Data => Unreadable::Twice,
            _ => Unreadable::Syntax {
                line: bytes.contains(&b'\n').then(|| error.line()),
                column: error.column().max(1),
            },
        })
    }

    /// A text.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A list.
    #[must_use]
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(Arc::new(items.into_iter().collect()))
    }

    /// An object.
    #[must_use]
    pub fn object<'k>(members: impl IntoIterator<Item = (&'k str, Self)>) -> Self {
        let members = members.into_iter().map(|(key, value)| (key.into(), value));
        Self::Object(Arc::new(members.collect()))
    }

    /// The value of a key, if it is an object that has it; the last one, if it is there twice.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let found = self.members().iter().rfind(|(name, _)| **name == *key);
        found.map(|(_, value)| value)
    }

    /// The value of a key, if it is an object that has it and is [sorted](Self::sorted): found in few steps, however many
    /// keys it has.
    #[must_use]
    pub fn get_sorted(&self, key: &str) -> Option<&Self> {
        let members = self.members();
        let found = members.binary_search_by(|(name, _)| (**name).cmp(key));
        Some(&members[found.ok()?].1)
    }

    /// The member of that name, for changes.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let mut members = self.members_mut()?.iter_mut();
        let found = members.rfind(|(name, _)| **name == *key);
        found.map(|(_, value)| value)
    }

    /// The value that a path of keys leads to.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Sets a key of an object, at its place or after all others. A value that is not an object is left unchanged.
    pub fn set(&mut self, key: &str, value: Self) {
        if let Some(old) = self.get_mut(key) {
            *old = value;
        } else if let Some(members) = self.members_mut() {
            members.push((key.into(), value));
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if it is a list.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The items of a list, for changes.
    pub fn items_mut(&mut self) -> Option<&mut Vec<Self>> {
        match self {
            Self::List(items) => Some(Arc::make_mut(items)),
            _ => None,
        }
    }

    /// The keys and values, if it is an object.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The keys and values of an object, for changes.
    pub fn members_mut(&mut self) -> Option<&mut Vec<Member>> {
        match self {
            Self::Object(members) => Some(Arc::make_mut(members)),
            _ => None,
        }
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether it says nothing: null, or an empty text, list or object.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(_) | Self::Number(_) => false,
            Self::Text(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Object(members) => members.is_empty(),
        }
    }

    /// The text of one spelling for all that are equal.
    #[must_use]
    pub fn canonical(&self) -> String {
        // Every value of this type has a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The value with the keys of all objects in code point order.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.sort();
        self
    }

    fn sort(&mut self) {
        if let Some(members) = self.members_mut() {
            members.iter_mut().for_each(|(_, value)| value.sort());
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        let items = self.items_mut().into_iter().flatten();
        items.for_each(Self::sort);
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        // Every value of the engine is a fact: its objects have each key once.
        Self::deserialize(value).unwrap_or(Self::Null)
    }
}

impl fmt::Display for Json {
    /// Compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Bool(value) => to.serialize_bool(*value),
            Self::Number(number) => number.serialize(to),
            Self::Text(text) => to.serialize_str(text),
            Self::List(items) => to.collect_seq(&**items),
            Self::Object(members) => {
                to.collect_map(members.iter().map(|(key, value)| (key, value)))
            }
        }
    }
}

/// As [a fact](Json::read_fact).
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Read::Fact.deserialize(from)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Read::Exact.deserialize(from).map(Self)
    }
}

impl JsonSchema for Json {
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

/// The items for which a list or object has room at first. A vector that grows by itself has room for four; what a shorter one
/// gives back is a hole in the heap, and there can be one for every three bytes of text.
const FIRST: usize = 1;

/// What a value is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// To be compared as a model sees it.
    Sent,
    /// To be sent on.
    Exact,
    /// To be given to a prompt.
    Fact,
}

impl<'de> DeserializeSeed<'de> for Read {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Json, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Read {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json, E> {
        // A whole number that long was read as the nearest that fits: another one, such as of an id.
        if self == Self::Exact && value.abs() >= 18_446_744_073_709_551_616.0 {
            return Err(E::custom(
                "a number has more digits than are kept; write it as a text",
            ));
        }
        // To a model `1.0` and `1` are one number.
        let whole = value as i64;
        if self == Self::Sent && whole as f64 == value && whole.unsigned_abs() < 1 << 53 {
            return Ok(Json::Number(whole.into()));
        }
        let number = Number::from_f64(value);
        number
            .map(Json::Number)
            .ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut items = Vec::with_capacity(FIRST);
        while let Some(item) = from.next_element_seed(self)? {
            items.push(item);
        }
        items.shrink_to_fit();
        Ok(Json::List(items.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut members: Vec<Member> = Vec::with_capacity(FIRST);
        let mut keys = BTreeSet::new();
        // A key is read like a text, which takes one allocation.
        while let Some(Json::Text(key)) = from.next_key_seed(self)? {
            if self == Self::Exact && !keys.insert(key.clone()) {
                return Err(de::Error::custom("an object has a key twice"));
            }
            members.push((key, from.next_value_seed(self)?));
        }
        if self == Self::Fact {
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(de::Error::custom("a key appears twice in one object"));
            }
        }
        members.shrink_to_fit();
        Ok(Json::Object(members.into()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
