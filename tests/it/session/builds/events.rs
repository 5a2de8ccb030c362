//! Events that an app reports, and those that no manifest names.

use crate::run::{Place, Ran};

/// A place whose manifest has these lines in `session`; none for no such node.
fn place(session: Option<&str>) -> Place {
    let place = Place::new();
    write(&place, session);
    place
}

fn write(place: &Place, session: Option<&str>) {
    let session = session.map(|lines| format!("session {{ {lines} }}\n"));
    let text = "tier t { layer l { file \"a.md\" } }\n";
    place.file(
        "promptc.kdl",
        format!(
            "promptc 1\nroot workspace default=\".\"\n{}{text}",
            session.unwrap_or_default()
        ),
    );
    place.file("a.md", "Hi.");
}

fn event(place: &Place, name: &str, more: &[&str]) -> Ran {
    let call = ["build", "--session", "s", "--event", name];
    place.run(&[&call[..], more].concat())
}

/// The number of builds of the session.
fn builds(place: &Place) -> u64 {
    let ran = place.run(&["session", "list", "--format", "json"]).exits(0);
    let list: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    list["sessions"][0]["build"].as_u64().unwrap_or(0)
}

#[test]
fn an_event_that_no_manifest_names_is_an_error_with_the_nearest_name() {
    for (session, name, near, all) in [
        (None, "compation", "compaction", "`compaction`"),
        (
            Some("refresh event=model-switch"),
            "model_swich",
            "model-switch",
            "`model-switch` or `compaction`",
        ),
        (
            Some("refresh event=nap; refresh event=compaction"),
            "Nap2",
            "nap",
            "`nap` or `compaction`",
        ),
        (
            Some("refresh idle=\"1h\""),
            "COMPACTIONS",
            "compaction",
            "`compaction`",
        ),
    ] {
        let place = place(session);
        // It would be ignored at each call: so at the first one, too, and nothing is stored.
        for (stored, more) in [
            (0, &[][..]),
            (1, &[]),
            (1, &["--refresh"]),
            (1, &["--format", "json"]),
        ] {
            if stored > 0 {
                place.run(&["build", "--session", "s"]).exits(0);
            }
            let ran = event(&place, name, more).exits(2);
            assert!(ran.stdout.is_empty());
            ran.says(&format!("error[unknown-event]: there is no event `{name}`"));
            ran.says(&format!("did you mean `{near}`? The app sends {all}"));
            assert_eq!(builds(&place), stored, "{session:?} {more:?}");
        }
    }
}

#[test]
fn an_event_that_is_near_none_is_an_error_with_all_names() {
    let place = place(Some("refresh event=model-switch"));
    let ran = event(&place, "x\n`y`", &[]).exits(2);
    ran.says("the app sends `model-switch` or `compaction`; `session { refresh event=NAME }` in the manifest declares another");
    event(&place, "", &[]).exits(2);
}

/// Every app reports it, whatever the manifest says.
#[test]
fn a_compaction_is_no_error() {
    let place = place(Some("refresh idle=\"1h\""));
    for _ in 0..2 {
        let ran = event(&place, "compaction", &[]).exits(0);
        ran.says("warning[unknown-event]: session `s`: the event `compaction` does not rebuild this session");
    }
    assert_eq!(builds(&place), 1);
    assert_eq!(
        event(&place, "compaction", &["--refresh"]).exits(0).stderr,
        ""
    );
    assert_eq!(builds(&place), 2);
}

#[test]
fn the_manifest_of_today_and_that_of_the_session_may_differ() {
    let place = place(Some("refresh event=nap"));
    event(&place, "nap", &[]).exits(0);
    // One that only the session's own manifest has still rebuilds it, and then is gone.
    write(&place, Some("refresh event=switch"));
    assert_eq!(event(&place, "nap", &[]).exits(0).stderr, "");
    assert_eq!(builds(&place), 2);
    event(&place, "nap", &[]).exits(2).says("`switch`");
    assert_eq!(event(&place, "switch", &[]).exits(0).stderr, "");
    assert_eq!(builds(&place), 3);
    // One that only today's manifest has is no mistake of the app, and rebuilds nothing yet.
    write(&place, Some("refresh event=later"));
    let ran = event(&place, "later", &[]).exits(0);
    ran.says(
        "warning[unknown-event]: session `s`: the event `later` does not rebuild this session",
    );
    ran.says("--refresh");
    assert_eq!(builds(&place), 3);
    assert_eq!(event(&place, "later", &["--refresh"]).exits(0).stderr, "");
    assert_eq!(event(&place, "later", &[]).exits(0).stderr, "");
    assert_eq!(builds(&place), 5);
}

#[test]
fn without_a_manifest_the_one_of_the_session_decides() {
    for broken in [None, Some("promptc 1\ntier {")] {
        let place = place(Some("refresh event=nap"));
        event(&place, "nap", &[]).exits(0);
        let store = ["--store", ".promptc/store.db"];
        match broken {
            None => std::fs::remove_file(place.path().join("promptc.kdl")).unwrap(),
            Some(text) => _ = place.file("promptc.kdl", text),
        }
        let ran = event(&place, "napp", &store).exits(2);
        ran.says("did you mean `nap`?");
        assert!(!ran.stderr.contains("[unclosed"), "{}", ran.stderr);
        event(&place, "compaction", &store).exits(0);
    }
}
