//! The inputs of a call, and their effect.

use super::{Desk, open};
use crate::run::{PROGRAM, Place, Ran, run};
use promptc::session::store::{Store as _, sqlite};
use std::fs;
use std::process::Command;

const MANIFEST: &str = r#"promptc 1
name calls
root workspace default="."
session {
    refresh fact=model
    refresh event=compaction
    refresh idle="10m"
}
fact model string default=first
fact user string default=nobody
fact token string private=#true default=""
fact turn int changes=turn default=0
tier stable changes=session {
    layer model {
        template "{{ model }} for {{ user }}{% if token %}, signed in{% endif %}"
    }
    layer rules {
        file "rules.md"
    }
}
tier turn changes=turn deliver=user {
    layer turn {
        template "turn {{ turn }}{% if token %}, signed in{% endif %}"
    }
}
"#;

fn desk() -> Desk {
    let desk = Desk::new(MANIFEST);
    desk.place.file("rules.md", "Rules.\n");
    desk
}

fn with_stdin(desk: &Desk, args: &[&str], stdin: &str) -> Ran {
    let args = [&["--facts", "-"], args].concat();
    run(desk.command("s", &args), stdin.as_bytes())
}

#[test]
fn facts_on_standard_input_can_refresh() {
    let desk = desk();
    with_stdin(&desk, &[], r#"{"user": "Ann"}"#).exits(0);
    let ran = with_stdin(&desk, &[], r#"{"model": "second"}"#).exits(0);
    assert_eq!(ran.stdout(), "second for Ann\n\nRules.");
    let args = ["--event", "compaction"];
    let ran = with_stdin(&desk, &args, r#"{"model": "third"}"#).exits(0);
    assert_eq!(ran.stdout(), "third for Ann\n\nRules.");
    let ran = with_stdin(&desk, &[], r#"{"turn": 7}"#).exits(0);
    assert_eq!(ran.stdout(), "third for Ann\n\nRules.");
}

#[test]
fn facts_from_a_pipe_can_refresh() {
    let desk = desk();
    desk.text("s", &[]);
    let mut command = Command::new("bash");
    let line = r#""$0" build -q --session s --facts <(echo '{"model": "second"}')"#;
    command.args(["-c", line, PROGRAM]);
    command.current_dir(desk.place.path());
    let ran = run(command, b"").exits(0);
    assert_eq!(ran.stdout(), "second for nobody\n\nRules.");
}

#[test]
fn inputs_of_a_refresh_are_checked_against_the_current_manifest() {
    let desk = desk();
    desk.text("s", &["--set", "user=Ann"]);
    let newer = MANIFEST
        .replace(
            "fact user string default=nobody",
            "fact user int default=0\nfact mood string default=calm",
        )
        .replace("for {{ user }}", "for {{ user }}, {{ mood }}")
        + "scenario glad {\n    set mood glad\n}\n";
    desk.place.file("promptc.kdl", &newer);
    // The frozen part does not depend on it.
    let (code, told) = desk.codes("s", &["--set", "mood=sad"]);
    assert_eq!((code, told), (0, vec!["not-frozen".to_owned()]));
    assert_eq!(desk.codes("s", &["--scenario", "glad"]).0, 2);
    // A build does, whatever it is made for.
    let later = "2099-01-01T00:00:00Z";
    for (args, text) in [
        (&["--refresh", "--set", "mood=sad"][..], "first for 0, sad"),
        (
            &["--event", "compaction", "--scenario", "glad"],
            "first for 0, glad",
        ),
        (
            &["--set", "user=7", "--set", "mood=odd", "--now", later],
            "first for 7, odd",
        ),
    ] {
        desk.place.file("promptc.kdl", MANIFEST);
        desk.text("s", &["--refresh", "--set", "user=Ann"]);
        desk.place.file("promptc.kdl", &newer);
        let (code, told) = desk.codes("s", args);
        assert_eq!((code, told), (0, vec![]), "{args:?}");
        assert_eq!(desk.text("s", &[]), format!("{text}\n\nRules."), "{args:?}");
    }
}

#[test]
fn a_fact_that_refreshes_may_come_with_one_that_was_not_known() {
    let desk = desk();
    desk.text("s", &[]);
    let newer = MANIFEST.replace("fact turn", "fact mood string default=calm\nfact turn");
    desk.place.file("promptc.kdl", newer);
    let args = ["--set", "model=second", "--set", "mood=sad"];
    assert_eq!(desk.codes("s", &args), (0, vec![]));
}

#[test]
fn an_output_takes_the_place_of_nothing_that_the_session_needs() {
    let desk = desk();
    desk.place.file("facts.json", "{}");
    desk.place.file("live.md", "live");
    let live = MANIFEST.replace(
        "layer turn {",
        "layer live {\n        file \"live.md\"\n    }\n    layer turn {",
    );
    desk.place.file("promptc.kdl", live);
    let kept = desk.text("s", &[]);
    let files = ["promptc.kdl", ".promptc/store.db", "facts.json", "live.md"];
    let before: Vec<Vec<u8>> = files
        .map(|f| fs::read(desk.place.path().join(f)).unwrap())
        .into();
    for file in files {
        let args = ["--facts", "facts.json", "--format", "json", "-o", file];
        let (code, told) = desk.codes("s", &args);
        assert_eq!(
            (code, told),
            (2, vec!["output-is-input".to_owned()]),
            "{file}"
        );
    }
    for file in &files[..2] {
        assert_eq!(desk.codes("s", &["-o", file]).0, 2, "{file}");
        assert_eq!(desk.codes("new", &["-o", file]).0, 2, "{file}");
    }
    let store = open(&desk.store()).session(&super::id("new")).unwrap();
    assert!(store.is_none(), "what is refused is not kept");
    let after: Vec<Vec<u8>> = files
        .map(|f| fs::read(desk.place.path().join(f)).unwrap())
        .into();
    assert_eq!(before[0], after[0]);
    assert_eq!(before[2..], after[2..]);
    desk.text("s", &["-o", "out.txt"]);
    assert_eq!(desk.place.read("out.txt"), kept);
}

#[test]
fn frozen_text_is_counted_with_the_tokenizer_of_the_call() {
    let without = MANIFEST.split("tier turn").next().unwrap();
    for manifest in [MANIFEST, without] {
        let desk = desk();
        desk.place.file("promptc.kdl", manifest);
        desk.text("s", &[]);
        let args = ["--format", "json", "--tokenizer", "o200k"];
        let fresh = ["build", "-q", "--format", "json", "--tokenizer", "o200k"];
        let [kept, fresh] = [desk.run("s", &args), desk.place.run(&fresh)].map(|ran| {
            let json: serde_json::Value = serde_json::from_slice(&ran.exits(0).stdout).unwrap();
            json["channels"].clone()
        });
        assert!(kept[0]["tokens"].as_u64() > Some(3), "{kept}");
        assert_eq!(kept, fresh);
    }
}

#[test]
fn a_session_still_knows_its_manifest_when_it_is_refreshed_from_elsewhere() {
    let desk = desk();
    desk.text("s", &[]);
    let elsewhere = crate::run::Place::new();
    let store = desk.store();
    let args = [
        "build",
        "--session",
        "s",
        "--refresh",
        "--store",
        store.to_str().unwrap(),
    ];
    let ran = elsewhere.run(&args).exits(0);
    assert_eq!(ran.stdout(), "first for nobody\n\nRules.");
    let kept = open(&store).session(&super::id("s")).unwrap().unwrap();
    let terms = promptc::session::SessionMeta::of(&kept.build).unwrap();
    let manifest = fs::canonicalize(desk.place.path().join("promptc.kdl")).unwrap();
    assert_eq!(terms.manifest.as_deref(), manifest.to_str());
}

#[test]
fn a_refresh_by_an_event_or_a_pause_needs_no_facts() {
    let desk = desk();
    desk.text("s", &["--now", "2026-03-30T09:00:00Z"]);
    for (args, reason) in [
        (
            &["--now", "2026-03-30T09:09:59Z"][..],
            ("restored", "first"),
        ),
        (
            &["--now", "2026-03-30T09:19:59Z"],
            ("refreshed", "idle:600"),
        ),
        (
            &["--now", "2026-03-30T09:20:00Z", "--event", "compaction"],
            ("refreshed", "event:compaction"),
        ),
        (
            &["--now", "2026-03-30T09:20:02Z", "--set", "model=m"],
            ("refreshed", "fact:model"),
        ),
        (
            &["--now", "2026-03-30T09:20:03Z", "--set", "model=m"],
            ("restored", "fact:model"),
        ),
        // A call with fewer inputs does not contradict the others.
        (
            &["--now", "2026-03-30T09:20:04Z"],
            ("restored", "fact:model"),
        ),
        (
            &["--now", "2026-03-30T09:20:05Z", "--refresh"],
            ("refreshed", "asked"),
        ),
        // A clock that was set back is no pause.
        (&["--now", "2026-03-30T08:00:00Z"], ("restored", "asked")),
    ] {
        let told = desk.told("s", args);
        assert_eq!((&*told.state, &*told.reason), reason, "{args:?}");
    }
    assert_eq!(
        sqlite::open(&desk.store(), 1).unwrap().verify().unwrap(),
        []
    );
}

/// As with `--store`: it says nothing to a call without a session.
#[test]
fn a_wait_needs_something_to_wait_for() {
    let desk = Desk::new("promptc 1\ntier t { layer l { text \"Hi\" } }\n");
    let ran = desk.place.run(&["build", "--wait", "3"]).exits(2);
    ran.says("error[usage]");
    ran.says("--wait");
    desk.text("s", &["--wait", "3"]);
    for (args, said) in [
        (
            &["build", "--session", "s", "--wait", "x"][..],
            "a whole number of seconds",
        ),
        (&["session", "gc", "--keep", "0"], "1 or more"),
    ] {
        let ran = desk.place.run(args).exits(2);
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn warnings_say_which_session_they_are_about() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact who string default=Ann\nsession { refresh idle=\"1h\" }\ntier t { layer l { template \"{{ who }}\" } }\n",
    );
    place.run(&["build", "--session", "chat-7"]).exits(0);
    let call = ["build", "--session", "chat-7", "--set", "who=Bob"];
    let ran = place.run(&[&call[..], &["--event", "compaction"]].concat());
    let ran = ran.exits(0);
    ran.says("warning[frozen-fact]: session `chat-7`: the session was frozen with another value");
    ran.says("warning[unknown-event]: session `chat-7`: the event `compaction` does not");
}

#[test]
fn a_session_that_freezes_little_is_reported_once() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact n int changes=turn default=1\ntier head { layer h { text \"Hi.\" } }\n\
         tier now changes=turn { layer n { template \"{{ n }}\" } }\ntier rest { layer r { text \"All the rules of the house.\" } }\n",
    );
    let call = ["build", "--session", "s"];
    let ran = place.run(&call).exits(0);
    ran.says("note[little-frozen]: session `s`: 3 of 35 bytes are frozen: the tier `now` has `changes=turn`");
    let ran = place.run(&call).exits(0);
    assert_eq!(ran.stderr, "");
}
