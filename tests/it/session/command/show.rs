//! `session show`.

use super::{STORE, at, build, json, json_of, ready, session};
use serde_json::json;

#[test]
fn a_session_is_shown_completely() {
    let place = ready();
    let words = format!("words=[\"{}\"]", "long ".repeat(40));
    let given = [
        "--set",
        "user=Ann",
        "--set",
        "key=secret-value",
        "--set",
        "hot=now",
        "--set",
    ];
    build(
        &place,
        "s",
        0,
        &[&given[..], &[&words, "--tokenizer", "o200k"]].concat(),
    );
    build(&place, "s", 100, &["--set", "key=secret-value"]);
    let ran = session(&place, &["show", "s"]).exits(0);
    let folder = place.path().canonicalize().unwrap();
    let shown = ran.stdout().replace(folder.to_str().unwrap(), "/here");
    insta::assert_snapshot!("session_show", shown);
    assert_eq!(ran.stderr, "");
    let first = session(&place, &["show", "s@1"]).exits(0);
    first.shows("\nbuild      1, not the newest\n");
}

#[test]
fn programs_get_all_of_it() {
    let place = ready();
    place.file("work/AGENTS.md", "Be brief.\n");
    let given = [
        "--set",
        "user=Ann",
        "--set",
        "key=secret-value",
        "--root",
        "workspace=work",
    ];
    build(&place, "s", 0, &given);
    build(&place, "s", 10, &["--refresh", "--set", "user=Bob"]);
    let report = json(&place, &["show", "s@1"]);
    let folder = place.path().canonicalize().unwrap();
    assert_eq!(report["store"], STORE);
    assert_eq!(report["session"], "s");
    assert_eq!(report["prompt"], "pond");
    assert_eq!(report["build"], 1);
    assert_eq!(report["created"], at(0));
    assert_eq!(report["used"], at(10));
    let text = "Be brief.\n\nYou talk to Ann, who is calm.\n\nThere is a key.";
    let tier = |tier, channel, changes, bytes: Option<usize>| json!({"tier": tier, "channel": channel, "changes": changes, "frozen": bytes.is_some(), "bytes": bytes});
    let tiers = json!([
        tier("tools", "tools", "deploy", Some(2)),
        tier("calm", "system", "session", Some(text.len())),
        tier("now", "system", "turn", None),
        tier("last", "user", "turn", None),
    ]);
    assert_eq!(report["tiers"], tiers);
    assert_eq!(report["texts"][1]["bytes"], text.len());
    let refresh =
        json!({"events": ["compaction"], "idle_seconds": 5400, "facts": {"mood": "calm"}});
    assert_eq!(report["refresh"], refresh);
    let given = json!({
        "folder": folder,
        "manifest": null,
        "scenario": null,
        "tokenizer": null,
        "roots": [{"root": "workspace", "path": folder.join("work")}],
        "facts": {"user": "Ann"},
        "private": ["key"],
    });
    assert_eq!(report["given"], given);
    let bytes = [
        text.len(),
        "Be brief.\n\nYou talk to Bob, who is calm.".len(),
    ];
    let builds = json!([
        {"build": 1, "built": at(0), "reason": "first", "bytes": bytes[0], "tokens": null},
        {"build": 2, "built": at(10), "reason": "asked", "bytes": bytes[1], "tokens": null},
    ]);
    assert_eq!(report["history"], builds);
    assert_eq!(
        json(&place, &["show", "s"])["given"]["facts"],
        json!({"user": "Bob"})
    );
}

/// No way of looking at a session shows a private value, and the store's files do not hold one.
#[test]
fn a_private_value_is_nowhere() {
    let place = ready();
    build(&place, "s", 0, &["--set", "key=secret-value"]);
    for args in [
        &["show", "s"][..],
        &["show", "s", "--format", "json"],
        &["show", "s", "--format", "artifact"],
        &["show", "s", "--format", "text"],
        &["export", "s"],
        &["list", "--format", "json"],
    ] {
        let ran = session(&place, args).exits(0);
        let all = format!("{}{}", ran.stdout(), ran.stderr);
        assert!(!all.contains("secret-value"), "{args:?}: {all}");
    }
    let store = std::fs::read(place.path().join(STORE)).unwrap();
    assert!(!store.windows(12).any(|w| w == b"secret-value"));
}

#[test]
fn the_text_is_what_is_frozen() {
    let place = ready();
    let whole = build(&place, "s", 0, &["--set", "hot=now"]);
    assert_eq!(whole, "Be brief.\n\nnow");
    place.file("AGENTS.md", "Be loud.\n");
    build(&place, "s", 1, &["--refresh"]);
    let text = |args: &[&str]| {
        let ran = session(&place, &[&["show", "--format", "text"], args].concat()).exits(0);
        (ran.stdout().to_owned(), ran.stderr)
    };
    let quiet = |text: &str| (text.to_owned(), String::new());
    assert_eq!(text(&["s@1"]), quiet("Be brief."));
    assert_eq!(text(&["s"]), quiet("Be loud."));
    assert_eq!(text(&["s@2"]), quiet("Be loud."));
    assert_eq!(text(&["s", "--channel", "tools"]), quiet("[]"));
    let (stdout, stderr) = text(&["s", "--channel", "user"]);
    assert_eq!(stdout, "");
    assert!(stderr.starts_with("warning[empty-prompt]: "), "{stderr}");
}

/// The artifact is one for every command that takes some.
#[test]
fn the_artifact_is_one() {
    let place = ready();
    build(&place, "s", 0, &["--set", "hot=now"]);
    let ran = session(&place, &["show", "s", "--format", "artifact"]).exits(0);
    let artifact: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let schema = place.run(&["schema", "prompt"]).exits(0);
    let schema: serde_json::Value = serde_json::from_str(schema.stdout()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    assert!(validator.is_valid(&artifact));
    let mark =
        json!({"session": "s", "state": "restored", "build": 1, "reason": "first", "built": at(0)});
    assert_eq!(artifact["session"], mark);
    place.file("s.json", &ran.stdout);
    let same = place.run(&["diff", "s.json", "session:s@1"]).exits(0);
    assert_eq!(
        same.stdout(),
        "same     both prompts have the same 9 bytes\n"
    );
    let blamed = place.run(&["blame", "--artifact", "s.json", "1"]).exits(0);
    blamed.shows("AGENTS.md:1");
    place
        .run(&["explain", "--artifact", "s.json", "rules"])
        .exits(0);
}

/// An ID may end like the number of a build. The whole name comes first.
#[test]
fn an_id_with_an_at_sign_comes_before_a_build() {
    let place = ready();
    build(&place, "s", 0, &[]);
    place.file("AGENTS.md", "Be loud.\n");
    build(&place, "s", 1, &["--refresh"]);
    let number = |target: &str| {
        let report = json(&place, &["show", target]);
        (
            report["session"].as_str().unwrap().to_owned(),
            report["build"].as_u64().unwrap(),
        )
    };
    assert_eq!(number("s@1"), ("s".to_owned(), 1));
    build(&place, "s@1", 2, &[]);
    build(&place, "s@1", 3, &["--refresh"]);
    assert_eq!(number("s@1"), ("s@1".to_owned(), 2));
    assert_eq!(number("s@1@1"), ("s@1".to_owned(), 1));
    assert_eq!(number("s@2"), ("s".to_owned(), 2));
    build(&place, "@2", 2, &[]);
    assert_eq!(number("@2"), ("@2".to_owned(), 1));
    assert_eq!(number("@2@1"), ("@2".to_owned(), 1));
    for none in ["s@3", "s@0", "s@99999999999999999999999", "s@1@3"] {
        let ran = session(&place, &["show", none]).exits(2);
        assert!(
            ran.stderr.starts_with("error[unknown-build]: "),
            "{}",
            ran.stderr
        );
        ran.says("its builds are 1 and 2\n");
    }
    for none in ["s@", "s@-1", "s@1x", "s@\u{661}", "S", "@"] {
        let ran = session(&place, &["show", none]).exits(2);
        assert!(
            ran.stderr.starts_with("error[unknown-session]: "),
            "{}",
            ran.stderr
        );
    }
}

/// Text that a manifest or a file no longer has is reported from the stored session.
#[test]
fn nothing_but_the_store_is_read() {
    let place = ready();
    build(&place, "s", 0, &["--set", "user=Ann"]);
    let before = json(&place, &["show", "s"]);
    place.file("promptc.kdl", "promptc 1\ntier broken {");
    std::fs::remove_file(place.path().join("AGENTS.md")).unwrap();
    assert_eq!(json(&place, &["show", "s"]), before);
    std::fs::remove_file(place.path().join("promptc.kdl")).unwrap();
    assert_eq!(json_of(&place, &["show", "s"], 0), before);
}
