//! Answers to programs: JSON documents with a schema name.

use super::SCHEMA;
use serde::Serialize;

/// A document: the number of its shape, and what it says.
#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    #[serde(flatten)]
    content: &'a T,
}

impl<'a, T: Serialize> Document<'a, T> {
    fn of(content: &'a T) -> Self {
        Self {
            schema: SCHEMA,
            content,
        }
    }
}

/// A document on separate lines, also readable for people.
pub(crate) fn page(content: &impl Serialize) -> String {
    // Objects of strings, numbers and lists always have a JSON form.
    let text = serde_json::to_string_pretty(&Document::of(content)).unwrap_or_default();
    format!("{text}\n")
}

/// A document on one line.
pub(crate) fn line(content: &impl Serialize) -> String {
    // As above.
    let text = serde_json::to_string(&Document::of(content)).unwrap_or_default();
    format!("{text}\n")
}
