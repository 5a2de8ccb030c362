//! Texts without a map: the layers that are named are those that the maps of the same prompts name.

use crate::run::Place;
use promptc::compare::{align, aligned};
use promptc::compile::{GivenInputs, compile};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::{Deliver, Prompt};
use promptc::world::MapWorld;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, prop_assert, prop_assert_eq, proptest};
use proptest::sample::select;
use serde_json::Value;

const MANIFEST: &str = r#"promptc 1
root p default="."
tier base changes=deploy { layer a { file "a.md" root=p }; layer b { file "b.md" root=p } }
tier daily changes=session { layer c { file "c.md" root=p }; layer d { file "d.md" root=p } }
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

/// A few lines, many of them equal or blank.
fn lines() -> impl Strategy<Value = String> {
    let line = select(vec!["", "", "a", "b", "- a", "c d"]);
    vec(line, 0..5).prop_map(|lines| lines.join("\n"))
}

/// The prompt of three layers with these texts.
fn prompt(texts: &[String]) -> Prompt {
    let layers = texts.iter().enumerate();
    let layers: String = layers
        .map(|(n, _)| format!("layer l{n} {{ file \"{n}.md\" root=p }}\n"))
        .collect();
    let manifest = format!("promptc 1\nroot p default=\".\"\ntier t {{\n{layers}}}\n");
    let files = texts.iter().enumerate();
    let world = files.fold(
        MapWorld::new().file("/w/promptc.kdl", manifest.as_bytes()),
        |world, (n, text)| world.file(format!("/w/{n}.md"), text.as_bytes()),
    );
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let manifest = manifest::open(&world, Some("/w/promptc.kdl"), &mut files, &mut diags);
    let given = GivenInputs::default();
    compile(&manifest.unwrap(), &given, &world, &mut files, &mut diags).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever the text, its layers are all of it, in order, and it compares as equal with itself.
    #[test]
    fn the_layers_of_a_text_are_all_of_it(texts in vec(lines(), 3), text in vec(lines(), 1..5)) {
        let text = text.join("\n\n");
        let prompt = prompt(&texts);
        let laid = align::lay(&prompt, &text);
        let layers = laid.prompt.channel(Deliver::System).map_or(&[][..], |c| &c.layers);
        let ends = layers.iter().map(|layer| layer.end);
        let starts = layers.iter().map(|layer| layer.start).chain([text.len()]);
        if !layers.is_empty() {
            prop_assert_eq!(std::iter::once(0).chain(ends).collect::<Vec<_>>(), starts.collect::<Vec<_>>());
        }
        for layer in layers {
            prop_assert!(layer.spans.first().is_none_or(|span| span.start == layer.start));
            prop_assert!(layer.spans.last().is_none_or(|span| span.end == layer.end));
        }
        prop_assert!(aligned(&laid, &laid).same);
        // The text of the prompt itself has its layers.
        let own = prompt.text(Deliver::System).to_owned();
        let same = align::lay(&prompt, &own);
        let of = |p: &Prompt| p.channel(Deliver::System).map_or(Vec::new(), |c| c.layers.iter().map(|l| (l.name.clone(), l.start..l.end)).collect());
        prop_assert_eq!(of(&same.prompt), of(&prompt));
    }
}
