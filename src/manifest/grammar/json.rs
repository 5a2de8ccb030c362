//! The table for programs.

use super::row::{Argument, Property, Row, Times, Type};
use super::{all, top_level};
use crate::prompt::LANGUAGE;
use serde_json::{Map, Value, json};

/// The form of what [`to_json`] makes.
const SCHEMA: u32 = 1;

/// The grammar: `nodes` by their names in the table, and the nodes that may be at the top level of every manifest and
/// of an overlay. Descriptions are Markdown; their links are relative to `docs/language.md`.
#[must_use]
pub fn to_json() -> Value {
    let ids = |rows: &[&Row]| rows.iter().map(|row| row.id()).collect::<Vec<_>>();
    let (every, overlay) = top_level();
    let nodes = all()
        .into_iter()
        .map(|row| (row.id().to_owned(), node(row)));
    json!({
        "schema": SCHEMA,
        "language": LANGUAGE,
        "top_level": ids(&every),
        "top_level_of_overlays": ids(&overlay),
        "nodes": nodes.collect::<Map<_, _>>(),
    })
}

fn node(row: &'static Row) -> Value {
    let children: Vec<&str> = row.children().map(Row::id).collect();
    json!({
        "name": row.name,
        "about": row.about,
        "example": row.example,
        "since": row.since,
        "overlays_only": row.of_overlays,
        "arguments": row.arguments.iter().map(argument).collect::<Vec<_>>(),
        "properties": row.properties().map(property).collect::<Vec<_>>(),
        "children": children,
    })
}

fn argument(argument: &Argument) -> Value {
    let mut out = takes(argument.takes, argument.or_fact);
    out.insert("name".to_owned(), argument.name.into());
    let (least, most) = match argument.times {
        Times::One => (1, Some(1)),
        Times::AtMostOne => (0, Some(1)),
        Times::Many => (1, None),
        Times::Any => (0, None),
    };
    out.insert("least".to_owned(), least.into());
    out.insert("most".to_owned(), most.into());
    out.into()
}

fn property(property: &Property) -> Value {
    let mut out = takes(property.takes, property.or_fact);
    out.insert("name".to_owned(), property.name.into());
    out.insert("about".to_owned(), property.about.into());
    out.insert("default".to_owned(), property.default.into());
    out.insert("since".to_owned(), property.since.into());
    out.into()
}

/// The values that may be written.
fn takes(takes: Type, or_fact: bool) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("type".to_owned(), takes.name().into());
    out.insert("or_fact".to_owned(), or_fact.into());
    let (key, value) = match takes {
        Type::Word(words) => ("words", words.into()),
        Type::BoolOr(word) => ("words", vec![word].into()),
        Type::Of(kind) => ("of", kind.into()),
        Type::Whole(least, most) => ("range", vec![least, most].into()),
        _ => return out,
    };
    out.insert(key.to_owned(), value);
    out
}
