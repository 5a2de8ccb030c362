//! Texts without a map: the layers that are named are those that the maps of the same prompts name.

use crate::run::Place;
use serde_json::Value;

const MANIFEST: &str = r#"promptc 1
root p default="."
tier calm changes=deploy { layer a { file "a.md" root=p }; layer b { file "b.md" root=p } }
tier lively changes=session { layer c { file "c.md" root=p }; layer d { file "d.md" root=p } }
"#;

/// The files of the layers. Some lines are in two of them, and two files end alike.
const FILES: [(&str, &[&str]); 4] = [
    ("a.md", &["Run the linter.", "Be brief.", "Use tabs."]),
    (
        "b.md",
        &["# Notes", "", "Be brief.", "The crane lifts 12 tonnes."],
    ),
    ("c.md", &["- tide", "- wind", "- rain", "Use tabs."]),
    ("d.md", &["You talk to Ann.", "She is at the harbour."]),
];

type Edit = fn(&mut Vec<&str>, usize);

const EDITS: [(&str, Edit); 3] = [
    ("gone", |lines, at| _ = lines.remove(at)),
    ("another", |lines, at| lines[at] = "Something else."),
    ("new", |lines, at| lines.insert(at + 1, "One line more.")),
];

/// The layer that broke, and those that are hidden by it.
fn layers(place: &Place, a: &str, b: &str) -> (Value, Vec<Value>) {
    let ran = place.run(&["diff", a, b, "--format", "json"]);
    let found: Value = serde_json::from_str(ran.exits(0).stdout()).unwrap();
    let found = &found["comparisons"][0];
    let hidden = found["hidden"].as_array().unwrap().iter();
    (
        found["break"]["layer"].clone(),
        hidden.map(|hidden| hidden["layer"].clone()).collect(),
    )
}

/// Builds a text and an artifact of what the files say.
fn build(place: &Place, name: &str) {
    place
        .run(&["build", "-q", "-o", &format!("{name}.txt")])
        .exits(0);
    let artifact = format!("{name}.json");
    place
        .run(&["build", "-q", "--format", "json", "-o", &artifact])
        .exits(0);
}

#[test]
fn a_text_names_the_layers_that_its_map_names() {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    for (file, lines) in FILES {
        place.file(file, lines.join("\n"));
    }
    build(&place, "old");
    let mut wrong = Vec::new();
    for (file, lines) in FILES {
        for at in 0..lines.len() {
            for (name, edit) in EDITS {
                let mut edited = lines.to_vec();
                edit(&mut edited, at);
                place.file(file, edited.join("\n"));
                build(&place, "new");
                for (a, b) in [("old", "new"), ("new", "old")] {
                    let [texts, maps] = ["txt", "json"]
                        .map(|end| layers(&place, &format!("{a}.{end}"), &format!("{b}.{end}")));
                    if texts != maps {
                        wrong.push(format!(
                            "{file}:{} {name}, {a} to {b}: {texts:?} instead of {maps:?}",
                            at + 1
                        ));
                    }
                }
            }
        }
        place.file(file, lines.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
