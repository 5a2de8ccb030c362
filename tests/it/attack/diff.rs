//! Artifacts that someone else sends: `diff` runs their templates on their inputs. It ends, reads nothing else, and blames nothing that
//! it did not build.

use crate::run::{PROGRAM, Place, Ran, run};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::Command;

const MANIFEST: &str = r#"promptc 1
root docs default="docs"
fact city string default=Rome
tier t {
    layer a { file "a.md" root=docs }
    layer b { template "{{ city }}" }
    layer c { glob "c/*" root=docs missing=skip }
}
"#;

fn place(manifest: &str) -> Place {
    let place = Place::new();
    place.file("promptc.kdl", manifest);
    place.file("docs/a.md", "The beginning.\n");
    place
}

/// Writes the artifact of a build.
fn artifact(place: &Place, name: &str) -> Value {
    place
        .run(&["build", "-q", "--format", "json", "-o", name])
        .exits(0);
    serde_json::from_str(&place.read(name)).unwrap()
}

/// Two artifacts between which `a.md` changes.
fn pair(manifest: &str) -> (Place, [Value; 2]) {
    let place = place(manifest);
    let a = artifact(&place, "a.json");
    place.file("docs/a.md", "Another beginning.\n");
    let b = artifact(&place, "b.json");
    (place, [a, b])
}

/// Compares two artifacts in a folder that has nothing else, with bounded memory and time.
fn compared(artifacts: [&str; 2]) -> Ran {
    let elsewhere = Place::new();
    for (name, text) in ["a.json", "b.json"].iter().zip(artifacts) {
        elsewhere.file(name, text);
    }
    let script = "ulimit -v 4000000; ulimit -t 120; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", PROGRAM]);
    command.args(["diff", "a.json", "b.json", "--format", "json"]);
    command.current_dir(elsewhere.path()).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    run(command, b"")
}

/// An artifact as text: its first fields say what it is.
fn written(artifact: &Value) -> String {
    let mut rest = artifact.clone();
    let fields = rest.as_object_mut().unwrap();
    let [schema, promptc] = ["schema", "promptc"].map(|name| fields.remove(name).unwrap());
    let rest = rest.to_string();
    format!("{{\"schema\":{schema},\"promptc\":{promptc},{}", &rest[1..])
}

/// The answer to two artifacts that can be read.
fn said(sides: [&Value; 2]) -> Value {
    let ran = compared([&written(sides[0]), &written(sides[1])]);
    assert!(ran.code <= 1, "{}: {}", ran.code, ran.stderr);
    comparison(&ran)
}

fn comparison(ran: &Ran) -> Value {
    let answer: Value = serde_json::from_str(ran.stdout()).unwrap();
    answer["comparisons"][0].clone()
}

/// Gives the inputs of an artifact another text of a file.
fn with_text(artifact: &Value, path: &str, text: &str) -> Value {
    let mut out = artifact.clone();
    let world = &mut out["inputs"]["world"];
    let hash = promptc::prompt::sha256(text);
    let old = world["paths"][path]["content"].clone();
    world["paths"][path]["content"] = json!(hash);
    let contents = world["contents"].as_object_mut().unwrap();
    contents.remove(old.as_str().unwrap());
    contents.insert(hash, json!(text));
    out
}

#[test]
fn inputs_of_another_prompt_are_no_reason() {
    let (_place, [a, b]) = pair(MANIFEST);
    assert_eq!(said([&a, &b])["confidence"]["by"], "build");
    let (_other, [other, _]) = pair(&MANIFEST.replace("{{ city }}", "{{ city }} is another city"));
    let mut forged = b.clone();
    forged["inputs"] = other["inputs"].clone();
    let changed = with_text(&b, "/manifest/docs/a.md", "A third beginning.\n");
    let mut fact = b.clone();
    fact["inputs"]["facts"]["city"]["value"] = json!("Oslo");
    let mut left_out = b.clone();
    left_out["inputs"]["without"] = json!(["b"]);
    for inputs in [forged, changed, fact, left_out] {
        let sides = [[&a, &inputs], [&inputs, &a]];
        for said in sides.map(said) {
            assert_eq!(said["confidence"]["by"], "owner", "{}", said["break"]);
            assert_eq!(said["break"]["causes"], json!([]));
            assert!(said["break"]["undone"].is_null());
        }
    }
}

/// The release is what a record says it is: with another one the difference that is left may be its.
#[test]
fn a_forged_release_blames_nothing_that_was_recorded() {
    let (_place, [a, b]) = pair(MANIFEST);
    let mut old = with_text(&a, "/manifest/docs/a.md", "Another beginning.\n");
    old["inputs"]["promptc"] = json!("0.0.1");
    let said = said([&old, &b]);
    let causes = said["break"]["causes"].as_array().unwrap();
    assert!(
        causes
            .iter()
            .all(|cause| cause["kind"] == "release-changed"),
        "{causes:?}"
    );
}

#[test]
fn a_changed_record_is_refused() {
    let (_place, [a, b]) = pair(MANIFEST);
    let hash = promptc::prompt::sha256("Another beginning.\n");
    let mut wrong = b.clone();
    wrong["inputs"]["world"]["contents"][&hash] = json!("A lie.\n");
    let mut outside = b.clone();
    let paths = outside["inputs"]["world"]["paths"].as_object_mut().unwrap();
    let answers = paths.remove("/manifest/docs/a.md").unwrap();
    paths.insert("/manifest/../../etc/passwd".to_owned(), answers);
    let mut large = b.clone();
    let text = "x".repeat(100 << 20);
    large["inputs"]["world"]["contents"][promptc::prompt::sha256(&text)] = json!(text);
    let whole = written(&b);
    let cut = [whole.len() / 3, whole.len() / 2, whole.len() - 2].map(|at| whole[..at].to_owned());
    let wrong = [wrong, outside, large].map(|artifact| written(&artifact));
    for bad in wrong.iter().chain(&cut) {
        let a = written(&a);
        for sides in [[a.as_str(), bad.as_str()], [bad, &a]] {
            compared(sides).exits(2);
        }
    }
}

/// What a record names is not looked for on the disk.
#[test]
fn nothing_outside_of_the_record_is_read() {
    let (place, [a, mut b]) = pair(MANIFEST);
    let world = &mut b["inputs"]["world"];
    let content = world["paths"]["/manifest/docs/a.md"]["content"].take();
    let contents = world["contents"].as_object_mut().unwrap();
    contents.remove(content.as_str().unwrap());
    world["paths"]["/manifest/docs/a.md"]
        .as_object_mut()
        .unwrap()
        .remove("content");
    // The file is there, where the artifacts are and where they were made.
    for (name, side) in [("a.json", &a), ("b.json", &b)] {
        place.file(name, written(side));
    }
    let ran = place.run(&["diff", "a.json", "b.json", "--format", "json"]);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let said = comparison(&ran);
    assert_eq!(said["confidence"]["by"], "owner");
    assert_eq!(said["break"]["causes"], json!([]));
}

/// Templates of a record that never end.
#[test]
fn a_template_without_end_is_bounded() {
    let loops = "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}";
    let (_place, [a, b]) = pair(MANIFEST);
    let text = |body: &str| MANIFEST.replace("{{ city }}", body);
    let endless = with_text(&b, "/manifest/promptc.kdl", &text(loops));
    let said = said([&a, &endless]);
    assert_eq!(said["confidence"]["by"], "owner");
}

/// Templates of a record that take long, each of which a build may run.
#[test]
fn templates_of_all_mixes_have_one_bound() {
    let layers = (0..60).fold(String::new(), |mut text, at| {
        _ = writeln!(text, "layer l{at} {{ text \"{{{{ city }}}} {at}\" }}");
        text
    });
    let slow = "{% for i in range(1000) %}{% for j in range(300) %}{% endfor %}{% endfor %}";
    let manifest = |number: usize| {
        let layers = layers.replace("{{ city }}", &number.to_string());
        format!("promptc 1\ntier t {{\nlayer slow {{ template \"{slow}.\" }}\n{layers}}}\n")
    };
    let place = place(&manifest(1));
    let a = artifact(&place, "a.json");
    place.file("promptc.kdl", manifest(2));
    let b = artifact(&place, "b.json");
    let said = said([&a, &b]);
    assert_eq!(said["break"]["layer"], "l0");
    let stopped = said["stopped"].as_u64().unwrap();
    assert!((2..60).contains(&stopped), "{stopped} builds");
}

#[test]
fn a_thousand_differences_end() {
    let manifest = |number: usize| {
        let layers = (0..1000).fold(String::new(), |mut text, at| {
            _ = writeln!(text, "layer l{at} {{ text \"{number} of {at}\" }}");
            text
        });
        format!("promptc 1\ntier t {{\n{layers}}}\n")
    };
    let place = place(&manifest(1));
    let a = artifact(&place, "a.json");
    place.file("promptc.kdl", manifest(2));
    let b = artifact(&place, "b.json");
    let of_layers = said([&a, &b]);
    assert_eq!(of_layers["break"]["layer"], "l0");
    let files = "promptc 1\nroot docs default=\"docs\"\ntier t { layer l { glob \"c/*\" root=docs missing=skip } }\n";
    let place = self::place(files);
    let sides = ["one", "two"].map(|word| {
        for at in 0..1000 {
            place.file(&format!("docs/c/{at}.md"), format!("{word} {at}\n"));
        }
        artifact(&place, "side.json")
    });
    let of_files = said([&sides[0], &sides[1]]);
    assert_eq!(of_files["break"]["layer"], "l");
}

#[test]
fn ten_thousand_layers_on_both_sides_end() {
    let manifest = |first: &str| {
        let line = |at: usize| format!("layer l{at} {{ text \"{at}\" }}\n");
        let lines: String = (0..10_000).map(line).collect();
        let lines = lines.replace("\"7\"", first);
        format!("promptc 1\ntier t {{\n{lines}}}\n")
    };
    let place = place(&manifest("\"7\""));
    let a = artifact(&place, "a.json");
    place.file("promptc.kdl", manifest("\"seven\""));
    let b = artifact(&place, "b.json");
    assert_eq!(said([&a, &b])["break"]["layer"], "l7");
}
