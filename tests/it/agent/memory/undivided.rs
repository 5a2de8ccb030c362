//! Files that another writer did not divide: no call takes lines away that it does not name.

use super::Desk;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Facts, one a line, as a person notes them.
fn facts(count: usize) -> String {
    (1..=count)
        .map(|n| format!("- Fact {n}: crane {n} is checked on day {n}.\n"))
        .collect()
}

/// Fails unless a call is refused as drifted, with a copy and without a change.
fn refused(desk: &Desk, text: &str, answer: &Value) {
    assert_eq!(answer["code"], "drifted", "{answer}");
    assert_eq!(desk.text(), text);
    let copy = answer["backup"].as_str().unwrap();
    assert_eq!(desk.place.read(&format!("home/{copy}")), text);
    assert_eq!(
        desk.names(),
        ["NOTES.md", copy],
        "the same text is copied once"
    );
}

#[test]
fn a_part_of_an_undivided_file_takes_nothing_else_away() {
    let crlf = facts(3).replace('\n', "\r\n");
    let paragraphs = facts(4).replace('\n', "\n\n");
    for (source, text) in [
        ("capacity=2200", facts(28)),
        ("", facts(2)),
        ("", facts(2).trim_end().to_owned()),
        ("", crlf),
        ("", paragraphs),
        ("", format!("# Notes\n\n{}", facts(1))),
        ("delimiter=\"--\"", facts(3)),
        ("{ trim #false }", facts(3)),
        // A sign that is not the delimiter divides nothing.
        ("", facts(3).replace("\n- ", "\n---\n- ")),
    ] {
        let desk = Desk::with(source).holding(&text);
        refused(
            &desk,
            &text,
            &desk.answer(&["replace", "crane 1 is", "Fact 1: it is broken."]),
        );
        refused(&desk, &text, &desk.answer(&["remove", "crane 1 is"]));
        // Each line has it, and the first is meant.
        refused(&desk, &text, &desk.answer(&["remove", "is checked"]));
        let add = json!({"action": "add", "content": "more"});
        for operations in [
            json!([{"action": "remove", "old_text": "crane 1 is"}]),
            json!([add, {"action": "replace", "old_text": "crane 1 is", "content": "less"}]),
        ] {
            let count = operations.as_array().unwrap().len();
            let answer = desk.call(
                &json!({ "operations": operations }).to_string(),
                &["--failed", "1"],
            );
            refused(&desk, &text, &answer);
            assert_eq!(
                (&answer["operation"], &answer["failed"]),
                (&json!(count), &json!(1))
            );
        }
    }
}

#[test]
fn the_refusal_names_the_file_the_loss_and_the_fix() {
    let desk = Desk::with("capacity=2200").holding(facts(28));
    let ran = desk
        .run(&["replace", "crane 7 is", "Fact 7: broken."])
        .exits(1);
    for said in [
        "`NOTES.md` has no delimiter",
        "27 lines would be lost",
        "write `§` on a line of its own",
        "-- \"$(cat NOTES.md)\"",
        "a copy of the file is next to it: NOTES.md.bak.",
    ] {
        ran.shows(said);
    }
    let answer = desk.answer(&["remove", "crane 7 is"]);
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.contains("27 lines") && message.contains("whole text"),
        "{message}"
    );
    assert_eq!(answer["entries"], json!([facts(28).trim_end()]));
    let desk = Desk::with("delimiter=\"--\"").holding(facts(2));
    desk.run(&["remove", "crane 1 is"])
        .exits(1)
        .shows("write \"--\" between them");
}

/// A tool writes entries of several lines too, and the file of one entry has no delimiter: who names them all means them.
#[test]
fn an_entry_of_several_lines_is_changed_by_naming_them_or_writing_them_again() {
    let entry = "Deploys are on Tuesdays.\n  Ask Ann first.";
    let desk = Desk::with("");
    assert_eq!(desk.answer(&["add", entry])["code"], "added");
    assert_eq!(
        desk.answer(&["replace", "Tuesdays", "Deploys are daily."])["code"],
        "drifted"
    );
    // A part that reaches into each of its lines.
    let answer = desk.answer(&[
        "replace",
        "Tuesdays.\n  Ask",
        "Deploys are daily.\nAsk Ann first.",
    ]);
    assert_eq!(answer["code"], "replaced");
    // The other line is written again.
    let answer = desk.answer(&["replace", "daily", "Ask Ann first.\nDeploys are weekly."]);
    assert_eq!(answer["code"], "replaced");
    // A person divides it so.
    let answer = desk.answer(&[
        "replace",
        "weekly",
        "Ask Ann first.\n§\nDeploys are monthly.",
    ]);
    assert_eq!(
        (&answer["code"], &answer["count"]),
        (&json!("replaced"), &json!(2))
    );
    assert_eq!(desk.answer(&["remove", "Ann"])["code"], "removed");
    assert_eq!(desk.text(), "Deploys are monthly.");
    let whole = facts(28);
    let desk = Desk::with("").holding(&whole);
    assert_eq!(
        desk.answer(&["remove", "--", whole.trim_end()])["code"],
        "removed"
    );
    assert_eq!(desk.text(), "");
    // Nothing was lost that needs a copy.
    assert_eq!(desk.names(), ["NOTES.md", "NOTES.md.lock"]);
}

/// Once something is added there is a delimiter, and the lines before it are an entry: a large one goes with a copy.
#[test]
fn a_large_entry_of_a_divided_file_goes_with_a_copy() {
    let desk = Desk::with("").holding(facts(28));
    assert_eq!(desk.answer(&["add", "Tea."])["code"], "added");
    let before = desk.text();
    let answer = desk.answer(&["replace", "crane 7 is", "Fact 7: broken."]);
    assert_eq!(
        (&answer["code"], &answer["unnamed"]),
        (&json!("replaced"), &json!(27))
    );
    let copy = answer["backup"].as_str().unwrap();
    assert_eq!(desk.place.read(&format!("home/{copy}")), before);
    assert!(
        answer["message"].as_str().unwrap().contains("27 lines"),
        "{answer}"
    );
    let desk = Desk::with("").holding(format!("{}§\nTea.", facts(28)));
    let ran = desk.run(&["remove", "crane 7 is"]).exits(0);
    ran.shows("27 lines went with it");
    ran.shows("NOTES.md.bak.");
}

/// What a model takes away of a divided file, and whether a copy is made.
fn taken_by_a_model(entry: &str, old_text: &str, copied: bool) {
    let desk = Desk::with("").holding(format!("{entry}\n§\nTea."));
    let call = json!({"action": "remove", "old_text": old_text});
    let answer = desk.call(&call.to_string(), &[]);
    assert_eq!(answer["code"], "removed", "{answer}");
    assert_eq!(answer["backup"].is_string(), copied, "{answer}");
    assert_eq!(desk.text(), "Tea.");
}

#[test]
fn few_lines_of_a_divided_file_go_with_a_copy() {
    // Five lines that a person wrote become one entry by the first `add`.
    for plain in [false, true] {
        let text = if plain {
            facts(5).replace("- ", "")
        } else {
            facts(5)
        };
        let desk = Desk::with("").holding(&text);
        assert_eq!(desk.answer(&["add", "New note."])["code"], "added");
        let before = desk.text();
        let ran = desk.run(&["replace", "crane 2 is", "Eve owns pier 2."]);
        ran.exits(0).shows("warning: 4 lines went with it");
        let copy = desk.names().into_iter().find(|name| name.contains(".bak."));
        assert_eq!(desk.place.read(&format!("home/{}", copy.unwrap())), before);
    }
    // From one line on; an entry that is named whole needs none.
    let desk = Desk::with("").holding("Ann\nBen\n§\nTea.");
    assert_eq!(desk.answer(&["remove", "Ann"])["unnamed"], json!(1));
    let desk = Desk::with("").holding("Ann\nBen\n§\nTea.");
    let answer = desk.answer(&["remove", "Ann\nBen"]);
    assert!(answer["backup"].is_null(), "{answer}");
    // An entry of a few lines is what a model writes; a list is rather several notes.
    taken_by_a_model(
        "Deploys are daily.\n  Ask Ann.\n\nOr Ben.",
        "Deploys",
        false,
    );
    taken_by_a_model(facts(2).trim_end(), "crane 1 is", true);
    taken_by_a_model("Owners:\n* Ann\n* Ben", "Owners", true);
    taken_by_a_model(facts(7).replace("- ", "").trim_end(), "crane 1 is", true);
}

#[test]
fn one_line_is_one_entry() {
    for text in [
        "crane 1 is checked",
        "crane 1 is checked\n",
        "\n\ncrane 1 is checked\n\n",
    ] {
        let desk = Desk::with("").holding(text);
        assert_eq!(desk.answer(&["replace", "crane", "x"])["code"], "replaced");
        assert_eq!(desk.text(), "x");
    }
}

#[test]
fn ten_megabytes_are_refused_and_not_shown() {
    let text = facts(230_000);
    assert!(text.len() > 10_000_000);
    let desk = Desk::with("").holding(&text);
    let started = Instant::now();
    let answer = desk.answer(&["remove", "crane 777 is"]);
    // Far more than it takes, and far less than a model waits.
    assert!(started.elapsed() < Duration::from_secs(60));
    refused(&desk, &text, &answer);
    assert!(answer.to_string().len() < 2_000);
}
