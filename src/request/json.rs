//! JSON whose objects keep the order of their keys: a provider reads a request from its start, so the order matters.

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Number;
use std::collections::BTreeSet;
use std::fmt;

/// A JSON value. It is read as a model sees it: spellings of one number are equal.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object: its keys and values, in order.
    Object(Vec<(String, Json)>),
}

/// A value that is read to be sent on. A number keeps its spelling, and lost data is an error: a duplicate key, and a
/// number with too many digits.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact(pub Json);

impl Json {
    /// Reads a value. None if the text is no JSON.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// An object.
    #[must_use]
    pub fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The value of a key, if it is an object that has it; the last one, if it is there twice.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let found = members.iter().rfind(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    /// The member of that name, for changes.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let found = members.iter_mut().rfind(|(name, _)| name == key);
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
        } else if let Self::Object(members) = self {
            members.push((key.to_owned(), value));
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
    pub fn sorted(self) -> Self {
        match self {
            Self::List(items) => Self::List(items.into_iter().map(Self::sorted).collect()),
            Self::Object(members) => {
                let sorted = members
                    .into_iter()
                    .map(|(key, value)| (key, value.sorted()));
                let mut sorted: Vec<_> = sorted.collect();
                sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
                Self::Object(sorted)
            }
            other => other,
        }
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

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Bool(value) => to.serialize_bool(*value),
            Self::Number(number) => number.serialize(to),
            Self::Text(text) => to.serialize_str(text),
            Self::List(items) => to.collect_seq(items),
            Self::Object(members) => {
                let mut map = to.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Read { exact: false }.deserialize(from)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Read { exact: true }.deserialize(from).map(Self)
    }
}

/// The options for reading a value.
#[derive(Clone, Copy)]
struct Read {
    exact: bool,
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
        if self.exact && value.abs() >= 18_446_744_073_709_551_616.0 {
            return Err(E::custom(
                "a number has more digits than are kept; write it as a text",
            ));
        }
        // To a model `1.0` and `1` are one number.
        let whole = value as i64;
        if !self.exact && whole as f64 == value && whole.unsigned_abs() < 1 << 53 {
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

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut keys = BTreeSet::new();
        while let Some(key) = from.next_key::<String>()? {
            if self.exact && !keys.insert(key.clone()) {
                return Err(de::Error::custom("an object has a key twice"));
            }
            members.push((key, from.next_value_seed(self)?));
        }
        Ok(Json::Object(members))
    }
}
