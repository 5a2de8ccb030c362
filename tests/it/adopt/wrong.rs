//! The inputs that `init --from` refuses without writing anything.

use crate::run::{Place, run};
use std::fs;

fn left(place: &Place) -> Vec<String> {
    let all = fs::read_dir(place.path()).unwrap();
    let mut names: Vec<String> = all
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_is_overwritten() {
    let place = Place::new();
    place.file("dump.txt", "# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree\n");
    place.file("prompt/02-b.md", "mine");
    let ran = place.run(&["init", "--from", "dump.txt"]).exits(2);
    ran.says("`prompt/02-b.md` exists");
    assert!(ran.stdout.is_empty());
    assert_eq!(left(&place), ["dump.txt", "prompt"]);
    assert_eq!(place.read("prompt/02-b.md"), "mine");
    // Files that do not conflict may exist.
    fs::rename(
        place.path().join("prompt/02-b.md"),
        place.path().join("prompt/x.md"),
    )
    .unwrap();
    place.run(&["init", "--from", "dump.txt"]).exits(0);
}

#[test]
fn an_output_that_cannot_be_complete_is_not_written() {
    let place = Place::new();
    place.file("dump.txt", "one");
    place.file("prompt", "a file where a folder is needed");
    place.run(&["init", "--from", "dump.txt"]).exits(3);
    assert_eq!(left(&place), ["dump.txt", "prompt"]);
}

#[test]
fn all_errors_are_reported_at_once() {
    let place = Place::new();
    place.file("empty.txt", "");
    place.file("blank.txt", "\n \t\u{a0}\n");
    place.file("latin.txt", b"caf\xe9 au lait");
    place.file("folder/.hidden", "x");
    let args = [
        "init",
        "--from",
        "empty.txt",
        "blank.txt",
        "latin.txt",
        "gone.txt",
        "folder",
    ];
    let ran = place.run(&args).exits(2);
    for told in [
        "`empty.txt` is empty",
        "`blank.txt` holds nothing but white space",
        "`latin.txt` is not UTF-8: byte 3",
        "there is no file `gone.txt`",
        "`folder` is a folder",
        "5 errors",
    ] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
    assert!(!place.path().join("promptc.kdl").exists());
}

#[test]
fn a_presets_options_do_not_go_with_dumps() {
    let place = Place::new();
    place.file("a.txt", "a");
    place
        .run(&["init", "--preset", "minimal", "--from", "a.txt"])
        .exits(2);
    place
        .run(&["init", "--list-presets", "--from", "a.txt"])
        .exits(2);
    for other in [&["--preset", "minimal"][..], &["--list-presets"]] {
        let args = [&["init", "--format", "json"][..], other].concat();
        place.run(&args).exits(2);
    }
    let many = [&["init", "--from"][..], &["a.txt"; 33]].concat();
    assert!(place.run(&many).exits(2).stderr.contains("at most 32"));
    assert_eq!(left(&place), ["a.txt"]);
}

#[test]
fn a_dump_may_come_through_a_pipe() {
    let place = Place::new();
    let command = place.command(&["init", "--from", "-"]);
    run(command, b"# A\n\nfrom a pipe\n").exits(0);
    let built = place.run(&["build", "--scenario", "stdin"]).exits(0);
    assert_eq!(built.stdout(), "# A\n\nfrom a pipe\n");
}

#[test]
fn quiet_prints_only_the_report() {
    let place = Place::new();
    place.file("a.txt", "You are A.\n");
    let ran = place.run(&["init", "--quiet", "--from", "a.txt"]).exits(0);
    assert!(ran.stderr.is_empty() && ran.stdout().contains("byte for byte"));
}
