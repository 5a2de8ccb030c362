//! Objects and lists whose values keep their spelling.

use crate::text::Json;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The members of an object, in order, each value as it is written.
#[derive(Debug, Default)]
pub(super) struct Members<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object. None if the text is none.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        let found = self.0.iter().rfind(|(k, _)| k == key);
        found.map(|(_, value)| value.get())
    }

    pub(super) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    pub(super) fn value(&self, key: &str) -> Option<Json> {
        Json::read(self.get(key)?)
    }

    /// The items of a list, each as it is written; none if there is none.
    pub(super) fn list(&self, key: &str) -> Vec<&'a str> {
        self.get(key).and_then(list).unwrap_or_default()
    }

    /// The object as text, without some of its members.
    pub(super) fn without(&self, keys: &[&str]) -> String {
        let kept = self.0.iter().filter(|(key, _)| !keys.contains(&&**key));
        let kept: Vec<String> = kept
            .map(|(key, value)| format!("{}:{}", Json::from(&**key).canonical(), value.get()))
            .collect();
        format!("{{{}}}", kept.join(","))
    }
}

/// A key, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The items of a list, each as it is written. None if the text is no list.
pub(super) fn list(text: &str) -> Option<Vec<&str>> {
    let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(items.into_iter().map(RawValue::get).collect())
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(16);
                while let Some((Key(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Entries).map(Members)
    }
}
