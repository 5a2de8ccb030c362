//! The inputs that a session stores of its builds.

use crate::run::Place;
use promptc::compile::rebuild;
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::project::CompareOptions;
use promptc::prompt::{Prompt, RecordedInputs};
use promptc::session::store::{SessionId, Store, sqlite};
use promptc::session::{frozen, record, told};
use promptc::{BuildInputs, Project};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const MANIFEST: &str = r#"promptc 1
name pond
root workspace default="."
fact user string private=#true optional=#true
fact word string default=soft
tier stable changes=session {
    layer rules { file "AGENTS.md" { budget 80 } }
    layer notes { glob "notes/*" invalid=missing }
    layer who when="user is defined" { template "{{ word }}" }
}
tier now changes=turn { layer hot { text "Hot." } }
"#;

const STORE: &str = ".promptc/store.db";

/// A document of which the budget cuts the middle.
fn long(first: &str, middle: &str) -> String {
    let words = "words ".repeat(40);
    format!("{first} {words}{middle} {words}")
}

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("AGENTS.md", long("The beginning.", "CUT-TEXT"));
    place.file("notes/a.md", "A note.\n");
    place.file("notes/b.bin", b"\xff\xfe");
    place
}

fn build(place: &Place, id: &str, more: &[&str]) {
    let args = ["build", "--session", id, "--set", "user=PRIVATE-7"];
    place.run(&[&args, more].concat()).exits(0);
}

fn open(place: &Place, store: &str) -> impl Store + use<> {
    sqlite::open(&place.path().join(store), 30).unwrap()
}

/// The frozen prompt of each build of a session, with its inputs.
fn stored(place: &Place, store: &str, id: &str) -> Vec<(Prompt, Option<RecordedInputs>)> {
    let mut store = open(place, store);
    let builds = store.builds(&SessionId::known(id).unwrap()).unwrap();
    let mut contents = |key: &_| store.content(key);
    let one = |build| {
        let inputs = record(&mut contents, build).unwrap();
        let prompt = frozen(&mut contents, build).unwrap();
        (prompt, inputs.map(|inputs| RecordedInputs::clone(&inputs)))
    };
    builds.iter().map(one).collect()
}

fn repeated(inputs: &RecordedInputs) -> Prompt {
    let private = BTreeMap::from([("user".to_owned(), "PRIVATE-7".into())]);
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let whole = rebuild(inputs, &private, &mut files, &mut diags).unwrap();
    whole.without_tiers(&["now"].into())
}

#[test]
fn a_frozen_prompt_is_built_again_from_the_inputs_that_its_session_stores() {
    let place = place();
    build(&place, "s", &["--set", "word=first"]);
    place.file("AGENTS.md", "Another.\n");
    build(&place, "s", &["--refresh", "--set", "word=second"]);
    // What becomes of the files is the same to it, and so is a later call.
    std::fs::remove_file(place.path().join("AGENTS.md")).unwrap();
    place.file("promptc.kdl", "promptc 1\nname pond\n");
    build(&place, "s", &["--set", "word=third"]);
    let builds = stored(&place, STORE, "s");
    assert_eq!(builds.len(), 2);
    for (prompt, inputs) in builds {
        let inputs = inputs.unwrap();
        assert_eq!(inputs.fault(), None);
        assert_eq!(repeated(&inputs), prompt);
    }
}

/// How many contents of the store have a text in them.
fn having(place: &Place, text: &str) -> i64 {
    let store = rusqlite::Connection::open(place.path().join(STORE)).unwrap();
    let sql = "SELECT count(*) FROM content WHERE instr(text, ?1)";
    store.query_row(sql, [text], |row| row.get(0)).unwrap()
}

#[test]
fn each_content_is_stored_once_and_no_private_value() {
    let place = place();
    build(&place, "s", &["--set", "word=first"]);
    build(&place, "t", &["--set", "word=second"]);
    for text in ["CUT-TEXT", "layer rules {"] {
        let of_text = having(&place, text);
        assert_eq!(of_text, 1, "{text}");
    }
    assert_eq!(having(&place, "PRIVATE-7"), 0);
    let (_, inputs) = stored(&place, STORE, "s").remove(0);
    let facts = serde_json::to_value(inputs.unwrap().facts).unwrap();
    assert!(facts["user"]["private"].is_string(), "{facts}");
    assert_eq!(facts["word"], json!({"value": "first", "origin": "call"}));
    // They go with the last session that needs them.
    place.run(&["session", "rm", "s"]).exits(0);
    assert_eq!(having(&place, "CUT-TEXT"), 1);
    place.run(&["session", "rm", "t"]).exits(0);
    assert_eq!(having(&place, "CUT-TEXT"), 0);
    place.run(&["session", "verify"]).exits(0);
}

#[test]
fn a_session_and_a_build_now_are_compared_with_their_inputs() {
    let place = place();
    build(&place, "s", &[]);
    place.file("AGENTS.md", "Another.\n");
    let file = place.path().join("promptc.kdl");
    let project = Project::open(file.to_str().unwrap()).unwrap();
    let inputs = BuildInputs::new().set("user", "PRIVATE-7");
    let operands = [Some("session:s"), Some(".")];
    let compared = project.compare(operands, &inputs, &CompareOptions::default());
    let compared = compared.unwrap().value.remove(0);
    let [a, b] = [compared.a, compared.b].map(|prompt| prompt.inputs.unwrap());
    assert_eq!(a.facts, b.facts);
    assert!(a.world != b.world, "a document differs");
}

#[test]
fn a_delivered_reminder_has_its_inputs() {
    let place = place();
    build(&place, "s", &[]);
    place.file("AGENTS.md", long("Another.", "CUT-LATER"));
    let args = "session drift s --set user=PRIVATE-7 --reminder --mark-delivered";
    place.run(&args.split(' ').collect::<Vec<_>>()).exits(0);
    assert_eq!(having(&place, "CUT-LATER"), 1);
    assert_eq!(having(&place, "PRIVATE-7"), 0);
    let mut store = open(&place, STORE);
    let session = store.session(&SessionId::known("s").unwrap()).unwrap();
    let delivered = session.unwrap().delivered.unwrap();
    let mut prompt = told(&mut |key| store.content(key), &delivered).unwrap();
    let inputs = prompt.inputs.take().unwrap();
    assert_eq!(inputs.fault(), None);
    assert_eq!(repeated(&inputs), prompt);
    // The next build forgets the reminder, and the collection what only it needs.
    build(&place, "s", &["--refresh"]);
    place.run(&["session", "verify"]).exits(0);
    place
        .run(&["session", "move", "s", "--to", "other.db"])
        .exits(0);
    let (_, inputs) = stored(&place, "other.db", "s").remove(1);
    assert!(inputs.is_some());
}

#[test]
fn answers_have_no_inputs() {
    let place = place();
    build(&place, "s", &[]);
    let calls: [&[&str]; 6] = [
        &["build", "--session", "s", "--format", "json"],
        &["build", "--session", "t", "--format", "json"],
        &["session", "show", "s", "--format", "json"],
        &["session", "show", "s", "--format", "artifact"],
        &["session", "drift", "s", "--format", "json"],
        &["diff", "session:s", ".", "--format", "json"],
    ];
    for call in calls {
        let given: &[&str] = if call[0] == "session" && call[1] == "show" {
            &[]
        } else {
            &["--set", "user=PRIVATE-7"]
        };
        let ran = place.run(&[call, given].concat()).exits(0);
        assert!(!ran.stdout().contains("CUT-TEXT"), "{call:?}");
    }
}

#[test]
fn an_export_has_inputs_only_if_it_is_asked_for_them() {
    let place = place();
    build(&place, "s", &[]);
    let export = |more: &[&str]| {
        let args = [&["session", "export", "s"], more].concat();
        place.run(&args).exits(0).stdout().to_owned()
    };
    let (without, with) = (export(&[]), export(&["--inputs"]));
    assert!(!without.contains("CUT-TEXT"));
    assert_eq!(with.matches("CUT-TEXT").count(), 1);
    assert!(!with.contains("PRIVATE-7"));
    for (name, text) in [("without", &without), ("with", &with)] {
        let (file, store) = (format!("{name}.json"), format!("{name}.db"));
        place.file(&file, text);
        place
            .run(&["session", "import", &file, "--store", &store])
            .exits(0);
        let (_, inputs) = stored(&place, &store, "s").remove(0);
        assert_eq!(inputs.is_some(), name == "with");
        let args = ["session", "export", "s", "--inputs", "--store", &store];
        assert_eq!(place.run(&args).exits(0).stdout(), text);
    }
    // Inputs that do not belong together are refused, though each hash is right.
    let mut value: Value = serde_json::from_str(&with).unwrap();
    value["builds"][0]["record"].as_array_mut().unwrap().pop();
    place.file("cut.json", value.to_string());
    place
        .run(&["session", "import", "cut.json", "--store", "cut.db"])
        .exits(2);
}
