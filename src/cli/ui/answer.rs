//! Answers of commands to programs: JSON documents with a schema name.

use super::Page;
use crate::prompt::SCHEMA;
pub(crate) use crate::prompt::document::line;
use crate::prompt::document::page as document_of;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

/// A document on separate lines, also readable for people.
pub(crate) fn page(content: &impl Serialize) -> Page {
    Page::json(&document_of(content))
}

/// The schema of a document. Keys that are always written are required, those that may be null too.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::default().for_serialize();
    let root = settings.into_generator().into_root_schema_for::<T>();
    document(root.to_value())
}

/// The schema of a document of which `schema` is the rest.
pub(crate) fn document(mut schema: Value) -> Value {
    for object in objects(&schema) {
        add(&mut schema, &object);
    }
    schema
}

/// Pointers to the objects that a document may be.
fn objects(root: &Value) -> Vec<String> {
    let variants = ["anyOf", "oneOf"].into_iter().find_map(|key| {
        let variants = root.get(key)?.as_array()?.iter().enumerate();
        let pointer = |(at, variant): (usize, &Value)| match variant["$ref"].as_str() {
            Some(reference) => reference.trim_start_matches('#').to_owned(),
            None => format!("/{key}/{at}"),
        };
        Some(variants.map(pointer).collect())
    });
    variants.unwrap_or_else(|| vec![String::new()])
}

/// Adds the number of the shape to an object, unless it says it itself.
fn add(root: &mut Value, pointer: &str) {
    let Some(object) = root.pointer_mut(pointer) else {
        return;
    };
    if object["properties"].get("schema").is_some() {
        return;
    }
    object["properties"]["schema"] = json!({
        "description": "The schema of this document.",
        "const": SCHEMA,
    });
    match object["required"].as_array_mut() {
        Some(required) => required.insert(0, "schema".into()),
        None => object["required"] = json!(["schema"]),
    }
}
