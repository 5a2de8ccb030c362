//! The changes in the tools.

use super::path::{line, path};
use super::{Cause, Kind};
use crate::request::whole::part::Part;
use crate::text::Json;
use std::collections::BTreeMap;

pub(super) fn compare(a: &[Part], b: &[Part], causes: &mut Vec<Cause>) {
    if a == b {
        return;
    }
    let (of_a, of_b) = (named(a), named(b));
    let places = |of: &[(String, Json)]| -> BTreeMap<String, usize> {
        let all = of.iter().enumerate().rev();
        all.map(|(at, (name, _))| (name.clone(), at)).collect()
    };
    let (in_a, in_b) = (places(&of_a), places(&of_b));
    let mut found: Vec<(usize, Cause)> = Vec::new();
    for (at, (name, old)) in of_a.iter().enumerate() {
        match in_b.get(name) {
            None => found.push((at, Cause::new(Kind::ToolRemoved, format!("tools/{name}")))),
            Some(other) if of_b[*other].1 != *old => {
                found.push((at, changed(name, old, &of_b[*other].1)));
            }
            Some(_) => {}
        }
    }
    for (at, (name, _)) in of_b.iter().enumerate() {
        if !in_a.contains_key(name) {
            found.push((at, Cause::new(Kind::ToolAdded, format!("tools/{name}"))));
        }
    }
    // The order of those that both have.
    let common = |of: &[(String, Json)], other: &BTreeMap<String, usize>| -> Vec<String> {
        let names = of.iter().map(|(name, _)| name.clone());
        names.filter(|name| other.contains_key(name)).collect()
    };
    let (order_a, order_b) = (common(&of_a, &in_b), common(&of_b, &in_a));
    let same = order_a
        .iter()
        .zip(&order_b)
        .take_while(|(x, y)| x == y)
        .count();
    if let Some(name) = order_a.get(same).filter(|_| order_a != order_b) {
        let at = in_a.get(name).copied().unwrap_or_default();
        found.push((at, Cause::new(Kind::ToolMoved, format!("tools/{name}"))));
    }
    found.sort_by_key(|(at, _)| *at);
    causes.extend(found.into_iter().map(|(_, cause)| cause));
}

/// The first change in a tool: where it is, and its line there.
fn changed(name: &str, old: &Json, new: &Json) -> Cause {
    let place = path(old, new);
    fn inner<'j>(of: &'j Json, key: &str) -> Option<&'j Json> {
        of.get(key)
            .or_else(|| of.items().get(key.parse::<usize>().ok()?))
    }
    let value = |of: &Json| match place.iter().try_fold(of, |of, key| inner(of, key))? {
        Json::Text(text) => Some(text.to_string()),
        value => serde_json::to_string_pretty(value).ok(),
    };
    let (before, now) = match (value(old), value(new)) {
        (Some(old), Some(new)) => {
            let (_, before, now) = line(&old, &new);
            (before, now)
        }
        one => one,
    };
    let mut cause = Cause::new(Kind::ToolChanged, format!("tools/{name}"));
    cause.path = Some(place.join("."));
    (cause.old, cause.new) = (before, now);
    cause
}

/// The index of each tool by its name.
pub(super) fn places(tools: &[Part]) -> BTreeMap<String, usize> {
    let all = named(tools).into_iter().enumerate();
    all.map(|(at, (name, _))| (name, at)).collect()
}

/// Tools with their names; several of one name get numbers.
pub(super) fn named(parts: &[Part]) -> Vec<(String, Json)> {
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let named = parts.iter().map(|part| {
        let value = part.value();
        let name = name(&value);
        let count = met.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => (name, value),
            more => (format!("{name}#{more}"), value),
        }
    });
    named.collect()
}

/// The name of a tool, as its API writes it; else its type.
#[must_use]
pub fn tool_name(part: &Part) -> String {
    name(&part.value())
}

/// The name of a tool, as each API writes it; else its type.
fn name(tool: &Json) -> String {
    const PATHS: &[&[&str]] = &[
        &["name"],
        &["function", "name"],
        &["toolSpec", "name"],
        &["custom", "name"],
        &["server_label"],
        &["mcp_server_name"],
        &["type"],
    ];
    let found = PATHS.iter().find_map(|path| tool.at(path)?.as_text());
    match (found, tool) {
        (Some(name), _) => name.to_owned(),
        // Gemini: `{"googleSearch": {}}`.
        (None, Json::Object(members)) => members
            .first()
            .map(|(key, _)| key.to_string())
            .unwrap_or_default(),
        (None, _) => String::new(),
    }
}
