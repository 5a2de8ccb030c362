//! Wrong input: stores that are not there, and names that nothing has.

use super::{STORE, build, json, json_of, ready, session, spoil};
use crate::run::{Place, Ran};
use serde_json::json;
use std::fs;

/// Every command but `import` on a store in which there is no session `s`.
fn all(place: &Place, more: &[&str]) -> Vec<(Vec<String>, Ran)> {
    let commands: [&[&str]; 7] = [
        &["session", "show", "s"],
        &["session", "show", "s@1", "--format", "text"],
        &["session", "rm", "s"],
        &["session", "export", "s", "-o", "out.json"],
        &["diff", "session:s"],
        &["diff", "session:s@1", "session:t"],
        &["diff", ".", "session:s"],
    ];
    let run = |args: &&[&str]| {
        let args = [*args, more].concat();
        let shown = args.iter().map(|arg| (*arg).to_owned()).collect();
        (shown, place.run(&args))
    };
    commands.iter().map(run).collect()
}

#[test]
fn no_store_is_created_if_there_is_none() {
    let place = ready();
    for (args, ran) in all(&place, &[]) {
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stdout(), "", "{args:?}");
        let found = "error[unknown-session]: there is no session `s`, as there is no store `.promptc/store.db`\n";
        assert!(ran.stderr.contains(found), "{args:?}: {}", ran.stderr);
    }
    let ran = session(&place, &["list"]).exits(0);
    assert_eq!(
        (ran.stdout(), &*ran.stderr),
        ("", "there is no store `.promptc/store.db`\n")
    );
    assert_eq!(
        json(&place, &["list"]),
        json!({"schema": 2, "store": STORE, "exists": false, "sessions": [], "directory_rules": []})
    );
    let ran = session(&place, &["gc", "--unused", "1d"]).exits(0);
    assert_eq!(
        (ran.stdout(), &*ran.stderr),
        ("", "there is no store `.promptc/store.db`\n")
    );
    let report = json(&place, &["gc"]);
    assert_eq!(
        (&report["sessions"], &report["exists"]),
        (&json!([]), &json!(false))
    );
    let ran = session(&place, &["verify"]).exits(2);
    assert!(
        ran.stderr.starts_with("error[no-store]: "),
        "{}",
        ran.stderr
    );
    assert!(!place.path().join(".promptc").exists());
    assert!(!place.path().join("out.json").exists());
}

#[test]
fn without_a_manifest_the_store_of_the_current_folder_is_meant() {
    let place = Place::new();
    session(&place, &["list"]).exits(0);
    let ran = session(&place, &["show", "s"]).exits(2);
    ran.says("there is no store `.promptc/store.db`");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

/// The store next to a missing manifest is not used: a typo would look like an empty store.
#[test]
fn a_manifest_that_is_named_must_be_there() {
    let place = ready();
    place.file("below/x.md", "");
    place.file("s.json", "");
    build(&place, "s", 0, &[]);
    let commands: [&[&str]; 9] = [
        &["list"],
        &["show", "s"],
        &["rm", "s"],
        &["gc", "--unused", "30d", "--format", "json"],
        &["export", "s"],
        &["verify"],
        &["history"],
        &["drift", "s"],
        &["list", "--store", STORE],
    ];
    for (manifest, code) in [
        ("nope.kdl", "manifest-not-found"),
        ("below", "manifest-not-found"),
        ("../typo/promptc.kdl", "manifest-not-found"),
        ("builtin:nope@1", "unknown-builtin"),
    ] {
        for command in commands {
            let ran = session(&place, &[command, &["-m", manifest]].concat()).exits(2);
            let found = format!("error[{code}]: ");
            assert!(
                ran.stderr.starts_with(&found),
                "{command:?}: {}",
                ran.stderr
            );
            assert_eq!(ran.stdout(), "");
        }
        place
            .run(&["diff", "session:s", "session:s", "-m", manifest])
            .exits(2);
    }
    assert!(!place.path().join("below/.promptc").exists());
}

#[test]
fn the_current_folder_has_a_name_in_messages() {
    let place = ready();
    for args in [
        &["session", "list", "--store", "."][..],
        &["session", "import", "."],
    ] {
        let ran = place.run(args);
        assert!([2, 3].contains(&ran.code), "{}", ran.stderr);
        ran.says("`.`");
        assert!(!ran.stderr.contains("``"), "{}", ran.stderr);
    }
}

/// No store begins as an empty file, so it was emptied later.
#[test]
fn an_empty_file_is_a_damaged_store() {
    let place = ready();
    place.file("s.db", "");
    for (args, ran) in all(&place, &["--store", "s.db"]) {
        assert_eq!(ran.code, 3, "{args:?}: {}", ran.stderr);
        assert!(
            ran.stderr.starts_with("error[store-damaged]: "),
            "{}",
            ran.stderr
        );
    }
    session(&place, &["list", "--store", "s.db"]).exits(3);
    session(&place, &["verify", "--store", "s.db"]).exits(1);
    assert_eq!(place.read("s.db"), "");
}

#[test]
fn an_invalid_store_is_left_alone() {
    let place = ready();
    let text = "Not a store, but long enough to look like something. ".repeat(200);
    place.file("s.db", &text);
    place.file("folder/x.md", "");
    for store in ["s.db", "folder"] {
        let listed = session(&place, &["list", "--store", store]);
        let verified = session(&place, &["verify", "--store", store]);
        let collected = session(&place, &["gc", "--store", store]);
        let others = all(&place, &["--store", store])
            .into_iter()
            .map(|(_, ran)| ran);
        for ran in [listed, verified, collected].into_iter().chain(others) {
            assert!([2, 3].contains(&ran.code), "{}", ran.stderr);
            assert!(ran.stderr.starts_with("error["), "{}", ran.stderr);
            assert_eq!(ran.stdout(), "");
        }
    }
    assert_eq!(place.read("s.db"), text);
}

#[test]
fn an_unknown_id_is_reported_with_the_known_ones() {
    let place = ready();
    build(&place, "chat-7", 0, &[]);
    session(&place, &["rm", "chat-7"]).exits(0);
    let help = |id: &str| {
        let ran = session(&place, &["show", id]).exits(2);
        let found = format!(
            "error[unknown-session]: the store `.promptc/store.db` keeps no session `{id}`\n"
        );
        assert!(ran.stderr.starts_with(&found), "{}", ran.stderr);
        let help = ran
            .stderr
            .lines()
            .find_map(|line| line.split_once("= help: "));
        help.unwrap().1.to_owned()
    };
    assert_eq!(help("chat-7"), "it keeps none");
    for id in ["chat-1", "👋 é"] {
        build(&place, id, 0, &[]);
    }
    assert_eq!(help("caht-1"), "did you mean `chat-1`?");
    let ran = session(&place, &["export", "chat-1@1"]).exits(2);
    let said = "there is a session `chat-1`; single builds are for `promptc session show` and `promptc diff`\n";
    ran.says(said);
    assert_eq!(help("nothing like it"), "it keeps `chat-1` and `👋 é`");
    for number in 10..18 {
        build(&place, &format!("chat-{number}"), 0, &[]);
    }
    assert_eq!(
        help("nothing like it"),
        "`promptc session list` shows those that it keeps"
    );
}

#[test]
fn an_id_that_can_be_none_is_refused() {
    let place = ready();
    build(&place, "s", 0, &[]);
    let long = "x".repeat(257);
    for id in ["", "a\nb", "\u{7f}", &long] {
        for args in [
            &["show", id][..],
            &["rm", "s", id],
            &["export", id],
            &["import", "x.json", "--as", id],
        ] {
            let ran = session(&place, args).exits(2);
            assert!(
                ran.stderr.starts_with("error[usage]: "),
                "{args:?}: {}",
                ran.stderr
            );
        }
    }
    let ran = place.run(&["diff", "session:a\nb"]).exits(2);
    assert!(ran.stderr.starts_with("error[usage]: "), "{}", ran.stderr);
    assert_eq!(
        json(&place, &["list"])["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

/// A read-only store can still be read; writers report why they fail.
#[test]
fn a_store_that_is_read_only_can_be_looked_at() {
    let place = ready();
    build(&place, "s", 0, &[]);
    place.file("cold/store.db", fs::read(place.path().join(STORE)).unwrap());
    let args = ["--store", "cold/store.db"];
    let mode = |mode: u32| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let set = |path: &str, mode| {
                fs::set_permissions(place.path().join(path), fs::Permissions::from_mode(mode))
                    .unwrap();
            };
            set("cold/store.db", mode & 0o666);
            set("cold", mode);
        }
    };
    mode(0o555);
    let run = |command: &[&str]| {
        let args = [&["session"], command, &args].concat();
        if crate::case::is_root() {
            crate::case::as_nobody(&args, &place).map(|c| crate::run::run(c, b""))
        } else {
            Some(place.run(&args))
        }
    };
    let reads: [&[&str]; 5] = [
        &["list"],
        &["show", "s"],
        &["export", "s"],
        &["verify"],
        &["gc", "--dry-run"],
    ];
    for command in reads {
        if let Some(ran) = run(command) {
            assert_eq!(ran.code, 0, "{command:?}: {}", ran.stderr);
        }
    }
    let writes: [&[&str]; 2] = [&["rm", "s"], &["gc"]];
    for command in writes {
        if let Some(ran) = run(command) {
            assert_eq!(ran.code, 3, "{command:?}: {}", ran.stderr);
            assert!(
                ran.stderr.starts_with("error[store-read-only]: "),
                "{}",
                ran.stderr
            );
        }
    }
    mode(0o755);
    session(&place, &["show", "s", "--store", "cold/store.db"]).exits(0);
}

/// One damaged text does not lose the others: the affected sessions are reported, with the fix.
#[test]
fn damage_names_the_sessions_that_it_concerns() {
    let place = ready();
    for (id, user) in [("a", "Ann"), ("b", "Bob")] {
        build(&place, id, 0, &["--set", &format!("user={user}")]);
        build(&place, id, 5, &["--refresh"]);
    }
    spoil(&place, STORE, "You talk to Ann", "You walk to Ann");
    let report = json_of(&place, &["verify"], 1);
    assert_eq!(report["sessions"], 2);
    let damage = report["damage"].as_array().unwrap();
    assert_eq!(damage.len(), 1, "{report:#}");
    assert!(
        damage[0]["what"]
            .as_str()
            .unwrap()
            .starts_with("the content sha256:")
    );
    assert_eq!(damage[0]["in"], json!([{"session": "a", "builds": [1, 2]}]));
    let ran = session(&place, &["verify"]).exits(1);
    let line = ran.stdout().lines().next().unwrap();
    assert!(
        line.ends_with(": session a (builds 1, 2)"),
        "{}",
        ran.stdout()
    );
    // The message of a command leads there.
    let ran = session(&place, &["show", "a", "--format", "text"]).exits(3);
    for way in ["promptc session verify", "promptc session rm ID"] {
        ran.says(way);
    }
    // And that is a fix.
    session(&place, &["rm", "a"]).exits(0);
    session(&place, &["show", "b", "--format", "text"]).exits(0);
}

/// A build whose row was changed: its session can be removed, too.
#[test]
fn a_session_whose_builds_are_damaged_can_be_removed() {
    let place = ready();
    for id in ["a", "b"] {
        build(&place, id, 0, &[]);
    }
    let rows = rusqlite::Connection::open(place.path().join(STORE)).unwrap();
    rows.execute("UPDATE build SET at = at + 1 WHERE session = 'a'", [])
        .unwrap();
    drop(rows);
    let report = json_of(&place, &["verify"], 1);
    assert_eq!(
        report["damage"][0]["in"],
        json!([{"session": "a", "builds": [1]}]),
        "{report:#}"
    );
    session(&place, &["rm", "a"]).exits(0);
    let report = json(&place, &["verify"]);
    assert_eq!(
        (&report["sessions"], &report["damage"]),
        (&json!(1), &json!([]))
    );
}

/// A damaged store is never taken for one without the session.
#[test]
fn damage_in_the_head_of_a_session_is_reported() {
    let place = ready();
    build(&place, "chat-seven", 0, &[]);
    spoil(&place, STORE, "chat-seven", "chat-eight");
    for args in [
        &["show", "chat-seven"][..],
        &["rm", "chat-seven"],
        &["list"],
        &["export", "chat-seven"],
    ] {
        let ran = session(&place, args).exits(3);
        assert!(
            ran.stderr.starts_with("error[store-damaged]: "),
            "{args:?}: {}",
            ran.stderr
        );
        assert_eq!(ran.stdout(), "");
    }
    let report = json_of(&place, &["verify"], 1);
    assert!(!report["damage"].as_array().unwrap().is_empty());
}

#[test]
fn a_url_is_no_store_and_nothing_is_made() {
    const URL: &str = "postgres://ann:secret-value@host/sessions";
    let place = ready();
    let names = || {
        let names = fs::read_dir(place.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let mut told = all(&place, &["--store", URL]);
    let more: [&[&str]; 5] = [
        &["build", "--session", "s"],
        &["report", "session:s", "-o", "out.html"],
        &["session", "list"],
        &["session", "verify"],
        &["session", "gc"],
    ];
    for args in more {
        let mut named = place.command(args);
        named.env("PROMPTC_STORE", URL);
        let given = [args, &["--store", URL]].concat();
        told.push((vec![args.join(" ")], crate::run::run(named, b"")));
        told.push((vec![args.join(" ")], place.run(&given)));
    }
    for (args, ran) in told {
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        let found = ran
            .stderr
            .contains("[unknown-store-kind]: `postgres` is not");
        let kept = !ran.stderr.contains("secret-value") && ran.stdout.is_empty();
        assert!(found && kept, "{args:?}: {}", ran.stderr);
    }
    assert_eq!(names(), before);
}
