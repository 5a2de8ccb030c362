//! The inputs that an artifact carries.

use crate::run::Place;
use promptc::compile::rebuild;
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::prompt::{Prompt, RecordedInputs, sha256};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const MANIFEST: &str = r#"promptc 1
root docs default="docs"
fact user string private=#true
fact city string
fact key string optional=#true env="KEY"
tier t {
    layer a { file "a.md" root="docs" { budget 20 } }
    layer b when="city == 'Rome'" { file "b.md" root="docs" }
    layer c { glob "c/*" root="docs" invalid=missing }
    layer d { template "{{ city }}{{ user }}" }
}
"#;

/// A prompt from files of which not all is in it.
fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file(
        "docs/a.md",
        "The beginning.\n\nCUT-TEXT is far behind the budget of this layer.\n",
    );
    place.file("docs/b.md", "LEFT-OUT by a condition.\n");
    place.file("docs/c/one.md", "One.\n");
    place.file("docs/c/two.bin", b"\xff\xfe");
    place.file("facts.json", r#"{"user": "PRIVATE-7"}"#);
    place
}

fn artifact(place: &Place, options: &[&str]) -> String {
    let args = [
        "build",
        "--format",
        "json",
        "--facts",
        "facts.json",
        "--set",
        "city=Oslo",
    ];
    let ran = place.run(&[&args, options].concat()).exits(0);
    ran.stdout().to_owned()
}

#[test]
fn an_artifact_is_built_again_from_the_inputs_that_it_carries() {
    let place = place();
    let text = artifact(&place, &[]);
    let without: Prompt = serde_json::from_str(&artifact(&place, &["--no-inputs"])).unwrap();
    assert_eq!(without.inputs, None);
    let mut whole: Prompt = serde_json::from_str(&text).unwrap();
    let inputs = whole.inputs.take().unwrap();
    assert_eq!(whole, without);
    let private = BTreeMap::from([("user".to_owned(), "PRIVATE-7".into())]);
    let again = rebuild(
        &inputs,
        &private,
        &mut Files::default(),
        &mut Diagnostics::default(),
    );
    assert_eq!(again.unwrap(), without);
}

#[test]
fn inputs_are_each_content_once_and_no_private_value() {
    let place = place();
    place.file("docs/c/three.md", "One.\n");
    let text = artifact(&place, &[]);
    let machine = std::fs::canonicalize(place.path()).unwrap();
    // The prompt and its map have the private value, and the inputs do not.
    let value: Value = serde_json::from_str(&text).unwrap();
    let inputs = value["inputs"].to_string();
    for absent in ["PRIVATE-7", machine.to_str().unwrap()] {
        assert!(!inputs.contains(absent), "{absent}");
    }
    for present in ["CUT-TEXT", "three.md"] {
        assert!(inputs.contains(present), "{present}");
    }
    assert_eq!(inputs.matches("\"One.\\n\"").count(), 1);
    let contents = value["inputs"]["world"]["contents"].as_object().unwrap();
    assert!(
        contents
            .values()
            .any(|content| *content == json!({"base64": "//4="}))
    );
    // What no condition let in was not read.
    assert!(!inputs.contains("LEFT-OUT"));
}

#[test]
fn answers_to_people_and_programs_have_no_inputs() {
    let place = place();
    place.file("old.json", artifact(&place, &[]));
    place.file(
        "docs/a.md",
        "Another beginning.\n\nCUT-TEXT is far behind.\n",
    );
    place.file("new.json", artifact(&place, &[]));
    let calls: [&[&str]; 8] = [
        &["diff", "old.json", "new.json"],
        &["diff", "old.json", "new.json", "--format", "json"],
        &["explain", "--artifact", "old.json"],
        &["explain", "--artifact", "old.json", "--format", "json"],
        &["blame", "1", "--artifact", "old.json", "--format", "json"],
        &["report", "--artifact", "old.json", "-o", "page.html"],
        &["report", "old.json", "new.json", "-o", "page2.html"],
        &[
            "emit",
            "anthropic",
            "--model",
            "claude-opus-5-5",
            "--artifact",
            "old.json",
        ],
    ];
    for call in calls {
        let ran = place.run(call);
        assert!(ran.code <= 1, "{call:?}: {}", ran.stderr);
        for text in [ran.stdout(), &ran.stderr] {
            assert!(
                !text.contains("CUT-TEXT") && !text.contains("base64"),
                "{call:?}"
            );
        }
    }
    for page in ["page.html", "page2.html"] {
        assert!(!place.read(page).contains("CUT-TEXT"), "{page}");
    }
}

/// The artifact with other inputs. Its first fields say what it is.
fn changed(text: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap();
    change(&mut value["inputs"]);
    let head =
        ["schema", "promptc"].map(|name| value.as_object_mut().unwrap().remove(name).unwrap());
    let [schema, promptc] = head;
    format!(
        "{{\"schema\":{schema},\"promptc\":{promptc},{}",
        &value.to_string()[1..]
    )
}

/// Other contents.
fn other_contents(text: &str) -> Vec<(&'static str, String)> {
    let (one, large) = (sha256("One.\n"), "x".repeat(RecordedInputs::MAX_BYTES + 1));
    let with = |key: &str, content: &str| {
        changed(text, |inputs| {
            inputs["world"]["contents"][key] = json!(content)
        })
    };
    let without = |inputs: &mut Value| {
        _ = inputs["world"]["contents"]
            .as_object_mut()
            .unwrap()
            .remove(&one)
    };
    let twice = format!("\"{one}\": \"Two.\\n\", \"{one}\": ");
    vec![
        ("has another hash", with(&one, "Two.\n")),
        ("belongs to no path", with(&sha256("x"), "x")),
        ("more than 16777216 bytes", with(&sha256(&large), &large)),
        ("is missing", changed(text, without)),
        (
            "is there twice",
            text.replacen(&format!("\"{one}\": "), &twice, 1),
        ),
    ]
}

/// Paths that lead out of their places.
fn other_paths(text: &str) -> Vec<(&'static str, String)> {
    let moved = |path: &str| {
        changed(text, |inputs| {
            let paths = inputs["world"]["paths"].as_object_mut().unwrap();
            let answers = paths.remove("/manifest/docs/c/one.md").unwrap();
            paths.insert(path.to_owned(), answers);
        })
    };
    let set = |name: &str, value: Value| changed(text, |inputs| inputs[name] = value);
    let named = |name: &str| {
        changed(text, |inputs| {
            inputs["world"]["paths"]["/manifest/docs/c"]["list"] = json!([[name, "file"]]);
        })
    };
    vec![
        ("is in no place", moved("/manifest/../etc/passwd")),
        ("is in no place", moved("manifest/one.md")),
        ("is in no place", moved("/manifest//one.md")),
        (
            "is in no place",
            set("manifests", json!(["../promptc.kdl"])),
        ),
        (
            "is in no place",
            set("roots", json!({"docs": ["/docs/../.."]})),
        ),
        ("has the name", named("../x")),
        ("has the name", named("a/b")),
    ]
}

/// Fields that no build of this release writes.
fn other_fields(text: &str) -> Vec<(&'static str, String)> {
    let set = |name: &str, value: Value| changed(text, |inputs| inputs[name] = value);
    let world = |name: &str, value: Value| changed(text, |inputs| inputs["world"][name] = value);
    vec![
        ("have no manifest", set("manifests", json!([]))),
        ("are of promptc \"99.0.0\"", set("promptc", json!("99.0.0"))),
        ("are of promptc \"new\"", set("promptc", json!("new"))),
        ("language 9", set("language", json!(9))),
        ("unknown field", set("more", json!(1))),
        ("name the environment", world("env", json!({"HOME": "/"}))),
        ("cannot be read", world("paths", json!([]))),
        ("EOF while parsing", text[..text.len() * 3 / 4].to_owned()),
        (
            "EOF while parsing",
            text[..text.find("contents").unwrap()].to_owned(),
        ),
    ]
}

#[test]
fn changed_inputs_are_refused_with_a_reason() {
    let text = artifact(&place(), &[]);
    let wrong = [
        other_contents(&text),
        other_paths(&text),
        other_fields(&text),
    ];
    // Nothing but the artifact is there to be read.
    let elsewhere = Place::new();
    for (why, artifact) in wrong.concat() {
        assert_ne!(artifact, text, "{why}");
        elsewhere.file("bad.json", &artifact);
        for call in [
            &["explain", "--artifact", "bad.json"][..],
            &["diff", "bad.json", "bad.json"],
        ] {
            let ran = elsewhere.run(call);
            let said: String = ran.stderr.chars().take(400).collect();
            assert!(
                ran.code == 2 && ran.stderr.contains(why),
                "{why}: {} {said}",
                ran.code
            );
        }
    }
    elsewhere.file("good.json", changed(&text, |_| ()));
    elsewhere
        .run(&["explain", "--artifact", "good.json"])
        .exits(0);
}

/// Whether the manifest has the value of a private fact matters to what publishes it, and to nothing else.
#[test]
fn only_an_artifact_with_inputs_fails_for_a_private_value_in_the_manifest() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact key string private=#true default=\"horse\"\ntier t { layer l when=\"key == 'x'\" { text x }\nlayer m { text m } }\n",
    );
    let artifact = ["build", "--format", "json", "-o", "out.json"];
    let ran = place
        .run(&[&artifact[..], &["--set", "key=zebra"]].concat())
        .exits(2);
    assert!(ran.stderr.contains("error[private-in-manifest]"));
    assert!(!ran.stderr.contains("zebra"), "{}", ran.stderr);
    assert!(!place.path().join("out.json").exists());
    place.run(&["check"]).exits(1);
    place
        .run(&[&artifact[..], &["--no-inputs"]].concat())
        .exits(0);
    let calls: [&[&str]; 6] = [
        &["build"],
        &["build", "--each-without"],
        &[
            "build",
            "--session",
            "s",
            "--store",
            "s.db",
            "--format",
            "json",
        ],
        &["test", "--accept"],
        &["test"],
        &["diff", "out.json", "."],
    ];
    for call in calls {
        place.run(call).exits(0);
    }
}
