//! `session { identity … }`: no caller gets the prompt, the drift or the directory rules of another one's session.

use crate::run::{Place, Ran, run};
use serde_json::{Value as Json, json};
use std::fs;
use std::sync::Barrier;
use std::thread;

const MANIFEST: &str = r#"promptc 1
name app
root workspace default="."
fact user string optional=#true
fact token string optional=#true private=#true
fact team list { default }
fact model string default=small
fact hot string default="" changes=turn
tier stable {
    layer rules { file "AGENTS.md" }
    layer who when="user is defined" { template "You talk to {{ user }} of {{ team | join(' and ') }}." }
    layer signed when="token is defined" { text "The user is signed in." }
    layer model { template "You run on {{ model }}." }
}
tier turn changes=turn deliver=user { layer hot { template "Now {{ hot }}." } }
session { identity user token team; refresh event=compaction; refresh idle="1h"; refresh fact=model }
directory-rules { file "AGENTS.md" }
"#;

const AT: [&str; 2] = ["--now", "2026-11-21T10:00:00Z"];

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("AGENTS.md", "Be brief.\n");
    place.file("sub/AGENTS.md", "Be very brief.\n");
    place
}

const ANN: [&str; 6] = [
    "--set",
    "user=Ann",
    "--set",
    "token=0a1b2c3d4e5f",
    "--set",
    "team=[\"core\"]",
];

fn build(place: &Place, more: &[&str]) -> Ran {
    place.run(&[&["build", "--session", "s"], &AT[..], more].concat())
}

fn refused(ran: &Ran) {
    assert_eq!((ran.code, ran.stdout()), (2, ""), "{}", ran.stderr);
    ran.says("error[session-mismatch]");
    for value in [
        "Ann",
        "Bob",
        "0a1b2c3d4e5f",
        "ffffeeeedddd",
        "core",
        "rival",
    ] {
        assert!(!ran.stderr.contains(value), "{}", ran.stderr);
    }
}

/// The facts of another caller: another value of one of them, or none.
fn others() -> Vec<Vec<&'static str>> {
    let (user, token, team) = (&ANN[..2], &ANN[2..4], &ANN[4..]);
    vec![
        vec![],
        user.to_vec(),
        [user, token].concat(),
        [user, team].concat(),
        [token, team].concat(),
        [&["--set", "user=Bob"], token, team].concat(),
        [user, &["--set", "token=ffffeeeedddd"], team].concat(),
        [user, token, &["--set", "team=[\"rival\"]"]].concat(),
    ]
}

#[test]
fn every_command_refuses_a_call_for_someone_else() {
    let place = place();
    let made = build(&place, &ANN).exits(0);
    made.shows("You talk to Ann of core.");
    for other in others() {
        for more in [
            &[][..],
            &["--format", "json"],
            &["--refresh"],
            &["--event", "compaction"],
            &["--set", "model=large"],
            &["--now", "2026-11-22T10:00:00Z"],
        ] {
            let args = [
                &["build", "--session", "s"][..],
                if more.contains(&"--now") { &[] } else { &AT },
            ];
            refused(&place.run(&[&args.concat()[..], &other, more].concat()));
        }
        for args in [
            &["session", "drift", "s"][..],
            &["session", "drift", "s", "--reminder", "--mark-delivered"],
            &["diff", "session:s", "."],
            &["agent", "rules", "sub", "--session", "s"],
        ] {
            refused(&place.run(&[args, &other].concat()));
        }
    }
    // Nothing of that has changed anything, and the session goes on for whom it belongs to.
    let again = build(&place, &ANN).exits(0);
    assert_eq!((&again.stdout, &*again.stderr), (&made.stdout, ""));
    let folder_rules = [&["agent", "rules", "sub", "--session", "s"][..], &ANN].concat();
    assert!(
        place
            .run(&folder_rules)
            .exits(0)
            .stdout()
            .contains("Be very brief.")
    );
    place
        .run(&[&["session", "drift", "s"][..], &ANN].concat())
        .exits(0);
    let facts = [&ANN[..], &["--event", "compaction"]].concat();
    build(&place, &facts).exits(0);
}

#[test]
fn facts_from_a_file_count_and_null_is_none() {
    let place = place();
    let call = |facts: Json| {
        let args = ["build", "--session", "s", "--facts", "-"];
        run(place.command(&args), facts.to_string().as_bytes())
    };
    call(json!({"user": "Ann", "team": []})).exits(0);
    call(json!({"user": "Ann"})).exits(0);
    call(json!({"user": "Ann", "token": null})).exits(0);
    refused(&call(json!({"user": null})));
    refused(&call(json!({"user": "Ann", "token": ""})));
    refused(&call(json!({"user": "ann"})));
}

#[test]
fn a_private_value_is_in_no_store_and_no_export_and_an_import_still_checks_it() {
    let place = place();
    build(&place, &ANN).exits(0);
    let export = place
        .run(&["session", "export", "s", "-o", "s.json"])
        .exits(0);
    assert_eq!(export.stdout(), "");
    let exported = place.read("s.json");
    assert!(!exported.contains("0a1b2c3d4e5f"));
    let value: Json = serde_json::from_str(&exported).unwrap();
    assert_eq!(value["schema"], 4);
    for file in fs::read_dir(place.path().join(".promptc")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(12).any(|window| window == b"0a1b2c3d4e5f"));
    }
    place
        .run(&["session", "import", "s.json", "--store", "t.db"])
        .exits(0);
    let call = |more: &[&str]| {
        let args = [
            "build",
            "--session",
            "s",
            "--store",
            "t.db",
            "-m",
            "promptc.kdl",
        ];
        place.run(&[&args[..], &AT, more].concat())
    };
    for other in others() {
        refused(&call(&other));
        refused(&call(&[&other[..], &["--refresh"]].concat()));
    }
    call(&ANN).exits(0);
    place
        .run(&["session", "move", "s", "--store", "t.db", "--to", "u.db"])
        .exits(0);
    let moved = [
        "build",
        "--session",
        "s",
        "--store",
        "u.db",
        "-m",
        "promptc.kdl",
    ];
    refused(&place.run(&[&moved[..], &AT].concat()));
    let shown = place
        .run(&["session", "show", "s", "--format", "json"])
        .exits(0);
    let shown: Json = serde_json::from_slice(&shown.stdout).unwrap();
    let wanted = json!([
        {"fact": "team", "value": ["core"], "private": false},
        {"fact": "token", "value": null, "private": true},
        {"fact": "user", "value": "Ann", "private": false},
    ]);
    assert_eq!(shown["identity"], wanted);
    let listed = place.run(&["session", "list", "--format", "json"]).exits(0);
    let listed: Json = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["sessions"][0]["identity"], wanted);
}

#[test]
fn an_edited_manifest_does_not_change_the_owner_of_a_session() {
    let place = place();
    build(&place, &ANN).exits(0);
    place.file(
        "promptc.kdl",
        MANIFEST.replace("identity user token team;", ""),
    );
    refused(&build(&place, &[]));
    refused(&build(&place, &["--refresh", "--set", "user=Bob"]));
    build(&place, &[&ANN[..], &["--refresh"]].concat()).exits(0);
    // It was built again without, and so the facts are remembered as all others are.
    build(&place, &[]).exits(0);
}

#[test]
fn of_simultaneous_first_calls_one_owns_the_session() {
    let place = place();
    let start = Barrier::new(8);
    let ran: Vec<(usize, Ran)> = thread::scope(|scope| {
        let call = |n: usize| {
            let (place, start) = (&place, &start);
            scope.spawn(move || {
                let user = format!("user=user {n}");
                start.wait();
                (n, build(place, &["--set", &user]))
            })
        };
        let calls: Vec<_> = (0..8).map(call).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let (done, other): (Vec<_>, Vec<_>) = ran.iter().partition(|(_, ran)| ran.code == 0);
    assert_eq!(done.len(), 1);
    for (n, ran) in done {
        assert!(ran.stdout().contains(&format!("You talk to user {n} of .")));
    }
    for (_, ran) in other {
        assert_eq!((ran.code, ran.stdout()), (2, ""));
        ran.says("error[session-mismatch]");
    }
}

#[test]
fn a_value_that_has_no_effect_is_a_warning() {
    let place = Place::new();
    let manifest = MANIFEST.replace("identity user token team;", "");
    place.file("promptc.kdl", &manifest);
    place.file("AGENTS.md", "Be brief.\n");
    let made = build(&place, &ANN).exits(0);
    let warned = |more: &[&str], facts: &[&str]| {
        let ran = build(&place, more).exits(0);
        assert_eq!(ran.stdout, made.stdout);
        let warnings = ran.stderr.matches("warning[frozen-fact]").count();
        assert_eq!(warnings, facts.len(), "{}", ran.stderr);
        for fact in facts {
            let said = format!("the session was frozen with another value of `{fact}`");
            ran.says(&said);
            ran.says(&format!("identity {fact}"));
        }
        for value in ["Bob", "ffffeeeedddd", "rival"] {
            assert!(!ran.stderr.contains(value), "{}", ran.stderr);
        }
    };
    warned(&ANN, &[]);
    warned(&[], &[]);
    warned(&["--set", "user=Bob"], &["user"]);
    warned(
        &["--set", "user=Bob", "--set", "team=[\"rival\"]"],
        &["user", "team"],
    );
    // A private one is not known, one of a turn has an effect.
    warned(&["--set", "token=ffffeeeedddd"], &[]);
    warned(&["--set", "hot=x"], &[]);
    // One that a live tier prints has an effect.
    place.file(
        "promptc.kdl",
        manifest.replace("Now {{ hot }}.", "Now {{ user }}."),
    );
    build(&place, &[&ANN[..], &["--refresh"]].concat()).exits(0);
    warned(&["--set", "user=Bob"], &[]);
}

/// A fact that had no value decided about the text, too.
#[test]
fn a_value_that_comes_later_and_has_no_effect_is_a_warning() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact tenant string optional=#true\nfact mode string optional=#true\n\
         tier t { layer who { template \"For {{ tenant | default('-') }}.\" }; layer m when=\"mode is defined\" { text x } }\n",
    );
    let call = |set: &[&str]| {
        let ran = build(&place, set).exits(0);
        assert_eq!(ran.stdout(), "For -.");
        ran.stderr.matches("warning[frozen-fact]").count()
    };
    assert_eq!(call(&[]), 0);
    assert_eq!(call(&["--set", "tenant=T"]), 1);
    assert_eq!(call(&["--set", "mode=x", "--set", "tenant=T"]), 2);
    assert_eq!(call(&[]), 0);
}

/// A scenario that a session remembers does not say who calls.
#[test]
fn a_remembered_scenario_does_not_identify_the_caller() {
    let place = place();
    let scenario = "scenario ann { set user Ann; set token \"0a1b2c3d4e5f\"; set team core; set model large }\n";
    let manifest = [MANIFEST, scenario].concat();
    place.file("promptc.kdl", &manifest);
    let named = ["--scenario", "ann"];
    let made = build(&place, &named).exits(0);
    assert!(made.stdout().contains("You talk to Ann of core."));
    let all = || {
        for more in [
            &[][..],
            &["--refresh"],
            &["--event", "compaction"],
            &["--set", "hot=x"],
            &["--set", "model=small"],
        ] {
            refused(&build(&place, more));
        }
        for args in [
            &["session", "drift", "s"][..],
            &["diff", "session:s", "."],
            &["agent", "rules", "sub", "--session", "s"],
        ] {
            refused(&place.run(args));
        }
    };
    all();
    assert_eq!(build(&place, &named).exits(0).stdout, made.stdout);
    assert_eq!(build(&place, &ANN).exits(0).stdout, made.stdout);
    // The other facts that it sets are remembered.
    let again = build(&place, &[&ANN[..], &["--refresh"]].concat()).exits(0);
    assert_eq!(again.stdout, made.stdout);
    // The identity is stored in the session, even if the manifest changes.
    place.file(
        "promptc.kdl",
        manifest.replace("identity user token team;", ""),
    );
    refused(&build(&place, &["--refresh"]));
    all();
    let drift = [&["session", "drift", "s"][..], &named].concat();
    place.run(&drift).exits(0);
}
