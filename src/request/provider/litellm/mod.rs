//! litellm's `model_prices_and_context_window.json` to a table.
//!
//! It has prices and, for some models, the shortest prefix. Cache rules, hours and days of prices are not in it and
//! stay unchanged here. A model is imported if it has a row here, or if its provider has one rule only and litellm
//! names that provider. A model never inherits the row of its predecessor.

mod entry;
mod row;

use super::embedded;
use super::find::{Catalog, ModelMatch};
use super::glob::bare;
use super::table::{Model, Table};
use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{
    Diagnostic, Diagnostics, ErrorReported, PRICES_SYNTAX, ROW_LEFT_OUT, UNKNOWN_MODEL,
};
use entry::Entry;
use jiff::civil::Date;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The input of an import.
#[derive(Debug, Clone, Copy)]
pub struct ImportOptions<'a> {
    /// The name of the file in messages.
    pub name: &'a str,
    /// The day of the file.
    pub as_of: Date,
    /// Only these models; all if there are none.
    pub only: &'a [String],
}

/// A provider as litellm calls it.
struct Host {
    /// Its `litellm_provider`.
    name: &'static str,
    /// Prefixes of the names of its models.
    prefix: &'static str,
    /// The rules here that its models may follow.
    rules: &'static [&'static str],
    /// A part of the name of a model with a known rule but no row here.
    ruled: Option<&'static str>,
}

const fn host(
    name: &'static str,
    prefix: &'static str,
    rules: &'static [&'static str],
    ruled: Option<&'static str>,
) -> Host {
    Host {
        name,
        prefix,
        rules,
        ruled,
    }
}

/// All models of the provider are cached by its one rule.
const ALL: Option<&str> = Some("");

/// The hosts whose models are the models of the table. Others resell them at their own prices.
const HOSTS: &[Host] = &[
    host("anthropic", "anthropic/", &["anthropic"], ALL),
    // Bedrock's own rule holds for Claude; other models have other rules, or no cache.
    host("bedrock", "bedrock/", &["bedrock"], Some("anthropic.")),
    host(
        "bedrock_converse",
        "bedrock_converse/",
        &["bedrock"],
        Some("anthropic."),
    ),
    host("vertex_ai-anthropic_models", "vertex_ai/", &["vertex"], ALL),
    host("openai", "openai/", &["openai>=5.6", "openai<5.6"], None),
    host("gemini", "gemini/", &["gemini"], ALL),
    host("deepseek", "deepseek/", &["deepseek"], ALL),
    host("xai", "xai/", &["xai"], ALL),
    host("mistral", "mistral/", &["mistral"], ALL),
    host(
        "dashscope",
        "dashscope/",
        &["qwen-explicit", "qwen-implicit"],
        None,
    ),
    host("moonshot", "moonshot/", &["moonshot"], ALL),
    host("zai", "zai/", &["zai"], ALL),
    host(
        "minimax",
        "minimax/",
        &["minimax", "minimax-explicit"],
        None,
    ),
];

/// Why a model is not taken over.
enum Why {
    /// Its data are invalid or ambiguous.
    Wrong(String),
    /// It has nothing to take over.
    Nothing(&'static str),
}

/// The rows of a model by provider and name: several where they count on different days.
type Rows = BTreeMap<(String, String), Vec<Model>>;

/// Makes a table of the file `json`. Invalid rows are left out and reported in `diags`.
///
/// # Errors
/// When the file is not litellm's, has none of the models, or none can be taken over.
pub fn import(
    json: &[u8],
    asked: ImportOptions<'_>,
    diags: &mut Diagnostics,
) -> Result<Table, ErrorReported> {
    let name = asked.name.escape_debug();
    let file: Map<String, Value> = serde_json::from_slice(json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = format!("`{name}` is not a JSON object, at line {line}, column {column}");
        diags.push(Diagnostic::error(PRICES_SYNTAX, message).help(HELP))
    })?;
    let models: Vec<_> = file
        .iter()
        .filter_map(|(key, v)| candidate(key, v))
        .collect();
    check_names(&file, &models, asked, diags)?;
    let inside = embedded::read(|_| true);
    let catalog = Catalog::new(vec![inside.clone()]);
    let (mut rows, mut clashing) = (Rows::new(), Vec::new());
    for model in models
        .iter()
        .filter(|m| asked.only.is_empty() || m.is_one_of(asked.only))
    {
        match model.rows(&catalog, &inside, asked.as_of) {
            Ok(new) => {
                let place = (new[0].provider.clone(), model.name.to_owned());
                match rows.get(&place) {
                    Some(old) if *old != new => clashing.push((model.key, place)),
                    _ => drop(rows.insert(place, new)),
                }
            }
            Err(Why::Nothing(_)) if asked.only.is_empty() => {}
            Err(Why::Nothing(why)) => report(model.key, why, diags),
            Err(Why::Wrong(why)) => report(model.key, &why, diags),
        }
    }
    for (key, place) in clashing {
        rows.remove(&place);
        report(key, "another row of the same model contradicts it", diags);
    }
    without_dates(&mut rows);
    if rows.is_empty() {
        let message = format!("no row of `{name}` can be taken over");
        return Err(diags.push(Diagnostic::error(PRICES_SYNTAX, message).help(HELP)));
    }
    Ok(Table {
        as_of: asked.as_of,
        providers: Vec::new(),
        models: rows.into_values().flatten().collect(),
    })
}

/// Why a model of a provider with several rules is left out.
const UNRULED: &str = "it has no row here, and its provider has several rules";

/// The kind of the file.
const HELP: &str = "it is litellm's `model_prices_and_context_window.json`: an object of models";

fn report(key: &str, why: &str, diags: &mut Diagnostics) {
    let message = format!("`{}` is left out: {why}", key.escape_debug());
    let help =
        "what the program knows of it counts, if it knows it; a table of your own can have its row";
    diags.push(Diagnostic::warning(ROW_LEFT_OUT, message).help(help));
}

/// A model of the file that may be taken over.
struct Candidate<'a> {
    key: &'a str,
    /// The key without the provider.
    name: &'a str,
    host: &'static Host,
    facts: &'a Map<String, Value>,
}

/// `None` for what is no model that writes text, or is served by others than who made it.
fn candidate<'a>(key: &'a str, value: &'a Value) -> Option<Candidate<'a>> {
    let facts = value.as_object()?;
    let word = |field: &str| facts.get(field).and_then(Value::as_str);
    if !matches!(word("mode"), Some("chat" | "responses")) {
        return None;
    }
    let provider = word("litellm_provider")?;
    let host = HOSTS.iter().find(|host| host.name == provider)?;
    let name = key.strip_prefix(host.prefix).unwrap_or(key);
    // A name with a longer prefix belongs to a region or a plan with its own price.
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:@".contains(c);
    (!name.is_empty() && name.chars().all(plain)).then_some(Candidate {
        key,
        name,
        host,
        facts,
    })
}

/// Whether all requested models exist.
fn check_names(
    all: &Map<String, Value>,
    models: &[Candidate<'_>],
    asked: ImportOptions<'_>,
    diags: &mut Diagnostics,
) -> Result<(), ErrorReported> {
    for wanted in asked.only {
        if models
            .iter()
            .any(|m| m.is_one_of(std::slice::from_ref(wanted)))
        {
            continue;
        }
        let (file, name) = (asked.name.escape_debug(), wanted.escape_debug());
        if all.contains_key(wanted) {
            let message = format!("`{name}` of `{file}` is not taken over");
            let found = Diagnostic::error(UNKNOWN_MODEL, message);
            diags.push(found.help("only models that write text are, from their makers: resellers have prices of their own, which a table of your own can hold"));
            continue;
        }
        let message = format!("`{file}` has no model `{name}` of a provider that is known here");
        let found = Diagnostic::error(UNKNOWN_MODEL, message);
        let names = models.iter().map(|m| m.name);
        diags.push(match nearest(wanted, names) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help("write it as the file does"),
        });
    }
    diags.check()
}

impl Candidate<'_> {
    fn is_one_of(&self, names: &[String]) -> bool {
        names
            .iter()
            .any(|name| *name == self.key || *name == self.name)
    }

    /// The rows of the model.
    fn rows(&self, catalog: &Catalog, inside: &Table, day: Date) -> Result<Vec<Model>, Why> {
        let Some(mut entry) = entry::read(self.facts).map_err(Why::Wrong)? else {
            return Err(Why::Nothing("it has no price by the token"));
        };
        let own = inside.providers.iter();
        let own = own.filter(|p| self.host.rules.contains(&&*p.name));
        // What the row of the provider says need not be repeated.
        (entry.multipliers).retain(|row| !own.clone().any(|p| p.multipliers.contains(row)));
        let found = self.host.rules.iter().find_map(|provider| {
            let found = catalog.find(&format!("{provider}/{}", self.name), day)?;
            (found.model.is_some() || !found.other_days.is_empty()).then_some(found)
        });
        match found {
            Some(ModelMatch {
                model: Some(known),
                other_days,
                ..
            }) => row::known(self.name, &known, other_days, &entry, day),
            Some(_) => Err(Why::Wrong(
                "its rows here count on other days only".to_owned(),
            )),
            None => self.new_row(inside, &entry, day).map(|row| vec![row]),
        }
    }

    /// The row of a model that has none here.
    fn new_row(&self, inside: &Table, entry: &Entry, day: Date) -> Result<Model, Why> {
        let ruled = self.host.ruled.is_some_and(|part| self.name.contains(part));
        let [provider] = self.host.rules else {
            return Err(Why::Nothing(UNRULED));
        };
        if !ruled {
            return Err(Why::Nothing(UNRULED));
        }
        let rows = inside.models.iter().filter(|row| row.provider == *provider);
        let rows: Vec<&Model> = rows.collect();
        let known = inside.providers.iter().find(|p| p.name == *provider);
        row::new(self.name, &rows, known.map(|p| p.rule), entry, day)
    }
}

/// Leaves out rows that only repeat, under a name with a date, what the row without it says.
fn without_dates(rows: &mut Rows) {
    let repeats = |(provider, name): &(String, String), own: &[Model]| {
        let plain = bare(name);
        let place = (provider.clone(), plain.to_owned());
        let of = |row: &Model| Model {
            patterns: Vec::new(),
            ..row.clone()
        };
        plain != name
            && rows
                .get(&place)
                .is_some_and(|other| other.iter().map(of).eq(own.iter().map(of)))
    };
    let doubled = rows.iter().filter(|(place, own)| repeats(place, own));
    let doubled: Vec<_> = doubled.map(|(place, _)| place.clone()).collect();
    for place in doubled {
        rows.remove(&place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_hosts_are_in_the_table() {
        for host in HOSTS {
            for rule in host.rules {
                let known = Catalog::default().provider(rule);
                assert!(known.is_some(), "{}: {rule}", host.name);
            }
        }
    }
}
