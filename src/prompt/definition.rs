//! The definition of a layer or tier in the manifest.

use super::sha256;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A part of the manifest as it was read: enough to say what was edited, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The manifest.
    #[serde(rename = "path")]
    pub file: Arc<str>,
    /// Its nodes, from the top; comments, layout and waivers are left out.
    pub nodes: Arc<[DefinitionNode]>,
}

impl Definition {
    /// The file that one of its nodes is in.
    #[must_use]
    pub fn file_of<'a>(&'a self, node: &'a DefinitionNode) -> &'a Arc<str> {
        node.file.as_ref().unwrap_or(&self.file)
    }
}

/// One node of the manifest. Its text form is that of KDL on one line, with the beginning of a long string and the first
/// digits of its hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefinitionNode {
    /// The file that it is in, if that is another than the definition's: a base, an overlay or an included file.
    #[serde(rename = "path", default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// The line of its name, from 1.
    pub line: usize,
    /// The number of nodes around it; 0 for the layer or tier itself.
    pub depth: u32,
    /// Its name, such as `file` or `budget`.
    pub name: String,
    /// Its arguments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Value>,
    /// Its properties.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, Value>,
}

impl DefinitionNode {
    /// The values of its arguments and properties.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.arguments.iter().chain(self.properties.values())
    }

    /// The value of the property `name`.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.properties.get(name)
    }

    /// Whether another node says the same, wherever each is.
    #[must_use]
    pub fn says_as(&self, other: &Self) -> bool {
        self.name == other.name
            && self.arguments == other.arguments
            && self.properties == other.properties
    }

    /// Whether `word` is in one of its strings, or in the stored part of it.
    #[must_use]
    pub fn mentions(&self, word: &str) -> bool {
        self.values().any(|value| match value {
            Value::Text(text) | Value::Fact { fact: text } | Value::Long { begins: text, .. } => {
                text.contains(word)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        })
    }

    /// Whether not all of it is stored.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.values()
            .any(|value| matches!(value, Value::Long { .. }))
    }

    /// Its text form for people, without hashes.
    #[must_use]
    pub fn shown(&self) -> String {
        let shown = |value: &Value| match value {
            Value::Long { begins, .. } => Value::Text(format!("{begins}…")),
            other => other.clone(),
        };
        let properties = self.properties.iter();
        let node = Self {
            name: self.name.clone(),
            arguments: self.arguments.iter().map(shown).collect(),
            properties: properties
                .map(|(name, value)| (name.clone(), shown(value)))
                .collect(),
            ..Self::default()
        };
        node.to_string()
    }

    /// Whether it is a node of that name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }
}

impl fmt::Display for DefinitionNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for value in &self.arguments {
            write!(f, " {value}")?;
        }
        for (name, value) in &self.properties {
            write!(f, " {name}={value}")?;
        }
        Ok(())
    }
}

/// The value of an argument or property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// `#null`.
    Null,
    /// `#true` or `#false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(String),
    /// `(fact)"…"`: the fact of that name.
    Fact {
        /// Its name.
        fact: String,
    },
    /// A long string.
    Long {
        /// Its first 60 Unicode scalar values.
        begins: String,
        /// Hash of all of it.
        sha256: String,
    },
}

impl Value {
    /// The number of stored characters of a string; a hash replaces the rest of a longer one.
    const SHOWN: usize = 60;

    /// A string.
    #[must_use]
    pub fn text(string: &str) -> Self {
        match string.char_indices().nth(Self::SHOWN) {
            None => Self::Text(string.to_owned()),
            Some((end, _)) => Self::Long {
                begins: string[..end].to_owned(),
                sha256: sha256(string),
            },
        }
    }

    /// Whether it is this string, or the fact of this name.
    #[must_use]
    pub fn is(&self, string: &str) -> bool {
        match self {
            Self::Text(text) | Self::Fact { fact: text } => text == string,
            Self::Long { begins, .. } => {
                string.starts_with(begins.as_str()) && *self == Self::text(string)
            }
            Self::Null | Self::Bool(_) | Self::Number(_) => false,
        }
    }

    /// Whether it is the value of a fact.
    #[must_use]
    pub fn is_fact(&self) -> bool {
        matches!(self, Self::Fact { .. })
    }

    /// The string if it is short, or the name of the fact.
    #[must_use]
    pub fn string(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Fact { fact: text } => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Long { .. } => None,
        }
    }
}

/// As derived for an untagged enum, without keeping a copy of each value until its kind is known.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Read)
    }
}

/// Reads a value.
struct Read;

/// The values that are objects.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Object {
    Fact { fact: String },
    Long { begins: String, sha256: String },
}

impl<'de> Visitor<'de> for Read {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, number, boolean or null, a fact or a long string")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, is: bool) -> Result<Value, E> {
        Ok(Value::Bool(is))
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Number(n.into()))
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Value, E> {
        Ok(Value::Number(n.into()))
    }

    fn visit_f64<E: de::Error>(self, n: f64) -> Result<Value, E> {
        Ok(Number::from_f64(n).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        let object = Object::deserialize(MapAccessDeserializer::new(map))?;
        Ok(match object {
            Object::Fact { fact } => Value::Fact { fact },
            Object::Long { begins, sha256 } => Value::Long { begins, sha256 },
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| serde_json::Value::from(text);
        match self {
            Self::Null => f.write_str("#null"),
            Self::Bool(is) => write!(f, "#{is}"),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => quoted(text).fmt(f),
            Self::Fact { fact } => write!(f, "(fact){}", quoted(fact)),
            Self::Long { begins, sha256 } => {
                let digest = sha256.trim_start_matches("sha256:");
                let digest: String = digest.chars().take(12).collect();
                write!(f, "{}… [{digest}]", quoted(begins))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DefinitionNode, Value};

    #[test]
    fn a_node_is_read_back_as_it_was_written() {
        let long = "when=\"x\" (fact)\"y\" ".repeat(9);
        let fact = Value::Fact { fact: "low".into() };
        let node = DefinitionNode {
            line: 7,
            depth: 1,
            name: "file".into(),
            arguments: vec![
                Value::text("a=\"b\" (fact)\"c\""),
                fact.clone(),
                Value::text(&long),
                Value::Number(7.into()),
                Value::Null,
            ],
            properties: [("min".into(), fact), ("x".into(), Value::Bool(true))].into(),
            ..DefinitionNode::default()
        };
        let json = serde_json::to_string(&node).unwrap();
        assert_eq!(serde_json::from_str::<DefinitionNode>(&json).unwrap(), node);
        let Value::Long { begins, sha256 } = &node.arguments[2] else {
            panic!("a long string");
        };
        assert_eq!(
            node.to_string(),
            format!(
                "file \"a=\\\"b\\\" (fact)\\\"c\\\"\" (fact)\"low\" {}… [{}] 7 #null min=(fact)\"low\" x=#true",
                serde_json::Value::from(begins.as_str()),
                &sha256[7..19],
            )
        );
        assert!(node.arguments[2].is(&long));
        assert!(!node.arguments[2].is(&long[1..]));
        assert!(node.property("min").unwrap().is_fact());
    }
}
