//! `promptc agent rules` through the binary: its output, where it stores its notes, and that only one of many processes gives
//! directory rules.

use crate::run::{Place, Ran};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};

const MANIFEST: &str = "promptc 1\nroot workspace default=\"w\"\ntier t { layer l { text \"prompt\" } }\n\
    directory-rules join=\"\\n\" { file \"AGENTS.md\" { wrap \"{{ path }}: {{ text }}\" } }\n";

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("w/a/AGENTS.md", "in a\n");
    place.file("w/a/b/AGENTS.md", "in b\n");
    place
}

fn folder_rules(place: &Place, args: &[&str]) -> Ran {
    place.run(&[&["agent", "rules"], args].concat())
}

fn json(place: &Place, args: &[&str]) -> Value {
    let ran = folder_rules(place, &[args, &["--format", "json"]].concat()).exits(0);
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn the_answer_for_programs_has_the_sources_of_a_hint() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\nscan words { scopes all; rule bad \"attack\" scope=all }\n\
         tier t { layer l { text \"prompt\" } }\n\
         directory-rules { file \"AGENTS.md\" \"CLAUDE.md\" { scan words on-hit=warn; budget 6 marker=\"\" } }\n",
    );
    place.file("a/AGENTS.md", "attack!\n");
    place.file("a/b/CLAUDE.md", "fine");
    place.file("a/c/none.md", "");
    let schema = place.run(&["schema", "directory-rules"]).exits(0);
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let first = json(&place, &["a/b", "a/c", "..", "--session", "s"]);
    assert!(schema.is_valid(&first), "{first:#}");
    assert_eq!(first["text"], "attack\n\nfine");
    assert_eq!(first["root"], "workspace");
    assert_eq!(first["outside"], serde_json::json!([".."]));
    let folders: Vec<&Value> = first["folders"].as_array().unwrap().iter().collect();
    let paths: Vec<&str> = folders
        .iter()
        .map(|f| f["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["a", "a/b", "a/c"]);
    let document = &folders[0]["documents"][0];
    assert_eq!(document["path"], "a/AGENTS.md");
    assert_eq!(
        (&document["kept"], &document["dropped"]),
        (&6.into(), &1.into())
    );
    assert_eq!(document["findings"][0]["rule"], "bad");
    let codes = folders[0]["notices"].as_array().unwrap().iter();
    let codes: Vec<&str> = codes.map(|n| n["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["scan-finding", "cut"]);
    assert_eq!(folders[2]["text"], Value::Null);
    let again = json(&place, &["a/b", "--session", "s"]);
    assert!(schema.is_valid(&again), "{again:#}");
    assert_eq!(again["text"], "");
    assert_eq!(again["folders"][0]["already"], true);
    assert_eq!(again["folders"][0]["documents"], serde_json::json!([]));
}

#[test]
fn losses_and_outside_paths_are_reported_on_stderr() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\"w\"\ntier t { layer l { text \"prompt\" } }\n\
         directory-rules { file \"A\" { budget 1 marker=\"\" } }\n",
    );
    place.file("w/a/A", "xyz");
    let ran = folder_rules(&place, &["a", "../b", "--session", "s"]).exits(0);
    assert_eq!(ran.stdout(), "x");
    ran.says("warning[cut]");
    assert!(!ran.stderr.contains("outside-root"));
    let ran = folder_rules(&place, &["a", "../b", "--session", "s", "-v"]).exits(0);
    assert_eq!(ran.stdout(), "");
    ran.says("note[outside-root]: `../b`");
    assert!(!ran.stderr.contains("cut"), "{}", ran.stderr);
}

#[test]
fn a_wrong_path_and_silence_are_explained() {
    let place = place();
    place.file("w/c/x.rs", "");
    let ran = folder_rules(&place, &["nowhere/x.rs", "--session", "s"]).exits(0);
    assert_eq!(ran.stdout(), "");
    ran.says("warning[missing-folder]: `nowhere/x.rs`: there is no folder `nowhere` in the root `workspace`");
    // A file that a tool is about to write is none.
    let ran = folder_rules(&place, &["c/new.rs", "--session", "s"]).exits(0);
    assert_eq!(ran.stderr, "");
    let ran = folder_rules(&place, &["c/new.rs", "--session", "s", "-v"]).exits(0);
    ran.says("note[nothing-told]: `c`: it has no directory rules");
    folder_rules(&place, &["a", "--session", "s"]).exits(0);
    let ran = folder_rules(&place, &["a", "--session", "s", "-v"]).exits(0);
    ran.says("note[nothing-told]: `a`: the session already has its directory rules");
    let json = json(&place, &["nowhere/x.rs", "a", "--session", "s"]);
    assert_eq!(json["missing"], serde_json::json!(["nowhere/x.rs"]));
}

#[test]
fn a_session_with_hints_alone_is_listed() {
    let place = place();
    folder_rules(&place, &["a", "--session", "s"]).exits(0);
    place.run(&["build", "--session", "t"]).exits(0);
    folder_rules(&place, &["a", "--session", "t"]).exits(0);
    let ran = place.run(&["session", "list"]).exits(0);
    ran.shows("directory rules only");
    assert_eq!(ran.stdout().lines().count(), 3, "{}", ran.stdout());
    let ran = place.run(&["session", "list", "--format", "json"]).exits(0);
    let listed: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(listed["directory_rules"][0]["session"], "s");
    assert_eq!(listed["directory_rules"].as_array().unwrap().len(), 1);
    assert_eq!(listed["sessions"][0]["session"], "t");
}

#[test]
fn a_later_file_gives_its_hint_once() {
    let place = place();
    assert_eq!(
        folder_rules(&place, &["c/x.rs", "--session", "s"])
            .exits(0)
            .stdout(),
        ""
    );
    place.file("w/c/AGENTS.md", "now there");
    let told = folder_rules(&place, &["c/x.rs", "--session", "s"]).exits(0);
    assert_eq!(told.stdout(), "c/AGENTS.md: now there");
    std::fs::create_dir_all(place.path().join("w/d")).unwrap();
    assert_eq!(
        folder_rules(&place, &["d", "--session", "s"])
            .exits(0)
            .stdout(),
        ""
    );
    place.file("w/d/AGENTS.md", "now there");
    let told = folder_rules(&place, &["d/x.rs", "--session", "s"]).exits(0);
    assert_eq!(told.stdout(), "d/AGENTS.md: now there");
    place.file("w/d/AGENTS.md", "another one");
    assert_eq!(
        folder_rules(&place, &["d", "--session", "s"])
            .exits(0)
            .stdout(),
        ""
    );
}

/// Nothing is noted before all of it is made.
#[test]
fn a_failed_hint_is_given_once_it_succeeds() {
    let place = place();
    place.file("w/c/AGENTS.md", b"\xff");
    let ran = folder_rules(&place, &["a", "c", "--session", "s"]).exits(2);
    assert_eq!(ran.stdout(), "");
    place.file("w/c/AGENTS.md", "mended");
    let ran = folder_rules(&place, &["a", "c", "--session", "s"]).exits(0);
    assert_eq!(ran.stdout(), "a/AGENTS.md: in a\nc/AGENTS.md: mended");
}

#[test]
fn the_store_is_next_to_the_manifest_unless_another_is_named() {
    let place = place();
    let other = Place::new();
    let manifest = place.path().join("promptc.kdl");
    let manifest = manifest.to_str().unwrap();
    let absolute = place.path().join("w/a/b/new.rs");
    let args = [absolute.to_str().unwrap(), "--session", "s"];
    let both = "a/AGENTS.md: in a\na/b/AGENTS.md: in b";
    let from_afar = [&args[..], &["-m", manifest]].concat();
    assert_eq!(folder_rules(&other, &from_afar).exits(0).stdout(), both);
    assert!(place.path().join(".promptc/store.db").is_file());
    assert!(!other.path().join(".promptc").exists());
    assert_eq!(folder_rules(&place, &args).exits(0).stdout(), "");
    let named = [&args[..], &["--store", "mine.db"]].concat();
    assert_eq!(folder_rules(&place, &named).exits(0).stdout(), both);
    assert!(place.path().join("mine.db").is_file());
    let in_environment = |args: &[&str]| {
        let mut command = place.command(&[&["agent", "rules"], args].concat());
        command.env("PROMPTC_STORE", "mine.db");
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(in_environment(&args), "");
    let fresh = [&args[..], &["--store", "fresh.db"]].concat();
    assert_eq!(in_environment(&fresh), both);
}

/// A folder is identified by its location: another root with folders of the same names starts over.
#[test]
fn another_root_starts_over() {
    let place = place();
    place.file("v/a/AGENTS.md", "elsewhere");
    let args = ["a", "--session", "s"];
    assert_eq!(
        folder_rules(&place, &args).exits(0).stdout(),
        "a/AGENTS.md: in a"
    );
    let other = [&args[..], &["--root", "workspace=v"]].concat();
    assert_eq!(
        folder_rules(&place, &other).exits(0).stdout(),
        "a/AGENTS.md: elsewhere"
    );
    let same = [&args[..], &["--root", "workspace=v/../w"]].concat();
    assert_eq!(folder_rules(&place, &same).exits(0).stdout(), "");
}

#[test]
fn a_session_needs_a_name() {
    let place = place();
    let ran = folder_rules(&place, &["a"]).exits(2);
    ran.says("--session");
    for bad in ["", "a\nb"] {
        let ran = folder_rules(&place, &["a", "--session", bad]).exits(2);
        ran.says("error[usage]");
    }
}

/// How many folders the processes got directory rules about, and how many folders there are.
const FOLDERS: usize = 40;
const PROCESSES: usize = 8;

#[test]
fn of_concurrent_processes_one_gets_each_hint() {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    for n in 0..FOLDERS {
        place.file(&format!("w/{n}/AGENTS.md"), "rules");
    }
    let start = |first: usize| -> Child {
        let mut command: Command = place.command(&["agent", "rules", "--session", "s"]);
        // Each begins with another folder, so that they meet in the middle of their ways.
        let paths = (0..FOLDERS).map(|n| format!("{}/x.rs", (n + first * 5) % FOLDERS));
        let out = command.args(paths).stdin(Stdio::null());
        out.stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let running: Vec<Child> = (0..PROCESSES).map(start).collect();
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            *told.entry(line.to_owned()).or_default() += 1;
        }
    }
    assert_eq!(told.len(), FOLDERS, "{told:?}");
    assert!(told.values().all(|times| *times == 1), "{told:?}");
}

/// The effect of `session gc` and other commands on the notes.
fn session(place: &Place, args: &[&str]) -> Ran {
    place.run(&[&["session"], args].concat())
}

fn told(place: &Place, args: &[&str]) -> String {
    let args = [&["--session", "s"], args].concat();
    folder_rules(place, &args).exits(0).stdout().to_owned()
}

const IN_A: &str = "a/AGENTS.md: in a";

/// Days of one month, since what is noted has a time.
fn day(n: u32) -> String {
    format!("2020-03-{n:02}T09:00:00Z")
}

fn collect(place: &Place, now: u32, more: &[&str]) -> Ran {
    let now = day(now);
    let args = ["gc", "--unused", "10d", "--now", &now];
    session(place, &[&args[..], more].concat()).exits(0)
}

#[test]
fn the_current_time_is_the_time_of_the_note() {
    let place = place();
    assert_eq!(told(&place, &["a", "--now", &day(1)]), IN_A);
    collect(&place, 11, &[]);
    assert_eq!(told(&place, &["a", "--now", &day(1)]), "");
    collect(&place, 12, &[]);
    assert_eq!(told(&place, &["a", "--now", &day(12)]), IN_A);
}

#[test]
fn a_collection_reports_the_number_of_removed_hints() {
    let place = place();
    place.file("w/none/x.rs", "");
    told(&place, &["a/b", "none", "--now", &day(1)]);
    let dry = collect(&place, 20, &["--dry-run"]);
    assert_eq!(
        dry.stdout(),
        "it would free 0 bytes: 0 sessions, 0 builds, rules of 3 folders\n"
    );
    assert_eq!(told(&place, &["a/b", "--now", &day(1)]), "");
    let report = |more: &[&str]| -> Value {
        let ran = collect(&place, 20, &[&["--format", "json"], more].concat());
        serde_json::from_str(ran.stdout()).unwrap()
    };
    assert_eq!(report(&["--dry-run"])["directory_rules"], 3);
    assert_eq!(report(&[])["directory_rules"], 3);
    assert_eq!(report(&[])["directory_rules"], 0);
    assert_eq!(
        collect(&place, 20, &[]).stdout(),
        "freed 0 bytes: 0 sessions, 0 builds\n"
    );
    // Those of a session that goes are among them.
    place
        .run(&["build", "--session", "s", "--now", &day(1)])
        .exits(0);
    told(&place, &["a", "--now", &day(1)]);
    let done = collect(&place, 20, &[]);
    let lines: Vec<&str> = done.stdout().lines().collect();
    assert_eq!(lines[0], "removed s");
    assert!(
        lines[1].ends_with(": 1 session, 1 build, rules of 1 folder"),
        "{lines:?}"
    );
}

/// A session that asks is in use, even without a new directory rules.
#[test]
fn a_session_in_use_is_not_collected() {
    let place = place();
    assert_eq!(told(&place, &["a", "--now", &day(1)]), IN_A);
    assert_eq!(told(&place, &["a", "--now", &day(10)]), "");
    collect(&place, 15, &[]);
    assert_eq!(told(&place, &["a", "--now", &day(15)]), "");
    // Nor is what it keeps.
    place
        .run(&["build", "--session", "s", "--now", &day(1)])
        .exits(0);
    assert_eq!(collect(&place, 20, &[]).stdout().lines().count(), 1);
    session(&place, &["show", "s"]).exits(0);
    // And one that is asked for keeps its directory rules.
    place
        .run(&["build", "--session", "s", "--now", &day(25)])
        .exits(0);
    collect(&place, 30, &[]);
    assert_eq!(told(&place, &["a", "--now", &day(30)]), "");
}

/// A clock that ran ahead once does not keep a session for good.
#[test]
fn a_time_that_was_ahead_is_put_right() {
    let place = place();
    told(&place, &["a", "--now", "2099-01-01T00:00:00Z"]);
    assert_eq!(told(&place, &["a", "--now", &day(1)]), "");
    assert_eq!(
        collect(&place, 20, &[]).stdout(),
        "freed 0 bytes: 0 sessions, 0 builds, rules of 1 folder\n"
    );
}

#[test]
fn a_session_of_hints_alone_can_be_removed() {
    let place = place();
    told(&place, &["a/b"]);
    let ran = session(&place, &["rm", "s"]).exits(0);
    assert_eq!(ran.stdout(), "removed s (rules of 2 folders)\n");
    assert_eq!(told(&place, &["a"]), IN_A);
    place.run(&["build", "--session", "s"]).exits(0);
    let ran = session(&place, &["rm", "s", "--format", "json"]).exits(0);
    let report: Value = serde_json::from_str(ran.stdout()).unwrap();
    let removed = serde_json::json!([{"session": "s", "builds": 1, "directory_rules": 1}]);
    assert_eq!(report["removed"], removed);
    assert_eq!(told(&place, &["a"]), IN_A);
    let ran = session(&place, &["rm", "s", "t"]).exits(2);
    ran.says("no session `t`");
    assert_eq!(told(&place, &["a"]), "");
}

/// Directory rules that no one can have read is given again.
#[cfg(target_os = "linux")]
#[test]
fn an_unwritten_hint_is_given_again() {
    let place = place();
    place.file("w/none/x.rs", "");
    assert_eq!(told(&place, &["a"]), IN_A);
    let full = std::fs::File::create("/dev/full").unwrap();
    let mut command = place.command(&["agent", "rules", "a/b", "none", "--session", "s"]);
    let output = command.stdout(full).stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("error[output-not-written]"), "{stderr}");
    // Only what that call noted was taken back.
    assert_eq!(told(&place, &["a/b"]), "a/b/AGENTS.md: in b");
    assert_eq!(told(&place, &["a/b"]), "");
}

/// A closed pipe is no error of the call, and the directory rules counts as not given.
#[cfg(unix)]
#[test]
fn an_unread_hint_is_given_again() {
    let place = place();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = place.command(&["agent", "rules", "a", "--session", "s"]);
    let output = command
        .stdout(writer)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(told(&place, &["a"]), IN_A);
}

/// As `build` and `drift` do: what the session was built from is found by its store.
#[test]
fn the_manifest_of_a_session_is_found_by_its_store() {
    let place = place();
    place.run(&["build", "--session", "s"]).exits(0);
    let store = place.path().join(".promptc/store.db");
    let elsewhere = Place::new();
    let args = [
        "agent",
        "rules",
        "a",
        "--store",
        store.to_str().unwrap(),
        "--session",
    ];
    let folder_rules = |id: &str| elsewhere.run(&[&args[..], &[id]].concat());
    assert_eq!(folder_rules("s").exits(0).stdout(), IN_A);
    assert_eq!(folder_rules("s").exits(0).stdout(), "");
    let ran = folder_rules("t").exits(2);
    ran.says("manifest-not-found");
}
