//! The frozen part comes back, and the rest is built by the stored program, whatever happens to the files.

use super::{Desk, Told, codes};
use crate::run::{Place, run};
use std::fs;
use std::path::Path;

const BASE: &str = r#"promptc 1
name stored
root workspace default="work"
root home default="home"
fact who string default=nobody
fact turn int changes=turn default=0
tier stable changes=session {
    layer rules {
        file "rules.md"
    }
    layer who {
        template file="who.j2"
    }
}
tier turn changes=turn deliver=user {
    layer turn {
        template file="turn.j2"
    }
    layer inbox {
        file "inbox.md" root=home
        template file="inbox.j2"
    }
}
scenario guest {
    set who "a guest"
    root home "guests"
}
"#;

const MORE: &str = r#"layer extra after=who {
    text "One more thing."
}
"#;

const OVER: &str = r#"promptc 1
extends "base/base.kdl"
include "more.kdl"
"#;

/// A manifest in several files, with all that it reads.
fn desk() -> Desk {
    let desk = Desk::new(BASE);
    let files = [
        ("templates/who.j2", "This is {{ who }}."),
        (
            "templates/turn.j2",
            "Turn {{ turn }}.{% include 'end.j2' %}",
        ),
        ("templates/end.j2", " No more."),
        ("templates/inbox.j2", "Mail: {{ content }}"),
        ("work/rules.md", "Rules."),
        ("home/inbox.md", "none"),
        ("guests/inbox.md", "for guests"),
    ];
    for (path, text) in files {
        desk.place.file(path, text);
    }
    desk
}

const KEPT: &str = "Rules.\n\nThis is Ann.";

fn check(told: &Told, state: &str, turn: &str, mail: &str) {
    assert_eq!((&*told.state, &*told.system), (state, KEPT));
    assert_eq!(told.user, format!("Turn {turn}. No more.\n\nMail: {mail}"));
}

fn remove(desk: &Desk, paths: &[&str]) {
    for path in paths {
        let path = desk.place.path().join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
    }
}

/// If the manifest is gone, the store next to it still returns the frozen text; and the error names the missing part.
#[test]
fn a_missing_manifest_is_named_with_its_store() {
    let desk = desk();
    desk.told("s", &["--set", "who=Ann"]);
    let manifest = desk
        .place
        .path()
        .canonicalize()
        .unwrap()
        .join("promptc.kdl");
    remove(&desk, &["promptc.kdl"]);
    let ran = desk.run("s", &[]).exits(2);
    ran.says("--store .promptc/store.db");
    let named = format!("`{}`", manifest.display());
    let elsewhere = Place::new();
    let store = desk.store();
    let store = store.to_str().unwrap();
    for args in [
        &["build", "--session", "s", "--refresh"][..],
        &["session", "drift", "s"],
        &["diff", "session:s", "."],
    ] {
        let ran = elsewhere
            .run(&[args, &["--store", store]].concat())
            .exits(2);
        let stderr = &ran.stderr;
        assert!(stderr.starts_with("error[manifest-not-found]"), "{stderr}");
        assert!(stderr.contains(&named), "{args:?}: {stderr}");
        assert!(!stderr.contains("promptc init"), "{args:?}: {stderr}");
    }
}

#[test]
fn a_session_is_unchanged_without_its_manifest_and_templates() {
    let desk = desk();
    let store = desk.store();
    let store = ["--store", store.to_str().unwrap()];
    check(&desk.told("s", &["--set", "who=Ann"]), "built", "0", "none");
    desk.place.file("work/rules.md", "Other rules.");
    desk.place.file("templates/who.j2", "{{ no such");
    desk.place.file("templates/turn.j2", "Wrong {{ turn }}");
    desk.place.file("home/inbox.md", "one");
    check(
        &desk.told("s", &["--set", "turn=1"]),
        "restored",
        "1",
        "one",
    );
    remove(&desk, &["promptc.kdl", "templates", "work"]);
    check(
        &desk.told("s", &[&store[..], &["--set", "turn=2"]].concat()),
        "restored",
        "2",
        "one",
    );
    assert_eq!(desk.text("s", &store), KEPT);
    // Without a manifest nothing says where the store is, and nothing can be built.
    assert_eq!(desk.codes("s", &[]), (2, vec!["manifest-not-found".into()]));
    let (code, told) = desk.codes("s", &[&store[..], &["--refresh"]].concat());
    assert_eq!((code, told), (2, vec!["manifest-not-found".into()]));
    check(&desk.told("s", &store), "restored", "0", "one");
    // A missing folder has no documents; the rebuilt text says so and the frozen text stays.
    remove(&desk, &["home"]);
    let told = desk.told("s", &store);
    assert_eq!((&*told.system, &*told.user), (KEPT, "Turn 0. No more."));
}

#[test]
fn a_session_is_the_same_from_another_folder() {
    let desk = desk();
    check(&desk.told("s", &["--set", "who=Ann"]), "built", "0", "none");
    let elsewhere = Place::new();
    let manifest = desk.place.path().join("promptc.kdl");
    let (manifest, store) = (manifest.to_str().unwrap(), desk.store());
    let base = [
        "build",
        "-q",
        "--session",
        "s",
        "--format",
        "json",
        "--set",
        "turn=1",
    ];
    for more in [["-m", manifest], ["--store", store.to_str().unwrap()]] {
        let ran = elsewhere.run(&[&base[..], &more].concat()).exits(0);
        check(&Told::read(&ran.stdout), "restored", "1", "none");
    }
    let mut command = elsewhere.command(&base);
    command.env("PROMPTC_STORE", desk.store());
    check(
        &Told::read(&run(command, b"").exits(0).stdout),
        "restored",
        "1",
        "none",
    );
    // Below the manifest, it is found by looking upwards.
    let mut command = desk.place.command(&base);
    command.current_dir(desk.place.path().join("work"));
    check(
        &Told::read(&run(command, b"").exits(0).stdout),
        "restored",
        "1",
        "none",
    );
    // Elsewhere there is no such session: the option goes before the variable.
    let mut command = desk.place.command(&base);
    command.env("PROMPTC_STORE", elsewhere.path().join("s.db"));
    assert_eq!(
        Told::read(&run(command, b"").exits(0).stdout).state,
        "built"
    );
    let mut command = desk
        .place
        .command(&[&base[..], &["--store", ".promptc/store.db"]].concat());
    command.env("PROMPTC_STORE", elsewhere.path().join("s.db"));
    assert_eq!(
        Told::read(&run(command, b"").exits(0).stdout).state,
        "restored"
    );
}

#[test]
fn overlays_and_includes_are_kept_with_it() {
    let desk = desk();
    let overlay = Desk::new(OVER);
    let path = |name: &str| overlay.place.path().join("base").join(name);
    crate::docs::commands::copy(desk.place.path(), &path(""));
    fs::rename(path("promptc.kdl"), path("base.kdl")).unwrap();
    overlay.place.file("more.kdl", MORE);
    let kept = overlay.told("s", &["--set", "who=Ann"]);
    assert_eq!(kept.system, format!("{KEPT}\n\nOne more thing."));
    overlay.place.file(
        "more.kdl",
        "layer extra after=who {\n    text \"Less.\"\n}\n",
    );
    remove(&overlay, &["base/base.kdl", "base/templates"]);
    let told = overlay.told("s", &["--set", "turn=3"]);
    assert_eq!((&*told.state, &told.system), ("restored", &kept.system));
    assert!(told.user.starts_with("Turn 3. No more."), "{}", told.user);
}

#[test]
fn a_scenario_and_roots_are_remembered() {
    let desk = desk();
    let told = desk.told("g", &["--scenario", "guest"]);
    let text = "Rules.\n\nThis is a guest.";
    assert_eq!(
        (&*told.system, &*told.user),
        (text, "Turn 0. No more.\n\nMail: for guests")
    );
    let told = desk.told("g", &["--set", "turn=1"]);
    assert_eq!(
        (&*told.system, &*told.user),
        (text, "Turn 1. No more.\n\nMail: for guests")
    );
    assert_eq!(desk.told("g", &["--refresh"]).system, text);

    let mail = Place::new();
    mail.file("here/inbox.md", "by post");
    let root = format!("home={}", mail.path().join("here").display());
    check(
        &desk.told("r", &["--set", "who=Ann", "--root", &root]),
        "built",
        "0",
        "by post",
    );
    check(
        &desk.told("r", &["--set", "turn=1"]),
        "restored",
        "1",
        "by post",
    );
    check(
        &desk.told("r", &["--root", "home=guests"]),
        "restored",
        "0",
        "for guests",
    );
    check(&desk.told("r", &["--refresh"]), "refreshed", "0", "by post");
    check(
        &desk.told("r", &["--refresh", "--root", "home=guests"]),
        "refreshed",
        "0",
        "for guests",
    );
    // A relative folder counts from where the call was made, and stays there.
    let mut command = desk.command("r", &["--format", "json"]);
    command.current_dir(desk.place.path().join("work"));
    check(
        &Told::read(&run(command, b"").exits(0).stdout),
        "restored",
        "0",
        "for guests",
    );
}

#[test]
fn inputs_over_a_scenario_take_precedence_later_too() {
    let desk = desk();
    let both = ["--scenario", "guest", "--set", "who=Ann"];
    let mail = "for guests";
    check(&desk.told("s", &both), "built", "0", mail);
    check(&desk.told("s", &["--refresh"]), "refreshed", "0", mail);
    check(&desk.told("s", &["--refresh"]), "refreshed", "0", mail);
    // A scenario that is given now is newer than what is remembered.
    let told = desk.told("s", &["--refresh", "--scenario", "guest"]);
    assert_eq!(told.system, KEPT.replace("Ann", "a guest"));
    desk.place.file("mine/inbox.md", "mine");
    let mine = ["--root", "home=mine", "--set", "who=Ann"];
    check(&desk.told("r", &mine), "built", "0", "mine");
    let told = desk.told("r", &["--scenario", "guest"]);
    assert_eq!(told.user, format!("Turn 0. No more.\n\nMail: {mail}"));
    let told = desk.told("r", &["--scenario", "guest", "--refresh"]);
    assert_eq!(told.user, format!("Turn 0. No more.\n\nMail: {mail}"));
}

#[test]
fn values_that_a_manifest_no_longer_accepts_are_forgotten() {
    let desk = desk();
    let root = [
        "--root",
        "home=guests",
        "--set",
        "turn=1",
        "--set",
        "who=Ann",
    ];
    check(
        &desk.told("s", &[&root[..], &["--scenario", "guest"]].concat()),
        "built",
        "1",
        "for guests",
    );
    let (without, _) = BASE.split_once("scenario guest").unwrap();
    let without = without
        .replace("root home default=\"home\"\n", "")
        .replace(
            "fact who string default=nobody",
            "fact who string default=Eve\n",
        )
        .replace("file \"inbox.md\" root=home", "text \"gone\"");
    desk.place.file("promptc.kdl", without);
    let told = desk.told("s", &["--refresh"]);
    assert_eq!((&*told.state, &*told.system), ("refreshed", KEPT));
    assert_eq!(told.user, "Turn 0. No more.\n\nMail: gone");
}

#[test]
fn inputs_are_remembered_and_new_ones_take_precedence() {
    let desk = desk();
    check(&desk.told("s", &["--set", "who=Ann"]), "built", "0", "none");
    check(&desk.told("s", &["--refresh"]), "refreshed", "0", "none");
    let told = desk.told("s", &["--refresh", "--set", "who=Bob"]);
    assert_eq!(told.system, KEPT.replace("Ann", "Bob"));
    let told = desk.told("s", &["--refresh"]);
    assert_eq!(told.system, KEPT.replace("Ann", "Bob"));
    // A fact of one turn is not.
    assert_eq!(
        desk.told("s", &["--set", "turn=5"]).user,
        "Turn 5. No more.\n\nMail: none"
    );
    assert_eq!(desk.told("s", &[]).user, "Turn 0. No more.\n\nMail: none");
}

#[test]
fn a_builtin_manifest_has_sessions_too() {
    let place = Place::new();
    place.file("AGENTS.md", "First rules.");
    let args = [
        "build",
        "-q",
        "--format",
        "json",
        "-m",
        "builtin:minimal@1",
        "--session",
        "s",
    ];
    let ask = |place: &Place, more: &[&str]| {
        let args = [&args, more].concat();
        Told::read(&place.run(&args).exits(0).stdout)
    };
    let kept = ask(&place, &["--now", "2026-03-30T09:00:00Z"]);
    assert!(kept.system.contains("First rules.") && kept.system.contains("30 March 2026"));
    place.file("AGENTS.md", "Second rules.");
    let told = ask(&place, &["--now", "2026-03-31T09:00:00Z"]);
    assert_eq!(
        (told.state, &told.system),
        ("restored".to_owned(), &kept.system)
    );
    let store = place.path().join(".promptc/store.db");
    let store = ["--store", store.to_str().unwrap()];
    let elsewhere = Place::new();
    assert_eq!(ask(&elsewhere, &store).system, kept.system);
    let bare = ["build", "-q", "--format", "json", "--session", "s"];
    let bare = [&bare[..], &store].concat();
    let told = Told::read(&elsewhere.run(&bare).exits(0).stdout);
    assert_eq!(told.system, kept.system);
    // Rebuilt from elsewhere, it reads the same files as before.
    let told = Told::read(
        &elsewhere
            .run(&[&bare[..], &["--refresh"]].concat())
            .exits(0)
            .stdout,
    );
    assert!(told.system.contains("Second rules."), "{}", told.system);
}

#[test]
fn hermetic_calls_have_sessions_too() {
    let clocked = BASE.replace(
        "fact turn",
        "fact today date clock=utc changes=day\nfact agent string env=AGENT default=none changes=turn\nfact turn",
    );
    let desk = desk();
    desk.place.file("promptc.kdl", &clocked);
    desk.place.file("templates/who.j2", "{{ today }}");
    desk.place.file("templates/turn.j2", "{{ agent }}");
    let now = ["--hermetic", "--now", "2026-03-30T09:00:00Z"];
    assert_eq!(desk.codes("s", &now), (2, vec!["not-hermetic".into()]));
    let told = desk.told("s", &[&now[..], &["--set", "agent=a"]].concat());
    assert_eq!(told.system, "Rules.\n\n2026-03-30");
    // The frozen part needs no environment; the rebuilt part does.
    assert_eq!(desk.text("s", &["--hermetic"]), told.system);
    let args = [&now[..], &["--format", "json"]].concat();
    assert_eq!(desk.codes("s", &args), (2, vec!["not-hermetic".into()]));
    let told = desk.told("s", &[&now[..], &["--set", "agent=b"]].concat());
    assert_eq!(told.user, "b\n\nMail: none");
}

#[test]
fn inputs_unknown_to_a_stored_manifest_are_ignored_with_a_warning() {
    let desk = desk();
    desk.told("s", &["--set", "who=Ann"]);
    let newer = BASE.replace(
        "fact turn",
        "root extra default=\".\"\nfact mood string default=calm\nfact turn",
    );
    desk.place.file("promptc.kdl", newer);
    desk.place
        .file("facts.json", r#"{"mood": "glad", "turn": 4}"#);
    let args = ["--facts", "facts.json", "--root", "extra=work"];
    let (code, told) = desk.codes("s", &args);
    assert_eq!((code, told), (0, vec!["not-frozen".to_owned(); 2]));
    check(&desk.told("s", &args), "restored", "4", "none");
    assert_eq!(
        desk.codes("s", &[&args[..], &["--refresh"]].concat()),
        (0, vec!["unused-input".to_owned()])
    );
    // An error of the stored program is an error: the text would be missing.
    let (code, told) = desk.codes("s", &["--set", "turn=many"]);
    assert_eq!((code, told), (2, vec!["wrong-fact-type".into()]));
}

#[test]
fn without_distinct_names_no_agent_overwrites_another() {
    let unnamed = BASE.replace("name stored\n", "");
    for (first, second) in [
        (&unnamed[..], &unnamed[..]),
        (&unnamed, BASE),
        (BASE, &unnamed),
    ] {
        let (desk, other) = (desk(), desk());
        desk.place.file("promptc.kdl", first);
        other.place.file("promptc.kdl", second);
        let store = desk.store();
        let store = ["--store", store.to_str().unwrap()];
        check(&desk.told("s", &["--set", "who=Ann"]), "built", "0", "none");
        // The frozen text is returned, with a warning that it may be another agent's.
        let warned = (0, vec!["other-manifest".to_owned()]);
        assert_eq!(other.codes("s", &store), warned);
        check(&other.told("s", &store), "restored", "0", "none");
        // It is not rebuilt from this one, whatever the reason.
        for more in [&["--refresh"][..], &["--set", "who=Bob", "--refresh"]] {
            let mut command = other.command("s", &store);
            command.args(more);
            assert_eq!(codes(command), (2, vec!["other-manifest".into()]));
        }
        check(&desk.told("s", &[]), "restored", "0", "none");
        assert_eq!(desk.codes("s", &["--refresh"]), (0, vec![]));
    }
}

#[test]
fn a_session_of_another_agent_is_not_given_out() {
    let other = desk();
    let desk = desk();
    let store = desk.store();
    let store = ["--store", store.to_str().unwrap()];
    check(&desk.told("s", &["--set", "who=Ann"]), "built", "0", "none");
    // The same manifest at another place, as after a deployment.
    check(&other.told("s", &store), "restored", "0", "none");
    other
        .place
        .file("promptc.kdl", BASE.replace("name stored", "name another"));
    let mut command = other.command("s", &store);
    command.arg("--refresh");
    assert_eq!(codes(command), (2, vec!["other-manifest".into()]));
    assert_eq!(other.codes("t", &store), (0, vec![]));
    assert!(Path::new(store[1]).exists());
}
