//! JSON that is put together of texts of JSON.

use crate::text::Json;

/// An object; its members are texts of JSON, or objects.
#[derive(Debug, Default)]
pub(super) struct Tree(Vec<(String, Value)>);

#[derive(Debug)]
enum Value {
    Text(String),
    Tree(Tree),
}

impl Tree {
    /// Sets the member at a path, such as `text.format`; one that is there is replaced.
    pub(super) fn set(&mut self, path: &str, json: impl Into<String>) {
        let (key, rest) = match path.split_once('.') {
            Some((key, rest)) => (key, Some(rest)),
            None => (path, None),
        };
        let at = self.0.iter().position(|(known, _)| known == key);
        let at = at.unwrap_or_else(|| {
            self.0.push((key.to_owned(), Value::Tree(Self::default())));
            self.0.len() - 1
        });
        match (&mut self.0[at].1, rest) {
            (Value::Tree(tree), Some(rest)) => tree.set(rest, json),
            (value, Some(rest)) => {
                let mut tree = Self::default();
                tree.set(rest, json);
                *value = Value::Tree(tree);
            }
            (value, None) => *value = Value::Text(json.into()),
        }
    }

    /// The object as text.
    pub(super) fn written(&self) -> String {
        let members = self.0.iter().map(|(key, value)| {
            let value = match value {
                Value::Text(json) => json.clone(),
                Value::Tree(tree) => tree.written(),
            };
            format!("{}:{value}", Json::from(key.as_str()).canonical())
        });
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

/// A list of texts of JSON.
pub(super) fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    format!("[{}]", items.join(","))
}

/// The members of an object, without its braces; nothing of what is none.
pub(super) fn inner(object: &str) -> &str {
    let inner = object.trim().strip_prefix('{');
    let inner = inner.and_then(|object| object.strip_suffix('}'));
    inner.unwrap_or_default().trim()
}

/// An object with more members at its end, which come without braces.
pub(super) fn with(object: &str, more: &str) -> String {
    let inner = inner(object);
    match (inner.is_empty(), more.is_empty()) {
        (true, _) => format!("{{{more}}}"),
        (_, true) => format!("{{{inner}}}"),
        _ => format!("{{{inner},{more}}}"),
    }
}
