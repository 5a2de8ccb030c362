//! Which memory is meant, and what a manifest must say for it.

use super::Desk;
use crate::run::run;
use serde_json::json;

const TWO: &str = "root home default=\"home\"\n\
     tier t { layer notes { memory \"NOTES.md\" root=home; }; layer user { memory \"USER.md\" root=home capacity=10 } }\n";

#[test]
fn a_memory_is_named_by_its_layer() {
    let desk = Desk::manifest(TWO);
    assert_eq!(
        desk.answer(&["add", "a", "--layer", "user"])["target"],
        "user"
    );
    assert_eq!(desk.place.read("home/USER.md"), "a");
    let call = r#"{"action":"add","content":"b","target":"notes"}"#;
    assert_eq!(desk.call(call, &[])["target"], "notes");
    // A name in the call takes precedence over --target, which is for calls that name none.
    assert_eq!(desk.call(call, &["--layer", "user"])["code"], "duplicate");
    let call = r#"{"action":"add","content":"c","target":null}"#;
    assert_eq!(desk.call(call, &["--layer", "user"])["target"], "user");
    let answer = desk.call(call, &[]);
    assert_eq!(
        (&answer["code"], &answer["target"]),
        (&json!("missing-target"), &json!(null))
    );
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("notes, user"), "{message}");
    let call = r#"{"action":"add","content":"c","target":"nots"}"#;
    assert_eq!(
        desk.call(call, &["--layer", "user"])["code"],
        "unknown-target"
    );
    assert_eq!(
        desk.call("{\"target\":\"nots\"}", &[])["code"],
        "unknown-target"
    );
}

#[test]
fn an_error_lists_the_memories() {
    let desk = Desk::manifest(TWO);
    for (args, said) in [
        (
            &["add", "a"][..],
            "--target takes one of `notes` and `user`",
        ),
        (
            &["remove", "a", "--layer", "nots"],
            "there is a memory `notes`",
        ),
        (&["apply", "--layer", "nots"], "there is a memory `notes`"),
        (
            &["list", "--layer", "elsewhere"],
            "the memories are `notes` and `user`",
        ),
    ] {
        let ran = desk.run(args).exits(2);
        assert!(
            ran.stderr.contains("error[unknown-memory]") && ran.stderr.contains(said),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.stdout(), "");
    }
    let ran = desk.run(&["list"]).exits(0);
    assert_eq!(
        ran.stdout(),
        "notes  NOTES.md  0 entries, 0 characters\nuser  USER.md  0 entries, 0 of 10 characters (0 %)\n"
    );
    let list = desk
        .run(&["list", "--layer", "user", "--format", "json"])
        .exits(0);
    let list: serde_json::Value = serde_json::from_str(list.stdout()).unwrap();
    assert_eq!(list["memories"].as_array().unwrap().len(), 1);
}

/// A memory needs no prompt: a fact that only others read may be missing.
#[test]
fn only_the_facts_of_the_memory_are_needed() {
    let desk = Desk::manifest(
        "root home default=\"home\"\nfact model string\nfact who string\nfact size int env=SIZE default=10\n\
         let loud \"model | upper\"\nlet half \"size // 2\"\n\
         tier t { layer notes when=\"loud == 'X'\" { memory \"{who}.md\" root=home capacity=(fact)half } }\n",
    );
    let answer = desk.answer(&["add", "a", "--set", "who=ada"]);
    assert_eq!(answer["usage"]["capacity"], 5);
    assert_eq!(desk.place.read("home/ada.md"), "a");
    desk.place.file("facts.json", r#"{"who":"bob","size":4}"#);
    let answer = desk.answer(&["add", "a", "--facts", "facts.json"]);
    assert_eq!(answer["usage"]["capacity"], 2);
    // --hermetic forbids the environment of what is needed.
    let ran = desk
        .run(&["add", "a", "--set", "who=ada", "--hermetic"])
        .exits(2);
    assert!(
        ran.stderr.contains("not-hermetic") && ran.stderr.contains("`size`"),
        "{}",
        ran.stderr
    );
    let ran = desk.run(&["add", "a"]).exits(2);
    ran.says("the fact `who` has no value");
    assert!(!ran.stderr.contains("`model`"), "{}", ran.stderr);
    let ran = desk.run(&["add", "a", "--set", "who=../ada"]).exits(2);
    ran.says("memory-not-writable");
    let ran = desk
        .run(&["add", "a", "--set", "who=ada", "--set", "size=-4"])
        .exits(2);
    ran.says("out-of-range");
    let ran = desk
        .run(&["add", "a", "--set", "who=ada", "--set", "sice=4"])
        .exits(2);
    ran.says("there is a fact `size`");
}

#[test]
fn roots_and_scenarios_decide_its_location() {
    let desk = Desk::manifest(
        "root home env=HOME_OF_NOTES\ntier t { layer notes { memory \"NOTES.md\" root=home } }\n\
         scenario s { root home \"for-s\" }\n",
    );
    desk.place.file("for-s/.keep", "");
    desk.place.file("other/.keep", "");
    desk.answer(&["add", "a", "--scenario", "s"]);
    desk.answer(&["add", "b", "--root", "home=other"]);
    let mut command = desk.command(&["add", "c"]);
    command.env("HOME_OF_NOTES", "home");
    run(command, b"").exits(0);
    for (path, text) in [("for-s", "a"), ("other", "b"), ("home", "c")] {
        assert_eq!(desk.place.read(&format!("{path}/NOTES.md")), text);
    }
    let ran = desk.run(&["add", "d"]).exits(2);
    ran.says("missing-root");
    let ran = desk.run(&["add", "d", "--root", "home=nowhere"]).exits(2);
    assert!(
        ran.stderr
            .contains("the folder `nowhere` of the root `home`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_text_comes_from_standard_input_once() {
    let desk = Desk::with("");
    let ran = run(desk.command(&["add", "-"]), b"\xef\xbb\xbffrom a pipe\n");
    assert_eq!(
        ran.exits(0).stdout(),
        "added to `notes`: 1 entry, 11 characters\n"
    );
    let ran = run(desk.command(&["replace", "pipe", "-"]), b"from another");
    ran.exits(0);
    assert_eq!(desk.text(), "from another");
    let ran = run(desk.command(&["apply", "--facts", "-"]), b"{}").exits(2);
    ran.says("standard input is wanted for --facts");
    let ran = run(desk.command(&["add", "-"]), b"\xff").exits(2);
    ran.says("invalid-utf8");
    desk.place
        .file("call.json", r#"{"action":"remove","old_text":"another"}"#);
    desk.run(&["apply", "call.json"]).exits(0);
    desk.run(&["apply", "none.json"]).exits(2);
}

#[test]
fn a_memory_that_no_prompt_can_read_is_not_written() {
    let desk = Desk::with("invalid=missing").holding(b"a\xff");
    for args in [&["add", "b"][..], &["remove", "a"], &["list"]] {
        let ran = desk.run(args).exits(2);
        ran.says("invalid-utf8");
    }
    let desk = Desk::with("").holding("x\n§\n".repeat(10_001));
    assert!(
        desk.run(&["add", "b"])
            .exits(2)
            .stderr
            .contains("more than 10,000 entries")
    );
    let entries: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
    let desk = Desk::with("").holding(entries.join("\n§\n"));
    assert_eq!(desk.answer(&["add", "b"])["code"], "too-large");
    assert_eq!(
        desk.answer(&["replace", "9999", "b\n§\nc"])["code"],
        "too-large"
    );
    assert_eq!(desk.answer(&["replace", "9999", "b"])["count"], 10_000);
}
