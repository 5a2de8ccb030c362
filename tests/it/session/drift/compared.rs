//! The differences, by layer and cause.

use super::{Chat, LATER, MANIFEST, START, shown};
use crate::run::Place;
use serde_json::Value;
use std::fmt::Write as _;

#[test]
fn an_identical_rebuild_is_no_drift() {
    let chat = Chat::new();
    let human = chat.drift(&[]).exits(0);
    assert_eq!(human.stderr, "");
    assert_eq!(
        human.stdout(),
        "same     a rebuild would freeze the same 92 bytes\n"
    );
    let note = chat.drift(&["--reminder", "--mark-delivered"]).exits(0);
    assert_eq!((note.stdout(), note.stderr.as_str()), ("", ""));
    let json = chat.json(&["--reminder"]);
    assert_eq!(json["layers"], Value::Array(Vec::new()));
    assert_eq!(json["reminder"], "");
    assert_eq!(json["since"], "frozen");
    assert_eq!(json["told"], Value::Null);
    assert_eq!(json["refresh"]["lost"]["bytes"], 0);
}

/// A fact that no terminal has room for.
const LONG: &str =
    "model=one with a name of which nobody would have thought that it is as long as this";

/// The changes of a session, and the inputs of the query.
type Edit = (&'static str, fn(&Chat), &'static [&'static str]);

fn edits() -> [Edit; 10] {
    [
        (
            "a document is edited",
            |c| _ = c.write("AGENTS.md", "# Rules\n\nRun both linters.\n"),
            &[],
        ),
        (
            "a document appears",
            |c| _ = c.write("notes.md", "Ann is on leave."),
            &[],
        ),
        ("a fact is given anew", |_| (), &["--set", "model=large"]),
        ("a cause is long", |_| (), &["--set", LONG]),
        (
            "the manifest is edited",
            |c| _ = c.edit("careful", "kind"),
            &[],
        ),
        (
            "a layer is added",
            |c| {
                _ = c.edit(
                    "    layer rules",
                    "    layer tone { text \"Be brief.\" }\n    layer rules",
                )
            },
            &[],
        ),
        (
            "a layer is removed",
            |c| {
                _ = c.edit(
                    "    layer model { template \"You run on {{ model }}.\" }\n",
                    "",
                )
            },
            &[],
        ),
        (
            "a layer is moved",
            |c| {
                c.edit(
                    "    layer identity { text \"You are a careful assistant.\" }\n",
                    "",
                );
                c.edit(
                    "    layer notes",
                    "    layer identity { text \"You are a careful assistant.\" }\n    layer notes",
                );
            },
            &[],
        ),
        (
            "another join",
            |c| _ = c.edit("changes=session {", "changes=session join=\"\\n\" {"),
            &[],
        ),
        (
            "tools are defined otherwise",
            |c| {
                c.edit(
                    "tier stable",
                    "tier tools deliver=tools { layer calls { text \"[]\" } }\ntier stable",
                );
                c.build(START, &["--refresh"]);
                c.edit("\"[]\"", "\"[{}]\"");
            },
            &[],
        ),
    ]
}

#[test]
fn differences_are_reported_by_layer_and_cause() {
    let mut all = String::new();
    for (name, edit, args) in edits() {
        let chat = Chat::new();
        edit(&chat);
        let human = chat.drift(args).exits(1);
        assert_eq!(human.stderr, "");
        write!(all, "== {name}\n{}\n", shown(&human)).unwrap();
    }
    insta::assert_snapshot!("session_drift_human", all);
}

#[test]
fn markdown_has_the_same_content() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "# Rules\n\nRun both <linters>.\n");
    let ran = chat
        .drift(&["--format", "markdown", "--tokenizer", "o200k"])
        .exits(1);
    insta::assert_snapshot!("session_drift_markdown", ran.stdout());
    chat.drift(&["--format", "markdown", "--reminder"]).exits(2);
}

#[test]
fn programs_get_an_answer_by_the_schema() {
    let chat = Chat::new();
    let schema = chat.0.run(&["schema", "session", "drift"]).exits(0);
    let schema: Value = serde_json::from_str(schema.stdout()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    chat.write("AGENTS.md", "# Rules\n\nRun both linters.\n")
        .edit("careful", "kind");
    for args in [
        &[][..],
        &["--reminder"],
        &["--reminder", "--mark-delivered", "--tokenizer", "o200k"],
        &[],
    ] {
        let json = chat.json(args);
        let wrong: Vec<String> = validator
            .iter_errors(&json)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(json["build"], 1);
        assert_eq!(json["built"], START);
        assert_eq!(json["reminder"].is_string(), args.contains(&"--reminder"));
    }
    let mut json = chat.json(&["--since-frozen"]);
    let rules = &json["layers"][1];
    assert_eq!(rules["text"], "# Rules\n\nRun both linters.");
    assert_eq!(rules["causes"][0]["path"], "AGENTS.md");
    assert_eq!(rules["causes"][0]["line"], 3);
    json["more"] = Value::Null;
    assert!(!validator.is_valid(&json));
}

#[test]
fn a_diff_gives_the_same_causes() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.")
        .write("notes.md", "Ann is on leave.");
    chat.edit("careful", "kind");
    let args = ["--set", "model=large", "--tokenizer", "o200k"];
    let all = [
        &["diff", "session:c", ".", "--format", "json", "--now", LATER][..],
        &args,
    ]
    .concat();
    let diffs: Value = serde_json::from_str(chat.0.run(&all).exits(0).stdout()).unwrap();
    let diff = &diffs["comparisons"][0];
    let drift = chat.json(&args);
    let hidden = diff["hidden"].as_array().unwrap();
    let breaks: Vec<&Value> = std::iter::once(&diff["break"]).chain(hidden).collect();
    let layers = drift["layers"].as_array().unwrap();
    assert_eq!(breaks.len(), 4);
    assert_eq!(breaks.len(), layers.len());
    for (a, b) in breaks.iter().zip(layers) {
        for key in ["layer", "tier", "channel", "causes", "also"] {
            assert_eq!(a[key], b[key]);
        }
    }
    for key in ["kept", "lost", "of", "cost"] {
        assert_eq!(diff[key], drift["refresh"][key]);
    }
    assert!(drift["refresh"]["lost"]["tokens"].as_u64().unwrap() > 0);
}

#[test]
fn at_midnight_the_day_is_another() {
    let chat = Chat::new();
    chat.drift_at("2026-03-30T23:59:59Z", &[]).exits(0);
    let ran = chat
        .drift_at("2026-03-31T00:00:00Z", &["--reminder"])
        .exits(0);
    ran.shows("It is 2026-03-31.");
    assert!(!ran.stdout().contains("linter"));
}

#[test]
fn tiers_rebuilt_for_each_call_are_no_drift() {
    let chat = Chat::new();
    chat.write("beat.md", "Another heartbeat.");
    chat.drift(&["--set", "beat=true"]).exits(0);
    chat.edit(
        "layer beat when=beat {",
        "layer pulse { text \"x\" }\n layer beat {",
    );
    chat.drift(&[]).exits(0);
    // One that is rendered for each call from now on has not been removed: nothing is reported about it.
    chat.edit("    layer rules { file \"AGENTS.md\" }\n", "");
    chat.edit(
        "layer pulse {",
        "layer rules { file \"AGENTS.md\" }\n layer pulse {",
    );
    for when in ["", "when=beat "] {
        chat.edit("layer rules {", &format!("layer rules {when}{{"));
        assert_eq!(chat.layers(&[]), ["moved rules"]);
        let causes = chat.json(&[])["layers"][0]["causes"].clone();
        let causes = causes.as_array().unwrap().iter();
        let moved: Vec<_> = causes
            .filter(|cause| cause["kind"] == "layer-moved")
            .collect();
        assert_eq!(moved.len(), 1, "{moved:?}");
        assert_eq!(moved[0]["line"], 13);
        assert_eq!(chat.drift(&["--reminder"]).exits(0).stdout(), "");
    }
}

#[test]
fn a_private_fact_is_given_again_or_missed() {
    let with_key = MANIFEST.replace(
        "fact beat",
        "fact key string private=#true optional=#true\nfact beat",
    );
    let with_key = with_key.replace(
        "layer notes",
        "layer key { template \"Key: {{ key | default('none') }}\" }\n    layer notes",
    );
    let chat = Chat::of(&with_key);
    chat.build(START, &["--refresh", "--set", "key=secret-value"]);
    chat.drift(&["--set", "key=secret-value"]).exits(0);
    let ran = chat.drift(&[]).exits(1);
    assert!(
        ran.stderr.starts_with("warning[private-not-kept]"),
        "{}",
        ran.stderr
    );
    ran.shows("fact `key` changed\n");
    assert!(!ran.stdout().contains("secret-value") && !ran.stderr.contains("secret-value"));
}

#[test]
fn a_session_is_not_used_by_looking_at_its_drift() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    let used = || {
        let list = chat
            .0
            .run(&["session", "list", "--format", "json"])
            .exits(0);
        let list: Value = serde_json::from_str(list.stdout()).unwrap();
        list["sessions"][0]["used"].clone()
    };
    assert_eq!(used(), START);
    chat.drift(&["--reminder", "--mark-delivered"]).exits(0);
    assert_eq!(used(), START);
}

#[test]
fn no_session_is_created_if_there_is_none() {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    let ran = place.run(&["session", "drift", "c"]).exits(2);
    assert!(
        ran.stderr.starts_with("error[unknown-session]"),
        "{}",
        ran.stderr
    );
    assert!(!place.path().join(".promptc").exists());
    let chat = Chat::new();
    chat.0.run(&["session", "drift", "d"]).exits(2);
    let other = chat.0.file("other/promptc.kdl", "promptc 1\nname borea\n");
    let ran = chat
        .drift(&[
            "--store",
            ".promptc/store.db",
            "-m",
            other.to_str().unwrap(),
        ])
        .exits(2);
    assert!(
        ran.stderr.starts_with("error[other-manifest]"),
        "{}",
        ran.stderr
    );
    // As does `diff`, which compares the same.
    for operands in [["session:c", "."], [".", "session:c"]] {
        let store = [
            "--store",
            ".promptc/store.db",
            "-m",
            other.to_str().unwrap(),
        ];
        let ran = chat
            .0
            .run(&[&["diff"][..], &operands, &store].concat())
            .exits(2);
        let found = "error[other-manifest]: ";
        assert!(ran.stderr.starts_with(found), "{}", ran.stderr);
    }
}
