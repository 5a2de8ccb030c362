//! `session list`.

use super::{MANIFEST, STORE, at, build, json, ready, session, spoil};
use crate::run::Place;
use promptc::session::store::{NewBuild, SessionId, Store as _, sqlite};
use std::collections::BTreeMap;
use std::process::Stdio;

/// Keeps the session `a-b` under another name too, as an earlier build of the program did it.
fn kept_before(place: &Place, name: &str) {
    let mut store = sqlite::open(&place.path().join(STORE), 30).unwrap();
    let known = SessionId::parse("a-b").unwrap();
    let build = store.session(&known).unwrap().unwrap().build;
    let mut texts = BTreeMap::new();
    for (deliver, key) in &build.texts {
        texts.insert(*deliver, store.content(key).unwrap());
    }
    let new = NewBuild {
        at: build.at,
        reason: build.reason.clone(),
        terms: build.terms.clone(),
        texts,
        map: store.content(&build.map).unwrap(),
        plan: store.content(&build.plan).unwrap(),
        inputs: store.content(&build.inputs).unwrap(),
        files: Vec::new(),
        record: Vec::new(),
        imported: false,
    };
    let id = SessionId::known(name).unwrap();
    store.freeze(&id, None, &new).unwrap();
}

/// Invisible characters, and those that change the direction of a line, are not allowed in a name; a store with such a
/// name is shown with it escaped.
#[test]
fn names_hold_nothing_that_a_terminal_acts_on() {
    let place = ready();
    for c in [
        '\u{202e}', '\u{200d}', '\u{ad}', '\u{2028}', '\u{2029}', '\u{feff}',
    ] {
        let id = format!("a{c}b");
        let ran = place.run(&["build", "--session", &id]).exits(2);
        ran.says("it has a");
        assert!(!ran.stderr.contains(c), "{}", ran.stderr);
        assert!(!place.path().join(STORE).exists());
    }
    build(&place, "a-b", 0, &[]);
    let old = "a\u{202e}b";
    kept_before(&place, old);
    let ran = session(&place, &["list", "--now", &at(1)]).exits(0);
    ran.shows("a\\u{202e}b  ");
    for args in [&["show", old][..], &["verify"], &["list"], &["rm", old]] {
        let ran = session(&place, args).exits(0);
        assert!(!ran.stdout().contains('\u{202e}'), "{}", ran.stdout());
        assert!(!ran.stderr.contains('\u{202e}'), "{}", ran.stderr);
    }
    let ran = session(&place, &["show", old]).exits(2);
    assert!(!ran.stderr.contains('\u{202e}'), "{}", ran.stderr);
}

#[test]
fn sessions_are_sorted_by_id() {
    let place = ready();
    let ids = ["é", "b", "a b@3", "B", "a", "👋", "a@3"];
    for (minutes, id) in (0..).zip(ids) {
        build(&place, id, minutes, &[]);
    }
    build(
        &place,
        "b",
        125,
        &["--event", "compaction", "--set", "hot=x"],
    );
    let ran = session(&place, &["list", "--now", &at(126)]).exits(0);
    let shown = "\
session  build  reason            created  used  bytes  of
B            1  first                  2h    2h      9  pond
a            1  first                  2h    2h      9  pond
a b@3        1  first                  2h    2h      9  pond
a@3          1  first                  2h    2h      9  pond
b            2  event:compaction       2h    1m      9  pond
é            1  first                  2h    2h      9  pond
👋           1  first                  2h    2h      9  pond
";
    assert_eq!(ran.stdout(), shown);
    assert_eq!(ran.stderr, "");
    let report = json(&place, &["list"]);
    let listed = report["sessions"].as_array().unwrap();
    let listed: Vec<&str> = listed
        .iter()
        .map(|s| s["session"].as_str().unwrap())
        .collect();
    assert_eq!(listed, ["B", "a", "a b@3", "a@3", "b", "é", "👋"]);
}

#[test]
fn programs_get_times_and_sizes() {
    let place = ready();
    build(&place, "s", 0, &["--set", "user=Ann", "--set", "hot=x"]);
    build(&place, "s", 30, &["--set", "mood=glad"]);
    build(&place, "s", 45, &[]);
    let report = json(&place, &["list"]);
    let manifest = place.path().canonicalize().unwrap().join("promptc.kdl");
    let wanted = serde_json::json!({
        "schema": 2,
        "store": STORE,
        "exists": true,
        "sessions": [{
            "session": "s",
            "build": 2,
            "reason": "fact:mood",
            "created": at(0),
            "built": at(30),
            "used": at(45),
            "bytes": "Be brief.\n\nYou talk to Ann, who is glad.".len(),
            "prompt": "pond",
            "manifest": manifest,
            "imported": false,
            "identity": [],
        }],
        "directory_rules": [],
    });
    assert_eq!(report, wanted);
}

#[test]
fn the_unused_and_the_used_are_all() {
    let place = ready();
    for (id, minutes) in [("old", 0), ("edge", 30), ("new", 31)] {
        build(&place, id, minutes, &[]);
    }
    let ids = |args: &[&str]| {
        let now = at(60);
        let report = json(&place, &[&["list", "--now", &now], args].concat());
        let sessions = report["sessions"].as_array().unwrap().iter();
        let ids = sessions.map(|s| s["session"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--unused", "30m"]), ["old"]);
    assert_eq!(ids(&["--used", "30m"]), ["edge", "new"]);
    assert_eq!(ids(&["--unused", "29m", "--used", "45m"]), ["edge"]);
    assert_eq!(ids(&["--unused", "2h"]), Vec::<String>::new());
    let ran = session(&place, &["list", "--unused", "2h", "--now", &at(60)]).exits(0);
    assert_eq!((ran.stdout(), &*ran.stderr), ("", "none of 3 sessions\n"));
    for wrong in ["", "5", "2w", "0s", "366d", "-5m"] {
        let ran = session(&place, &["list", "--unused", wrong]).exits(2);
        assert!(ran.stderr.starts_with("error[usage]: "), "{}", ran.stderr);
    }
    let ran = session(&place, &["list", "--now", "today"]).exits(2);
    assert!(
        ran.stderr.starts_with("error[invalid-time]: "),
        "{}",
        ran.stderr
    );
}

/// All listed data are in the head of a session: thousands are listed without their texts.
#[test]
fn no_text_is_read() {
    let place = ready();
    build(&place, "s", 0, &[]);
    let args = ["list", "--now", &at(1)];
    let before = session(&place, &args).exits(0);
    spoil(&place, STORE, "Be brief.", "Be grief.");
    let after = session(&place, &args).exits(0);
    assert_eq!(before.stdout(), after.stdout());
    let ran = session(&place, &["show", "s", "--format", "text"]).exits(3);
    assert!(
        ran.stderr.starts_with("error[store-damaged]: "),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_store_is_found_from_a_folder_below_and_by_its_name() {
    let place = ready();
    build(&place, "s", 0, &[]);
    place.file("below/deep/x.md", "");
    place.file("other/promptc.kdl", MANIFEST);
    place.file("other/AGENTS.md", "Be loud.\n");
    let ids = |args: &[&str], folder: &str, env: Option<&str>| {
        let mut command = place.command(&[&["session", "list", "--format", "json"], args].concat());
        command.current_dir(place.path().join(folder));
        command.envs(env.map(|store| ("PROMPTC_STORE", store)));
        let ran = crate::run::run(command, b"").exits(0);
        let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        report["sessions"].as_array().unwrap().len()
    };
    assert_eq!(ids(&[], "", None), 1);
    assert_eq!(ids(&[], "below/deep", None), 1);
    assert_eq!(ids(&[], "other", None), 0);
    assert_eq!(ids(&["-m", "../promptc.kdl"], "other", None), 1);
    assert_eq!(ids(&["--store", "../.promptc/store.db"], "other", None), 1);
    assert_eq!(ids(&[], "other", Some("../.promptc/store.db")), 1);
    let named = ["--store", "../.promptc/store.db"];
    assert_eq!(ids(&named, "other", Some("none.db")), 1);
    assert_eq!(ids(&["-m", "builtin:minimal@1"], "", None), 1);
}

#[test]
fn a_store_that_the_call_names_has_to_be_there() {
    let place = ready();
    build(&place, "s", 0, &[]);
    for args in [
        &["list"][..],
        &["show", "s"],
        &["rm", "s"],
        &["gc", "--unused", "1d"],
        &["export", "s"],
        &["move", "--all", "--to", "other.db"],
        &["verify"],
        &["history"],
    ] {
        let ran = place.run(&[&["session"], args, &["--store", "none.db"]].concat());
        let ran = ran.exits(2);
        let found = "error[no-store]: there is no store `none.db`";
        assert!(ran.stderr.starts_with(found), "{args:?}: {}", ran.stderr);
    }
    let files = ["none.db", "other.db"].map(|name| place.path().join(name).exists());
    assert_eq!(files, [false, false]);
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let place = ready();
    build(&place, "s", 0, &[]);
    for args in [
        &["list"][..],
        &["show", "s"],
        &["show", "s", "--format", "artifact"],
        &["export", "s"],
    ] {
        let mut child = place
            .command(&[&["session"], args].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_store_in_the_environment_concerns_sessions_only() {
    let place: Place = ready();
    let mut command = place.command(&["build", "--quiet"]);
    command.env("PROMPTC_STORE", "elsewhere.db");
    let ran = crate::run::run(command, b"").exits(0);
    assert_eq!(ran.stdout(), "Be brief.");
    assert!(!place.path().join("elsewhere.db").exists());
}

/// A name of blanks looks like none; a store that has one still gives it.
#[test]
fn a_new_name_is_no_row_of_blanks() {
    let place = ready();
    for id in [" ", "\u{a0}\u{2003}"] {
        let ran = place.run(&["build", "--session", id]).exits(2);
        ran.says("only blanks");
    }
    build(&place, "a-b", 0, &[]);
    kept_before(&place, " ");
    session(&place, &["show", " "]).exits(0);
    session(&place, &["rm", " "]).exits(0);
}

/// One long name does not push all other rows out of the window.
#[test]
fn a_long_name_is_cut_for_people() {
    let place = ready();
    let long = format!("{}-{}", "a".repeat(200), "z".repeat(50));
    build(&place, &long, 0, &[]);
    let ran = session(&place, &["list", "--now", &at(1)]).exits(0);
    let widest = ran.stdout().lines().map(|l| l.chars().count()).max();
    assert!(widest.unwrap() < 120, "{}", ran.stdout());
    ran.shows("aaa...zzz");
    assert_eq!(json(&place, &["list"])["sessions"][0]["session"], long);
}

#[test]
fn a_time_that_is_to_come_is_no_negative_age() {
    let place = ready();
    build(&place, "s", 0, &[]);
    let list = ["list", "--now", "2026-11-21T07:00:00Z"];
    let ran = session(&place, &list).exits(0);
    ran.shows("  in 3h  ");
}
