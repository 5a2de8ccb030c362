//! What the manifest says about a layer or tier.

use super::sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What stands behind the beginning of a long string, in front of its hash and a bracket.
const CUT: &str = "… [";

/// A stretch of the manifest as it was read: enough to say what was edited, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The manifest.
    pub file: Arc<str>,
    /// Its nodes, from the top; comments, layout and waivers are left out.
    pub nodes: Arc<[DefinitionNode]>,
}

impl Definition {
    /// The file that one of its nodes stands in.
    #[must_use]
    pub fn file_of<'a>(&'a self, node: &'a DefinitionNode) -> &'a Arc<str> {
        node.file.as_ref().unwrap_or(&self.file)
    }
}

/// One node of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefinitionNode {
    /// The file that it stands in, if that is another than the definition's: a base, an overlay or an included file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// The line of its name, from 1.
    pub line: usize,
    /// How deep it stands; the layer or tier itself is 0.
    pub depth: u32,
    /// Its name, arguments and properties; of a long string the beginning and a hash.
    pub text: String,
}

impl DefinitionNode {
    /// How many characters of a string its text shows; of a longer one a hash stands for the rest.
    const SHOWN: usize = 60;

    /// A string as it stands in the text of a node.
    #[must_use]
    pub fn written(string: &str) -> String {
        match string.char_indices().nth(Self::SHOWN) {
            None => serde_json::Value::from(string).to_string(),
            Some((cut, _)) => {
                let hash = sha256(string);
                let digest = hash.trim_start_matches("sha256:");
                let shown = serde_json::Value::from(&string[..cut]);
                format!("{shown}{CUT}{}]", &digest[..12])
            }
        }
    }

    /// What its text says, taken apart.
    #[must_use]
    pub fn said(&self) -> Said<'_> {
        let name = self.text.split(' ').next().unwrap_or_default();
        let mut rest = &self.text[name.len()..];
        let mut entries = Vec::new();
        while let Some(behind) = rest.strip_prefix(' ') {
            let (entry, end) = Entry::first_of(behind);
            entries.push(entry);
            rest = &behind[end..];
        }
        Said { name, entries }
    }

    /// Whether it is a node of that name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.said().name == name
    }
}

/// A node of the manifest: its name, arguments and properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<'a> {
    /// Its name.
    pub name: &'a str,
    entries: Vec<Entry<'a>>,
}

/// An argument or a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry<'a> {
    /// The name of a property.
    name: Option<&'a str>,
    value: Value<'a>,
}

/// The value of an argument or property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value<'a> {
    /// Whether `(fact)` stands in front of it.
    pub is_fact: bool,
    /// As it stands in the text of the node.
    pub written: &'a str,
}

impl<'a> Said<'a> {
    /// Its arguments, in order.
    pub fn arguments(&self) -> impl Iterator<Item = Value<'a>> {
        let arguments = self.entries.iter().filter(|e| e.name.is_none());
        arguments.map(|e| e.value)
    }

    /// The values of its arguments and properties.
    pub fn values(&self) -> impl Iterator<Item = Value<'a>> {
        self.entries.iter().map(|e| e.value)
    }

    /// Its properties, by name.
    pub fn properties(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let named = self.entries.iter();
        named.filter_map(|e| Some((e.name?, e.value)))
    }

    /// The value of the property `name`.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<Value<'a>> {
        let mut named = self.entries.iter().filter(|e| e.name == Some(name));
        named.next().map(|e| e.value)
    }
}

impl<'a> Entry<'a> {
    /// The entry at the start of `text`, and where it ends. What no release wrote ends with its word.
    fn first_of(text: &'a str) -> (Self, usize) {
        let word = &text[..text.find([' ', '"']).unwrap_or(text.len())];
        let name = word.split_once('=').map(|(name, _)| name);
        let start = name.map_or(0, |name| name.len() + 1);
        let is_fact = text[start..].starts_with("(fact)");
        let value = start + if is_fact { "(fact)".len() } else { 0 };
        let end = value + end_of_value(&text[value..]);
        let written = &text[value..end];
        let value = Value { is_fact, written };
        (Self { name, value }, end)
    }
}

/// Where the value at the start of `text` ends.
fn end_of_value(text: &str) -> usize {
    let word = |from: usize| text[from..].find(' ').map_or(text.len(), |at| from + at);
    if !text.starts_with('"') {
        return word(0);
    }
    let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
    match strings.next() {
        Some(Ok(_)) => {
            let end = strings.byte_offset();
            match text[end..].strip_prefix(CUT) {
                Some(_) => word(end + CUT.len()),
                None => end,
            }
        }
        _ => word(0),
    }
}

impl Value<'_> {
    /// Whether it is this string.
    #[must_use]
    pub fn is(&self, string: &str) -> bool {
        self.written == DefinitionNode::written(string)
    }

    /// The string, if it is one and was short enough to be written out.
    #[must_use]
    pub fn string(&self) -> Option<String> {
        serde_json::from_str(self.written).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{DefinitionNode, Said};

    fn node(text: String) -> DefinitionNode {
        DefinitionNode {
            file: None,
            line: 1,
            depth: 0,
            text,
        }
    }

    #[test]
    fn a_node_is_taken_apart() {
        let long = "when=\"x\" (fact)\"y\" ".repeat(9);
        let (long_text, odd) = (DefinitionNode::written(&long), "a=\"b\" (fact)\"c\"");
        let odd_text = DefinitionNode::written(odd);
        let text = format!(
            "file {odd_text} (fact)\"name\" {long_text} 7 label={odd_text} min=(fact)\"low\" when={long_text} x=#true"
        );
        let node = node(text);
        let said = node.said();
        assert_eq!(said.name, "file");
        let strings: Vec<_> = said.arguments().map(|v| (v.is_fact, v.string())).collect();
        assert_eq!(
            strings,
            [
                (false, Some(odd.to_owned())),
                (true, Some("name".to_owned())),
                (false, None),
                (false, None)
            ]
        );
        assert!(said.arguments().nth(2).unwrap().is(&long));
        assert!(said.property("label").unwrap().is(odd));
        assert!(said.property("min").unwrap().is_fact);
        assert!(said.property("when").unwrap().is(&long));
        assert_eq!(said.property("x").unwrap().written, "#true");
        assert_eq!(said.property("a"), None);
        assert_eq!(said.values().count(), 8);
    }

    #[test]
    fn what_no_release_wrote_is_taken_apart_too() {
        for (text, name, values) in [
            ("", "", 0),
            (" ", "", 1),
            ("a  b", "a", 2),
            ("a \"b", "a", 1),
            ("a b=\"c\"d", "a", 1),
            ("a (fact) =", "a", 2),
        ] {
            let node = node(text.to_owned());
            let Said { name: found, .. } = node.said();
            assert_eq!(
                (found, node.said().values().count()),
                (name, values),
                "{text}"
            );
        }
    }
}
