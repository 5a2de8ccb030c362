//! `session rm`, `gc` and `verify`.

use super::{STORE, at, build, json, json_of, ready, session, spoil};
use crate::run::Place;
use serde_json::{Value, json};
use std::fs;

fn ids(place: &Place) -> Vec<String> {
    let report = json(place, &["list"]);
    let sessions = report["sessions"].as_array().unwrap().iter();
    sessions
        .map(|s| s["session"].as_str().unwrap().to_owned())
        .collect()
}

fn three() -> Place {
    let place = ready();
    for (id, minutes) in [("chat-1", 0), ("chat-2", 30), ("chat-3", 60)] {
        build(&place, id, minutes, &[]);
    }
    place.file("AGENTS.md", "Be quick about it.\n");
    build(&place, "chat-2", 31, &["--refresh"]);
    build(&place, "chat-2", 32, &["--refresh"]);
    place
}

#[test]
fn each_removed_session_is_reported() {
    let place = three();
    let ran = session(&place, &["rm", "chat-2", "chat-1", "chat-2"]).exits(0);
    assert_eq!(
        ran.stdout(),
        "removed chat-2 (3 builds)\nremoved chat-1 (1 build)\n"
    );
    assert_eq!(ran.stderr, "");
    assert_eq!(ids(&place), ["chat-3"]);
    let report = json(&place, &["rm", "chat-3"]);
    assert_eq!(
        report,
        json!({"schema": 2, "store": STORE, "removed": [{"session": "chat-3", "builds": 1, "directory_rules": 0}]})
    );
    assert_eq!(ids(&place), Vec::<String>::new());
    // It begins from the front.
    build(&place, "chat-2", 90, &[]);
    assert_eq!(json(&place, &["show", "chat-2"])["build"], 1);
}

#[test]
fn an_unknown_id_removes_nothing() {
    let place = three();
    let ran = session(&place, &["rm", "chat-1", "chat-4", "other"]).exits(2);
    assert_eq!(ran.stdout(), "");
    assert_eq!(ran.stderr.matches("error[unknown-session]: ").count(), 2);
    ran.says("did you mean `chat-1`?");
    assert!(
        ran.stderr.ends_with("2 errors; nothing was written\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(ids(&place), ["chat-1", "chat-2", "chat-3"]);
}

#[test]
fn unused_sessions_are_removed_and_dry_runs_remove_nothing() {
    let place = three();
    let now = at(90);
    let args = ["gc", "--unused", "58m", "--now", &now];
    let dry = session(&place, &[&args[..], &["--dry-run"]].concat()).exits(0);
    let shown: Vec<&str> = dry.stdout().lines().collect();
    assert_eq!(shown[0], "would remove chat-1");
    assert!(
        shown[1].starts_with("it would free ") && shown[1].ends_with(" bytes: 1 session, 1 build")
    );
    assert_eq!(shown.len(), 2);
    assert_eq!(ids(&place), ["chat-1", "chat-2", "chat-3"]);

    let told = json(&place, &[&args[..], &["--dry-run"]].concat());
    let mut done = json(&place, &args);
    assert_eq!(
        (&told["dry_run"], &done["dry_run"]),
        (&Value::Bool(true), &Value::Bool(false))
    );
    done["dry_run"] = Value::Bool(true);
    assert_eq!(told, done);
    assert_eq!(ids(&place), ["chat-2", "chat-3"]);
    // A build that was used at that very time stays.
    let ran = session(&place, &["gc", "--unused", "30m", "--now", &now]).exits(0);
    assert!(
        ran.stdout().starts_with("removed chat-2\nfreed "),
        "{}",
        ran.stdout()
    );
    assert_eq!(ids(&place), ["chat-3"]);
}

#[test]
fn old_builds_are_removed_and_the_newest_stays() {
    let place = three();
    let text = build(&place, "chat-2", 33, &[]);
    let numbers = || -> Vec<u64> {
        let report = json(&place, &["show", "chat-2"]);
        let builds = report["history"].as_array().unwrap().iter();
        builds.map(|b| b["build"].as_u64().unwrap()).collect()
    };
    let ran = session(&place, &["gc", "--keep", "1", "--dry-run"]).exits(0);
    let shown = "would remove 2 builds of chat-2\nit would free ";
    assert!(ran.stdout().starts_with(shown), "{}", ran.stdout());
    let report = json(&place, &["gc", "--keep", "2"]);
    assert_eq!(
        report["shortened"],
        json!([{"session": "chat-2", "builds": 1}])
    );
    assert_eq!(
        (&report["builds"], &report["sessions"]),
        (&json!(1), &json!([]))
    );
    assert_eq!(numbers(), [2, 3]);
    session(&place, &["gc", "--keep", "1"]).exits(0);
    assert_eq!(numbers(), [3]);
    assert_eq!(build(&place, "chat-2", 34, &[]), text);
    let gone = session(&place, &["show", "chat-2@1"]).exits(2);
    gone.says("its only build is 3\n");
    // Other sessions keep what they share with it.
    assert_eq!(build(&place, "chat-1", 34, &[]), "Be brief.");
    session(&place, &["verify"]).exits(0);
    session(&place, &["gc", "--keep", "0"]).exits(2);
}

#[test]
fn without_options_only_unreferenced_data_is_removed() {
    let place = three();
    let report = json(&place, &["gc"]);
    assert_eq!(
        (&report["builds"], &report["bytes"]),
        (&json!(0), &json!(0))
    );
    // A content that nothing refers to, and whose hash is another: damage of what no one needs.
    let rows = rusqlite::Connection::open(place.path().join(STORE)).unwrap();
    let text = "Nothing refers to this.";
    let hash = [7_u8; 32];
    rows.execute(
        "INSERT INTO content (hash, text) VALUES (?1, ?2)",
        (hash, text),
    )
    .unwrap();
    drop(rows);
    let report = json(&place, &["gc"]);
    assert_eq!(
        (&report["builds"], &report["sessions"]),
        (&json!(0), &json!([]))
    );
    assert_eq!(report["bytes"], text.len());
    assert_eq!(ids(&place), ["chat-1", "chat-2", "chat-3"]);
}

fn contents(place: &Place) -> usize {
    let rows = rusqlite::Connection::open(place.path().join(STORE)).unwrap();
    let count = rows.query_row("SELECT count(*) FROM content", [], |row| row.get(0));
    usize::try_from(count.map(|n: i64| n).unwrap()).unwrap()
}

/// Texts that another session uses stay; all others go with their session, also those that no longer have their hash.
#[test]
fn a_removed_session_takes_its_own_texts_along() {
    for damaged in [false, true] {
        let place = three();
        let all = contents(&place);
        if damaged {
            spoil(&place, STORE, "Be quick about it.", "Be thick about it.");
            session(&place, &["verify"]).exits(1);
        }
        session(&place, &["rm", "chat-2"]).exits(0);
        assert!(contents(&place) < all);
        let store = fs::read(place.path().join(STORE)).unwrap();
        let store = String::from_utf8_lossy(&store);
        assert!(!store.contains(" about it."), "damaged: {damaged}");
        session(&place, &["verify"]).exits(0);
        let report = json(&place, &["gc"]);
        assert_eq!(report["contents"], 0, "{report}");
        assert_eq!(build(&place, "chat-1", 34, &[]), "Be brief.");
    }
}

/// What a damaged row of another session refers to is unknown, so nothing goes that it might need.
#[test]
fn texts_stay_while_another_session_is_damaged() {
    let place = three();
    let all = contents(&place);
    let rows = rusqlite::Connection::open(place.path().join(STORE)).unwrap();
    rows.execute("UPDATE build SET at = at + 1 WHERE session = 'chat-3'", [])
        .unwrap();
    drop(rows);
    session(&place, &["rm", "chat-2"]).exits(0);
    assert_eq!(contents(&place), all);
    session(&place, &["gc"]).exits(3);
    // And that is a fix.
    session(&place, &["rm", "chat-3"]).exits(0);
    session(&place, &["verify"]).exits(0);
    session(&place, &["gc"]).exits(0);
    assert!(contents(&place) < all);
}

#[test]
fn a_whole_store_is_whole() {
    let place = three();
    let ran = session(&place, &["verify"]).exits(0);
    assert_eq!(ran.stdout(), ".promptc/store.db is intact: 3 sessions\n");
    let report = json(&place, &["verify"]);
    assert_eq!(
        report,
        json!({"schema": 2, "store": STORE, "sessions": 3, "damage": []})
    );
    // As is one that nothing was ever kept in.
    session(&place, &["rm", "chat-1", "chat-2", "chat-3"]).exits(0);
    session(&place, &["verify"]).exits(0);
}

/// Damage gives exit code 1, each fault is reported, and reading the rest hides nothing of it.
#[test]
fn damage_is_reported_and_never_repaired() {
    let place = three();
    spoil(&place, STORE, "Be brief.", "Be grief.");
    let bytes = fs::read(place.path().join(STORE)).unwrap();
    let ran = session(&place, &["verify"]).exits(1);
    assert!(
        ran.stdout()
            .ends_with("\n.promptc/store.db is damaged: 2 faults\n"),
        "{}",
        ran.stdout()
    );
    assert!(!ran.stdout().contains("grief"), "{}", ran.stdout());
    assert_eq!(ran.stderr, "");
    let report = json_of(&place, &["verify"], 1);
    // The text, and the document that it is from.
    assert_eq!(report["damage"].as_array().unwrap().len(), 2);
    assert_eq!(report["sessions"], 3);
    assert_eq!(fs::read(place.path().join(STORE)).unwrap(), bytes);
    // Intact sessions are still reported, and damaged ones are refused.
    session(&place, &["show", "chat-2", "--format", "text"]).exits(0);
    let refused: [&[&str]; 4] = [
        &["show", "chat-1"],
        &["show", "chat-1", "--format", "text"],
        &["export", "chat-1"],
        &["export", "chat-2"],
    ];
    for args in refused {
        let ran = session(&place, args).exits(3);
        assert_eq!(ran.stdout(), "");
        assert!(
            ran.stderr.starts_with("error[store-damaged]: "),
            "{}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("grief"), "{}", ran.stderr);
    }
    let ran = place
        .run(&["diff", "session:chat-1", "session:chat-2"])
        .exits(3);
    assert!(
        ran.stderr.starts_with("error[store-damaged]: "),
        "{}",
        ran.stderr
    );
}

/// A file of which nothing but the first page is left does not open, which is a verdict too.
#[test]
fn a_store_that_is_cut_off_is_damaged() {
    let place = three();
    let path = place.path().join(STORE);
    let bytes = fs::read(&path).unwrap();
    for left in [4096, bytes.len() / 2 / 4096 * 4096] {
        fs::write(&path, &bytes[..left]).unwrap();
        let ran = session(&place, &["verify"]);
        assert_eq!(ran.code, 1, "{left}: {}", ran.stderr);
        ran.shows(" is damaged: ");
    }
}
