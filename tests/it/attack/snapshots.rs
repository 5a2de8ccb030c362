//! Hostile snapshots: locks and snapshots that lead elsewhere, and texts that promptc did not write.

use crate::run::Place;
use std::fs;

const MANIFEST: &str =
    "promptc 1\ntier t { layer l { text \"hi\" } }\nscenario ann\nscenario ben\n";

fn recorded() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.run(&["test", "--accept"]).exits(0);
    place
}

#[cfg(unix)]
#[test]
fn no_record_is_read_through_a_link() {
    use std::os::unix::fs::symlink;
    for (link, target) in [
        ("snapshots", "elsewhere"),
        ("snapshots/ann.txt", "../elsewhere/ann.txt"),
        ("promptc.lock", "elsewhere/promptc.lock"),
    ] {
        let place = recorded();
        place.file("elsewhere/ann.txt", "secret\n");
        place.file("elsewhere/ben.txt", "hi");
        place.file("elsewhere/promptc.lock", place.read("promptc.lock"));
        let at = place.path().join(link);
        fs::rename(&at, place.path().join("aside")).unwrap();
        symlink(target, at).unwrap();
        for args in [
            &["test"][..],
            &["test", "--format", "json"],
            &["test", "--accept"],
        ] {
            let ran = place.run(args).exits(2);
            assert!(
                ran.stderr.contains("error[linked-file]"),
                "{link}:\n{}",
                ran.stderr
            );
            assert!(
                ran.stderr.contains(&format!("`{link}` is a link")),
                "{link}:\n{}",
                ran.stderr
            );
            assert!(!ran.stdout().contains("secret") && !ran.stderr.contains("secret"));
        }
        assert_eq!(place.read("elsewhere/ann.txt"), "secret\n");
    }
}

#[cfg(unix)]
#[test]
fn no_record_in_a_folder_of_its_own_is_read_through_a_link() {
    use std::os::unix::fs::symlink;
    for link in ["kept", "kept/promptc", "kept/promptc/ann.txt"] {
        let place = Place::new();
        place.file("promptc.kdl", MANIFEST);
        let accept = ["test", "--snapshots", "kept", "--accept"];
        place.run(&accept).exits(0);
        let (at, aside) = (place.path().join(link), place.path().join("aside"));
        fs::rename(&at, &aside).unwrap();
        symlink(&aside, at).unwrap();
        let before = place.read("promptc.kdl");
        for args in [&accept[..3], &accept] {
            let ran = place.run(args).exits(2);
            ran.says("error[linked-file]");
            ran.says(&format!("`{link}` is a link"));
        }
        assert_eq!(place.read("promptc.kdl"), before);
    }
}

/// A folder that the user names may be a link, but not one in the current directory, whose content others may have made; and
/// nothing in it may be one.
#[cfg(unix)]
#[test]
fn a_link_to_records_is_followed_only_outside_of_the_current_directory() {
    use std::os::unix::fs::symlink;
    let (place, outside) = (Place::new(), Place::new());
    place.file("promptc.kdl", MANIFEST);
    fs::create_dir(outside.path().join("kept")).unwrap();
    let named = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let (inner, outer) = (place.path().join("link"), outside.path().join("link"));
    for link in [&inner, &outer] {
        symlink(outside.path().join("kept"), link).unwrap();
    }
    let outer = named(&outer);
    place
        .run(&["test", "--snapshots", &outer, "--accept"])
        .exits(0);
    place.run(&["test", "--snapshots", &outer]).exits(0);
    let before = outside.read("kept/promptc.lock");
    for folder in ["link", "./link", &named(&inner), "link/below"] {
        for more in [&[][..], &["--accept"]] {
            let ran = place.run(&[&["test", "--snapshots", folder][..], more].concat());
            let ran = ran.exits(2);
            ran.says("error[linked-file]");
            ran.says("`link` is a link");
        }
    }
    assert_eq!(outside.read("kept/promptc.lock"), before);
    let (lock, aside) = ("kept/promptc.lock", outside.path().join("aside"));
    fs::rename(outside.path().join(lock), &aside).unwrap();
    symlink(&aside, outside.path().join(lock)).unwrap();
    let ran = place.run(&["test", "--snapshots", &outer]).exits(2);
    ran.says("error[linked-file]");
}

#[cfg(unix)]
#[test]
fn no_name_reached_by_a_link_is_reported() {
    use std::os::unix::fs::symlink;
    let (place, elsewhere) = (recorded(), Place::new());
    elsewhere.file("a-secret-name/ann.txt", "hi");
    let snapshots = place.path().join("snapshots");
    fs::rename(&snapshots, place.path().join("aside")).unwrap();
    symlink(elsewhere.path(), snapshots).unwrap();
    for args in [&["test"][..], &["test", "--accept"]] {
        let ran = place.run(args).exits(2);
        assert!(ran.stderr.contains("`snapshots` is a link"));
        let told = [ran.stdout(), &ran.stderr].concat();
        assert!(!told.contains("a-secret-name"), "{told}");
    }
}

/// Neither a manifest that was not asked for nor one that cannot be read loses its snapshots.
#[test]
fn records_of_a_manifest_that_is_not_tested_are_listed() {
    let place = recorded();
    place.file("other.kdl", MANIFEST);
    place.run(&["test", "--accept", "other.kdl"]).exits(0);
    let quiet = |args: &[&str], code: i32| {
        let ran = place.run(args).exits(code);
        assert!(!ran.stderr.contains("unlisted-text"), "{}", ran.stderr);
    };
    quiet(&["test", "other.kdl"], 0);
    quiet(&["test", "promptc.kdl"], 0);
    place.file("promptc.kdl", "promptc 1\nnme x\n");
    quiet(&["test"], 2);
    quiet(&["test", "other.kdl"], 0);
}

#[test]
fn an_unlisted_text_is_reported_and_stays() {
    let place = recorded();
    for file in ["notes.txt", "ann+tools.txt", "gone.txt", "x/lost.txt"] {
        place.file(&format!("snapshots/{file}"), "mine");
    }
    let ran = place.run(&["test"]).exits(0);
    assert!(
        ran.stderr.contains("note[unlisted-text]") && ran.stderr.contains("snapshots/x/lost.txt"),
        "{}",
        ran.stderr
    );
    place.file("promptc.kdl", MANIFEST.replace("scenario ben\n", ""));
    place.run(&["test", "--accept"]).exits(0);
    assert!(!place.path().join("snapshots/ben.txt").exists());
    place.file(
        "promptc.kdl",
        MANIFEST
            .replace("scenario ben\n", "")
            .replace("scenario ann", "scenario gone"),
    );
    // Also where the lock is of no use any more.
    place.file("promptc.lock", "{");
    place.run(&["test", "--accept"]).exits(0);
    for file in ["notes.txt", "ann+tools.txt", "x/lost.txt"] {
        assert_eq!(place.read(&format!("snapshots/{file}")), "mine");
    }
    fs::remove_file(place.path().join("promptc.kdl")).unwrap();
    place.run(&["test", "--accept"]).exits(0);
    assert!(
        !place.path().join("promptc.lock").exists()
            && !place.path().join("snapshots/gone.txt").exists()
    );
    assert_eq!(place.read("snapshots/notes.txt"), "mine");
}

#[test]
fn a_lock_lists_nothing_outside_of_its_folder() {
    for name in [
        "../victim",
        "/etc/victim",
        "../../victim",
        "a/b",
        "a\\\\b",
        "",
        ".",
        "..",
        "a\\u0007b",
        "C:x",
        "-x",
        "ann+tools",
    ] {
        let place = recorded();
        place.file("victim.txt", "theirs");
        place.file("snapshots/a/b.txt", "theirs");
        let lock = place
            .read("promptc.lock")
            .replace("\"ben\"", &format!("\"{name}\""));
        place.file("promptc.lock", lock);
        let ran = place.run(&["test"]).exits(2);
        assert!(
            ran.stderr.contains("error[lock-malformed]"),
            "{name}:\n{}",
            ran.stderr
        );
        place.run(&["test", "--accept"]).exits(0);
        assert_eq!(place.read("victim.txt"), "theirs", "{name}");
        assert_eq!(place.read("snapshots/a/b.txt"), "theirs", "{name}");
        place.run(&["test"]).exits(0);
    }
    // The lock of a manifest that is gone is no better.
    let place = recorded();
    place.file("victim.txt", "theirs");
    let lock = place
        .read("promptc.lock")
        .replace("\"ben\"", "\"../victim\"");
    place.file("promptc.lock", lock);
    fs::remove_file(place.path().join("promptc.kdl")).unwrap();
    place.run(&["test", "--accept"]);
    assert_eq!(place.read("victim.txt"), "theirs");
}

#[test]
fn the_folder_of_snapshots_is_removed_with_the_last_one_and_its_parent_stays() {
    let place = Place::new();
    place.file("snapshots/snapshots/x.kdl", MANIFEST);
    place.run(&["test", "--accept"]).exits(0);
    fs::remove_file(place.path().join("snapshots/snapshots/x.kdl")).unwrap();
    place.file(
        "snapshots/snapshots/x.kdl",
        "promptc 1\ntier t { layer l { text \"hi\" } }\nscenario ann snapshot=#false\n",
    );
    place.run(&["test", "--accept"]).exits(0);
    assert!(!place.path().join("snapshots/snapshots/snapshots").exists());
    fs::remove_file(place.path().join("snapshots/snapshots/x.kdl")).unwrap();
    place.run(&["test", "--accept"]).exits(0);
    assert!(place.path().join("snapshots/snapshots").is_dir());
}

#[cfg(unix)]
#[test]
fn no_pipe_is_written_unless_it_was_named() {
    for (pipe, args) in [
        ("snapshots/ann.txt", &["test", "--accept"][..]),
        ("promptc.lock", &["test", "--accept"]),
        (
            "kept/promptc/ann.txt",
            &["test", "--accept", "--snapshots", "kept"],
        ),
        ("report.html", &["report"]),
        ("pages/promptc.1", &["man", "pages"]),
    ] {
        let place = Place::new();
        place.file("promptc.kdl", MANIFEST);
        let at = place.path().join(pipe);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&at).status();
        assert!(made.unwrap().success());
        let ran = place.run(args);
        assert!([2, 3].contains(&ran.code), "{pipe}: {}", ran.stderr);
        assert!(ran.stderr.contains(pipe), "{pipe}: {}", ran.stderr);
    }
}
