//! `promptc blame`: from a place in a prompt back to its source.

use crate::run::{PROGRAM, Place, Ran, run};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A manifest with every kind of source, and texts that are wide, long and split.
fn ready() -> Place {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        r##"promptc 1
root workspace default="."
root many many=#true { default "." }
fact who string default="安娜"
fact key string private=#true default=hush
fact tags list { default a b }
tier calm changes=session {
    layer rules {
        all join="\n--\n" {
            file "AGENTS.md" { frontmatter strip }
            file "LONG.md"
            text "First.\nSecond."
        }
        template file="rules.md.j2"
    }
}
tier live changes=day join=" " {
    layer user { template "日本語の名前は{{ who }}です。" }
    layer shout { template "{{ who | upper }} {{ key }} {{ tags | join('+') }}!" }
}
tier turn changes=turn deliver=user { layer last { text "Go on." } }
"##,
    );
    place.file(
        "AGENTS.md",
        "---\na: b\n---\n\nRun the linter.\nÄ second line.\n",
    );
    place.file(
        "LONG.md",
        format!("{}needle{}\n", "日本 ".repeat(40), " xyz".repeat(40)),
    );
    place.file(
        "templates/rules.md.j2",
        "# Rules\n\n{{ content }}\n\nThat is all.\n",
    );
    place
}

fn blame(place: &Place, args: &[&str]) -> Ran {
    place.run(&[&["blame"], args].concat())
}

/// The answers to several queries.
fn answers(place: &Place, questions: &[&[&str]]) -> String {
    let mut out = String::new();
    for question in questions {
        let ran = blame(place, question).exits(0);
        assert!(ran.stderr.is_empty(), "{}", ran.stderr);
        out.push_str(&format!(
            "$ promptc blame {}\n{}\n",
            question.join(" "),
            ran.stdout()
        ));
    }
    out
}

#[test]
fn places_are_positions_in_the_prompt() {
    let text = ready().run(&["build"]).exits(0);
    insta::assert_snapshot!(text.stdout());
}

#[test]
fn lines_lead_to_all_of_their_sources() {
    let place = ready();
    insta::assert_snapshot!(answers(
        &place,
        &[
            &["1"],
            &["2"],
            &["3"],
            &["5"],
            &["6"],
            &["7"],
            &["12"],
            &["13"]
        ]
    ));
}

#[test]
fn characters_lead_to_their_source() {
    let place = ready();
    let places: [&[&str]; 7] = [
        &["3:5"],
        &["4:1"],
        &["5:1"],
        &["9:3"],
        &["13:10"],
        &["13:12"],
        &["13:999"],
    ];
    insta::assert_snapshot!(answers(&place, &places[..6]));
    blame(&place, places[6]).exits(2);
}

#[test]
fn texts_are_found_at_any_position() {
    let place = ready();
    insta::assert_snapshot!(answers(
        &place,
        &[
            &["--find", "needle"],
            &["--find", "安娜"],
            &["--find", "linter.\nÄ"],
            &["--find", "hush"],
            &["--find", "a+b"],
            &["--channel", "user", "--find", "on"],
        ]
    ));
    let many = blame(&place, &["--find", "xyz"]).exits(0);
    assert!(
        many.stdout().ends_with("\n\n… and 20 more\n"),
        "{}",
        many.stdout()
    );
    assert_eq!(many.stdout().matches("system prompt").count(), 20);
}

#[test]
fn programs_get_every_number() {
    let place = ready();
    let ran = blame(&place, &["3", "--format", "json"]).exits(0);
    insta::assert_snapshot!(ran.stdout());
}

/// Every byte of the prompt, queried one by one, equals that of the source that it leads to.
#[test]
fn every_byte_leads_to_its_source() {
    let place = ready();
    let built = place
        .run(&["build", "--no-inputs", "--format", "json"])
        .exits(0);
    let artifact: promptc::prompt::Prompt = serde_json::from_slice(&built.stdout).unwrap();
    let channel = &artifact.channels[0];
    let (mut exact, mut with_column) = (0, 0);
    for (at, c) in channel.text.char_indices() {
        let stretches = promptc::prompt::blame::trace(channel, at..at + c.len_utf8());
        let [stretch] = &stretches[..] else {
            panic!("{stretches:?}");
        };
        use promptc::prompt::blame::Source::{Document, Template};
        let (file, found) = match &stretch.source {
            Document { path, place, .. } => ((*path).to_owned(), place),
            Template { file, place } if *file != "promptc.kdl" => {
                (format!("templates/{file}"), place)
            }
            _ => continue,
        };
        let text = place.read(&file);
        let offset = found.offset.unwrap();
        assert_eq!(text[offset..].chars().next(), Some(c), "byte {at}");
        let (line, column) = promptc::diagnostic::span::line_column(&text, offset);
        assert_eq!(found.line, Some(line), "byte {at}");
        exact += 1;
        if let Some(told) = found.column {
            assert_eq!(told, column, "byte {at}");
            with_column += 1;
        }
    }
    assert!(exact > 300 && with_column > 250, "{exact}, {with_column}");
}

#[test]
fn the_artifact_alone_is_enough() {
    let place = ready();
    let artifact = place
        .run(&["build", "--no-inputs", "--format", "json"])
        .exits(0)
        .stdout;
    let elsewhere = Place::new();
    elsewhere.file("prompt.json", &artifact);
    for question in [
        &["5"][..],
        &["--find", "needle"],
        &["--offset", "40", "--format", "json"],
    ] {
        let here = blame(&place, question).exits(0);
        let there = blame(
            &elsewhere,
            &[question, &["--artifact", "prompt.json"]].concat(),
        )
        .exits(0);
        assert_eq!(here.stdout, there.stdout);
        let mut command = elsewhere.command(&["blame", "--artifact", "-"]);
        command.args(question);
        assert_eq!(run(command, &artifact).exits(0).stdout, here.stdout);
    }
}

#[test]
fn offsets_are_bytes_and_a_byte_in_a_character_is_that_character() {
    let place = ready();
    let text = place.run(&["build"]).exits(0);
    let at = text.stdout().find('Ä').unwrap();
    let [first, second] =
        [at, at + 1].map(|at| blame(&place, &["--offset", &at.to_string()]).exits(0));
    assert_eq!(first.stdout, second.stdout);
    let value = |at: usize| -> Value {
        let ran = blame(&place, &["--offset", &at.to_string(), "--format", "json"]).exits(0);
        serde_json::from_slice(&ran.stdout).unwrap()
    };
    assert_eq!(value(at)["places"][0]["end"], at + 2);
    // Every byte has an owner, also the line ends.
    for at in (0..text.stdout.len()).step_by(37) {
        assert_eq!(
            value(at)["places"][0]["stretches"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
    }
}

#[test]
fn usage_is_checked() {
    let place = ready();
    for args in [
        &[][..],
        &["0"],
        &["1:0"],
        &["x"],
        &["1:2:3"],
        &["--find", ""],
        &["3", "--offset", "4"],
        &["3", "--find", "x"],
        &["--offset", "3", "--find", "x"],
        &["3", "--artifact", "p.json", "--set", "who=Ann"],
        &["3", "--artifact", "p.json", "-m", "promptc.kdl"],
        &["3", "--channel", "other"],
    ] {
        let ran = blame(&place, args).exits(2);
        assert!(ran.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_false_map_is_refused_or_answered_and_never_a_panic() {
    let place = ready();
    let artifact = place
        .run(&["build", "--no-inputs", "--format", "json"])
        .exits(0);
    let artifact: Value = serde_json::from_slice(&artifact.stdout).unwrap();
    let spans = "/channels/0/layers/0/spans";
    let lies: [(&str, Value); 6] = [
        ("/channels/0/layers", Value::Array(Vec::new())),
        (spans, Value::Array(Vec::new())),
        ("/channels/0/layers/0/spans/0/end", 3.into()),
        ("/channels/0/layers/0/spans/0/end", 99_999.into()),
        ("/channels/0/layers/0/spans/0/ingredient", 99.into()),
        ("/channels/0/layers/0/ingredients", Value::Array(Vec::new())),
    ];
    for (pointer, lie) in lies {
        let mut changed = artifact.clone();
        *changed.pointer_mut(pointer).unwrap() = lie;
        place.file("lie.json", changed.to_string());
        for question in [&["1"][..], &["3:4"], &["--find", "e"], &["--offset", "500"]] {
            let ran = blame(&place, &[question, &["--artifact", "lie.json"]].concat());
            assert!([0, 2].contains(&ran.code), "{pointer}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_terminal_gets_no_control_characters_of_the_prompt() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text \"a\\u{1b}[31mb\\tc\" } }\n",
    );
    let ran = Command::new(PROGRAM)
        .args(["blame", "1", "--color", "always"])
        .current_dir(place.path())
        .output()
        .unwrap();
    let shown = String::from_utf8(ran.stdout).unwrap();
    assert!(shown.contains("a\\u{1b}[31mb\\tc"), "{shown}");
    assert!(Path::new(PROGRAM).exists() && !shown.contains("\u{1b}[31mb"));
}
