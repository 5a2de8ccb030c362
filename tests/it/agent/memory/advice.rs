//! The advice of an answer works, in the caller's own words; and every call gets an answer.

use super::{Desk, answered};
use crate::run::run;

#[test]
fn an_invalid_call_is_answered() {
    let desk = Desk::with("");
    let large = vec![b' '; (64 << 20) + 1];
    for (call, why) in [(&b"\xff\xfe"[..], "UTF-8"), (&large, "64 MiB")] {
        let answer = answered(run(desk.command(&["apply", "--format", "json"]), call));
        assert_eq!(answer["code"], "invalid-call", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(why), "{message}");
    }
    // Whether there is a call at all is not the model's to say.
    let ran = desk
        .run(&["apply", "none.json", "--format", "json"])
        .exits(2);
    assert_eq!(ran.stdout(), "");
}

#[test]
fn contradictory_call_is_refused() {
    let desk = Desk::with("").holding("a");
    for call in [
        r#"{"action": "add", "action": "remove", "content": "b", "old_text": "a"}"#,
        r#"{"operations": [{"action": "add", "content": "b", "content": "c"}]}"#,
    ] {
        let answer = desk.call(call, &[]);
        assert_eq!(answer["code"], "invalid-call", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("a key twice"), "{message}");
    }
    assert_eq!(desk.text(), "a");
}

/// Of a file that something else has changed no entry can be taken away.
#[test]
fn nothing_is_advised_that_is_refused() {
    let desk = Desk::with("capacity=10").holding("much longer than ten");
    let answer = desk.answer(&["add", "more"]);
    assert_eq!(answer["code"], "over-capacity");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("a person"), "{message}");
    assert!(!message.contains("operations"), "{message}");
    let (none, one) = (Desk::with("capacity=0"), Desk::with("capacity=1"));
    for (desk, said) in [(none, "0 characters"), (one, "1 character:")] {
        let answer = desk.answer(&["add", "more"]);
        assert_eq!(answer["code"], "over-capacity", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(said), "{message}");
        assert!(!message.contains("these entries"), "{message}");
    }
}

#[test]
fn advice_for_a_person_is_a_command_line() {
    for (args, said) in [
        (&["add", ""][..], "the text of the entry is empty"),
        (&["replace", "a", ""], "the text of the entry is empty"),
        (&["remove", ""], "the text that selects an entry is empty"),
        (&["remove", "zz"], "no entry has that text"),
        (&["remove", "a"], "several entries have that text"),
        (&["add", "much too long"], "there is no room"),
    ] {
        let desk = Desk::with("capacity=9").holding("ab\n§\nac");
        let ran = desk.run(args).exits(1);
        let text = ran.stdout();
        assert!(text.contains(said), "{args:?}: {text}");
        for word in ["`content`", "`old_text`", "`operations`"] {
            assert!(!text.contains(word), "{args:?}: {text}");
        }
    }
}

/// The folder of a memory's root must exist: the error names it.
#[test]
fn a_root_that_is_missing_is_named() {
    let desk = Desk::manifest(
        "root home default=\"gone\"\ntier t { layer notes { memory \"N.md\" root=home } }\n",
    );
    let ran = desk.run(&["add", "x"]).exits(2);
    for said in ["`home`", "gone", "root home default"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_memory_has_a_fix() {
    use std::os::unix::fs::symlink;
    let looped = Desk::with("");
    let home = looped.place.path().join("home");
    symlink("b.md", home.join("NOTES.md")).unwrap();
    symlink("NOTES.md", home.join("b.md")).unwrap();
    let large = Desk::with("");
    let file = large.place.file("home/NOTES.md", "");
    let file = std::fs::OpenOptions::new().write(true).open(file).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    for (desk, code) in [(looped, "link-loop"), (large, "document-too-large")] {
        let ran = desk.run(&["add", "x"]).exits(2);
        ran.says(code);
        ran.says("= help: ");
    }
}
