//! The effects of calls on a memory.

use super::{Desk, keys};
use crate::run::run;
use serde_json::json;

#[test]
fn a_missing_memory_is_empty_and_comes_with_its_folders() {
    let desk = Desk::manifest(
        "root home default=\"home\"\ntier t { layer notes { memory \"a/b/NOTES.md\" root=home capacity=200 } }\n",
    );
    let answer = desk.answer(&["add", "The user is called Ada."]);
    assert_eq!(answer["code"], "added");
    assert_eq!(answer["target"], "notes");
    assert_eq!(
        answer["usage"],
        json!({"percent": 11, "chars": 23, "capacity": 200})
    );
    assert_eq!(
        (&answer["count"], &answer["failed"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(
        desk.place.read("home/a/b/NOTES.md"),
        "The user is called Ada."
    );
}

#[test]
fn a_change_without_effect_leaves_no_trace() {
    let desk = Desk::with("capacity=20");
    assert_eq!(desk.answer(&["remove", "x"])["code"], "no-match");
    assert_eq!(
        desk.answer(&["add", "longer than it may be"])["code"],
        "over-capacity"
    );
    assert_eq!(desk.answer(&["add", " \n"])["code"], "missing-content");
    assert_eq!(desk.names(), [""; 0]);
    assert_eq!(desk.answer(&["add", "fits"])["code"], "added");
    assert_eq!(desk.names(), ["NOTES.md", "NOTES.md.lock"]);
}

#[test]
fn an_entry_is_stored_once_and_without_its_margin() {
    let desk = Desk::with("");
    assert_eq!(desk.answer(&["add", "\u{1f} Ada\n"])["code"], "added");
    let answer = desk.answer(&["add", "Ada"]);
    assert_eq!(
        (&answer["code"], &answer["success"]),
        (&json!("duplicate"), &json!(true))
    );
    assert_eq!(answer["count"], 1);
    assert_eq!(
        answer["usage"],
        json!({"percent": null, "chars": 3, "capacity": null})
    );
    assert_eq!(desk.text(), "Ada");
    // With `trim #false` the margin is part of it.
    let desk = Desk::with("{ trim #false }");
    desk.answer(&["add", " Ada\n"]);
    desk.answer(&["add", "Bob"]);
    assert_eq!(desk.text(), " Ada\n\n§\nBob");
}

#[test]
fn an_entry_is_selected_by_a_part_of_it() {
    let desk = Desk::with("").holding("crane at pier 2\n§\ncrane at pier 3\n§\ntides");
    assert_eq!(
        desk.answer(&["replace", " pier 3 ", "crane at pier 4"])["code"],
        "replaced"
    );
    assert_eq!(desk.text(), "crane at pier 2\n§\ncrane at pier 4\n§\ntides");
    assert_eq!(desk.answer(&["remove", "tides"])["code"], "removed");
    let answer = desk.answer(&["remove", "crane"]);
    assert_eq!(answer["code"], "ambiguous");
    assert_eq!(
        answer["matches"],
        json!(["crane at pier 2", "crane at pier 4"])
    );
    assert_eq!(answer.get("entries"), None);
    assert_eq!(desk.text(), "crane at pier 2\n§\ncrane at pier 4");
    // The last one leaves an empty file.
    desk.answer(&["remove", "pier 2"]);
    let answer = desk.answer(&["remove", "pier"]);
    assert_eq!((&answer["count"], desk.text().as_str()), (&json!(0), ""));
}

#[test]
fn previews_are_short_and_whole_characters() {
    let long = "é".repeat(81);
    let desk = Desk::with("").holding(format!("{long}\n§\n{}", "é".repeat(80)));
    let answer = desk.answer(&["remove", "é"]);
    let short = "é".repeat(80);
    assert_eq!(answer["matches"], json!([format!("{short}..."), short]));
}

/// A replacement that another entry says already would be read once, so it is written once.
#[test]
fn a_replacement_makes_no_duplicate() {
    let desk = Desk::with("").holding("a1\n§\nb2\n§\nc3");
    let answer = desk.answer(&["replace", "c3", "a1"]);
    assert_eq!(
        (&answer["code"], &answer["count"]),
        (&json!("replaced"), &json!(2))
    );
    assert_eq!(desk.text(), "a1\n§\nb2");
}

#[test]
fn a_delimiter_in_a_text_separates_two_entries() {
    let desk = Desk::with("").holding("a");
    let answer = desk.answer(&["add", "b\n§\n\n§\na\n§\nc"]);
    assert_eq!(
        (&answer["code"], &answer["count"]),
        (&json!("added"), &json!(3))
    );
    assert!(
        answer["message"].as_str().unwrap().contains("2 entries"),
        "{answer}"
    );
    assert_eq!(desk.text(), "a\n§\nb\n§\nc");
    desk.answer(&["replace", "b", "d\n§\ne"]);
    assert_eq!(desk.text(), "a\n§\nd\n§\ne\n§\nc");
    assert_eq!(desk.answer(&["add", "e\n§\nd"])["code"], "duplicate");
    // Where lines are entries, a text of two lines is two.
    let desk = Desk::with("delimiter=\"\\n\"");
    assert_eq!(desk.answer(&["add", "x\r\n y"])["count"], 2);
    assert_eq!(desk.text(), "x\ny");
}

#[test]
fn a_list_of_operations_happens_or_does_not() {
    let desk = Desk::with("capacity=12").holding("aaaa\n§\nbbbb");
    let done = r#"{"operations":[{"action":"add","content":"cccccccc"},{"action":"remove","old_text":"a"},
        {"action":"replace","old_text":"b","content":"d"},{"action":"add","content":"d"}]}"#;
    let answer = desk.call(done, &[]);
    assert_eq!(
        (&answer["code"], &answer["count"]),
        (&json!("applied"), &json!(2))
    );
    assert_eq!(desk.text(), "d\n§\ncccccccc");
    for (call, code, operation) in [
        (
            r#"[{"action":"remove","old_text":"d"},{"action":"remove","old_text":"d"}]"#,
            "no-match",
            Some(2),
        ),
        (r#"[{"action":"add","content":"e"}]"#, "over-capacity", None),
        (
            r#"[{"action":"remove","old_text":"c"},{"action":"zap"}]"#,
            "unknown-action",
            Some(2),
        ),
        (
            r#"[{"action":"remove","old_text":"c"},null]"#,
            "unknown-action",
            Some(2),
        ),
        (
            r#"[{"action":"remove","old_text":"c"},{"action":"add"}]"#,
            "missing-content",
            Some(2),
        ),
        (
            r#"[{"action":"replace","old_text":"c"}]"#,
            "missing-content",
            Some(1),
        ),
        (r#"[{"action":"remove"}]"#, "missing-old-text", Some(1)),
    ] {
        let answer = desk.call(&format!("{{\"operations\":{call}}}"), &[]);
        assert_eq!(answer["code"], code, "{answer}");
        assert_eq!(answer.get("operation").and_then(|n| n.as_u64()), operation);
        assert_eq!(answer["failed"], 1, "{answer}");
        assert_eq!(desk.text(), "d\n§\ncccccccc");
    }
    // Entries that only an operation before made can be ambiguous, too.
    let made = r#"{"operations":[{"action":"remove","old_text":"c"},{"action":"add","content":"x1"},
        {"action":"add","content":"x2"},{"action":"remove","old_text":"x"}]}"#;
    let answer = desk.call(made, &[]);
    assert_eq!(
        (&answer["code"], &answer["matches"]),
        (&json!("ambiguous"), &json!(["x1", "x2"]))
    );
}

#[test]
fn calls_are_accepted_as_models_write_them() {
    let desk = Desk::with("").holding("a");
    // Nulls and keys of their own; a list that is empty is none.
    let call = r#"{"action":"add","content":"b","old_text":null,"target":null,"operations":[],"reason":"asked"}"#;
    assert_eq!(desk.call(call, &[])["code"], "added");
    let call =
        r#"{"action":"add","content":"no","operations":[{"action":"remove","old_text":"b"}]}"#;
    assert_eq!(desk.call(call, &[])["code"], "applied");
    assert_eq!(desk.text(), "a");
    for call in [
        "",
        "[]",
        "{",
        "null",
        "{\"action\":5}",
        "{\"action\":\"add\",\"content\":[\"a\"]}",
        "{\"operations\":\"add\"}",
        "{\"operations\":[1]}",
        "{\"target\":{}}",
    ] {
        let answer = desk.call(call, &["--failed", "2"]);
        assert_eq!(
            (&answer["code"], &answer["failed"]),
            (&json!("invalid-call"), &json!(2)),
            "{call}"
        );
    }
    let many = vec!["{}"; 1001].join(",");
    assert_eq!(
        desk.call(&format!("{{\"operations\":[{many}]}}"), &[])["code"],
        "invalid-call"
    );
    for call in [
        "{}",
        "{\"action\":\"list\"}",
        "{\"action\":\"Add\",\"content\":\"x\"}",
    ] {
        assert_eq!(desk.call(call, &[])["code"], "unknown-action", "{call}");
    }
}

#[test]
fn a_file_of_other_systems_is_read_as_a_prompt_reads_it() {
    let desk = Desk::with("").holding("\u{feff}a\r\nb\r\n§\r\nc\r\n");
    assert_eq!(desk.answer(&["remove", "c"])["code"], "removed");
    assert_eq!(desk.text(), "a\nb");
    // A call says line ends in either way.
    let desk = desk.holding("a\nb\n§\nc");
    assert_eq!(desk.answer(&["remove", "a\r\nb"])["code"], "removed");
    assert_eq!(desk.text(), "c");
}

#[test]
fn the_order_of_keys_is_fixed() {
    let desk = Desk::with("capacity=9");
    let first = [
        "schema", "success", "code", "message", "target", "usage", "count", "failed",
    ];
    let ran = desk.run(&["add", "a", "--format", "json"]);
    assert_eq!(keys(&ran), first);
    let call =
        br#"{"operations":[{"action":"add","content":"b"},{"action":"remove","old_text":"c"}]}"#;
    let ran = run(desk.command(&["apply", "--format", "json"]), call);
    assert_eq!(keys(&ran), [&first[..], &["operation", "entries"]].concat());
}

#[test]
fn answers_for_people() {
    let desk = Desk::with("capacity=100").holding("one\ntwo \u{1b}[31m\n§\nthree");
    let mut shown = String::new();
    for args in [
        &["add", "four"][..],
        &["add", "four"],
        &["replace", "four", "five"],
        &["remove", "e"],
        &["remove", "none"],
        &["remove", "five"],
        &["list"],
    ] {
        let ran = desk.run(args);
        shown.push_str(&format!(
            "$ promptc agent memory {}\n{}",
            args.join(" "),
            ran.stdout()
        ));
        assert_eq!(ran.stderr, "");
    }
    insta::assert_snapshot!("memory_human", shown);
}
