//! `promptc schema`.

use super::given::ManifestArgs;
use super::{Context, output};
use crate::diagnostic::Reported;
use crate::manifest::{Fact, FactType, Manifest, Written};
use crate::prompt::Prompt;
use clap::Subcommand;
use serde_json::{Map, Value, json};

/// Print a JSON Schema
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc schema prompt > prompt.schema.json  # of what `build --format json` writes
  promptc schema facts > facts.schema.json    # of what --facts takes for this manifest")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The artifact that `build --format json` writes
    #[command(after_help = "\
Examples:
  promptc schema prompt > prompt.schema.json")]
    Prompt,
    /// The facts of a manifest, as --facts takes them
    #[command(after_help = "\
Examples:
  promptc schema facts > facts.schema.json
  promptc schema facts -m builtin:mushroom@1")]
    Facts(ManifestArgs),
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    let schema = match &args.what {
        What::Prompt => prompt(),
        What::Facts(source) => {
            let world = source.world();
            let manifest = source.open(world.as_ref(), context)?;
            context.diags.check()?;
            context.diags.check()?;
            facts(&manifest)
        }
    };
    output::to_stdout(format!("{schema:#}\n").as_bytes(), &mut context.diags)
}

/// The schema of the artifact.
fn prompt() -> Value {
    schemars::schema_for!(Prompt).to_value()
}

/// The schema of a facts file.
fn facts(manifest: &Manifest) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for fact in &manifest.facts {
        properties.insert(fact.name.value.clone(), schema(fact));
        if is_required(fact) {
            required.push(Value::from(fact.name.value.as_str()));
        }
    }
    let title = manifest.name.as_ref().map_or("facts", |n| n.value.as_str());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Whether the manifest has no other way to a value.
fn is_required(fact: &Fact) -> bool {
    !fact.optional
        && fact.default.is_none()
        && fact.env.is_none()
        && fact.env_set.is_none()
        && fact.clock.is_none()
}

fn schema(fact: &Fact) -> Value {
    let (kind, format) = match fact.kind.value {
        FactType::String => ("string", None),
        FactType::Int => ("integer", None),
        FactType::Float => ("number", None),
        FactType::Bool => ("boolean", None),
        FactType::Date => ("string", Some("date")),
        FactType::DateTime => ("string", Some("date-time")),
        FactType::List => ("array", None),
        FactType::Map => ("object", None),
    };
    let mut out = Map::new();
    // null says that an optional fact is missing.
    let kind = if fact.optional {
        json!([kind, "null"])
    } else {
        json!(kind)
    };
    out.insert("type".to_owned(), kind);
    if let Some(format) = format {
        out.insert("format".to_owned(), format.into());
    }
    if !fact.one_of.is_empty() && !fact.private {
        let mut values: Vec<Value> = fact.one_of.iter().map(|v| v.value.clone()).collect();
        if fact.optional {
            values.push(Value::Null);
        }
        out.insert("enum".to_owned(), values.into());
    }
    if let Some(default) = fact.default.as_ref().filter(|_| !fact.private) {
        out.insert("default".to_owned(), written(default, fact.kind.value));
    }
    Value::Object(out)
}

/// A written value as JSON.
fn written(value: &Written, kind: FactType) -> Value {
    let args = || value.args.iter().map(|a| a.value.clone());
    match (&value.entries, kind) {
        (Some(entries), _) => entries
            .iter()
            .map(|(key, value)| (key.value.clone(), inner(value)))
            .collect::<Map<_, _>>()
            .into(),
        (None, FactType::List) => args().collect::<Vec<_>>().into(),
        (None, FactType::Map) if value.args.is_empty() => Value::Object(Map::new()),
        (None, _) => args().next().unwrap_or(Value::Null),
    }
}

/// A value inside a map: one argument is itself, several are a list.
fn inner(value: &Written) -> Value {
    let kind = if value.args.len() == 1 {
        FactType::String
    } else {
        FactType::List
    };
    written(value, kind)
}

#[cfg(test)]
mod tests {
    use super::facts;
    use crate::manifest::{Fact, FactType, Manifest, Origin, Written};
    use crate::span::{Files, Span, Spanned};
    use serde_json::json;

    fn fact(at: Span, name: &str, kind: FactType) -> Fact {
        Fact {
            name: Spanned::new(name.to_owned(), at),
            kind: Spanned::new(kind, at),
            default: None,
            one_of: Vec::new(),
            optional: false,
            env: None,
            env_set: None,
            clock: None,
            private: false,
            waivers: Vec::new(),
            changes: None,
            span: at,
        }
    }

    #[test]
    fn facts_become_a_schema() {
        let file = Files::default().add("m.kdl", "");
        let at = Span::new(file, 0..0);
        let value = |args: &[serde_json::Value]| Written {
            args: args.iter().map(|v| Spanned::new(v.clone(), at)).collect(),
            entries: None,
            span: at,
        };
        let manifest = Manifest {
            file,
            origin: Origin::BuiltIn {
                name: "m@1".to_owned(),
            },
            name: None,
            join: None,
            budget: None,
            roots: Vec::new(),
            facts: vec![
                Fact {
                    one_of: vec![
                        Spanned::new(json!("cli"), at),
                        Spanned::new(json!("web"), at),
                    ],
                    ..fact(at, "platform", FactType::String)
                },
                Fact {
                    optional: true,
                    ..fact(at, "today", FactType::Date)
                },
                Fact {
                    default: Some(value(&[])),
                    ..fact(at, "tools", FactType::List)
                },
                Fact {
                    private: true,
                    default: Some(value(&[json!("secret")])),
                    ..fact(at, "key", FactType::String)
                },
                Fact {
                    clock: Some(Spanned::new("utc".to_owned(), at)),
                    ..fact(at, "now", FactType::DateTime)
                },
                Fact {
                    default: Some(Written {
                        args: Vec::new(),
                        entries: Some(vec![
                            (Spanned::new("mood".to_owned(), at), value(&[json!("good")])),
                            (
                                Spanned::new("list".to_owned(), at),
                                value(&[json!(1), json!(2)]),
                            ),
                        ]),
                        span: at,
                    }),
                    ..fact(at, "vars", FactType::Map)
                },
            ],
            lets: Vec::new(),
            tiers: Vec::new(),
            scenarios: Vec::new(),
            waivers: Vec::new(),
        };
        insta::assert_snapshot!(format!("{:#}", facts(&manifest)));
        assert!(!facts(&manifest).to_string().contains("secret"));
    }
}
