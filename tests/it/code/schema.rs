//! The committed schemas are those that the program prints, and what it writes is as they say.

use crate::run::Place;
use jsonschema::Validator;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The documents with a schema: the arguments of `promptc schema`.
const SCHEMAS: &[&[&str]] = &[
    &["prompt"],
    &["batch"],
    &["explain"],
    &["blame"],
    &["init"],
    &["check"],
    &["scan"],
    &["test"],
    &["diff"],
    &["requests"],
    &["log"],
    &["usage"],
    &["watch"],
    &["directory-rules"],
    &["skills"],
    &["memory"],
    &["providers"],
    &["message"],
    &["version"],
    &["manifest"],
    &["session", "list"],
    &["session", "show"],
    &["session", "drift"],
    &["session", "rm"],
    &["session", "gc"],
    &["session", "export"],
    &["session", "import"],
    &["session", "move"],
    &["session", "verify"],
    &["session", "history"],
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schema")
}

fn file_name(schema: &[&str]) -> String {
    format!("{}.schema.json", schema.join("-"))
}

/// `UPDATE=1` writes them.
#[test]
fn the_committed_schemas_are_current() {
    let mut old = Vec::new();
    for schema in SCHEMAS {
        let ran = Place::new().run(&[&["schema"], *schema].concat()).exits(0);
        let path = folder().join(file_name(schema));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, ran.stdout()).unwrap();
        }
        if std::fs::read_to_string(&path).ok().as_deref() != Some(ran.stdout()) {
            old.push(format!(
                "promptc schema {} > schema/{}",
                schema.join(" "),
                file_name(schema)
            ));
        }
    }
    assert!(old.is_empty(), "UPDATE=1, or run:\n{}", old.join("\n"));
}

#[test]
fn every_schema_is_committed_and_no_other() {
    let committed: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let known: BTreeSet<String> = SCHEMAS.iter().map(|schema| file_name(schema)).collect();
    assert_eq!(committed, known);
    // The help names all that it can print; those of facts are of a manifest.
    for (args, words) in [
        (&["schema", "--help"][..], 1),
        (&["schema", "session", "--help"], 2),
    ] {
        let help = Place::new().run(args).exits(0);
        let commands = help.stdout().split("Commands:\n").nth(1).unwrap();
        let commands = commands.split("\n\n").next().unwrap();
        let printed: BTreeSet<&str> = commands
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| !["help", "facts", "session"].contains(name))
            .collect();
        let named = SCHEMAS.iter().filter(|schema| schema.len() == words);
        let named: BTreeSet<&str> = named.map(|schema| *schema.last().unwrap()).collect();
        assert_eq!(printed, named, "{args:?}");
    }
}

/// A document in a form of its own: the grammar.
const OTHERS: [&str; 2] = ["manifest", "log"];

/// Names that `docs/json.md` reserves for one thing, with the type of their values; null is allowed in place of any.
const NAMES: [(&str, &str); 25] = [
    ("prompt", "string"),
    ("tier", "string"),
    ("layer", "string"),
    ("fact", "string"),
    ("let", "string"),
    ("root", "string"),
    ("scenario", "string"),
    ("family", "string"),
    ("channel", "string"),
    ("manifest", "string"),
    ("path", "string"),
    ("line", "integer"),
    ("column", "integer"),
    ("start", "integer"),
    ("end", "integer"),
    ("bytes", "integer"),
    ("chars", "integer"),
    ("tokens", "integer"),
    ("tokenizer", "string"),
    ("provider", "string"),
    ("model", "string"),
    ("sha256", "string"),
    ("fingerprint", "string"),
    ("build", "integer"),
    ("built", "string"),
];

/// Names that the former shape had for the same things.
const FORMER: [&str; 2] = ["deliver", "sure"];

#[test]
fn one_thing_has_one_name_in_every_document() {
    for schema in SCHEMAS {
        let name = schema.join("-");
        if OTHERS.contains(&name.as_str()) {
            continue;
        }
        let path = folder().join(file_name(schema));
        let root: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        for document in documents(&root) {
            let required = document["required"].as_array().unwrap();
            assert!(required.contains(&"schema".into()), "{name}: {document:#}");
        }
        let mut properties = Vec::new();
        collect(&root, &mut properties);
        for (key, value) in properties {
            assert!(!FORMER.contains(&key), "{name}: {key}");
            if let Some((_, wanted)) = NAMES.iter().find(|(name, _)| *name == key) {
                let mut types = BTreeSet::new();
                types_of(value, &root, &mut types);
                types.remove("null");
                assert_eq!(types, BTreeSet::from([*wanted]), "{name}: {key}");
            }
        }
    }
}

/// The objects that a document may be.
fn documents(root: &Value) -> Vec<&Value> {
    match root["anyOf"].as_array() {
        None => vec![root],
        Some(variants) => variants.iter().map(|v| resolved(v, root)).collect(),
    }
}

fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(pointer) => root.pointer(pointer.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// The properties of all objects.
fn collect<'a>(schema: &'a Value, out: &mut Vec<(&'a str, &'a Value)>) {
    match schema {
        Value::Object(object) => {
            let is_schema = object.get("type").is_some_and(|t| t == "object");
            let properties = object.get("properties").filter(|_| is_schema);
            let properties = properties.and_then(Value::as_object).into_iter().flatten();
            out.extend(properties.map(|(key, value)| (key.as_str(), value)));
            object.values().for_each(|value| collect(value, out));
        }
        Value::Array(all) => all.iter().for_each(|value| collect(value, out)),
        _ => {}
    }
}

/// The types of the values that a schema takes.
fn types_of<'a>(schema: &'a Value, root: &'a Value, out: &mut BTreeSet<&'a str>) {
    let schema = resolved(schema, root);
    match &schema["type"] {
        Value::String(one) => _ = out.insert(one),
        Value::Array(all) => out.extend(all.iter().filter_map(Value::as_str)),
        _ => {}
    }
    let variants = ["anyOf", "oneOf"].map(|key| schema[key].as_array());
    for variant in variants.into_iter().flatten().flatten() {
        types_of(variant, root, out);
    }
}

/// The committed schema, with no key allowed that it does not name.
fn strict(name: &str) -> Validator {
    let text = std::fs::read_to_string(folder().join(format!("{name}.schema.json"))).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    close(&mut schema);
    jsonschema::draft202012::new(&schema).unwrap()
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let closes =
                object.contains_key("properties") && !object.contains_key("additionalProperties");
            object.values_mut().for_each(close);
            if closes {
                object.insert("unevaluatedProperties".to_owned(), false.into());
            }
        }
        Value::Array(all) => all.iter_mut().for_each(close),
        _ => {}
    }
}

fn holds(validator: &Validator, value: &Value) {
    let wrong: Vec<String> = validator
        .iter_errors(value)
        .map(|e| format!("{e} at {}", e.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{}\n{value:#}", wrong.join("\n"));
}

const MANIFEST: &str = "promptc 1
root workspace default=\".\"
fact who string default=Ann
fact today date default=\"2026-03-30\" changes=day
tier stable changes=session {
    layer note { file \"NOTE.md\" }
    layer person { template \"You talk to {{ who }}.\" }
}
tier daily changes=day { layer clock { template \"It is {{ today }}.\" } }
scenario usual { set who Bo }
scenario other { set who Cy }
";

/// A manifest with snapshots, an artifact of before, and a note that has changed since.
fn ready() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("NOTE.md", "Tea at four.\n");
    place.run(&["test", "--accept"]).exits(0);
    place
        .run(&["build", "--format", "json", "-o", "old.json"])
        .exits(0);
    place.run(&["build", "-o", "old.txt"]).exits(0);
    place.run(&["build", "--session", "s"]).exits(0);
    place.file("NOTE.md", "Tea at five, with cake.\n");
    place
}

#[test]
fn comparisons_match_their_schema() {
    let place = ready();
    let schema = strict("diff");
    let seen: Vec<Value> = [
        // Two texts, a text and a build, artifacts, snapshots, a session; broken and whole.
        &["old.json"][..],
        &[
            "old.json",
            ".",
            "--set",
            "who=Di",
            "--set",
            "today=2026-03-31",
        ],
        &["old.json", "old.json"],
        &["old.txt"],
        &["old.txt", "NOTE.md"],
        &["snapshot:usual"],
        &["snapshot:usual", "snapshot:other"],
        &["session:s"],
        &[],
        &[
            "old.json",
            "--model",
            "claude-opus-5-5",
            "--requests-per-day",
            "1000",
        ],
        &["old.json", "--model", "gpt-5.5", "--tokenizer", "o200k"],
    ]
    .iter()
    .map(|args| {
        let args = [&["diff", "-q", "--format", "json"], *args].concat();
        let ran = place.run(&args).exits(0);
        let value = serde_json::from_str(ran.stdout()).unwrap();
        holds(&schema, &value);
        value
    })
    .collect();
    // They are what they are said to be: a break, none, several, a cost.
    let all = |n: usize| seen[n]["comparisons"].as_array().unwrap();
    assert_eq!(all(0)[0]["break"]["layer"], "note");
    assert!(all(2)[0]["break"].is_null());
    assert!(all(8).len() > 1);
    assert!(all(9)[0]["cost"].is_object());
    // And the schema does not hold of anything.
    let mut other = seen[0].clone();
    other["comparisons"][0]["break"]["layers"] = Value::Null;
    assert!(!schema.is_valid(&other));
    let mut other = seen[0].clone();
    other["comparisons"][0]
        .as_object_mut()
        .unwrap()
        .remove("break");
    assert!(!schema.is_valid(&other));
}

#[test]
fn lines_of_watch_match_their_schema() {
    let place = ready();
    let schema = strict("watch");
    let line = |args: &[&str]| -> Value {
        let ran = place.run(&[&["watch", "--builds", "1", "--format", "json"], args].concat());
        let value = serde_json::from_str(ran.stdout().trim_end()).unwrap();
        holds(&schema, &value);
        value
    };
    assert_eq!(line(&[])["outcome"], "built");
    let failed = line(&["--set", "whom=Di"]);
    assert_eq!(failed["outcome"], "failed");
    assert_eq!(failed["diagnostics"][0]["code"], "unknown-fact");
}

#[test]
fn answers_of_check_and_test_are_as_their_schemas_say() {
    let place = ready();
    place.file("bad.kdl", "promptc 1\nfact t string changes=turn\ntier a changes=session { layer x { template \"{{ t }}\" } }\n");
    for (schema, args) in [
        ("check", &["check", "--format", "json"][..]),
        ("check", &["check", "-m", "bad.kdl", "--format", "json"]),
        (
            "check",
            &[
                "check",
                "-m",
                "bad.kdl",
                "--format",
                "json",
                "--model",
                "claude-opus-5-5",
            ],
        ),
        ("test", &["test", "-m", "promptc.kdl", "--format", "json"]),
        (
            "test",
            &["test", "usual", "--format", "json", "-m", "promptc.kdl"],
        ),
    ] {
        let ran = place.run(args);
        let value: Value =
            serde_json::from_str(ran.stdout()).unwrap_or_else(|e| panic!("{args:?}: {e}"));
        holds(&strict(schema), &value);
        // For programs nothing is coloured.
        assert!(
            !value.to_string().contains("\\u001b"),
            "{args:?}: {value:#}"
        );
    }
}

#[test]
fn answers_of_session_are_as_their_schemas_say() {
    let place = ready();
    place
        .run(&["session", "export", "s", "-o", "s.json"])
        .exits(0);
    for (schema, args) in [
        ("session-list", &["list"][..]),
        ("session-show", &["show", "s"]),
        ("session-drift", &["drift", "s"]),
        ("session-history", &["history"]),
        ("session-verify", &["verify"]),
        ("session-import", &["import", "s.json", "--id", "t"]),
        ("session-gc", &["gc", "--keep", "1", "--dry-run"]),
        ("session-rm", &["rm", "t"]),
        ("session-move", &["move", "s", "--to", "u.db"]),
    ] {
        let ran = place.run(&[&["session"], args, &["--format", "json"]].concat());
        let value: Value =
            serde_json::from_str(ran.stdout()).unwrap_or_else(|e| panic!("{args:?}: {e}"));
        holds(&strict(schema), &value);
    }
    let exported = serde_json::from_str(&place.read("s.json")).unwrap();
    holds(&strict("session-export"), &exported);
}
