//! `promptc session` through the binary: its reports about a store, its changes to it, and that it creates none.

mod list;
mod show;
mod tidying;
mod transfer;
mod wrong;

use crate::run::{Place, Ran};
use serde_json::Value;
use std::fs;

/// A prompt of three channels: two are frozen, the last tiers are rebuilt. Two facts are private.
const MANIFEST: &str = r#"promptc 1
name pond
root workspace default="."
fact user string optional=#true
fact mood string default=calm
fact words list { default }
fact key string optional=#true private=#true
fact hot string optional=#true changes=turn
tier tools changes=deploy deliver=tools { layer defs { text "[]" } }
tier calm changes=session {
    layer rules { file "AGENTS.md" }
    layer who when="user is defined" { template "You talk to {{ user }}, who is {{ mood }}." }
    layer door when="key is defined" { text "There is a key." }
}
tier now changes=turn { layer hot { fact hot } }
tier last changes=turn deliver=user { layer again { fact hot } }
session { refresh event=compaction; refresh idle="1h30m"; refresh fact=mood }
"#;

/// The start of a day; calls are made so many minutes later.
fn at(minutes: u32) -> String {
    format!(
        "2026-11-21T{:02}:{:02}:00Z",
        10 + minutes / 60,
        minutes % 60
    )
}

fn ready() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("AGENTS.md", "Be brief.\n");
    place
}

/// Asks for a session so many minutes after the start; what it prints is returned.
fn build(place: &Place, id: &str, minutes: u32, more: &[&str]) -> String {
    let now = at(minutes);
    let args = ["build", "--session", id, "--now", &now, "--quiet"];
    let ran = place.run(&[&args, more].concat()).exits(0);
    ran.stdout().to_owned()
}

fn session(place: &Place, args: &[&str]) -> Ran {
    place.run(&[&["session"], args].concat())
}

/// The answer for programs, which must match its schema and have no other key.
fn json(place: &Place, args: &[&str]) -> Value {
    json_of(place, args, 0)
}

fn json_of(place: &Place, args: &[&str], code: i32) -> Value {
    let ran = session(place, &[args, &["--format", "json"]].concat()).exits(code);
    valid(args[0], ran.stdout())
}

/// An answer as JSON, checked by the schema that the program prints.
fn valid(answer: &str, text: &str) -> Value {
    let schema = Place::new().run(&["schema", "session", answer]).exits(0);
    let schema: Value = serde_json::from_str(schema.stdout()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let keys = value.as_object().unwrap().keys();
    for key in keys {
        let mut other = value.clone();
        other.as_object_mut().unwrap().remove(key);
        assert!(
            !validator.is_valid(&other),
            "{answer}: {key} is not required"
        );
    }
    let mut other = value.clone();
    other["new"] = Value::Null;
    assert!(
        !validator.is_valid(&other),
        "{answer}: other keys are valid"
    );
    value
}

/// A file in which these bytes, which it must hold, are others of the same number.
fn spoil(place: &Place, path: &str, old: &str, new: &str) {
    assert_eq!(old.len(), new.len());
    let path = place.path().join(path);
    let mut bytes = fs::read(&path).unwrap();
    let found: Vec<usize> = (0..bytes.len() - old.len())
        .filter(|at| bytes[*at..].starts_with(old.as_bytes()))
        .collect();
    assert!(!found.is_empty(), "`{old}` is not in {}", path.display());
    for at in found {
        bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    }
    fs::write(path, bytes).unwrap();
}

const STORE: &str = ".promptc/store.db";
