//! `session export` and `import`.

use super::{STORE, at, build, json, ready, session, valid};
use crate::run::{Place, Ran, run};
use serde_json::{Value, json};
use std::fs;

/// A session of three builds with everything in it.
fn traveller() -> (Place, String) {
    let place = ready();
    build(
        &place,
        "a b@3",
        0,
        &[
            "--set",
            "user=Ann",
            "--set",
            "key=secret-value",
            "--set",
            "hot=x",
        ],
    );
    build(
        &place,
        "a b@3",
        10,
        &["--event", "compaction", "--tokenizer", "o200k"],
    );
    place.file("AGENTS.md", "Be “brief”\u{200b}\u{1f}\t.\n");
    build(&place, "a b@3", 200, &[]);
    let export = session(&place, &["export", "a b@3"]).exits(0);
    (place, export.stdout().to_owned())
}

fn import(place: &Place, text: &str, more: &[&str]) -> Ran {
    let args = [&["session", "import", "-", "--store", "new.db"], more].concat();
    run(place.command(&args), text.as_bytes())
}

#[test]
fn a_round_trip_changes_nothing() {
    let (place, export) = traveller();
    let ran = import(&place, &export, &[]).exits(0);
    assert_eq!(
        (ran.stdout(), &*ran.stderr),
        ("imported a b@3 (3 builds)\n", "")
    );
    let again = session(&place, &["export", "a b@3", "--store", "new.db"]).exits(0);
    assert_eq!(again.stdout(), export);
    for target in ["a b@3", "a b@3@1", "a b@3@2"] {
        let show = |store: &str| {
            let mut report = json(&place, &["show", target, "--store", store]);
            report["store"].take();
            // Folders are those of the machine where it was built.
            for key in ["folder", "roots"] {
                report["given"][key].take();
            }
            let imported = report["imported"].take();
            assert_eq!(imported, store != STORE);
            report
        };
        assert_eq!(show(STORE), show("new.db"));
        let text = |store: &str| {
            session(
                &place,
                &["show", target, "--format", "text", "--store", store],
            )
            .exits(0)
            .stdout
        };
        assert_eq!(text(STORE), text("new.db"));
    }
    // The restored text is the same too, with the rest rebuilt by the manifest that the call names.
    fs::remove_file(place.path().join("AGENTS.md")).unwrap();
    let args = ["--store", "new.db", "--set", "hot=y", "-m", "promptc.kdl"];
    let there = build(&place, "a b@3", 201, &args);
    assert_eq!(there, build(&place, "a b@3", 201, &["--set", "hot=y"]));
    assert!(there.ends_with("\n\ny"), "{there}");
    session(&place, &["verify", "--store", "new.db"]).exits(0);
}

#[test]
fn a_document_matches_its_schema() {
    let (place, export) = traveller();
    let value = valid("export", &export);
    assert_eq!(
        (&value["schema"], &value["session"]),
        (&json!(4), &json!("a b@3"))
    );
    assert_eq!(value["used"], at(200));
    let builds = value["builds"].as_array().unwrap();
    let heads: Vec<_> = builds
        .iter()
        .map(|b| (b["build"].clone(), b["built"].clone(), b["reason"].clone()))
        .collect();
    let wanted = [
        (1, 0, "first"),
        (2, 10, "event:compaction"),
        (3, 200, "idle:11400"),
    ];
    assert_eq!(
        heads,
        wanted.map(|(n, m, r)| (json!(n), json!(at(m)), json!(r)))
    );
    // Each content is stored once, under its hash, and is used.
    let contents = value["contents"].as_object().unwrap();
    for (key, content) in contents {
        assert_eq!(*key, sha256(content.as_str().unwrap()));
        assert!(export.matches(key.as_str()).count() > 1, "{key}");
    }
    assert!(!export.contains("secret-value"));
    // The same bytes go to a file.
    session(&place, &["export", "a b@3", "-o", "out.json"]).exits(0);
    assert_eq!(place.read("out.json"), export);
    assert_eq!(
        session(&place, &["export", "a b@3", "-o", "-"])
            .exits(0)
            .stdout(),
        export
    );
}

fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    let hash = sha2::Sha256::digest(text.as_bytes());
    let hex = hash.iter().map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", hex.collect::<String>())
}

/// Changes of JSON in transit, of spaces and of the order of keys, make no difference.
#[test]
fn a_document_may_have_another_layout() {
    let (place, export) = traveller();
    let value: Value = serde_json::from_str(&export).unwrap();
    import(&place, &value.to_string(), &[]).exits(0);
    let again = session(&place, &["export", "a b@3", "--store", "new.db"]).exits(0);
    assert_eq!(again.stdout(), export);
}

#[test]
fn an_existing_id_is_not_overwritten() {
    let (place, export) = traveller();
    place.file("AGENTS.md", "Be other.\n");
    let own = build(&place, "a b@3", 0, &["--store", "new.db"]);
    let ran = import(&place, &export, &[]).exits(2);
    assert!(
        ran.stderr.starts_with("error[session-exists]: "),
        "{}",
        ran.stderr
    );
    ran.says("--id NEWID");
    assert_eq!(build(&place, "a b@3", 1, &["--store", "new.db"]), own);
    let ran = import(&place, &export, &["--id", "copy"]).exits(0);
    assert_eq!(ran.stdout(), "imported copy (3 builds)\n");
    import(&place, &export, &["--id", "copy"]).exits(2);
    let copy = session(&place, &["export", "copy", "--store", "new.db"]).exits(0);
    let mut copy: Value = serde_json::from_str(copy.stdout()).unwrap();
    assert_eq!(copy["session"], "copy");
    let mut export_of: Value = serde_json::from_str(&export).unwrap();
    assert_ne!(copy["checksum"], export_of["checksum"]);
    copy["session"] = json!("a b@3");
    for document in [&mut copy, &mut export_of] {
        document["checksum"] = Value::Null;
    }
    assert_eq!(copy, export_of);
    place.file("e.json", &export);
    let report = json(
        &place,
        &["import", "e.json", "--id", "third", "--store", "new.db"],
    );
    assert_eq!(
        report,
        json!({"schema": 2, "store": "new.db", "session": "third", "builds": 3, "build": 3})
    );
}

/// A copy with one thing changed, by hand or on the way.
fn changed(export: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(export).unwrap();
    change(&mut value);
    value.to_string()
}

/// Puts a content in the place of another, under its right hash, wherever that is referred to.
fn exchanged(export: &str, old: &str, new: &str) -> String {
    let value: Value = serde_json::from_str(export).unwrap();
    let contents = value["contents"].as_object().unwrap();
    let (key, content) = contents
        .iter()
        .find(|(_, c)| c.as_str().unwrap().contains(old))
        .unwrap();
    let other = content.as_str().unwrap().replace(old, new);
    let other_key = sha256(&other);
    let text = changed(export, |value| {
        let contents = value["contents"].as_object_mut().unwrap();
        contents.remove(key);
        contents.insert(other_key.clone(), json!(other));
    });
    // The map names the hash of its text as the fingerprint; that stays.
    text.replace(&format!(":\"{key}\""), &format!(":\"{other_key}\""))
}

/// Contents that are others, too many or too few.
fn other_contents(export: &str) -> Vec<(&'static str, String)> {
    let first = |value: &Value, field: &str| value["builds"][0][field].as_str().unwrap().to_owned();
    vec![
        (
            "a text",
            export.replace("You talk to Ann", "You talk to Eve"),
        ),
        (
            "a text under its hash",
            exchanged(
                export,
                "Be brief.\n\nYou talk to Ann",
                "Be brief.\n\nYou talk to Eve",
            ),
        ),
        (
            "a longer text under its hash",
            exchanged(
                export,
                "Be brief.\n\nYou talk to Ann",
                "Be brief.\n\nYou talk to Anna",
            ),
        ),
        (
            "terms",
            exchanged(export, "\"idle\":5400", "\"idle\":54,\"bytes\":{}"),
        ),
        (
            "a plan",
            exchanged(export, "{\"paths\"", "{\"paths\":0,\"path\""),
        ),
        ("inputs", exchanged(export, "{\"folder\"", "{\"olders\"")),
        (
            "a content too many",
            changed(export, |v| v["contents"][sha256("x")] = json!("x")),
        ),
        (
            "a content too few",
            changed(export, |v| {
                let map = first(v, "map");
                v["contents"].as_object_mut().unwrap().remove(&map);
            }),
        ),
        (
            "another map",
            changed(export, |v| {
                v["builds"][0]["map"] = v["builds"][2]["map"].clone()
            }),
        ),
        (
            "no text",
            changed(export, |v| v["builds"][0]["texts"] = json!({})),
        ),
        (
            "a text in another channel",
            changed(export, |v| {
                let text = v["builds"][0]["texts"]["system"].take();
                v["builds"][0]["texts"] = json!({"system": text, "user": text});
            }),
        ),
    ]
}

/// Heads that no session has.
fn other_heads(export: &str) -> Vec<(&'static str, String)> {
    vec![
        (
            "the order",
            changed(export, |v| v["builds"].as_array_mut().unwrap().reverse()),
        ),
        (
            "a number twice",
            changed(export, |v| v["builds"][1]["build"] = json!(1)),
        ),
        (
            "number 0",
            changed(export, |v| v["builds"][0]["build"] = json!(0)),
        ),
        (
            "a number that JSON does not hold exactly",
            changed(export, |v| v["builds"][2]["build"] = json!(1_u64 << 53)),
        ),
        (
            "a huge number",
            changed(export, |v| v["builds"][2]["build"] = json!(u64::MAX)),
        ),
        (
            "no builds",
            changed(export, |v| {
                v["builds"] = json!([]);
                v["contents"] = json!({});
            }),
        ),
        (
            "a reason",
            changed(export, |v| v["builds"][0]["reason"] = json!("because")),
        ),
        (
            "a time",
            changed(export, |v| v["builds"][0]["built"] = json!("yesterday")),
        ),
        (
            "part of a second",
            changed(export, |v| v["used"] = json!("2026-11-21T10:00:00.5Z")),
        ),
        ("the ID", changed(export, |v| v["session"] = json!("a\nb"))),
        // The possible results.
        (
            "another time",
            changed(export, |v| {
                v["builds"][0]["built"] = json!("2026-11-21T10:00:01Z")
            }),
        ),
        (
            "another use",
            changed(export, |v| v["used"] = json!("2026-11-29T10:00:00Z")),
        ),
        (
            "another reason",
            changed(export, |v| v["builds"][1]["reason"] = json!("asked")),
        ),
        (
            "another ID",
            changed(export, |v| v["session"] = json!("other")),
        ),
        (
            "another release",
            changed(export, |v| v["promptc"] = json!("0.0.9")),
        ),
        (
            "another checksum",
            changed(export, |v| {
                v["checksum"] = json!(format!("sha256:{}", "0".repeat(64)))
            }),
        ),
    ]
}

#[test]
fn a_document_that_was_changed_is_refused_whole() {
    let (place, export) = traveller();
    let cases = other_contents(&export)
        .into_iter()
        .chain(other_heads(&export));
    for (what, text) in cases {
        assert_ne!(text, export, "{what} is not changed");
        refused(&place, &text, "export-changed", what);
    }
}

#[test]
fn an_invalid_document_is_refused() {
    let (place, export) = traveller();
    let artifact = place
        .run(&["build", "--format", "json", "--quiet"])
        .exits(0);
    let cases = [
        ("nothing", String::new()),
        ("no JSON", "promptc 1\n".to_owned()),
        ("a list", "[]".to_owned()),
        ("an empty object", "{}".to_owned()),
        ("half of it", export[..export.len() / 2].to_owned()),
        ("two", export.repeat(2)),
        ("an artifact", artifact.stdout().to_owned()),
        ("a key more", changed(&export, |v| v["more"] = json!(1))),
        (
            "a key less",
            changed(&export, |v| {
                v.as_object_mut().unwrap().remove("used");
            }),
        ),
        (
            "no checksum",
            changed(&export, |v| {
                v.as_object_mut().unwrap().remove("checksum");
            }),
        ),
        (
            "a number that is none",
            changed(&export, |v| v["builds"][0]["build"] = json!(-1)),
        ),
    ];
    for (what, text) in cases {
        refused(&place, &text, "export-syntax", what);
    }
    let newer = changed(&export, |v| {
        v["schema"] = json!(5);
        v["promptc"] = json!("7.0\u{1b}[31m");
        v["news"] = json!([]);
    });
    let ran = refused(&place, &newer, "export-too-new", "a newer one");
    ran.says("made by promptc 7.0\\u{1b}[31m");
    let ran = run(
        place.command(&["session", "import", "-"]),
        b"{\"a\": \"\xff\"}",
    )
    .exits(2);
    assert!(
        ran.stderr.starts_with("error[export-syntax]: "),
        "{}",
        ran.stderr
    );
    for path in [".", "none.json"] {
        let ran = session(&place, &["import", path]);
        assert!(
            ran.code >= 2 && ran.stdout.is_empty(),
            "{path}: {}",
            ran.stderr
        );
    }
}

/// The document is refused with this code, and no store is made for it.
fn refused(place: &Place, text: &str, code: &str, what: &str) -> Ran {
    let ran = import(place, text, &[]);
    assert_eq!(ran.code, 2, "{what}: {}{}", ran.stdout(), ran.stderr);
    let starts = format!("error[{code}]: `<stdin>` ");
    assert!(ran.stderr.starts_with(&starts), "{what}: {}", ran.stderr);
    assert_eq!(ran.stdout(), "", "{what}");
    assert!(!place.path().join("new.db").exists(), "{what}");
    ran
}

#[test]
fn a_store_is_no_place_for_its_export() {
    let (place, _) = traveller();
    fs::create_dir(place.path().join("sub")).unwrap();
    let before = fs::read(place.path().join(STORE)).unwrap();
    for path in [
        STORE,
        "./.promptc/store.db",
        "sub/../.promptc/store.db",
        ".promptc/store.db-wal",
        ".promptc/store.db-shm",
        ".promptc/store.db-journal",
        ".promptc/store.db-reserve",
    ] {
        let ran = session(&place, &["export", "a b@3", "-o", path]).exits(2);
        assert!(
            ran.stderr.starts_with("error[output-is-input]: "),
            "{path}: {}",
            ran.stderr
        );
    }
    assert_eq!(fs::read(place.path().join(STORE)).unwrap(), before);
    session(&place, &["export", "a b@3", "-o", "none/out.json"]).exits(3);
}

#[test]
fn an_import_looks_for_its_store_as_a_build_does() {
    let (place, export) = traveller();
    place.file("away/e.json", &export);
    place.file("agent/promptc.kdl", super::MANIFEST);
    fs::remove_file(place.path().join("promptc.kdl")).unwrap();
    let ran = session(&place, &["import", "away/e.json", "--id", "x"]).exits(2);
    assert!(
        ran.stderr.starts_with("error[manifest-not-found]: "),
        "{}",
        ran.stderr
    );
    session(
        &place,
        &["import", "away/e.json", "-m", "agent/promptc.kdl"],
    )
    .exits(0);
    assert!(place.path().join("agent/.promptc/store.db").exists());
}

/// The checksum is over what a document says, not over how it is laid out.
#[test]
fn a_document_may_be_laid_out_in_another_way() {
    let (place, export) = traveller();
    let value: serde_json::Value = serde_json::from_str(&export).unwrap();
    let ran = import(&place, &value.to_string(), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn an_export_replaces_no_manifest() {
    let (place, _) = traveller();
    let before = place.read("promptc.kdl");
    for path in ["promptc.kdl", "./promptc.kdl"] {
        let ran = session(&place, &["export", "a b@3", "-o", path]).exits(2);
        assert!(
            ran.stderr.starts_with("error[output-is-input]"),
            "{}",
            ran.stderr
        );
    }
    // The one that it was built from, also from another folder.
    let store = place.path().join(STORE);
    let manifest = place.path().join("promptc.kdl");
    let (store, manifest) = (store.to_str().unwrap(), manifest.to_str().unwrap());
    let args = [
        "session", "export", "a b@3", "--store", store, "-o", manifest,
    ];
    let ran = Place::new().run(&args).exits(2);
    assert!(
        ran.stderr.starts_with("error[output-is-input]"),
        "{}",
        ran.stderr
    );
    assert_eq!(place.read("promptc.kdl"), before);
}

/// Changed data are reported without the words of the program that reads it.
#[test]
fn mismatches_are_reported_in_words() {
    let (place, export) = traveller();
    let value: Value = serde_json::from_str(&export).unwrap();
    let inputs = value["builds"][0]["inputs"].as_str().unwrap();
    let old = value["contents"][inputs].as_str().unwrap();
    let ran = refused(
        &place,
        &exchanged(&export, old, "[]"),
        "export-changed",
        "inputs",
    );
    assert!(!ran.stderr.contains("struct"), "{}", ran.stderr);
}
