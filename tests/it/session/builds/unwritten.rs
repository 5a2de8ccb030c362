//! An answer that cannot be written after a change: the change remains, and that is reported.

use crate::run::{Place, Ran, run};
use std::fs::File;
use std::process::{Command, Stdio};

const MANIFEST: &str = r#"promptc 1
root home default="home"
tier stable changes=session {
    layer hello { text "Hello." }
    layer notes { memory "NOTES.md" root=home }
}
"#;

fn ready() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("home/NOTES.md", "tea");
    for id in ["a", "b"] {
        place.run(&["build", "--session", id]).exits(0);
    }
    place
        .run(&["session", "export", "a", "-o", "a.json"])
        .exits(0);
    place
}

/// With a standard output that takes nothing.
fn to_full(mut command: Command) -> Ran {
    let full = File::create("/dev/full").unwrap();
    let command = command.stdout(full).stdin(Stdio::null());
    let output = command.stderr(Stdio::piped()).output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_change_with_an_unwritten_answer_is_still_reported() {
    for (args, said) in [
        (&["build", "--session", "n"][..], "session `n` was built"),
        (
            &["build", "--session", "a", "--refresh"],
            "session `a` was rebuilt",
        ),
        (
            &["agent", "memory", "add", "coffee"],
            "the memory `notes` was changed",
        ),
        (
            &[
                "session",
                "gc",
                "--unused",
                "1s",
                "--now",
                "2099-01-01T00:00:00Z",
            ],
            "the collection was made",
        ),
        (&["session", "rm", "b"], "the sessions were removed"),
        (
            &["session", "import", "a.json", "--id", "z"],
            "the session `z` was imported",
        ),
    ] {
        let place = ready();
        let ran = to_full(place.command(args)).exits(3);
        let stderr = &ran.stderr;
        assert!(
            stderr.contains("error[output-not-written]"),
            "{args:?}: {stderr}"
        );
        assert!(
            !stderr.contains("nothing was written"),
            "{args:?}: {stderr}"
        );
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }
}

#[test]
fn a_build_with_an_unwritable_output_is_stored() {
    let place = ready();
    let ran = place.run(&["build", "--session", "n", "-o", "none/x"]);
    let stderr = ran.exits(3).stderr;
    assert!(!stderr.contains("nothing was written"), "{stderr}");
    assert!(stderr.contains("session `n` was built"), "{stderr}");
    // A call that asks again gets it.
    let ran = place.run(&["build", "--session", "n", "-v"]).exits(0);
    ran.says("`n` restored: build 1");
}

#[test]
fn a_command_without_effect_reports_that() {
    let place = ready();
    for (args, writes) in [
        (&["build", "--session", "a"][..], true),
        (&["agent", "memory", "add", "tea"], true),
        // Of what only reads it goes without saying.
        (&["session", "gc", "--dry-run"], false),
        (&["session", "list"], false),
        (&["agent", "memory", "list"], false),
    ] {
        let ran = to_full(place.command(args)).exits(3);
        let stderr = ran.stderr;
        assert_eq!(
            stderr.contains("nothing was written"),
            writes,
            "{args:?}: {stderr}"
        );
    }
    let left = run(place.command(&["session", "list"]), b"").exits(0);
    assert_eq!(left.stdout().lines().count(), 3, "{}", left.stdout());
}
